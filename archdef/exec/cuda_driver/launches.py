"""Launches, and what is asked about kernels."""
from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from archdef.errors import LaunchError
from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.cuda_driver import references
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_driver.kernels import LibraryKernel, kernel_of, module_of, on_device
from archdef.exec.cuda_runtime.launches import arguments_at, attributes_at, start_kernel, versions
from archdef.runtime.launch_calls import COOPERATIVE
from archdef.runtime.status import Refusal

if TYPE_CHECKING:
    from archdef.run.module import Kernel

_BUFFER_POINTER, _BUFFER_BYTES = 1, 2
_MOST_EXTRAS: Final = 16
MOST_ARGUMENT_BYTES: Final = 1 << 16
_CONFIGURATION: Final = struct.Struct("<7I4x2QI4x")
"""CUlaunchConfig: grid, block, dynamic shared bytes, stream, attributes and their number."""


def _words(*values: int) -> tuple[int, ...]:
    return tuple(value & 0xFFFFFFFF for value in values)


@answers("cuLaunchKernel")
def launch(thread: Thread, function: int, grid_x: UInt, grid_y: UInt, grid_z: UInt, block_x: UInt, block_y: UInt, block_z: UInt, shared_bytes: UInt,
           stream: int, arguments: int, extra: int) -> None:
    """Launch."""
    _launch(thread, function, _words(grid_x, grid_y, grid_z), _words(block_x, block_y, block_z), shared_bytes, stream, arguments, extra)


@answers("cuLaunchCooperativeKernel")
def launch_cooperative(thread: Thread, function: int, grid_x: UInt, grid_y: UInt, grid_z: UInt, block_x: UInt, block_y: UInt, block_z: UInt, shared_bytes: UInt,
                       stream: int, arguments: int) -> None:
    """Launch a grid that may synchronise."""
    _launch(thread, function, _words(grid_x, grid_y, grid_z), _words(block_x, block_y, block_z), shared_bytes, stream, arguments, 0, [(COOPERATIVE, 1)])


@answers("cuLaunchKernelEx")
def launch_configured(thread: Thread, configuration: int, function: int, arguments: int, extra: int) -> None:
    """Launch as a structure says."""
    grid, block, shared_bytes, stream, attributes = _configuration(thread, configuration)
    _launch(thread, function, grid, block, shared_bytes, stream, arguments, extra, attributes)


def _configuration(thread: Thread, address: int) -> tuple[tuple[int, ...], tuple[int, ...], int, int, list[tuple[int, Any]]]:
    """Read a CUlaunchConfig: grid, block, dynamic shared bytes, stream, attributes. Raises Refusal."""
    *shape, shared_bytes, stream, attributes, count = _CONFIGURATION.unpack(thread.memory.get(address, _CONFIGURATION.size))
    return tuple(shape[:3]), tuple(shape[3:6]), shared_bytes, stream, attributes_at(thread, attributes, count)


def _launch(thread: Thread, function: int, grid: tuple[int, ...], block: tuple[int, ...], shared_bytes: int, stream: int, arguments: int, extra: int,
            attributes: Sequence[tuple[int, Any]] = ()) -> None:
    thread.launching = function
    thread.launching = kernel = kernel_of(thread, function)
    if (of := module_of(thread, function)) is not None:
        references.bind(thread, of)
    if arguments and extra:
        raise Refusal("InvalidValue", "arguments were given in two ways")
    if 0 in grid + block:
        raise Refusal("InvalidValue", f"a grid of {grid} blocks of {block} threads")
    values = _packed_arguments(thread, kernel, extra) if extra else arguments_at(thread, kernel, arguments)
    start(thread, function, grid, block, values, shared_bytes, stream, attributes)


