"""Every row of the instruction table lowers, in every form that it lists, and says what it needs."""
import pytest
from lowering import BODY_LINE, kernel, lowered, machine

from archdef.engine import lanes
from archdef.engine.program import LoadedProgram
from archdef.errors import MissingFeature, PtxError, UnsupportedInstruction
from archdef.lower import Options
from archdef.lower.select import BUILDERS
from archdef.ptx import table
from archdef.ptx.table import TABLE, Row
from archdef.spec.isa import FEATURES, OPERATION_CLASSES

KEEP = Options(drop_dead=False, propagate=False, straighten=False, predicate=False, coalesce=False)
REGISTERS = {"pred": "%p", "16": "%h", "32": "%r", "64": "%rd"}
OPERANDS = {
    "load": "{vector} [%rd1+16]", "store": "[%rd1+16] {vector}", "branch": "DONE", "branch_indexed": "%r1 TARGETS", "call": "helper",
    "copy_async": "[%r1] [%rd1] 16", "fence": "", "exit": "", "return": "", "trap": "", "generic_address": "%rd2 %rd3",
    "space_test": "%p1 %rd3", "elect": "%r1|%p1 -1", "bulk_copy": "{target} {source} 64{counted}", "barrier_cluster": "",
    "multimem_load": "{vector} [%rd1+16]", "multimem_store": "[%rd1+16] {vector}", "multimem_reduce": "[%rd1+16] {vector}",
    "store_async": "[%rd1+16] {vector} [%rd3]", "atomic_async": "[%rd1] {vector} [%rd3]", "kind_test": "%p1 %rd3",
}
SPECIFIC = {"alloca": "%rd1 %rd2", "lop3": "%r1 %r2 %r3 %r4 0x96", "nanosleep": "%r1", "applypriority": "[%rd1] 128",
            "discard": "[%rd1] 128", "prefetch": "[%rd1]", "prefetchu": "[%rd1]", "pmevent": "1", "fence": "",
            "griddepcontrol": "", "brkpt": "", "setmaxnreg": "40", "mxlanes": "32"}


def register(type: str, number: int) -> str:
    if type == "pred":
        return f"%p{number}"
    if type == "b128":
        return f"%rq{number}"
    bits = max(16, table.bits_of(type))
    if type in ("f32", "f64"):
        return f"%f{number}" if bits == 32 else f"%fd{number}"
    return f"{REGISTERS[str(bits)]}{number}"


def forms(row: Row):
    """Yield modifiers and types that together use every alternative of the row at least once."""
    base = [next(iter(g.meanings)) for g in row.groups if not g.optional]
    type_choices = [sorted(s) for s in row.type_sets]
    combinations = [()]
    for choice in type_choices:
        combinations = [(*c, t) for c in combinations for t in choice]
    for types in combinations:
        yield base, types
    first = tuple(choice[0] for choice in type_choices)
    for group in row.groups:
        spellings = list(group.meanings)
        if row.builder == "group_product" and group.name == "shape":      # one for each eight columns: some will do
            spellings = spellings[::15]
        others = [next(iter(g.meanings)) for g in row.groups if not g.optional and g is not group]
        for spelled in spellings:
            with_it = []        # a scope and an order go together
            if row.opcode == "multimem" and (group.name == "scope" or group.name == "order" and spelled != "weak"):
                with_it = ["sys" if group.name == "order" else "relaxed"]
            yield [*others, spelled, *with_it], first


