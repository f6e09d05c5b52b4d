"""Arithmetic on 16-bit floats agrees bit for bit with exact arithmetic, alone and in pairs."""
import float_oracle as oracle
import numpy as np
import pytest
from float_oracle import F16, F32, F64, Format

from archdef.engine import lanes

BF16 = Format(16, 8)
FORMS = {"f16": F16, "bf16": BF16}
NAN = 0x7FFF
RANDOM = np.random.default_rng(16)
COUNT = 3000


def patterns(form, count=COUNT):
    """Edges, numbers near one another, and anything."""
    edges = [0, 1, 2, (1 << form.precision - 1) - 1, 1 << form.precision - 1, (form.bias << form.precision - 1) - 1,
             form.bias << form.precision - 1, (form.bias << form.precision - 1) + 1, form.largest, form.infinity, form.infinity + 1, NAN]
    edges = np.array(edges + [x | 0x8000 for x in edges], np.uint32)
    near = RANDOM.integers(0, 1 << form.precision + 3, count) + (form.bias - 4 << form.precision - 1) | RANDOM.choice([0, 0x8000], count)
    found = np.where(RANDOM.random(count) < 0.4, near, RANDOM.integers(0, 1 << 16, count)).astype(np.uint32)
    return np.where(RANDOM.random(count) < 0.2, RANDOM.choice(edges, count), found).astype(np.uint32)


def special_sums(form):
    """Products on a midpoint of the format, with an addend that alone decides the rounding."""
    one, odd = form.bias << form.precision - 1, 1 << form.precision - 1
    a = np.array([one + 1, one + odd // 2 + 1, one + 3] * 400, np.uint32)
    b = np.tile(np.arange(one, one + 60, dtype=np.uint32), 20)
    c = RANDOM.integers(0, 40, 1200).astype(np.uint32) | RANDOM.choice([0, 0x8000], 1200).astype(np.uint32)
    return a, b, c


def canonical(form, x):
    return NAN if form.is_nan(x) else x


def exact(name, form, a, b, c, mode="rn"):
    if name == "fma":
        parts = a, b, c
    else:
        parts = (a, b) if name == "mul" else (a, b ^ (0x8000 if name == "sub" and not form.is_nan(b) else 0))
    if any(map(form.is_nan, parts)):
        return NAN
    found = oracle.fma(form, *parts, mode) if name == "fma" else (oracle.mul if name == "mul" else oracle.add)(form, *parts, mode)
    return NAN if found > 0xFFFF or form.is_nan(found) else found


def clipped(form, x, sat, relu):
    if relu and not form.is_nan(x):
        return 0 if x >> 15 else x
    if sat:
        one = form.bias << form.precision - 1
        return 0 if form.is_nan(x) or x >> 15 else min(x, one)
    return x


def check(name, type, form, operands, expected):
    """Run the scalar, with junk above it, and the pair: the same operands in one half and shifted by one in the other."""
    junk = [x | np.uint32(0xABCD0000) for x in operands]
    found = lanes.apply_alu(f"{name}_{type}", *junk)
    wrong = np.flatnonzero(found != expected)
    assert not len(wrong), [(hex(int(x[wrong[0]])) for x in operands), hex(int(found[wrong[0]])), hex(int(expected[wrong[0]]))]
    pairs = [x | np.roll(x, 1) << np.uint32(16) for x in operands]
    assert np.array_equal(lanes.apply_alu(f"{name}_{type}x2", *pairs), expected | np.roll(expected, 1) << np.uint32(16))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "fma"])
@pytest.mark.parametrize("type", FORMS)
def test_arithmetic_rounds_once(type, name):
    form = FORMS[type]
    a, b, c = (np.concatenate(pair) for pair in zip([patterns(form) for _ in range(3)], special_sums(form)))
    expected = np.array([exact(name, form, *row) for row in zip(a.tolist(), b.tolist(), c.tolist())], np.uint32)
    operands = (a, b, c) if name == "fma" else (a, b)
    check(name, type, form, operands, expected)
    if name == "fma":
        check("fms", type, form, (a, b, c ^ np.uint32(0x8000)), expected)
        check("fnma", type, form, (a ^ np.uint32(0x8000), b, c), expected)
        check("fma_relu", type, form, operands, np.array([clipped(form, x, False, True) for x in expected.tolist()], np.uint32))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "fma"])
