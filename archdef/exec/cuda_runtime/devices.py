"""Devices, their properties and limits."""
from __future__ import annotations

import struct
from typing import Any, Final

from archdef.exec.arguments import is_device_flags
from archdef.exec.calls import Int, Thread, UInt, answers, signed
from archdef.exec.fatbin import NEWEST_PTX
from archdef.runtime.status import Refusal

DRIVER_VERSION: Final = 1000 * (NEWEST_PTX + 4)
"""What the driver says it is: the newest CUDA whose programs are known to run."""
MAX_PITCH: Final = (1 << 31) - 1
TEXTURE_ALIGNMENT = SURFACE_ALIGNMENT = 512
TEXTURE_PITCH_ALIGNMENT: Final = 32

# Fields of cudaDeviceProp in order, with the C type of each: of CUDA 10 to 13, of which each added some at its end (before `reserved`), and 13 left some out.
_GONE_IN_13: Final = {"clockRate", "deviceOverlap", "kernelExecTimeoutEnabled", "computeMode", "maxTexture1DLinear", "memoryClockRate",
                      "singleToDoublePrecisionPerfRatio", "cooperativeMultiDeviceLaunch"}
_FIELDS: Final = (
    "name:256s uuid:16s luid:8s luidDeviceNodeMask:I totalGlobalMem:Q sharedMemPerBlock:Q regsPerBlock:i warpSize:i memPitch:Q maxThreadsPerBlock:i "
    "maxThreadsDim:3i maxGridSize:3i clockRate:i totalConstMem:Q major:i minor:i textureAlignment:Q texturePitchAlignment:Q deviceOverlap:i "
    "multiProcessorCount:i kernelExecTimeoutEnabled:i integrated:i canMapHostMemory:i computeMode:i maxTexture1D:i maxTexture1DMipmap:i "
    "maxTexture1DLinear:i maxTexture2D:2i maxTexture2DMipmap:2i maxTexture2DLinear:3i maxTexture2DGather:2i maxTexture3D:3i maxTexture3DAlt:3i "
    "maxTextureCubemap:i maxTexture1DLayered:2i maxTexture2DLayered:3i maxTextureCubemapLayered:2i maxSurface1D:i maxSurface2D:2i maxSurface3D:3i "
    "maxSurface1DLayered:2i maxSurface2DLayered:3i maxSurfaceCubemap:i maxSurfaceCubemapLayered:2i surfaceAlignment:Q concurrentKernels:i ECCEnabled:i "
    "pciBusID:i pciDeviceID:i pciDomainID:i tccDriver:i asyncEngineCount:i unifiedAddressing:i memoryClockRate:i memoryBusWidth:i l2CacheSize:i "
    "persistingL2CacheMaxSize:i maxThreadsPerMultiProcessor:i streamPrioritiesSupported:i globalL1CacheSupported:i localL1CacheSupported:i "
    "sharedMemPerMultiprocessor:Q regsPerMultiprocessor:i managedMemory:i isMultiGpuBoard:i multiGpuBoardGroupID:i hostNativeAtomicSupported:i "
    "singleToDoublePrecisionPerfRatio:i pageableMemoryAccess:i concurrentManagedAccess:i computePreemptionSupported:i "
    "canUseHostPointerForRegisteredMem:i cooperativeLaunch:i cooperativeMultiDeviceLaunch:i sharedMemPerBlockOptin:Q "
    "pageableMemoryAccessUsesHostPageTables:i directManagedMemAccessFromHost:i maxBlocksPerMultiProcessor:i accessPolicyMaxWindowSize:i "
    "reservedSharedMemPerBlock:Q hostRegisterSupported:i sparseCudaArraySupported:i hostRegisterReadOnlySupported:i timelineSemaphoreInteropSupported:i "
    "memoryPoolsSupported:i gpuDirectRDMASupported:i gpuDirectRDMAFlushWritesOptions:I gpuDirectRDMAWritesOrdering:i memoryPoolSupportedHandleTypes:I "
    "deferredMappingCudaArraySupported:i ipcEventSupported:i clusterLaunch:i unifiedFunctionPointers:i deviceNumaConfig:i deviceNumaId:i mpsEnabled:i "
    "hostNumaId:i gpuPciDeviceID:I gpuPciSubsystemID:I hostNumaMultinodeIpcSupported:i").split()