def operands(row: Row, found: table.Match) -> str:
    if "tensormap::generic" in found.bound.values() and row.operand_list and row.opcode == "fence":
        return "[%rd1], 128"
    if row.builder in ("copy_group", "bulk_group", "group_of_products"):
        return "1" if "wait_group" in row.modifiers else ""
    if row.builder == "tensor_copy" or {"prefetch", "tensor"} <= set(row.modifiers.split()):
        return box(row, found)
    if row.opcode == "tensormap":
        value = {"global_address": "%rd2", "global_stride": "2, %rd2", "rank": "%r1"}.get(found.bound.get("field"), "1")
        value = f"2, {register('b32', 2)}" if found.bound.get("list") else value
        return "[%rd1], [%r1], 128" if row.builder == "map_copy" else f"[%rd1], {value}"
    if "prefetch" in row.modifiers.split():
        return "[%rd1], 64"
    if row.opcode in SPECIFIC:
        return ", ".join(SPECIFIC[row.opcode].split())
    if row.builder in OPERANDS:
        count = int((found.bound.get("vec") or "v1")[1:])
        names = [register(found.bound.get("type") or "b32", k + 4) for k in range(count)]
        vector = "{" + "$".join(names) + "}" if count > 1 else names[0]
        places = {"global": "[%rd1+16]"}
        text = OPERANDS[row.builder].replace("{vector}", vector).replace("{counted}", " [%r9]" if found.bound.get("done") else "")
        text += " %h5" if found.bound.get("multicast") else ""
        text = text.replace("{target}", places.get(found.bound.get("to"), "[%r1+16]")).replace("{source}", places.get(found.bound.get("from"), "[%rd2]"))
        return ", ".join(text.split()).replace("$", ", ")
    if row.builder.startswith(("texture", "surface")):
        return texturing(row, found)
    if row.builder == "group_product":
        return group_product(found)
    if row.builder.startswith(("matrix", "wmma")):
        return matrices(row, found)
    texts = []
    for k, (letter, type) in enumerate(found.operands):
        if row.builder == "video" and letter == "c" and row.opcode != "vmad" and not found.bound["second"]:
            continue
        if row.operand_list[k].optional and row.builder in ("barrier", "atomic", "phase_test") or row.builder == "barrier_reduce" and letter == "b":
            continue
        if row.builder in ("atomic", "copy_arrive", "phase", "phase_arrive", "phase_test") and letter == "a":
            texts.append("[%rd1]")
        elif row.builder == "atomic" and letter in "bd" and found.bound.get("vec"):
            texts.append("{" + ", ".join(register(type, 4 * (letter == "b") + n) for n in range(int(found.bound["vec"][1:]))) + "}")
        elif letter == "p":
            texts.append(f"%p{k + 1}")
        else:
            texts.append(register(type or "b32", k + 1))
    return ", ".join(texts)


def box(row: Row, found: table.Match) -> str:
    """Operands of a copy or prefetch by a tensor map."""
    bound, rank = found.bound, int(found.bound["rank"][0])
    where = "[%rd1, {" + ", ".join(f"%r{k + 10}" for k in range(rank)) + "}]"
    offsets = ", {" + ", ".join(f"%h{k + 1}" for k in range(rank - 2)) + "}" if bound["mode"] == "im2col" else ""
    last = (", %h5" if bound.get("multicast") else "") + (", %rd3" if bound["hint"] else "")
    if "prefetch" in row.modifiers.split():
        return where + offsets + last
    return f"{where}, [%r1]{last}" if bound["to"] == "global" else f"[%r1], {where}, [%r2]{offsets}{last}"


def texturing(row: Row, found: table.Match) -> str:
    """Operands of a texture or surface instruction."""
    bound = found.bound
    if row.builder == "texture_query":
        return "%r1, [%rd1]" + ", %r2" * ("level" in row.modifiers.split())
    words = {"1d": "x", "2d": "xy", "3d": "xyzz", "a1d": "lx", "a2d": "lxyy", "cube": "xyzz", "acube": "lxyz"}[bound["geometry"]]
    kind = bound.get("type2") or "s32"
    place = "[%rd1, {" + ", ".join(register("s32" if w == "l" else kind, k + 1) for k, w in enumerate(words)) + "}]"
    count = int((bound.get("vec") or "v1")[1:])
    values = "{" + ", ".join(register(bound["type"], k + 10) for k in range(count)) + "}"
    behind = {"level": ", %f20", "grad": ", {%f20, %f21}, {%f22, %f23}"}.get(bound.get("mip", ""), "")
    return f"{place}, {values}" if row.opcode in ("sust", "sured") else f"{values}, {place}{behind}"


