"""Instruction selection: every PTX instruction becomes micro-ops over virtual registers, by its row of the table.

Builders, one per key of `Row.builder`, live in the other modules of this package and register themselves here.
"""
from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator

import attrs

from archdef.errors import MissingFeature, PtxError
from archdef.lower.calls import Calls, Signature, number_of
from archdef.lower.encoding import FIRST_LAUNCH_WIDE, FIRST_OF_ALL_CLUSTERS, FIRST_OF_CLUSTER, FIRST_ON_DEMAND, ConstantKind, Kind, Space, SpecialRegister
from archdef.lower.frames import STACK_OPCODES, move_stack, rounded
from archdef.lower.layout import SCRATCH_BYTES, Layout
from archdef.lower.virtual import ABSORBED, TRUE, Block, Code, Const, Op, Unit, Value, immediate, mov
from archdef.ptx import ir, table
from archdef.spec.isa import FEATURES

Builder = Callable[["Selection", table.Match, ir.Instruction], None]
BUILDERS: dict[str, Builder] = {}
ROUNDING = {"": 0, "rn": 0, "rz": 1, "rm": 2, "rp": 3}
FLUSH = 4
_BIT_PATTERNS = frozenset(("f16", "bf16", "f16x2", "bf16x2"))
"""Types whose integer constants are bit patterns."""


def builds(*keys: str):
    """Register a builder for rows with one of these keys."""
    def register(builder: Builder) -> Builder:
        for key in keys:
            BUILDERS[key] = builder
        return builder
    return register


def lane_bytes(type: str) -> int:
    """Give the bytes a lane of a register of this type: 0 predicate, 4 or 8."""
    if type == "pred":
        return 0
    bits = table.bits_of(type) if type.lstrip("usbf").isdigit() else 32
    return 8 if bits == 64 else 4


@attrs.define(slots=True, eq=False)
class Piece:
    """Part of a parameter of a device function: the register that carries it, and its size in memory."""

    register: int
    bytes: int


@attrs.define(slots=True, eq=False)
class Interface:
    """How callers and a device function hand over values: registers of the callee."""

    parameters: list[dict[int, Piece]]
    """Per parameter, offset → piece; a ``.reg`` parameter is one piece at 0."""
    returns: list[dict[int, Piece]]
    apart: bool = False
    """The registers belong to no function: the callee copies what it needs."""

    def registers(self, listed: list[dict[int, Piece]]) -> frozenset[int]:
        """Give the registers of some pieces."""
        return frozenset(piece.register for pieces in listed for piece in pieces.values())


@attrs.frozen(kw_only=True)
class Accesses:
    """What a target puts around accesses to memory."""

    ordered_by_fences: bool = False
    """An access that releases has a fence before it, one that acquires an instruction behind it that empties L1, which waits for it."""
    atomics_branched_around: bool = False
    """Atomic operations are not predicated, whatever the program says."""


