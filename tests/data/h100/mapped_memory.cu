// What does the driver say where its documentation is silent? Each line: question, status (and value).
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
static const char *name(CUresult r) { const char *n = "?"; cuGetErrorName(r, &n); return n; }
#define SAY(call) printf("%-95s %s\n", #call, name(call))
__global__ void sets(cudaGraphConditionalHandle h, int *p) { cudaGraphSetConditional(h, *p); }
int main()
{
    CUcontext context; CUdevice device = 0; CUdeviceptr base, other, plain; CUmemGenericAllocationHandle one, two, none; size_t grain, recommended, bytes;
    CUmemAllocationProp here; memset(&here, 0, sizeof here);
    here.type = CU_MEM_ALLOCATION_TYPE_PINNED, here.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccessDesc open = {{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}, reads = open, closed = open;
    reads.flags = CU_MEM_ACCESS_FLAGS_PROT_READ, closed.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    unsigned long long may; char here_bytes[64];
    cuInit(0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    cuMemGetAllocationGranularity(&grain, &here, CU_MEM_ALLOC_GRANULARITY_MINIMUM), cuMemGetAllocationGranularity(&recommended, &here, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    printf("granularity %zu %zu\n", grain, recommended);
    SAY(cuMemAddressReserve(&base, 4096, 0, 0, 0));
    SAY(cuMemAddressReserve(&base, grain + 4096, 0, 0, 0));
    SAY(cuMemAddressReserve(&base, 4 * grain, 0, 0, 0));
    printf("aligned to the granularity: %d\n", base % grain == 0);
    SAY(cuMemCreate(&one, grain, &here, 0));
    SAY(cuMemCreate(&two, 2 * grain, &here, 0));
    SAY(cuMemCreate(&none, grain / 2, &here, 0));
    SAY(cuMemMap(base, grain, 0, one, 0));
    SAY(cuMemMap(base, grain, 0, one, 0));
    SAY(cuMemMap(base + grain, grain, grain, two, 0));
    SAY(cuMemMap(base + grain, 2 * grain, 0, two, 0));
    SAY(cuMemGetAccess(&may, &open.location, base));
    printf("may %llu\n", may);
    SAY(cuMemGetAccess(&may, &open.location, base + 3 * grain));
    SAY(cuMemcpyDtoH(here_bytes, base, 64));
    SAY(cuMemSetAccess(base, grain, &reads, 1));
    SAY(cuMemSetAccess(base, 4 * grain, &open, 1));
    SAY(cuMemSetAccess(base + grain, grain, &open, 1));
    SAY(cuMemSetAccess(base, 3 * grain, &open, 1));
    SAY(cuMemGetAddressRange(&plain, &bytes, base + grain + 5));
    printf("range from %lld grains, %zu grains\n", (long long)(plain - base) / (long long)grain, bytes / grain);
    SAY(cuMemGetAddressRange(&plain, &bytes, base + 3 * grain));
    SAY(cuMemFree(base));
    SAY(cuMemUnmap(base, grain / 2));
    SAY(cuMemUnmap(base + grain, grain));
    SAY(cuMemUnmap(base, 4 * grain));
    SAY(cuMemAddressFree(base, 4 * grain));
    SAY(cuMemRelease(one));
    SAY(cuMemRelease(one));
    SAY(cuMemRetainAllocationHandle(&none, (void *)base));
    printf("the same handle: %d\n", none == one);
    SAY((CUresult)cudaDeviceReset());
    SAY(cuMemGetAccess(&may, &open.location, base));
    cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    SAY(cuMemGetAccess(&may, &open.location, base));
    SAY(cuMemUnmap(base, 3 * grain));
    SAY(cuMemAddressFree(base, grain));
    SAY(cuMemAddressFree(base, 4 * grain));
    cudaMipmappedArray_t mipmaps; cudaArray_t level; cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    SAY((CUresult)cudaMallocMipmappedArray(&mipmaps, &floats, make_cudaExtent(12, 5, 0), 9, 0));
    SAY((CUresult)cudaGetMipmappedArrayLevel(&level, mipmaps, 4));
    SAY((CUresult)cudaGetMipmappedArrayLevel(&level, mipmaps, 1));
    SAY((CUresult)cudaFreeArray(level));
    SAY((CUresult)cudaFreeMipmappedArray(mipmaps));
    unsigned flags; cudaGetDeviceFlags(&flags); printf("flags of a device %#x\n", flags);
    cudaGraph_t graph, clone; cudaGraphConditionalHandle handle; cudaGraphNode_t node; cudaGraphExec_t exec;
    cudaGraphCreate(&graph, 0), cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
    cudaGraphNodeParams c = {cudaGraphNodeTypeConditional}; c.conditional.handle = handle, c.conditional.type = cudaGraphCondTypeIf, c.conditional.size = 1;
    SAY((CUresult)cudaGraphAddNode(&node, graph, NULL, NULL, 0, &c));
    SAY((CUresult)cudaGraphAddNode(&node, graph, NULL, NULL, 0, &c));
    SAY((CUresult)cudaGraphClone(&clone, graph));
    cudaGraphCreate(&clone, 0);
    SAY((CUresult)cudaGraphAddChildGraphNode(&node, clone, NULL, 0, graph));
    SAY((CUresult)cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphExecUpdateResultInfo info;
    SAY((CUresult)cudaGraphExecUpdate(exec, graph, &info));
    return 0;
}
