"""Pass: charge nothing for what a machine's operations do on their way, and for halves of 64-bit numbers that are 0 or that nobody reads.

What is absorbed is still computed, in its own micro-op; the operation that takes it in is charged as the one that the machine issues.
"""
from __future__ import annotations

from archdef.lower.encoding import ConstantKind, Flag, Kind
from archdef.lower.def_use import Near, definitions
from archdef.lower.virtual import ABSORBED, Code, Const, Op
from archdef_sass import Sass

_LOGIC = ("and_b32", "or_b32", "xor_b32", "lop3_b32")
_ZERO_TESTS = tuple(f"{how}_{type}" for how in ("eq", "ne") for type in ("b32", "s32", "u32"))
_SIGNS = {"lt_s64": 0, "ge_s64": 0, "gt_s64": (1 << 64) - 1, "le_s64": (1 << 64) - 1}
"""Comparisons → the constant with which they ask for a sign."""
_WIDE_SUMS = ("add_b64", "sub_b64")
_SUMS = ("add_b32", "sub_b32")
_TERMS = {"add_b32": _SUMS, "sub_b32": _SUMS, "neg_s32": _SUMS, "add_b64": ("add_b64",)}
"""What a sum of three takes in → the operations that can be such a sum."""
_ORDERED = ("min_s32", "max_s32", "min_u32", "max_u32")
_CUT_OFF = ("add_f32", "sub_f32", "mul_f32", "fma_f32")
_MODIFIED = ("neg_f32", "abs_f32", "neg_f64", "abs_f64")
_MEASURED = frozenset(f"{type}_{what}" for type in ("fp32", "fp64") for what in ("add", "mul", "minmax", "compare")) | {"select"}
"""Classes of operation that take the magnitude of an operand …"""
_SIGNED = _MEASURED | {"fp32_fma", "fp64_fma"}
"""… and its sign."""
_HALVES = ("low_b32", "high_b32")
_TO_HALVES = ("cvt_rn_f16_f32", "cvt_rn_bf16_f32", "cvt_rz_f16_f32", "cvt_rz_bf16_f32")
_WORD = (1 << 32) - 1


def peephole(code: Code, assembler: Sass) -> None:
    """Absorb, as far as the assembler does."""
    readers = _readers(code)
    if assembler.reads_halves:
        for op in code.ops:
            if op.kind == Kind.ALU and op.fn in _HALVES and readers.get(op.d[0]) and all(map(_takes_half, readers[op.d[0]])):
                op.operation = ABSORBED
            elif doubles_half(op) and op.guard is None and readers.get(op.d[0]) and all(map(_takes_half, readers[op.d[0]])):
                op.operation = ABSORBED     # both halves are read from one place
        _pairs_converted(code, readers)
    if assembler.source_modifiers:
        _modifiers(code, readers)
        _saturations(code, readers)
    if assembler.three_input_operations:
        _rotations(code, readers)
        _tests_and_widening(code, readers)
        _single_words(code)
        _needless_masks(code, readers)


def peephole_terms(code: Code, assembler: Sass) -> None:
    """Absorb what sums of three and the smaller or greater of sums take in: only when branches are settled, for which ptxas counts it."""
    _terms(code, _readers(code), assembler)


def _readers(code: Code) -> dict[int, list[Op]]:
    """Give who reads each register, as often as it does."""
    readers: dict[int, list[Op]] = {}
    for op in code.ops:
        for v in op.reads():
            readers.setdefault(v, []).append(op)
    return readers


def doubles_half(op: Op) -> bool:
    """Tell whether an operation makes a pair of one number of 16 bits."""
    return op.kind == Kind.ALU and op.fn == "pack_b32" and op.s[0] == op.s[1] and type(op.s[0]) is int


def reads_as_half(op: Op) -> bool:
    """Tell whether an operation can read a number of 16 bits from either half of a register, once `peephole` has been."""
    return _takes_half(op) or doubles_half(op) and op.operation == ABSORBED


