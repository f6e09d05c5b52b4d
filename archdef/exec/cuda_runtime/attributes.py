"""Attributes of streams and of launches in graphs. Reference: cudaLaunchAttributeValue of driver_types.h."""
from __future__ import annotations

import struct
from typing import Any, Final

from archdef.exec.calls import Int, Thread, answers, signed
from archdef.exec.cuda_runtime.graphs import thing
from archdef.host import Node
from archdef.runtime.launch_calls import CLUSTER
from archdef.runtime.status import Refusal

_BYTES: Final = 64
_CLUSTER: Final = struct.Struct("<3I")
_SYNCHRONIZATION, _PRIORITY, _DOMAIN_MAP = 3, 8, 9
_POLICIES: Final = range(1, 5)
"""cudaSynchronizationPolicy."""
_WORDS: Final = frozenset({2, _PRIORITY})
"""Attributes that are one number of 32 bits here; the others stay the bytes that they are."""
_UNSET: Final = {_SYNCHRONIZATION: b"\1", _DOMAIN_MAP: b"\0\1"}
"""What an attribute is that nobody has set, where it is not 0: the host waits as it likes (cudaSyncPolicyAuto), remote accesses have a domain of their own."""


def value_at(thread: Thread, attribute: int, address: int) -> Any:
    """Read the value of an attribute. Raises Refusal."""
    data = thread.memory.get(address, _BYTES)
    if attribute == _SYNCHRONIZATION and (policy := int.from_bytes(data[:4], "little")) not in _POLICIES:
        raise Refusal("InvalidValue", f"there is no way {policy} for the host to wait")
    if attribute == CLUSTER:
        return _CLUSTER.unpack_from(data)
    return signed(int.from_bytes(data[:4], "little")) if attribute in _WORDS else data


def value_bytes(attribute: int, value: Any) -> bytes:
    """Lay one out; None is what nobody has set."""
    if value is None:
        return _UNSET.get(attribute, b"").ljust(_BYTES, b"\0")
    if attribute == CLUSTER:
        return _CLUSTER.pack(*value).ljust(_BYTES, b"\0")
    return struct.pack("<i", value).ljust(_BYTES, b"\0") if attribute in _WORDS else bytes(value)


@answers("cudaStreamSetAttribute", "cudaStreamSetAttribute_ptsz")
def set_of_stream(thread: Thread, stream: int, attribute: Int, value: int) -> None:
    """Set one."""
    thread.runtime.StreamSetAttribute(thread.session.stream(stream), attribute, value_at(thread, attribute, value))


@answers("cudaStreamGetAttribute", "cudaStreamGetAttribute_ptsz")
def get_of_stream(thread: Thread, stream: int, attribute: Int, out: int) -> None:
    """Give one. The priority is that of the stream, which is one for all."""
    found = thread.runtime.StreamGetAttribute(thread.session.stream(stream), attribute)
    thread.memory.put(out, value_bytes(attribute, thread.runtime.StreamGetPriority(thread.session.stream(stream)) if attribute == _PRIORITY else found))


@answers("cudaStreamCopyAttributes", "cudaStreamCopyAttributes_ptsz")
def copy_of_stream(thread: Thread, to: int, source: int) -> None:
    """Copy them."""
    thread.runtime.StreamCopyAttributes(thread.session.stream(to), thread.session.stream(source))


@answers("cudaGraphKernelNodeSetAttribute")
def set_of_node(thread: Thread, node: int, attribute: Int, value: int) -> None:
    """Set one."""
    thread.runtime.GraphKernelNodeSetAttribute(thing(thread.session, node, Node), attribute, value_at(thread, attribute, value))


@answers("cudaGraphKernelNodeGetAttribute")
def get_of_node(thread: Thread, node: int, attribute: Int, out: int) -> None:
    """Give one."""
    found = thread.runtime.GraphKernelNodeGetAttribute(thing(thread.session, node, Node), attribute)
    thread.memory.put(out, value_bytes(attribute, found))


@answers("cudaGraphKernelNodeCopyAttributes")
def copy_of_node(thread: Thread, to: int, source: int) -> None:
    """Copy them."""
    thread.runtime.GraphKernelNodeCopyAttributes(thing(thread.session, to, Node), thing(thread.session, source, Node))