_SINCE: Final = {
    **dict.fromkeys(("persistingL2CacheMaxSize", "maxBlocksPerMultiProcessor", "accessPolicyMaxWindowSize", "reservedSharedMemPerBlock"), 11),
    **dict.fromkeys((each.partition(":")[0] for each in _FIELDS[_FIELDS.index("hostRegisterSupported:i"):]), 12),
    **dict.fromkeys((each.partition(":")[0] for each in _FIELDS[_FIELDS.index("deviceNumaConfig:i"):]), 13)}
"""Field → the major version of CUDA that has it first, where that is later than 10."""

_MAP_HOST: Final = 8
"""How the host waits (three ways), that page-locked memory is mapped, that local memory keeps its size, that copies of memory are synchronous."""
_PCI_BUS: Final = 33
_NOT_HERE: Final = {
    73: "MaxTexture2DMipmappedWidth", 74: "MaxTexture2DMipmappedHeight", 77: "MaxTexture1DMipmappedWidth",
    139: "GpuPciDeviceId", 140: "GpuPciSubsystemId",
    34: "PciDeviceId", 35: "TccDriver", 50: "PciDomainId", 84: "IsMultiGpuBoard", 85: "MultiGpuBoardGroupID", 86: "HostNativeAtomicSupported",
    88: "PageableMemoryAccess", 90: "ComputePreemptionSupported", 91: "CanUseHostPointerForRegisteredMem", 92: "CanUseStreamMemOpsV1",
    93: "CanUse64BitStreamMemOpsV1", 94: "CanUseStreamWaitValueNorV1", 98: "CanFlushRemoteWrites", 100: "PageableMemoryAccessUsesHostPageTables",
    101: "DirectManagedMemAccessFromHost", 103: "HandleTypePosixFileDescriptorSupported",
    104: "HandleTypeWin32HandleSupported", 105: "HandleTypeWin32KmtHandleSupported", 107: "GenericCompressionSupported", 108: "MaxPersistingL2CacheSize",
    109: "MaxAccessPolicyWindowSize", 110: "GPUDirectRDMAWithCudaVmmSupported", 112: "SparseCudaArraySupported", 113: "HostRegisterReadOnlySupported",
    114: "TimelineSemaphoreInteropSupported", 116: "GPUDirectRDMASupported", 117: "GPUDirectRDMAFlushWritesOptions", 118: "GPUDirectRDMAWritesOrdering",
    121: "DeferredMappingCudaArraySupported", 124: "DmaBufSupported",
    125: "IpcEventSupport", 128: "HandleTypeFabricSupported", 129: "UnifiedFunctionPointers", 130: "NumaConfig", 132: "MulticastSupported",
    133: "MpsEnabled", 135: "D3D12CigSupported", 136: "MemDecompressAlgorithmMask", 137: "MemDecompressMaximumLength", 138: "VulkanCigSupported",
    141: "HostNumaVirtualMemoryManagementSupported", 142: "HostNumaMemoryPoolsSupported", 143: "HostNumaMultinodeIpcSupported",
    144: "HostMemoryPoolsSupported", 145: "HostVirtualMemoryManagementSupported", 146: "HostAllocDmaBufSupported",
    147: "OnlyPartialHostNativeAtomicSupported", 148: "AtomicReductionSupported"}
"""Attributes that say whether there is something which is not here, or how much of it: peers of the host's caches, pools, other
processes, graphics, and the like; and where on a bus without bridges a device is. Names are those of cudaDevAttr, and where it has none, of
CU_DEVICE_ATTRIBUTE."""
_SAME: Final = {_PCI_BUS: 1, 11: MAX_PITCH, 14: TEXTURE_ALIGNMENT, 30: SURFACE_ALIGNMENT, 51: TEXTURE_PITCH_ALIGNMENT, 122: 1, 123: 1, 126: 1}
"""Attributes that are the same for all devices: MaxPitch, TextureAlignment, SurfaceAlignment, TexturePitchAlignment; that
streams wait for values of 64 bits, and for bits (CanUse64BitStreamMemOps, CanUseStreamWaitValueNor); the one domain in which accesses are ordered
(MemSyncDomainCount)."""
CONSTANT_ATTRIBUTES: Final = dict.fromkeys(_NOT_HERE, 0) | _SAME


