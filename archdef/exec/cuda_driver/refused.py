"""Functions of the driver that are refused, and why."""
from __future__ import annotations

from archdef.exec.cuda_driver.calls import refuses

refuses("resources of OpenGL or another display: there is none here; many programs have a way to run without",
        "cuGraphicsMapResources", "cuGraphicsUnmapResources", "cuGraphicsUnregisterResource", "cuGraphicsResourceGetMappedPointer",
        "cuGraphicsResourceGetMappedPointer_v2", "cuGraphicsResourceSetMapFlags", "cuGraphicsResourceSetMapFlags_v2",
        "cuGraphicsSubResourceGetMappedArray", "cuGraphicsResourceGetMappedMipmappedArray", "cuGraphicsGLRegisterBuffer", "cuGraphicsGLRegisterImage")
refuses("memory and semaphores of Vulkan, Direct3D, NvSci and others: there are none here",
        "cuImportExternalMemory", "cuExternalMemoryGetMappedBuffer", "cuExternalMemoryGetMappedMipmappedArray", "cuDestroyExternalMemory",
        "cuImportExternalSemaphore", "cuDestroyExternalSemaphore", "cuSignalExternalSemaphoresAsync", "cuWaitExternalSemaphoresAsync",
        "cuDeviceGetNvSciSyncAttributes", "cuGraphAddExternalSemaphoresSignalNode", "cuGraphAddExternalSemaphoresWaitNode")
refuses("memory and events cannot be shared with another process: every process has devices of its own here",
        "cuIpcGetMemHandle", "cuIpcOpenMemHandle", "cuIpcOpenMemHandle_v2", "cuIpcCloseMemHandle", "cuIpcGetEventHandle", "cuIpcOpenEventHandle",
        "cuMemExportToShareableHandle", "cuMemImportFromShareableHandle", "cuMemPoolExportToShareableHandle", "cuMemPoolImportFromShareableHandle",
        "cuMemPoolExportPointer", "cuMemPoolImportPointer", "cuMemGetHandleForAddressRange")
refuses("some of a device's multiprocessors only (green contexts): kernels have the whole device here",
        "cuGreenCtxCreate", "cuGreenCtxDestroy", "cuGreenCtxStreamCreate", "cuGreenCtxGetDevResource", "cuGreenCtxGetId", "cuGreenCtxRecordEvent",
        "cuGreenCtxWaitEvent", "cuCtxFromGreenCtx", "cuStreamGetGreenCtx", "cuDeviceGetDevResource", "cuDevSmResourceSplit", "cuDevSmResourceSplitByCount",
        "cuDevResourceGenerateDesc", "cuCtxGetDevResource", "cuStreamGetDevResource")
refuses("multicast addresses of the driver: archdef's own have one device (Device.multicast)",
        "cuMulticastCreate", "cuMulticastAddDevice", "cuMulticastBindMem", "cuMulticastBindMem_v2", "cuMulticastBindAddr", "cuMulticastBindAddr_v2",
        "cuMulticastUnbind", "cuMulticastGetGranularity")
refuses("texture references of mipmapped arrays: textures have one level of detail here",
        "cuTexRefSetMipmappedArray", "cuTexRefGetMipmappedArray", "cuTexRefSetMipmapFilterMode", "cuTexRefGetMipmapFilterMode", "cuTexRefSetMipmapLevelBias",
        "cuTexRefGetMipmapLevelBias", "cuTexRefSetMipmapLevelClamp", "cuTexRefGetMipmapLevelClamp")
refuses("CUDA 12 and later have no profiler that is configured so", "cuProfilerInitialize")
refuses("processes are not stopped and restored",
        "cuCheckpointProcessGetState", "cuCheckpointProcessLock", "cuCheckpointProcessCheckpoint", "cuCheckpointProcessRestore", "cuCheckpointProcessUnlock",
        "cuCheckpointProcessGetRestoreThreadId")
refuses("a kernel's failure is told by the account, and leaves no file behind (core dumps)",
        "cuCoredumpGetAttribute", "cuCoredumpGetAttributeGlobal", "cuCoredumpSetAttribute", "cuCoredumpSetAttributeGlobal")
