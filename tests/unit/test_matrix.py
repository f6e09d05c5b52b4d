"""Matrix instructions: exact on whole numbers, fragments that come back as they were, costs as addresses say, and clear refusals."""
import itertools

import attrs
import numpy as np
import pytest
from lowering import kernel, lowered, micro_ops
from lowering import machine as standin
from run_ptx import machine, run

from archdef.engine import core
from archdef.errors import GuestFault, UnsupportedInstruction
from archdef.lower import lower
from archdef.pack import machine_tables
from archdef.ptx import parse
from archdef.spec import AlignedSum, ChainedSum, MatrixArithmetic

SHAPES = {"f16": ((16, 16, 16), (32, 8, 16), (8, 32, 16)), "tf32": ((16, 16, 8),), "f64": ((8, 8, 4),), "u4": ((8, 8, 32),),
          "b1": ((8, 8, 128),)}
SHAPES |= dict.fromkeys(("bf16", "u8", "s8"), SHAPES["f16"]) | {"s4": SHAPES["u4"]}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "b1": 1}
SUMS = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",)}
LAYOUTS = ("row", "col")


def extent(part, shape):
    m, n, k = shape
    return {"a": (m, k), "b": (k, n)}.get(part, (m, n))


def registers(part, shape, type):
    height, width = extent(part, shape)
    return 8 if type == "f16" and part in "ab" else max(1, height * width // 32 * BITS[type] // max(32, BITS[type]))


def loads(type):
    """Part and type of every fragment that a product of this type has."""
    return [("a", type), ("b", type), *(("c", t) for t in SUMS.get(type, ("s32",)))]


def encode(values, type, layout, lead):
    """Whole numbers in a matrix → memory, with `lead` numbers from one row, or column, to the next."""
    values = values if layout == "row" else values.T
    wide = np.zeros((len(values), lead), values.dtype)
    wide[:, :values.shape[1]] = values
    if type in ("bf16", "tf32"):
        bits = wide.astype("<f4").view("<u4")
        return (bits >> 16).astype("<u2") if type == "bf16" else bits
    if BITS[type] >= 8:
        return wide.astype({"f": f"<f{BITS[type] // 8}", "s": f"<i{BITS[type] // 8}", "u": f"<u{BITS[type] // 8}"}[type[0]])
    each = 8 // BITS[type]
    parts = (wide.reshape(len(wide), -1, each) & ((1 << BITS[type]) - 1)) << (BITS[type] * np.arange(each))
    return parts.sum(-1).astype("u1")


def decode(memory, type, layout, height, width, lead):
    values = memory.reshape(-1, lead)[:, :width if layout == "row" else height]
    return values if layout == "row" else values.T


def body(*lines, registers_of=()):
    declared = [f".reg .{'f64' if t == 'f64' else 'b32'} %{x}<{n}>;" for x, n, t in registers_of]
    return "\n".join(["ld.param.u64 %rd0, [out];", "ld.param.u64 %rd1, [x];", "ld.param.u64 %rd2, [y];", "ld.param.u64 %rd3, [z];",
                      "ld.param.u32 %r0, [w];", *declared, *lines])


TILE = ".shared .align 16 .b8 tile[1024];"
PARAMETERS = ".param .u64 out, .param .u64 x, .param .u64 y, .param .u64 z, .param .u32 w"


def text(*lines, registers_of=(), head=""):
    return kernel(body(*lines, registers_of=registers_of), PARAMETERS, head)


def fragment(x, count):
    return "{" + ", ".join(f"%{x}{i}" for i in range(count)) + "}"


WIDE = [(type, shape, part, held) for type, shapes in SHAPES.items() for shape in shapes for part, held in loads(type) if part == "c"]


@pytest.mark.parametrize("type, shape, part, held", WIDE, ids=lambda v: "x".join(map(str, v)) if isinstance(v, tuple) else str(v))
@pytest.mark.parametrize("layout, back", list(itertools.product(LAYOUTS, LAYOUTS)))
@pytest.mark.parametrize("stride", ["", "constant", "register"])
def test_a_fragment_comes_back_as_it_was_loaded(type, shape, part, held, layout, back, stride):
    m, n, k = shape
    lead = {"row": n, "col": m}
    if stride:
        lead = {x: y + 16 for x, y in lead.items()}
    source = np.random.default_rng(m).integers(0, 200, (m, n))
    count, size = registers("c", shape, held), f"m{m}n{n}k{k}"
    given = {"": "", "constant": f", {lead[layout]}", "register": ", %r0"}[stride]
    program = text(f"wmma.load.c.sync.aligned.{layout}.{size}.{held} {fragment('v', count)}, [%rd1]{given};",
                   f"mov.u32 %r0, {lead[back]};" if stride != "register" else "ld.param.u32 %r0, [w+4];",
                   f"wmma.store.d.sync.aligned.{back}.{size}.{held} [%rd0], {fragment('v', count)}{', %r0' * bool(stride)};",
                   registers_of=[("v", count, held)]).replace(".param .u32 w", ".param .b64 w")
    out, *_ = run(program, np.zeros((m if back == "row" else n) * lead[back], f"<u{BITS[held] // 8}"),
                  encode(source, held, layout, lead[layout]), np.zeros(1), np.zeros(1),
                  scalars=lead[layout].to_bytes(4, "little") + lead[back].to_bytes(4, "little"))
    left = decode(out, held, back, m, n, lead[back])
    assert np.array_equal(left, encode(source, held, "row", n).view(f"<u{BITS[held] // 8}"))


def product(type, shape, layouts, sums, space="", arithmetic=None, pad=0, seed=1):
    """Run a wmma product of small whole numbers; give the result and numpy's."""
    m, n, k = shape
    c_type, d_type = sums
    random = np.random.default_rng(seed)
    low, high = {"u": (0, 12), "s": (-8, 8), "b": (0, 2)}.get(type[0], (-8, 9)) if type != "bf16" else (-8, 9)
    a, b, c = random.integers(low, high, (m, k)), random.integers(low, high, (k, n)), random.integers(-50, 50, (m, n))
    lead = [(x.shape[1] if layout == "row" else x.shape[0]) + pad for x, layout in zip((a, b, c), (*layouts, "row"))]
    buffers = [encode(x, t, layout, ld) for x, t, layout, ld in zip((a, b, c), (type, type, c_type), (*layouts, "row"), lead)]
    counts = {x: registers(x, shape, t) for x, t in zip("abcd", (type, type, c_type, d_type))}
    size = f"m{m}n{n}k{k}"
    lines, places = [], ["%rd1", "%rd2", "%rd3"]
    if space == ".shared":
        for j, buffer in enumerate(buffers):
            words = buffer.nbytes // 4
            lines += ["mov.u32 %r20, %tid.x;", f"COPY{j}:", "mul.wide.u32 %rd10, %r20, 4;", f"add.u64 %rd11, %rd{j + 1}, %rd10;",
                      "ld.global.b32 %r21, [%rd11];", f"mad.lo.u32 %r22, %r20, 4, {8192 * j};", "mov.u32 %r23, tile;",
                      "add.u32 %r23, %r23, %r22;", "st.shared.b32 [%r23], %r21;", "add.u32 %r20, %r20, 32;",
                      f"setp.lt.u32 %p1, %r20, {words};", f"@%p1 bra COPY{j};", f"mov.u32 %r3{j}, tile;", f"add.u32 %r3{j}, %r3{j}, {8192 * j};"]
        lines.append("bar.sync 0;")
        places = ["%r30", "%r31", "%r32"]
    for x, t, layout, place, ld in zip("abc", (type, type, c_type), (*layouts, "row"), places, lead):
        lines.append(f"wmma.load.{x}.sync.aligned.{layout}.{size}{space}.{t} {fragment(x, counts[x])}, [{place}], {ld};")
    typed = f"{d_type}.{c_type}" if type == "f16" else f"{d_type}.{type}.{type}.{c_type}"
    head = ".xor.popc" if type == "b1" else ""
    operands = ", ".join(fragment(x, counts[x]) for x in "dabc")
    lines.append(f"wmma.mma{head}.sync.aligned.{'.'.join(layouts)}.{size}.{typed} {operands};")
    lines.append(f"wmma.store.d.sync.aligned.row.{size}.{d_type} [%rd0], {fragment('d', counts['d'])};")
    program = text(*lines, registers_of=[(x, counts[x], t) for x, t in zip("abcd", (type, type, c_type, d_type))],
                   head=".shared .align 32 .b8 tile[24576];" if space == ".shared" else "")
    arch = machine(**({"isa__matrix": arithmetic} if arithmetic else {}))
    kind = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "s32": "<i4"}[d_type]
    out, *_ = run(program, np.zeros(m * n, kind), *buffers, scalars=bytes(8), arch=arch)
    expected = a @ b + c if type != "b1" else (a[:, :, None] ^ b[None]).sum(1) + c
    return out.reshape(m, n), expected.astype(kind)