@attrs.define(slots=True, eq=False)
class Selection:
    """Selection of one function."""

    module: ir.Module
    function: ir.Function
    architecture: object
    unit: Unit
    layout: Layout
    interfaces: dict[str | Signature, Interface]
    carriers: dict[tuple[str, str], dict[int, int]]
    """(function, parameter variable) → offset → bytes of what carries it; smaller accesses take a part."""
    calls: Calls
    first_statement: int
    accesses: Accesses = Accesses()
    code: Code = None
    ops: list[Op] = attrs.Factory(list)
    """What has been selected."""
    begun: list[tuple[int, Block]] = attrs.Factory(list)
    """Blocks to which branches may go, each with the number of operations before it."""
    named: dict[str, Block] = attrs.Factory(dict)
    """Label of the source → the block that begins there."""
    registers: dict[str, int] = attrs.Factory(dict)
    pieces: dict[tuple[str, int], Piece] = attrs.Factory(dict)
    """(parameter variable, offset) → what carries it."""
    statement: int = 0
    instruction: ir.Instruction = None
    guard: int | None = None
    barriers: int = 0
    immediates: dict[str, ir.Immediate | None] | None = None
    """Register → the immediate that its only definition gives it; made when first asked for."""
    narrow: frozenset[str] | None = None
    """64-bit registers that hold 32-bit values only; made when first asked for."""
    temporaries: set[int] = attrs.Factory(set)
    """Registers that hold a value within one instruction only."""
    handed_back: list[tuple[int, int]] = attrs.Factory(list)
    """(register of the interface, own register) of each piece of the results, where these are apart."""
    frame: int | None = None
    """Register that holds the stack pointer of the caller, in a function with a frame of its own."""
    warnings: list[str] = attrs.Factory(list)
    """What is allowed, and probably not meant."""

    def run(self) -> Code:
        """Select the whole body."""
        function = self.function
        self.code = Code(function)
        self.statement = self.first_statement
        self._enter()
        ops = self.ops
        places: dict[int, list[str]] = {}
        for label, index in function.labels.items():
            places.setdefault(index, []).append(label)
        for index, instruction in enumerate(function.body):
            for label in places.get(index, ()):
                self.begin(self.block(label))
            self.statement, self.instruction, self.guard = self.first_statement + index, instruction, None
            found = table.match(instruction, self.module)
            for feature in found.features:
                self.need(feature)
            count, listed = len(instruction.operands), len(found.operands)
            if not found.least <= count <= listed:
                wanted = listed if found.least == listed else f"{found.least} to {listed}"
                raise self.fault(f"`{instruction.opcode}` takes {wanted} operands, got {count}")
            if instruction.guard is not None:
                self.guard = self.predicate(instruction.guard)
            first = len(ops)
            BUILDERS[found.row.builder](self, found, instruction)
            if self.guard is not None and len(ops) > first + 1:
                self._keep_guard(first)
        for label in places.get(len(function.body), ()):
            self.begin(self.block(label))
        self.guard = None
        if len(ops) == self.straight_from or ops[-1].kind not in (Kind.EXIT, Kind.RETURN, Kind.BRANCH, Kind.TRAP) or ops[-1].guard is not None:
            self.leave()
        self.code.graph.write(self._text())
        return self.code

    def block(self, label: str) -> Block:
        """Give the block that begins at a label of the source."""
        return self.named.setdefault(label, Block(label))

    def begin(self, block: Block) -> None:
        """Let a block begin with what is selected next."""
        self.begun.append((len(self.ops), block))

    @property
    def straight_from(self) -> int:
        """Number of operations before the block that began last."""
        return self.begun[-1][0] if self.begun else 0

    def _text(self) -> Iterator[Op | Block]:
        """Yield the operations, and the blocks that begin before each."""
        at = 0
        for place, block in self.begun:
            yield from self.ops[at:place]
            yield block
            at = place
        yield from self.ops[at:]

    def _keep_guard(self, first: int) -> None:
        """Copy the guard if a micro-op of the instruction, which starts at `first`, overwrites it while others still need it."""
        ops, register = self.ops, self.guard if self.guard >= 0 else ~self.guard
        written = next((k for k in range(first, len(ops)) if register in ops[k].d), len(ops))
        if any(op.guard == self.guard for op in ops[written + 1:]):
            kept = self.fresh(0)
            for op in ops[first:]:
                op.guard = kept if op.guard == self.guard else op.guard
            at = len(self.begun)
            while at and self.begun[at - 1][0] > first:
                at -= 1
                self.begun[at] = self.begun[at][0] + 1, self.begun[at][1]
            ops.insert(first, Op(Kind.PRED, 0xF0, [kept], [self.guard, TRUE, TRUE], "predicate", statement=self.statement))

    def _enter(self) -> None:
        """Bind the parameters and results of a device function to the registers of its interface."""
        if self.unit.stack is not None:
            self._open_frame()
        if self.function.entry:
            return
        interface = self.interfaces[self.function.name]
        parameters, returns = interface.parameters, interface.returns
        if interface.apart:
            parameters, returns = self._copied(parameters), self._copied(returns)
            self.handed_back = _pairs(interface.returns, returns)
            for carried, own in _pairs(interface.parameters, parameters):
                self.code.foreign.add(carried)
                self._copy(own, carried)
        else:
            self.code.inputs = interface.registers(parameters)
            self.code.results = interface.registers(returns)
        for variables, carried in ((self.function.parameters, parameters), (self.function.returns, returns)):
            for variable, pieces in zip(variables, carried):
                for offset, piece in pieces.items():
                    if variable.space == "reg":
                        self.registers[variable.name] = piece.register
                    else:
                        self.pieces[variable.name, offset] = piece

    def _copied(self, listed: list[dict[int, Piece]]) -> list[dict[int, Piece]]:
        return [{offset: Piece(self.unit.new(self.unit.widths[piece.register]), piece.bytes) for offset, piece in pieces.items()}
                for pieces in listed]

    def _copy(self, to: int, source: int) -> None:
        if self.unit.widths[to]:
            self.emit(Kind.ALU, mov(self.unit.widths[to]), [to], [source], "move", width=self.unit.widths[to])
        else:
            self.emit(Kind.PRED, 0xF0, [to], [source, TRUE, TRUE], "predicate")

    def _open_frame(self) -> None:
        """Set the stack pointer up in the kernel; make room for the variables of a function that can be active twice."""
        self.code.foreign.add(self.unit.stack)
        if self.function.entry:
            self.emit(Kind.ALU, mov(4), [self.unit.stack], [immediate(self.layout.stack_start)], "move")
            return
        size = self.layout.frames.get(self.function.name, 0)
        if size or any(i.opcode in STACK_OPCODES for i in self.function.body):
            self.frame = self.unit.new(4)
            self.emit(Kind.ALU, mov(4), [self.frame], [self.unit.stack], "move")
        if size:
            self.ops.append(move_stack(self.unit, immediate(rounded(size)), self.statement))

    def leave(self) -> None:
        """End the thread, or return: results go to where the caller expects them, and the frame is given back."""
        for carried, own in self.handed_back:
            self.code.foreign.add(carried)
            self._copy(carried, own)
        if self.frame is not None:
            self.emit(Kind.ALU, mov(4), [self.unit.stack], [self.frame], "move")
        self.emit(Kind.EXIT if self.function.entry else Kind.RETURN, operation="exit")

    # ------------------------------------------------------------------------------------------------------------ errors
    def fault(self, message: str) -> PtxError:
        """Make an error at the current instruction."""
        return PtxError(f"{message}{table.source(self.instruction.where)}", **self.where())

    def unsupported(self, why: str) -> PtxError:
        """Make an error that says why the current instruction cannot be executed."""
        return table.unsupported(self.instruction, self.module, f": {why}")

    def missing(self, feature: str, why: str) -> MissingFeature:
        """Make an error that says why this machine cannot execute the current instruction, though others can."""
        written = ".".join((self.instruction.opcode, *self.instruction.modifiers))
        return MissingFeature(f"`{written}`{table.source(self.instruction.where)}: {why}", architecture=self.architecture.name, feature=feature,
                              **self.where())

    def where(self) -> dict:
        """Give the place of the current instruction, for errors."""
        return place(self.module, self.instruction)

    def need(self, feature: str) -> None:
        """Refuse the current instruction unless the architecture declares a feature."""
        need(self.architecture, feature, self.module, self.instruction)

    def warn(self, message: str) -> None:
        """Note something about the current instruction that is allowed, and probably not meant."""
        where = self.instruction.where
        file, line = (where.file, where.source_line) if where.file and where.source_line else self.module.place(where.line)
        text = f"{file}:{line}: {message}"
        if text not in self.warnings:
            self.warnings.append(text)

    # ---------------------------------------------------------------------------------------------------------- emission
    def emit(self, kind: int, fn: str | int = 0, d=(), s=(), operation: str = "", **fields) -> Op:
        """Append a micro-op under the instruction's guard."""
        op = Op(kind, fn, list(d), list(s), operation, statement=self.statement, guard=self.guard, **fields)
        op.kills = bool(op.d) and all(v is None or v in self.temporaries for v in op.d)
        self.ops.append(op)
        return op

    def fresh(self, width: int) -> int:
        """Make a register that only this instruction sees."""
        v = self.unit.new(width)
        self.temporaries.add(v)
        return v

    def temporary(self, fn: str, s, width: int, operation: str, **fields) -> int:
        """Append an arithmetic micro-op into a new register; never guarded, since nobody else sees the result."""
        result = self.fresh(width)
        self.ops.append(Op(Kind.ALU, fn, [result], list(s), operation, statement=self.statement, width=width, **fields))
        return result

    # ---------------------------------------------------------------------------------------------------------- operands
    def register(self, name: str, type: str) -> int:
        """Give the virtual register of a PTX register."""
        found = self.registers.get(name)
        if found is None:
            if type == "b128":
                raise self.unsupported("128-bit registers, except in mov, ld and st")
            found = self.registers[name] = self.unit.new(lane_bytes(type))
        return found

    def halves(self, operand: ir.Operand) -> ir.Vector:
        """Give the two 64-bit registers that a 128-bit register is, the low one first."""
        if not isinstance(operand, ir.Register) or operand.type != "b128":
            raise self.fault("expected a register of type b128")
        return ir.Vector(tuple(ir.Register(f"{operand.name}@{half}", "b64") for half in ("low", "high")))

    def known(self, operand: ir.Operand) -> ir.Operand:
        """Give the immediate that a register holds wherever it is read, if its only definition says so; else the operand."""
        if not isinstance(operand, ir.Register):
            return operand
        if self.immediates is None:
            self.immediates = _immediates(self.function)
        return self.immediates.get(operand.name) or operand

    def widened(self, operand: ir.Operand) -> bool:
        """Say whether a 64-bit register is only ever given 32-bit values without sign."""
        if self.narrow is None:
            self.narrow = _widened(self.function)
        return isinstance(operand, ir.Register) and operand.name in self.narrow

    def predicate(self, operand: ir.Operand) -> int:
        """Give a predicate source."""
        if isinstance(operand, ir.Predicate):
            v = self.register(operand.name, "pred")
            return ~v if operand.negated else v
        if isinstance(operand, ir.Immediate):
            return TRUE if operand.value else ~TRUE
        if isinstance(operand, ir.Special) and operand.name == "%is_explicit_cluster":
            return self._explicit_cluster()
        raise self.fault("expected a predicate")

    def value(self, operand: ir.Operand, type: str) -> Value:
        """Give a row source, in lanes of the type's width."""
        width = lane_bytes(type)
        if isinstance(operand, ir.Register):
            v = self.register(operand.name, operand.type)
            return self.fit(v, self.unit.widths[v], width, type)
        if isinstance(operand, ir.Immediate):
            return self.literal(operand, type)
        if isinstance(operand, ir.Special):
            return self.special(operand.name, type)
        if isinstance(operand, ir.Symbol):
            return self.symbol(operand, width)
        raise self.fault(f"expected a register or a constant of type {type}")

    def fit(self, v: int, has: int, wants: int, type: str) -> int:
        """Read a register through a narrower or wider type."""
        if has == wants:
            return v
        if has == 0 or wants == 0:
            raise self.fault(f"a predicate and a value of type {type} are not the same")
        if wants == 4:
            return self.temporary("low_b64", [v], 4, ABSORBED)
        return self.temporary("cvt_s64_s32" if type[0] == "s" else "cvt_u64_u32", [v], 8, "move")

    def literal(self, operand: ir.Immediate, type: str) -> Const:
        """Give an immediate in the representation of a type."""
        width, value = lane_bytes(type), operand.value
        if operand.bits is not None and operand.bits_width == 8 * width and type[0] != "u" and type[0] != "s":
            return immediate(operand.bits, width)
        if type in _BIT_PATTERNS and not isinstance(value, float):
            return immediate(value & (0xFFFF if type[-2:] == "16" else 0xFFFFFFFF))
        if type[0] == "f" or isinstance(value, float):
            if type[0] not in "fb" or type in _BIT_PATTERNS and type != "f16":
                raise self.fault(f"a floating-point constant cannot be an operand of type {type}")
            form = "<e" if type in ("f16", "b16") else "<d" if width == 8 else "<f"
            try:
                packed = struct.pack(form, value)
            except OverflowError:
                packed = struct.pack(form, float("inf") if value > 0 else float("-inf"))
            return immediate(int.from_bytes(packed, "little"), width)
        bits = table.bits_of(type)
        if bits < 32:
            value &= (1 << bits) - 1
            if type[0] == "s" and value >> bits - 1:
                value -= 1 << bits
        return immediate(value, width)

    def symbol(self, operand: ir.Symbol, width: int) -> Value:
        """Give the address of a variable, or the number that stands for a function."""
        place = self.layout.find(self.function.name, operand.name)
        if place is not None and place[0] == "frame":
            address = self.temporary("add_b32", [self.frame, immediate(place[1] + operand.offset)], 4, "int_add")
            return self.fit(address, 4, width, "u32")
        declared = self.module.variables.get(operand.name)
        if declared is not None and place is None and declared.extern:
            raise self.fault(f"variable `{operand.name}` is declared .extern, and no module that was linked defines it")
        if declared is not None and declared.managed and operand.name not in self.function.variables:
            link = self.architecture.host_link
            if link is None or link.managed is None:
                raise self.unsupported(f"`{operand.name}` is a managed variable, and {self.architecture.name} has no managed memory (host_link.managed)")
        address = self.layout.address(self.function.name, operand, width)
        if address is not None:
            return address
        if operand.name in self.module.functions:
            return immediate(number_of(self.module, operand.name), width)
        if operand.name in self.function.variables:
            raise self.unsupported(f"the address of the call parameter `{operand.name}`")
        raise self.fault(f"unknown variable `{operand.name}`")

    def special(self, name: str, type: str) -> Value:
        """Give a special register as a source."""
        source, charge = self.special_source(name, type)
        if isinstance(source, Const) or charge is None:
            return source
        return self.temporary(mov(lane_bytes(type)), [source], lane_bytes(type), charge)

    def special_source(self, name: str, type: str) -> tuple[Value, str | None]:
        """Give where a special register can be read, and the class that a read is charged as (None: it has been)."""
        bare, width = name.lstrip("%"), lane_bytes(type)
        if bare == "WARP_SZ":
            return immediate(self.architecture.warp.size, width), "move"
        if bare in ("envreg1", "envreg2"):
            return self._workspace(bare), "move"
        if bare == "aggr_smem_size":
            reserved = getattr(self.architecture.limits, "shared_reserved_bytes_per_block", 0)
            own = Const(ConstantKind.SPECIAL, 4, int(SpecialRegister.TOTAL_SHARED))
            return self.temporary("add_b32", [own, immediate(reserved)], 4, "int_add"), "move"
        if bare in SCRATCH:
            return immediate(SCRATCH[bare], width), "move"
        _stem, _dot, part = bare.partition(".")
        if part == "w" or _ZERO.fullmatch(bare):
            return immediate(0, width), "move"
        aliases = {"dynamic_smem_size": "DYNAMIC_SHARED", "total_smem_size": "TOTAL_SHARED",
                   "globaltimer_lo": "GLOBALTIMER", "globaltimer_hi": "GLOBALTIMER"}
        number = getattr(SpecialRegister, aliases.get(bare, bare.replace(".", "_").upper()), None)
        if number is None:
            raise self.unsupported(f"special register `{name}`")
        if number >= FIRST_OF_CLUSTER:
            return self.of_cluster(number, width)
        if number >= FIRST_ON_DEMAND:
            return self._counter(bare, number, width), None
        if SpecialRegister.LANEMASK_EQ <= number <= SpecialRegister.LANEMASK_GT:
            self.need("vote_ballot")
            if width == 8:
                if self.architecture.warp.size > 32:
                    self.need("lane_masks_64")
                number = SpecialRegister[SpecialRegister(number).name.replace("MASK", "MASK64")]
            return self.unit.special(number, width), "special_register"
        if number >= FIRST_LAUNCH_WIDE:
            return Const(ConstantKind.SPECIAL, width, int(number)), "move"
        return self.fit(self.unit.special(number), 4, width, type), "special_register"

    def of_cluster(self, number: SpecialRegister, width: int = 4) -> tuple[Value, str | None]:
        """Give what tells of the block's cluster, or of the clusters of the grid; a machine without has clusters of one block."""
        if number >= FIRST_OF_ALL_CLUSTERS:
            return Const(ConstantKind.SPECIAL, width, int(number)), "move"
        return self.fit(self.unit.special(number), 4, width, "u32"), "special_register"

    def _explicit_cluster(self) -> int:
        given = self.fresh(0)
        self.emit(Kind.SETP, "ne_u32", [given, None], [Const(ConstantKind.SPECIAL, 4, int(SpecialRegister.IS_EXPLICIT_CLUSTER)),
                                                       immediate(0)], "int_compare")
        return given

    def _workspace(self, bare: str) -> Value:
        """Read half of the address of the words by which a cooperative launch synchronises its grid; 0 after another launch."""
        whole = self.temporary("mov_b64", [Const(ConstantKind.SPECIAL, 8, int(SpecialRegister.WORKSPACE))], 8, "move")
        return self.temporary("high_b64" if bare == "envreg1" else "low_b64", [whole], 4, ABSORBED)

    def _counter(self, bare: str, number: SpecialRegister, width: int) -> int:
        self.need("globaltimer" if "globaltimer" in bare else "clock64" if bare == "clock64" else "clock")
        whole = 8 if number in (SpecialRegister.CLOCK64, SpecialRegister.GLOBALTIMER) else 4
        read = self.fresh(whole)
        self.ops.append(Op(Kind.SPECIAL, int(number), [read], [], "clock", statement=self.statement, width=whole))
        if bare in ("globaltimer_lo", "globaltimer_hi"):
            return self.temporary("low_b64" if bare.endswith("lo") else "high_b64", [read], 4, ABSORBED)
        return self.fit(read, whole, width, "u32")

    # ------------------------------------------------------------------------------------------------------ destinations
    def destination(self, operand: ir.Operand, type: str) -> tuple[int, Callable[[], None]]:
        """Give the register that a result of this type goes to, and what to do once it has been emitted."""
        width = lane_bytes(type)
        if not isinstance(operand, ir.Register):
            raise self.fault("expected a destination register")
        v = self.register(operand.name, operand.type)
        has = self.unit.widths[v]
        if has == width:
            return v, _nothing
        if has == 0:
            raise self.fault(f"a predicate register cannot take a result of type {type}")
        narrow = self.fresh(width)
        fn = "low_b64" if has == 4 else "cvt_s64_s32" if type[0] == "s" else "cvt_u64_u32"
        return narrow, lambda: self.emit(Kind.ALU, fn, [v], [narrow], ABSORBED if has == 4 else "move", width=has)

    def take_result(self, result: str, source: int, bytes: int, offset: int = 0) -> None:
        """Move what a call returned to the caller's variable or register of that name."""
        width = self.unit.widths[source]
        if result in self.function.registers:
            d = self.register(result, self.function.registers[result])
            if self.unit.widths[d] != width:
                raise self.unsupported(f"`{result}` has another width than the result of the call")
        else:
            local = self.pieces.setdefault((result, offset), Piece(self.unit.new(width), bytes))
            if local.bytes != bytes:
                raise self.unsupported(f"`{result}` is returned and read in pieces of different sizes")
            d = local.register
        self.emit(Kind.ALU, mov(width), [d], [source], "move", width=width)

    def environment(self, bound: dict[str, str]) -> int:
        """Give the floating-point environment that modifiers ask for."""
        return ROUNDING[bound.get("rnd", "")] | (FLUSH if bound.get("ftz") else 0)


