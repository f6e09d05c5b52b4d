/* Allocates managed memory while a kernel runs, and gives it to another one. */
#include "cuda_few.h"

void scale(void) {}
static int factor;
enum { THREADS = 64, BLOCKS = 20000, BESIDE = 4, NOT_READY = 600 };

REGISTERS(KERNEL(scale), VARIABLE(factor))

int main(void)
{
    const dim3 threads = {THREADS, 1, 1}, all = {BLOCKS, 1, 1}, one = {1, 1, 1};
    const int three = 3;
    int *much, *few[BESIDE], made = 0;
    void *given[] = {&much};
    cudaStream_t busy, other;
    CHECK(cudaStreamCreate(&busy));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaMalloc((void **)&much, sizeof *much * THREADS * BLOCKS));
    CHECK(cudaMemcpyToSymbol(&factor, &three, sizeof three, 0, ToDevice));
    CHECK(cudaLaunchKernel(scale, all, threads, given, 0, busy));
    for (int asked = 0; asked < 2; ++asked)
        expect(cudaStreamQuery(busy) == NOT_READY, "a kernel that runs");
    while (made < BESIDE && cudaStreamQuery(busy) == NOT_READY) {
        CHECK(cudaMallocManaged((void **)&few[made], sizeof **few * THREADS, 1));
        for (int i = 0; i < THREADS; ++i)
            few[made][i] = i;
        void *of_few[] = {&few[made++]};
        CHECK(cudaLaunchKernel(scale, one, threads, of_few, 0, other));
    }
    expect(made, "memory that was allocated beside a kernel");
    CHECK(cudaDeviceSynchronize());
    while (made--)
        for (int i = 0; i < THREADS; ++i)
            expect(few[made][i] == 3 * i, "managed memory");
    puts("PASSED");
    return 0;
}
