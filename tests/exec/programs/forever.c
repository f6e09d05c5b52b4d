#include <unistd.h>

#include "cuda_few.h"

void vector_add(void) {}

__attribute__((constructor)) static void set_up(void)
{
    void **handle = registered();
    KERNEL(vector_add);
    __cudaRegisterFatBinaryEnd(handle);
}

int main(void)
{
    float *p;
    int n = 32;
    CHECK(cudaMalloc((void **)&p, n * sizeof(float)));
    void *given[] = {&p, &p, &p, &n};
    CHECK(cudaLaunchKernel(vector_add, (dim3){1, 1, 1}, (dim3){32, 1, 1}, given, 0, 0));
    CHECK(cudaDeviceSynchronize());
    puts("launched");
    fflush(stdout);
    for (;;)
        pause();
}
