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

# PTX ISA 8.6, chapter 9.7.3: opcode → (kind of the error, bound). ulp: units in the last place; rel, abs: plainly.
APPROXIMATE = {"div.approx": ("ulp", 2), "div.full": ("ulp", 2), "rcp.approx": ("ulp", 1), "sqrt.approx": ("rel", 2.0**-23),
               "rsqrt.approx": ("rel", 2.0**-22.9), "sin.approx": ("abs", 2.0**-20.5), "cos.approx": ("abs", 2.0**-20.5),
               "lg2.approx": ("rel or abs", 2.0**-22), "ex2.approx": ("ulp", 2), "tanh.approx": ("rel", 2.0**-11)}
COARSE = {"rcp.approx.ftz.f64": 1, "rsqrt.approx.ftz.f64": 1, "rsqrt.approx.f64": 1}
"""Forms with a documented precision of the upper word, or none: least significant units of what they write by which they may differ."""


class Mismatch(NamedTuple):
    """What differs in one form."""

    count: int
    text: str


def approximate(name: str) -> bool:
    """Whether PTX leaves the last bits open."""
    return ".".join(name.split(".")[:2]) in APPROXIMATE


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
    kind, bound = APPROXIMATE[".".join(name.split(".")[:2])]
    double = name.endswith("f64")
    if double:
        return 0.0 if other is None else _units(name, form, data, other)
    with np.errstate(invalid="ignore"):
        x = [values(c).astype(np.uint32).view(np.float32).astype(np.float64) for c in form.columns]
    got = split(form, data)[0].view(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        exact = _exact(name, x) if other is None else split(form, other)[0].view(np.float32).astype(np.float64)
        usual = np.isfinite(exact) & np.isfinite(got) & ((np.abs(exact) >= 2.0**-126) | (kind == "abs"))
        if name.startswith("div"):
            usual &= (np.abs(x[-1]) >= 2.0**-126) & (np.abs(x[-1]) <= 2.0**126) & (np.abs(x[0]) >= 2.0**-126)
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
    shift = np.int64(32 if "ftz" in name else 0)
    a, b = (split(form, d)[0].astype(np.int64) >> shift for d in (data, other))
    return float(np.abs(a - b).max() / COARSE[name])


def _exact(name: str, x: list[np.ndarray]) -> np.ndarray:
    if ".ftz" in name:
        x = [np.where(np.abs(v) < 2.0**-126, np.copysign(0, v), v) for v in x]
    return {"div": lambda: x[0] / x[1], "rcp": lambda: 1 / x[0], "sqrt": lambda: np.sqrt(x[0]), "rsqrt": lambda: 1 / np.sqrt(x[0]),
            "sin": lambda: np.sin(x[0]), "cos": lambda: np.cos(x[0]), "lg2": lambda: np.log2(x[0]), "ex2": lambda: np.exp2(x[0]),
            "tanh": lambda: np.tanh(x[0])}[name.split(".")[0]]()


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