def properties_bytes(values: dict[str, Any], cuda: int) -> bytes:
    """Lay out a cudaDeviceProp as a version of CUDA has it; fields that are not known are 0."""
    data = b""
    for field in _FIELDS:
        name, _, code = field.partition(":")
        if cuda >= 13 and name in _GONE_IN_13 or cuda < _SINCE.get(name, 0):
            continue
        letter, count = code[-1], int(code[:-1] or 1)
        size = {"Q": 8, "s": 1}.get(letter, 4)
        data += bytes(-len(data) % size)
        if letter == "s":
            data += str(values.get(name, "")).encode()[:count - 1].ljust(count, b"\0")
            continue
        value = values.get(name, 0)
        numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        most = (1 << 31) - 1 if letter == "i" else (1 << 64) - 1
        data += struct.pack(f"<{count}{letter}", *(min(int(number), most) for number in numbers), *(0,) * (count - len(numbers)))
    return data


def _properties(thread: Thread, out: int, number: int, cuda: int) -> None:
    found = thread.runtime.GetDeviceProperties(signed(number))
    memory = {"memPitch": MAX_PITCH, "textureAlignment": TEXTURE_ALIGNMENT, "texturePitchAlignment": TEXTURE_PITCH_ALIGNMENT,
              "surfaceAlignment": SURFACE_ALIGNMENT}
    thread.memory.put(out, properties_bytes({**memory, **vars(found)}, cuda))


@answers("cudaGetDeviceProperties")
def get_properties(thread: Thread, out: int, number: Int) -> None:
    """Fill the structure, whose layout is that of the CUDA that compiled the program."""
    _properties(thread, out, number, thread.session.cuda)


@answers("cudaGetDeviceProperties_v2")
def get_properties_12(thread: Thread, out: int, number: Int) -> None:
    """Fill the structure of CUDA 12."""
    _properties(thread, out, number, 12)


@answers("cudaDeviceGetAttribute")
def get_attribute(thread: Thread, out: int, attribute: Int, number: Int) -> None:
    """Give an attribute; those that archdef does not know are refused, so that no program decides by a number that means nothing."""
    if attribute in CONSTANT_ATTRIBUTES:
        thread.runtime.device(number)
        thread.memory.put_word(out, number + 1 if attribute == _PCI_BUS else CONSTANT_ATTRIBUTES[attribute], 4)
        return
    thread.memory.put_word(out, thread.runtime.DeviceGetAttribute(attribute, number), 4)


@answers("cudaDeviceSynchronize", "cudaThreadSynchronize")
def synchronize(thread: Thread) -> None:
    """Wait."""
    thread.runtime.DeviceSynchronize()


@answers("cudaDeviceReset", "cudaThreadExit")
def reset(thread: Thread) -> None:
    """Free everything."""
    thread.session.failures.reset(thread)
    thread.session.reset_device(thread.connection)


@answers("cudaGetDeviceCount")
def count(thread: Thread, out: int) -> None:
    """Count the devices."""
    thread.memory.put_word(out, thread.runtime.GetDeviceCount(), 4)


@answers("cudaGetDevice")
def current(thread: Thread, out: int) -> None:
    """Give the thread's device."""
    thread.memory.put_word(out, thread.runtime.GetDevice(), 4)


@answers("cudaSetDevice")
def use(thread: Thread, number: Int) -> None:
    """Set the thread's device, whose primary context becomes the current one."""
    thread.runtime.SetDevice(number)
    thread.session.contexts.chosen(thread)


@answers("cudaInitDevice")
def initialise(thread: Thread, number: Int, device_flags: UInt, flags: UInt) -> None:
    """Set the thread's device, and how the host waits for it where the flags say that they mean something."""
    if flags and not is_device_flags(device_flags):
        raise Refusal("InvalidValue", f"a device with the flags {device_flags:#x}")
    use(thread, number)


@answers("cudaSetDeviceFlags")
def set_flags(thread: Thread, flags: UInt) -> None:
    """Take them: how the host waits changes nothing here."""
    thread.session.contexts.primary(thread.runtime.GetDevice()).flags = flags


@answers("cudaGetDeviceFlags")
def get_flags(thread: Thread, out: int) -> None:
    """Give them; the runtime always maps page-locked memory."""
    thread.memory.put_word(out, thread.session.contexts.primary(thread.runtime.GetDevice()).flags | _MAP_HOST, 4)