def matrices(row: Row, found: table.Match) -> str:
    """Operands of a matrix instruction: so many registers as the PTX manual says."""
    bound, next_register = found.bound, iter(range(4, 60))

    def fragment(numbers: int, type: str) -> str:
        bits = {"f16": 16, "bf16": 16, "tf32": 32}.get(type) or int(type[1:])
        count = 8 if row.opcode == "wmma" and type == "f16" and numbers < 0 else max(1, abs(numbers) * bits // 32 // (64 if bits == 64 else 32))
        return "{" + ", ".join(("%fd" if bits == 64 else "%r") + str(next(next_register)) for _ in range(count)) + "}"

    if row.opcode == "movmatrix":
        return "%r4, %r5"
    if row.opcode in ("ldmatrix", "stmatrix"):
        registers = fragment(64 * int(bound["num"][1:]), "b16")
        return f"{registers}, [%r1]" if row.opcode == "ldmatrix" else f"[%r1], {registers}"
    m, n, k = (int(part) for part in bound["shape"][1:].replace("n", " ").replace("k", " ").split())
    if row.fn == "groups":          # four products have as many numbers
        m, n, k = 16, 16, 8
    numbers = {"a": -m * k, "b": -k * n, "c": m * n, "d": m * n}
    if "part" in bound:
        text = fragment(numbers[bound["part"]], bound["type"])
        return f"{text}, [%rd1], %r1" if bound["part"] != "d" else f"[%rd1], {text}"
    d, a, b, c = (bound.get(name, "") for name in ("type", "type2", "type3", "type4"))
    if not c:       # f16 multiplicands are not written
        a, b, c = "f16", "f16", a
    return ", ".join(fragment(numbers[x], type) for x, type in zip("dabc", (d, a, b, c)))


def group_product(found: table.Match) -> str:
    """Operands of a product of four warps, whose first factor lies in shared memory."""
    d, a = found.bound["type"], found.bound["type2"]
    count = int(found.bound["shape"][4:].partition("k")[0]) // (4 if d == "f16" else 2)
    last = ", 1, 1" if d != "s32" else ""
    last += ", 0, 0" if a in ("f16", "bf16") else ""
    return "{" + ", ".join(f"%r{k % 40 + 4}" for k in range(count)) + "}, %rd1, %rd2, %p1" + last


def usable(row: Row, modifiers, types) -> bool:
    """Leave out combinations that the manual excludes although each part is allowed."""
    if row.builder == "convert":
        to, from_ = types
        whole = bool({"rni", "rzi", "rmi", "rpi"} & set(modifiers))
        integer = to[0] in "us" and from_[0] in "fb"
        return whole or not integer
    if row.opcode in ("suld", "sust") and set(modifiers) & {"v4"} and types[0] == "b64":
        return False
    if row.opcode in ("ld", "st") and set(modifiers) & {"v4"} and types[0].endswith("64"):
        return False
    if row.opcode in ("ld", "st"):
        return not set(modifiers) & {"param", "param::entry", "param::func"}
    return True


def every_form():
    for number, row in enumerate(TABLE):
        seen = set()
        for modifiers, types in forms(row):
            key = (*modifiers, *types)
            if key not in seen and usable(row, modifiers, types):
                seen.add(key)
                yield pytest.param(row, key, id=f"{number}-{'.'.join((row.opcode, *key))}")
        assert seen or row.opcode == "cvt", row.form


@pytest.mark.parametrize("row, words", list(every_form()))
def test_every_form_of_every_row_lowers(row, words):
    found = table.find(row.opcode, words)
    assert found is not None
    extra = "\n.func helper() { ret; }\n"
    targets = "TARGETS: .branchtargets DONE;" if row.builder == "branch_indexed" else ""
    text = kernel(f"{targets}\n    {'.'.join((row.opcode, *words))} {operands(row, found)};\n    mov.u32 %r50, 0;\nDONE:", head=extra)
    program = lowered(text, options=KEEP)
    line = next(k for k, l in enumerate(text.splitlines(), 1) if l.startswith(f"    {row.opcode}."
                if words else f"    {row.opcode} "))
    made = [op for op in program.ops if program.statements[op["statement"]].line == line]
    dropped = row.builder in ("hint", "register_count", "branch", "barrier_warp", "lanes_needed")
    assert made or dropped
    LoadedProgram(program, 32, 3)  # the engine checks every operand and width


def test_convert_to_integer_covers_every_rounding():
    for mode in ("rni", "rzi", "rmi", "rpi"):
        for to in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
            for from_ in ("f16", "bf16", "f32", "f64"):
                d = register(to if to not in ("u8", "s8") else "u32", 1)
                program = lowered(kernel(f"cvt.{mode}.{to}.{from_} {d}, {register(from_, 2)};"), options=KEEP)
                assert len(program.ops) >= 2


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.form)
def test_rows_name_what_exists(row):
    assert row.builder in BUILDERS
    assert set(row.features.split()) <= set(FEATURES)
    for modifiers, types in forms(row):
        found = table.find(row.opcode, (*modifiers, *types))
        if found is not None and found.row is row and found.operation:
            assert found.operation in OPERATION_CLASSES
        if found is not None and found.row is row and row.builder == "alu":
            assert found.fn in lanes.alu_names()
        if found is not None and found.row is row and row.builder == "compare":
            assert found.fn in lanes.compare_names()


