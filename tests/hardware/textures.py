"""Cases for texture and surface instructions: texels, how they are sampled, places to sample them at, and the instruction.

A GPU and the engine run the same kernels on the same texels. Thread t of `THREADS` takes word t of each array of coordinates and stores
four words. Surface stores leave their results in the surface itself. Everything comes from Python's own generator.
"""
from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple
from zlib import crc32

import numpy as np

THREADS = 256
MODES = ("clamp", "wrap", "mirror", "border")
AXES = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2, "cube": 2, "acube": 2, "3d": 3}
OPERAND = {"1d": "{%c0}", "2d": "{%c0, %c1}", "3d": "{%c0, %c1, %c2, %c2}", "a1d": "{%c0, %c1}", "a2d": "{%c0, %c1, %c2, %c2}",
           "cube": "{%c0, %c1, %c2, %c2}", "acube": "{%c0, %c1, %c2, %c3}"}
WORDS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3, "cube": 3, "acube": 4}
"""Coordinates, the layer among them."""
SPECIAL = [0, -0.0, 1e-40, -1e-40, 1e-30, -1e-30, 0.5, -0.5, 1, -1, 1.5, 2, 3, 1e3, -1e5, 2.0**20, 2.0**23, 2.0**24, -2.0**24, 2.0**31,
           -2.0**31, 2.0**33, 1e10, 1e20, -1e20, 3e38, -3e38, np.inf, -np.inf, np.nan]
LEFT_OUT = {
    "tex.1d with integers, of an array": "CUDA defines it for linear memory only; hardware gives zeros, the engine the texel",
    "tex.1d with floats, of linear memory": "CUDA defines it for arrays only; hardware gives zeros, the engine the texel",
    "tld4 of layers and cubes": "the driver makes no such array that can be gathered from",
    "tex.a*d.grad, tex.cube with levels": "the same texels as without: there is one level",
    "txq, suq of formats, orders, layers, samples, levels": "the assembler makes no code of them for texture objects",
    "directions of cubes with two equal greatest coordinates": "the face hangs on the last bit of an approximate reciprocal",
    "surfaces out of range under .trap, or misaligned": "they end the kernel, on hardware and here (tests/texture)",
}
"""What has no case, and why."""


class Case(NamedTuple):
    """One kernel on one texture or surface."""

    name: str
    instruction: str
    """PTX, with registers %c0… for coordinates, %d0… for results, %h for the handle."""
    geometry: str
    shape: tuple[int, int, int, int]
    """Slices (or layers, or faces), rows, columns, channels."""
    dtype: str
    content: str
    """What the texels are; see `texels`."""
    places: str
    """Where they are sampled; see `coordinates`."""
    filter: str = "point"
    address: tuple[str, str, str] = ("clamp",) * 3
    normalized: bool = False
    read: str = "element"
    layout: str = "array"

    @property
    def surface(self) -> bool:
        """Whether the handle is a surface's."""
        return self.instruction.lstrip().startswith("su") or "sust" in self.instruction

    @property
    def stores(self) -> bool:
        """Whether the results are in the surface."""
        return "sust" in self.instruction

    @property
    def layered(self) -> bool:
        """Whether there are layers."""
        return self.geometry.startswith("a")

    @property
    def cube(self) -> bool:
        """Whether the slices are faces."""
        return self.geometry.endswith("cube")

    @property
    def form(self) -> str:
        """The instruction's name."""
        return re.search(r"\b(tex|tld4|txq|suq|suld|sust)\.[\w.:]+", self.instruction)[0]

    def kernel(self, entry: str) -> str:
        """PTX of the kernel."""
        loads = "".join(f"ld.global.b32 %c{k}, [%a1+{4 * THREADS * k}];\n" for k in range(4))
        stores = "" if self.stores else "".join(f"st.global.b32 [%a2+{4 * k}], %d{k};\n" for k in range(4))
        return f""".visible .entry {entry}(.param .u64 handle, .param .u64 pin, .param .u64 pout)
{{
.reg .b64 %h, %a<16>;
.reg .b32 %c<8>, %d<16>, %i;
.reg .b16 %s<16>;
ld.param.u64 %h, [handle];
ld.param.u64 %a1, [pin];
ld.param.u64 %a2, [pout];
mov.u32 %i, %tid.x;
mul.wide.u32 %a3, %i, 4;
add.u64 %a1, %a1, %a3;
mul.wide.u32 %a3, %i, 16;
add.u64 %a2, %a2, %a3;
{loads}{"".join(f"mov.b32 %d{k}, 0;" for k in range(4))}
{self.instruction}
{stores}ret;
}}
"""

    def fingerprint(self) -> int:
        """What the output depends on."""
        return crc32(b"".join((self.kernel("k").encode(), texels(self).tobytes(), coordinates(self).tobytes(), repr(self[7:]).encode())))


HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"


# --------------------------------------------------------------------------------------------------------------- texels
def _random(case: Case, *salt) -> random.Random:
    return random.Random(repr((case.geometry, case.shape, case.dtype, case.content, case.places, *salt)))


def texels(case: Case) -> np.ndarray:
    """Texels of a case, shape `case.shape`: ``ramp`` (1, 2, 3 …), ``bits`` (anything), ``all`` (every pattern of 8 or 16 bits), or floats:
    ``unit`` (below 1), ``wide`` and ``near`` (many or few exponents), ``one`` (±1 to 2), ``tiny`` (near the least normal number), ``special``
    (infinities, NaNs, extremes), ``corner`` (1 in channel c of corner c)."""
    shape, kind, count = case.shape, np.dtype(case.dtype), int(np.prod(case.shape))
    if case.content == "ramp":
        return (np.arange(count) + 1).astype(kind).reshape(shape)
    if case.content == "all":
        return np.arange(count, dtype="u4").astype(f"u{kind.itemsize}").view(kind).reshape(shape)
    r = _random(case)
    if case.content == "bits":
        return np.frombuffer(r.randbytes(count * kind.itemsize), kind).reshape(shape)
    if case.content == "corner":
        made = np.zeros(shape, kind)
        for k in range(min(shape[3], 4)):
            made[:, k >> 1 & 1::2, k & 1::2, k] = 1 if kind.kind == "f" else np.iinfo(kind).max
        return made
    span = 40 if kind == np.float32 else 12
    least = float(np.finfo(kind).tiny)
    pool = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, float(np.finfo(kind).max), -float(np.finfo(kind).max), least, 0.37 * least, -0.71 * least]
    make = {"unit": r.random, "wide": lambda: r.gauss(0, 1) * 2.0**r.randint(-span, span if span > 12 else 4),
            "near": lambda: r.gauss(0, 1) * 2.0**r.randint(-6, 6), "one": lambda: (1 + r.random()) * r.choice((-1, 1)),
            "tiny": lambda: least * r.choice((-1, 1)) * (1 + r.random()), "special": lambda: r.choice(pool)}[case.content]
    return np.array([make() for _ in range(count)], np.float64).astype(kind).reshape(shape)


# --------------------------------------------------------------------------------------------------------------- places
def _nudged(x: float, steps: int) -> float:
    single = np.float32(x)
    for _ in range(abs(steps)):
        single = np.nextafter(single, np.float32(np.inf if steps > 0 else -np.inf))
    return float(single)


def _along(r: random.Random, case: Case, axis: int) -> float:
    """One coordinate along an axis, in texels or from 0 to 1."""
    extent = case.shape[2 - axis]
    scale = extent if case.normalized else 1
    if case.places == "inside":          # between centres of texels, with every weight
        return (r.randrange(max(1, extent - 1)) + 0.5 + r.randrange(257) / 256) / scale
    if case.places == "texels":
        return (r.randrange(extent) + 0.5) / scale
    how = r.randrange(8)
    if case.places == "wide":
        if how == 0:
            return r.choice(SPECIAL)
        if how < 3:                      # where weights or texels change, far from the texture too
            return _nudged((r.randint(-1024 * extent, 1024 * extent) + 0.5 * r.randrange(2)) / 256 / scale, r.randint(-2, 2))
        return r.uniform(-3, 4) * (extent / scale) if how < 7 else r.uniform(-4000, 4000) * (extent / scale)
    if how < 3:
        return r.random() * extent / scale
    if how < 6:                          # the last bits: where a weight changes
        return _nudged((r.randrange(256 * extent) + 0.5 * (how - 3)) / 256 / scale, r.randint(-3, 3))
    return _nudged(r.randint(0, extent) / scale, r.randint(-3, 3))


