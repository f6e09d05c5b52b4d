"""Builders for what the machine's runtime serves: printing, failed assertions, the device heap.

PTX spells these as calls of functions without a body.
"""
from __future__ import annotations

import attrs

from archdef.lower.encoding import BarrierOp, Kind, SystemCall
from archdef.lower.select.children import CHILD_SERVICES, DIM3
from archdef.lower.select.selection import Selection, lane_bytes
from archdef.lower.select.service import Service
from archdef.lower.virtual import Value, immediate, mov
from archdef.ptx import ir


@attrs.frozen
class Known:
    """A function that a compiler leaves undefined although it always gives the same."""

    parameters: tuple[str, ...]
    result: str
    value: int


@attrs.frozen
class Gathers:
    """A function at which all blocks of a group wait; its first argument is the group's handle."""

    parameters: tuple[str, ...]
    feature: str


SERVICES = {
    "vprintf": Service(SystemCall.PRINT, ("u64", "u64"), "u32", "device_print"),
    "__assertfail": Service(SystemCall.ASSERT, ("u64", "u64", "u32", "u64", "u64"), None, "device_print"),
    "malloc": Service(SystemCall.ALLOCATE, ("u64",), "u64", "device_heap"),
    "free": Service(SystemCall.FREE, ("u64",), None, "device_heap"),
    # operators of C++: new and new[] of an unsigned long, delete and delete[], without and with the size
    "_Znwm": Service(SystemCall.ALLOCATE, ("u64",), "u64", "device_heap"),
    "_Znam": Service(SystemCall.ALLOCATE, ("u64",), "u64", "device_heap"),
    "_ZdlPv": Service(SystemCall.FREE, ("u64",), None, "device_heap"),
    "_ZdaPv": Service(SystemCall.FREE, ("u64",), None, "device_heap"),
    "_ZdlPvm": Service(SystemCall.FREE, ("u64", "u64"), None, "device_heap"),
    "_ZdaPvm": Service(SystemCall.FREE, ("u64", "u64"), None, "device_heap"),
    # nan(const char *), nanf(const char *): clang declares them and has no body; the payload that is asked for is ignored
    "_ZL3nanPKc": Known(("u64",), "f64", 0x7FF8000000000000),
    "_Z3nanPKc": Known(("u64",), "f64", 0x7FF8000000000000),
    "_ZL4nanfPKc": Known(("u64",), "f32", 0x7FC00000),
    "_Z4nanfPKc": Known(("u64",), "f32", 0x7FC00000),
    # cooperative_groups.h: groups of blocks and of grids (cuda_device_runtime_api.h)
    "cudaCGGetIntrinsicHandle": Service(SystemCall.GROUP_HANDLE, ("u32",), "u64", "cooperative_launch"),
    "cudaCGGetSize": Service(SystemCall.GROUP_SIZE, ("u64", "u64", "u64"), "u32", "cooperative_launch"),
    "cudaCGGetRank": Service(SystemCall.GROUP_RANK, ("u64", "u64", "u64"), "u32", "cooperative_launch"),
    "cudaCGSynchronize": Gathers(("u64", "u32"), "cooperative_launch"),
    "cudaCGSynchronizeGrid": Gathers(("u64", "u32"), "cooperative_launch"),
    **CHILD_SERVICES,
}
"""Name of the function → what serves it."""


def serve(s: Selection, target: ir.CallTarget, service: Service | Known | Gathers) -> None:
    """Emit the system call for a ``call`` of a function of the runtime, its barrier, or the value that it always gives."""
    if not isinstance(service, Known):
        s.need(service.feature)
    wanted, gives = len(service.parameters), int(isinstance(service, Gathers) or service.result is not None)
    if len(target.arguments) != wanted or len(target.returns) != gives:
        raise s.fault(f"`{target.callee.name}` takes {wanted} arguments and gives {gives} results")
    sources = [value for argument, type in zip(target.arguments, service.parameters) for value in _arguments(s, argument, type)]
    if isinstance(service, Gathers):
        d = s.fresh(4)
        s.emit(Kind.BARRIER, BarrierOp.GRIDS, [d, None], [sources[0], None, None], "barrier")
        s.take_result(target.returns[0], d, 4)
        return
    width = lane_bytes(service.result) if service.result else 4
    if isinstance(service, Known):
        d = s.fresh(width)
        s.emit(Kind.ALU, mov(width), [d], [immediate(service.value, width)], "move", width=width)
        s.take_result(target.returns[0], d, width)
        return
    if service.number == SystemCall.FREE:
        sources = sources[:1]
    if service.number == SystemCall.JOIN and not s.architecture.device_launches.synchronization_depth:
        raise s.unsupported(f"`{target.callee.name}` in a kernel: kernels of this machine cannot wait for what they launch "
                            "(device_launches.synchronization_depth is 0)")
    sources += [immediate(number, 4) for number in service.constants]
    result = [s.fresh(width)] if service.result else []
    s.emit(Kind.SYSTEM, int(service.number), result, sources, "system_call", width=width)
    if service.result:
        s.take_result(target.returns[0], result[0], width)


def _arguments(s: Selection, argument, type: str) -> list[Value]:
    if type != DIM3:
        return [_argument(s, argument, type)]
    pieces = [s.pieces.get((argument, offset)) for offset in (0, 4, 8)]
    if None in pieces or any(s.unit.widths[piece.register] != 4 for piece in pieces):
        raise s.unsupported(f"`{argument}` is not stored as three words")
    return [piece.register for piece in pieces]


def _argument(s: Selection, argument, type: str) -> Value:
    if not isinstance(argument, str):
        return s.value(argument, type)
    piece = s.pieces.get((argument, 0))
    if piece is None or lane_bytes(type) != s.unit.widths[piece.register]:
        raise s.unsupported(f"`{argument}` is not stored as one value of type {type}")
    return piece.register
