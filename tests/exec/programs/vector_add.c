#include "cuda_few.h"

void vector_add(void) {}

REGISTERS(KERNEL(vector_add))

int main(int count, char **arguments)
{
    int n = count > 1 ? atoi(arguments[1]) : 1000;
    size_t bytes = n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *sum = malloc(bytes), *da, *db, *dsum;
    for (int i = 0; i < n; ++i)
        a[i] = i, b[i] = 0.5f * i;
    CHECK(cudaMalloc((void **)&da, bytes));
    CHECK(cudaMalloc((void **)&db, bytes));
    CHECK(cudaMalloc((void **)&dsum, bytes));
    CHECK(cudaMemcpy(da, a, bytes, ToDevice));
    CHECK(cudaMemcpy(db, b, bytes, ToDevice));
    void *given[] = {&dsum, &da, &db, &n};
    CHECK(cudaLaunchKernel(vector_add, (dim3){(n + 255) / 256, 1, 1}, (dim3){256, 1, 1}, given, 0, 0));
    CHECK(cudaMemcpy(sum, dsum, bytes, ToHost));
    for (int i = 0; i < n; ++i)
        if (sum[i] != 1.5f * i) {
            printf("wrong at %d\n", i);
            return 3;
        }
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dsum));
    puts("PASSED");
    return 0;
}
