"""Matrix products as kernels, and the operands that tell how hardware adds up: a GPU and the engine run the same text.

``mma`` kernels read and write the registers of each lane as they are, in the layout that the PTX ISA documents (`places`). The layout of
``wmma`` fragments is nobody's business, so those kernels load matrices, multiply and store: what a user sees.
"""
from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
THREADS = 128
WARPS = THREADS // 32
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "b1": 1}
FORMATS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 23), "f32": (8, 23), "f64": (11, 52)}
"""Exponent and fraction bits. A tf32 has the layout of an f32 of which it leaves bits out."""


class Product(NamedTuple):
    """One form of ``mma`` or ``wmma.mma``."""

    name: str
    shape: tuple[int, int, int]
    types: tuple[str, str, str, str]
    """Of a, b, c, d."""
    instruction: str
    layouts: tuple[str, str] | None = None
    """Of a and b in memory: a ``wmma`` form."""

    @property
    def copies(self) -> int:
        """Independent products of a warp."""
        return 4 if self.shape == (8, 8, 4) and self.types[0] == "f16" and not self.layouts else 1


def _mma() -> list[Product]:
    found = []

    def add(shape, types, tail="", head="", rows="row.col"):
        m, n, k = shape
        a, b, c, d = types
        text = f"mma.sync.aligned.m{m}n{n}k{k}.{rows}{head}.{d}.{a}.{b}.{c}{tail}"
        found.append(Product(text, shape, types, text))

    for k, c in itertools.product((8, 16), ("f16", "f32")):
        add((16, 8, k), ("f16", "f16", c, c))
    for rows, (c, d) in itertools.product(("row.col", "row.row", "col.col", "col.row"), (("f16", "f16"), ("f16", "f32"), ("f32", "f32"))):
        add((8, 8, 4), ("f16", "f16", c, d), rows=rows)
    for k in (8, 16):
        add((16, 8, k), ("bf16", "bf16", "f32", "f32"))
    for k in (4, 8):
        add((16, 8, k), ("tf32", "tf32", "f32", "f32"))
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        add((m, 8, k), ("f64",) * 4)
    for rounding in ("rn", "rz", "rm", "rp"):
        add((8, 8, 4), ("f64",) * 4, head=f".{rounding}")
    for pair, scale in (("us8", 1), ("us4", 2)):
        bits = pair[2:]
        for (m, k), (a, b), sat in itertools.product(((8, 16), (16, 16), (16, 32)), itertools.product("us", repeat=2), ("", ".satfinite")):
            add((m, 8, k * scale), (a + bits, b + bits, "s32", "s32"), head=sat)
    for (m, k), op in itertools.product(((8, 128), (16, 128), (16, 256)), ("xor", "and")):
        add((m, 8, k), ("b1", "b1", "s32", "s32"), tail=f".{op}.popc")
    return found


def _wmma() -> list[Product]:
    found = []

    def add(shape, types, layouts, typed="", tail="", head=""):
        m, n, k = shape
        text = f"wmma.mma{head}.sync.aligned.{'.'.join(layouts)}.m{m}n{n}k{k}{typed}{tail}"
        found.append(Product(text, shape, types, text, layouts))

    shapes = ((16, 16, 16), (32, 8, 16), (8, 32, 16))
    every = tuple(itertools.product(("row", "col"), repeat=2))
    for shape, layouts, (c, d) in itertools.product(shapes, every, itertools.product(("f16", "f32"), repeat=2)):
        add(shape, ("f16", "f16", c, d), layouts, f".{d}.{c}")
    for shape, layouts in itertools.product(shapes, every):
        add(shape, ("bf16", "bf16", "f32", "f32"), layouts, ".f32.bf16.bf16.f32")
        for t, sat in itertools.product(("u8", "s8"), ("", ".satfinite")):
            add(shape, (t, t, "s32", "s32"), layouts, f".s32.{t}.{t}.s32", sat)
    for layouts in every:
        add((16, 16, 8), ("tf32", "tf32", "f32", "f32"), layouts, ".f32.tf32.tf32.f32")
        add((8, 8, 4), ("f64",) * 4, layouts, ".f64.f64.f64.f64")
    for rounding in ("rn", "rz", "rm", "rp"):
        add((8, 8, 4), ("f64",) * 4, ("row", "col"), f".{rounding}.f64.f64.f64.f64")
    for t, sat in itertools.product(("u4", "s4"), ("", ".satfinite")):
        add((8, 8, 32), (t, t, "s32", "s32"), ("row", "col"), f".s32.{t}.{t}.s32", sat)
    for op in ("xor", "and"):
        add((8, 8, 128), ("b1", "b1", "s32", "s32"), ("row", "col"), ".s32.b1.b1.s32", head=f".{op}.popc")
    return found


