"""Tensor cores of the V100: every form of compute capability 7.0, in the arithmetic that was measured, at the published rates."""
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from archdef_volta import V100
from archdef_volta_evidence.tensor import tensor

import archdef
from archdef.errors import MissingFeature

KINDS = {"f16": np.float16, "f32": np.float32}
LAYOUTS = list(itertools.product(("row", "col"), repeat=2))


def module(body, registers):
    return (".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
            + "".join(f".reg .b32 %{x}<{n}>;\n" for x, n in registers.items())
            + ".reg .b32 %lane;\n.reg .b64 %p<4>, %at<4>;\n"
            + "".join(f"ld.param.u64 %p{k}, [{x}];\n" for k, x in enumerate("dabc")) + body + "ret;\n}\n")


def launch(text, *matrices, result, machine=V100):
    device = archdef.Device(machine)
    arrays = [device.to_device(np.ascontiguousarray(x)) for x in (result, *matrices)]
    device.compile(text)["k"][1, 32](*arrays)
    return arrays[0].to_host()


def fragment(x, count):
    return "{" + ", ".join(f"%{x}{k}" for k in range(count)) + "}"


def wmma(a, b, c, to, layouts=("row", "col"), machine=V100):
    m, k = a.shape
    n, size = b.shape[1], f"m{m}n{b.shape[1]}k{k}"
    of_c, to_d = ("f16" if x == np.float16 else "f32" for x in (c.dtype, to))
    counts = {"a": 8, "b": 8, "c": 4 if of_c == "f16" else 8, "d": 4 if to_d == "f16" else 8}
    loads = "".join(f"wmma.load.{x}.sync.aligned.{layout}.{size}.{type} {fragment(x, counts[x])}, [%p{j}];\n"
                    for j, (x, layout, type) in enumerate((("a", layouts[0], "f16"), ("b", layouts[1], "f16"), ("c", "row", of_c)), 1))
    product = f"wmma.mma.sync.aligned.{'.'.join(layouts)}.{size}.{to_d}.{of_c} {', '.join(fragment(x, counts[x]) for x in 'dabc')};\n"
    store = f"wmma.store.d.sync.aligned.row.{size}.{to_d} [%p0], {fragment('d', counts['d'])};\n"
    given = [x if layout == "row" else x.T for x, layout in zip((a, b), layouts)]
    return launch(module(loads + product + store, counts), *given, c, result=np.zeros((m, n), to), machine=machine)


# ------------------------------------------------------------------------------------- Fasi et al.: the sum of a tensor core
def parts(x):
    """A finite number as integer x 2^exponent, its exponent being that of its encoding: subnormal ones keep the least."""
    least = -14 if x.dtype == np.float16 else -126
    exponent = max(math.frexp(float(x))[1] - 1, least) if x else None
    return Fraction(float(x)), exponent


def four_products(a, b, c, kept=23):
    """c plus four exact products, each cut off so many bits behind the point of the largest exponent."""
    terms = [parts(c)]
    for x, y in zip(a, b):
        (u, p), (v, q) = parts(x), parts(y)
        terms.append((u * v, p + q if u * v else None))
    largest = max((e for _, e in terms if e is not None), default=None)
    if largest is None:
        return Fraction(0)
    unit = Fraction(2) ** (largest - kept)
    return sum(math.trunc(value / unit) for value, _ in terms) * unit


def narrow(value, kind):
    """Cut to single precision; to f16, round to nearest."""
    if kind == np.float16:
        return np.float16(float(value))
    exponent = math.frexp(float(value))[1] - 24 if value else 0
    unit = Fraction(2) ** max(exponent, -149)
    return np.float32(float(math.trunc(value / unit) * unit))


def expected(a, b, c, to, rounds_between, kept=23):
    d = np.zeros(c.shape, to)
    for i, j in np.ndindex(d.shape):
        sum_ = c[i, j]
        for k in range(0, a.shape[1], 4):
            sum_ = narrow(four_products(a[i, k:k + 4], b[k:k + 4, j], sum_, kept), rounds_between)
        d[i, j] = narrow(Fraction(float(sum_)), to)
    return d


