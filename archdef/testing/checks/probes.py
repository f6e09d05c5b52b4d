"""A kernel for each feature that the instruction table does not name, or whose instructions the reference interpreter does not know.

Features that rows of the table name have kernels already: `archdef.testing.forms`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
import numpy as np

from archdef.testing.checks.check import Broken, expect
from archdef.testing.checks.samples import kernel

if TYPE_CHECKING:
    from archdef.device import Device

THREADS = 32
"""Threads of a probe's only block."""


@attrs.frozen(eq=False)
class Probe:
    """A kernel that needs a feature."""

    ptx: str
    expected: Callable[[np.ndarray], np.ndarray] | None = None
    """From the threads' numbers to what each leaves in ``out``; None: what `ends` looks at is all there is."""
    ends: Callable | None = None
    """Takes the finished run and looks at it."""
    needs: frozenset[str] = frozenset()
    """Other features that the kernel cannot do without."""
    launch: str = "launch"
    """Method of the launcher."""
    texture: np.ndarray | None = None
    """Bound to the module's texture reference ``image``."""
    repeats: int = 1
    """Words of ``out`` for each thread."""
    threads: int = THREADS
    """Of the block."""

    def run(self, device: Device) -> None:
        """Run it. Raises `Broken` if it leaves something else."""
        threads = np.arange(self.threads, dtype="u4")
        out, data = device.zeros(self.threads * self.repeats, "u4"), device.to_device(3 * threads + 1)
        module = device.compile(self.ptx)
        if self.texture is not None:
            module.textures["image"] = device.texture(device.to_device(self.texture))
        run = getattr(module.k[(1,), (self.threads,)], self.launch)(out, data, self.threads)
        if self.expected is not None:
            has, wants = out.to_host(), self.expected(np.arange(self.threads * self.repeats, dtype="u4")).astype("u4")
            if (has != wants).any():
                at = int(np.flatnonzero(has != wants)[0])
                raise Broken(f"word {at} is {has[at]:#x}, should be {wants[at]:#x}")
        if self.ends is not None:
            self.ends(run)


def _own(body: str, outside: str = "", **more) -> Probe:
    """Make a probe that leaves %r20 of each thread."""
    return Probe(kernel(body + "\n    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r20;", outside), **more)


def _total(instruction: str, more: str = "") -> Probe:
    """Make a probe in which every thread adds to the same place."""
    return Probe(kernel(f"{more}    mov.u32 %r7, 5; mov.u64 %rd7, 5;\n    {instruction}"), lambda i: np.where(i == 0, 5 * THREADS, 0))


def _shared_total(width: int, instruction: str) -> Probe:
    return Probe(kernel(f"""
    .shared .align 8 .b8 sum[8]; mov.u32 %r8, sum; mov.u32 %r7, 5; mov.u64 %rd7, 5; mov.u64 %rd8, 0;
    setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u{width} [%r8], {"%rd8" if width == 64 else "0"};
    bar.sync 0; {instruction}; bar.sync 0;
    @%p1 ld.shared.u32 %r9, [%r8]; @%p1 st.global.u32 [%rd1], %r9;"""), lambda i: np.where(i == 0, 5 * THREADS, 0))


def _clock(register: str, width: int) -> Probe:
    type = f"u{width}"
    a, b = ("%r7", "%r8") if width == 32 else ("%rd7", "%rd8")
    return _own(f"    mov.{type} {a}, %{register}; bar.sync 0; mov.{type} {b}, %{register}; sub.{type} {b}, {b}, {a};\n"
                f"    setp.ge.s{width} %p1, {b}, 0; selp.u32 %r20, 1, 0, %p1;", expected=lambda i: i * 0 + 1)


def _printed(run) -> None:
    expect(run.printed == "hi\n", f"printed {run.printed!r}, should be 'hi\\n'")


_PRINT = """
    setp.ne.u32 %p1, %r2, 0; @%p1 bra END; mov.u64 %rd6, words; mov.u64 %rd7, 0;
    { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd6; st.param.b64 [b], %rd7; call (r), vprintf, (a, b); }
END:"""
_HEAP = """
    { .param .b64 a; .param .b64 r; st.param.b64 [a], 16; call (r), malloc, (a); ld.param.b64 %rd6, [r]; }
    st.global.u32 [%rd6+4], %r6; ld.global.u32 %r20, [%rd6+4];
    { .param .b64 a; st.param.b64 [a], %rd6; call free, (a); }"""
