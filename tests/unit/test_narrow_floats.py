"""Conversions of pairs of 8-, 6- and 4-bit floats: every pattern against a table of the format's numbers, and an H200's results."""
import zlib

import numpy as np
import pytest
from lowering import kernel, lowered
from run_ptx import machine, run
from test_video import measured, written

from archdef.ptx.table import TABLE
from archdef.testing.forms import forms

FORMATS = {  # exponent bits, fraction bits, bias, largest pattern, what a NaN becomes, bits of a half of the pair
    "e4m3": (4, 3, 7, 0x7E, 0x7F, 8), "e5m2": (5, 2, 15, 0x7B, 0x7F, 8), "e2m3": (2, 3, 1, 0x1F, 0x1F, 8), "e3m2": (3, 2, 3, 0x1F, 0x1F, 8),
    "e2m1": (2, 1, 1, 0x7, 0x7, 4)}
SEED = 20260


def table(name):
    """The values of a format's patterns without sign, up to the largest."""
    _, fraction, bias, most, _, _ = FORMATS[name]
    pattern = np.arange(most + 1)
    field, rest = pattern >> fraction, pattern & (1 << fraction) - 1
    return (rest + ((field > 0) << fraction)) * 2.0 ** (np.maximum(field, 1) - bias - fraction)


def rounded(values, name, relu):
    """Nearest number of a format, of two the one with an even pattern, and never beyond the largest."""
    exponent, fraction, _, most, nan, _ = FORMATS[name]
    numbers = table(name)
    magnitude = np.abs(np.where(np.isnan(values), 0, values)).astype("f8")
    above = np.clip(np.searchsorted(numbers, magnitude), 1, most)
    below = above - 1
    with np.errstate(invalid="ignore"):
        up, down = numbers[above] - magnitude, magnitude - numbers[below]
    pattern = np.where((up < down) | (up == down) & (above % 2 == 0), above, below)
    pattern = np.where(magnitude >= numbers[most], most, pattern)
    negative = np.signbit(values)
    pattern = pattern | (negative.astype(int) << exponent + fraction)
    return np.where(np.isnan(values), nan, np.where(negative & relu, 0, pattern)).astype("<u4")