def test_flushing_and_saturation(name):
    a, b, c = (patterns(F16, 2000) for _ in range(3))
    operands = (a, b, c) if name == "fma" else (a, b)
    flushed = [np.array([F16.flush(x) for x in row.tolist()], np.uint32) for row in (a, b, c)]
    plain, ftz, cut = ([exact(name, F16, *row, mode) for row in zip(*(x.tolist() for x in rows))]
                       for rows, mode in (((a, b, c), "rn"), (flushed, "rn"), (flushed, "rz")))
    ftz = [x & 0x8000 if y & 0x7FFF < 0x400 else x for x, y in zip(ftz, cut)]  # tiny before rounding
    check(f"{name}_sat", "f16", F16, operands, np.array([clipped(F16, x, True, False) for x in plain], np.uint32))
    check(f"{name}_ftz", "f16", F16, operands, np.array(ftz, np.uint32))
    check(f"{name}_ftz_sat", "f16", F16, operands, np.array([clipped(F16, x, True, False) for x in ftz], np.uint32))


@pytest.mark.parametrize("type", FORMS)
def test_signs_and_extremes(type):
    form = FORMS[type]
    a, b = patterns(form), patterns(form)

    def key(x):
        return -(x & 0x7FFF) - 1 if x >> 15 else x

    def extreme(x, y, pick, any_nan, xorsign):
        sign = (x ^ y) & 0x8000
        x, y = (x & 0x7FFF, y & 0x7FFF) if xorsign else (x, y)
        nans = form.is_nan(x) + form.is_nan(y)
        if nans == 2 or nans and any_nan:
            return NAN
        found = (y if form.is_nan(x) else x) if nans else pick(x, y, key=key)
        return found | sign if xorsign else found

    check("neg", type, form, (a,), np.array([canonical(form, x ^ 0x8000 if not form.is_nan(x) else x) for x in a.tolist()], np.uint32))
    check("abs", type, form, (a,), np.array([canonical(form, x & 0x7FFF) for x in a.tolist()], np.uint32))
    rows = list(zip(a.tolist(), b.tolist()))
    for name, pick in (("min", min), ("max", max)):
        for any_nan in (False, True):
            for xorsign in (False, True):
                full = name + "_nan" * any_nan + "_xorsign" * xorsign
                check(full, type, form, (a, b), np.array([extreme(x, y, pick, any_nan, xorsign) for x, y in rows], np.uint32))
    if type == "f16":
        check("min_ftz", type, form, (a, b), np.array([extreme(form.flush(x), form.flush(y), min, False, False) for x, y in rows], np.uint32))
        check("neg_ftz", type, form, (a,), np.array([canonical(form, form.flush(x) ^ 0x8000 if not form.is_nan(x) else x)
                                                     for x in a.tolist()], np.uint32))