def coordinates(case: Case) -> np.ndarray:
    """Coordinates of a case, uint32, shape (4, THREADS)."""
    r, words = _random(case, "places", case.normalized), WORDS[case.geometry]
    made = np.zeros((4, THREADS), np.uint32)
    integer = case.surface or ".s32 {" in case.instruction
    axes, layer = AXES[case.geometry], int(case.layered)
    if case.places == "once":            # every place of a surface at most once, those beyond its edges too
        return _each_once(case, r)
    for t in range(THREADS):
        if case.cube:
            values = [r.gauss(0, 1) * 2.0**r.randint(-2, 2) for _ in range(3)] if r.randrange(8) else _unequal(r)
            made[layer:layer + 3, t] = np.array(values, np.float32).view(np.uint32)
        for axis in range(0 if case.cube else axes):
            extent = case.shape[2 - axis]
            if case.surface:
                step = _bytes(case)
                texel = case.shape[3] * np.dtype(case.dtype).itemsize
                inside = ".trap" in case.instruction
                reach = extent * texel // step if axis == 0 else extent
                value = r.randrange(reach) if inside else r.randint(-3, reach + 2)
                value *= step if axis == 0 else 1
            elif integer:
                value = r.randint(-3, extent + 2) if r.randrange(8) else r.choice((2**31 - 1, -2**31, 2**24, -2**16, 65536))
            else:
                value = int(np.float32(_along(r, case, axis)).view(np.uint32))
            made[layer + axis, t] = value & 0xFFFFFFFF
        if layer:
            cubes = case.shape[0] // (6 if case.cube else 1)
            inside = case.surface and ".trap" in case.instruction
            value = r.randrange(cubes) if inside or r.randrange(4) else r.choice((-1, -2, cubes, cubes + 1, 65535, 65536, 2**31 - 1, -2**31))
            made[0, t] = value & 0xFFFFFFFF
    assert words <= 4
    return made


def _unequal(r: random.Random) -> list[float]:
    """A direction of special values whose greatest is the only one of its size, or that has none."""
    while True:
        values = [r.choice((0.0, -0.0, 1, -1, 2, -0.5, 1e-40, 1e-38, 2e-38, 1e38, 3e38, np.inf, -np.inf, np.nan)) for _ in range(3)]
        sizes = sorted(abs(v) for v in values if v == v)
        if len(sizes) < 2 or sizes[-1] > sizes[-2] or sizes[-1] in (0, np.inf) or sizes[-1] < 1.2e-38:
            return values


def _bytes(case: Case) -> int:
    """Bytes of one surface access."""
    vector = re.search(r"\.v(\d)", case.form)
    return int(re.search(r"\.b(\d+)\b", case.form.replace(".b.", "."))[1]) // 8 * int(vector[1] if vector else 1)