def matrices(m, n, k, of_c, seed, low=-6, high=4):
    random = np.random.default_rng(seed)

    def numbers(*shape):
        return random.standard_normal(shape) * 2.0 ** random.integers(low, high, shape)
    return numbers(m, k).astype("f2"), numbers(k, n).astype("f2"), numbers(m, n).astype(of_c)


@pytest.mark.parametrize("shape", [(16, 16, 16), (32, 8, 16), (8, 32, 16)], ids=lambda s: "m{}n{}k{}".format(*s))
@pytest.mark.parametrize("of_c, to", list(itertools.product(KINDS, repeat=2)))
def test_wmma_adds_four_products_at_a_time_and_cuts(shape, of_c, to):
    a, b, c = matrices(*shape, KINDS[of_c], sum(shape))
    between = np.float16 if of_c == to == "f16" else np.float32
    got = wmma(a, b, c, KINDS[to])
    np.testing.assert_array_equal(got, expected(a, b, c, KINDS[to], between))
    assert to == "f16" or not np.array_equal(got, (a.astype("f8") @ b.astype("f8") + c).astype(KINDS[to])), "these numbers tell the sums apart"


@pytest.mark.parametrize("kept", [10, 14, 19, 20, 23, 30])
def test_bits_behind_the_point_are_as_many_as_declared(kept):
    """Fewer than the 20 of an exact product of halves, too."""
    machine = V100.evolve({"isa.matrix.f16.fraction_bits": kept, "isa.matrix.groups.fraction_bits": kept})
    a, b, c = matrices(16, 16, 16, np.float32, kept)
    got = wmma(a, b, c, np.float32, machine=machine)
    np.testing.assert_array_equal(got, expected(a, b, c, np.float32, np.float32, kept))
    assert kept == 23 or not np.array_equal(got, wmma(a, b, c, np.float32)), "these numbers tell the counts apart"
    groups = [matrices(8, 8, 4, np.float32, seed) for seed in range(4)]
    a, b, c = (np.stack(x) for x in zip(*groups))
    got = mma(a, b, c, np.float32, ("row", "col"), machine)
    for group in range(4):
        np.testing.assert_array_equal(got[group], expected(*groups[group], np.float32, np.float32, kept))


@pytest.mark.parametrize("layouts", LAYOUTS, ids=".".join)
def test_every_layout_gives_the_same_product(layouts):
    a, b, c = matrices(16, 16, 16, np.float32, 7)
    np.testing.assert_array_equal(wmma(a, b, c, np.float32, layouts), wmma(a, b, c, np.float32))


def one_sum(products, c=0.0):
    """Sixteen products with one, and c: one number of the result."""
    a = np.zeros((16, 16), "f2")
    a[0, :len(products)] = products
    return wmma(a, np.ones((16, 16), "f2"), np.full((16, 16), c, "f4"), np.float32)[0, 0]


def test_the_figures_of_fasi_et_al():
    """Products are exact, subnormal numbers count, sums are cut without guard bits, four at a time."""
    least = float(np.finfo("f2").smallest_subnormal)
    assert one_sum([least]) == np.float32(least)
    assert one_sum([2.0**-12] * 4, 2.0**12) == 2.0**12, "each lies below the last bit of the largest, and is lost before they are added"
    assert one_sum([2.0**-11] * 4, 2.0**12) == 2.0**12 + 4 * 2.0**-11, "23 bits behind the point are kept"
    assert one_sum([1, 1, 1, 1, 2.0**-11, 2.0**-11], 2.0**12) == 2.0**12 + 4 + 2.0**-10
    assert one_sum([-(2.0**-12)], 1.0 + 2.0**12) == 2.0**12 + 1, "toward zero"


# ------------------------------------------------------------------------- mma m8n8k4: lanes 4 g … 4 g + 3 and 16 further on
def held(part, type, layouts):
    """Row and column of number i of lane l, as the PTX ISA lists them, and the group."""
    lane, i = np.indices((32, 8 if part in "cd" else 4))
    high = 4 * (lane >= 16)
    across, along = lane % 4 + high, i
    if part == "a" and layouts[0] == "col" or part == "b" and layouts[1] == "row":
        across, along = i + high, lane % 4
    if part == "b":
        across, along = along, across
    if part in "cd" and type == "f32":
        across, along = (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)
    return lane // 4 % 4, across, along


