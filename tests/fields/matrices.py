"""Kernels around matrix instructions, which `archdef.testing.forms` has none for: products side by side and one after the other, tiles, meetings of four warps."""
import re

import numpy as np

from archdef.testing.compare import Launch
from archdef.testing.forms import Form

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "b1": 1}
WARPS, BYTES = 8, 32768
HEAD = """.version 8.6
.target sm_90a
.address_size 64
.shared .align 1024 .b8 sh[16384];
.visible .entry k(.param .u64 in, .param .u64 out)
{ .reg .pred %p<8>; .reg .b32 %a<8>, %b<8>, %c<256>, %r<16>; .reg .f64 %ad<8>, %bd<8>, %cd<32>; .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
  mov.u32 %r2, sh; shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; ld.global.v2.u32 {%r4, %r5}, [%rd1]; ld.global.v2.u32 {%r6, %r7}, [%rd1+4096];
  st.shared.v4.u32 [%r3], {%r4, %r5, %r6, %r7}; st.shared.v4.u32 [%r3+8192], {%r5, %r6, %r7, %r4}; bar.sync 0;
"""
BESIDE = "  add.u32 %r5, %r5, %r4; xor.b32 %r5, %r5, %r1;\n"


def _listed(prefix: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{first + k}" for k in range(count)) + "}"