def _each_once(case: Case, r: random.Random) -> np.ndarray:
    step, (slices, rows, columns, channels) = _bytes(case), case.shape
    width = columns * channels * np.dtype(case.dtype).itemsize
    beyond = 0 if ".trap" in case.instruction or ".clamp" in case.instruction else 1
    axes = [range(-beyond * step, (width // step + beyond) * step, step),
            range(-beyond, rows + beyond) if AXES[case.geometry] > 1 else range(1),
            range(-beyond, slices + beyond) if case.layered or case.geometry == "3d" else range(1)]
    spots = list(product(*axes))
    spots = r.sample(spots, min(len(spots), THREADS))
    outside = (-step if beyond else 0, 0, 0)
    if not beyond:
        spots += spots[:1] * (THREADS - len(spots))       # the same place and, see `stored`, the same value
    spots += [outside] * (THREADS - len(spots))
    x, y, z = np.array(spots, np.int64).T
    order = {"1d": [x], "2d": [x, y], "3d": [x, y, z], "a1d": [z, x], "a2d": [z, x, y]}[case.geometry]
    made = np.zeros((4, THREADS), np.uint32)
    made[:len(order)] = np.array(order) & 0xFFFFFFFF
    return made


# ---------------------------------------------------------------------------------------------------------------- cases
def _tex(geometry: str, type: str = "u32", coordinate: str = "f32", mip: str = "") -> str:
    tail = {"": "", "base": "", "level": ", %c3", "grad": ", {%c3, %c3}, {%c3, %c3}"}[mip]
    return f"tex.{mip + '.' * bool(mip)}{geometry}.v4.{type}.{coordinate} {{%d0, %d1, %d2, %d3}}, [%h, {OPERAND[geometry]}]{tail};"


def _surface(kind: str, geometry: str, bits: int, vector: int, words: str) -> str:
    letter = {8: "%s", 16: "%s", 32: "%d", 64: "%a"}[bits]
    names = [f"{letter}{k + (8 if letter != '%d' else 0)}" for k in range(vector)]
    listed, form = "{" + ", ".join(names) + "}", f"{kind}.b.{geometry}.{words}{f'.v{vector}' * (vector > 1)}.b{bits}"
    form = f"{kind}.b.{geometry}{words.rpartition('.')[0]}{f'.v{vector}' * (vector > 1)}.b{bits}.{words.rpartition('.')[2]}"
    place = f"[%h, {OPERAND[geometry]}]"
    if kind == "suld":
        after = {"%s": lambda k: f"cvt.u32.u16 %d{k}, {names[k]};", "%d": lambda k: "",
                 "%a": lambda k: f"mov.b64 {{%d{2 * k}, %d{2 * k + 1}}}, {names[k]};"}[letter]
        return f"{form} {listed}, {place};\n" + "\n".join(after(k) for k in range(vector))
    mixed = ["mad.lo.u32 %d0, %c0, 83492791, %c1;", "mad.lo.u32 %d0, %d0, 19349663, %c2;", "mad.lo.u32 %d1, %d0, 73856093, 77;",
             "mad.lo.u32 %d2, %d1, 73856093, 77;", "mad.lo.u32 %d3, %d2, 73856093, 77;"]
    before = {"%s": lambda k: f"cvt.u16.u32 {names[k]}, %d{k};", "%d": lambda k: "",
              "%a": lambda k: f"mov.b64 {names[k]}, {{%d{2 * k}, %d{2 * k + 1}}};"}[letter]
    return "\n".join([*mixed, *(before(k) for k in range(vector)), f"{form} {place}, {listed};"])


def _fetches() -> Iterator[Case]:
    for n, filter, normalized in product((1, 2, 3, 5, 7, 8, 31, 100, 1000, 3000, 8192, 8193, 20000, 65536, 65537, 131072), ("point", "linear"),
                                         (False, True)):
        yield Case(f"position/{n}/{filter}/{normalized:d}", _tex("1d"), "1d", (1, 1, n, 1), "f4", "ramp", "bits", filter, normalized=normalized)
    for n, mode, filter, normalized in product((1, 5, 8, 100), MODES, ("point", "linear"), (False, True)):
        yield Case(f"address/{n}/{mode}/{filter}/{normalized:d}", _tex("1d"), "1d", (1, 1, n, 1), "f4", "ramp", "wide", filter,
                   (mode, "clamp", "clamp"), normalized)
    shapes = {"1d": (1, 1, 300, 4), "2d": (1, 24, 24, 4), "3d": (9, 9, 9, 4)}
    for (geometry, shape), kind, content in product(shapes.items(), ("f4", "f2"), ("unit", "wide", "near", "one", "tiny", "special")):
        yield Case(f"filter/{geometry}/{kind}/{content}", _tex(geometry), geometry, shape, kind, content, "inside", "linear")
    for (geometry, shape), kind in product(shapes.items(), ("u1", "i1", "u2", "i2")):
        yield Case(f"filter/{geometry}/{kind}", _tex(geometry), geometry, shape, kind, "bits", "inside", "linear", read="normalized_float")
    for geometry, kind in product(("2d", "3d"), ("f4", "u2")):
        yield Case(f"corner/{geometry}/{kind}", _tex(geometry), geometry, (4 if geometry == "3d" else 1, 4, 4, 4), kind, "corner", "inside", "linear",
                   read="element" if kind == "f4" else "normalized_float")
    for kind, filter in product(("u1", "i1", "u2", "i2", "f2", "f4", "u4", "i4"), ("point", "linear")):
        read = "normalized_float" if kind in ("u1", "i1", "u2", "i2") else "element"
        if filter == "point" or kind not in ("u4", "i4"):
            yield Case(f"conversion/{kind}/{filter}", _tex("1d"), "1d", (1, 1, 256, 1), kind, "all" if kind[1] == "1" else "bits", "texels",
                       filter, read=read)
        if kind[1] < "4":
            yield Case(f"element/{kind}/{filter}", _tex("1d"), "1d", (1, 1, 256, 1), kind, "bits", "texels")
    for kind, channels, type in product(("f4", "u1", "f2", "i4"), (1, 2, 4), ("f32", "s32")):
        yield Case(f"channels/{kind}/{channels}/{type}", _tex("2d", type), "2d", (1, 4, 8, channels), kind, "bits", "wide", address=("border",) * 3)
    mixes = (("clamp", "border", "wrap"), ("wrap", "mirror", "clamp"), ("border", "wrap", "mirror"), ("mirror", "clamp", "border"))
    for geometry, filter, normalized, mode in product(("2d", "3d"), ("point", "linear"), (False, True), mixes):
        yield Case(f"modes/{geometry}/{filter}/{normalized:d}/{mode[0]}", _tex(geometry), geometry, (3 if geometry == "3d" else 1, 5, 7, 1), "f4", "ramp",
                   "wide", filter, mode, normalized)
    for filter, mode in product(("point", "linear"), MODES):
        yield Case(f"row/{filter}/{mode}", _tex("1d"), "1d", (1, 1, 7, 1), "f4", "ramp", "wide", filter, ("clamp", mode, "clamp"))
        for normalized in (False, True):
            yield Case(f"pitch/{filter}/{mode}/{normalized:d}", _tex("2d"), "2d", (1, 6, 64, 1), "f4", "ramp", "wide", filter, (mode,) * 3, normalized,
                       layout="pitch")
    for mode in MODES:
        for geometry, shape in {"2d": (1, 8, 8, 1), "3d": (4, 4, 4, 1), "a2d": (3, 5, 7, 1)}.items():
            yield Case(f"integer/{geometry}/{mode}", _tex(geometry, "u32", "s32"), geometry, shape, "f4", "ramp", "wide", address=(mode,) * 3)
        for kind, read in (("f4", "element"), ("i2", "element"), ("u1", "normalized_float")):
            yield Case(f"linear/{kind}/{mode}", _tex("1d", "u32", "s32"), "1d", (1, 1, 16, 1), kind, "bits", "wide", address=(mode,) * 3, read=read,
                       layout="linear")
        for geometry, filter in product(("a1d", "a2d"), ("point", "linear")):
            shape = (4, 1, 9, 1) if geometry == "a1d" else (3, 5, 7, 1)
            yield Case(f"layer/{geometry}/{filter}/{mode}", _tex(geometry), geometry, shape, "f4", "ramp", "wide", filter, (mode,) * 3)
    offsets = {"1d": "{3}", "2d": "{3, -2}", "3d": "{3, -2, 1, 1}", "a2d": "{-7, 4}"}
    for geometry, filter, mode, normalized in product(offsets, ("point", "linear"), MODES, (False, True)):
        shape = (1, 1, 7, 1) if geometry == "1d" else (3 if "2d" != geometry else 1, 5, 7, 1)
        yield Case(f"offset/{geometry}/{filter}/{mode}/{normalized:d}", _tex(geometry)[:-1] + f", {offsets[geometry]};", geometry, shape, "f4", "ramp",
                   "wide", filter, (mode,) * 3, normalized)
    for geometry in ("2d", "3d"):
        yield Case(f"offset/{geometry}/integer", _tex(geometry, "u32", "s32")[:-1] + f", {offsets[geometry]};", geometry,
                   (3 if geometry == "3d" else 1, 5, 7, 1), "f4", "ramp", "wide")
    for n, filter, mode in product((8, 5), ("point", "linear"), ("clamp", "wrap", "border")):
        yield Case(f"cube/{n}/{filter}/{mode}", _tex("cube"), "cube", (6, n, n, 1), "f4", "ramp", "directions", filter, (mode,) * 3, True)
    yield Case("cube/layers", _tex("acube"), "acube", (18, 4, 4, 1), "f4", "ramp", "directions", "linear", normalized=True)
    for mip, filter in product(("base", "level", "grad"), ("point", "linear")):
        yield Case(f"mip/{mip}/{filter}", _tex("2d", mip=mip), "2d", (1, 5, 7, 1), "f4", "ramp", "wide", filter)


def _others() -> Iterator[Case]:
    def gather(component):
        return f"tld4.{component}.2d.v4.u32.f32 {{%d0, %d1, %d2, %d3}}, [%h, {{%c0, %c1}}];"

    for component, (kind, channels) in product("rgba", (("f4", 1), ("f4", 4), ("u1", 4), ("f2", 2))):
        yield Case(f"gather/{component}/{kind}/{channels}", gather(component), "2d", (1, 5, 7, channels), kind, "ramp", "wide")
    for mode, normalized, filter in product(MODES, (False, True), ("point", "linear")):
        yield Case(f"gather/{mode}/{normalized:d}/{filter}", gather("r"), "2d", (1, 5, 7, 1), "f4", "ramp", "wide", filter, (mode,) * 3, normalized)
    for mode, filter in product(MODES, ("point", "linear")):
        yield Case(f"offset/gather/{mode}/{filter}", gather("r")[:-1] + ", {-5, 3};", "2d", (1, 5, 7, 1), "f4", "ramp", "wide", filter, (mode,) * 3)
    shapes = {"1d": (1, 1, 8, 1), "2d": (1, 5, 7, 2), "3d": (3, 5, 7, 4), "a1d": (4, 1, 9, 1), "a2d": (4, 5, 9, 1), "cube": (6, 8, 8, 1), "acube": (12, 8, 8, 1)}
    for (geometry, shape), query in product(shapes.items(), ("width", "height", "depth")):
        yield Case(f"txq/{query}/{geometry}", f"txq.{query}.b32 %d0, [%h];", geometry, shape, "u1", "bits", "texels")
        if geometry in ("2d", "3d"):
            yield Case(f"txq/level/{query}/{geometry}", f"txq.level.{query}.b32 %d0, [%h], %i;", geometry, shape, "u1", "bits", "texels")
        if geometry != "acube":
            yield Case(f"suq/{query}/{geometry}", f"suq.{query}.b32 %d0, [%h];", geometry, shape, "u1", "bits", "texels")
    for query in ("width", "height", "depth"):
        yield Case(f"txq/{query}/linear", f"txq.{query}.b32 %d0, [%h];", "1d", (1, 1, 16, 1), "f4", "ramp", "texels", layout="linear")
        yield Case(f"txq/{query}/pitch", f"txq.{query}.b32 %d0, [%h];", "2d", (1, 6, 64, 1), "f4", "ramp", "texels", layout="pitch")


def _surfaces() -> Iterator[Case]:
    shapes = {"1d": (1, 1, 9, 1), "2d": (1, 5, 9, 1), "3d": (3, 5, 9, 1), "a1d": (4, 1, 9, 1), "a2d": (3, 5, 9, 1)}
    sizes = [(bits, vector) for bits, vector in product((8, 16, 32, 64), (1, 2, 4)) if bits * vector <= 128]
    for (geometry, shape), (bits, vector), boundary in product(shapes.items(), sizes, ("trap", "clamp", "zero")):
        for kind, channels in (("u4", 1), ("u1", 1), ("f4", 4)) if boundary != "trap" else (("f4", 4),):
            case = f"{geometry}/{bits}x{vector}/{boundary}/{kind}x{channels}"
            texture = (geometry, (*shape[:3], channels), kind, "bits")
            yield Case("suld/" + case, _surface("suld", geometry, bits, vector, "." + boundary), *texture, "wide")
            if bits * vector <= 72 * channels * np.dtype(kind).itemsize:
                yield Case("sust/" + case, _surface("sust", geometry, bits, vector, "." + boundary), *texture, "once")
    for operator in ("ca", "cg", "cs", "cv"):
        yield Case(f"suld/{operator}", _surface("suld", "2d", 32, 1, f".{operator}.zero"), "2d", (1, 5, 9, 1), "u4", "bits", "wide")
    for operator in ("wb", "cg", "cs", "wt"):
        yield Case(f"sust/{operator}", _surface("sust", "2d", 32, 1, f".{operator}.zero"), "2d", (1, 5, 9, 1), "u4", "bits", "once")


@cache
def cases() -> dict[str, Case]:
    """All cases by name."""
    return {case.name: case for case in (*_fetches(), *_others(), *_surfaces())}