def test_no_form_matches_two_rows():
    for row in TABLE:
        for modifiers, types in forms(row):
            found = [other for other in table.ROWS[row.opcode] if other.bind(tuple(modifiers), types) is not None]
            assert found == [row], (row.form, modifiers, types, [f.form for f in found])


def test_modifier_order_does_not_matter():
    assert table.find("vote", ("sync", "ballot", "b32")).row is table.find("vote", ("ballot", "sync", "b32")).row
    assert table.find("atom", ("add", "release", "gpu", "global", "u32")).bound["space"] == "global"


def test_an_unknown_instruction_names_the_nearest():
    with pytest.raises(UnsupportedInstruction, match=r"k\.ptx:13:1: `prmtt\.b32` is not supported \(did you mean prmt\?\)") as caught:
        lowered(kernel("prmtt.b32 %r1, %r2, %r3, %r4;"))
    assert (caught.value.line, caught.value.text) == (BODY_LINE, "prmtt.b32 %r1, %r2, %r3, %r4;")


def test_an_unknown_form_names_the_nearest_form():
    with pytest.raises(UnsupportedInstruction, match=r"`add\.rna\.f32` is not supported; the nearest form known is "
                                                     r"`add\{\.rnd\}\{\.ftz\}\{\.sat\}\.f32`"):
        lowered(kernel("add.rna.f32 %f1, %f2, %f3;"))


def test_a_wrong_number_of_operands_is_an_error():
    with pytest.raises(PtxError, match="`add` takes 3 operands, got 2"):
        lowered(kernel("add.s32 %r1, %r2;"))


