// What an H100 says of writes to memory that is mapped to be read: copies, sets and atomics beside stores; each in a process of its own.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void stores(int *p) { p[0] = 1; }
__global__ void adds(int *p) { atomicAdd(p, 1); }
__global__ void loads(int *p, int *out) { out[0] = p[0]; }
#define SAY(call) do { const char *name; cuGetErrorName((CUresult)(call), &name); printf("%-60s %s\n", #call, name); } while (0)
int main(int argc, char **argv)
{
    CUmemAllocationProp here = {};
    CUmemAccessDesc open = {}, reads = {};
    size_t grain;
    CUdeviceptr base;
    CUmemGenericAllocationHandle memory;
    int *plain, word = 5;
    cudaFree(0);
    here.type = CU_MEM_ALLOCATION_TYPE_PINNED, here.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    open.location = reads.location = here.location;
    open.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE, reads.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    cuMemGetAllocationGranularity(&grain, &here, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    cudaMalloc(&plain, 64);
    cuMemAddressReserve(&base, grain, 0, 0, 0), cuMemCreate(&memory, grain, &here, 0), cuMemMap(base, grain, 0, memory, 0);
    cuMemSetAccess(base, grain, &open, 1), cuMemcpyHtoD(base, &word, 4);
    SAY(cuMemSetAccess(base, grain, &reads, 1));
    unsigned long long may;
    SAY(cuMemGetAccess(&may, &open.location, base));
    printf("may %llu\n", may);
    const char *part = argc > 1 ? argv[1] : "";
    if (!strcmp(part, "loads")) { loads<<<1, 1>>>((int *)base, plain); SAY(cudaDeviceSynchronize()); SAY(cuMemcpyDtoH(&word, (CUdeviceptr)plain, 4)); }
    if (!strcmp(part, "stores")) { stores<<<1, 1>>>((int *)base); SAY(cudaDeviceSynchronize()); }
    if (!strcmp(part, "adds")) { adds<<<1, 1>>>((int *)base); SAY(cudaDeviceSynchronize()); }
    if (!strcmp(part, "copies")) { SAY(cuMemcpyDtoH(&word, base, 4)); SAY(cuMemcpyHtoD(base, &word, 4)); SAY(cuMemcpyDtoD(base, (CUdeviceptr)plain, 4)); SAY(cuCtxSynchronize()); }
    if (!strcmp(part, "sets")) { SAY(cuMemsetD32(base, 1, 4)); SAY(cuCtxSynchronize()); }
    return 0;
}
