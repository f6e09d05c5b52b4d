"""Builders for loads, stores, atomics, fences and hints."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from archdef.lower.encoding import ConstantKind, Flag, Kind, RegisterOp, Space
from archdef.lower.registers import LEAST, MOST, STEP, budget, registers_of
from archdef.lower.select.argument_pieces import read_part, write_part
from archdef.lower.select.selection import SPACES, Selection, builds, lane_bytes
from archdef.lower.virtual import Block, Const, Value, immediate, mov
from archdef.ptx import ir
from archdef.ptx.table import Match, bits_of

OPERATIONS = {
    Kind.LOAD: {Space.GLOBAL: "load_global", Space.SHARED: "load_shared", Space.LOCAL: "load_local",
                Space.CONST: "load_constant", Space.GENERIC: "load_global"},
    Kind.STORE: {Space.GLOBAL: "store_global", Space.SHARED: "store_shared", Space.LOCAL: "store_local",
                 Space.CONST: "store_global", Space.GENERIC: "store_global"},
    Kind.ATOM: {Space.GLOBAL: "atomic_global", Space.SHARED: "atomic_shared", Space.GENERIC: "atomic_global"},
}
"""Class of operation by kind and space."""
_STRONG = frozenset(("volatile", "relaxed", "acquire", "release", "mmio"))


def address(s: Selection, operand: ir.Operand) -> tuple[Value, int, int, str | None]:
    """Give base, offset, flags and the space that a named variable implies."""
    if not isinstance(operand, ir.Address):
        raise s.fault("expected an address, [register], [variable] or [register+offset]")
    base = operand.base
    if base is None:
        return immediate(operand.offset, 8), 0, Flag.ADDRESS64, None
    if isinstance(base, ir.Register):
        v = s.register(base.name, base.type)
        return v, operand.offset, Flag.ADDRESS64 if s.unit.widths[v] == 8 else 0, None
    place = s.layout.find(s.function.name, base.name)
    if place is None:
        s.symbol(ir.Symbol(base.name), 8)  # says what is wrong
        raise s.fault(f"unknown variable `{base.name}`")
    if place[0] == "frame":
        return s.frame, place[1] + base.offset + operand.offset, 0, "local"
    wide = place[0] in ("global", "const", "param")
    constant = s.symbol(ir.Symbol(base.name), 8 if wide else 4)
    return constant, base.offset + operand.offset, Flag.ADDRESS64 if wide else 0, place[0]


def hints(m: Match) -> int:
    """Give the flags that orderings and cache operators imply."""
    flags = 0
    if m.bound.get("order") in _STRONG or m.bound.get("mmio") or m.bound.get("cache") in ("cg", "cv"):
        flags |= Flag.BYPASS_L1
    if "nc" in (m.bound.get("cache"), m.bound.get("nc")) or m.row.opcode == "ldu":
        flags |= Flag.READ_ONLY
    return flags


def _elements(s: Selection, operand: ir.Operand, m: Match) -> tuple[str, list[ir.Operand | None]]:
    """Give type and registers of what is loaded or stored; 128 bits are two times 64."""
    if m.bound["type"] == "b128":
        return "b64", list(s.halves(operand).elements)
    return m.bound["type"], vector(s, operand, m.bound["vec"])


def vector(s: Selection, operand: ir.Operand, vec: str) -> list[ir.Operand | None]:
    """Give the elements of an access of one or several."""
    count = int((vec or "v1")[1:])
    if isinstance(operand, ir.Vector):
        if len(operand.elements) != count and count > 1:
            raise s.fault(f"a .v{count} access takes {count} elements, got {len(operand.elements)}")
        return list(operand.elements)
    if count > 1:
        raise s.fault(f"a .v{count} access takes a vector {{…}} of {count} registers")
    return [operand]


@builds("load")
def load(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``ld``: from the parameters, or from memory."""
    type, elements = _elements(s, i.operands[0], m)
    source = i.operands[1]
    if m.bound["space"] == "param" and isinstance(source, ir.Address) and isinstance(source.base, ir.Symbol):
        for k, element in enumerate(elements):
            if element is not None:
                _load_parameter(s, element, type, source.base.name, source.base.offset + source.offset + k * bits_of(type) // 8)
        return
    base, offset, flags, implied = address(s, source)
    space = SPACES[m.bound["space"] or (implied or "")]
    registers = [None if e is None else s.register(e.name, e.type) if isinstance(e, ir.Register) else _refuse(s)
                 for e in elements]
    known = [v for v in registers if v is not None]
    if not known:
        return
    width = s.unit.widths[known[0]]
    if any(s.unit.widths[v] != width for v in known) or width < bits_of(type) // 8:
        raise s.fault(f"a destination of a load of type {type} must be a register of at least its width")
    if type[0] == "s":
        flags |= Flag.SIGNED
    # memory gives 32-bit lanes unless its elements have 64 bits; a wider register takes an extension
    loaded = registers if width == lane_bytes(type) else [None if v is None else s.fresh(4) for v in registers]
    with ordered(s, m, space, loaded):
        s.emit(Kind.LOAD, 0, loaded, [base], OPERATIONS[Kind.LOAD][space], width=lane_bytes(type), flags=flags | hints(m),
               space=space, element=bits_of(type) // 8, vec=len(registers), offset=offset)
    for v, narrow in zip(registers, loaded):
        if v is not None and v != narrow:
            s.emit(Kind.ALU, "cvt_s64_s32" if type[0] == "s" else "cvt_u64_u32", [v], [narrow], "move", width=8)


def _refuse(s: Selection):
    raise s.fault("the destination of a load must be a register")


def _load_parameter(s: Selection, element: ir.Operand, type: str, name: str, offset: int) -> None:
    """Read a parameter: of the kernel (a constant operand), of this device function, or a result of a call."""
    size = bits_of(type) // 8
    if not isinstance(element, ir.Register):
        _refuse(s)
    if s.function.entry and s.layout.offsets.get((s.function.name, name), ("",))[0] == "param":
        start = s.layout.offsets[s.function.name, name][1] + offset
        source = _parameter_constant(s, type, start)
    else:
        source = read_part(s, name, offset, size)
        if size < 4:
            source = s.temporary(f"cvt_{type[0] if type[0] == 's' else 'u'}32_{_integer(type)}", [source], 4, "convert")
    d = s.register(element.name, element.type)
    has, width = s.unit.widths[d], lane_bytes(type)
    if has != width:
        source = s.temporary("cvt_s64_s32" if type[0] == "s" else "cvt_u64_u32", [source], 8, "move")
    s.emit(Kind.ALU, mov(has), [d], [source], "move", width=has)


def _parameter_constant(s: Selection, type: str, start: int) -> Value:
    width, size = lane_bytes(type), bits_of(type) // 8
    if start < 0 or start + size > s.layout.parameter_bytes:
        raise s.fault("this reads past the kernel's parameters")
    if size >= 4:
        return Const(ConstantKind.PARAMETER, width, start)
    word: Value = Const(ConstantKind.PARAMETER, 4, start & ~3)
    if start & 3:
        word = s.temporary("shr_u32", [word, immediate(8 * (start & 3))], 4, "int_shift")
    return s.temporary(f"cvt_{'s' if type[0] == 's' else 'u'}32_{_integer(type)}", [word], 4, "convert")


def _integer(type: str) -> str:
    return type if type[0] in "us" else "u" + type[1:]


@builds("store")
def store(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``st``: into a parameter of a call, a result of this function, or memory."""
    type, elements = _elements(s, i.operands[1], m)
    target = i.operands[0]
    if any(e is None for e in elements):
        raise s.fault("a store needs a value for every element")
    values = [s.value(e, type) for e in elements]
    if m.bound["space"] == "param" and isinstance(target, ir.Address) and isinstance(target.base, ir.Symbol):
        size = bits_of(type) // 8
        for k, value in enumerate(values):
            write_part(s, target.base.name, target.base.offset + target.offset + k * size, size, value)
        return
    base, offset, flags, implied = address(s, target)
    space = SPACES[m.bound["space"] or (implied or "")]
    with ordered(s, m, space):
        s.emit(Kind.STORE, 0, [], [base, *values], OPERATIONS[Kind.STORE][space], width=lane_bytes(type), flags=flags | hints(m),
               space=space, element=bits_of(type) // 8, vec=len(values), offset=offset)


@builds("atomic")
def atomic(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``atom`` and ``red``."""
    type, returns, vec = m.bound["type"], i.opcode == "atom", m.bound.get("vec", "")
    operands = i.operands[1:] if returns else i.operands
    base, offset, flags, implied = address(s, operands[0])
    if vec:
        values = [s.value(element, type) for element in vector(s, operands[1], vec)]
    else:
        values = [s.value(operand, type) for operand in operands[1:3 if m.bound["op"] == "cas" else 2]]
        values += [None] * (2 - len(values))
    space = SPACES[m.bound["space"] or (implied or "")]
    if space in (Space.CONST, Space.LOCAL):
        raise s.fault("atomics work on global and shared memory")
    count = len(values) if vec else 1
    destinations, finishes = [None] * count, []
    for k, element in enumerate(vector(s, i.operands[0], vec) if returns and not _is_sink(i.operands[0]) else ()):
        if element is not None:
            destinations[k], finish = s.destination(element, type)
            finishes.append(finish)
    with ordered(s, m, space, destinations):
        s.emit(Kind.ATOM, m.fn, destinations, [base, *values], OPERATIONS[Kind.ATOM][space], width=lane_bytes(type),
               flags=flags | hints(m), space=space, element=bits_of(type) // 8, vec=count, offset=offset)
    for finish in finishes:
        finish()


@contextmanager
def ordered(s: Selection, m: Match, space: Space, results: Sequence[int | None] = ()) -> Iterator[None]:
    """Put what orders an access around it, as `Accesses` says: a fence before a release, the end of the L1's lines behind an acquire.

    A guarded access of that kind is branched around, and atomics where `Accesses` says so.
    """
    order = m.bound.get("order", "")
    far = s.accesses.ordered_by_fences and m.bound.get("scope") not in ("cta", "cluster") and space in (Space.GLOBAL, Space.GENERIC)
    releases, acquires = far and order in ("release", "acq_rel", "sc"), far and order in ("acquire", "acq_rel", "sc")
    apart = releases or acquires or s.accesses.atomics_branched_around and s.instruction.opcode in ("atom", "red")
    if not apart:
        yield
        return
    over, guard = Block("@ordered"), s.guard
    if guard is not None:
        s.emit(Kind.BRANCH, 0, operation="branch", target=over)
        s.ops[-1].guard = ~guard
        s.guard = None
    if releases:
        s.emit(Kind.FENCE, 0, operation="fence")
    yield
    if acquires:
        s.emit(Kind.FENCE, 0, [], [v for v in results if v is not None][:1], operation="load_global")
    if guard is not None:
        s.guard = guard
        s.begin(over)


def _is_sink(operand: ir.Operand) -> bool:
    return isinstance(operand, ir.Vector) and all(element is None for element in operand.elements)


@builds("fence")
def fence(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``membar`` and ``fence``."""
    s.emit(Kind.FENCE, 0, operation="fence")


@builds("policy")
def policy(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``createpolicy``: a cache policy is a hint without effect here, so any value will do."""
    d, finish = s.destination(i.operands[0], "b64")
    s.emit(Kind.ALU, "mov_b64", [d], [immediate(0, 8)], m.operation, width=8)
    finish()


@builds("register_count")
def register_count(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``setmaxnreg``: registers go to the block's pool or come from there; where nobody says what the kernel starts with, nothing happens."""
    count = i.operands[0].value if isinstance(i.operands[0], ir.Immediate) else None
    if not isinstance(count, int):
        raise s.fault("setmaxnreg takes a constant")
    if not LEAST <= count <= MOST or count % STEP:
        raise s.fault(f"setmaxnreg takes a multiple of {STEP} from {LEAST} to {MOST}, got {count}")
    asked = budget(s.calls.functions[0].directives, s.architecture)
    if asked is None:
        s.warn("setmaxnreg has no effect: the kernel does not say how many registers it starts with (.maxnreg, or .maxntid with .minnctapersm)")
        return
    most = registers_of(s.calls.functions, asked, s.architecture).most
    gives = m.bound["way"] == "dec"
    if gives and count > most:
        raise s.fault(f"setmaxnreg.dec to {count} registers, more than the {most} that the kernel has at any time")
    s.emit(Kind.REGISTERS, int(RegisterOp.GIVE if gives else RegisterOp.TAKE), operation="move", count=count)


@builds("hint")
def hint(s: Selection, m: Match, i: ir.Instruction) -> None:
    """What changes no value: prefetches, sleeps, marks. Nothing is issued for it, but a sleep lets other lanes go first where they can."""
    if i.opcode == "nanosleep" and s.architecture.warp.reconvergence.independent:
        s.emit(Kind.FENCE, 0, operation="branch", flags=Flag.YIELD)