def start(thread: Thread, function: int, grid: tuple[int, ...], block: tuple[int, ...], values: list[bytes], shared_bytes: int, stream: int,
          attributes: Sequence[tuple[int, Any]] = ()) -> None:
    """Launch with arguments that were read. Raises Refusal, with the driver's status for shapes that cannot be."""
    kernel, nbytes = kernel_of(thread, function), shared_bytes & 0xFFFFFFFF
    try:
        start_kernel(thread, kernel, grid, block, values, nbytes, stream, attributes, handle=function)
    except LaunchError as error:
        if error.kind == "shape":
            raise Refusal("InvalidValue", str(error)) from error
        raise


def _packed_arguments(thread: Thread, kernel: Kernel, extra: int) -> list[bytes]:
    """Read arguments out of one buffer, which a list of words ended by 0 tells of. Raises Refusal."""
    told: dict[int, int] = {}
    for place in range(_MOST_EXTRAS):
        key = thread.memory.word(extra + 16 * place)
        if key == 0:
            break
        told[key] = thread.memory.word(extra + 16 * place + 8)
    if set(told) != {_BUFFER_POINTER, _BUFFER_BYTES}:
        raise Refusal("InvalidValue", "what is launched with `extra` has CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE there")
    nbytes = thread.memory.word(told[_BUFFER_BYTES])
    if nbytes > MOST_ARGUMENT_BYTES:
        raise Refusal("InvalidValue", f"{nbytes} bytes of arguments")
    return split(kernel, thread.memory.get(told[_BUFFER_POINTER], nbytes))


def split(kernel: Kernel, data: bytes) -> list[bytes]:
    """Take arguments apart that lie as the kernel's parameters do. Raises Refusal if there are too few."""
    layout = kernel.program.parameter_layout
    needed = max((each.offset + each.bytes for each in layout), default=0)
    if len(data) < needed:
        raise Refusal("InvalidValue", f"{len(data)} bytes of arguments; {kernel.name} takes {needed}")
    return [data[each.offset:each.offset + each.bytes] for each in layout]


# -------------------------------------------------------------------------------------------------------- what kernels take
@answers("cuFuncGetAttribute")
def get_attribute(thread: Thread, out: int, attribute: Int, function: int) -> None:
    """Say what a kernel takes."""
    thread.memory.put_word(out, _attribute(thread, kernel_of(thread, function), attribute & 0xFFFFFFFF), 4)


def _attribute(thread: Thread, kernel: Kernel, attribute: int) -> int:
    found: dict[str, Any] = thread.runtime.FuncGetAttributes(kernel)
    most_dynamic = thread.runtime.most_dynamic_bytes(kernel)
    known = (found["maxThreadsPerBlock"], found["sharedSizeBytes"], found["constSizeBytes"], found["localSizeBytes"], found["numRegs"],
             *versions(thread, kernel), 0, most_dynamic, -1, 0, 0, 0, 0, 0, 0)
    if attribute >= len(known):
        raise Refusal("InvalidValue", f"there is no attribute {attribute} of a kernel")
    return known[attribute]


@answers("cuFuncSetAttribute")
def set_attribute(thread: Thread, function: int, attribute: Int, value: Int) -> None:
    """Set an attribute of a kernel, as the runtime does."""
    thread.runtime.FuncSetAttribute(kernel_of(thread, function), attribute, value)


@answers("cuFuncSetCacheConfig", "cuFuncSetSharedMemConfig")
def prefer(thread: Thread, function: int, what: Int) -> None:
    """Check the kernel: shares of L1 follow from what blocks take, and banks have one width."""
    kernel_of(thread, function)


@answers("cuFuncGetName")
def name(thread: Thread, out: int, function: int) -> None:
    """Give its name. Raises Refusal."""
    if not function:
        raise Refusal("InvalidValue", "no function")
    thread.memory.put_word(out, thread.string(kernel_of(thread, function).symbol))


@answers("cuFuncGetParamInfo")
def parameter(thread: Thread, function: int, index: int, offset_out: int, nbytes_out: int) -> None:
    """Say where a parameter lies."""
    put_parameter(thread, _any_kernel(thread, function), index, offset_out, nbytes_out)