_POINTER = """
P: .callprototype (.reg .u32 _) _ (.reg .u32 _);
    mov.u64 %rd6, more; setp.gt.u32 %p1, %r2, 8; @%p1 mov.u64 %rd6, less; call (%r20), %rd6, (%r6), P;"""
_FUNCTIONS = """
.func (.reg .u32 y) more(.reg .u32 x) { add.u32 y, x, 100; ret; }
.func (.reg .u32 y) less(.reg .u32 x) { sub.u32 y, x, 1; ret; }"""
_GENERIC = """
    .shared .align 4 .b8 own[128]; mov.u32 %r7, own; shl.b32 %r8, %r2, 2; add.u32 %r7, %r7, %r8; st.shared.u32 [%r7], %r2;
    cvt.u64.u32 %rd6, %r7; cvta.shared.u64 %rd6, %rd6; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; cvta.global.u64 %rd4, %rd4;
    setp.lt.u32 %p1, %r2, 9; selp.b64 %rd6, %rd6, %rd4, %p1; ld.u32 %r20, [%rd6];"""
_NESTED = """
    setp.ne.u32 %p1, %r2, 0; @%p1 bra END; mov.u64 %rd6, child; mov.u32 %r7, 1; mov.u32 %r8, 8; mov.u32 %r9, 0;
    { .param .b64 f; st.param.b64 [f], %rd6; .param .align 4 .b8 g[12]; st.param.b32 [g+0], %r7; st.param.b32 [g+4], %r7;
      st.param.b32 [g+8], %r7; .param .align 4 .b8 b[12]; st.param.b32 [b+0], %r8; st.param.b32 [b+4], %r7; st.param.b32 [b+8], %r7;
      .param .b32 s; st.param.b32 [s], %r9; .param .b64 r;
      call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd7, [r]; }
    mov.u64 %rd8, 0; st.u64 [%rd7], %rd1;
    { .param .b64 f; st.param.b64 [f], %rd7; .param .b64 s; st.param.b64 [s], %rd8; .param .b32 r;
      call.uni (r), cudaLaunchDeviceV2, (f, s); ld.param.b32 %r10, [r]; }
END:"""
_CHILD = """
.extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 f, .param .b64 s);
.visible .entry child(.param .u64 out)
{ .reg .b32 %r<3>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
  add.u32 %r2, %r1, 7; st.global.u32 [%rd2], %r2; ret; }"""
_FETCH = """
    tex.1d.v4.u32.s32 {%r20, %r8, %r9, %r10}, [image, {%r6}];"""
_READ_ONLY = "    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; ld.global.nc.u32 %r20, [%rd4];"
_WIDE_MASK = "    setp.lt.u32 %p1, %r2, 9; mov.u64 %rd6, -1; vote.sync.ballot.b64 %rd7, %p1, %rd6; cvt.u32.u64 %r20, %rd7;"

# ------------------------------------------------------------------------------------------------------------- matrices
_NUMBERS = {  # type → words that hold 2, 3 and 5 in every element; of single bits: 1, and 0 or 1
    "f16": (0x40004000, 0x42004200, 0x45004500), "bf16": (0x40004000, 0x40404040, 0x40A040A0), "tf32": (0x40000000, 0x40400000, 0),
    "f32": (0x40000000, 0x40400000, 0x40A00000), "s8": (0x02020202, 0x03030303, 0), "u4": (0x22222222, 0x33333333, 0),
    "s32": (2, 3, 5)}


