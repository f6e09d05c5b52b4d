"""Memory that graphs allocate. References: cudaMemAllocNodeParams of driver_types.h, CUDA_MEM_ALLOC_NODE_PARAMS of cuda.h, which are the same."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread, answers
from archdef.exec.cuda_runtime import graphs
from archdef.host import Graph, Node
from archdef.runtime.pools import READ_WRITE
from archdef.runtime.status import Refusal

_ALLOCATION: Final = struct.Struct("<iiii72x4Q")
"""cudaMemAllocNodeParams: of the pool kind of allocation, kind of handles, kind and number of the place; addresses and number of descriptions of
access; bytes, address."""
_ADDRESS: Final = 112
"""Where the address lies in it."""
_ACCESS: Final = struct.Struct("<iii")
_PINNED, _ON_DEVICE = 1, 1


@answers("cudaGraphAddMemAllocNode")
def add_allocation(thread: Thread, out: int, graph: int, dependencies: int, count: int, parameters: int) -> None:
    """Add an allocation; its address goes into the structure."""
    kind, handles, place, number, access, accesses, nbytes, _ = _ALLOCATION.unpack(thread.memory.get(parameters, _ALLOCATION.size))
    if handles or (kind, place) != (_PINNED, _ON_DEVICE):
        raise Refusal("NotSupported" if kind == _PINNED else "InvalidValue",
                      f"memory of a graph of the kind {kind} at a place of the kind {place}, with handles of the kind {handles}")
    for each in range(accesses):
        _check_access(number, *_ACCESS.unpack(thread.memory.get(access + each * _ACCESS.size, _ACCESS.size)))
    node, pointer = thread.runtime.GraphAddMemAllocNode(graphs.thing(thread.session, graph, Graph), graphs.nodes_at(thread, dependencies, count), nbytes,
                                                        number)
    thread.memory.put_word(parameters + _ADDRESS, int(pointer))
    thread.memory.put_word(out, thread.session.handle_of(node))


def _check_access(device: int, place: int, number: int, flags: int) -> None:
    if place != _ON_DEVICE or number == device and flags != READ_WRITE:
        raise Refusal("InvalidValue", f"access {flags} of the device {number} to memory of a graph on device {device}")
    if number != device and flags:
        raise Refusal("NotSupported", "memory of a graph is its own device's: copy between devices instead")


@answers("cudaGraphAddMemFreeNode")
def add_free(thread: Thread, out: int, graph: int, dependencies: int, count: int, address: int) -> None:
    """Add that memory is freed."""
    pointer = thread.session.pointer(address)
    if pointer is None:
        raise Refusal("InvalidValue", f"{address:#x} was not given by a graph, or was freed")
    found = thread.runtime.GraphAddMemFreeNode(graphs.thing(thread.session, graph, Graph), graphs.nodes_at(thread, dependencies, count), pointer)
    thread.memory.put_word(out, thread.session.handle_of(found))


@answers("cudaGraphMemAllocNodeGetParams")
def get_allocation(thread: Thread, node: int, out: int) -> None:
    """Give what a node allocates."""
    device, pointer = thread.runtime.GraphMemAllocNodeGetParams(graphs.thing(thread.session, node, Node))
    thread.memory.put(out, _ALLOCATION.pack(_PINNED, 0, _ON_DEVICE, device, 0, 0, pointer.left, int(pointer)))


@answers("cudaGraphMemFreeNodeGetParams")
def get_free(thread: Thread, node: int, out: int) -> None:
    """Give what a node frees."""
    thread.memory.put_word(out, int(thread.runtime.GraphMemFreeNodeGetParams(graphs.thing(thread.session, node, Node))))


@answers("cudaDeviceGraphMemTrim")
def trim(thread: Thread, device: Int) -> None:
    """Give back what graphs no longer use."""
    thread.runtime.DeviceGraphMemTrim(device)


@answers("cudaDeviceGetGraphMemAttribute")
def get_attribute(thread: Thread, device: Int, attribute: Int, out: int) -> None:
    """Give how much graphs use."""
    thread.memory.put_word(out, thread.runtime.DeviceGetGraphMemAttribute(device, attribute))


@answers("cudaDeviceSetGraphMemAttribute")
def set_attribute(thread: Thread, device: Int, attribute: Int, value: int) -> None:
    """Set a maximum to what lies at an address."""
    thread.runtime.DeviceSetGraphMemAttribute(device, attribute, thread.memory.word(value))
