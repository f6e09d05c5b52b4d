"""Launches as they were before CUDA 4: a function is told its block and its arguments first, and is launched with a grid."""
from __future__ import annotations

import struct

from archdef.exec.calls import Int, Thread, UInt, signed
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_driver.kernels import function_of
from archdef.exec.cuda_driver.launches import MOST_ARGUMENT_BYTES, split, start
from archdef.runtime.status import Refusal


@answers("cuFuncSetBlockShape")
def set_block(thread: Thread, function: int, x: Int, y: Int, z: Int) -> None:
    """Say how many threads the blocks of the next launches have."""
    block = x, y, z
    if min(block) < 1:
        raise Refusal("InvalidValue", f"blocks of {block} threads")
    function_of(thread, function).set_up.block = block


@answers("cuFuncSetSharedSize")
def set_shared_bytes(thread: Thread, function: int, nbytes: UInt) -> None:
    """Say how much dynamic shared memory they have."""
    function_of(thread, function).set_up.shared_bytes = nbytes


@answers("cuParamSetSize")
def set_size(thread: Thread, function: int, nbytes: UInt) -> None:
    """Say how many bytes of arguments they have."""
    if nbytes > MOST_ARGUMENT_BYTES:
        raise Refusal("InvalidValue", f"{nbytes} bytes of arguments")
    arguments = function_of(thread, function).set_up.arguments
    del arguments[nbytes:]
    arguments.extend(bytes(nbytes - len(arguments)))


def _put(thread: Thread, function: int, offset: int, data: bytes) -> None:
    arguments, offset = function_of(thread, function).set_up.arguments, signed(offset)
    end = offset + len(data)
    if offset < 0 or end > MOST_ARGUMENT_BYTES:
        raise Refusal("InvalidValue", f"an argument of {len(data)} bytes at byte {offset}")
    arguments.extend(bytes(max(0, end - len(arguments))))
    arguments[offset:end] = data


@answers("cuParamSeti")
def set_integer(thread: Thread, function: int, offset: Int, value: UInt) -> None:
    """Set an argument of 32 bits."""
    _put(thread, function, offset, struct.pack("<I", value))


@answers("cuParamSetf")
def set_float(thread: Thread, function: int, offset: Int) -> None:
    """Set an argument that is a float: the lower half of the register in which it came."""
    _put(thread, function, offset, struct.pack("<d", thread.floats[0])[:4])


@answers("cuParamSetv")
def set_bytes(thread: Thread, function: int, offset: Int, address: int, nbytes: UInt) -> None:
    """Set an argument of any kind."""
    if nbytes > MOST_ARGUMENT_BYTES:
        raise Refusal("InvalidValue", f"an argument of {nbytes} bytes")
    _put(thread, function, offset, thread.memory.get(address, nbytes))


@answers("cuLaunch")
def launch_block(thread: Thread, function: int) -> None:
    """Launch one block."""
    launch_grid(thread, function, 1, 1)


@answers("cuLaunchGrid")
def launch_grid(thread: Thread, function: int, width: Int, height: Int) -> None:
    """Launch a grid."""
    launch_grid_async(thread, function, width, height, 0)


@answers("cuLaunchGridAsync")
def launch_grid_async(thread: Thread, function: int, width: Int, height: Int, stream: int) -> None:
    """Launch a grid in a stream."""
    found, grid = function_of(thread, function), (width, height, 1)
    if min(grid) < 1:
        raise Refusal("InvalidValue", f"a grid of {grid} blocks")
    told = found.set_up
    start(thread, function, grid, told.block, split(found.kernel, bytes(told.arguments)), told.shared_bytes, stream)