@pytest.mark.parametrize("instruction, feature", [
    ("add.f64 %fd1, %fd2, %fd3;", "fp64"), ("cvt.rn.f64.s32 %fd1, %r1;", "fp64"),
    ("fma.rn.f32 %f1, %f2, %f3, %f4;", "fp32_fma"), ("popc.b32 %r1, %r2;", "bit_operations"),
    ("shfl.sync.down.b32 %r1, %r2, 1, 31, -1;", "shuffle"), ("vote.sync.ballot.b32 %r1, %p1, -1;", "vote_ballot"),
    ("vote.sync.any.pred %p1, %p2, -1;", "vote"), ("match.any.sync.b32 %r1, %r2, -1;", "match"),
    ("bar.sync 1;", "barrier_count"), ("bar.sync 0, 64;", "barrier_count"), ("bar.red.popc.u32 %r1, 0, %p1;", "barrier_reduce"),
    ("atom.global.add.u32 %r1, [%rd1], %r2;", "atomics_global"), ("atom.global.add.u64 %rd2, [%rd1], %rd3;", "atomics_global_64"),
    ("atom.shared.add.u32 %r1, [%r3], %r2;", "atomics_shared"), ("atom.shared.cas.b64 %rd2, [%r3], %rd3, %rd4;", "atomics_shared_64"),
    ("red.global.add.f32 [%rd1], %f2;", "atomics_float_add"), ("red.global.add.f64 [%rd1], %fd2;", "atomics_double_add"),
    ("ld.u32 %r1, [%rd1];", "unified_addressing"), ("mov.u64 %rd1, %clock64;", "clock64"), ("mov.u32 %r1, %clock;", "clock"),
    ("mov.u64 %rd1, %globaltimer;", "globaltimer"), ("mov.u32 %r1, %lanemask_lt;", "vote_ballot"),
    ("call helper;", "device_calls"),
    ("shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "funnel_shift"), ("dp4a.s32.s32 %r1, %r2, %r3, %r4;", "int_dot"),
    ("add.f16 %h1, %h2, %h3;", "fp16"), ("fma.rn.f16x2 %r1, %r2, %r3, %r4;", "fp16"), ("set.eq.f16.s32 %h1, %r2, %r3;", "fp16"),
    ("fma.rn.bf16 %h1, %h2, %h3, %h4;", "bf16"), ("cvt.rn.bf16.f32 %h1, %f1;", "bf16"), ("cvt.rna.tf32.f32 %r1, %f1;", "tf32"),
    ("redux.sync.add.s32 %r1, %r2, -1;", "redux"), ("elect.sync %r1|%p1, -1;", "elect"), ("max.s16x2 %r1, %r2, %r3;", "int16x2"),
    ("atom.global.cas.b16 %h1, [%rd1], %h2, %h3;", "atomics_16"), ("red.global.add.noftz.f16x2 [%rd1], %r2;", "atomics_half_add"),
    ("red.global.add.noftz.bf16 [%rd1], %h2;", "atomics_bfloat_add"), ("red.global.v2.f32.add [%rd1], {%f1, %f2};", "atomics_vector"),
    ("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];", "texture_objects"),
    ("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];", "texture"),
    ("tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5}];", "texture_layered"),
    ("tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f5, %f5, %f5}];", "texture_cubemap"),
    ("tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f5}];", "texture_gather"),
    ("suld.b.1d.b32.trap {%r1}, [%rd1, {%r2}];", "surface"),
    ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];", "matrix"),
    ("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r1, %r2, %r3, %r4}, [%rd1];", "matrix_bf16"),
    ("wmma.load.b.sync.aligned.row.m16n16k8.tf32 {%r1, %r2, %r3, %r4}, [%rd1];", "matrix_tf32"),
    ("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd1], {%fd1, %fd2};", "matrix_f64"),
    ("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd5, %fd6}, {%fd7}, {%fd1, %fd2, %fd3, %fd4};",
     "matrix_f64_tall"),
    ("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r1, %r2};", "matrix_m16n8k8"),
    ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4, %r5, %r6}, {%r7, %r8}, {%r1, %r2};", "matrix_tall"),
    ("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7}, {%r1, %r2, %r3, %r4};", "matrix_tall"),
    ("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%r1, %r2}, {%r5}, {%r7}, {%r1, %r2};", "matrix_int8"),
    ("mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 {%r1, %r2}, {%r5}, {%r7}, {%r1, %r2};", "matrix_int4"),
    ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2}, {%r5}, {%r7}, {%r1, %r2};", "matrix_bits"),
    ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r1, %r2}, {%r5}, {%r7}, {%r1, %r2};", "matrix_bits_and"),
    ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "matrix_tiles"),
    ("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "matrix_tiles"),
    ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};", "matrix_tiles_store"),
    ("cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "fp8"), ("cvt.rn.f16x2.e5m2x2 %r1, %h1;", "fp8"),
    ("cvt.rn.satfinite.relu.e2m3x2.f32 %h1, %f1, %f2;", "fp4_fp6"), ("cvt.rn.f16x2.e3m2x2 %r1, %h1;", "fp4_fp6"),
    ("cvt.rn.satfinite.e2m1x2.f32 %h1, %f1, %f2;", "fp4_fp6"), ("cvt.rp.ue8m0x2.bf16x2 %h1, %r1;", "fp4_fp6"),
    ("setmaxnreg.inc.sync.aligned.u32 240;", "register_reallocation"), ("multimem.red.add.u32 [%rd1], %r1;", "multimem"),
    ("multimem.ld_reduce.add.acc::f16.e4m3x4 %r1, [%rd1];", "multimem_fp8"),
    ("prmt.b32 %r1, %r2, %r3, %r4;", "byte_permute"), ("mad.lo.cc.u32 %r1, %r2, %r3, %r4;", "carry_chain"),
])
def test_a_missing_feature_is_named_with_instruction_place_and_architecture(instruction, feature):
    text = kernel(instruction, head=".func helper() { ret; }")
    lowered(text, options=KEEP)
    with pytest.raises(MissingFeature) as caught:
        lowered(text, machine(without=[feature]))
    error = caught.value
    assert (error.feature, error.architecture, error.line) == (feature, "standin", BODY_LINE)
    for part in (f"k.ptx:{BODY_LINE}:", instruction.split()[0].rstrip(";"), feature, "standin"):
        assert part in str(error)


