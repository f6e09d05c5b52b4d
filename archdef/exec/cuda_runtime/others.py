"""What shares resources with a display or with other programming interfaces, of which there are none here."""
from __future__ import annotations

from archdef.exec.calls import Thread, answers, refuses

refuses("resources of OpenGL or another display: there is none here; many programs have a way to run without",
        "cudaGraphicsGLRegisterBuffer", "cudaGraphicsGLRegisterImage", "cudaGraphicsEGLRegisterImage", "cudaGraphicsUnregisterResource",
        "cudaGraphicsResourceSetMapFlags", "cudaGraphicsMapResources", "cudaGraphicsUnmapResources", "cudaGraphicsResourceGetMappedPointer",
        "cudaGraphicsSubResourceGetMappedArray", "cudaGraphicsResourceGetMappedMipmappedArray", "cudaGraphicsResourceGetMappedEglFrame",
        "cudaGLGetDevices", "cudaGLSetGLDevice", "cudaGLRegisterBufferObject", "cudaGLSetBufferObjectMapFlags", "cudaGLMapBufferObject",
        "cudaGLMapBufferObjectAsync", "cudaGLUnmapBufferObject", "cudaGLUnmapBufferObjectAsync", "cudaGLUnregisterBufferObject")
refuses("memory and semaphores of Vulkan, Direct3D, NvSci and others: there are none here",
        "cudaImportExternalMemory", "cudaExternalMemoryGetMappedBuffer", "cudaExternalMemoryGetMappedMipmappedArray", "cudaDestroyExternalMemory",
        "cudaImportExternalSemaphore", "cudaDestroyExternalSemaphore", "cudaSignalExternalSemaphoresAsync", "cudaSignalExternalSemaphoresAsync_ptsz",
        "cudaSignalExternalSemaphoresAsync_v2", "cudaSignalExternalSemaphoresAsync_v2_ptsz", "cudaWaitExternalSemaphoresAsync",
        "cudaWaitExternalSemaphoresAsync_ptsz", "cudaWaitExternalSemaphoresAsync_v2", "cudaWaitExternalSemaphoresAsync_v2_ptsz",
        "cudaDeviceGetNvSciSyncAttributes")


@answers("cudaCtxResetPersistingL2Cache")
def reset_persisting(thread: Thread) -> None:
    """Let no line of L2 stay longer than others, as none does: the L2 keeps what it is asked for, by one rule."""
