"""Launches, and what is asked about kernels."""
from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from archdef.exec.calls import Int, Thread, UInt, answers, shape, signed
from archdef.host import Node
from archdef.runtime.launch_calls import CLUSTER, COOPERATIVE
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.run.module import Kernel

_ATTRIBUTES: Final = struct.Struct("<3Q7i")
"""cudaFuncAttributes: shared, constant and local bytes; threads, registers, versions of PTX and binary, cache mode, dynamic shared bytes, carveout."""
_CONFIG: Final = struct.Struct("<6I3QI4x")
"""cudaLaunchConfig_t: grid, block, dynamic shared bytes, stream, address and number of attributes."""
_ATTRIBUTE: Final = struct.Struct("<I4x3I52x")
"""cudaLaunchAttribute: number, and the words of the value that are read."""
_MOST_ATTRIBUTES: Final = 64


@answers("__cudaPopCallConfiguration")
def pop_configuration(thread: Thread) -> None:
    """Refuse. What stands between ``<<<`` and ``>>>`` the stand-in itself keeps until the stub asks for it: here comes who has pushed nothing."""
    raise Refusal("MissingConfiguration", "a kernel was called without <<<…>>>")


@answers("cudaConfigureCall")
def configure_call(thread: Thread, grid_xy: int, grid_z: int, block_xy: int, block_z: int, shared_bytes: int, stream: int) -> None:
    """Do what programs of CUDA 8 and older did, whose arguments then come one by one."""
    raise Refusal("NotSupported", "launches by cudaConfigureCall, as CUDA 8 and older compiled them: compile the program with a newer one")


@answers("cudaLaunchKernel", "cudaLaunchKernel_ptsz", "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz")
def launch_kernel(thread: Thread, stub: int, grid_xy: int, grid_z: int, block_xy: int, block_z: int, arguments: int, shared_bytes: int, stream: int) -> None:
    """Launch."""
    launch(thread, stub, shape(grid_xy, grid_z), shape(block_xy, block_z), arguments, shared_bytes, stream)


@answers("cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernel_ptsz")
def launch_cooperative(thread: Thread, stub: int, grid_xy: int, grid_z: int, block_xy: int, block_z: int, arguments: int, shared_bytes: int,
                       stream: int) -> None:
    """Launch a grid that may synchronise."""
    launch(thread, stub, shape(grid_xy, grid_z), shape(block_xy, block_z), arguments, shared_bytes, stream, cooperative=True)


def launch(thread: Thread, stub: int, grid: tuple[int, ...], block: tuple[int, ...], arguments: int, shared_bytes: int, stream: int,
           cooperative: bool = False) -> None:
    """Put a kernel into a stream; `arguments` is the address of an array of the arguments' addresses."""
    thread.launching = stub
    kernel = thread.session.kernel(stub)
    values = arguments_at(thread, kernel, arguments)
    start_kernel(thread, kernel, grid, block, values, shared_bytes, stream, [(COOPERATIVE, 1)] if cooperative else [], handle=stub)


def arguments_at(thread: Thread, kernel: Kernel, arguments: int) -> list[bytes]:
    """Read a kernel's arguments, by the address of an array of their addresses."""
    layout = kernel.program.parameter_layout
    return thread.memory.get_listed(arguments, [parameter.bytes for parameter in layout]) if layout else []


def start_kernel(thread: Thread, kernel: Kernel, grid: tuple[int, ...], block: tuple[int, ...], values: Sequence[bytes], shared_bytes: int, stream: int,
                 attributes: Sequence[tuple[int, Any]] = (), *, handle: int) -> None:
    """Put a kernel with its arguments into a stream, and count the launch; of one that becomes the node of a graph, note what it was made of.

    handle : what the program names the kernel by.
    """
    thread.launching = kernel
    if thread.session.unseen:
        thread.session.see_managed()
    made = thread.runtime.LaunchKernelExC(kernel, grid, block, values, shared_bytes, thread.session.stream(stream), attributes)
    if isinstance(made, Node):
        made.work = attrs.evolve(made.work, given=(handle, *grid, *block, shared_bytes, values))
        made.attributes = dict(attributes)
    else:
        thread.session.note_launch(kernel, values, made)


def versions(thread: Thread, kernel: Kernel) -> tuple[int, int]:
    """Give the target that a kernel's PTX was compiled for, and the device's: programs choose by the former how to launch what a header compiled for it."""
    found = re.search(r"\d+", kernel.module.ptx.target)
    device = 10 * thread.session.capability[0] + thread.session.capability[1]
    return (int(found[0]) if found else device), device