@pytest.mark.parametrize("instruction", ["vote.sync.ballot.b64 %rd1, %p1, -1;", "activemask.b64 %rd1;", "mov.u64 %rd1, %lanemask_lt;",
                                         "vote.sync.any.pred %p1, %p2, %rd1;"])
def test_masks_of_64_lanes_need_a_feature_where_there_are_so_many(instruction):
    text = kernel(instruction)
    lowered(text, machine(without=["lane_masks_64"], warp_size=32))
    lowered(text, machine(warp_size=64))
    with pytest.raises(MissingFeature, match="needs the feature lane_masks_64"):
        lowered(text, machine(without=["lane_masks_64"], warp_size=64))


def test_a_missing_feature_names_the_source_line():
    text = kernel("    .loc 1 42 0\n    popc.b32 %r1, %r2;") + '\n.file 1 "kernel.cu"\n'
    with pytest.raises(MissingFeature, match=r"`popc\.b32` \(from kernel\.cu:42\) needs the feature bit_operations"):
        lowered(text, machine(without=["bit_operations"]))


def test_hints_are_never_refused():
    bare = machine(without=FEATURES)
    for instruction in ("ld.global.nc.u32 %r1, [%rd1];", "ld.global.cg.u32 %r1, [%rd1];", "prefetch.global.L2 [%rd1];",
                        "nanosleep.u32 100;", "st.global.L1::no_allocate.u32 [%rd1], %r1;"):
        lowered(kernel(instruction), bare)


@pytest.mark.parametrize("feature, instruction", [
    ("fp32_tanh", "tanh.approx.f32 %f1, %f2;"), ("minmax_nan", "min.NaN.f32 %f1, %f2, %f3;"),
    ("minmax_xorsign", "max.ftz.xorsign.abs.f32 %f1, %f2, %f3;"), ("minmax_xorsign", "min.xorsign.abs.f16x2 %r1, %r2, %r3;"),
    ("fp16_minmax", "max.f16 %h1, %h2, %h3;"), ("fp16_minmax", "fma.rn.relu.f16 %h1, %h2, %h3, %h4;"),
    ("fp16_minmax", "cvt.rn.f16x2.f32 %r1, %f1, %f2;"), ("fp16_transcendental", "ex2.approx.f16 %h1, %h2;"),
    ("bit_masks", "bmsk.clamp.b32 %r1, %r2, %r3;"), ("convert_pack", "cvt.pack.sat.u16.s32 %r1, %r2, %r3;"),
    ("atomics_minmax_64", "red.global.max.u64 [%rd1], %rd2;"), ("atomics_minmax_64", "atom.global.or.b64 %rd2, [%rd1], %rd3;")])
def test_what_came_with_a_later_capability_is_a_feature_of_its_own(feature, instruction):
    lowered(kernel(instruction))
    with pytest.raises(MissingFeature, match=f"needs the feature {feature}"):
        lowered(kernel(instruction), machine(without=[feature]))


@pytest.mark.parametrize("instruction", [
    "min.ftz.f32 %f1, %f2, %f3;", "fma.rn.f16 %h1, %h2, %h3, %h4;", "cvt.rn.f16.f32 %h1, %f1;", "atom.global.add.u64 %rd2, [%rd1], %rd3;",
    "atom.global.cas.b64 %rd2, [%rd1], %rd3, %rd4;", "red.global.max.u32 [%rd1], %r2;", "ex2.approx.f32 %f1, %f2;"])
def test_what_came_before_needs_none_of_the_later_ones(instruction):
    lowered(kernel(instruction), machine(without=["fp32_tanh", "minmax_nan", "minmax_xorsign", "fp16_minmax", "fp16_transcendental",
                                                  "bit_masks", "convert_pack", "atomics_minmax_64"]))
