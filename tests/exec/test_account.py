"""Does the account of a program say plainly which line of what its slowest kernel spends its time at?"""
import re

import pytest

import archdef
from archdef import registry
from archdef.console import text
from archdef.exec.account import Account
from archdef.exec.tally import KernelTotal

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
KERNEL = """.version 6.0
.target sm_20
.address_size 64
.file 1 "sums.cu"
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    .loc 1 7 5
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1;
    ret;
}
"""


def told(ptx):
    device = archdef.Device("gt200")
    run = device.compile(ptx).k[4, 128](device.zeros(512, "u4"))
    total = KernelTotal("k", run.architecture.label, 1, 1, run.elapsed_s, run.cycles, run)
    return text(Account(("./sums",), run.architecture.label, 0, (total,), (), 1e-6, 1e-6, {}, (), ()))


def test_a_line_of_ptx_is_said_to_be_one_and_how_to_get_the_sources():
    said = told("\n".join(line for line in KERNEL.splitlines() if ".loc" not in line and ".file" not in line))
    assert re.search(r"^k: line [67] of its PTX  (ld\.param|add)\.u64 ", said, re.MULTILINE) and said.count("nvcc -lineinfo") == 1 and "<ptx>" not in said


def test_a_line_of_the_source_is_named_with_its_file():
    said = told(KERNEL)
    assert "\nk: sums.cu:7" in said and "PTX" not in said and "-lineinfo" not in said