PRODUCTS = [(type, shape, layouts, (c, d)) for type, shapes in SHAPES.items() for shape in shapes
            for layouts in (itertools.product(LAYOUTS, LAYOUTS) if BITS[type] >= 8 else [("row", "col")])
            for c in SUMS.get(type, ("s32",)) for d in SUMS.get(type, ("s32",))]


@pytest.mark.parametrize("type, shape, layouts, sums", PRODUCTS, ids=lambda v: ".".join(map(str, v)) if isinstance(v, tuple) else v)
def test_products_of_whole_numbers_are_numpys(type, shape, layouts, sums):
    got, expected = product(type, shape, layouts, sums)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("type, shape, layouts, sums", [p for p in PRODUCTS if p[3][0] == p[3][1]],
                         ids=lambda v: ".".join(map(str, v)) if isinstance(v, tuple) else v)
@pytest.mark.parametrize("space", [".shared", ".global"])
def test_every_space_and_stride_gives_the_same(type, shape, layouts, sums, space):
    got, expected = product(type, shape, layouts, sums, space, pad=128 if BITS[type] < 8 else 16)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("rule", [AlignedSum(4, 23), AlignedSum(8, 24), AlignedSum(5, 21), AlignedSum(16, 30)], ids=str)
def test_whole_numbers_are_exact_however_a_machine_adds(rule):
    of_groups = attrs.evolve(rule, products=4)
    arithmetic = MatrixArithmetic(f16=rule, bf16=rule, tf32=rule, groups=of_groups, groups_f16=of_groups)
    for type in ("f16", "bf16", "tf32"):
        got, expected = product(type, SHAPES[type][0], ("row", "col"), ("f32", "f32"), arithmetic=arithmetic)
        np.testing.assert_array_equal(got, expected)


