"""Is the code of a kernel as long as that of the assembler, and does its launch read as much of it from memory?"""
import csv

import archdef
import numpy as np
import pytest
from archdef_hopper_evidence.calibration import DATA, ptx
from archdef_hopper_evidence.nvrtc_2026_11_21a import NVRTC_2026_11_21A
from archdef_hopper_evidence.nvrtc_2026_11_21b import NVRTC_2026_11_21B
from archdef_hopper_evidence.nvrtc_2026_11_22a import NVRTC_2026_11_22A

SOURCES = {"calibration": lambda kernel: ptx(kernel, "ptx90"),
           **{one.name.replace("_", "-"): one.ptx for one in (NVRTC_2026_11_21A, NVRTC_2026_11_21B, NVRTC_2026_11_22A)}}
EMPTY = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }"


def test_code_is_as_long_as_the_assembler_makes_it():
    with (DATA / "code_sizes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))[::7]
    device = archdef.Device("h100")
    made = [device.compile(SOURCES[row["set"]](row["kernel"]))[row["kernel"]].program.code_bytes for row in rows]
    errors = np.array(made) / [int(row["code_bytes"]) for row in rows] - 1
    assert np.median(np.abs(errors)) < 0.07 and abs(np.median(errors)) < 0.05


def read_by(additions: int) -> int:
    """Bytes that a launch of a kernel with so many additions reads."""
    body = "{ .reg .u32 %r; mov.u32 %r, %tid.x;\n" + "add.u32 %r, %r, %r;\n" * additions + "st.shared.u32 [s], %r; ret; }"
    text = EMPTY.replace("{ ret; }", body).replace(".visible", ".shared .u32 s;\n.visible")
    return archdef.Device("h100").compile(text).k[1, 32]().launch_bytes_read


@pytest.mark.parametrize("more", [16, 160, 1600])
def test_a_launch_reads_its_code_in_whole_pieces(more):
    assert read_by(3 + more) - read_by(3) == 16 * more
    assert (read_by(3) - 72 * 32) % 256 == 0
    assert read_by(3 + more + 1) in (read_by(3 + more), read_by(3 + more) + 256)


def test_nothing_is_read_where_that_is_not_known():
    text = EMPTY.replace("7.5", "1.4").replace("75", "13").replace("64\n", "32\n")
    assert archdef.Device("gt200").compile(text).k[1, 32]().launch_bytes_read == 0
