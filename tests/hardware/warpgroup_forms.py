"""Products of warpgroups as kernels: a GPU and the engine run the same text.

A kernel fills shared memory with an image, takes descriptors as parameters, relative to its start, and executes one ``wgmma``. Numbers of the
operands are wherever the descriptors say.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matrix_operands import FORMATS, again, below, number, random

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
THREADS = 128
IMAGE = 47 * 1024
"""Bytes of shared memory that have numbers."""
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8}
ROUNDS = 16


class Form(NamedTuple):
    """One form of ``wgmma.mma_async``."""

    n: int
    d: str
    a: str
    b: str
    registers: bool = False
    """The first factor comes in registers."""
    signs: tuple[int, int] = (1, 1)
    transposed: tuple[int, int] = (0, 0)
    tail: str = ""

    @property
    def k(self) -> int:
        """Products of a number of the result."""
        return 256 // BITS[self.a]

    @property
    def words(self) -> int:
        """Registers of the result."""
        return self.n // (4 if self.d == "f16" else 2)

    @property
    def name(self) -> str:
        """A text that tells forms apart."""
        return (f"n{self.n}_{self.d}_{self.a}_{self.b}" + "_r" * self.registers + "_" * (self.signs != (1, 1) or self.transposed != (0, 0))
                + "".join("np"[x > 0] for x in self.signs) * (self.signs != (1, 1)) + "t%d%d" % self.transposed * (self.transposed != (0, 0))
                + self.tail.replace(".", "_"))

    def text(self, d: str, a: str, b: str, scale: str) -> str:
        """The instruction."""
        last = ""
        if self.d != "s32":
            last = ", %d, %d" % self.signs
        if BITS[self.a] == 16:
            last += f", {self.transposed[1]}" if self.registers else ", %d, %d" % self.transposed
        return f"wgmma.mma_async.sync.aligned.m64n{self.n}k{self.k}.{self.d}.{self.a}.{self.b}{self.tail} {d}, {a}, {b}, {scale}{last};"


def braces(prefix: str, count: int) -> str:
    """Registers as a vector."""
    return "{" + ", ".join(f"%{prefix}{i}" for i in range(count)) + "}"


PARAMETERS = """.visible .entry @(.param .u64 pin, .param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u32 pscale)
{
.reg .b32 %r<32>; .reg .b64 %p<16>; .reg .pred %s, %q, %z; .reg .b32 %a<4>;
.shared .align 1024 .b8 sh[48128];
ld.param.u64 %p0, [pin]; ld.param.u64 %p1, [pd]; ld.param.u64 %p2, [pa]; ld.param.u64 %p3, [pb]; ld.param.u32 %r1, [pscale];
setp.ne.u32 %s, %r1, 0;
mov.u32 %r0, %tid.x; mov.u32 %r2, sh; shr.u32 %r3, %r2, 4; cvt.u64.u32 %p4, %r3;
add.u64 %p2, %p2, %p4; add.u64 %p3, %p3, %p4;
mul.wide.u32 %p5, %r0, 4; add.u64 %p6, %p0, %p5; add.u64 %p1, %p1, %p5;
and.b32 %r0, %r0, 127; mul.wide.u32 %p5, %r0, 4;
shl.b32 %r4, %r0, 2; add.u32 %r4, %r4, %r2; add.u64 %p7, %p0, %p5; add.u32 %r5, %r2, 48128;
@_FILL:
ld.global.b32 %r6, [%p7]; st.shared.b32 [%r4], %r6; add.u64 %p7, %p7, 512; add.u32 %r4, %r4, 512;
setp.lt.u32 %q, %r4, %r5; @%q bra @_FILL;
"""


def kernel(form: Form, entry: str) -> str:
    """PTX of a kernel: the image, then the first factor's registers and the accumulators, come in."""
    lines = [PARAMETERS.replace("@_FILL", "FILL").replace("@", entry, 1).replace("FILL", f"{entry}_FILL"), f".reg .b32 %c<{form.words}>;"]
    lines += [f"ld.global.b32 %a{i}, [%p6+{IMAGE + 512 * i}];" for i in range(4)]
    lines += [f"ld.global.b32 %c{i}, [%p6+{IMAGE + 512 * (4 + i)}];" for i in range(form.words)]
    a = braces("a", 4) if form.registers else "%p2"
    lines += ["fence.proxy.async;", "bar.sync 0;", "wgmma.fence.sync.aligned;", form.text(braces("c", form.words), a, "%p3", "%s"),
              "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    lines += [f"st.global.b32 [%p1+{512 * i}], %c{i};" for i in range(form.words)]
    return "\n".join([*lines, "ret;", "}", ""])


def chain_kernel(form: Form, entry: str, together: int, sets: int = 1) -> str:
    """PTX of a kernel that times `together` products a group, each group waited for; every warp stores the cycles of start and end."""
    c = form.words
    lines = [PARAMETERS.replace("@_FILL", "FILL").replace("@", entry, 1).replace("FILL", f"{entry}_FILL"), f".reg .b32 %c<{c * sets}>; .reg .b64 %t<2>;"]
    lines += [f"ld.global.b32 %a{i}, [%p6+{512 * i}];" for i in range(4)] + [f"mov.b32 %c{i}, 0;" for i in range(c * sets)]
    a = braces("a", 4) if form.registers else "%p2"
    one = [form.text("{" + ", ".join(f"%c{c * (j % sets) + i}" for i in range(c)) + "}", a, "%p3", "%s") for j in range(together)]
    group = ["wgmma.fence.sync.aligned;", *one, "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    lines += ["fence.proxy.async;", *group, "bar.sync 0;", "mov.u32 %r7, 0;", "mov.u64 %t0, %clock64;", f"{entry}_LOOP:", *group,
              "add.s32 %r7, %r7, 1;", f"setp.lt.s32 %z, %r7, {ROUNDS};", f"@%z bra {entry}_LOOP;", "mov.u64 %t1, %clock64;"]
    total = " ".join(f"xor.b32 %c0, %c0, %c{i};" for i in range(1, c * sets))
    return "\n".join([*lines, total, "mov.u32 %r0, %tid.x; mul.wide.u32 %p5, %r0, 12; add.u64 %p1, %p1, %p5;", "cvt.u32.u64 %r8, %t0; cvt.u32.u64 %r9, %t1;",
                      "st.global.b32 [%p1], %r8;", "st.global.b32 [%p1+4], %r9;", "st.global.b32 [%p1+8], %c0;", "ret;", "}", ""])


# ------------------------------------------------------------------------------------------------------------------ cases
class Case(NamedTuple):
    """A form, what its operands are like, and where they lie (16-byte units, as descriptors have them)."""

    form: Form
    probe: str
    a: tuple[int, int, int, int, int] = (0, 8, 16, 0, 0)
    """Start, leading and stride offset, base offset, swizzle."""
    b: tuple[int, int, int, int, int] = (1024, 8, 16, 0, 0)
    scale: int = 1

    @property
    def name(self) -> str:
        """A text that tells cases apart."""
        return "|".join((self.form.name, self.probe, "-".join(map(str, self.a)), "-".join(map(str, self.b)), str(self.scale)))


def descriptor(start: int, leading: int, stride: int, base: int, swizzle: int) -> int:
    """The 64 bits that describe where a factor lies."""
    return start | leading << 16 | stride << 32 | base << 49 | swizzle << 62


SPAN = {"f16": 7, "bf16": 14, "tf32": 14, "e4m3": 5, "e5m2": 7}
PROBES = ("bits", "finite", "near", "wide", "wider", "large_c", "small_c", "subnormal", "zeros", "special", "overflow", "whole")
INTEGER_PROBES = ("bits", "large", "small")


def probes(form: Form) -> tuple[str, ...]:
    """Kinds of operands of a form."""
    return PROBES if form.d != "s32" else INTEGER_PROBES


def _draw(t: str, count: int, seed: int, low: int, high: int) -> np.ndarray:
    words = random(seed, count)
    ebits, fbits = FORMATS[t]
    limit = (1 << ebits - 1) - 1
    low, high = max(low, -limit - fbits), min(high, limit)
    exponent = low + below(again(words, 0), high - low + 1)
    return number(t, words, exponent)


def numbers(t: str, count: int, seed: int, probe: str, what: str) -> np.ndarray:
    """Bits of `count` numbers of one operand, ``a`` (both factors) or ``c``."""
    words = random(seed, count)
    bits = BITS.get(t, 32)
    if t not in FORMATS:
        if what == "c" and probe == "large":
            return (words & np.uint64(0xFFFF)) ^ np.where(words >> np.uint64(63) == 0, np.uint64(0x7FFF0000), np.uint64(0x80000000))
        return words & np.uint64(0xFF if probe == "small" else (1 << bits) - 1)
    ebits, fbits = FORMATS[t]
    limit = (1 << ebits - 1) - 1
    span = SPAN.get(t, 24)
    if probe == "bits":
        return words & np.uint64((1 << bits) - 1)
    if probe == "whole":
        value = below(words, 17) - 8 if what == "a" else below(words, 81) - 40
        if t in ("e4m3", "e5m2"):
            table = np.array([0, 1, 2, 3, 4, 6, 8])
            value = np.where(words & np.uint64(1), -1, 1) * table[below(words, 7)]
            exponent = np.where(value == 0, 0, np.floor(np.log2(np.maximum(abs(value), 1)))).astype(np.int64)
            fraction = np.where(value == 0, 0, (abs(value) / 2.0 ** exponent - 1) * (1 << fbits)).astype(np.int64)
            return (np.where(value < 0, 1 << 7, 0) | np.where(value == 0, 0, exponent + limit << fbits | fraction)).astype(np.uint64)
        if t in ("bf16", "tf32", "f32"):
            return (value.astype("<f4").view("<u4") >> np.uint32(23 - fbits)).astype(np.uint64)
        return value.astype("<f2").view("<u2").astype(np.uint64)
    low, high = {"finite": (-limit - 3, limit), "near": (-1, 1), "wide": (-span // 2, span // 2),
                 "wider": (-span, span), "large_c": (-2, 1), "small_c": (-2, 1), "subnormal": (-limit - fbits + 1, -limit + 4),
                 "overflow": (limit - 3, limit), "special": (-1, 1), "zeros": (-2, 2)}[probe]
    if what == "c":
        _, cbits = FORMATS[t]
        low, high = {"large_c": (cbits - 9, cbits + 5), "small_c": (-cbits - 6, -cbits + 6), "wide": (-span, span), "wider": (-2 * span, 2 * span),
                     "subnormal": (-40, -10)}.get(probe, (low, high))
    if probe == "finite" and t == "f32":
        low, high = -40, 40
    found = _draw(t, count, seed, low, high)
    if probe == "zeros":
        found = np.where(below(again(words, 5), 10) < 8, found & np.uint64(1 << bits - 1), found)
    if probe == "special" and t != "e4m3":
        infinite = np.uint64((1 << ebits) - 1 << fbits)
        kind = again(words, 7) & np.uint64(15)
        odd = infinite | np.where(kind < 3, again(words, 8) & np.uint64((1 << fbits) - 1), np.uint64(0))
        found = np.where(below(again(words, 6), 60) == 0, found & np.uint64(1 << bits - 1) | odd, found)
    if t == "e4m3" and probe not in ("bits", "special"):
        found = np.where((found & np.uint64(0x7F)) == 0x7F, found ^ np.uint64(1), found)     # no NaNs
    return found


def image(case: Case) -> np.ndarray:
    """Bytes that a kernel takes in: shared memory, the first factor's registers, accumulators."""
    form = case.form
    seed = 1000 * sum(form.name.encode()) + (PROBES + INTEGER_PROBES).index(case.probe)
    half = 16 * case.b[0]      # the factors may differ in type
    parts = [numbers(form.a, half * 8 // BITS[form.a], 7 * seed, case.probe, "a").astype(f"<u{BITS[form.a] // 8}").view(np.uint8),
             numbers(form.b, (IMAGE - half) * 8 // BITS[form.b], 7 * seed + 1, case.probe, "a").astype(f"<u{BITS[form.b] // 8}").view(np.uint8),
             numbers(form.a, 2048 * 8 // BITS[form.a], 7 * seed + 2, case.probe, "a").astype(f"<u{BITS[form.a] // 8}").view(np.uint8)]
    count = form.words * THREADS * (2 if form.d == "f16" else 1)
    c = numbers(form.d, count, 7 * seed + 3, case.probe, "c")
    return np.concatenate([*parts, c.astype("<u2" if form.d == "f16" else "<u4").view(np.uint8)])


TYPES = (("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"), ("s32", "s8", "s8"), ("s32", "u8", "u8"),
         ("s32", "s8", "u8"), ("s32", "u8", "s8"), ("f32", "e4m3", "e4m3"), ("f32", "e5m2", "e5m2"), ("f32", "e4m3", "e5m2"), ("f32", "e5m2", "e4m3"),
         ("f16", "e4m3", "e4m3"), ("f16", "e5m2", "e4m3"))
INTEGER_COLUMNS = (8, 16, 24, *range(32, 257, 16))


def cases() -> list[Case]:
    """Every case that is measured."""
    found: list[Case] = []
    for types in TYPES:                 # how sums are made
        for registers in (False, True):
            form = Form(32, *types, registers)
            found += [Case(form, probe) for probe in probes(form)]
        found.append(Case(Form(32, *types), probes(form)[2], scale=0))
        if types[0] == "s32":
            found += [Case(Form(32, *types, tail=".satfinite"), probe) for probe in INTEGER_PROBES]
        else:
            found += [Case(Form(32, *types, signs=s), probe) for s in ((-1, 1), (1, -1), (-1, -1)) for probe in ("special", "zeros", "wide")]
            found += [Case(Form(32, *types, True, signs=s), "special") for s in ((-1, 1), (1, -1))]
    for n in range(8, 257, 8):          # where results lie
        found.append(Case(Form(n, "f32", "f16", "f16"), "near", (0, 1, 64, 0, 1), (512, 1, 64, 0, 1)))
    for n in INTEGER_COLUMNS:
        found.append(Case(Form(n, "s32", "s8", "s8"), "bits", (0, 1, 64, 0, 1), (512, 1, 64, 0, 1)))
    for n in (8, 24, 64, 256):
        found.append(Case(Form(n, "f16", "f16", "f16"), "near", (0, 1, 64, 0, 1), (512, 1, 64, 0, 1)))
    width = {0: 1, 1: 8, 2: 4, 3: 2}    # 16-byte units of a row
    for types in (("f32", "f16", "f16"), ("f32", "tf32", "tf32"), ("s32", "s8", "s8"), ("f32", "e4m3", "e4m3")):
        for transposed in ((0, 0), (0, 1), (1, 0), (1, 1)) if types[1] == "f16" else ((0, 0),):
            for swizzle in (0, 1, 2, 3):
                for n in (64, 24, 256):
                    if n == 24 and swizzle == 0:
                        continue
                    w = width[swizzle]
                    form = Form(n, *types, transposed=transposed)
                    plain = (0, 8 * w * 9, 8 * w, 0, swizzle), (1024, 8 * w * 33, 8 * w, 0, swizzle)
                    if n == 256:        # tight, so that all of it is in memory
                        plain = (0, 8 * w * 4, 8 * w, 0, swizzle), (512, 8 * w * 2, 8 * w, 0, swizzle)
                        if swizzle == 0:
                            plain = (0, 64, 8, 0, 0), (512, 8, 16, 0, 0)
                    if swizzle == 0 and n != 256:
                        plain = (0, 40, 8, 0, 0), (1024, 8, 24, 0, 0)
                    elif transposed[1] and n != 256:
                        plain = plain[0], (1024, 8 * w * 2, 8 * w, 0, swizzle)
                    found.append(Case(form, "near" if types[0] != "s32" else "bits", *plain))
                    if n == 64:
                        found += [Case(form, "near" if types[0] != "s32" else "bits", *pair) for pair in (
                            ((plain[0][0] + 2, *plain[0][1:]), (plain[1][0] + 6, *plain[1][1:])),
                            ((plain[0][0] + 8 * 3, *plain[0][1:]), (plain[1][0] + 8 * 5, *plain[1][1:])),
                            ((24, 37, 29, 0, swizzle), (1024 + 56, 13, 43, 0, swizzle)),
                            ((8 * 3, plain[0][1], plain[0][2], 3, swizzle), (1024 + 8 * 5, plain[1][1], plain[1][2], 5, swizzle)),
                            ((0, plain[0][1], plain[0][2], 1, swizzle), (1024, plain[1][1], plain[1][2], 6, swizzle)))]
    return list(dict.fromkeys(found))


def places(case: Case, operand: str) -> np.ndarray:
    """Where the bytes of the numbers of a factor start, from that of the image on: array (rows of a or columns of b, k)."""
    start, leading, stride, base, swizzle = case.a if operand == "a" else case.b
    size = BITS[case.form.a] // 8
    r, k = np.arange(64 if operand == "a" else case.form.n)[:, None], np.arange(case.form.k)[None]
    along, across = (size * r, k) if case.form.transposed[operand == "b"] else (size * k, r)
    width = (16, 128, 64, 32)[swizzle]
    across_memory = case.form.transposed[operand == "b"]
    first, second = (stride, leading) if across_memory and not swizzle else (leading, stride)
    place = 16 * (start + along // width * first + across // 8 * second) + across % 8 * width + along % width
    return place ^ ((place >> 7) - base & width // 16 - 1) << 4


def forms() -> list[Form]:
    """Forms of all cases."""
    return list(dict.fromkeys(c.form for c in cases()))