def _pairs(first: list[dict[int, Piece]], second: list[dict[int, Piece]]) -> list[tuple[int, int]]:
    return [(a[offset].register, b[offset].register) for a, b in zip(first, second) for offset in a]


def _nothing() -> None:
    pass


def _immediates(function: ir.Function) -> dict[str, ir.Immediate | None]:
    found: dict[str, ir.Immediate | None] = {}
    for i in function.body:
        first = i.operands[0] if i.operands else None
        if i.opcode in ("bar", "barrier") and "red" not in i.modifiers:
            continue  # the first operand is a number or a mask that it reads
        if i.opcode == "call":
            found.update(dict.fromkeys(first.returns))
        elements = first.elements if isinstance(first, ir.Vector) else (
            [first.first] if isinstance(first, ir.PredicatePair) else [first])
        for d in elements:
            if isinstance(d, ir.Register):
                plain = i.opcode == "mov" and i.guard is None and isinstance(i.operands[1], ir.Immediate)
                found[d.name] = i.operands[1] if plain and d.name not in found else None
    return found


def _widened(function: ir.Function) -> frozenset[str]:
    """Find the 64-bit registers that are only ever given 32 bits without sign: converted, or loaded as such."""
    narrow, others = set(), set()
    for i in function.body:
        first = i.operands[0] if i.operands else None
        widens = i.opcode == "cvt" and i.modifiers == ("u64", "u32") or i.opcode == "ld" and i.types[-1:] in (("u32",), ("b32",))
        for d in first.elements if isinstance(first, ir.Vector) else [first]:
            if isinstance(d, ir.Register):
                (narrow if widens else others).add(d.name)
    return frozenset(narrow - others)


