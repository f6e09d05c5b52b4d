"""Does the account of a program say plainly what went on: where its slowest kernel spends its time, what failed, what moved?"""
import re

import pytest

import archdef
from archdef import exec as programs
from archdef import registry
from archdef.console import text
from archdef.exec.account import Account
from archdef.exec.tally import KernelTotal
from archdef.host import Span, Timeline

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
MANAGED = next((name for name in ("v100", "h100") if name in registry.names()), None)
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


def run(command, machine, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(command, machine, output=output)
        output.seek(0)
        return found, output.read()


def test_launches_that_fail_are_told_though_the_program_does_not_look(build, tmp_path):
    found, printed = run([build("accounts"), "ignored"], "gt200", tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}
    assert found.failed == found.to_dict()["failed"] == 4 and not found.good
    assert "exit code 0, but 4 launches failed" in text(found) and found.ended == "exit code 0, but 4 launches failed"
    refused = [failure for failure in found.failures if failure.startswith("cudaLaunchKernel")]
    assert len(refused) == 2 and all("scale" in failure for failure in refused) and any("faults" in failure for failure in found.failures)
    assert re.search(r"failed launches +4 +4", text(programs.Beside([found, found])))


def test_a_kernel_that_fails_is_told_once_and_is_not_nothing(build, tmp_path):
    """The call that meets the error says why, and the kernel's own report would say it again."""
    found, _ = run([build("accounts"), "fault"], "gt200", tmp_path)
    (failure,) = found.failures
    assert found.failed == 1 and failure.startswith("cudaDeviceSynchronize: kernel faults") and "launched nothing" not in text(found)


def test_a_program_whose_launches_all_end_well_is_good(build, tmp_path):
    found, _ = run([build("accounts"), "reset"], MANAGED, tmp_path)
    assert found.failed == 0 and found.good and found.ended == "exit code 0"


@pytest.mark.skipif(MANAGED is None, reason="needs managed memory")
def test_managed_memory_that_the_program_has_touched_moves_to_the_device_and_counts(build, tmp_path):
    found, printed = run([build("accounts"), "managed"], MANAGED, tmp_path)
    page = registry.get(MANAGED).host_link.managed.page_bytes
    assert printed == "PASSED\n" and found.missing == {}
    (moved,) = [copy for copy in found.copies if copy.name == "copy to device (managed)"]
    assert moved.nbytes == 2 * max(page, 1 << 12)
    spans = [span for span in found.timeline if span.name == moved.name]
    assert spans[0].nbytes == moved.nbytes and all(span.nbytes == 0 for span in spans[1:])


@pytest.mark.parametrize("machine", [name for name in ("k40", "v100", "h100") if name in registry.names()])
def test_managed_memory_is_there_again_when_a_device_was_reset(build, machine, tmp_path):
    found, printed = run([build("accounts"), "reset"], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0, found.failures


def test_timelines_of_several_processes_become_one():
    spans = [Timeline([Span("gizmo", "kernels", f"k{number}", "default", 0, 10 * number, kind="kernel")]) for number in (1, 2)]
    one, two = (Account(("./x",), "gizmo", 0, (), (), 0.0, 0.0, {}, (), tuple(spans[:count])).timeline for count in (1, 2))
    assert one is spans[0] and [span.place for span in two] == ["process 1: gizmo", "process 2: gizmo"] and len(two.of(kind="kernel")) == 2
    assert len(Account(("./x",), "gizmo", 0, (), (), 0.0, 0.0, {}, (), ()).timeline) == 0
