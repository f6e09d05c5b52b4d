/* What nvcc -rdc=true writes: the device code of several sources, which was not linked yet, and one registration for all of them. */
#include "cuda_few.h"

void twice(void) {}
static char step;

enum { MOST = 8 };
static const void *parts[MOST + 1];
static const struct { unsigned magic; unsigned short version, head; unsigned long long bytes; } nothing = {0xba55ed50, 1, 16, 0};
static struct { int magic, version; const void *data; const void **parts; } linked = {0x466243b1, 2, &nothing, parts};

__attribute__((constructor)) static void set_up(void)
{
    const unsigned char *at = device_code;          /* fat binaries, one behind the other, and zeros */
    for (int part = 0; part < MOST && *(const unsigned *)at; ++part) {
        parts[part] = at;
        at += 16 + *(const unsigned long long *)(at + 8);
    }
    void **handle = __cudaRegisterFatBinary(&linked);
    KERNEL(twice);
    __cudaRegisterVar(handle, &step, "step", "step", 0, sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

int main(void)
{
    int value = 5, new_step = 100, *there;
    void *given[] = {&there};
    CHECK(cudaMalloc((void **)&there, sizeof value));
    CHECK(cudaMemcpy(there, &value, sizeof value, ToDevice));
    CHECK(cudaLaunchKernel(twice, (dim3){1, 1, 1}, (dim3){1, 1, 1}, given, 0, 0));
    CHECK(cudaMemcpyToSymbol(&step, &new_step, sizeof new_step, 0, ToDevice));
    CHECK(cudaLaunchKernel(twice, (dim3){1, 1, 1}, (dim3){1, 1, 1}, given, 0, 0));
    CHECK(cudaMemcpy(&value, there, sizeof value, ToHost));
    printf("%d\n", value);
    return 0;
}