def convert(words, inputs, sources):
    """Run a conversion on columns of 32-bit inputs; give the results."""
    count = len(inputs)
    bits = {"f": "f32", "r": "b32", "h": "b16"}
    to = "%r9" if ".f16x2.e" in words or "bf16x2.ue" in words else "%h9"
    lines = ["ld.param.u64 %rd0, [out];", "ld.param.u64 %rd1, [x];", "mov.u32 %r1, %ctaid.x;", "mov.u32 %r2, %tid.x;",
             "mad.lo.u32 %r1, %r1, 64, %r2;", "mul.wide.u32 %rd2, %r1, 8;", "add.u64 %rd1, %rd1, %rd2;", "mul.wide.u32 %rd2, %r1, 4;",
             "add.u64 %rd0, %rd0, %rd2;"]
    names = []
    for k, letter in enumerate(sources):
        names.append(f"%{letter}{k + 3}")
        lines.append(f"ld.global.{bits[letter]} {names[-1]}, [%rd1+{4 * k}];")
    lines += [f"cvt.{words} {', '.join([to, *names])};", f"cvt.u32.u16 %r9, {to};" * (to == "%h9"), "st.global.b32 [%rd0], %r9;"]
    text = kernel("\n".join(lines), ".param .u64 out, .param .u64 x")
    data = np.zeros((count, 2), "<u4")
    data[:, :inputs.shape[1]] = inputs
    return run(text, np.zeros(count, "<u4"), data, grid=count // 64, block=64, arch=machine())[0]


def halves(name, pairs):
    """Put pairs of patterns, the upper first, into one number."""
    bits = FORMATS[name][5]
    return pairs[0] << bits | pairs[1]


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_every_upper_half_of_single_precision_and_every_tie_round_to_the_nearest(name, relu):
    random = np.random.default_rng(SEED)
    numbers = table(name).astype("<f4")
    ties = ((numbers[:-1].astype("f8") + numbers[1:]) / 2).astype("<f4")
    edges = np.concatenate([numbers, ties, np.nextafter(ties, np.float32(np.inf)), np.nextafter(ties, np.float32(0)), [np.inf, np.nan, 1e38, 1e-45]])
    edges = np.concatenate([edges, -edges]).astype("<f4")
    x = np.stack([np.concatenate([np.arange(65536, dtype="<u4") << 16, random.choice(edges, 8192).view("<u4")]),
                  np.concatenate([random.integers(0, 1 << 32, 65536, "<u4"), random.choice(edges, 8192).view("<u4")])], 1)
    got = convert(f"rn.satfinite{'.relu' * relu}.{name}x2.f32", x, "ff")
    values = x.view("<f4")
    np.testing.assert_array_equal(got, halves(name, [rounded(values[:, k], name, relu) for k in (0, 1)]))


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_every_half_rounds_to_the_nearest(name, relu):
    low = np.arange(65536, dtype="<u4")
    high = low * 40503 & 0xFFFF
    got = convert(f"rn.satfinite{'.relu' * relu}.{name}x2.f16x2", (high << 16 | low)[:, None], "r")
    pairs = [rounded(x.astype("<u2").view("<f2").astype("f4"), name, relu) for x in (high, low)]
    np.testing.assert_array_equal(got, halves(name, pairs))


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_every_pattern_becomes_its_value(name, relu):
    exponent, fraction, _, most, _, bits = FORMATS[name]
    pattern = np.arange(1 << 2 * bits, dtype="<u4")
    got = convert(f"rn{'.relu' * relu}.f16x2.{name}x2", pattern[:, None], "h")
    one = np.arange(1 << bits)
    magnitude, negative = one & (1 << exponent + fraction) - 1, one >> exponent + fraction & 1
    value = table(name)[np.minimum(magnitude, most)].astype("<f2").view("<u2").astype("<u4")
    if name == "e5m2":
        value = np.where(magnitude == 0x7C, 0x7C00, value)
    value = np.where(negative, 0 if relu else value | 0x8000, value)
    if name in ("e4m3", "e5m2"):
        value = np.where(magnitude > (0x7E if name == "e4m3" else 0x7C), 0x7FFF, value)
    np.testing.assert_array_equal(got, value[pattern >> bits] << 16 | value[pattern & (1 << bits) - 1])


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("mode", ["rz", "rp"])
def test_powers_of_two_are_exponents_of_magnitudes(mode, finite):
    upper = np.arange(65536, dtype="<u4")
    x = np.stack([upper << 16, upper << 16 | 1], 1)

    def exponent(values):
        with np.errstate(divide="ignore", invalid="ignore"):
            magnitude = np.abs(values.astype("f8"))
            power = np.log2(magnitude)
        power = np.clip((np.floor if mode == "rz" else np.ceil)(np.where(np.isfinite(power), power, -1000)) + 127, 0, 255)
        power = np.where(np.isinf(values), 255, power)
        return np.where(np.isnan(values), 255, np.minimum(power, 254 if finite else 255)).astype("<u4")
    words = f"{mode}{'.satfinite' * finite}.ue8m0x2"
    first, second = (exponent(x[:, k].copy().view("<f4")) for k in (0, 1))
    np.testing.assert_array_equal(convert(f"{words}.f32", x, "ff"), first << 8 | second)
    np.testing.assert_array_equal(convert(f"{words}.bf16x2", (upper << 16 | upper)[:, None], "r"), first << 8 | first)


def test_exponents_become_powers_of_two():
    pattern = np.arange(65536, dtype="<u4")
    got = convert("rn.bf16x2.ue8m0x2", pattern[:, None], "h")
    one = np.arange(256, dtype="<u4")
    value = np.where(one == 255, 0x7FFF, (2.0 ** (np.minimum(one, 254).astype("f8") - 127)).astype("<f4").view("<u4") >> 16)
    np.testing.assert_array_equal(got, value[pattern >> 8] << 16 | value[pattern & 255])


def test_an_h200_gives_the_same():
    same, _ = measured()
    tried = 0
    for form in forms(row for row in TABLE if row.features == "fp8"):
        _, text, instruction = written(form)
        if instruction in same:
            low = np.arange(65536, dtype="<u8")
            data = low | (low * 40503 & 0xFFFF) << 16 if form.types[1] == "f16x2" else low
            out = run(text, data, np.zeros((65536, 2), "<u8"), arch=machine(), grid=1024, block=64)[1]
            got = out.view("<u8").reshape(-1, 2)[:, 0].astype("<u4")
            assert f"{zlib.crc32(got.tobytes()):08x}" == same[instruction], instruction
            tried += 1
    assert tried == 8


def test_four_bits_go_through_registers_of_eight():
    text = kernel("{ .reg .b8 %x, %y; cvt.rn.satfinite.e2m1x2.f32 %x, %f1, %f2; mov.b16 %h1, {%x, 0};\n"
                  "mov.b16 {%x, %y}, %h1; cvt.rn.f16x2.e2m1x2 %r1, %x; }\nst.global.b32 [%rd1], %r1;")
    assert lowered(text)
