"""Builders for ``wmma``: made of smaller products and of ordinary memory accesses, as compilers of real machines do it.

A fragment is *tiles* one after the other, each laid out as ``mma`` has it (see the engine's ``matrix.pyx``); 8 x 32 results are computed as
32 x 8, with the multiplicands exchanged. Loads and stores go by words where memory runs along the words of registers. Where it runs across
them, 16-bit numbers go by words and are transposed among lanes, other numbers go one by one.
"""
from __future__ import annotations

from typing import NamedTuple

from archdef.lower.encoding import WHOLE_WARP, Flag, Kind, MatrixOp, Space
from archdef.lower.select.matrix import BITS, emit_product, form_of, need_sum, read, shape_of, transpose, whole_warp, written
from archdef.lower.select.memory import OPERATIONS, address
from archdef.lower.select.selection import ROUNDING, SPACES, Selection, builds
from archdef.lower.virtual import Value, immediate, mov
from archdef.ptx import ir
from archdef.ptx.table import Match

_LARGEST_STRIDE = 1 << 24
"""Strides from here on are no part of 32-bit offsets."""


class Place(NamedTuple):
    """Where the first number of a register lies for lane 0: `across` grows with a lane's group, `along` with its place in the group."""

    across: int
    along: int


class Fragment(NamedTuple):
    """How one operand is spread over registers and lanes."""

    places: tuple[Place, ...]
    """Of each register; f16 multiplicands repeat them to fill eight."""
    span: int
    """Numbers from one lane of a group to the next."""
    each: int
    """Numbers in one register."""
    along_rows: bool
    """`along` counts columns, so memory runs along it in the layout ``row``."""


