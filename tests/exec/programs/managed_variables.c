/* What nvcc makes of __managed__ variables: the host has pointers to them, which the runtime sets. */
#include "cuda_few.h"

void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
int cudaGetSymbolAddress(void **, const void *);

void adds(void) {}

static int *total, *table;
static void **handle;

static void __attribute__((constructor)) begins(void)
{
    handle = registered();
    KERNEL(adds);
    __cudaRegisterManagedVar(handle, (void **)&total, "total", "total", 0, sizeof *total, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&table, "table", "table", 0, 4 * sizeof *table, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static void launched(void) { CHECK(cudaLaunchKernel(adds, (dim3){1, 1, 1}, (dim3){4, 1, 1}, 0, 0, 0)); }

int main(int count, char **arguments)
{
    void *there;
    int got[4];
    if (!total)
        return 5;
    expect(*total == 5 && table[3] == 40, "what they are at first");
    *total += 1;
    launched();
    CHECK(cudaDeviceSynchronize());
    expect(*total == 12 && table[0] == 20 && table[3] == 80, "what kernels made of them");
    table[1] = 7;
    launched();
    CHECK(cudaDeviceSynchronize());
    expect(*total == 18 && table[1] == 14, "what both made of them");
    CHECK(cudaGetSymbolAddress(&there, total));
    expect(there == total, "one address for both");
    CHECK(cudaMemcpyFromSymbol(got, table, sizeof got, 0, ToHost));
    expect(got[1] == 14 && got[3] == 160, "a variable by its symbol");
    if (count > 1) {
        CHECK(cudaSetDevice(1));
        printf("%s\n", cudaGetErrorName(cudaLaunchKernel(adds, (dim3){1, 1, 1}, (dim3){4, 1, 1}, 0, 0, 0)));
    }
    puts("PASSED");
    return 0;
}
