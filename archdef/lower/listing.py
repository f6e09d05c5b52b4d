"""A program as text: op index, PTX line, micro-op, cost."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from archdef.lower.encoding import (
    NO_PREDICATE,
    NO_ROW,
    BarrierOp,
    BoxOp,
    BulkRoute,
    Combine,
    ConstantKind,
    CopyGroup,
    Flag,
    Geometry,
    Kind,
    GroupOp,
    MatrixOp,
    PhaseOp,
    ReduxOp,
    RegisterOp,
    ShuffleOp,
    Space,
    SpecialRegister,
    SurfaceOp,
    SystemCall,
    TextureOp,
    VoteOp,
)
from archdef.lower.pack import PREDICATE_SOURCES, lane_functions, predicate_destinations

if TYPE_CHECKING:
    from archdef.lower.program import Program

_KINDS_WITH_TARGET = (Kind.BRANCH, Kind.CALL)
_SYMBOLS = {ConstantKind.GLOBAL_SYMBOL: "global", ConstantKind.CONST_SYMBOL: "const", ConstantKind.PARAM_SYMBOL: "param",
            ConstantKind.LOCAL_SYMBOL: "local", ConstantKind.SHARED_SYMBOL: "shared"}
_ROUNDINGS = ("", ".rz", ".rm", ".rp")


class Line(NamedTuple):
    """A micro-op of a listing."""

    op: int
    ptx_line: int
    text: str
    unit: int
    issues: int
    interval: float
    latency: int


def head(program: Program) -> str:
    """Say how large a program is."""
    return (f"{program.entry} for {program.architecture}: {len(program.ops)} micro-ops, {program.instructions} instructions, "
            f"{program.registers} registers, {program.rows} rows, {program.shared_bytes} B shared, {program.local_bytes} B local")


def given(program: Program) -> list[str]:
    """List the registers that hold something when the program starts."""
    return [f"r{row['row']} = %{SpecialRegister(int(row['special'])).name.lower()}" for row in program.specials]


def lines(program: Program) -> Iterator[Line]:
    """Give the micro-ops of a program."""
    names = {kind: {number: name for name, number in numbers.items()} for kind, numbers in lane_functions().items()}
    for k, op in enumerate(program.ops):
        yield Line(k, program.statements[op["statement"]].line, _text(program, op, names), int(op["unit"]), int(op["issues"]),
                   float(op["interval"] + op["fraction"] / 256), int(op["latency"]))


def listing(program: Program) -> str:
    """Print a program, one op a line."""
    ops = (f"{op.op:5d} {op.ptx_line:5d}  {op.text:64s} unit {op.unit} issues {op.issues} interval {op.interval:g} latency {op.latency}"
           for op in lines(program))
    return "\n".join([head(program), *(f"      {register}" for register in given(program)), *ops]) + "\n"


def listed(program: Program) -> list[tuple[int, str, str]]:
    """Give of each op the statement that it is of, its text, and what it costs."""
    return [(int(op["statement"]), line.text, f"unit {line.unit} issues {line.issues} interval {line.interval:g} latency {line.latency}")
            for op, line in zip(program.ops, lines(program), strict=True)]


def _text(program: Program, op, names) -> str:
    kind = Kind(int(op["kind"]))
    head = _head(op, kind, names)
    guard = ""
    if op["guard"]:
        mark = "%" if op["flags"] & Flag.PREDICATED else "@"
        guard = f"{mark}{_predicate(int(op['guard_predicate']))} "
    operands = [_destination(int(v), kind, k, op) for k, v in enumerate(op["d"])]
    operands += [_source(program, int(v), kind, k, int(op["combine"])) for k, v in enumerate(op["s"])]
    if kind == Kind.BULK or kind == Kind.SURFACE and op["combine"] == SurfaceOp.STORE:  # sources that did not fit go on among the destinations
        operands = operands[4:] + [_source(program, int(v), kind, 5, 0) for v in op["d"]]
    if kind in (Kind.MATRIX, Kind.GROUP_PRODUCT) or kind == Kind.SYSTEM and op["count"]:
        found = program.operands[op["target"]:op["target"] + op["count"]]
        kept = {Kind.SYSTEM: operands[:1], Kind.GROUP_PRODUCT: operands[4:7]}.get(kind, [])
        operands = kept + [_source(program, int(v), kind, 0, 0) for v in found]
    if kind in (Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.MATRIX_LOAD, Kind.MATRIX_STORE):
        base = _source(program, int(op["s"][0]), kind, 0, 0)
        operands[4] = f"[{base}{int(op['offset']):+d}]" if op["offset"] else f"[{base}]"
    words = [w for w in operands if w]
    if kind in _KINDS_WITH_TARGET:
        words.append(f"-> {op['target']}")
    if kind == Kind.BRANCH_INDEXED:
        found = program.targets[op["target"]:op["target"] + op["count"]]
        words.append("-> " + " ".join(str(t) for t in found))
    if kind in (Kind.BRANCH, Kind.BRANCH_INDEXED):
        words.append(f"meet {op['reconverge'] if op['reconverge'] >= 0 else 'end'}")
    return f"{guard}{head} {', '.join(words)}".rstrip()


def _head(op, kind: Kind, names) -> str:
    fn = int(op["fn"])
    if kind == Kind.BULK and op["combine"] >= BulkRoute.BOX_IN:
        return f"bulk.{BulkRoute(int(op['combine'])).name.lower()}" + (f".{BoxOp(fn).name.lower()}" if op["vec"] else "")
    if kind == Kind.BULK:
        return f"bulk.{BulkRoute(int(op['combine'])).name.lower()}" + (f".{names[kind][fn]}" if op["vec"] else "")
    if kind in names:
        head = names[kind][fn]
        if kind == Kind.SETP:
            head = f"set_{head}" + (f".{Combine(int(op['combine'])).name.lower()}" if op["combine"] else "")
        elif kind == Kind.ATOM:
            head = f"atom.{Space(int(op['space'])).name.lower()}.{head}"
        elif kind == Kind.CARRY:
            head = f"carry_{head}"
        return head + _ROUNDINGS[op["fpenv"] & 3] + (".ftz" if op["fpenv"] & 4 else "")
    if kind in (Kind.LOAD, Kind.STORE):
        vector = f".v{op['vec']}" if op["vec"] > 1 else ""
        return f"{kind.name.lower()}.{Space(int(op['space'])).name.lower()}{vector}.{'s' if op['flags'] & 1 else 'b'}{8 * op['element']}"
    if kind == Kind.MATRIX:
        shape = f".{8 * op['vec']}x8x{op['offset']}" if op["vec"] else ""
        return f"matrix.{MatrixOp(fn).name.lower()}{shape}"
    if kind == Kind.GROUP_PRODUCT:
        return f"group_product.{MatrixOp(fn).name.lower()}.64x{8 * op['vec']}x{256 // int(op['element'])}"
    if kind in (Kind.MATRIX_LOAD, Kind.MATRIX_STORE):
        return f"{kind.name.lower()}.{Space(int(op['space'])).name.lower()}.x{op['vec']}" + ".trans" * fn
    if kind == Kind.PRED:
        return f"pred.{fn:#04x}"
    if kind in (Kind.TEXTURE, Kind.SURFACE):
        action = (TextureOp if kind == Kind.TEXTURE else SurfaceOp)(int(op["combine"])).name.lower()
        return f"{kind.name.lower()}.{action}.{Geometry(fn).name.lower().removeprefix('g')}"
    member = {Kind.BARRIER: BarrierOp, Kind.VOTE: VoteOp, Kind.SHUFFLE: ShuffleOp, Kind.SPECIAL: SpecialRegister,
              Kind.REDUX: ReduxOp, Kind.SYSTEM: SystemCall, Kind.PHASE: PhaseOp, Kind.COPY_GROUP: CopyGroup, Kind.GROUP: GroupOp,
              Kind.REGISTERS: RegisterOp}.get(kind)
    return f"{kind.name.lower()}.{member(fn).name.lower()}" if member else kind.name.lower()


def _predicate(v: int) -> str:
    return f"{'!' if v & 1 else ''}p{v >> 1}"


def _destination(v: int, kind: Kind, k: int, op) -> str:
    if k in predicate_destinations(kind, int(op["fn"])):
        return "" if v == NO_PREDICATE else f"p{v}"
    return "" if v == NO_ROW else _pair(v, int(op["width"]) == 8)


def _pair(v: int, wide: bool) -> str:
    return f"r{v}:{v + 1}" if wide else f"r{v}"


def _source(program: Program, v: int, kind: Kind, k: int, combine: int) -> str:
    if k in PREDICATE_SOURCES.get(kind, ()):
        if kind == Kind.SETP and not combine or kind == Kind.PRED and v == 0 or kind == Kind.BARRIER and v == 0:
            return ""
        return _predicate(v)
    if v == NO_ROW:
        return ""
    if v >= 0:
        return f"r{v}"
    row = program.constants[-1 - v]
    kind_, value = ConstantKind(int(row["kind"])), int(row["value"])
    if kind_ == ConstantKind.PARAMETER:
        return f"param[{value}]"
    if kind_ == ConstantKind.SPECIAL:
        return f"%{SpecialRegister(value).name.lower()}"
    if kind_ == ConstantKind.IMMEDIATE:
        bits = 8 * int(row["width"])
        shown = value - (value >> bits - 1 << bits)
        return str(shown) if abs(shown) < 1 << 20 else hex(value)
    return f"{_SYMBOLS[kind_]}[{value}]"
