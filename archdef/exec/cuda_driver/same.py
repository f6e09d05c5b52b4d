"""Functions of the driver that mean what one of the runtime means, with the same parameters in the same order."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Final

from archdef.exec.calls import CALLS, Answer, Thread
from archdef.exec.cuda_driver.calls import answers
from archdef.runtime.api import STREAM_PER_THREAD

_IN_CONTEXT: Final = {
    "cuCtxGetCacheConfig": "cudaDeviceGetCacheConfig",
    "cuCtxGetLimit": "cudaDeviceGetLimit",
    "cuCtxGetSharedMemConfig": "cudaDeviceGetSharedMemConfig",
    "cuCtxGetStreamPriorityRange": "cudaDeviceGetStreamPriorityRange",
    "cuCtxSetCacheConfig": "cudaDeviceSetCacheConfig",
    "cuCtxSetLimit": "cudaDeviceSetLimit",
    "cuCtxSetSharedMemConfig": "cudaDeviceSetSharedMemConfig",
    "cuCtxResetPersistingL2Cache": "cudaCtxResetPersistingL2Cache",
    "cuCtxSynchronize": "cudaDeviceSynchronize",
    "cuEventCreate": "cudaEventCreateWithFlags",
    "cuEventDestroy": "cudaEventDestroy",
    "cuEventDestroy_v2": "cudaEventDestroy",
    "cuEventElapsedTime": "cudaEventElapsedTime",
    "cuEventElapsedTime_v2": "cudaEventElapsedTime",
    "cuEventRecord": "cudaEventRecord",
    "cuEventRecordWithFlags": "cudaEventRecordWithFlags",
    "cuEventSynchronize": "cudaEventSynchronize",
    "cuGraphReleaseUserObject": "cudaGraphReleaseUserObject",
    "cuGraphRetainUserObject": "cudaGraphRetainUserObject",
    "cuLaunchHostFunc": "cudaLaunchHostFunc",
    "cuLaunchHostFunc_v2": "cudaLaunchHostFunc_v2",
    "cuMemAdvise": "cudaMemAdvise",
    "cuMemAdvise_v2": "cudaMemAdvise_v2",
    "cuMemAllocHost_v2": "cudaMallocHost",
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
    "cuMemRangeGetAttribute": "cudaMemRangeGetAttribute",
    "cuMemRangeGetAttributes": "cudaMemRangeGetAttributes",
    "cuMemcpyWithAttributesAsync": "cudaMemcpyWithAttributesAsync",
    "cuProfilerStart": "cudaProfilerStart",
    "cuProfilerStop": "cudaProfilerStop",
    "cuStreamAddCallback": "cudaStreamAddCallback",
    "cuStreamAttachMemAsync": "cudaStreamAttachMemAsync",
    "cuStreamCopyAttributes": "cudaStreamCopyAttributes",
    "cuStreamCreate": "cudaStreamCreateWithFlags",
    "cuStreamCreateWithPriority": "cudaStreamCreateWithPriority",
    "cuStreamDestroy": "cudaStreamDestroy",
    "cuStreamDestroy_v2": "cudaStreamDestroy",
    "cuStreamGetAttribute": "cudaStreamGetAttribute",
    "cuStreamGetDevice": "cudaStreamGetDevice",
    "cuStreamGetFlags": "cudaStreamGetFlags",
    "cuStreamGetId": "cudaStreamGetId",
    "cuStreamGetPriority": "cudaStreamGetPriority",
    "cuStreamIsCapturing": "cudaStreamIsCapturing",
    "cuStreamSetAttribute": "cudaStreamSetAttribute",
    "cuStreamWaitEvent": "cudaStreamWaitEvent",
    "cuUserObjectCreate": "cudaUserObjectCreate",
    "cuUserObjectRelease": "cudaUserObjectRelease",
    "cuUserObjectRetain": "cudaUserObjectRetain",
}
_OF_DEVICES: Final = {
    "cuEventQuery": "cudaEventQuery",
    "cuDeviceCanAccessPeer": "cudaDeviceCanAccessPeer",
    "cuDeviceGetAttribute": "cudaDeviceGetAttribute",
    "cuDeviceGetByPCIBusId": "cudaDeviceGetByPCIBusId",
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
_IN_STREAMS: Final = {
    "cuMemAllocAsync": "cudaMallocAsync",
    "cuMemAllocFromPoolAsync": "cudaMallocFromPoolAsync",
    "cuMemFreeAsync": "cudaFreeAsync",
    "cuStreamQuery": "cudaStreamQuery",
    "cuStreamSynchronize": "cudaStreamSynchronize",
}
"""What needs no current context if it is given a stream, which has its own, as on an H100."""


def _in_stream(answer: Answer) -> Answer:
    place = list(inspect.signature(answer).parameters).index("stream") - 1

    @functools.wraps(answer)
    def careful(thread: Thread, *arguments: Any) -> int | None:
        if arguments[place] <= STREAM_PER_THREAD:
            thread.session.contexts.needed(thread)
        return answer(thread, *arguments)
    return careful


for _name, _runtimes in _IN_CONTEXT.items():
    answers(_name)(CALLS[_runtimes].answer)
for _name, _runtimes in _IN_STREAMS.items():
    answers(_name, context=False)(_in_stream(CALLS[_runtimes].answer))
for _name, _runtimes in _OF_DEVICES.items():
    answers(_name, context=False)(CALLS[_runtimes].answer)
answers("cuDriverGetVersion", context=False, initialised=False)(CALLS["cudaDriverGetVersion"].answer)
