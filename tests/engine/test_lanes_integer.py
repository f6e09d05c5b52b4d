"""Integer lane functions and conversions agree with exact arithmetic on Python integers."""
import math

import float_oracle as oracle
import numpy as np
import pytest
from float_oracle import F32, F64
from hypothesis import given, settings
from hypothesis import strategies as st

from archdef.engine import lanes

WIDTHS = {"u8": (8, False), "s8": (8, True), "u16": (16, False), "s16": (16, True), "u32": (32, False), "s32": (32, True),
          "u64": (64, False), "s64": (64, True)}
EDGES = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x1000000,
         0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF]
bits64 = st.one_of(st.sampled_from(EDGES), st.integers(0, 2**64 - 1), st.integers(0, 2**16 - 1))
amount = st.one_of(st.sampled_from([0, 1, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256, 2**32 - 1]), st.integers(0, 80))


def read(bits, type):
    """Value of the low bits as a type."""
    width, signed = WIDTHS[type]
    value = bits & (1 << width) - 1
    return value - (1 << width) if signed and value >> width - 1 else value


def holder(type):
    return np.uint64 if WIDTHS[type][0] == 64 else np.uint32


def written(value, type):
    """Lane that holds a result: cut to the type, then extended to the lane."""
    lane = 64 if WIDTHS[type][0] == 64 else 32
    return read(value, type) & (1 << lane) - 1


def run(name, operands, holders):
    rows = [np.array([x & (2**64 - 1) if h is np.uint64 else x & 0xFFFFFFFF] * 9, h) for x, h in zip(operands, holders)]
    found = lanes.apply_alu(name, *rows)
    assert len(set(found.tolist())) == 1, name
    return int(found[0])


def quotient(a, b):
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


BITWISE = {"add": lambda a, b, c: a + b, "sub": lambda a, b, c: a - b, "and": lambda a, b, c: a & b, "or": lambda a, b, c: a | b,
           "xor": lambda a, b, c: a ^ b, "not": lambda a, b, c: ~a, "cnot": lambda a, b, c: int(a == 0),
           "mul_lo": lambda a, b, c: a * b, "mad_lo": lambda a, b, c: a * b + c}


@pytest.mark.parametrize("name", BITWISE)
@settings(max_examples=60, deadline=None)
@given(a=bits64, b=bits64, c=bits64)
def test_sign_free_operations_wrap(name, a, b, c):
    for width in (16, 32, 64):
        type = f"u{width}"
        expected = written(BITWISE[name](*(read(x, type) for x in (a, b, c))), type)
        assert run(f"{name}_b{width}", (a, b, c), [holder(type)] * 3) == expected, width


TYPED = {
    "min": lambda a, b, c, t: min(a, b), "max": lambda a, b, c, t: max(a, b),
    "sad": lambda a, b, c, t: c + abs(a - b),
    "div": lambda a, b, c, t: quotient(a, b),
    "rem": lambda a, b, c, t: a - b * quotient(a, b) if b else -1,
    "mul_hi": lambda a, b, c, t: a * b >> WIDTHS[t][0], "mad_hi": lambda a, b, c, t: (a * b >> WIDTHS[t][0]) + c,
}


@pytest.mark.parametrize("name", TYPED)
@settings(max_examples=80, deadline=None)
@given(a=bits64, b=bits64, c=bits64)
def test_signed_and_unsigned_operations(name, a, b, c):
    for type in ("u16", "s16", "u32", "s32", "u64", "s64"):
        expected = written(TYPED[name](*(read(x, type) for x in (a, b, c)), type), type)
        assert run(f"{name}_{type}", (a, b, c), [holder(type)] * 3) == expected, type


@settings(max_examples=80, deadline=None)
@given(a=bits64, b=bits64, c=bits64)
def test_wide_products_keep_every_bit(a, b, c):
    for type, twice in (("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")):
        product = read(a, type) * read(b, type)
        narrow, wide = holder(type), holder(twice)
        assert run(f"mul_wide_{type}", (a, b), [narrow] * 2) == written(product, twice)
        assert run(f"mad_wide_{type}", (a, b, c), [narrow, narrow, wide]) == written(product + read(c, twice), twice)