def place(module: ir.Module, instruction: ir.Instruction) -> dict:
    """Give where an instruction stands, as the arguments of a `PtxError`."""
    where = instruction.where
    text = module.lines[where.line - 1] if 0 < where.line <= len(module.lines) else instruction.text
    file, line = module.place(where.line)
    return {"file": file, "line": line, "column": where.column, "text": text}


def need(architecture, feature: str, module: ir.Module, instruction: ir.Instruction) -> None:
    """Refuse an instruction unless the architecture declares a feature."""
    if feature in architecture.isa.features:
        return
    written = ".".join((instruction.opcode, *instruction.modifiers))
    meaning = f": {FEATURES[feature]}" if feature in FEATURES else ""
    if feature == "fp32_fma":
        meaning += ("; if the compiler fused a multiply and an add, -fmad=false keeps them apart for this machine to fuse as it does; "
                    "an fma that the source asks for, by fmaf() or by a function of CUDA's library such as expf(), stays one: __expf() has none")
    raise MissingFeature(f"`{written}`{table.source(instruction.where)} needs the feature {feature}, which {architecture.name} does not have{meaning}",
                         architecture=architecture.name, feature=feature, **place(module, instruction))


_ZERO = re.compile(r"envreg\d+|pm\d(_64)?|current_graph_exec")
"""Special registers that read 0: nothing is there, or nothing counts."""
SCRATCH = {"reserved_smem_offset_begin": 0, "reserved_smem_offset_0": 0, "reserved_smem_offset_1": 0,
           "reserved_smem_offset_end": 288, "reserved_smem_offset_cap": SCRATCH_BYTES}
"""Special registers that name places in the shared memory reserved for the system, which the layout puts first."""
SPACES = {"global": Space.GLOBAL, "shared": Space.SHARED, "local": Space.LOCAL, "const": Space.CONST, "param": Space.CONST,
          "": Space.GENERIC}
