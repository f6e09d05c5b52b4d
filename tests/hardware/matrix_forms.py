"""Matrix instructions as kernels: a GPU and the engine run the same text.

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
"""Bits of a number in registers and memory."""

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


# ------------------------------------------------------------------------------------------- fragments, tiles and cycles
PARAMETERS = """.visible .entry @(.param .u64 pa, .param .u64 pd)
{
.reg .b64 %p<8>; .reg .b32 %r<40>; .reg .pred %q;
ld.param.u64 %p0, [pa]; ld.param.u64 %p1, [pd];
cvta.to.global.u64 %p0, %p0; cvta.to.global.u64 %p1, %p1;
mov.u32 %r0, %tid.x;
"""


class Load(NamedTuple):
    """A ``wmma.load`` of a dense matrix."""

    shape: tuple[int, int]
    bits: int
    registers: int
    layout: str

    @property
    def planes(self) -> int:
        """Loads that it takes to tell all numbers apart."""
        return -(-10 // self.bits)


def _loads() -> dict[str, Load]:
    found = {}
    for p in PRODUCTS.values():
        m, n, k = p.shape
        for (x, shape), layout in itertools.product(zip("abc", ((m, k), (k, n), (m, n))), ("row", "col") if p.layouts else ()):
            t = p.types["abc".index(x)]
            if BITS[t] >= 8 or layout == ("row" if x == "a" else "col"):
                found[load(p, x, layout)] = Load(shape, BITS[t], fragment_words(p, x), layout)
    return found


LOADS: dict[str, Load] = _loads()
"""Every ``wmma.load`` by its text."""


def load_kernel(text: str, entry: str) -> str:
    """PTX of a kernel of one warp that loads a fragment and stores its registers, 32 slots of 8 bytes each."""
    form = LOADS[text]
    lead = form.shape[1] if form.layout == "row" else form.shape[0]
    lines = [PARAMETERS.replace("@", entry) + f".reg .{'f64' if form.bits == 64 else 'b32'} %a<{form.registers}>;",
             f"{text} {_registers('a', form.registers)}, [%p0], {lead};", "mul.wide.u32 %p2, %r0, 8;", "add.u64 %p1, %p1, %p2;"]
    lines += [f"st.global.b{64 if form.bits == 64 else 32} [%p1+{256 * i}], %a{i};" for i in range(form.registers)]
    return "\n".join([*lines, "ret;", "}", ""])


def numbered(form: Load, plane: int) -> np.ndarray:
    """A matrix whose numbers are their places in memory, or part `plane` of them; bytes."""
    place = np.arange(form.shape[0] * form.shape[1], dtype=np.uint64)
    value = place >> np.uint64(form.bits * plane) & np.uint64((1 << min(form.bits, 63)) - 1)
    if form.bits >= 8:
        return value.astype(f"<u{form.bits // 8}").view(np.uint8)
    each = 8 // form.bits
    return (value.reshape(-1, each) << (form.bits * np.arange(each, dtype=np.uint64))).sum(-1).astype(np.uint8)


TILES: tuple[str, ...] = (*(f"{what}.sync.aligned.m8n8.x{n}{t}.shared.b16" for what in ("ldmatrix", "stmatrix") for n in (1, 2, 4)
                            for t in ("", ".trans")), "movmatrix.sync.aligned.m8n8.trans.b16")
"""Every load, store and move of tiles."""
TILE_BYTES = 512 + 4096
"""What a kernel of `tile_kernel` writes: four registers of a warp, and shared memory."""


def tile_kernel(text: str, entry: str) -> str:
    """PTX of a kernel of one warp: 32 addresses and 4 KiB come in; registers hold what lies at the lane's word of each 128 bytes."""
    lines = [PARAMETERS.replace("@", entry) + ".shared .align 16 .b32 sh[1024];", "mov.u32 %r10, sh;", "mul.wide.u32 %p2, %r0, 4;",
             "add.u64 %p0, %p0, %p2;", "add.u64 %p1, %p1, %p2;", "ld.global.b32 %r1, [%p0];", "add.u32 %r1, %r1, %r10;",
             "shl.b32 %r2, %r0, 2;", "add.u32 %r2, %r2, %r10;"]
    for i in range(32):
        lines += [f"ld.global.b32 %r3, [%p0+{128 + 128 * i}];", f"st.shared.b32 [%r2+{128 * i}], %r3;"]
    lines += ["bar.sync 0;", *(f"ld.shared.b32 %r{20 + i}, [%r2+{128 * i}];" for i in range(4))]
    used = "{" + ", ".join(f"%r{20 + i}" for i in range(int(text.split(".x")[1][0]) if ".x" in text else 1)) + "}"
    lines.append({"l": f"{text} {used}, [%r1];", "s": f"{text} [%r1], {used};", "m": f"{text} %r20, %r20;"}[text[0]])
    lines += ["bar.sync 0;", *(f"st.global.b32 [%p1+{128 * i}], %r{20 + i};" for i in range(4))]
    for i in range(32):
        lines += [f"ld.shared.b32 %r3, [%r2+{128 * i}];", f"st.global.b32 [%p1+{512 + 128 * i}], %r3;"]
    return "\n".join([*lines, "ret;", "}", ""])


ROUNDS, UNROLLED = 64, 8
"""A timed loop executes its products so many times."""


def chain_kernel(product: Product, entry: str, chains: int) -> str:
    """PTX of a kernel that times products, each adding to the result of an earlier one; every warp stores the cycles of start and end."""
    wide = BITS[product.types[0]] == 64
    kind, size = ("f64", 8) if wide else ("b32", 4)
    count = words if product.layouts is None else fragment_words
    na, nb, nc = (count(product, x) for x in "abc")
    lines = [PARAMETERS.replace("@", entry), f".reg .{kind} %a<{na}>, %b<{nb}>, %c<{nc * chains}>; .reg .b64 %t<2>;", "mul.wide.u32 %p2, %r0, 8;", "add.u64 %p3, %p0, %p2;"]
    named = [f"%{x}{i}" for x, n in (("a", na), ("b", nb), ("c", nc * chains)) for i in range(n)]
    lines += [f"ld.global.b{8 * size} {v}, [%p3+{8192 * (i % 64)}];" for i, v in enumerate(named)]
    step = []
    for chain in range(chains):
        c = "{" + ", ".join(f"%c{chain * nc + i}" for i in range(nc)) + "}"
        step.append(f"{product.instruction} {c}, {_registers('a', na)}, {_registers('b', nb)}, {c};")
    lines += ["mov.u32 %r1, 0;", *step, "bar.sync 0;", "mov.u64 %t0, %clock64;", f"{entry}_LOOP:", *step * UNROLLED, "add.u32 %r1, %r1, 1;",
              f"setp.lt.u32 %q, %r1, {ROUNDS};", f"@%q bra {entry}_LOOP;"]
    lines += [f"st.global.b{8 * size} [%p3+{8192 * chain}], %c{chain * nc};" for chain in range(chains)]
    lines.append("mov.u64 %t1, %clock64;")
    lines += [f"st.global.b{8 * size} [%p3+{8192 * (i % 64)}], %c{i};" for i in range(nc * chains)]
    return "\n".join([*lines, "shr.u32 %r2, %r0, 5;", "mul.wide.u32 %p4, %r2, 16;", "add.u64 %p1, %p1, %p4;",
                      "st.global.v2.b64 [%p1], {%t0, %t1};", "ret;", "}", ""])


_UNTIMED = "satfinite u8.s8 s8.u8 u4.s4 s4.u4 .rn .rz .rm .rp row.row col.col m8n8k4.col".split()
TIMED: tuple[str, ...] = tuple(n for n, p in PRODUCTS.items() if p.types[2] == p.types[3] and p.layouts in (None, ("row", "col"))
                               and not any(word in n for word in _UNTIMED))
"""Products of which a chain is timed."""