@settings(max_examples=80, deadline=None)
@given(a=bits64, b=bits64, c=bits64)
def test_24_bit_products(a, b, c):
    for type in ("u32", "s32"):
        def low(x):
            x &= 0xFFFFFF
            return x - (1 << 24) if type == "s32" and x >> 23 else x
        product = low(a) * low(b)
        hold = [np.uint32] * 3
        assert run(f"mul24_lo_{type}", (a, b), hold) == product & 0xFFFFFFFF
        assert run(f"mul24_hi_{type}", (a, b), hold) == product >> 16 & 0xFFFFFFFF
        assert run(f"mad24_lo_{type}", (a, b, c), hold) == (product + c) & 0xFFFFFFFF
        assert run(f"mad24_hi_{type}", (a, b, c), hold) == ((product >> 16) + c) & 0xFFFFFFFF


def clamp(value, type):
    width, signed = WIDTHS[type]
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    return max(least, min(most, value))


@settings(max_examples=80, deadline=None)
@given(a=bits64, b=bits64, c=bits64)
def test_saturating_operations_clamp(a, b, c):
    x, y, z = (read(v, "s32") for v in (a, b, c))
    hold = [np.uint32] * 3
    assert run("add_sat_s32", (a, b), hold) == clamp(x + y, "s32") & 0xFFFFFFFF
    assert run("sub_sat_s32", (a, b), hold) == clamp(x - y, "s32") & 0xFFFFFFFF
    assert run("mad_hi_sat_s32", (a, b, c), hold) == clamp((x * y >> 32) + z, "s32") & 0xFFFFFFFF


@given(a=bits64)
def test_negation_and_magnitude_wrap_at_the_lowest_value(a):
    for type in ("s16", "s32", "s64"):
        assert run(f"neg_{type}", (a,), [holder(type)]) == written(-read(a, type), type)
        assert run(f"abs_{type}", (a,), [holder(type)]) == written(abs(read(a, type)), type)


@settings(max_examples=120, deadline=None)
@given(a=bits64, n=amount)
def test_shifts_clamp_at_the_width(a, n):
    for width in (16, 32, 64):
        u, s = f"u{width}", f"s{width}"
        hold = [holder(u), np.uint32]
        assert run(f"shl_b{width}", (a, n), hold) == written(read(a, u) << min(n, width), u)
        assert run(f"shr_{u}", (a, n), hold) == read(a, u) >> min(n, width)
        assert run(f"shr_{s}", (a, n), hold) == written(read(a, s) >> min(n, width), s)


@settings(max_examples=80, deadline=None)
@given(a=bits64, b=bits64, n=amount)
def test_funnel_shifts(a, b, n):
    a, b = a & 0xFFFFFFFF, b & 0xFFFFFFFF
    hold = [np.uint32] * 3
    for mode, by in (("clamp", min(n, 32)), ("wrap", n & 31)):
        assert run(f"shf_l_{mode}_b32", (a, b, n), hold) == (b << 32 | a) << by >> 32 & 0xFFFFFFFF
        assert run(f"shf_r_{mode}_b32", (a, b, n), hold) == (b << 32 | a) >> by & 0xFFFFFFFF


@settings(max_examples=80, deadline=None)
@given(a=bits64)
def test_bit_counts_and_searches(a):
    for width in (32, 64):
        hold = [holder(f"u{width}")]
        x = a & (1 << width) - 1
        assert run(f"popc_b{width}", (a,), hold) == x.bit_count()
        assert run(f"clz_b{width}", (a,), hold) == width - x.bit_length()
        assert run(f"brev_b{width}", (a,), hold) == int(f"{x:0{width}b}"[::-1], 2)
        for type in (f"u{width}", f"s{width}"):
            y = ~x & (1 << width) - 1 if type[0] == "s" and x >> width - 1 else x
            assert run(f"bfind_{type}", (a,), hold) == (y.bit_length() - 1) & 0xFFFFFFFF
            expected = width - y.bit_length() if y else 0xFFFFFFFF
            assert run(f"bfind_shiftamt_{type}", (a,), hold) == expected