def row_times_ones(values, rule, addend=0.0):
    """One row of f16 numbers times ones, on a machine that adds by `rule`."""
    a = np.zeros((16, 16), "<f2")
    a[0] = values
    c = np.full((16, 16), addend, "<f4")
    program = text(f"wmma.load.a.sync.aligned.row.m16n16k16.f16 {fragment('a', 8)}, [%rd1];",
                   f"wmma.load.b.sync.aligned.row.m16n16k16.f16 {fragment('b', 8)}, [%rd2];",
                   f"wmma.load.c.sync.aligned.row.m16n16k16.f32 {fragment('c', 8)}, [%rd3];",
                   "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 " + ", ".join(fragment(x, 8) for x in "cabc") + ";",
                   f"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd0], {fragment('c', 8)};",
                   registers_of=[("a", 8, "f16"), ("b", 8, "f16"), ("c", 8, "f32")])
    arch = machine(isa__matrix=MatrixArithmetic(f16=rule, groups=ChainedSum(), groups_f16=ChainedSum()))
    return run(program, np.zeros(256, "<f4"), a, np.ones((16, 16), "<f2"), c, scalars=bytes(4), arch=arch)[0][0]


def test_a_sum_keeps_the_bits_that_the_description_says():
    small = [2.0**-12] * 4 + [0] * 12           # with 2**12 they lie 24 bits below its point
    assert row_times_ones(small, AlignedSum(16, 24), 2.0**12) == 2**12 + 2**-10
    assert row_times_ones(small, AlignedSum(16, 23), 2.0**12) == 2**12
    assert row_times_ones([-x for x in small], AlignedSum(16, 23), 2.0**12) == 2**12, "what is cut off is cut toward zero"
    assert row_times_ones(small, AlignedSum(4, 24), 2.0**12) == 2**12 + 2**-10


def test_a_block_of_products_is_rounded_before_the_next():
    values = [2.0**-12] * 8 + [0] * 8
    assert row_times_ones(values, AlignedSum(16, 26), 2.0**12) == 2**12 + 2**-9
    assert row_times_ones(values, AlignedSum(1, 26), 2.0**12) == 2**12, "single precision keeps none of them alone"
    assert row_times_ones(values, AlignedSum(4, 26), 2.0**12) == 2**12 + 2**-9