def mma(a, b, c, to, layouts, machine=V100):
    of_c, to_d = ("f16" if x == np.float16 else "f32" for x in (c.dtype, to))
    counts = {"a": 2, "b": 2, "c": 4 if of_c == "f16" else 8, "d": 4 if to_d == "f16" else 8}
    given = [np.ascontiguousarray(x[held(name, type, layouts)]) for name, x, type in (("a", a, "f16"), ("b", b, "f16"), ("c", c, of_c))]
    body = "mov.u32 %lane, %laneid;\n"
    for k, (x, count) in enumerate((x, counts[x]) for x in "dabc"):
        body += f"mad.wide.u32 %at{k}, %lane, {4 * count}, %p{k};\n"
        body += "".join(f"ld.global.b32 %{x}{i}, [%at{k}+{4 * i}];\n" for i in range(count) if x != "d")
    body += f"mma.sync.aligned.m8n8k4.{'.'.join(layouts)}.{to_d}.f16.f16.{of_c} {', '.join(fragment(x, counts[x]) for x in 'dabc')};\n"
    body += "".join(f"st.global.b32 [%at0+{4 * i}], %d{i};\n" for i in range(counts["d"]))
    raw = launch(module(body, counts), *given, result=np.zeros((32, 8), to), machine=machine)
    d = np.zeros((4, 8, 8), to)
    d[held("d", to_d, layouts)] = raw
    return d


@pytest.mark.parametrize("layouts", LAYOUTS, ids=".".join)
@pytest.mark.parametrize("of_c, to", [("f16", "f16"), ("f16", "f32"), ("f32", "f32")])
def test_four_groups_of_lanes_multiply_each_for_itself(layouts, of_c, to):
    groups = [matrices(8, 8, 4, KINDS[of_c], seed) for seed in range(4)]
    a, b, c = (np.stack([group[k] for group in groups]) for k in range(3))
    got = mma(a, b, c, KINDS[to], layouts)
    for group in range(4):
        np.testing.assert_array_equal(got[group], expected(*groups[group], KINDS[to], KINDS[to]))


# ------------------------------------------------------------------------------------------------------------ rates, refusals
@pytest.mark.parametrize("instruction, sums", [("wmma", "f32"), ("wmma", "f16"), ("mma", "f32"), ("mma", "f16")])
def test_the_peak_is_125_teraflops(instruction, sums):
    """NVIDIA Tesla V100 white paper: 125 TFLOPS; 8 tensor cores a multiprocessor, 64 multiply-adds a cycle each, 80 of them at 1530 MHz give 125.3."""
    assert tensor(archdef.Device(V100), instruction=instruction, sums=sums)["teraflops"] == pytest.approx(125.3, rel=0.02)


@pytest.mark.parametrize("sums, cycles", [("f32", 54), ("f16", 64)])
def test_a_product_takes_as_long_as_raihan_et_al_measured(sums, cycles):
    """ISPASS 2019, wmma.mma m16n16k16 on a Titan V: 54 cycles in mixed precision, 64 in half precision. A loop of them takes up to one per cent more."""
    assert tensor(archdef.Device(V100), sums=sums)["cycles"] == pytest.approx(cycles, rel=0.01)


@pytest.mark.parametrize("instruction, feature", [
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%a0, %a1}, {%a2}, {%c0, %c1, %c2, %c3};", "matrix_m16n8k8"),
    ("wmma.load.a.sync.aligned.row.m16n16k16.s8 {%a0, %a1}, [%p1];", "matrix_int8"),
    ("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%a0, %a1, %a2, %a3}, [%p1];", "matrix_bf16"),
    ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a0}, [%a1];", "matrix_tiles")])
def test_forms_of_later_machines_are_refused_by_feature(instruction, feature):
    text = module(instruction + "\nst.global.b32 [%p0], %a0;\nst.global.b32 [%p0], %c0;\n", {"a": 8, "c": 8})
    with pytest.raises(MissingFeature, match=feature):
        archdef.Device(V100).compile(text)["k"][1, 32](*[archdef.Device(V100).to_device(np.zeros(64))] * 4)