@settings(max_examples=150, deadline=None)
@given(a=bits64, b=bits64, position=amount, length=amount)
def test_bit_fields_follow_the_manual_bit_by_bit(a, b, position, length):
    for type in ("u32", "s32", "u64", "s64"):
        width, signed = WIDTHS[type]
        pos, length8 = (position & 255, length & 255) if width == 32 else (position, length)  # seen on compute capability 9.0
        msb, x = width - 1, a & (1 << width) - 1
        sign = 0 if not signed or length8 == 0 else x >> min(pos + length8 - 1, msb) & 1
        expected = sum((x >> pos + i & 1 if i < length8 and pos + i <= msb else sign) << i for i in range(width))
        assert run(f"bfe_{type}", (a, position, length), [holder(type), np.uint32, np.uint32]) == expected
    for width in (32, 64):
        x, y = a & (1 << width) - 1, b & (1 << width) - 1
        pos, length8 = (position & 255, length & 255) if width == 32 else (position, length)
        inside = [i for i in range(min(length8, width)) if pos + i < width]
        for i in inside:
            y = y & ~(1 << pos + i) | (x >> i & 1) << pos + i
        hold = holder(f"u{width}")
        assert run(f"bfi_b{width}", (a, b, position, length), [hold, hold, np.uint32, np.uint32]) == y


@settings(max_examples=80, deadline=None)
@given(a=bits64, b=amount, c=amount)
def test_masks_and_extensions(a, b, c):
    full = 0xFFFFFFFF
    hold = [np.uint32] * 2
    assert run("bmsk_clamp_b32", (b, c), hold) == ((1 << min(c, 32)) - 1) << min(b, 32) & full
    assert run("bmsk_wrap_b32", (b, c), hold) == ((1 << (c & 31)) - 1) << (b & 31) & full
    for mode, n in (("clamp", min(b, 32)), ("wrap", b & 31)):
        low = a & (1 << n) - 1
        assert run(f"szext_{mode}_u32", (a, b), hold) == low & full
        assert run(f"szext_{mode}_s32", (a, b), hold) == (low - (1 << n) if n and low >> n - 1 else low) & full


@given(mask=bits64, base=st.integers(0, 40), offset=st.integers(-33, 33))
def test_nth_set_bit_counts_from_its_base(mask, base, offset):
    mask &= 0xFFFFFFFF
    expected = 0xFFFFFFFF
    if base < 32 and offset == 0:
        expected = base if mask >> base & 1 else expected
    elif base < 32:
        order = range(base, 32) if offset > 0 else range(base, -1, -1)
        found = [i for i in order if mask >> i & 1]
        expected = found[abs(offset) - 1] if len(found) >= abs(offset) else expected
    assert run("fns_b32", (mask, base, offset), [np.uint32] * 3) == expected


@given(a=bits64, b=bits64, c=bits64, table=st.integers(0, 255))
def test_three_input_logic_is_its_truth_table(a, b, c, table):
    expected = 0
    for i in range(32):
        expected |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i
    assert run("lop3_b32", (a, b, c, table), [np.uint32] * 4) == expected


@given(a=bits64, b=bits64, selector=st.integers(0, 0xFFFF))
def test_byte_permutation(a, b, selector):
    pair = ((b & 0xFFFFFFFF) << 32 | a & 0xFFFFFFFF).to_bytes(8, "little")
    out = []
    for k in range(4):
        nibble = selector >> 4 * k & 15
        byte = pair[nibble & 7]
        out.append((255 if byte & 128 else 0) if nibble & 8 else byte)
    assert run("prmt_b32", (a, b, selector), [np.uint32] * 3) == int.from_bytes(out, "little")


@pytest.mark.parametrize("mode, bytes_", [  # PTX ISA, prmt: byte numbers d3 d2 d1 d0 for c = 0, 1, 2, 3
    ("f4e", ["3210", "4321", "5432", "6543"]), ("b4e", ["5670", "6701", "7012", "0123"]),
    ("rc8", ["0000", "1111", "2222", "3333"]), ("ecl", ["3210", "3211", "3222", "3333"]),
    ("ecr", ["0000", "1110", "2210", "3210"]), ("rc16", ["1010", "3232", "1010", "3232"])])
