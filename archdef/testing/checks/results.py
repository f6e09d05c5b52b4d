"""Does it compute what PTX says?"""
from __future__ import annotations

import functools
import random

import attrs
import numpy as np

from archdef.errors import MissingFeature
from archdef.ptx import table
from archdef.testing import reference
from archdef.testing.checks.check import Broken, Subject, check, expect
from archdef.testing.checks.samples import kernel
from archdef.testing.compare import Mismatch, equals_reference, expect_same
from archdef.testing.forms import Form, forms
from archdef.testing.kernels import draw

FORMS_OF_A_ROW = 3
"""Spellings of a row of the instruction table that are tried."""
KERNELS = 16
"""Random whole kernels."""


@check(cases=lambda subject: list(subject.samples))
def samples_equal_the_reference(subject: Subject, case: str) -> None:
    """A small kernel of every kind of memory and control flow leaves what the reference interpreter leaves, bit for bit."""
    launch, (has, *_) = subject.samples[case], subject.finished(case)[1]
    expect_same(subject.architecture, launch, [has], [subject.expected(case, launch)])


@functools.cache
def _rows() -> dict[str, tuple[Form, ...]]:
    """Choose forms of each opcode of the instruction table: the first of each row, and others spread over its spellings."""
    found: dict[str, list[Form]] = {}
    for row in table.TABLE:
        spelled = list(forms([row]))
        step = max(1, -(-len(spelled) // FORMS_OF_A_ROW))
        chosen = [form for form in spelled[::step] if form.has_kernel]
        if chosen:
            found.setdefault(row.opcode, []).extend(chosen)
    return {opcode: tuple(chosen) for opcode, chosen in found.items()}


def _tried(subject: Subject, opcode: str) -> list[Form]:
    """Give the forms of an opcode that have one right answer on a machine; in a quick run, the first of each row."""
    architecture = subject.roomy
    allowed = []
    for form in _rows()[opcode]:
        form = attrs.evolve(form, lanes=architecture.warp.size)
        # a multiply and add in single precision is as the machine likes: `multiply_add_rounds_as_declared`
        declared = form.row.builder == "mad" and architecture.isa.float_mad != "fused" and "f32" in form.types
        if architecture.isa.features.issuperset(form.row.features.split()) and form.comparable and not declared:
            allowed.append(form)
    return [*{form.row: form for form in reversed(allowed)}.values()][::-1] if subject.quick else allowed


def _opcodes(subject: Subject) -> list[str]:
    have = subject.architecture.isa.features
    return [opcode for opcode, tried in _rows().items() if any(have.issuperset(form.row.features.split()) for form in tried)]


@check(cases=_opcodes, quick=8)
def instructions_equal_the_reference(subject: Subject, case: str) -> None:
    """Forms of each instruction that the features allow compute what the PTX manual says: to the bit, approximations within its bounds."""
    architecture, faults = subject.roomy, []
    for form in _tried(subject, case):
        try:
            equals_reference(architecture, form.launch())
        except MissingFeature as error:     # what its kernel needs besides
            if error.feature in architecture.isa.features:
                raise
        except Mismatch as error:
            faults.append(f"{form.name}: {error}")
    if faults:
        raise Broken("; ".join(faults))


@check(cases=lambda subject: [str(seed) for seed in range(KERNELS)], quick=6)
def random_kernels_equal_the_reference(subject: Subject, case: str) -> None:
    """Random whole kernels within the declared features, with divergence, calls and barriers, leave what the reference leaves."""
    architecture = subject.roomy
    launch = draw(random.Random(int(case)).randint, architecture.isa.features, architecture.warp.size, unstructured=int(case) % 3 == 2)
    try:
        equals_reference(architecture, launch, max_steps=400_000)
    except reference.Wrong as error:
        expect("too many steps" in str(error), f"kernel {case}: {error}")      # a kernel too long to be worth it


# ---------------------------------------------------------------------------------------------------------- declared rounding
_MAD = """
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; shl.b32 %r7, %r1, 2; cvt.u64.u32 %rd6, %r7;
    ld.global.f32 %f1, [%rd4]; add.u64 %rd4, %rd4, %rd6; ld.global.f32 %f2, [%rd4]; add.u64 %rd4, %rd4, %rd6; ld.global.f32 %f3, [%rd4];
    {0}
    add.u64 %rd5, %rd1, %rd3; st.global.f32 [%rd5], %f4;"""
_WAYS = {"mad": "mad.f32 %f4, %f1, %f2, %f3;", "mul, add": "mul.f32 %f5, %f1, %f2; add.f32 %f4, %f5, %f3;",
         "mul.rn, add.rn": "mul.rn.f32 %f5, %f1, %f2; add.rn.f32 %f4, %f5, %f3;"}


def _f32(exact: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Round ``exact + error``, where `exact` is the nearest double to the sum, to single precision once: to odd first."""
    bits = exact.view("i8")
    away = (error != 0) & (bits & 1 == 0)
    toward = np.where((error > 0) == (exact > 0), 1, -1)
    return np.where(away, bits + toward, bits).view("f8").astype("f4")


def _multiply_add(rule: str, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Multiply and add numbers of like size by a declared rule; results are neither tiny nor huge."""
    product = a.astype("f8") * b                                   # exact: 48 bits
    if rule == "separate":
        return a * b + c
    if rule == "truncated":
        product = (product.view("u8") & ~np.uint64((1 << 29) - 1)).view("f8")
    total = product + c                                            # and what its rounding lost, by Knuth's two-sum
    other = total - product
    return _f32(total, (product - (total - other)) + (c - other))


@check(cases=lambda subject: list(_WAYS))
def multiply_add_rounds_as_declared(subject: Subject, case: str) -> None:
    """``mad.f32``, and a multiply and an add that may be fused, round as `isa.float_mad` and `isa.fuse_multiply_add` say, to the bit."""
    isa, count = subject.architecture.isa, 256
    source = np.random.default_rng(2009)
    a, b, c = (source.uniform(1, 2, (3, count)) * 2.0 ** source.integers(-3, 4, (3, count)) * source.choice([-1, 1], (3, count))).astype("f4")
    c[::4] = -(a * b)[::4]                                         # what is left is the product's rounding error
    fused = case == "mad" or (case == "mul, add" and isa.fuse_multiply_add)
    expected = _multiply_add(isa.float_mad if fused else "separate", a, b, c)
    device = subject.device()
    threads = min(subject.threads, count)
    out = device.zeros(count, "f4")
    device.compile(kernel(_MAD.format(_WAYS[case]))).k[(count // threads,), (threads,)](out, device.to_device(np.stack([a, b, c])), count)
    has, done = out.to_host(), count // threads * threads
    wrong = np.flatnonzero(has[:done].view("u4") != expected[:done].view("u4"))
    rule = f"isa.float_mad = {isa.float_mad}, isa.fuse_multiply_add = {isa.fuse_multiply_add}"
    if wrong.size:
        k = int(wrong[0])
        raise Broken(f"{_WAYS[case]} of {a[k]!r}, {b[k]!r}, {c[k]!r} gives {has[k]!r}; by {rule} it is {expected[k]!r} "
                     f"({wrong.size} of {done} differ)")