@pytest.mark.parametrize("values, addend, expected", [
    ([np.inf] + [0] * 15, -np.inf, np.nan), ([np.inf, -np.inf] + [0] * 14, 0, np.nan), ([-np.inf] + [1] * 15, 3, -np.inf),
    ([np.nan] + [0] * 15, 0, np.nan), ([0] * 16, np.inf, np.inf), ([-0.0] * 16, -0.0, 0.0)])
def test_infinities_and_nans_win(values, addend, expected):
    got = row_times_ones(values, AlignedSum(), addend)
    assert got.tobytes() == (np.float32(expected) if expected == expected else np.uint32(0x7FFFFFFF)).tobytes()


# ----------------------------------------------------------------------------------------------------------------- costs
def counters(program_text, shared=0, threads=32):
    arch = machine()
    program = lower(parse(program_text, "k.ptx"), "k", arch)
    memory = core.DeviceMemory(1 << 20)
    place = memory.allocate(1 << 16)
    simulation = core.Simulation(machine_tables(arch), program, memory, (1, 1, 1), (threads, 1, 1),
                                 place.to_bytes(8, "little") * 4 + bytes(8), shared, 1, max_instructions=10**6, max_cycles=10**7)
    while simulation.advance(1000):
        pass
    statements = simulation.result()["statements"]
    return {name: int(statements[name].sum()) for name in statements.dtype.names if statements[name].ndim == 1}


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("apart, passes", [(16, 1), (32, 2), (64, 4), (128, 8), (144, 1), (256, 8), (0, 1)])
def test_tiles_go_over_the_banks_one_by_one(count, apart, passes):
    lines = ["mov.u32 %r1, %tid.x;", f"mul.lo.u32 %r1, %r1, {apart};", "mov.u32 %r2, tile;", "add.u32 %r1, %r1, %r2;",
             f"ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {fragment('v', count)}, [%r1];",
             f"stmatrix.sync.aligned.m8n8.x{count}.shared.b16 [%r1], {fragment('v', count)};", "st.global.b32 [%rd0], %v0;"]
    found = counters(text(*lines, registers_of=[("v", count, "b16")], head=".shared .align 128 .b8 tile[16384];"))
    assert (found["shared_load_passes"], found["shared_load_groups"]) == (count * passes, count)
    assert (found["shared_store_passes"], found["shared_store_groups"]) == (count * passes, count)


@pytest.mark.parametrize("layout, lead, transactions", [("row", 16, 2), ("col", 16, 2), ("row", 64, 8), ("row", 1024, 8), ("col", 64, 8)])
def test_fragments_from_global_memory_make_a_transaction_for_each_line(layout, lead, transactions):
    # four loads, each of 8 rows (columns) of 16 bytes: those that share a line of 128 bytes go together
    lines = [f"wmma.load.a.sync.aligned.{layout}.m16n16k16.global.f16 {fragment('v', 8)}, [%rd1], {lead};", "st.global.b32 [%rd0], %v0;",
             *(f"st.global.b32 [%rd0], %v{k};" for k in (1, 2, 3))]
    found = counters(text(*lines, registers_of=[("v", 8, "f16")]))
    assert (found["global_loads"], found["global_load_transactions"]) == (4, 4 * transactions)


# -------------------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize("instruction", [
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];",
    "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd0], {%r1, %r2};",
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;"])
class TestWholeWarps:
    after = "st.global.b32 [%rd0], %r1;"

    def test_other_warp_sizes_are_refused(self, instruction):
        for lanes in (8, 16, 64):
            with pytest.raises(UnsupportedInstruction, match=f"warps of 32 lanes, those of standin have {lanes}"):
                lowered(text(instruction), standin(warp_size=lanes))

    @pytest.mark.parametrize("threads, branch, missing", [(16, "", 16), (32, "@%p1 bra AWAY;", 5)])
    def test_part_of_a_warp_is_a_fault(self, instruction, threads, branch, missing):
        program = text("mov.u32 %r40, %tid.x;", "setp.lt.u32 %p1, %r40, 5;", branch, instruction, self.after, "bar.warp.sync -1;", "AWAY:",
                       head=TILE)
        with pytest.raises(GuestFault, match=f"instruction of a whole warp that {missing} of its 32 lanes do not execute"):
            run(program, *[np.zeros(512)] * 4, scalars=bytes(4), block=threads, predicate=False)

    def test_no_lane_at_all_is_fine(self, instruction):
        run(text("setp.lt.u32 %p1, %r0, 0;", "@%p1 " + instruction, self.after), *[np.zeros(512)] * 4, scalars=bytes(4))