def test_named_permutations(mode, bytes_):
    a, b = 0x13121110, 0x17161514
    for c, wanted in enumerate(bytes_):
        expected = int("".join(f"1{digit}" for digit in wanted), 16)
        assert run(f"prmt_{mode}_b32", (a, b, c), [np.uint32] * 3) == expected


@given(a=bits64, b=bits64, c=bits64)
def test_dot_products(a, b, c):
    def part(x, k, bits, type):
        return read(x >> bits * k, f"{type[0]}{bits}")
    for ta in ("u32", "s32"):
        for tb in ("u32", "s32"):
            four = c + sum(part(a, k, 8, ta) * part(b, k, 8, tb) for k in range(4))
            assert run(f"dp4a_{ta}_{tb}", (a, b, c), [np.uint32] * 3) == four & 0xFFFFFFFF
            for half, first in (("lo", 0), ("hi", 2)):
                two = c + sum(part(a, k, 16, ta) * part(b, first + k, 8, tb) for k in range(2))
                assert run(f"dp2a_{half}_{ta}_{tb}", (a, b, c), [np.uint32] * 3) == two & 0xFFFFFFFF


@given(a=bits64, b=bits64)
def test_integer_comparisons(a, b):
    orders = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y,
              "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}
    for type in ("u16", "s16", "u32", "s32", "u64", "s64"):
        hold = holder(type)
        mask = 2**64 - 1 if hold is np.uint64 else 0xFFFFFFFF
        x, y = np.array([a & mask], hold), np.array([b & mask], hold)
        for name, order in orders.items():
            assert lanes.apply_compare(f"{name}_{type}", x, y)[0] == order(read(a, type), read(b, type))


@settings(max_examples=80, deadline=None)
@given(a=bits64, b=bits64, c=bits64, carry=st.booleans())
def test_carry_chains(a, b, c, carry):
    for width in (32, 64):
        hold = holder(f"u{width}")
        full = (1 << width) - 1
        x, y, z = (v & full for v in (a, b, c))

        def check(name, exact):
            rows = [np.array([v], hold) for v in (x, y, z)]
            result, out = lanes.apply_carry(name, *rows, carry_in=[carry])
            assert int(result[0]) == exact & full, name
            borrows = name.startswith("sub")     # the flag is an adder's carry: the opposite of a borrow
            assert bool(out[0]) == (exact < 0 or exact > full) ^ borrows, name

        for cin, suffix in ((0, ""), (int(carry), "c")):
            check(f"add{suffix}_b{width}", x + y + cin)
            check(f"sub{suffix}_b{width}", x - y - (1 - cin if suffix else 0))
            check(f"mad{suffix}_lo_b{width}", (x * y & full) + z + cin)
            check(f"mad{suffix}_hi_u{width}", (x * y >> width) + z + cin)
            signed = (read(x, f"s{width}") * read(y, f"s{width}") >> width) & full
            check(f"mad{suffix}_hi_s{width}", signed + z + cin)


@given(old=bits64, b=bits64, c=bits64)
def test_atomic_operations(old, b, c):
    for width in (32, 64):
        full = (1 << width) - 1
        o, x, y = old & full, b & full, c & full
        u, s = f"u{width}", f"s{width}"
        expected = {f"add_b{width}": o + x & full, f"exch_b{width}": x, f"cas_b{width}": y if o == x else o,
                    f"and_b{width}": o & x, f"or_b{width}": o | x, f"xor_b{width}": o ^ x,
                    f"min_{u}": min(o, x), f"max_{u}": max(o, x),
                    f"min_{s}": min(o, x, key=lambda v: read(v, s)), f"max_{s}": max(o, x, key=lambda v: read(v, s))}
        for name, value in expected.items():
            assert lanes.apply_atomic(name, o, x, y) == value, name
    o, x = old & 0xFFFFFFFF, b & 0xFFFFFFFF
    assert lanes.apply_atomic("inc_u32", o, x) == (0 if o >= x else o + 1)
    assert lanes.apply_atomic("dec_u32", o, x) == (x if o == 0 or o > x else o - 1)
    assert lanes.apply_atomic("add_f32", o, x) == oracle.add(F32, o, x, "rn")
    assert lanes.apply_atomic("add_f64", old, b) == oracle.add(F64, old, b, "rn")
    flushed = oracle.add(F32, F32.flush(o), F32.flush(x), "rn")
    assert lanes.apply_atomic("add_ftz_f32", o, x) == F32.flush(flushed)