@answers("cudaDeviceSetCacheConfig", "cudaThreadSetCacheConfig")
def prefer(thread: Thread, config: Int) -> None:
    """Note it: shares of L1 follow from what blocks take."""
    thread.session.contexts.needed(thread).cache_config = config


@answers("cudaDeviceSetSharedMemConfig")
def set_bank_config(thread: Thread, config: Int) -> None:
    """Take it: banks have one width."""


@answers("cudaDeviceSetLimit", "cudaThreadSetLimit")
def set_limit(thread: Thread, limit: Int, value: int) -> None:
    """Set a limit."""
    thread.runtime.DeviceSetLimit(limit, value)


@answers("cudaDeviceGetLimit", "cudaThreadGetLimit")
def get_limit(thread: Thread, out: int, limit: Int) -> None:
    """Give a limit."""
    thread.memory.put_word(out, thread.runtime.DeviceGetLimit(limit))


@answers("cudaDeviceCanAccessPeer")
def can_access_peer(thread: Thread, out: int, number: Int, peer: Int) -> None:
    """Say whether."""
    thread.memory.put_word(out, int(thread.runtime.DeviceCanAccessPeer(number, peer)), 4)


@answers("cudaDeviceEnablePeerAccess")
def enable_peer(thread: Thread, peer: Int, flags: UInt) -> None:
    """Let the device reach another's memory."""
    thread.runtime.DeviceEnablePeerAccess(peer, flags)


@answers("cudaDeviceDisablePeerAccess")
def disable_peer(thread: Thread, peer: Int) -> None:
    """Take that back."""
    thread.runtime.DeviceDisablePeerAccess(peer)


@answers("cudaDriverGetVersion")
def driver_version(thread: Thread, out: int) -> None:
    """Say it."""
    thread.memory.put_word(out, DRIVER_VERSION, 4)


@answers("cudaRuntimeGetVersion")
def runtime_version(thread: Thread, out: int) -> None:
    """Say which runtime the program was compiled for."""
    thread.memory.put_word(out, 1000 * thread.session.cuda, 4)


@answers("cudaDeviceGetPCIBusId")
def bus_id(thread: Thread, out: int, nbytes: Int, number: Int) -> None:
    """Give a text that is like those of real devices."""
    data = thread.runtime.DeviceGetPCIBusId(number).encode() + b"\0"
    if nbytes < len(data):
        raise Refusal("InvalidValue", f"{len(data)} bytes are needed for a bus id")
    thread.memory.put(out, data)


@answers("cudaDeviceGetByPCIBusId")
def by_bus_id(thread: Thread, out: int, name: int) -> None:
    """Give the device that such a text names."""
    thread.memory.put_word(out, thread.runtime.DeviceGetByPCIBusId(thread.memory.text(name)), 4)


@answers("cudaChooseDevice")
def choose(thread: Thread, out: int, properties: int) -> None:
    """Give the first: all devices of a program are alike."""
    thread.memory.put_word(out, 0, 4)


@answers("cudaDeviceGetP2PAttribute")
def peer_attribute(thread: Thread, out: int, attribute: Int, number: Int, peer: Int) -> None:
    """Say what two devices can do together."""
    thread.memory.put_word(out, thread.runtime.DeviceGetP2PAttribute(attribute, number, peer), 4)


@answers("cudaDeviceGetCacheConfig", "cudaThreadGetCacheConfig")
def cache_config(thread: Thread, out: int) -> None:
    """Repeat what the program prefers; where L1 and shared memory do not share, that is nothing."""
    shares = thread.runtime.device().architecture.limits.shared_carveouts
    thread.memory.put_word(out, thread.session.contexts.needed(thread).cache_config if shares else 0, 4)


@answers("cudaDeviceGetSharedMemConfig")
def bank_config(thread: Thread, out: int) -> None:
    """Say how wide banks of shared memory are: 1 for four bytes, 2 for eight."""
    thread.memory.put_word(out, 2 if thread.runtime.device().architecture.shared.bank_width_bytes == 8 else 1, 4)


@answers("cudaProfilerStart", "cudaProfilerStop")
def profile(thread: Thread) -> None:
    """Take it: everything is counted all the time."""