@pytest.mark.parametrize("address, complaint", [
    ("4096", "16 bytes at address 0x1000 are outside shared memory"), ("8", "not a multiple of the 16"),
    ("1016", "outside shared memory|not a multiple"), ("4294967288", "outside shared memory")])
@pytest.mark.parametrize("instruction", ["ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r9];",
                                         "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r9], {%r1, %r2};"])
def test_tiles_outside_shared_memory_are_a_fault(instruction, address, complaint):
    program = text("mov.u32 %r9, tile;", f"add.u32 %r9, %r9, {address};", instruction, "st.global.b32 [%rd0], %r1;", head=TILE)
    with pytest.raises(GuestFault, match=complaint):
        run(program, *[np.zeros(4)] * 4, scalars=bytes(4))


def test_a_generic_address_of_tiles_must_be_of_shared_memory():
    take = ["ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd5];", "st.global.b32 [%rd0], %r1;"]
    run(text("mov.u64 %rd6, tile;", "cvta.shared.u64 %rd5, %rd6;", *take, head=TILE), *[np.zeros(4)] * 4, scalars=bytes(4))
    with pytest.raises(GuestFault, match="outside shared memory"):
        run(text("mov.u64 %rd5, %rd1;", *take, head=TILE), *[np.zeros(4)] * 4, scalars=bytes(4))


def test_a_fragment_outside_global_memory_is_a_fault():
    program = text("wmma.load.c.sync.aligned.row.m16n16k16.f32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1], %r0;",
                   "st.global.v4.b32 [%rd0], {%r1, %r3, %r5, %r7};")
    run(program, *[np.zeros(128)] * 4, scalars=(16).to_bytes(4, "little"))
    for stride in (1 << 20, 0xFFFFFFFF, 0x40000000):
        with pytest.raises(GuestFault, match="outside global memory|not a multiple of the 8 bytes"):
            run(program, *[np.zeros(128)] * 4, scalars=stride.to_bytes(4, "little"))


@pytest.mark.parametrize("instruction", [
    "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %r5, 0, %p1, 1, 1, 0, 0;",
    "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1;",
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8}, {%r1, %r2, %r3, %r4}, %r9, 0;",
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};",
    "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];",
    "wmma.load.a.sync.aligned.col.m8n8k32.u4 {%r1}, [%rd1];",
    "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32 {%r1}, {%r2}, {%r3}, {%r4};"])
def test_what_is_left_out_is_a_clear_error(instruction):
    with pytest.raises(UnsupportedInstruction, match=r"k\.ptx:\d+:\d+: `.*` is not supported"):
        lowered(text(instruction))


@pytest.mark.parametrize("instruction, complaint", [
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5}, {%r6}, {%r1, %r2, %r3, %r4};",
     "operand a takes 2 registers"),
    ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%r1}, {%fd1, %fd2, %fd3};", "operand c takes 2 registers"),
    ("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r1, %r2}, [%rd1];", "the fragment takes 4 registers"),
    ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%rd1, %rd2}, [%r1];", "takes registers of 32 bits"),
    ("wmma.load.b.sync.aligned.col.m8n8k32.u4 {%r1}, [%rd1], 33;", "the stride must be a multiple of 2 numbers, got 33")])
def test_operands_that_do_not_fit_are_an_error(instruction, complaint):
    with pytest.raises(Exception, match=complaint):
        lowered(text(instruction))


def test_a_machine_that_does_not_say_how_it_adds_is_refused():
    with pytest.raises(UnsupportedInstruction, match=r"standin does not say how it adds up products of matrices \(isa\.matrix\.bf16\)"):
        lowered(text("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7}, {%r1, %r2, %r3, %r4};"),
                standin(matrix=MatrixArithmetic(f16=AlignedSum(), groups=ChainedSum(), groups_f16=ChainedSum())))


def test_constants_are_operands_of_products_like_registers():
    program = lowered(text("mov.u32 %r7, 0;", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                           "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r5}, {%r7, %r7, %r7, %r7};", "st.global.b32 [%rd0], %r1;"))
    assert any(op.startswith("matrix.f16.16x8x8") and op.endswith("0, 0, 0, 0") for op in micro_ops(program))

