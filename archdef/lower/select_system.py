"""Builders for what the machine's runtime serves: printing, failed assertions, the device heap.

PTX spells these as calls of functions without a body.
"""
from __future__ import annotations

import attrs

from archdef.lower.encoding import Kind, SystemCall
from archdef.lower.select import Selection, lane_bytes
from archdef.lower.virtual import Value
from archdef.ptx import ir


@attrs.frozen
class Service:
    """One function of the runtime."""

    number: SystemCall
    parameters: tuple[str, ...]
    """PTX types, in order."""
    result: str | None
    feature: str


SERVICES = {
    "vprintf": Service(SystemCall.PRINT, ("u64", "u64"), "u32", "device_print"),
    "__assertfail": Service(SystemCall.ASSERT, ("u64", "u64", "u32", "u64", "u64"), None, "device_print"),
    "malloc": Service(SystemCall.ALLOCATE, ("u64",), "u64", "device_heap"),
    "free": Service(SystemCall.FREE, ("u64",), None, "device_heap"),
}
"""Name of the function → what serves it."""


def serve(s: Selection, target: ir.CallTarget, service: Service) -> None:
    """Emit the system call for a ``call`` of a function of the runtime."""
    s.need(service.feature)
    wanted, gives = len(service.parameters), int(service.result is not None)
    if len(target.arguments) != wanted or len(target.returns) != gives:
        raise s.fault(f"`{target.callee.name}` takes {wanted} arguments and gives {gives} results")
    sources = [_argument(s, argument, type) for argument, type in zip(target.arguments, service.parameters)]
    width = lane_bytes(service.result) if service.result else 4
    result = [s.fresh(width)] if service.result else []
    s.emit(Kind.SYSTEM, int(service.number), result, sources, "system_call", width=width)
    if service.result:
        s.take_result(target.returns[0], result[0], width)


def _argument(s: Selection, argument, type: str) -> Value:
    if not isinstance(argument, str):
        return s.value(argument, type)
    piece = s.pieces.get((argument, 0))
    if piece is None or lane_bytes(type) != s.unit.widths[piece.register]:
        raise s.unsupported(f"`{argument}` is not stored as one value of type {type}")
    return piece.register
