// What an H100 says of streams that wait for values and write them, and of cuEventQuery in a host function.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#define SAY(call) do { const char *name; cuGetErrorName((CUresult)(call), &name); printf("%-90s %s\n", #call, name); } while (0)
static CUevent before, behind;
static void asks(void *) { SAY(cuEventQuery(before)); SAY(cuEventQuery(behind)); SAY(cuStreamQuery(0)); SAY(cudaEventQuery((cudaEvent_t)before)); SAY(cudaEventQuery((cudaEvent_t)behind)); }
int main()
{
    CUdeviceptr words;
    CUstream first;
    int has, managed_has[1], kinds[] = {92, 93, 94, 98, 122, 123};
    cudaFree(0);
    for (int kind : kinds) { cuDeviceGetAttribute(&has, (CUdevice_attribute)kind, 0); printf("attribute %d: %d\n", kind, has); }
    cuMemAlloc(&words, 256), cuMemsetD32(words, 1, 64), cuStreamCreate(&first, 1);
    SAY(cuStreamWaitValue32(first, words + 2, 1, CU_STREAM_WAIT_VALUE_EQ));
    SAY(cuStreamWaitValue64(first, words + 4, 1, CU_STREAM_WAIT_VALUE_EQ));
    SAY(cuStreamWaitValue32(first, words, 1, 4));
    SAY(cuStreamWaitValue32(first, words, 1, CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH));
    SAY(cuStreamWriteValue32(first, words, 1, 2));
    SAY(cuStreamWriteValue32(first, (CUdeviceptr)managed_has, 1, 0));
    SAY(cuStreamWriteValue32(first, 64, 1, 0));
    CUdeviceptr managed;
    cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL);
    SAY(cuStreamWriteValue32(first, managed, 1, 0));
    SAY(cuStreamBatchMemOp(first, 0, 0, 0));
    CUstreamBatchMemOpParams all[257] = {};
    for (auto &each : all) each.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, words, {7}, 0};
    SAY(cuStreamBatchMemOp(first, 257, all, 0));
    SAY(cuStreamBatchMemOp(first, 256, all, 1));
    all[1].operation = (CUstreamBatchMemOpType)9;
    SAY(cuStreamBatchMemOp(first, 2, all, 0));
    all[1].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    SAY(cuStreamBatchMemOp(first, 2, all, 0));
    SAY(cuStreamSynchronize(first));
    cuEventCreate(&before, 0), cuEventCreate(&behind, 0);
    cuEventRecord(before, first), cuLaunchHostFunc(first, asks, 0), cuEventRecord(behind, first);
    SAY(cuStreamSynchronize(first));
    return 0;
}
