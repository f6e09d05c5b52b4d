"""Where MXMACA's runtime names things in another way than CUDA's with ``mc`` in place of ``cuda``.

References
----------
MetaX-MACA/maca-samples, MetaX-MACA/mcTVM, MetaX-MACA/mcTlass and the programs of the book by which MXMACA is taught, as published on GitHub; the declarations
of ``mcError_t`` and ``mcDeviceAttribute_t`` that CuPy for MXMACA has. Numbers of errors are CUDA's.
"""
from __future__ import annotations

from typing import Final

ERRORS: Final = {"CudartUnloading": "Deinitialized", "InvalidPtx": "InvalidKernelFile", "NvlinkUncorrectable": "MxlinkUncorrectable",
                 "UnsupportedPtxVersion": "UnsupportedKernelVersion"}
"""CUDA's name of an error → MXMACA's, both without ``cudaError`` and ``mcError``."""
_SAME: Final = (
    "AsyncEngineCount CanFlushRemoteWrites CanMapHostMemory ClockRate ComputeCapabilityMajor ComputeCapabilityMinor ComputeMode ComputePreemptionSupported "
    "ConcurrentKernels ConcurrentManagedAccess CooperativeLaunch CooperativeMultiDeviceLaunch DirectManagedMemAccessFromHost EccEnabled GpuOverlap "
    "HostNativeAtomicSupported Integrated IsMultiGpuBoard KernelExecTimeout L2CacheSize ManagedMemory MaxAccessPolicyWindowSize MaxBlockDimX MaxBlockDimY "
    "MaxBlockDimZ MaxGridDimX MaxGridDimY MaxGridDimZ MaxPersistingL2CacheSize MaxPitch MaxRegistersPerBlock MaxRegistersPerMultiprocessor "
    "MaxSharedMemoryPerBlock MaxSharedMemoryPerMultiprocessor MaxTexture1DLayeredLayers MaxTexture1DLayeredWidth MaxTexture1DWidth MaxTexture2DHeight "
    "MaxTexture2DLayeredHeight MaxTexture2DLayeredLayers MaxTexture2DLayeredWidth MaxTexture2DWidth MaxTexture3DDepth MaxTexture3DHeight MaxTexture3DWidth "
    "MaxThreadsPerBlock MaxThreadsPerMultiProcessor MemoryClockRate MemoryPoolSupportedHandleTypes MemoryPoolsSupported MultiProcessorCount "
    "PageableMemoryAccess PageableMemoryAccessUsesHostPageTables PciBusId PciDeviceId PciDomainId TccDriver TextureAlignment TexturePitchAlignment "
    "TotalConstantMemory UnifiedAddressing WarpSize")
ATTRIBUTES: Final = {**{name: name for name in _SAME.split()}, "MemoryBusWidth": "GlobalMemoryBusWidth", "WaveSize": "WarpSize",
                     "SurfaceAligement": "SurfaceAlignment", "Texture1DLinearWidth": "MaxTexture1DLinearWidth",
                     "Texture2DLinearWidth": "MaxTexture2DLinearWidth", "Texture2DLinearHeight": "MaxTexture2DLinearHeight",
                     "Texture2DLinearPitch": "MaxTexture2DLinearPitch"}
"""What follows ``mcDeviceAttribute`` → what follows ``cudaDevAttr``; MXMACA has names with ``mcDevAttr`` as well."""
OTHERS: Final = {"mcDeviceProp_t": "cudaDeviceProp", "mcDeviceAttribute_t": "cudaDeviceAttr", "mcPointerAttribute_t": "cudaPointerAttributes",
                 "mcLimit_t": "cudaLimit", "mcUuid_t": "cudaUUID_t", "waveSize": "warpSize", "mcMallocHostDefault": "cudaHostAllocDefault",
                 "mcMallocHostPortable": "cudaHostAllocPortable", "mcMallocHostMapped": "cudaHostAllocMapped", "mcProfilerStart": "cudaProfilerStart",
                 "mcProfilerStop": "cudaProfilerStop", "__mcGetErrorName": "mcGetErrorName"}
"""Types, constants and fields that C programs use."""
