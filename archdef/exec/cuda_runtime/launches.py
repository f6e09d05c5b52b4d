"""Launches, and what is asked about kernels."""
from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from archdef.exec import fatbin
from archdef.exec.calls import Thread, answers, shape, signed
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.run.module import Kernel

_ATTRIBUTES: Final = struct.Struct("<3Q7i")
"""cudaFuncAttributes: shared, constant and local bytes; threads, registers, versions of PTX and binary, cache mode, dynamic shared bytes, carveout."""
_CONFIG: Final = struct.Struct("<6I2Q")
"""cudaLaunchConfig_t up to the stream: grid, block, dynamic shared bytes, stream."""


@answers("__cudaPushCallConfiguration", status=False)
def push_configuration(thread: Thread, grid_xy: int, grid_z: int, block_xy: int, block_z: int, shared_bytes: int, stream: int) -> None:
    """Keep what stands between ``<<<`` and ``>>>`` until the stub asks for it."""
    packed = (struct.pack("<QI", xy, z & 0xFFFFFFFF) for xy, z in ((grid_xy, grid_z), (block_xy, block_z)))
    thread.configurations.append((*packed, shared_bytes, stream))  # type: ignore[arg-type]


@answers("__cudaPopCallConfiguration")
def pop_configuration(thread: Thread, grid: int, block: int, shared_bytes: int, stream: int) -> None:
    """Give it back."""
    if not thread.configurations:
        raise Refusal("MissingConfiguration", "a kernel was called without <<<…>>>")
    blocks, threads, nbytes, handle = thread.configurations.pop()
    thread.memory.put(grid, blocks)
    thread.memory.put(block, threads)
    thread.memory.put_word(shared_bytes, nbytes)
    thread.memory.put_word(stream, handle)


@answers("cudaConfigureCall")
def configure_call(thread: Thread, grid_xy: int, grid_z: int, block_xy: int, block_z: int, shared_bytes: int, stream: int) -> None:
    """Do what programs of CUDA 8 and older did, whose arguments then come one by one."""
    raise Refusal("NotSupported", "launches by cudaConfigureCall, as CUDA 8 and older compiled them: compile the program with a newer one")


@answers("cudaLaunchKernel", "cudaLaunchKernel_ptsz", "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz")
def launch_kernel(thread: Thread, stub: int, grid_xy: int, grid_z: int, block_xy: int, block_z: int, arguments: int, shared_bytes: int, stream: int) -> None:
    """Launch."""
    launch(thread, thread.session.kernel(stub), shape(grid_xy, grid_z), shape(block_xy, block_z), arguments, shared_bytes, stream)


@answers("cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernel_ptsz")
def launch_cooperative(thread: Thread, stub: int, grid_xy: int, grid_z: int, block_xy: int, block_z: int, arguments: int, shared_bytes: int,
                       stream: int) -> None:
    """Launch a grid that may synchronise."""
    launch(thread, thread.session.kernel(stub), shape(grid_xy, grid_z), shape(block_xy, block_z), arguments, shared_bytes, stream, cooperative=True)


def launch(thread: Thread, kernel: Kernel, grid: tuple[int, ...], block: tuple[int, ...], arguments: int, shared_bytes: int, stream: int,
           cooperative: bool = False) -> None:
    """Put a kernel into a stream; `arguments` is the address of an array of the arguments' addresses."""
    layout = kernel.program.parameter_layout
    places = struct.unpack(f"<{len(layout)}Q", thread.memory.get(arguments, 8 * len(layout))) if layout else ()
    values = [thread.memory.get(place, parameter.bytes) for place, parameter in zip(places, layout, strict=True)]
    start = thread.runtime.LaunchCooperativeKernel if cooperative else thread.runtime.LaunchKernel
    thread.session.tally.launched(start(kernel, grid, block, values, shared_bytes, thread.session.stream(stream)))


@answers("cudaFuncGetAttributes")
def get_attributes(thread: Thread, out: int, stub: int) -> None:
    """Say what a kernel takes."""
    kernel = thread.session.kernel(stub)
    found = thread.runtime.FuncGetAttributes(kernel)
    binary_version = 10 * thread.session.capability[0] + thread.session.capability[1]
    ptx_version = fatbin.ptx_target(kernel.module.compiled.ptx)      # CUB takes the parameters that it was compiled with for this target
    most_dynamic = thread.runtime.device().architecture.limits.shared_bytes_per_block - found["sharedSizeBytes"]
    thread.memory.put(out, _ATTRIBUTES.pack(found["sharedSizeBytes"], found["constSizeBytes"], found["localSizeBytes"], found["maxThreadsPerBlock"],
                                            found["numRegs"], ptx_version, binary_version, 0, most_dynamic, -1))


@answers("cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig")
def set_attribute(thread: Thread, stub: int, attribute: int, value: int = 0) -> None:
    """Check the kernel. Dynamic shared memory up to the block's limit needs no permission here, and shares of L1 follow from what blocks take."""
    thread.session.kernel(stub)


@answers("cudaOccupancyMaxActiveBlocksPerMultiprocessor")
def active_blocks(thread: Thread, out: int, stub: int, threads: int, shared_bytes: int) -> None:
    """Count resident blocks."""
    found = thread.runtime.OccupancyMaxActiveBlocksPerMultiprocessor(thread.session.kernel(stub), signed(threads), shared_bytes)
    thread.memory.put_word(out, found, 4)


@answers("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def active_blocks_with_flags(thread: Thread, out: int, stub: int, threads: int, shared_bytes: int, flags: int) -> None:
    """Count resident blocks; flags are about caching that does not change the number here."""
    active_blocks(thread, out, stub, threads, shared_bytes)