# ------------------------------------------------------------------------------------------------------------------- conversions
@settings(max_examples=60, deadline=None)
@given(a=bits64)
def test_integer_conversions_cut_extend_and_clamp(a):
    for source in WIDTHS:
        for target in WIDTHS:
            value = read(a, source)
            assert run(f"cvt_{target}_{source}", (a,), [holder(source)]) == written(value, target), (target, source)
            assert run(f"cvt_sat_{target}_{source}", (a,), [holder(source)]) == written(clamp(value, target), target)


@settings(max_examples=80, deadline=None)
@given(a=bits64, mode=st.sampled_from(["rn", "rz", "rm", "rp"]))
def test_integers_become_floats_with_one_rounding(a, mode):
    for source in WIDTHS:
        row = np.array([a & (2**64 - 1 if holder(source) is np.uint64 else 0xFFFFFFFF)] * 9, holder(source))
        for form in (F32, F64):
            found = lanes.apply_alu(f"cvt_f{form.bits}_{source}", row, rounding=mode)
            assert int(found[0]) == int(found[8]) == form.round(oracle.Fraction(read(a, source)), mode), (source, form.bits)


floats = st.one_of(st.floats(width=32), st.integers(-2**34, 2**34).map(lambda n: n / 2), st.sampled_from(
    [0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 128.5, 255.5, 32767.5, 65535.5, 2.0**31, 2.0**31 - 1, 2.0**32, 2.0**63, 2.0**64, -2.0**63]))
ROUND = {"rni": lambda x: int(np.rint(x)) if abs(x) < 2**53 else int(x), "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}


@settings(max_examples=150, deadline=None)
@given(x=floats)
def test_floats_become_integers_with_rounding_and_clamping(x):
    for floating, bits in ((np.float32, 32), (np.float64, 64)):
        with np.errstate(over="ignore"):
            row = np.array([x] * 9, floating)
        value = float(row[0])
        for mode, rounding in ROUND.items():
            for type, (width, _signed) in WIDTHS.items():
                found = lanes.apply_alu(f"cvt_{mode}_{type}_f{bits}", row)
                if math.isnan(value):
                    expected = 0 if bits == 32 and width < 64 else 1 << width - 1
                elif math.isinf(value):
                    expected = clamp(10**30 if value > 0 else -10**30, type)
                else:
                    expected = clamp(rounding(value), type)
                assert int(found[0]) == int(found[8]) == written(expected, type), (mode, type, bits, value)
            whole = lanes.apply_alu(f"{mode}_f{bits}", row, dtype=floating)
            if math.isfinite(value) and abs(value) < 2**53:
                assert float(whole[0]) == rounding(value)


def test_lane_functions_may_write_over_their_operand():
    x = np.arange(64, dtype=np.uint32)
    assert np.array_equal(lanes.apply_alu("add_b32", x, x), 2 * x)


def test_names_are_distinct():
    for names in (lanes.alu_names(), lanes.compare_names(), lanes.carry_names(), lanes.atomic_names()):
        assert len(set(names)) == len(names)


def test_operands_of_the_wrong_shape_are_refused():
    with pytest.raises(TypeError, match="8 bytes a lane"):
        lanes.apply_alu("add_b64", np.zeros(4, np.uint32), np.zeros(4, np.uint64))
    with pytest.raises(ValueError, match="4 lanes"):
        lanes.apply_alu("add_b32", np.zeros(4, np.uint32), np.zeros(5, np.uint32))
    with pytest.raises(KeyError):
        lanes.apply_alu("no_such", np.zeros(4, np.uint32))
