/* What calls return once a kernel has failed, and once the device has been reset after that: those of tests/data/h100/calls_after_a_failure.cu, in their order. */
#include "cuda_few.h"

int cudaEventQuery(cudaEvent_t), cudaRuntimeGetVersion(int *), cudaDriverGetVersion(int *), cudaPointerGetAttributes(void *, const void *), cudaFuncGetAttributes(void *, const void *);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t), cudaDeviceSetLimit(int, size_t), cudaDeviceGetLimit(size_t *, int), cudaDeviceReset(void);
int cuCtxSynchronize(void), cuMemAlloc_v2(uint64_t *, size_t), cuCtxGetCurrent(void **), cuCtxGetDevice(int *), cuDeviceGet(int *, int), cuMemGetInfo_v2(size_t *, size_t *);

void faults(void) {}
void scale(void) {}

REGISTERS(KERNEL(faults), KERNEL(scale))

#define cuMemAlloc cuMemAlloc_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define S(name, ...) printf("%s %d\n", #name, name(__VA_ARGS__))

int main(int count, char **arguments)
{
    const dim3 one = {1, 1, 1};
    void *p, *q, *host, *context;
    void *given[] = {&q}, *good[] = {&p};
    int here[4] = {1, 2, 3, 4}, n;
    char room[4096];
    size_t a, b;
    uint64_t other;
    cudaStream_t s, s2;
    cudaEvent_t e, e2;
    CHECK(cudaMalloc(&p, 1024));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaMallocHost(&host, 64));
    CHECK(cudaMemcpy(p, here, 16, ToDevice));
    q = atoi(arguments[1]) ? (char *)p + 2 : (char *)16;
    CHECK(cudaLaunchKernel(faults, one, one, given, 0, s));
    S(cudaGetLastError);
    S(cudaStreamSynchronize, s);
    S(cudaPeekAtLastError), S(cudaGetLastError), S(cudaGetLastError), S(cudaPeekAtLastError);
    S(cudaDeviceSynchronize), S(cudaStreamQuery, s), S(cudaStreamQuery, 0), S(cudaEventQuery, e), S(cudaEventRecord, e, s), S(cudaEventSynchronize, e);
    S(cudaMalloc, &q, 64), S(cudaMemcpy, here, p, 16, ToHost), S(cudaMemcpyAsync, host, p, 16, ToHost, s), S(cudaMemset, p, 0, 16);
    cudaLaunchKernel(scale, one, one, good, 0, 0);
    S(cudaGetLastError);
    S(cudaStreamCreate, &s2), S(cudaEventCreate, &e2), S(cudaMallocHost, &q, 64), S(cudaMemGetInfo, &a, &b);
    S(cudaGetDeviceCount, &n), S(cudaGetDevice, &n), S(cudaSetDevice, 0);
    printf("cudaGetDeviceProperties %d\n", cudaGetDeviceProperties_v2(room, 0));
    S(cudaDeviceGetAttribute, &n, 10, 0), S(cudaRuntimeGetVersion, &n), S(cudaDriverGetVersion, &n);
    S(cudaPointerGetAttributes, room, p), S(cudaFuncGetAttributes, room, scale), S(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &n, scale, 64, 0);
    S(cudaDeviceSetLimit, 1, 1 << 20), S(cudaDeviceGetLimit, &a, 0);
    S(cuCtxSynchronize), S(cuMemAlloc, &other, 64), S(cuCtxGetCurrent, &context), S(cuCtxGetDevice, &n), S(cuDeviceGet, &n, 0), S(cuMemGetInfo, &a, &b);
    S(cudaFree, p), S(cudaFreeHost, host), S(cudaStreamDestroy, s), S(cudaEventDestroy, e);
    S(cudaGetLastError);
    S(cudaDeviceReset), S(cudaGetLastError), S(cudaMalloc, &p, 64);
    cudaLaunchKernel(scale, one, one, good, 0, 0);
    S(cudaGetLastError), S(cudaDeviceSynchronize), S(cudaMemcpy, here, p, 4, ToHost);
    printf("value %d\n", here[0]);
    return 0;
}