@answers("cudaFuncGetAttributes")
def get_attributes(thread: Thread, out: int, stub: int) -> None:
    """Say what a kernel takes."""
    kernel = thread.session.kernel(stub)
    found = thread.runtime.FuncGetAttributes(kernel)
    ptx_version, version = versions(thread, kernel)
    most_dynamic = thread.runtime.most_dynamic_bytes(kernel)
    thread.memory.put(out, _ATTRIBUTES.pack(found["sharedSizeBytes"], found["constSizeBytes"], found["localSizeBytes"], found["maxThreadsPerBlock"],
                                            found["numRegs"], ptx_version, version, 0, most_dynamic, -1))


@answers("cudaFuncSetAttribute")
def set_attribute(thread: Thread, stub: int, attribute: Int, value: Int) -> None:
    """Set an attribute of a kernel."""
    thread.runtime.FuncSetAttribute(thread.session.kernel(stub), attribute, value)


@answers("cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig")
def set_config(thread: Thread, stub: int, config: Int) -> None:
    """Check both: shares of L1 follow from what blocks take, and banks have one width."""
    thread.session.kernel(stub, or_handle=False)


@answers("cudaFuncGetName")
def get_name(thread: Thread, out: int, stub: int) -> None:
    """Give a kernel's name."""
    thread.memory.put_word(out, thread.string(thread.runtime.FuncGetName(thread.session.kernel(stub))))


def _config(thread: Thread, address: int) -> tuple[tuple[int, ...], tuple[int, ...], int, int, list[tuple[int, Any]]]:
    """Read a cudaLaunchConfig_t: grid, block, dynamic shared bytes, stream, attributes."""
    *shapes, shared_bytes, stream, attributes, count = _CONFIG.unpack(thread.memory.get(address, _CONFIG.size))
    return tuple(shapes[:3]), tuple(shapes[3:]), shared_bytes, stream, attributes_at(thread, attributes, count)


def attributes_at(thread: Thread, address: int, count: int) -> list[tuple[int, Any]]:
    """Read attributes of a launch: numbers and values. Raises Refusal."""
    if count > _MOST_ATTRIBUTES:
        raise Refusal("InvalidValue", f"{count} attributes of a launch")
    found: list[tuple[int, Any]] = []
    for number in range(count):
        kind, *words = _ATTRIBUTE.unpack(thread.memory.get(address + number * _ATTRIBUTE.size, _ATTRIBUTE.size))
        found.append((kind, tuple(words) if kind == CLUSTER else signed(words[0])))
    return found


@answers("cudaLaunchKernelExC", "cudaLaunchKernelExC_ptsz")
def launch_with_attributes(thread: Thread, config: int, stub: int, arguments: int) -> None:
    """Launch with attributes."""
    thread.launching = stub
    grid, block, shared_bytes, stream, attributes = _config(thread, config)
    kernel = thread.session.kernel(stub)
    start_kernel(thread, kernel, grid, block, arguments_at(thread, kernel, arguments), shared_bytes, stream, attributes, handle=stub)


@answers("cudaOccupancyMaxActiveClusters")
def active_clusters(thread: Thread, out: int, stub: int, config: int) -> None:
    """Count clusters that are resident at once."""
    grid, block, shared_bytes, _, attributes = _config(thread, config)
    thread.memory.put_word(out, thread.runtime.OccupancyMaxActiveClusters(thread.session.kernel(stub), grid, block, shared_bytes, attributes), 4)


@answers("cudaOccupancyMaxPotentialClusterSize")
def largest_cluster(thread: Thread, out: int, stub: int, config: int) -> None:
    """Give the most blocks of a cluster."""
    grid, block, shared_bytes, _, attributes = _config(thread, config)
    thread.memory.put_word(out, thread.runtime.OccupancyMaxPotentialClusterSize(thread.session.kernel(stub), grid, block, shared_bytes, attributes), 4)


@answers("cudaOccupancyAvailableDynamicSMemPerBlock")
def available_shared(thread: Thread, out: int, stub: int, blocks: Int, threads: Int) -> None:
    """Give the most dynamic shared memory with so many blocks."""
    found = thread.runtime.OccupancyAvailableDynamicSMemPerBlock(thread.session.kernel(stub), blocks, threads)
    thread.memory.put_word(out, found)


@answers("cudaOccupancyMaxActiveBlocksPerMultiprocessor")
def active_blocks(thread: Thread, out: int, stub: int, threads: Int, shared_bytes: int) -> None:
    """Count resident blocks."""
    found = thread.runtime.OccupancyMaxActiveBlocksPerMultiprocessor(thread.session.kernel(stub), threads, shared_bytes)
    thread.memory.put_word(out, found, 4)


@answers("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def active_blocks_with_flags(thread: Thread, out: int, stub: int, threads: Int, shared_bytes: int, flags: UInt) -> None:
    """Count resident blocks; flags are about caching that does not change the number here."""
    active_blocks(thread, out, stub, threads, shared_bytes)
