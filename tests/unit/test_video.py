"""Video instructions: the manual's own examples, an H200's results, and what is no form of them."""
import itertools
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from lowering import kernel, lowered
from run_ptx import machine, run

from archdef.errors import PtxError
from archdef.ptx.table import TABLE
from archdef.testing.forms import forms

MEASURED = Path(__file__).parents[1] / "hardware" / "data" / "video" / "h200.txt"
MEMORY = ["ld.param.u64 %rd0, [out];"]


def one(instruction, **registers):
    """Run one instruction on given registers; give %r10."""
    body = [*MEMORY, *(f"mov.b32 %{name}, 0x{value & 0xFFFFFFFF:x};" for name, value in registers.items()), instruction + ";",
            "st.global.b32 [%rd0], %r10;"]
    return int(run(kernel("\n".join(body)), np.zeros(1, "<u4"), block=1).reshape(-1)[0])


@pytest.mark.parametrize("instruction, a, b, c, expected", [
    ("vadd.s32.u32.s32.sat %r10, %r1.b0, %r2.h0", 0x80, 0x8000, 0, -0x7F80),
    ("vsub.s32.s32.s32.sat %r10, %r1.h1, %r2.h1", 0x7FFF0000, 0x80000000, 0, 0xFFFF),
    ("vabsdiff.s32.s32.s32.sat %r10.h0, %r1.b0, %r2.b2, %r3", 0x80, 0x7F0000, 0xAAAABBBB, 0xAAAA00FF),
    ("vmin.s32.s32.s32.sat.add %r10, %r1, %r2, %r3", -5, 3, 10, 5),
    ("vmax.u32.u32.u32.max %r10, %r1, %r2, %r3", 1, 2, 3, 3),
    ("vshl.s32.u32.u32.clamp %r10, %r1, %r2", 1, 33, 0, 0), ("vshl.s32.u32.u32.wrap %r10, %r1, %r2", 1, 33, 0, 2),
    ("vshr.s32.s32.u32.clamp %r10, %r1, %r2", -8, 40, 0, -1), ("vshr.u32.u32.u32.wrap %r10.b3, %r1, %r2, %r3", 0x1FF, 32, 5, 0xFF000005),
    ("vset.s32.u32.lt %r10, %r1, %r2", -1, 1, 0, 1), ("vset.u32.u32.ne.add %r10, %r1.b1, %r2.b1, %r3", 0x100, 0, 41, 42),
    ("vmad.s32.s32.u32.sat %r10, %r1, %r2, -%r3", -3, 5, 7, -22), ("vmad.u32.u32.u32.shr7 %r10, %r1.h0, %r2.h0, %r3", 128, 3, 0, 3),
    ("vmad.s32.u32.u32.shr15 %r10, -%r1, %r2, %r3", 1 << 15, 3, 0, -3), ("vmad.u32.u32.u32.po %r10, %r1, %r2, %r3", 2, 3, 4, 11)])
def test_scalars_follow_the_manual(instruction, a, b, c, expected):
    assert one(instruction, r1=a, r2=b, r3=c) == expected & 0xFFFFFFFF


@pytest.mark.parametrize("instruction, a, b, c, expected", [
    ("vadd2.s32.u32.u32.sat %r10.h1, %r1.h00, %r2.h21, %r3", 0x00017FFF, 0x00020001, 0xAAAABBBB, 0x7FFFBBBB),
    ("vadd4.u32.s32.s32 %r10.b31, %r1.b4321, %r2.b7654, %r3", 0x01020304, 0x10203040, 0, 0x50003200),
    ("vavrg2.s32.s32.s32 %r10, %r1, %r2, %r3", 0x0001FFFF, 0x0002FFFE, 0, 0x0002FFFE),
    ("vabsdiff4.u32.u32.u32.add %r10, %r1, %r2, %r3", 0x01020304, 0x04030201, 100, 108),
    ("vset4.u32.u32.gt.add %r10, %r1, %r2, %r3", 0x05010501, 0x02020202, 0, 2),
    ("vmin2.s32.s32.s32 %r10, %r1, %r2, %r3", 0x7FFF8000, 0x8000FFFF, 0, 0x80008000),
    ("vsub4.s32.u32.u32.sat %r10, %r1, %r2, %r3", 0x00FF0001, 0x01000002, 0, 0xFF7F00FF)])
def test_lanes_follow_the_manual(instruction, a, b, c, expected):
    assert one(instruction, r1=a, r2=b, r3=c) == expected


