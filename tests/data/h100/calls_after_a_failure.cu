// What calls return after a kernel has failed, one process for each kind of failure (argument), and whether a reset heals.
#include <cstdio>
#include <cstdlib>
#include <cassert>
#include <cstring>
#include <cuda_runtime.h>
#include <cuda.h>
__global__ void bad(int kind, int *p) {
    if (kind == 0) *(volatile int *)16 = 1;
    if (kind == 1) *(volatile int *)((char *)p + 2) = 1;
    if (kind == 2) __trap();
    if (kind == 3) assert(p == nullptr);
}
__global__ void good(int *p) { *p = 7; }
#define SAY(x) do { cudaError_t e_ = (x); printf("%-58s %d\n", #x, (int)e_); } while (0)
#define SAYD(x) do { CUresult e_ = (x); printf("%-58s %d\n", #x, (int)e_); } while (0)
int main(int, char **v) {
    int kind = atoi(v[1]), n, *p, *q = nullptr, h[4] = {1, 2, 3, 4}, *host; size_t a, b; cudaStream_t s, s2; cudaEvent_t e, e2; cudaDeviceProp prop; void *m; cudaPointerAttributes at; cudaFuncAttributes fa;
    cudaMalloc(&p, 1024); cudaStreamCreate(&s); cudaEventCreate(&e); cudaMallocHost(&host, 64);
    cudaMemcpy(p, h, 16, cudaMemcpyHostToDevice);
    printf("-- kind %d\n", kind);
    bad<<<1, 1, 0, s>>>(kind, p);
    SAY(cudaGetLastError());
    SAY(cudaStreamSynchronize(s));
    SAY(cudaPeekAtLastError()); SAY(cudaGetLastError()); SAY(cudaGetLastError()); SAY(cudaPeekAtLastError());
    SAY(cudaDeviceSynchronize()); SAY(cudaStreamQuery(s)); SAY(cudaStreamQuery(0)); SAY(cudaEventQuery(e)); SAY(cudaEventRecord(e, s)); SAY(cudaEventSynchronize(e));
    SAY(cudaMalloc(&q, 64)); SAY(cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost)); SAY(cudaMemcpyAsync(host, p, 16, cudaMemcpyDeviceToHost, s)); SAY(cudaMemset(p, 0, 16));
    good<<<1, 1>>>(p); SAY(cudaGetLastError());
    SAY(cudaStreamCreate(&s2)); SAY(cudaEventCreate(&e2)); SAY(cudaMallocHost(&m, 64)); SAY(cudaMemGetInfo(&a, &b));
    SAY(cudaGetDeviceCount(&n)); SAY(cudaGetDevice(&n)); SAY(cudaSetDevice(0)); SAY(cudaGetDeviceProperties(&prop, 0)); SAY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0)); SAY(cudaRuntimeGetVersion(&n)); SAY(cudaDriverGetVersion(&n));
    SAY(cudaPointerGetAttributes(&at, p)); SAY(cudaFuncGetAttributes(&fa, good)); SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, good, 64, 0)); SAY(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20)); SAY(cudaDeviceGetLimit(&a, cudaLimitStackSize));
    SAYD(cuCtxSynchronize()); SAYD(cuMemAlloc((CUdeviceptr *)&m, 64)); CUcontext c; SAYD(cuCtxGetCurrent(&c)); CUdevice d; SAYD(cuCtxGetDevice(&d)); SAYD(cuDeviceGet(&d, 0)); SAYD(cuMemGetInfo(&a, &b));
    SAY(cudaFree(p)); SAY(cudaFreeHost(host)); SAY(cudaStreamDestroy(s)); SAY(cudaEventDestroy(e));
    SAY(cudaGetLastError());
    SAY(cudaDeviceReset()); SAY(cudaGetLastError()); SAY(cudaMalloc(&p, 64)); good<<<1, 1>>>(p); SAY(cudaGetLastError()); SAY(cudaDeviceSynchronize()); SAY(cudaMemcpy(h, p, 4, cudaMemcpyDeviceToHost)); printf("value %d\n", h[0]);
}
