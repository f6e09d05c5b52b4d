"""Operands that tell how a machine adds up matrix products: the same everywhere and always, from the name of the form."""
from __future__ import annotations

import numpy as np
from matrix_forms import BITS, Product

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 23), "f32": (8, 23), "f64": (11, 52), "e4m3": (4, 3), "e5m2": (5, 2)}
"""Exponent and fraction bits. A tf32 has the layout of an f32 of which it leaves bits out."""


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


def again(words: np.ndarray, turn: int) -> np.ndarray:
    """Other random words from random words."""
    x = (words ^ words >> np.uint64(31)) * np.uint64(0x9E3779B97F4A7C15 + 2 * turn)
    return x ^ x >> np.uint64(29)


def _range(words: np.ndarray, low: int, high: int) -> np.ndarray:
    return low + below(again(words, 0), high - low + 1)


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
        return {"a": a, "b": b, "c": np.where(below(again(v["c"], 1), 2) == 0, np.uint64(0), c)}
    if probe == "subnormal":
        low = -limit["a"]
        return {"a": draw("a", low - FORMATS[ta][1] + 1, low + 2), "b": draw("b", -2, 2 if ta != "f16" else 12),
                "c": draw("c", -limit["c"] - fraction, -limit["c"] + 3) if tc != "f32" or ta != "f16" else draw("c", -40, -10)}
    if probe == "zeros":
        def few(x, t):
            ebits, fbits = FORMATS[t]
            one = np.uint64((1 << ebits - 1) - 1 << fbits)
            pick = below(v[x], 10)
            value = np.where(pick < 8, np.uint64(0), np.where(pick < 9, one, np.uint64(1)))
            return (u[x] >> np.uint64(63)) << np.uint64(ebits + fbits) | value
        return {"a": few("a", ta), "b": few("b", tb), "c": few("c", tc) & (np.uint64(1) << np.uint64(BITS[tc] - 1))}
    if probe == "special":
        found = {"a": draw("a", -1, 1), "b": draw("b", -1, 1), "c": draw("c", -1, 1)}
        for x, t in zip("abc", (ta, tb, tc)):
            found[x] = np.where(below(again(v[x], 2), 5 * k if x != "c" else 8) == 0, _special(t, u[x]), found[x])
            found[x] = np.where(below(again(v[x], 3), 8) == 0, np.uint64(0), found[x])
        return found
    if probe == "overflow":
        top = limit["c"]
        half = min(top // 2, limit["a"])
        return {"a": draw("a", half - 2, half), "b": draw("b", half - 2, half), "c": draw("c", top - 1, top)}
    if probe == "ties":
        few = np.uint64(7 << max(0, FORMATS[ta][1] - 3))
        fractions = {t: np.uint64((1 << FORMATS[t][1]) - 1) for t in (ta, tb)}
        return {"a": draw("a", 0, 0) & ~(fractions[ta] ^ few), "b": draw("b", -1, 1) & ~fractions[tb],
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


def warps(product: Product) -> int:
    """Warps for each kind of operands."""
    return 4 if product.layouts is None or product.types[0] not in FORMATS else 1


def probes(product: Product) -> tuple[str, ...]:
    """Kinds of operands of a form."""
    return PROBES if product.types[0] in FORMATS else INTEGER_PROBES


def inputs(product: Product) -> dict[str, np.ndarray]:
    """All kinds of operands of a form, one after the other."""
    parts = [operands(product, probe, warps(product)) for probe in probes(product)]
    return {x: np.concatenate([p[x] for p in parts]) for x in "abc"}


def tile_input() -> np.ndarray:
    """What a kernel of tiles takes: 32 addresses of rows, then the contents of shared memory."""
    rows = np.argsort(random(5, 256))[:32] * 16
    return np.concatenate([rows.astype("<u4"), (random(6, 1024) & np.uint64(0xFFFFFFFF)).astype("<u4")])