def measured():
    """Give what the H200 gave, by instruction; those that the manual has otherwise apart."""
    lines = [line.split(" | ") for line in MEASURED.read_text().splitlines() if line[0] != "#"]
    return {what[0]: what[1] for what in lines if not what[2:]}, {what[0] for what in lines if what[2:]}


def written(form):
    """The form's kernel, and the instruction in it, types first."""
    launch, words = form.launch(), (*form.types, *form.modifiers)
    right = form.name if form.row.opcode == "cvt" else ".".join((form.row.opcode, *words))
    text = launch.ptx.replace(form.name + " ", right + " ")
    return launch, text, next(line.strip(" ;") for line in text.splitlines() if right + " " in line)


ROWS = [row for row in TABLE if row.builder.startswith("video")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.opcode)
def test_an_h200_gives_the_same_but_where_it_departs_from_the_manual(row):
    same, otherwise = measured()
    tried = 0
    for form in forms([row]):
        launch, text, instruction = written(form)
        assert (instruction in same) != (instruction in otherwise), instruction
        if instruction in same:
            out = run(text, *launch.arguments, arch=machine(), grid=launch.grid[0], block=launch.block[0])[1]
            got = out.view("<u8").reshape(-1, 2)[:, 0].astype("<u4")
            assert f"{zlib.crc32(got.tobytes()):08x}" == same[instruction], instruction
            tried += 1
    assert tried


def test_most_forms_are_as_on_the_h200():
    same, otherwise = measured()
    lanes = [i for i in same if re.match(r"v\w+[24]\.", i)]
    assert (len(lanes), len(same) - len(lanes) - 8, len(otherwise)) == (384, 442, 111), "8 are conversions"
    assert not [i for i in otherwise if re.match(r"v\w+[24]\.", i)]


def test_a_constant_and_a_guard_are_fine():
    assert one("vadd.s32.s32.s32 %r10, %r1.b0, -5", r1=3) == -2 & 0xFFFFFFFF
    text = ("setp.ne.u32 %p1, %r1, 0;\nmov.b32 %r10, 9;\n@%p1 vadd.s32.s32.s32.add %r10, %r1, %r2, 1")
    assert [one(text, r1=a, r2=1) for a in (0, 4)] == [9, 6]


@pytest.mark.parametrize("instruction, complaint", [
    ("vadd.s32.s32.s32 %r10.b4, %r1, %r2, %r3", r"`\.b4` is no part that vadd takes"),
    ("vadd.s32.s32.s32 %r10, %r1.x, %r2", r"`\.x` is no part of a register"),
    ("vadd.s32.s32.s32 %r10, -%r1, %r2", "an operand of vadd cannot be negated"),
    ("vadd.s32.s32.s32 %r10, %r1, %r2, %r3", "a third operand belongs to a second operation, or to a part of the destination"),
    ("vadd.s32.s32.s32.add %r10, %r1, %r2", "needs a third operand"),
    ("vadd.s32.s32.s32.add %r10.b0, %r1, %r2, %r3", "exclude each other"),
    ("vmad.u32.u32.u32.po %r10, -%r1, %r2, %r3", "vmad.po takes no negated operand"),
    ("vmad.u32.u32.u32 %r10, -%r1, %r2, -%r3", "not both"),
    ("vmad.u32.u32.u32 %r10.b0, %r1, %r2, %r3", "the destination of vmad is a whole register"),
    ("vadd2.u32.u32.u32 %r10.h01, %r1, %r2, %r3", "the highest first"),
    ("vadd2.u32.u32.u32 %r10, %r1.h4, %r2, %r3", "no part of a register|2 digits from 0 to 3"),
    ("vadd4.u32.u32.u32 %r10, %r1.b01, %r2, %r3", "4 digits from 0 to 7"),
    ("vadd4.u32.u32.u32 %r10, %r1, %r2, %r3.b0", "takes its third operand whole"),
    ("add.s32 %r10, %r1.b0, %r2", "of a register is not supported")])
def test_what_is_no_form_is_an_error(instruction, complaint):
    with pytest.raises(PtxError, match=complaint):
        lowered(kernel(instruction + ";"))


def test_every_part_of_a_register_can_be_read_and_written():
    parts = {f"b{k}": (8 * k, 0xFF) for k in range(4)} | {f"h{k}": (16 * k, 0xFFFF) for k in range(2)}
    for (a, (shift, mask)), (d, (to, of)) in itertools.product(parts.items(), parts.items()):
        got = one(f"vadd.u32.u32.u32 %r10.{d}, %r1.{a}, 0, %r3", r1=0x89ABCDEF, r3=0x11111111)
        assert got == 0x11111111 & ~(of << to) | ((0x89ABCDEF >> shift & mask) & of) << to
