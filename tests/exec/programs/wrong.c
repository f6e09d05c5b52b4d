/* Calls that are wrong: each prints the status that it got, and the program goes on. */
#include <signal.h>
#include "cuda_few.h"

void faults(void) {}
void nobody(void) {}

REGISTERS(KERNEL(faults))

int main(int count, char **arguments)
{
    void *there = 0, *none = 0;
    char here[16];
    const dim3 one = {1, 1, 1}, many = {1 << 20, 1, 1};
    void *given[] = {&none}, *wild[] = {(void *)-8};
    if (count > 1 && !strcmp(arguments[1], "crash"))
        raise(SIGSEGV);
    if (count > 1 && !strcmp(arguments[1], "exit"))
        return 42;
    CHECK(cudaMalloc(&there, 64));
    SAY(cudaMalloc(&none, (size_t)-1));
    SAY(cudaMalloc((void **)-1, 16));
    SAY(cudaMalloc(0, 16));
    SAY(cudaFree(here));
    SAY(cudaMemcpy(there, (void *)16, 16, ToDevice));
    SAY(cudaMemcpy((void *)-1, there, 16, ToHost));
    SAY(cudaMemcpy(there, here, 1000, ToDevice));
    SAY(cudaMemcpy(there, here, (size_t)-1, ToDevice));
    SAY(cudaMemcpy(there, here, 16, ToHost));
    SAY(cudaMemcpy(there, here, 16, 9));
    char *wide = malloc(40 << 20), *locked;
    CHECK(cudaMallocHost((void **)&locked, 40 << 20));
    locked[0] = 1;
    wide[0] = 2;
    SAY(cudaMemcpy(locked, wide, (size_t)1 << 60, 0));
    expect(locked[0] == 1, "a copy that cannot end is not begun");
    SAY(cudaMallocHost(&none, (size_t)1 << 45));
    SAY(cudaMemset(here, 0, 16));
    SAY(cudaMemset(there, 0, (size_t)1 << 63));
    SAY(cudaStreamSynchronize((void *)0x77777777));
    SAY(cudaEventSynchronize(0));
    SAY(cudaLaunchKernel(nobody, one, one, 0, 0, 0));
    SAY(cudaLaunchKernel(faults, one, many, given, 0, 0));
    SAY(cudaLaunchKernel(faults, one, one, wild, 0, 0));
    SAY(cudaLaunchKernel(faults, one, one, (void **)-1, 0, 0));
    SAY(cudaSetDevice(9));
    SAY(cudaGraphicsMapResources(0, 0, 0));
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    puts(cudaGetErrorString(-5));
    CHECK(cudaLaunchKernel(faults, one, one, given, 0, 0));
    SAY(cudaDeviceSynchronize());
    return 0;
}