def _matrix(rows: int, depth: int, type: str, sum: str, tail: str = "") -> Probe:
    """Multiply a matrix of twos with one of threes and add fives: every layout of the elements gives the same."""
    bits = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u4": 4, "b1": 1, "f64": 64}[type]
    pairs = rows == 8 and type == "f16"                  # four products side by side
    a, b = (2, 2) if pairs else (max(1, rows * depth * bits // 1024), max(1, 8 * depth * bits // 1024))
    c = rows * 8 // 32 * (4 if pairs else 1)
    text = f"mma.sync.aligned.m{rows}n8k{depth}.row.col.{sum}.{type}.{type}.{sum}{tail}"
    if type == "f64":
        return _matrix_f64(text, rows * depth // 32, 8 * depth // 32, c, depth)
    c //= 2 if sum == "f16" else 1
    if type == "b1":                                     # ones with zeros differ everywhere, ones with ones agree
        words, total = (0xFFFFFFFF, 0 if "xor" in tail else 0xFFFFFFFF, 5), depth + 5
    else:
        words, total = (_NUMBERS[type][0], _NUMBERS[type][1], _NUMBERS[sum][2]), 6 * depth + 5
    result = {"s32": total, "f32": int(np.float32(total).view("u4")), "f16": int(np.float16(total).view("u2")) * 0x10001}[sum]
    moves = "".join(f"mov.b32 %{x}{k}, {word}; " for x, count, word in zip("abc", (a, b, c), words) for k in range(count))
    operands = ", ".join("{" + ", ".join(f"%{x}{k}" for k in range(count)) + "}" for x, count in zip("dabc", (c, a, b, c)))
    stores = "".join(f"st.global.b32 [%rd5+{4 * k}], %d{k}; " for k in range(c))
    registers = "".join(f".reg .b32 %{x}<16>; " for x in "abcd")
    return Probe(kernel(f"    {registers}\n    {moves}\n    {text} {operands};\n    mul.wide.u32 %rd3, %r6, {4 * c}; "
                        f"add.u64 %rd5, %rd1, %rd3; {stores}"), lambda i: np.full(len(i), result), repeats=c)


def _matrix_f64(text: str, a: int, b: int, c: int, depth: int) -> Probe:
    moves = "".join(f"mov.f64 %{x}{k}, 0d{word:016X}; " for x, count, word in (
        ("a", a, 0x4000000000000000), ("b", b, 0x4008000000000000), ("c", c, 0x4014000000000000)) for k in range(count))
    operands = ", ".join("{" + ", ".join(f"%{x}{k}" for k in range(count)) + "}" for x, count in zip("dabc", (c, a, b, c)))
    stores = "".join(f"st.global.f64 [%rd5+{8 * k}], %d{k}; " for k in range(c))
    registers = "".join(f".reg .f64 %{x}<16>; " for x in "abcd")
    words = np.float64(6 * depth + 5).reshape(1).view("u4")
    return Probe(kernel(f"    {registers}\n    {moves}\n    {text} {operands};\n    mul.wide.u32 %rd3, %r6, {8 * c}; "
                        f"add.u64 %rd5, %rd1, %rd3; {stores}"), lambda i: words[i & 1], repeats=2 * c)


def _group(depth: int, type: str, sum: str) -> Probe:
    """The same for a product of four warps, eight columns of it: the numbers lie in shared memory, twos and then threes."""
    words = {"f16": _NUMBERS["f16"], "e4m3": (0x40404040, 0x44444444, 0)}[type]
    total = int(np.float32(6 * depth + 5).view("u4"))
    last = ", 0, 0" if type == "f16" else ""
    body = f"""
    .shared .align 128 .b8 left[2048]; .shared .align 128 .b8 right[2048]; .reg .b32 %d<4>;
    mov.u32 %r7, left; mov.u32 %r8, right; shl.b32 %r9, %r2, 2; add.u32 %r10, %r7, %r9; add.u32 %r11, %r8, %r9;
    mov.u32 %r12, {words[0]}; mov.u32 %r13, {words[1]};
    """ + "".join(f"st.shared.u32 [%r10+{512 * k}], %r12; st.shared.u32 [%r11+{512 * k}], %r13; " for k in range(4)) + f"""
    shr.u32 %r7, %r7, 4; shr.u32 %r8, %r8, 4; cvt.u64.u32 %rd6, %r7; cvt.u64.u32 %rd7, %r8;
    or.b64 %rd6, %rd6, {8 << 16 | 16 << 32}; or.b64 %rd7, %rd7, {8 << 16 | 16 << 32}; setp.ge.u32 %p1, %r2, 0;
    mov.b32 %d0, {_NUMBERS["f32"][2]}; mov.b32 %d1, %d0; mov.b32 %d2, %d0; mov.b32 %d3, %d0;
    fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k{depth}.{sum}.{type}.{type} {{%d0, %d1, %d2, %d3}}, %rd6, %rd7, %p1, 1, 1{last};
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; mov.b32 %r20, %d0;"""
    return _own(body, expected=lambda i: i * 0 + total, threads=128, needs=frozenset({"matrix_warpgroup"}))


_TILE_LOAD = """
    .shared .align 16 .b8 tile[128]; mov.u32 %r7, tile; shl.b32 %r8, %r2, 2; add.u32 %r9, %r7, %r8; mov.u32 %r10, 0x00070007;
    st.shared.u32 [%r9], %r10; bar.sync 0; and.b32 %r11, %r2, 7; shl.b32 %r11, %r11, 4; add.u32 %r11, %r7, %r11;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r12}, [%r11]; movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r12;"""
_TILE_STORE = """
    .shared .align 16 .b8 tile[128]; mov.u32 %r7, tile; shl.b32 %r8, %r2, 2; add.u32 %r9, %r7, %r8; mov.u32 %r10, 0x00070007;
    and.b32 %r11, %r2, 7; shl.b32 %r11, %r11, 4; add.u32 %r11, %r7, %r11; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r11], {%r10};
    bar.sync 0; ld.shared.u32 %r20, [%r9];"""


def _sevens(threads):
    return threads * 0 + 0x00070007


PROBES: dict[str, Probe] = {
    "atomics_global": _total("red.global.add.u32 [%rd1], %r7;"), "atomics_global_64": _total("red.global.add.u64 [%rd1], %rd7;"),
    "atomics_minmax_64": Probe(kernel("    mov.u64 %rd7, 9; red.global.max.u64 [%rd1], %rd7;"), lambda i: np.where(i == 0, 9, 0)),
    "atomics_shared": _shared_total(32, "atom.shared.add.u32 %r10, [%r8], %r7"),
    "atomics_shared_64": _shared_total(64, "atom.shared.add.u64 %rd9, [%r8], %rd7"),
    "unified_addressing": _own(_GENERIC, expected=lambda i: np.where(i < 9, i, 3 * i + 1)),
    "device_print": Probe(kernel(_PRINT, ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                                         ".global .align 1 .b8 words[4] = {104, 105, 10, 0};"), ends=_printed),
    "device_heap": _own(_HEAP, ".extern .func (.param .b64 r) malloc (.param .b64 a); .extern .func free (.param .b64 a);",
                        expected=lambda i: i),
    "indirect_calls": _own(_POINTER, _FUNCTIONS, expected=lambda i: np.where(i > 8, i.astype("i4") - 1, i + 100)),
    "clock": _clock("clock", 32), "clock64": _clock("clock64", 64), "globaltimer": _clock("globaltimer", 64),
    "dynamic_parallelism": Probe(kernel(_NESTED, _CHILD), lambda i: np.where(i < 8, i + 7, 0), needs=frozenset({"unified_addressing"})),
    "cooperative_launch": _own("    mov.u32 %r20, %r6;", expected=lambda i: i, launch="cooperative"),
    "texture": _own(_FETCH, ".global .texref image;", expected=lambda i: 2 * i + 5, texture=2 * np.arange(THREADS, dtype="u4") + 5),
    "read_only_loads": _own(_READ_ONLY, expected=lambda i: 3 * i + 1),
    "lane_masks_64": _own(_WIDE_MASK, expected=None, needs=frozenset({"vote_ballot"})),
    "matrix": _matrix(8, 4, "f16", "f32"), "matrix_m16n8k8": _matrix(16, 8, "f16", "f32"), "matrix_tall": _matrix(16, 16, "f16", "f16"),
    "matrix_bf16": _matrix(16, 8, "bf16", "f32"), "matrix_tf32": _matrix(16, 4, "tf32", "f32"), "matrix_f64": _matrix(8, 4, "f64", "f64"),
    "matrix_f64_tall": _matrix(16, 4, "f64", "f64"), "matrix_int8": _matrix(8, 16, "s8", "s32"), "matrix_int4": _matrix(8, 32, "u4", "s32"),
    "matrix_bits": _matrix(8, 128, "b1", "s32", ".xor.popc"), "matrix_bits_and": _matrix(8, 128, "b1", "s32", ".and.popc"),
    "matrix_tiles": _own(_TILE_LOAD, expected=_sevens), "matrix_tiles_store": _own(_TILE_STORE, expected=_sevens),
    "matrix_warpgroup": _group(16, "f16", "f32"), "matrix_fp8": _group(32, "e4m3", "f32")}
"""Feature → a kernel that needs it."""

HINTS = frozenset({"read_only_loads"})
"""Features without which their instructions work too."""
