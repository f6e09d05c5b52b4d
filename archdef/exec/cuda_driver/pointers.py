"""What is asked about an address."""
from __future__ import annotations

import struct
from typing import Any, Final

from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.cuda_driver.calls import answers
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

_HOST, _DEVICE = 1, 2
_MOST_ATTRIBUTES: Final = 64
_WORDS: Final = {"context": "Q", "kind": "I", "device_pointer": "Q", "host_pointer": "Q", "synchronous": "I", "buffer": "Q", "managed": "I", "ordinal": "i",
                 "legacy_ipc": "I", "start": "Q", "nbytes": "Q", "mapped": "I", "handle_types": "Q", "rdma": "I", "access": "I", "pool": "Q"}
_ATTRIBUTES: Final = dict(zip((1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17), _WORDS, strict=True))
"""CUpointer_attribute → what it is called here."""
_READ_AND_WRITE: Final = 3


def _described(thread: Thread, address: int) -> dict[str, Any] | None:
    """Give the attributes of an address by their names here; None where it is the program's own memory."""
    base = thread.session.allocation(address)
    if base is not None:
        return _of_device(thread, address, base)
    allocated = thread.session.host_view(address, 1) is not None
    if not allocated and not thread.session.is_registered(address):
        return None
    context = thread.session.contexts.needed(thread)
    found = {"context": context.handle, "kind": _HOST, "host_pointer": address, "ordinal": context.device, "buffer": address, "mapped": 1}
    seen = allocated and thread.session.host_seen(address)
    return found | {"device_pointer": thread.session.host_on_devices(thread.connection, address)} if seen else found


def _of_device(thread: Thread, address: int, base: Pointer) -> dict[str, Any]:
    contexts, managed = thread.session.contexts, thread.session.is_managed(address)
    number = next(n for n, each in enumerate(thread.runtime.devices.all()) if each.memory is base.memory)
    context = next((each for each in contexts.known_ones if each.allocations.get(int(base)) is base), None) or contexts.primary(number)
    found = {"context": context.handle, "kind": _DEVICE, "device_pointer": address, "buffer": int(base), "managed": int(managed), "ordinal": number,
             "start": int(base), "nbytes": base.left, "mapped": 1, "access": _READ_AND_WRITE}
    return found | {"host_pointer": address} if managed else found


def _packed(attribute: int, described: dict[str, Any]) -> bytes:
    name = _ATTRIBUTES.get(attribute)
    if name is None:
        raise Refusal("InvalidValue", f"there is no attribute {attribute} of addresses")
    return struct.pack(f"<{_WORDS[name]}", described.get(name, 0))


@answers("cuPointerGetAttribute")
def attribute(thread: Thread, out: int, number: Int, address: int) -> None:
    """Give one attribute. Raises Refusal where CUDA knows nothing of the address, and for a pointer that the memory does not have."""
    described = _described(thread, address)
    if described is None:
        raise Refusal("InvalidValue", f"{address:#x} was not allocated by CUDA, and is not page-locked")
    name = _ATTRIBUTES.get(number & 0xFFFFFFFF)
    if name in ("device_pointer", "host_pointer") and name not in described:
        raise Refusal("InvalidValue", f"{address:#x} has no {name.replace('_', ' ')}")
    thread.memory.put(out, _packed(number & 0xFFFFFFFF, described))


@answers("cuPointerGetAttributes")
def attributes(thread: Thread, count: UInt, numbers: int, outs: int, address: int) -> None:
    """Give several; 0 where there is nothing to say."""
    if not 0 < count <= _MOST_ATTRIBUTES:
        raise Refusal("InvalidValue", f"{count} attributes")
    described = _described(thread, address) or {"ordinal": -2}
    wanted = struct.unpack(f"<{count}I", thread.memory.get(numbers, 4 * count))
    places = struct.unpack(f"<{count}Q", thread.memory.get(outs, 8 * count))
    for number, place in zip(wanted, places, strict=True):
        thread.memory.put(place, _packed(number, described))