def _takes_half(op: Op) -> bool:
    """Tell whether an operation reads numbers of 16 bits by their place in a register."""
    return op.kind in (Kind.ALU, Kind.SETP) and (op.operation.startswith("fp16_") or op.fn in ("cvt_f32_f16", "cvt_f32_bf16"))


def _pairs_converted(code: Code, readers: dict[int, list[Op]]) -> None:
    """Two numbers that are cut to 16 bits, and read as the halves of a word alone: one conversion puts both there, wherever they are made."""
    kept, written, part, parts = code.foreign | code.results, definitions(code), 0, {}
    for cut, op in code.straight():
        part += cut
        parts[id(op)] = part
    for op in code.ops:
        pairs = ()
        if op.kind == Kind.ALU and op.fn == "pack_b32" and op.guard is None:
            pairs = (op.s[:2],)
        elif op.kind == Kind.STORE and op.element == 2 and op.vec in (2, 4):
            values = op.s[-op.vec:]
            pairs = (values[:2], values[2:])[:op.vec // 2]
        for low, high in pairs:
            if type(low) is not int or type(high) is not int or low == high or kept & {low, high} or not len(readers[low]) == len(readers[high]) == 1:
                continue
            lows, highs = written.get(low, []), written.get(high, [])
            if len(lows) == len(highs) and any(one.fn in _TO_HALVES for one in lows) and all(
                    one.fn == other.fn and one.kind == Kind.ALU and one.guard is None and other.guard is None and parts[id(one)] == parts[id(other)]
                    and (one.fn in _TO_HALVES or one.fn == "mov_b32" and isinstance(one.s[0], Const)) for one, other in zip(lows, highs, strict=True)):
                for one in (*lows, *([op] if op.kind == Kind.ALU else ())):
                    one.operation = ABSORBED


def clear_pairs(code: Code) -> None:
    """Registers that are next to each other in a vector, or in the result of a matrix instruction, are set to 0 by twos."""
    place: dict[int, tuple[tuple[int, int], int]] = {}      # register → the pair that it is part of, and which half
    for op in code.ops:
        if op.kind == Kind.MATRIX and op.operation.startswith("matrix_") or op.kind == Kind.LOAD and op.vec in (2, 4) and op.element == 4:
            for k, v in enumerate(op.d[:len(op.d) // 2 * 2]):
                if v is not None:
                    place.setdefault(v, ((id(op), k // 2), k % 2))
    waiting: dict[tuple[int, int], int] = {}
    for cut, op in code.straight():
        if cut:
            waiting.clear()
        if op.kind == Kind.ALU and op.fn == "mov_b32" and op.guard is None and op.operation == "move" and op.d[0] in place and (
                isinstance(op.s[0], Const) and op.s[0].kind == ConstantKind.IMMEDIATE and op.s[0].value == 0):
            pair, half = place[op.d[0]]
            if waiting.pop(pair, half) == 1 - half:
                op.operation = ABSORBED
            else:
                waiting[pair] = half


def _modifiers(code: Code, readers: dict[int, list[Op]]) -> None:
    """Signs, and magnitudes, of floating-point numbers that only what can take them in reads, before anything changes."""
    kept = code.foreign | code.results
    near = Near()           # result → what made it in this block, and how many reads of it are to come
    for cut, op in code.straight():
        if cut:
            near.clear()
        for v in op.reads():
            if v in near:
                note = near.get(v)
                note[1] -= 1
                if not note[1]:
                    near.drop(v)
                    note[0].operation = ABSORBED
        near.write(op.writes())
        if op.kind == Kind.ALU and op.fn in _MODIFIED and op.guard is None and op.d[0] not in kept and readers.get(op.d[0]):
            takes = _SIGNED if op.fn.startswith("neg") else _MEASURED
            if all(reader.kind in (Kind.ALU, Kind.SETP, Kind.SELP) and reader.operation in takes for reader in readers[op.d[0]]):
                near.put(op.d[0], [op, len(readers[op.d[0]])], op.reads())


def _saturations(code: Code, readers: dict[int, list[Op]]) -> None:
    """Cutting a sum or product off at 0 and 1 where nobody else reads it: that is part of the instruction."""
    kept = code.foreign | code.results
    sums: dict[int, Op] = {}        # result → what made it in this block
    for cut, op in code.straight():
        if cut:
            sums.clear()
        if op.kind == Kind.ALU and op.fn == "sat_f32" and op.s[0] in sums and sums[op.s[0]].guard == op.guard and len(readers[op.s[0]]) == 1:
            op.operation = ABSORBED
        for v in op.writes():
            sums.pop(v, None)
            if op.kind == Kind.ALU and op.fn in _CUT_OFF and v not in kept:
                sums[v] = op


def _rotations(code: Code, readers: dict[int, list[Op]]) -> None:
    """Numbers of 64 bits that are turned round by shifts both ways and a sum or logic of the two, which nobody else reads: each half is one shift of
    both; by 32 the halves change places.
    """
    kept = code.foreign | code.results
    shifted = Near()        # result → the shift that made it, in this block
    for cut, op in code.straight():
        if cut:
            shifted.clear()
        if op.kind == Kind.ALU and op.fn in ("add_b64", "or_b64", "xor_b64") and op.guard is None:
            parts = sorted((shifted.get(v) for v in op.s[:2] if type(v) is int and v in shifted), key=lambda made: made.fn)
            if len(parts) == 2 and (parts[0].fn, parts[1].fn) == ("shl_b64", "shr_u64") and parts[0].s[0] == parts[1].s[0]:
                amount = parts[0].s[1].value
                if amount + parts[1].s[1].value == 64:
                    for made in parts:
                        made.operation = ABSORBED
                    op.operation, op.times = (ABSORBED, op.times) if amount == 32 else ("funnel_shift", 2)
        written = set(op.writes())
        shifted.write(written)
        if (op.kind == Kind.ALU and op.fn in ("shl_b64", "shr_u64") and op.guard is None and type(op.s[0]) is int and op.s[0] not in written
                and isinstance(op.s[1], Const) and op.s[1].kind == ConstantKind.IMMEDIATE and op.d[0] not in kept and len(readers.get(op.d[0], ())) == 1):
            shifted.put(op.d[0], op, op.s[:1])


def _tests_and_widening(code: Code, readers: dict[int, list[Op]]) -> None:
    """A test for 0 of what logic gives; widening and shifting of what sums of 64 bits read; tests of a sign, of which the upper half decides."""
    near: dict[int, Op] = {}
    for cut, op in code.straight():
        if cut:
            near.clear()
        if op.kind == Kind.SETP and op.fn in _ZERO_TESTS and not op.combine and op.guard is None and op.s[0] in near:
            tested = op.s[1]
            if isinstance(tested, Const) and tested.kind == ConstantKind.IMMEDIATE and not tested.value:
                near.pop(op.s[0]).operation = ABSORBED
        if op.kind == Kind.SETP and (limit := _SIGNS.get(op.fn)) is not None and isinstance(op.s[1], Const) and op.s[1].kind == ConstantKind.IMMEDIATE and (
                op.s[1].value == limit):
            op.operation = "int_compare"
        for v in op.writes():
            near.pop(v, None)
        if op.kind != Kind.ALU or op.guard is not None or len(op.d) != 1:
            continue
        if op.fn in _LOGIC:
            near[op.d[0]] = op
        uses = readers.get(op.d[0], [])
        summed = uses and all(use.kind == Kind.ALU and use.fn in _WIDE_SUMS for use in uses)
        if summed and (op.fn == "cvt_u64_u32" or len(uses) == 1 and (op.fn == "cvt_s64_s32" or uses[0].fn == "add_b64" and _shifted_words(op))):
            op.operation = ABSORBED


def _shifted_words(op: Op) -> bool:
    """Tell a shift that a sum of 64 bits does by itself: to the left, by less than a word, or to the right, by more."""
    distance = op.s[1] if len(op.s) > 1 else None
    if not isinstance(distance, Const) or distance.kind != ConstantKind.IMMEDIATE:
        return False
    return op.fn == "shl_b64" and distance.value < 32 or op.fn in ("shr_u64", "shr_s64") and 32 <= distance.value < 64


def _terms(code: Code, readers: dict[int, list[Op]], assembler: Sass) -> None:
    """Sums of three numbers, sums of which the smaller or greater of two is taken, and the smallest or greatest of three: one operation each."""
    inner: dict[int, Op] = {}       # sum that one operation alone reads → where it was made, in this block
    last: dict[int, int] = {}       # register → where it was written last
    place: dict[int, int] = {}
    kept = code.foreign | code.results
    for k, (cut, op) in enumerate(code.straight()):
        if cut:
            inner.clear()
        if op.kind == Kind.ALU and op.operation != ABSORBED:
            taken = None
            for v in op.s[:2]:
                made = inner.get(v) if type(v) is int else None
                if made is None or made.guard != op.guard or any(last.get(f, -1) >= place[v] for f in made.reads()):
                    continue
                if (assembler.three_input_operations and op.fn in _TERMS.get(made.fn, ())
                        or assembler.adds_before_minmax and op.fn in _ORDERED and (made.fn in _SUMS or made.fn == op.fn)):
                    taken = inner.pop(v)
                    taken.operation = ABSORBED
                    break
            takes_part = op.fn in _TERMS or assembler.adds_before_minmax and op.fn in _ORDERED
            if taken is None and takes_part and len(op.d) == 1 and len(readers.get(op.d[0], ())) == 1 and op.d[0] not in kept:
                inner[op.d[0]] = op
                place[op.d[0]] = k
        for v in op.writes():
            last[v] = k
            if inner.get(v) is not op:
                inner.pop(v, None)


def _needless_masks(code: Code, readers: dict[int, list[Op]]) -> None:
    """Logic that keeps all bits that a load of one or two bytes can have set, or those that say how far 32 bits are shifted, if nobody else reads it."""
    written = definitions(code)
    for op in code.ops:
        mask = _amount(op) if op.kind == Kind.ALU and op.fn == "and_b32" and op.guard is None else None
        if mask == 31 and op.d[0] not in code.foreign | code.results:
            shifts = readers.get(op.d[0], ())
            if len(shifts) == 1 and shifts[0].kind == Kind.ALU and shifts[0].fn in ("shl_b32", "shr_u32", "shr_s32") and shifts[0].s[0] != op.d[0]:
                op.operation = ABSORBED
        made = written.get(op.s[0], ()) if mask is not None and type(op.s[0]) is int else ()
        if len(made) == 1 and made[0].kind == Kind.LOAD and made[0].vec == 1 and op.s[0] not in code.foreign:
            load, bits = made[0], (1 << 8 * made[0].element) - 1
            if load.element < 4 and not load.flags & Flag.SIGNED and mask & bits == bits:
                op.operation = ABSORBED


# ------------------------------------------------------------------------------------------------------- halves of 64-bit numbers
_LOW, _HIGH = 1, 2
_BOTH = _LOW | _HIGH
_BITWISE = ("and_b64", "or_b64", "xor_b64")
_SHIFTS = ("shl_b64", "shr_u64", "shr_s64")
_FROM_LOW = ("low_b64", *(f"cvt_{a}{n}_{b}64" for a in "us" for b in "us" for n in (8, 16, 32)))


def _single_words(code: Code) -> None:
    """Charge half, or nothing, where a half of the result is 0 by what its operands are, or is not read."""
    if not any(op.kind == Kind.ALU and op.fn in _BITWISE + _SHIFTS for op in code.ops):
        return
    written, kept = definitions(code), code.foreign | code.results
    zero = zero_halves(code, written)
    wanted = _wanted_halves(code)
    for op in code.ops:
        if op.kind != Kind.ALU or op.guard is not None or op.operation == ABSORBED or len(op.d) != 1 or op.d[0] is None:
            continue
        needed = wanted.get(op.d[0], 0)
        amount = _amount(op)
        if op.fn in _BITWISE:
            done = needed & ~zero.get(op.d[0], 0)
            if op.fn != "and_b64":      # with 0 there is nothing to be done
                for s in op.s[:2]:
                    done &= ~_zeros(s, zero)
            else:                       # nor with ones
                done &= ~_ones(op.s[1])
            _charge(op, done, "int_logic")
        elif op.fn in _SHIFTS and amount is not None:
            done = needed & ~zero.get(op.d[0], 0)
            _charge(op, done, "int_shift")
        elif op.fn in ("add_b64", "sub_b64") and needed == _LOW and op.d[0] not in kept:
            op.operation = "int_add"
        elif op.fn == "mul_lo_b64" and needed == _LOW and op.d[0] not in kept:
            op.operation = "int_mul32"


def _charge(op: Op, halves: int, operation: str) -> None:
    if halves in (_LOW, _HIGH):
        op.operation = operation


def _amount(op: Op) -> int | None:
    amount = op.s[1] if len(op.s) > 1 else None
    return amount.value if isinstance(amount, Const) and amount.kind == ConstantKind.IMMEDIATE else None


def _ones(value) -> int:
    """Give the halves of a constant that are all ones."""
    if not isinstance(value, Const) or value.kind != ConstantKind.IMMEDIATE:
        return 0
    return (_LOW if value.value & _WORD == _WORD else 0) | (_HIGH if value.value >> 32 == _WORD else 0)


def _zeros(value, zero: dict[int, int]) -> int:
    """Give the halves of a value that are 0."""
    if isinstance(value, Const):
        if value.kind != ConstantKind.IMMEDIATE:
            return 0
        return (0 if value.value & _WORD else _LOW) | (0 if value.value >> 32 & _WORD else _HIGH)
    return zero.get(value, 0)


def zero_halves(code: Code, written: dict[int, list[Op]]) -> dict[int, int]:
    """Give the registers of 64 bits that are written once, by what leaves a half 0."""
    zero: dict[int, int] = {}
    for op in code.ops:
        if op.kind != Kind.ALU or len(op.d) != 1 or op.d[0] is None or len(written[op.d[0]]) != 1 or op.d[0] in code.foreign:
            continue
        found, amount = 0, _amount(op)
        if op.fn == "cvt_u64_u32" or op.fn.startswith("cvt_u64_u") and op.fn != "cvt_u64_u64":
            found = _HIGH
        elif op.fn == "shr_u64" and amount is not None and amount >= 32:
            found = _HIGH
        elif op.fn == "shl_b64" and amount is not None and amount >= 32:
            found = _LOW
        elif op.fn == "and_b64":
            found = _zeros(op.s[0], zero) | _zeros(op.s[1], zero)
        elif op.fn in ("or_b64", "xor_b64"):
            found = _zeros(op.s[0], zero) & _zeros(op.s[1], zero)
        if found:
            zero[op.d[0]] = found
    return zero


def _wanted_halves(code: Code) -> dict[int, int]:
    """Give the halves of results that anybody reads, starting from none and adding until nothing changes."""
    wanted: dict[int, int] = dict.fromkeys(code.foreign | code.results, _BOTH)
    while True:
        before = sum(wanted.values())
        for op in reversed(code.ops):
            for v in op.reads():
                halves = _read(op, v, wanted)
                if halves:
                    wanted[v] = wanted.get(v, 0) | halves
        if sum(wanted.values()) == before:
            return wanted


def _read(op: Op, v: int, wanted: dict[int, int]) -> int:
    """Give the halves of a register that an operation reads for the halves wanted of its result."""
    if op.kind != Kind.ALU or len(op.d) != 1 or op.d[0] is None or op.guard is not None:
        return _BOTH
    if op.fn in _FROM_LOW:
        return _LOW
    if op.fn == "high_b64":
        return _HIGH
    needed = wanted.get(op.d[0], 0)
    if op.fn in _BITWISE:
        return needed
    if op.fn in ("add_b64", "sub_b64", "mul_lo_b64"):
        return _LOW if needed == _LOW else _BOTH if needed else 0
    amount = _amount(op)
    if op.fn in _SHIFTS and amount is not None and op.s[0] == v:
        if op.fn == "shl_b64":
            return _LOW if amount >= 32 or needed == _LOW else _BOTH
        return _HIGH if amount >= 32 else _HIGH if needed == _HIGH else _BOTH
    return _BOTH