def fragment(part: str, shape: tuple[int, int, int], type: str) -> Fragment:
    """Give the fragment of an operand, ``a b c d``."""
    rows, columns, depth = shape
    if part in "ab":
        wide = rows if part == "a" else columns
        tall = 2 if wide == 32 or wide == 16 and part == "a" else 1
        each = max(1, 32 // BITS[type])
        places = [Place(start + 8 * (k % tall), k // tall * 4 * each)
                  for start in range(0, wide, 8 * tall) for k in range(tall * depth // each // 4)]
        if type == "f16":
            places = [places[k % len(places)] for k in range(8)]
        return Fragment(tuple(places), each, each, part == "a")
    each = 2 if type == "f16" else 1
    starts, tall = ([(0, 0)], 1) if rows * columns == 64 else ([(0, 0), (0, 8) if rows == columns else (16, 0)], 2)
    places = [Place(across + k // 2 * 8, along + k % 2) for across, along in starts for k in range(0, 2 * tall, each)]
    return Fragment(tuple(places), 2, each, columns != 32)


# ------------------------------------------------------------------------------------------------------------- products
def _steps(shape: tuple[int, int, int], x: dict[str, list[Value]]) -> list[tuple[list[Value], list[Value], slice]]:
    """List the products: registers of the first and of the second factor, and which numbers of c and d."""
    rows, columns, _ = shape
    a, b = x["a"], x["b"]
    if rows == columns == 8:
        return [(a, b, slice(0, 2))]

    def half(of, j):
        return of[j * len(of) // 2:(j + 1) * len(of) // 2]

    numbers = slice(0, 4), slice(4, 8)
    if columns == 32:
        return [(half(b, j), a, numbers[j]) for j in (0, 1)]
    if rows == 32:
        return [(half(a, j), b, numbers[j]) for j in (0, 1)]
    return [(a, half(b, j), numbers[j]) for j in (0, 1)]


@builds("wmma_product")
def wmma_product(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``wmma.mma``."""
    whole_warp(s)
    op, shape = MatrixOp[m.fn.upper()], shape_of(m)
    d, a, b, c = (m.bound.get(name, "") for name in ("type", "type2", "type3", "type4"))
    if op == MatrixOp.F16:  # only the types of d and c are written
        a, b, c = "f16", "f16", a
    need_sum(s, op, d)
    word = "b64" if a == "f64" else "b32"
    x = {name: read(s, i.operands[k], len(fragment(name, shape, type).places), f"fragment {name}", word)
         for k, (name, type) in enumerate((("a", a), ("b", b), ("c", c)), 1)}
    results = written(s, i.operands[0], len(fragment("d", shape, d).places), "fragment d", word)
    for name in "ab":  # registers that repeat others are not read
        x[name] = x[name][:len(set(fragment(name, shape, a).places))]
    # sums of mixed types are of single precision, converted before or behind
    together = 2 if c == d == "f16" else 1
    addend = [_half(s, v, k) for v in x["c"] for k in (0, 1)] if (c, d) == ("f16", "f32") else x["c"]
    target = [s.fresh(4) for _ in range(8)] if (c, d) == ("f32", "f16") else results
    sums = "f16" if together == 2 else "f32"
    # tf32 goes four deep at a time
    pieces, depth = (2, 4) if op == MatrixOp.TF32 else (1, shape[2])
    for piece in range(pieces):
        for first, second, numbers in _steps(shape, x):
            at = slice(numbers.start // together, numbers.stop // together)
            if pieces > 1:
                first, second = first[2 * piece:2 * piece + 2], second[piece:piece + 1]
            emit_product(s, op, m.operation, target[at], [*first, *second, *(target if piece else addend)[at]],
                         tall=1 if numbers.stop == 2 else 2, depth=depth, bits=BITS[a], form=form_of(m, a, b, sums, sums),
                         rounding=ROUNDING[m.bound.get("rnd", "")])
    if target is not results:
        for k, v in enumerate(results):
            s.emit(Kind.ALU, "cvt_rn_f16x2_f32", [v], [target[2 * k + 1], target[2 * k]], "convert")


def _half(s: Selection, v: Value, high: int) -> int:
    bits = s.temporary(*(("shr_u32", [v, immediate(16)], 4, "int_shift") if high else ("and_b32", [v, immediate(0xFFFF)], 4, "int_logic")))
    return s.temporary("cvt_f32_f16", [bits], 4, "convert")


def _pack(s: Selection, d: int, numbers: list[int], bits: int) -> None:
    """Put numbers side by side into one register."""
    while len(numbers) > 2:
        numbers = [s.temporary("mad_lo_b32", [high, immediate(1 << bits), low], 4, "byte_permute")
                   for low, high in zip(numbers[::2], numbers[1::2])]
        bits *= 2
    s.emit(Kind.ALU, "mad_lo_b32", [d], [numbers[1], immediate(1 << bits), numbers[0]], "byte_permute")


# --------------------------------------------------------------------------------------------------------------- memory
class Matrix:
    """A matrix in memory as one lane of a fragment's load or store sees it."""

    def __init__(self, s: Selection, m: Match, pointer: ir.Operand, stride: ir.Operand | None):
        shape, part = shape_of(m), m.bound["part"]
        rows, columns, depth = shape
        self.s, self.bits = s, BITS[m.bound["type"]]
        self.fragment = fragment(part, shape, m.bound["type"])
        self.contiguous = (m.bound["layout"] == "row") == self.fragment.along_rows
        """Memory runs along the numbers of a register."""
        self.base, self.offset, flags, implied = address(s, pointer)
        self.space = SPACES[m.bound["space"] or (implied or "")]
        self.wide = bool(flags & Flag.ADDRESS64)
        self.flags = flags
        self.lane = None
        self.reached: dict[int, Value] = {}
        height, width = {"a": (rows, depth), "b": (depth, columns)}.get(part, (rows, columns))
        known = width if m.bound["layout"] == "row" else height
        self.stride: Value = immediate(known)
        """Numbers from one row to the next, or column where matrices lie by columns."""
        if stride is not None:
            operand = s.known(stride)
            self.stride = s.value(operand, "u32")
            known = operand.value if isinstance(operand, ir.Immediate) else -1
        self.known: int | None = known if 0 <= known < _LARGEST_STRIDE else None
        """The stride, if it is a constant that fits offsets."""

    def number(self, shift: int, mask: int) -> Value:
        """Compute part of the lane's number, ``lane >> shift & mask``."""
        s = self.s
        if self.lane is None:
            self.lane = s.special("%laneid", "u32")
        found = s.temporary("shr_u32", [self.lane, immediate(shift)], 4, "int_shift") if shift else self.lane
        return found if mask << shift & 31 == 31 & -(1 << shift) else s.temporary("and_b32", [found, immediate(mask)], 4, "int_logic")

    def plus(self, at: Value, value: Value, times: Value) -> Value:
        """Compute an address: ``at + value * times``."""
        if self.wide:
            return self.s.temporary("mad_wide_u32", [value, times, at], 8, "int_mul_wide")
        return self.s.temporary("mad_lo_b32", [value, times, at], 4, "int_mul32")

    def start(self, strides: Value | None, per_lane: int, numbers: Value | None, along: int) -> None:
        """Set the lane's address: so many times `per_lane` strides, and so many times `along` numbers from the base."""
        size, at = self.bits // 8, self.base
        if numbers is not None:
            at = self.plus(at, numbers, immediate(along * size))
        if strides is not None and self.known is not None:
            at = self.plus(at, strides, immediate(self.known * per_lane * size))
        elif strides is not None:
            if per_lane * size > 1:
                strides = self.s.temporary("shl_b32", [strides, immediate((per_lane * size).bit_length() - 1)], 4, "int_shift")
            at = self.plus(at, strides, self.stride)
        self.reached = {0: at}

    def at(self, strides: int, numbers: int) -> tuple[Value, int]:
        """Give base and offset of what lies so many strides and numbers behind the lane's address."""
        size = self.bits // 8
        if self.known is not None:
            return self.reached[0], self.offset + (strides * self.known + numbers) * size
        if strides not in self.reached:
            self.reached[strides] = self.plus(self.reached[0], self.stride, immediate(strides * size))
        return self.reached[strides], self.offset + numbers * size

    def move(self, kind: Kind, place: tuple[Value, int], registers: list[Value], size: int) -> None:
        """Append a load or store of numbers of `size` bytes, one or two a lane."""
        base, offset = place
        d, sources = (registers, [base]) if kind == Kind.LOAD else ([], [base, *registers])
        self.s.emit(kind, 0, d, sources, OPERATIONS[kind][self.space], width=8 if size == 8 else 4, flags=self.flags, space=self.space,
                    element=size, vec=len(registers), offset=offset, combine=WHOLE_WARP)

    def by_words(self, kind: Kind, registers: list[Value]) -> None:
        """Move whole registers: memory runs along them. 32-bit results, and 64-bit ones, go in pairs."""
        held = self.fragment
        self.start(self.number(2, 7), 1, self.number(0, 3), held.span)
        step = held.span // held.each
        for k in range(0, len(registers), step):
            self.move(kind, self.at(held.places[k].across, held.places[k].along), registers[k:k + step], max(4, self.bits // 8))

    def by_tiles(self, kind: Kind, registers: list[Value]) -> None:
        """Move whole registers of tiles whose rows lie where columns should."""
        self.start(self.number(2, 7), 1, self.number(0, 3), 2)
        for place, v in zip(self.fragment.places, registers):
            self.move(kind, self.at(place.along, place.across), [v], 4)

    def by_numbers(self, kind: Kind, registers: list[list[Value]]) -> None:
        """Move numbers one by one, those of a register in a list."""
        self.start(self.number(0, 3), self.fragment.span, self.number(2, 7), 1)
        for place, numbers in zip(self.fragment.places, registers):
            for k, v in enumerate(numbers):
                self.move(kind, self.at(place.along + k, place.across), [v], self.bits // 8)

    def by_bits(self, kind: Kind, registers: list[Value]) -> None:
        """Move the one register of a matrix of 4-bit or 1-bit numbers."""
        s, each = self.s, 8 // self.bits
        group, member = self.number(2, 7), self.number(0, 3)
        if self.known is not None and self.known % each:
            raise s.fault(f"the stride must be a multiple of {each} numbers, got {self.known}")
        if self.known is not None:
            at = self.plus(self.base, group, immediate(self.known // each))
        else:
            width, wide = (8, "64") if self.wide else (4, "")
            fn, operation = ("mul_wide_u32", "int_mul_wide") if self.wide else ("mul_lo_b32", "int_mul32")
            far = s.temporary(fn, [group, self.stride], width, operation)
            far = s.temporary(f"shr_u{8 * width}", [far, immediate(each.bit_length() - 1)], width, f"int{wide}_shift")
            at = s.temporary(f"add_b{8 * width}", [self.base, far], width, f"int{wide}_add")
        self.move(kind, (self.plus(at, member, immediate(4)), self.offset), registers, 4)

    def by_matrix_loads(self, registers: list[int]) -> None:
        """Load tiles of 16-bit numbers from shared memory, up to four at once: lane 8 t + r gives the address of row r of tile t."""
        held, count = self.fragment, min(4, len(registers))
        strides, numbers = ("across", "along") if self.contiguous else ("along", "across")

        def steps(axis: str) -> tuple[int, ...]:
            return tuple(getattr(held.places[k], axis) for k in (1, 2) if k < count)

        self.start(self._row(steps(strides), 7), 1, self._row(steps(numbers), 0), 1)
        for k in range(0, len(registers), count):
            base, offset = self.at(getattr(held.places[k], strides), getattr(held.places[k], numbers))
            self.s.emit(Kind.MATRIX_LOAD, int(not self.contiguous), registers[k:k + count], [base], "load_matrix", vec=count, offset=offset,
                        flags=self.flags, space=Space.SHARED, element=2)

    def _row(self, steps: tuple[int, ...], low: int) -> Value | None:
        """Compute where the lane's row lies along one axis: its number in the tile or nothing, and how far the tile is away."""
        if not any(steps):
            return self.number(0, low) if low else None
        if steps[-1] == 16 or steps[0] == 8 and (len(steps) == 1 or steps[1] == 0):
            return self.number(0, low | 8 * steps[0] // 8 | steps[-1] * (steps[-1] == 16))
        far = self.s.temporary("and_b32", [self.number(1, 15), immediate(8)], 4, "int_logic")
        return self.s.temporary("or_b32", [self.number(0, low), far], 4, "int_logic") if low else far


@builds("wmma_load")
def wmma_load(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``wmma.load``."""
    whole_warp(s)
    matrix = Matrix(s, m, i.operands[1], i.operands[2] if len(i.operands) > 2 else None)
    held, bits = matrix.fragment, matrix.bits
    d = written(s, i.operands[0], len(held.places), "the fragment", "b64" if bits == 64 else "b32")
    own = d[:len(set(held.places))]
    tiles = bits == 16 and "matrix_tiles" in s.architecture.isa.features
    if bits < 8:
        matrix.by_bits(Kind.LOAD, own)
    elif tiles and m.bound["space"] == "shared" and m.bound["part"] != "c":
        matrix.by_matrix_loads(own)
    elif matrix.contiguous:
        matrix.by_words(Kind.LOAD, own)
    elif tiles:
        loaded = [s.fresh(4) for _ in own]
        matrix.by_tiles(Kind.LOAD, loaded)
        for v, tile in zip(own, loaded):
            transpose(s, v, tile)
    elif held.each == 1:
        matrix.by_numbers(Kind.LOAD, [[v] for v in own])
    else:
        numbers = [[s.fresh(4) for _ in range(held.each)] for _ in own]
        matrix.by_numbers(Kind.LOAD, numbers)
        for v, of_register in zip(own, numbers):
            _pack(s, v, of_register, bits)
    for k in range(len(own), len(d)):
        s.emit(Kind.ALU, mov(4), [d[k]], [d[k % len(own)]], "move")


@builds("wmma_store")
def wmma_store(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``wmma.store``."""
    whole_warp(s)
    matrix = Matrix(s, m, i.operands[0], i.operands[2] if len(i.operands) > 2 else None)
    bits = matrix.bits
    values = read(s, i.operands[1], len(matrix.fragment.places), "the fragment", "b64" if bits == 64 else "b32")
    if matrix.contiguous:
        matrix.by_words(Kind.STORE, values)
    elif bits != 16:
        matrix.by_numbers(Kind.STORE, [[v] for v in values])
    elif "matrix_tiles" in s.architecture.isa.features:
        tiles = [s.fresh(4) for _ in values]
        for v, tile in zip(values, tiles):
            transpose(s, tile, v)
        matrix.by_tiles(Kind.STORE, tiles)
    else:
        matrix.by_numbers(Kind.STORE, [[v, s.temporary("shr_u32", [v, immediate(16)], 4, "int_shift")] for v in values])
