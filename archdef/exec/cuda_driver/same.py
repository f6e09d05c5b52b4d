"""Functions of the driver that mean what one of the runtime means, with the same parameters in the same order."""
from __future__ import annotations

from typing import Final

from archdef.exec.calls import CALLS
from archdef.exec.cuda_driver.calls import answers

_IN_CONTEXT: Final = {
    "cuCtxGetLimit": "cudaDeviceGetLimit",
    "cuCtxGetStreamPriorityRange": "cudaDeviceGetStreamPriorityRange",
    "cuCtxSetCacheConfig": "cudaDeviceSetCacheConfig",
    "cuCtxSetLimit": "cudaDeviceSetLimit",
    "cuCtxSetSharedMemConfig": "cudaDeviceSetSharedMemConfig",
    "cuCtxSynchronize": "cudaDeviceSynchronize",
    "cuEventCreate": "cudaEventCreateWithFlags",
    "cuEventDestroy": "cudaEventDestroy",
    "cuEventDestroy_v2": "cudaEventDestroy",
    "cuEventElapsedTime": "cudaEventElapsedTime",
    "cuEventElapsedTime_v2": "cudaEventElapsedTime",
    "cuEventQuery": "cudaEventQuery",
    "cuEventRecord": "cudaEventRecord",
    "cuEventRecordWithFlags": "cudaEventRecordWithFlags",
    "cuEventSynchronize": "cudaEventSynchronize",
    "cuGraphReleaseUserObject": "cudaGraphReleaseUserObject",
    "cuGraphRetainUserObject": "cudaGraphRetainUserObject",
    "cuLaunchHostFunc": "cudaLaunchHostFunc",
    "cuLaunchHostFunc_v2": "cudaLaunchHostFunc_v2",
    "cuMemAdvise": "cudaMemAdvise",
    "cuMemAdvise_v2": "cudaMemAdvise_v2",
    "cuMemAllocAsync": "cudaMallocAsync",
    "cuMemAllocFromPoolAsync": "cudaMallocFromPoolAsync",
    "cuMemAllocHost_v2": "cudaMallocHost",
    "cuMemFreeAsync": "cudaFreeAsync",
    "cuMemFreeHost": "cudaFreeHost",
    "cuMemFree_v2": "cudaFree",
    "cuMemGetInfo_v2": "cudaMemGetInfo",
    "cuMemHostAlloc": "cudaHostAlloc",
    "cuMemHostGetDevicePointer_v2": "cudaHostGetDevicePointer",
    "cuMemHostGetFlags": "cudaHostGetFlags",
    "cuMemHostRegister": "cudaHostRegister",
    "cuMemHostRegister_v2": "cudaHostRegister",
    "cuMemHostUnregister": "cudaHostUnregister",
    "cuMemPrefetchAsync": "cudaMemPrefetchAsync",
    "cuMemPrefetchAsync_v2": "cudaMemPrefetchAsync_v2",
    "cuProfilerStart": "cudaProfilerStart",
    "cuProfilerStop": "cudaProfilerStop",
    "cuStreamAddCallback": "cudaStreamAddCallback",
    "cuStreamAttachMemAsync": "cudaStreamAttachMemAsync",
    "cuStreamCreate": "cudaStreamCreateWithFlags",
    "cuStreamCreateWithPriority": "cudaStreamCreateWithPriority",
    "cuStreamDestroy": "cudaStreamDestroy",
    "cuStreamDestroy_v2": "cudaStreamDestroy",
    "cuStreamGetDevice": "cudaStreamGetDevice",
    "cuStreamGetFlags": "cudaStreamGetFlags",
    "cuStreamGetId": "cudaStreamGetId",
    "cuStreamGetPriority": "cudaStreamGetPriority",
    "cuStreamIsCapturing": "cudaStreamIsCapturing",
    "cuStreamQuery": "cudaStreamQuery",
    "cuStreamSynchronize": "cudaStreamSynchronize",
    "cuStreamWaitEvent": "cudaStreamWaitEvent",
    "cuUserObjectCreate": "cudaUserObjectCreate",
    "cuUserObjectRelease": "cudaUserObjectRelease",
    "cuUserObjectRetain": "cudaUserObjectRetain",
}
_OF_DEVICES: Final = {
    "cuDeviceCanAccessPeer": "cudaDeviceCanAccessPeer",
    "cuDeviceGetAttribute": "cudaDeviceGetAttribute",
    "cuDeviceGetCount": "cudaGetDeviceCount",
    "cuDeviceGetDefaultMemPool": "cudaDeviceGetDefaultMemPool",
    "cuDeviceGetGraphMemAttribute": "cudaDeviceGetGraphMemAttribute",
    "cuDeviceGetMemPool": "cudaDeviceGetMemPool",
    "cuDeviceGetPCIBusId": "cudaDeviceGetPCIBusId",
    "cuDeviceGraphMemTrim": "cudaDeviceGraphMemTrim",
    "cuDeviceSetGraphMemAttribute": "cudaDeviceSetGraphMemAttribute",
    "cuDeviceSetMemPool": "cudaDeviceSetMemPool",
    "cuMemPoolCreate": "cudaMemPoolCreate",
    "cuMemPoolDestroy": "cudaMemPoolDestroy",
    "cuMemPoolGetAccess": "cudaMemPoolGetAccess",
    "cuMemPoolGetAttribute": "cudaMemPoolGetAttribute",
    "cuMemPoolSetAccess": "cudaMemPoolSetAccess",
    "cuMemPoolSetAttribute": "cudaMemPoolSetAttribute",
    "cuMemPoolTrimTo": "cudaMemPoolTrimTo",
}
for _name, _runtimes in _IN_CONTEXT.items():
    answers(_name)(CALLS[_runtimes].answer)
for _name, _runtimes in _OF_DEVICES.items():
    answers(_name, context=False)(CALLS[_runtimes].answer)
answers("cuDriverGetVersion", context=False, initialised=False)(CALLS["cudaDriverGetVersion"].answer)