def _words(type: str) -> np.ndarray:
    """Words of a type of numbers that differ by orders of magnitude, or at random."""
    rng = np.random.default_rng(7)
    numbers = (rng.uniform(-2, 2, BYTES // 2) * 2.0 ** rng.integers(-9, 4, BYTES // 2)).astype("f4")
    if type in ("f32", "tf32", "bf16"):
        bits = numbers[:BYTES // 4].view("u4")
        return bits if type != "bf16" else bits & np.uint32(0xFFFF0000) | np.roll(bits, 1) >> np.uint32(16)
    if type == "f64":
        return numbers[:BYTES // 8].astype("f8").view("u4")
    if type == "f16":
        return numbers.astype("f2").view("u4")
    return rng.integers(0, 1 << 32, BYTES // 4, dtype="u4") & np.uint32(0xBFBFBFBF if type in ("e4m3", "e5m2") else 0xFFFFFFFF)      # no NaNs


def _around(body: str, threads: int = 32 * WARPS, type: str = "u8") -> Launch:
    words = _words(type)
    return Launch(f"{HEAD}{body}  st.global.u32 [%rd2+4], %r5;\n  ret; }}\n", (words, np.zeros(BYTES // 4, "u4")), (1,), (threads,))


def product(form: Form) -> Launch:
    """Two products side by side, three times."""
    m, n, k = (int(number) for number in re.search(r"m(\d+)n(\d+)k(\d+)", form.name).groups())
    d, a, b, c = form.types
    copies = 4 if (m, k, a) == (8, 4, "f16") else 1
    count = {"d": m * n, "a": m * k, "b": k * n, "c": m * n}
    words = {x: max(1, copies * count[x] * BITS[t] // (32 * max(32, BITS[t]))) for x, t in zip("dabc", (d, a, b, c))}
    wide = "d" if d == "f64" else ""
    bits = f"b{64 if wide else 32}"
    step = 8 if wide else 4
    lines = [f"  ld.global.{bits} %{x}{wide}{i}, [%rd1+{8 * 256 + step * i}];\n" for x in "ab" for i in range(words[x])]
    most = max(words["c"], words["d"])
    lines += [f"  ld.global.{bits} %c{wide}{i}, [%rd1+{step * i}];\n" for i in range(2 * most)]
    for _ in range(3):
        for first in (0, most):
            lines.append(f"  {form.name} {_listed('c' + wide, first, words['d'])}, {_listed('a' + wide, 0, words['a'])}, {_listed('b' + wide, 0, words['b'])}, "
                         f"{_listed('c' + wide, first, words['c'])};\n")
        lines.append(BESIDE)
    lines += [f"  st.global.{bits} [%rd2+{8 * 256 * i}], %c{wide}{i};\n" for i in range(2 * most) if i < 12]
    return _around("".join(lines), type=a)


def tiles(form: Form) -> Launch:
    """Loads or stores of tiles by many warps, and what others make of them."""
    held, where = _listed("c", 0, int(form.bound["num"][1:])), "%r3" if form.bound.get("space") else "%rd6"
    lines = ["  cvt.u64.u32 %rd6, %r3; cvta.shared.u64 %rd6, %rd6;\n"]
    for _ in range(3):
        lines.append(f"  {form.name} {held}, [{where}]; xor.b32 %r5, %r5, %c0; and.b32 %r6, %c0, 255; add.u32 %r6, %r6, %r2; ld.shared.u8 %r7, [%r6]; "
                     "add.u32 %r5, %r5, %r7;\n" if form.row.builder == "matrix_load" else
                     f"  mov.u32 %c0, %r5; mov.u32 %c1, %r4; mov.u32 %c2, %r1; mov.u32 %c3, %r5; {form.name} [{where}], {held}; ld.shared.u32 %r7, [%r3]; "
                     "add.u32 %r5, %r5, %r7;\n")
        lines.append(BESIDE)
    return _around("".join(lines))


def transpose(form: Form) -> Launch:
    """Exchanges one after the other and side by side."""
    return _around(f"  {form.name} %c0, %r4; {form.name} %c1, %r1; xor.b32 %r5, %c0, %c1; {form.name} %c2, %c1; xor.b32 %r5, %r5, %c2;\n{BESIDE}" * 3)


_FENCE, _COMMIT, _WAIT = "wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned", "wgmma.wait_group.sync.aligned"


def products_of_four_warps(form: Form) -> Launch:
    """Products of two groups of four warps, some of them under way at a time; with a first factor from registers, too."""
    columns = int(re.search(r"n(\d+)k", form.name)[1])
    held = _listed("c", 0, columns // (4 if form.types[0] == "f16" else 2))
    last = {"f16": ", 1, 1, 0, 0", "bf16": ", 1, 1, 0, 0", "tf32": ", 1, 1", "e4m3": ", 1, 1", "e5m2": ", 1, 1"}.get(form.types[1], "")
    in_registers = f"  {form.name} {held}, {_listed('a', 0, 4)}, %rd5, %p1{last.removesuffix(', 0')};\n"
    in_memory = f"  {form.name} {held}, %rd4, %rd5, %p1{last};\n"
    before = ("  mov.u64 %rd4, 0x4000004000010000; mov.u64 %rd5, 0x4000004000010000; setp.ne.u32 %p1, %r1, 9999;\n" +
              "".join(f"  ld.global.b32 %a{k}, [%rd1+{8192 + 2048 * k}];\n" for k in range(4)) + "".join(f"  mov.b32 %c{k}, 0;\n" for k in range(columns // 2)))
    around = f"  {_FENCE};\n{{}}  {_COMMIT};\n{BESIDE}{'  ld.shared.u32 %r7, [%r3]; add.u32 %r5, %r5, %r7;' * 4}\n  {_WAIT} {{}};\n"
    return _around(before + around.format(in_memory * 2, 0) + around.format(in_registers, 1) + around.format(in_memory, 0) +
                   f"  {_FENCE};\n{in_memory}  {_COMMIT};\n{BESIDE * 80}  {_WAIT} 0;\n" +
                   "".join(f"  st.global.b32 [%rd2+{8 * 256 * i}], %c{i};\n" for i in range(columns // (4 if form.types[0] == "f16" else 2))[:12]), type=form.types[1])


def meeting_of_four_warps(form: Form) -> Launch:
    """Fences, ends of groups and waits, with nothing under way, and beside other operations."""
    text = f"  {form.name}{' 0' if 'wait_group' in form.modifiers else ''};\n{BESIDE}"
    return _around(text * 6)


KERNELS = {"matrix_product": product, "matrix_load": tiles, "matrix_store": tiles, "matrix_transpose": transpose,
           "group_product": products_of_four_warps, "group_of_products": meeting_of_four_warps}
"""Builder of a row → what makes a kernel of a form of it."""


def launch_of(form: Form) -> Launch | None:
    """Make the kernel of a form; None: there is no template for it."""
    return KERNELS[form.row.builder](form) if form.row.builder in KERNELS else form.launch()