PRODUCTS: dict[str, Product] = {p.name: p for p in _mma() + _wmma()}
"""Every form by name."""


# ------------------------------------------------------------------------------------------------------------- fragments
def places(product: Product, operand: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Copy, row and column of each element that each lane holds, arrays (32, elements), as the PTX ISA documents them."""
    m, n, k = product.shape
    lane = np.arange(32)[:, None]
    if product.copies == 4:
        return _quad_pairs(product, operand, lane)
    group, member = lane >> 2, lane & 3
    if operand in "cd":
        i = np.arange(m * n // 32)[None]
        return 0 * (lane + i), group + 8 * (i >> 1), 2 * member + (i & 1)
    bits = BITS[product.types["ab".index(operand)]]
    together = max(1, 32 // bits)
    i = np.arange((m if operand == "a" else n) * k // 32)[None]
    register, element = i // together, i % together
    high = m // 8 if operand == "a" else 1
    across = group + 8 * (register % high)
    along = (member + 4 * (register // high)) * together + element
    return (0 * (lane + i), across, along) if operand == "a" else (0 * (lane + i), along, across)


def _quad_pairs(product: Product, operand: str, lane: np.ndarray):
    copy, upper, member = lane >> 2 & 3, lane >> 4, lane & 3
    rows, columns = product.instruction.split(".")[4:6]
    if operand in "ab":
        i = np.arange(4)[None]
        along, across = member + 0 * i, i + 4 * upper            # k by lane
        if (rows if operand == "a" else columns) == ("row" if operand == "a" else "col"):
            along, across = i + 0 * member, member + 4 * upper + 0 * i
        return (copy + 0 * i, across, along) if operand == "a" else (copy + 0 * i, along, across)
    i = np.arange(8)[None]
    if product.types["abcd".index(operand)] == "f16":
        return copy + 0 * i, member + 4 * upper + 0 * i, i + 0 * lane
    return copy + 0 * i, (lane & 1) + (i & 2) + 4 * upper, (i & 4) + (lane & 2) + (i & 1)


def words(product: Product, operand: str) -> int:
    """Registers of a lane."""
    elements = places(product, operand)[1].shape[1]
    return max(1, elements * BITS[product.types["abcd".index(operand)]] // 32) if BITS[
        product.types["abcd".index(operand)]] < 64 else elements


def scatter(product: Product, operand: str, matrices: np.ndarray) -> np.ndarray:
    """Bits of matrices (warps, copies, rows, columns) → registers (warps, words, 32)."""
    copy, row, column = places(product, operand)
    bits = BITS[product.types["abcd".index(operand)]]
    values = matrices[:, copy, row, column].astype(np.uint64)           # warps, 32, elements
    if bits >= 32:
        return values.transpose(0, 2, 1).astype("<u8" if bits == 64 else "<u4")
    packed = values.reshape(*values.shape[:2], -1, 32 // bits) << (bits * np.arange(32 // bits, dtype=np.uint64))
    return packed.sum(-1).transpose(0, 2, 1).astype("<u4")


def gather(product: Product, operand: str, registers: np.ndarray) -> np.ndarray:
    """Registers (warps, words, 32) → bits of matrices (warps, copies, rows, columns)."""
    copy, row, column = places(product, operand)
    bits = BITS[product.types["abcd".index(operand)]]
    m, n, k = product.shape
    shape = {"a": (m, k), "b": (k, n)}.get(operand, (m, n))
    values = registers.transpose(0, 2, 1).astype(np.uint64)
    if bits < 32:
        values = values[..., None] >> (bits * np.arange(32 // bits, dtype=np.uint64)) & np.uint64((1 << bits) - 1)
        values = values.reshape(*values.shape[:2], -1)
    found = np.zeros((len(registers), product.copies, *shape), np.uint64)
    found[:, copy, row, column] = values
    return found


# --------------------------------------------------------------------------------------------------------------- kernels
def _registers(prefix: str, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{i}" for i in range(count)) + "}"


def fragment_words(product: Product, operand: str) -> int:
    """Registers of a ``wmma`` fragment: twice what is needed for f16 multiplicands."""
    m, n, k = product.shape
    t = product.types["abcd".index(operand)]
    count = {"a": m * k, "b": k * n}.get(operand, m * n)
    if t == "f16" and operand in "ab":
        return 8
    return max(1, count // 32 * BITS[t] // (64 if t == "f64" else 32))


def stride(product: Product, operand: str, layout: str) -> int:
    """Elements between two rows, or columns, of a matrix that lies densely."""
    m, n, k = product.shape
    rows, columns = {"a": (m, k), "b": (k, n)}.get(operand, (m, n))
    return columns if layout == "row" else rows


def sizes(product: Product) -> list[int]:
    """Bytes of a, b, c, d of one warp."""
    m, n, k = product.shape
    counts = (m * k, k * n, m * n, m * n)
    return [product.copies * count * BITS[t] // 8 for count, t in zip(counts, product.types)]


def load(product: Product, operand: str, layout: str) -> str:
    """The ``wmma.load`` of an operand."""
    m, n, k = product.shape
    t = product.types["abc".index(operand)]
    return f"wmma.load.{operand}.sync.aligned.{layout}.m{m}n{n}k{k}.global.{t}"


def kernel(product: Product, entry: str) -> str:
    """PTX of a kernel: parameters are the operands a, b, c of all warps, one after the other, and the results."""
    size = sizes(product)
    lines = [f".visible .entry {entry}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)", "{"]
    wide = BITS[product.types[0]] == 64
    count = words if product.layouts is None else fragment_words
    for x in "abcd":
        lines.append(f".reg .{'f64' if wide else 'b32'} %{x}<{count(product, x)}>;")
    lines += [".reg .b32 %r<4>;", ".reg .b64 %p<8>;", "mov.u32 %r0, %tid.x;", "mov.u32 %r1, %ctaid.x;",
              f"mad.lo.u32 %r2, %r1, {THREADS}, %r0;", "shr.u32 %r2, %r2, 5;", "and.b32 %r3, %r0, 31;"]
    for j, x in enumerate("abcd"):
        lines += [f"ld.param.u64 %p{j}, [p{x}];", f"cvta.to.global.u64 %p{j}, %p{j};", f"mul.wide.u32 %p7, %r2, {size[j]};",
                  f"add.u64 %p{j}, %p{j}, %p7;"]
    if product.layouts is None:
        each = 8 if wide else 4
        lines.append(f"mul.wide.u32 %p7, %r3, {each};")
        for j, x in enumerate("abcd"):
            lines.append(f"add.u64 %p{j}, %p{j}, %p7;")
            if x != "d":
                lines += [f"ld.global.b{8 * each} %{x}{i}, [%p{j}+{32 * each * i}];" for i in range(words(product, x))]
        lines.append(product.instruction + " " + ", ".join(_registers(x, words(product, x)) for x in "dabc") + ";")
        lines += [f"st.global.b{8 * each} [%p3+{32 * each * i}], %d{i};" for i in range(words(product, "d"))]
    else:
        m, n, k = product.shape
        for j, (x, layout) in enumerate(zip("abc", (*product.layouts, "row"))):
            lines.append(f"{load(product, x, layout)} {_registers(x, count(product, x))}, [%p{j}], {stride(product, x, layout)};")
        lines.append(product.instruction + " " + ", ".join(_registers(x, count(product, x)) for x in "dabc") + ";")
        lines.append(f"wmma.store.d.sync.aligned.row.m{m}n{n}k{k}.global.{product.types[3]} [%p3], "
                     f"{_registers('d', count(product, 'd'))}, {n};")
    return "\n".join([*lines, "ret;", "}", ""])


def _dense(product: Product, operand: str, matrices: np.ndarray, layout: str) -> np.ndarray:
    """Bits of matrices (warps, 1, rows, columns) → memory, bytes (warps, …)."""
    bits = BITS[product.types["abcd".index(operand)]]
    values = matrices[:, 0] if layout == "row" else matrices[:, 0].transpose(0, 2, 1)
    values = np.ascontiguousarray(values).reshape(len(matrices), -1)
    if bits >= 8:
        return values.astype(f"<u{bits // 8}").view(np.uint8)
    each = 8 // bits
    return (values.reshape(len(matrices), -1, each) << (bits * np.arange(each, dtype=np.uint64))).sum(-1).astype(np.uint8)


def memory(product: Product, matrices: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The three input buffers, bytes."""
    if product.layouts is None:
        return [scatter(product, x, matrices[x]).reshape(-1).view(np.uint8) for x in "abc"]
    return [_dense(product, x, matrices[x], layout).reshape(-1) for x, layout in zip("abc", (*product.layouts, "row"))]


def results(product: Product, raw: np.ndarray) -> np.ndarray:
    """The output buffer, bytes → bits of matrices (warps, copies, m, n)."""
    size = BITS[product.types[3]] // 8
    m, n, _ = product.shape
    if product.layouts is not None:
        return raw.view(f"<u{size}").astype(np.uint64).reshape(-1, 1, m, n)
    return gather(product, "d", raw.view("<u8" if size == 8 else "<u4").reshape(-1, words(product, "d"), 32))


# -------------------------------------------------------------------------------------------------------------- operands
def random(seed: int, *shape: int) -> np.ndarray:
    """Random words of 64 bits, the same everywhere and always (splitmix64)."""
    x = np.arange(int(np.prod(shape)), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed * 0xD1342543DE82EF95 & (2**64 - 1))
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return (x ^ x >> np.uint64(31)).reshape(shape)


def below(words: np.ndarray, n: int) -> np.ndarray:
    """Random words → whole numbers from 0 to n - 1 (of the upper bits), signed."""
    return ((words >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)).astype(np.int64)


def number(t: str, words: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Bits of a float with that exponent, and sign and fraction from random words; too small ones become subnormal, too large infinite."""
    ebits, fbits = FORMATS[t]
    bias = (1 << ebits - 1) - 1
    sign, fraction = words >> np.uint64(63), words & np.uint64((1 << fbits) - 1)
    biased = np.broadcast_to(exponent, words.shape) + bias
    shift = np.clip(1 - biased, 0, fbits + 2).astype(np.uint64)
    small = (fraction | np.uint64(1 << fbits)) >> shift
    normal = np.clip(biased, 1, (1 << ebits) - 1).astype(np.uint64) << np.uint64(fbits) | fraction
    return sign << np.uint64(ebits + fbits) | np.where(biased < 1, small, normal)


def _range(words: np.ndarray, low: int, high: int) -> np.ndarray:
    return low + below(words * np.uint64(0x9E3779B97F4A7C15), high - low + 1)


def _special(t: str, words: np.ndarray) -> np.ndarray:
    ebits, fbits = FORMATS[t]
    infinite = np.uint64((1 << ebits) - 1 << fbits)
    kind = words & np.uint64(7)
    nan = infinite | words >> np.uint64(8) & np.uint64((1 << fbits) - 1) | np.uint64(1)
    return (words >> np.uint64(63)) << np.uint64(ebits + fbits) | np.where(kind < 5, infinite, nan)


PROBES = ("bits", "finite", "near", "wide", "wider", "cutoff", "cutoff_c", "large_c", "small_c", "cancel", "subnormal", "zeros", "special",
          "overflow", "ties", "whole")
"""Kinds of operands of floating-point products."""
INTEGER_PROBES = ("bits", "large", "small")


def operands(product: Product, probe: str, warps: int) -> dict[str, np.ndarray]:
    """Bits of a, b, c for one kind of operands: arrays (warps, copies, rows, columns)."""
    m, n, k = product.shape
    ta, tb, tc, _ = product.types
    seed = 1000 * sum(product.name.encode()) + (PROBES + INTEGER_PROBES).index(probe)
    u = {x: random(7 * seed + j, warps, product.copies, *s) for j, (x, s) in enumerate(zip("abc", ((m, k), (k, n), (m, n))))}
    if ta not in FORMATS:
        return _integers(product, probe, u)
    v = {x: random(7 * seed + 3 + j, *u[x].shape) for j, x in enumerate("abc")}
    limit = {x: (1 << FORMATS[t][0] - 1) - 1 for x, t in zip("abc", (ta, tb, tc))}
    fraction = FORMATS[tc][1]
    span = {"f16": 14, "f64": 60}.get(ta, 20)
    deep = 24 if tc != "f64" else 53

    def draw(x, low, high):
        t = product.types["abc".index(x)]
        low, high = max(low, -limit[x] - FORMATS[t][1]), min(high, limit[x])
        return number(t, u[x], _range(v[x], low, high))

    def mask(t):
        return np.uint64((1 << BITS[t]) - 1)

    if probe == "bits":
        return {x: u[x] & mask(t) for x, t in zip("abc", (ta, tb, tc))}
    if probe == "finite":
        return {x: draw(x, -limit[x] - 3, limit[x]) for x in "abc"}
    if probe == "near":
        return {"a": draw("a", -1, 1), "b": draw("b", -1, 1), "c": draw("c", -2, 3)}
    if probe == "wide":
        return {"a": draw("a", -span // 2, span // 2), "b": draw("b", -span // 2, span // 2), "c": draw("c", -span, span)}
    if probe == "wider":
        return {"a": draw("a", -span, span), "b": draw("b", -span, span), "c": draw("c", -2 * span, 2 * span)}
    if probe in ("cutoff", "cutoff_c"):  # one product tells how far the others are shifted
        step = deep - 4 + below(v["a"], 12)
        chosen = below(random(7 * seed + 6, warps, product.copies, m, 1), k) == np.arange(k)
        top = 14 if ta == "f16" else 30
        a = number(ta, u["a"], np.where(chosen, top, top - step))
        c = draw("c", top - deep - 4, top + 2) if probe == "cutoff_c" else u["c"] & np.uint64(0)
        return {"a": a, "b": draw("b", 0, 0), "c": c}
    if probe == "large_c":
        return {"a": draw("a", -2, 1), "b": draw("b", -2, 1), "c": draw("c", fraction - 9, fraction + 5)}
    if probe == "small_c":
        return {"a": draw("a", -2, 1), "b": draw("b", -2, 1), "c": draw("c", -fraction - 6, -fraction + 6)}
    if probe == "cancel":
        a, b, c = draw("a", -6, 6), draw("b", -6, 6), draw("c", -30, -4)
        half = k // 2
        flip = np.uint64(1 << BITS[ta] - 1)
        a[..., half:] = np.where(below(v["a"][..., half:], 8) == 0, number(ta, u["a"][..., half:], np.int64(-9)), a[..., :half] ^ flip)
        b[..., half:, :] = b[..., :half, :]
        return {"a": a, "b": b, "c": np.where(below(v["c"] >> np.uint64(7), 2) == 0, np.uint64(0), c)}
    if probe == "subnormal":
        low = -limit["a"]
        return {"a": draw("a", low - FORMATS[ta][1] + 1, low + 2), "b": draw("b", -2, 2 if ta != "f16" else 12),
                "c": draw("c", -limit["c"] - fraction, -limit["c"] + 3) if tc != "f32" or ta != "f16" else draw("c", -40, -10)}
    if probe == "zeros":
        def few(x, t):
            ebits, fbits = FORMATS[t]
            one = np.uint64((1 << ebits - 1) - 1 << fbits)
            pick = below(v[x], 10)
            return (u[x] >> np.uint64(63)) << np.uint64(ebits + fbits) | np.where(pick < 8, np.uint64(0), np.where(pick < 9, one, np.uint64(1)))
        return {"a": few("a", ta), "b": few("b", tb), "c": few("c", tc) & (np.uint64(1) << np.uint64(BITS[tc] - 1))}
    if probe == "special":
        found = {"a": draw("a", -1, 1), "b": draw("b", -1, 1), "c": draw("c", -1, 1)}
        for x, t in zip("abc", (ta, tb, tc)):
            found[x] = np.where(below(v[x] >> np.uint64(3), 5 * k if x != "c" else 8) == 0, _special(t, u[x]), found[x])
            found[x] = np.where(below(v[x] >> np.uint64(5), 8) == 0, np.uint64(0), found[x])
        return found
    if probe == "overflow":
        top = limit["c"]
        half = min(top // 2, limit["a"])
        return {"a": draw("a", half - 2, half), "b": draw("b", half - 2, half), "c": draw("c", top - 1, top)}
    if probe == "ties":
        few = np.uint64(7 << max(0, FORMATS[ta][1] - 3))
        return {"a": draw("a", 0, 0) & ~(np.uint64((1 << FORMATS[ta][1]) - 1) ^ few), "b": draw("b", -1, 1) & ~np.uint64((1 << FORMATS[tb][1]) - 1),
                "c": draw("c", fraction - 4, fraction + 3)}
    if probe == "whole":
        def whole(x, t, top):
            value = below(v[x], 2 * top + 1) - top
            return _float_bits(t, value)
        return {"a": whole("a", ta, 8), "b": whole("b", tb, 8), "c": whole("c", tc, 40)}
    raise ValueError(probe)


def _float_bits(t: str, value: np.ndarray) -> np.ndarray:
    ebits, fbits = FORMATS[t]
    if t in ("bf16", "tf32", "f32"):
        return (value.astype("<f4").view("<u4") >> np.uint32(23 - fbits)).astype(np.uint64)
    return value.astype(f"<f{(1 + ebits + fbits) // 8}").view(f"<u{(1 + ebits + fbits) // 8}").astype(np.uint64)


def _integers(product: Product, probe: str, u: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    found = {x: u[x] & np.uint64((1 << BITS[t]) - 1) for x, t in zip("abc", product.types)}
    if probe == "large":
        found["c"] = (u["c"] & np.uint64(0xFFFF)) ^ np.where(u["c"] >> np.uint64(63) == 0, np.uint64(0x7FFF0000), np.uint64(0x80000000))
    elif probe == "small":
        found["c"] = u["c"] & np.uint64(0xFF)
    return found


def inputs(product: Product, warps: int) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    """All probes of a form one after the other, `warps` warps each."""
    probes = PROBES if product.types[0] in FORMATS else INTEGER_PROBES
    parts = [operands(product, probe, warps) for probe in probes]
    return probes, {x: np.concatenate([p[x] for p in parts]) for x in "abc"}