@pytest.mark.parametrize("type", FORMS)
def test_comparisons_of_either_half(type):
    form = FORMS[type]
    a, b = patterns(form), patterns(form)
    values = [lanes.apply_alu(f"cvt_f32_{type}", x, dtype=np.float32) for x in (a, b)]
    nan = np.isnan(values[0]) | np.isnan(values[1])
    for name, compare in (("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater),
                          ("ge", np.greater_equal)):
        with np.errstate(invalid="ignore"):
            holds = compare(*values)
        for half, shift in (("", 0), ("high_", 16)):
            x, y = a << np.uint32(shift), b << np.uint32(shift)
            assert np.array_equal(lanes.apply_compare(f"{name}_{half}{type}", x, y), holds & ~nan)
            assert np.array_equal(lanes.apply_compare(f"{name}u_{half}{type}", x, y), holds | nan)
    assert np.array_equal(lanes.apply_compare(f"nan_{type}", a, b), nan)
    assert np.array_equal(lanes.apply_compare(f"num_high_{type}", a << np.uint32(16), b << np.uint32(16)), ~nan)


def test_comparisons_that_flush():
    tiny, zero = np.array([1, 0x8001], np.uint32), np.zeros(2, np.uint32)
    assert lanes.apply_compare("eq_ftz_f16", tiny, zero).all() and not lanes.apply_compare("eq_f16", tiny, zero).any()
    assert lanes.apply_compare("eq_ftz_high_f16", tiny << np.uint32(16), zero).all()


# ----------------------------------------------------------------------------------------------------------- conversions
SINGLES = np.concatenate([RANDOM.integers(0, 1 << 32, 2000, np.uint32), np.array(
    [0, 1, 0x33000000, 0x33000001, 0x33800000, 0x387FC000, 0x387FE000, 0x38800000, 0x3F801000, 0x3F803000, 0x3F808000, 0x3F818000,
     0x477FEFFF, 0x477FF000, 0x47800000, 0x7F7F7FFF, 0x7F7F8000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x00008000,
     0x00018000, 0x00007FFF, 0x3F800FFF, 0x3F801000, 0x3F802FFF], np.uint32)])
SINGLES = np.concatenate([SINGLES, SINGLES ^ np.uint32(0x80000000),
                          RANDOM.integers(0x33000000, 0x47900000, 2000, np.uint32) & np.uint32(0xFFFFF000)])


def converted(x, form, mode, relu=False, finite=False):
    if F32.is_nan(x):
        return NAN
    found = form.infinity | x >> 31 << 15 if F32.is_infinite(x) else form.round(F32.value(x), mode, bool(x >> 31))
    if finite and found & 0x7FFF == form.infinity:
        found -= 1
    return 0 if relu and found >> 15 else found


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("type", FORMS)
def test_singles_become_small_floats_with_one_rounding(type, mode):
    form = FORMS[type]
    expected = np.array([converted(x, form, mode) for x in SINGLES.tolist()], np.uint32)
    assert np.array_equal(lanes.apply_alu(f"cvt_{mode}_{type}_f32", SINGLES), expected)
    pair = lanes.apply_alu(f"cvt_{mode}_{type}x2_f32", SINGLES, np.roll(SINGLES, 1))
    assert np.array_equal(pair, expected << np.uint32(16) | np.roll(expected, 1))  # the first operand is the high half
    if mode in ("rn", "rz"):
        for relu, finite in ((True, False), (False, True), (True, True)):
            name = f"cvt_{mode}{'_relu' * relu}{'_satfinite' * finite}_{type}_f32"
            expected = np.array([converted(x, form, mode, relu, finite) for x in SINGLES.tolist()], np.uint32)
            assert np.array_equal(lanes.apply_alu(name, SINGLES), expected), name


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("type", FORMS)
def test_doubles_and_integers_become_small_floats_with_one_rounding(type, mode):
    form = FORMS[type]
    bits = np.concatenate([RANDOM.integers(0, 1 << 64, 500, np.uint64), np.float64(
        [1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-50, 1 + 2.0**-8 + 2.0**-52, 2.0**-25 + 2.0**-60, 2.0**-134, 2.0**-134 + 2.0**-150,
         65519.999, 65520, 3.4e38, 1e300, 0]).view(np.uint64)])
    bits = np.append(bits, np.array([0xFFF1234500000001, 0x7FF0000000000001], np.uint64))
    expected = [oracle.convert(x, form, F64, mode) for x in bits.tolist()]
    assert lanes.apply_alu(f"cvt_{mode}_{type}_f64", bits).tolist() == expected
    wide = np.concatenate([RANDOM.integers(0, 1 << 64, 300, np.uint64) >> RANDOM.integers(0, 60, 300).astype(np.uint64), np.array(
        [0, 2049, 2051, 65519, 65520, (1 << 63) + 1, (1 << 63) + (1 << 55), (1 << 63) + (1 << 55) + 1, (1 << 64) - 1], np.uint64)])
    assert lanes.apply_alu(f"cvt_{mode}_{type}_u64", wide).tolist() == [form.round(x * oracle.Fraction(1), mode) for x in wide.tolist()]
    signed = wide.view(np.int64)
    assert lanes.apply_alu(f"cvt_{mode}_{type}_s64", wide).tolist() == [form.round(x * oracle.Fraction(1), mode) for x in signed.tolist()]
    low = wide.astype(np.uint32)
    assert lanes.apply_alu(f"cvt_{mode}_{type}_s32", low).tolist() == [
        form.round(x * oracle.Fraction(1), mode) for x in low.view(np.int32).tolist()]


def test_tf32_keeps_ten_bits_of_fraction():
    values = SINGLES[(SINGLES & np.uint32(0x7FFFFFFF)) < 0x7F800000]
    half = {"rn": 0xFFF + (values.astype(np.uint64) >> 13 & 1), "rz": 0, "rna": 0x1000}
    for mode, added in half.items():
        expected = (values.astype(np.uint64) + added & 0xFFFFE000).astype(np.uint32)
        assert np.array_equal(lanes.apply_alu(f"cvt_{mode}_tf32_f32", values), expected), mode
    special = np.array([0x7F800000, 0xFF800000, 0x7FC00000, 0xBF800000, 0x7F7FFFFF], np.uint32)
    assert lanes.apply_alu("cvt_rna_tf32_f32", special).tolist() == [0x7F800000, 0xFF800000, 0x7FC00000, 0xBF800000, 0x7F800000]
    assert lanes.apply_alu("cvt_rn_relu_satfinite_tf32_f32", special).tolist() == [0x7F7FE000, 0, 0x7FFFE000, 0, 0x7F7FE000]


def test_integers_are_packed_with_saturation():
    a = RANDOM.integers(-70000, 70000, 500).astype(np.int32)
    b, c = np.roll(a, 7) // 300, RANDOM.integers(0, 1 << 32, 500, np.uint32)
    for type, bits in (("s16", 16), ("u16", 16), ("s8", 8), ("u8", 8), ("s4", 4), ("u4", 4), ("s2", 2), ("u2", 2)):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if type[0] == "s" else (0, (1 << bits) - 1)
        fields = [np.clip(x, low, high).astype(np.int64) & (1 << bits) - 1 for x in (a, b)]
        expected = (c.astype(np.uint64) << np.uint64(2 * bits)) | (fields[0] << bits | fields[1]).astype(np.uint64)
        assert np.array_equal(lanes.apply_alu(f"cvt_pack_{type}", a, b, c), expected.astype(np.uint32)), type


# -------------------------------------------------------------------------------------------------------- approximations
@pytest.mark.parametrize("type, error", [("f16", 2.0**-9.9), ("bf16", 2.0**-7)])
def test_approximations_keep_the_documented_error(type, error):
    form = FORMS[type]
    a = np.array([x for x in range(1 << 16) if not form.is_nan(x)], np.uint32)
    values = lanes.apply_alu(f"cvt_f32_{type}", a, dtype=np.float32).astype(np.float64)
    found = lanes.apply_alu(f"cvt_f32_{type}", lanes.apply_alu(f"tanh_{type}", a), dtype=np.float32)
    assert (np.abs(found - np.tanh(values)) <= np.maximum(2.0**-10.987 if type == "f16" else 2.0**-8, 0) + np.abs(np.tanh(values)) * error).all()
    found = lanes.apply_alu(f"cvt_f32_{type}", lanes.apply_alu(f"ex2_{type}", a), dtype=np.float32)
    inside = (np.abs(values) < 14) & (np.abs(values) > 0)
    assert (np.abs(found[inside] / np.exp2(values[inside]) - 1) <= error).all()
    nan = np.array([NAN, 0xFFFF], np.uint32)
    assert lanes.apply_alu(f"tanh_{type}", nan).tolist() == lanes.apply_alu(f"ex2_{type}", nan).tolist() == [NAN, NAN]


# ------------------------------------------------------------------------------------------------------- packed integers
def test_pairs_of_integers():
    a, b = RANDOM.integers(0, 1 << 32, (2, 1000), np.uint32)
    for type, kind in (("u16x2", np.uint16), ("s16x2", np.int16)):
        x, y = a.view(kind), b.view(kind)
        assert np.array_equal(lanes.apply_alu(f"min_{type}", a, b).view(kind), np.minimum(x, y))
        assert np.array_equal(lanes.apply_alu(f"max_{type}", a, b).view(kind), np.maximum(x, y))
    assert np.array_equal(lanes.apply_alu("add_b16x2", a, b).view(np.uint16), a.view(np.uint16) + b.view(np.uint16))
    x, y = a.view(np.int16), b.view(np.int16)
    assert np.array_equal(lanes.apply_alu("min_relu_s16x2", a, b).view(np.int16), np.maximum(np.minimum(x, y), 0))
    assert np.array_equal(lanes.apply_alu("max_relu_s32", a, b, dtype=np.int32), np.maximum(np.maximum(a.view("i4"), b.view("i4")), 0))


# --------------------------------------------------------------------------------------------------------------- atomics
def test_atomic_sums_of_small_floats():
    assert lanes.apply_atomic("add_f16x2", 0x3C003C00, 0x40003800) == 0x42003E00
    assert lanes.apply_atomic("add_bf16", 0x3F80, 0x3F80) == 0x4000
    assert lanes.apply_atomic("max_bf16x2", 0x3F804000, 0x40003F80) == 0x40004000
    assert lanes.apply_atomic("cas_b16", 0x1234, 0xFFFF1234, 7) == 7
    assert lanes.apply_atomic("cas_b16", 0x1234, 0x1235, 7) == 0x1234
