"""Compare the engine with the hardware's outputs: equal to the bit, or for approximations within the error that the PTX ISA documents."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from engine import run
from kernel import Form
from operands import TUPLES, values
from outputs import known

KNOWN: dict[str, str] = {}
"""Forms that do not agree yet, each with the reason. Strict: one that agrees must leave the list."""



class Bound(NamedTuple):
    """An error that the PTX ISA allows."""

    kind: str
    """ulp: units in the last place of the correctly rounded result; rel, abs: plainly; rel or abs: the larger of both."""
    size: float
    section: str
    """Of the PTX ISA 9.1, and its words."""


APPROXIMATE = {
    "div.approx": Bound("ulp", 2, "9.7.3.8: for |b| in [2^-126, 2^126] the maximum ulp error is 2"),
    "div.full": Bound("ulp", 2, "9.7.3.8: the maximum ulp error is 2 across the full range of inputs"),
    "rcp.approx": Bound("ulp", 1, "9.7.3.13: the maximum ulp error is 1 across the full range of inputs"),
    "sqrt.approx": Bound("rel", 2.0**-23, "9.7.3.15: maximum relative error over the positive finite range 2^-23 (quoted from memory)"),
    "rsqrt.approx": Bound("rel", 2.0**-22.9, "9.7.3.16: maximum relative error over the positive finite range 2^-22.9"),
    "sin.approx": Bound("abs", 2.0**-20.5, "9.7.3.18: maximum absolute error 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]"),
    "cos.approx": Bound("abs", 2.0**-20.5, "9.7.3.19: as for sin (quoted from memory)"),
    "lg2.approx": Bound("rel or abs", 2.0**-22, "9.7.3.20: absolute 2^-22 in (0.5, 2), relative 2^-22 elsewhere (quoted from memory)"),
    "ex2.approx": Bound("ulp", 2, "9.7.3.21: the maximum ulp error is 2 from the correctly rounded result across the full range"),
    "tanh.approx": Bound("rel", 2.0**-11, "9.7.3.22: the maximum relative error over the entire range is 2^-11"),
}
"""Functions of f32 whose last bits PTX leaves open."""
HALVES = {"tanh.approx.f16": Bound("abs", 2.0**-10.987, "9.7.4.9: the maximum absolute error for .f16 is 2^-10.987"),
          "tanh.approx.bf16": Bound("abs", 2.0**-8, "9.7.4.9: the maximum absolute error for .bf16 is 2^-8")}
"""Functions of 16-bit floats, the same. Those of ``ex2`` (9.7.4.10) are equal to the bit."""
COARSE = {"rcp.approx.ftz.f64": "9.7.3.14: a gross approximation by the upper words; no bound given",
          "rsqrt.approx.ftz.f64": "9.7.3.17: an approximation by the upper words; no bound given",
          "rsqrt.approx.f64": "9.7.3.16: emulated in software; no bound given for .f64"}
"""Functions of f64 without a documented bound: here and on hardware they may differ by one unit of what they write."""


class Mismatch(NamedTuple):
    """What differs in one form."""

    count: int
    text: str


def approximate(name: str) -> bool:
    """Whether PTX leaves the last bits open."""
    words = name.partition("/")[0].split(".")
    return _halves(name) or ".".join(words[:2]) in APPROXIMATE and words[-1][:1] == "f" and "16" not in words[-1]


def _halves(name: str) -> bool:
    return name.partition("/")[0].removesuffix("x2") in HALVES


def split(form: Form, data: bytes) -> list[np.ndarray]:
    """Results as arrays of unsigned integers, one per column; memory of stores as bytes."""
    found, place = [], 0
    for n in form.results or (16,):
        size = TUPLES * n
        found.append(np.frombuffer(data[place:place + size], f"<u{n}" if form.results else np.uint8))
        place += size
    return found


def excess(name: str, form: Form, data: bytes, other: bytes | None = None) -> float:
    """Give the largest error over its bound: against the exact value, or against other outputs with twice the bound."""
    if _halves(name):
        return _halves_excess(name, form, data)
    kind, bound, _ = APPROXIMATE[".".join(name.split(".")[:2])]
    if name.endswith("f64"):
        return 0.0 if other is None else _units(name, form, data, other)
    with np.errstate(invalid="ignore"):
        x = [values(c).astype(np.uint32).view(np.float32).astype(np.float64) for c in form.columns]
    got = split(form, data)[0].view(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        exact = _exact(name, x) if other is None else split(form, other)[0].view(np.float32).astype(np.float64)
        usual = np.isfinite(exact) & np.isfinite(got) & ((np.abs(exact) >= 2.0**-126) | (kind == "abs"))
        if name.startswith("div"):
            usual &= (np.abs(x[-1]) >= 2.0**-126) & (np.abs(x[-1]) <= 2.0**126) & (np.abs(x[0]) >= 2.0**-126)
        if ".ftz" in name and "abs" not in kind:     # near the least normal number an error of the last bits decides whether the result is flushed
            usual &= np.abs(exact) >= 2.0**-126 * (1 + 2.0**-20)
        if name.startswith(("sin", "cos")):
            usual &= np.abs(x[0]) <= 2 * np.pi if other is None else True
        error = np.abs(got - exact)[usual]
        size = np.abs(exact)[usual]
        ulp = 2.0 ** (np.floor(np.log2(size)) - 23)
        limit = {"ulp": bound * ulp, "rel": bound * size, "abs": bound, "rel or abs": bound * np.maximum(size, 1)}[kind]
        worst = float(np.max(error / limit, initial=0))
    if other is None:
        return worst
    strange = ~usual & ~(np.isnan(got) & np.isnan(exact)) & (got != exact) & ~((np.abs(got) < 2.0**-125) & (np.abs(exact) < 2.0**-125))
    return np.inf if strange.any() and not name.startswith("div") else worst / 2


def _units(name: str, form: Form, data: bytes, other: bytes) -> float:
    assert name in COARSE, f"{name} has neither a documented bound nor a reason"
    shift = np.int64(32 if "ftz" in name else 0)
    a, b = (split(form, d)[0].astype(np.int64) >> shift for d in (data, other))
    return float(np.abs(a - b).max())


def _halves_excess(name: str, form: Form, data: bytes) -> float:
    """Give the largest error over its bound, of 16-bit floats or pairs of them; NaNs must be those of hardware."""
    bound = HALVES[name.partition("/")[0].removesuffix("x2")]
    got, given = split(form, data)[0].view(np.uint16), values(form.columns[0]).astype(split(form, data)[0].dtype).view(np.uint16)

    def number(bits):
        return bits.view(np.float16).astype(np.float64) if ".f16" in name else (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)

    with np.errstate(invalid="ignore"):
        x, y = number(given), number(got)
    if (np.isnan(x) != np.isnan(y)).any() or (got[np.isnan(x)] != 0x7FFF).any():
        return np.inf
    return float(np.max(np.abs(y - np.tanh(x))[~np.isnan(x)]) / bound.size)


def _exact(name: str, x: list[np.ndarray]) -> np.ndarray:
    if ".ftz" in name:
        x = [np.where(np.abs(v) < 2.0**-126, np.copysign(0, v), v) for v in x]
    return {"div": lambda: x[0] / x[1], "rcp": lambda: 1 / x[0], "sqrt": lambda: np.sqrt(x[0]), "rsqrt": lambda: 1 / np.sqrt(x[0]),
            "sin": lambda: np.sin(x[0]), "cos": lambda: np.cos(x[0]), "lg2": lambda: np.log2(x[0]), "ex2": lambda: np.exp2(x[0]),
            "tanh": lambda: np.tanh(x[0])}[name.split(".", maxsplit=1)[0]]()


def compare(forms: list[Form], architecture) -> dict[str, Mismatch]:
    """Run forms and give what differs from the hardware."""
    wrong = {}
    for name, got in run(forms, architecture).items():
        form, want = next(f for f in forms if f.name == name), known()[name][1]
        if isinstance(got, str):
            wrong[name] = Mismatch(TUPLES, got)
        elif got != want and not (approximate(name) and excess(name, form, got, want) <= 1):
            wrong[name] = _mismatch(form, got, want)
    return wrong


def _mismatch(form: Form, got: bytes, want: bytes) -> Mismatch:
    texts, count = [], 0
    for j, (a, b) in enumerate(zip(split(form, got), split(form, want))):
        places = np.flatnonzero(a != b)
        count += len(places)
        if len(places):
            t = places[0] if form.results else places[0] // 16
            operands = ", ".join(hex(int(values(c)[t])) for c in form.columns)
            texts.append(f"result {j}: {len(places)} differ, first {int(a[places[0]]):#x} for {int(b[places[0]]):#x} of ({operands})")
    return Mismatch(count, "; ".join(texts))


def identical(forms: list[Form], architecture) -> dict[str, tuple[int, int]]:
    """For each form: how many results equal the hardware's to the bit, of how many."""
    counts = {}
    for form in forms:
        got, want = run([form], architecture)[form.name], known()[form.name][1]
        if not isinstance(got, str):
            pairs = list(zip(split(form, got), split(form, want)))
            counts[form.name] = sum(int((a == b).sum()) for a, b in pairs), sum(len(a) for a, _ in pairs)
    return counts