def put_parameter(thread: Thread, kernel: Kernel, index: int, offset_out: int, nbytes_out: int) -> None:
    """Write where a parameter of a kernel lies, and how many bytes it has."""
    layout = kernel.program.parameter_layout
    if index >= len(layout):
        raise Refusal("InvalidValue", f"parameter {index} of {len(layout)}")
    thread.memory.put_word(offset_out, layout[index].offset)
    if nbytes_out:
        thread.memory.put_word(nbytes_out, layout[index].bytes)


@answers("cuFuncGetParamCount", "cuKernelGetParamCount")
def count_parameters(thread: Thread, function: int, out: int) -> None:
    """Count its parameters."""
    thread.memory.put_word(out, len(_any_kernel(thread, function).program.parameter_layout))


def _any_kernel(thread: Thread, handle: int) -> Kernel:
    """Give a kernel, on the current device if it is a library's. Parameters are the same on all."""
    found = thread.session.found(handle)
    if isinstance(found, LibraryKernel):
        return on_device(thread, found.library).module[found.name]
    return kernel_of(thread, handle)


# ---------------------------------------------------------------------------------------------------------------- occupancy
@answers("cuOccupancyMaxActiveBlocksPerMultiprocessor")
def active_blocks(thread: Thread, out: int, function: int, threads: Int, shared_bytes: int) -> None:
    """Count resident blocks."""
    thread.memory.put_word(out, thread.runtime.OccupancyMaxActiveBlocksPerMultiprocessor(kernel_of(thread, function), threads, shared_bytes), 4)


@answers("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def active_blocks_with_flags(thread: Thread, out: int, function: int, threads: Int, shared_bytes: int, flags: UInt) -> None:
    """Count resident blocks; flags are about caching that does not change the number here."""
    active_blocks(thread, out, function, threads, shared_bytes)


@answers("cuOccupancyAvailableDynamicSMemPerBlock")
def available_shared(thread: Thread, out: int, function: int, blocks: Int, threads: Int) -> None:
    """Give the most dynamic shared memory with so many blocks."""
    thread.memory.put_word(out, thread.runtime.OccupancyAvailableDynamicSMemPerBlock(kernel_of(thread, function), blocks, threads))


@answers("cuOccupancyMaxActiveClusters")
def active_clusters(thread: Thread, out: int, function: int, configuration: int) -> None:
    """Count clusters that are resident at once."""
    grid, block, shared_bytes, _, attributes = _configuration(thread, configuration)
    thread.memory.put_word(out, thread.runtime.OccupancyMaxActiveClusters(kernel_of(thread, function), grid, block, shared_bytes, attributes), 4)


@answers("cuOccupancyMaxPotentialClusterSize")
def largest_cluster(thread: Thread, out: int, function: int, configuration: int) -> None:
    """Give the most blocks of a cluster."""
    grid, block, shared_bytes, _, attributes = _configuration(thread, configuration)
    thread.memory.put_word(out, thread.runtime.OccupancyMaxPotentialClusterSize(kernel_of(thread, function), grid, block, shared_bytes, attributes), 4)


@answers("cuOccupancyMaxPotentialBlockSize")
def best_block(thread: Thread, grid_out: int, block_out: int, function: int, shared_of: int, shared_bytes: int, limit: Int) -> None:
    """Give the block size of most resident threads, and the smallest grid of it that fills the device."""
    def shared(threads: int) -> int:
        return thread.connection.call(shared_of, threads) if shared_of else shared_bytes
    blocks, threads = thread.runtime.OccupancyMaxPotentialBlockSizeVariableSMem(kernel_of(thread, function), shared, max(0, limit))
    thread.memory.put_word(grid_out, blocks, 4)
    thread.memory.put_word(block_out, threads, 4)


@answers("cuOccupancyMaxPotentialBlockSizeWithFlags")
def best_block_with_flags(thread: Thread, grid_out: int, block_out: int, function: int, shared_of: int, shared_bytes: int, limit: Int, flags: UInt) -> None:
    """Give the same; flags are about caching that does not change the numbers here."""
    best_block(thread, grid_out, block_out, function, shared_of, shared_bytes, limit)
