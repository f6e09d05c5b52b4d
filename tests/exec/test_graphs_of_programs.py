"""Do programs that build, capture, change and launch graphs get what they would get on a device, and is every wrong call a status of its own?"""
import pytest
from fat import HEAD, binary, entry
from guest_kernels import KERNELS

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
STATUSES = """InvalidValue InvalidValue InvalidValue InvalidValue InvalidValue InvalidValue
InvalidValue InvalidValue InvalidDeviceFunction InvalidConfiguration NotSupported InvalidValue InvalidValue InvalidValue InvalidValue
Success InvalidValue Success InvalidValue InvalidResourceHandle InvalidValue Success InvalidValue Success InvalidValue InvalidValue
StreamCaptureUnsupported InvalidValue IllegalState
Success IllegalState StreamCaptureUnsupported StreamCaptureInvalidated StreamCaptureInvalidated
Success StreamCaptureUnsupported StreamCaptureInvalidated
Success StreamCaptureImplicit StreamCaptureInvalidated
Success Success Success Success CapturedEvent StreamCaptureInvalidated
Success Success Success Success StreamCaptureUnjoined Success"""
"""Of the calls of `wrong` in graphs.c, in their order."""


def run(command, machine, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(command, machine, output=output)
        output.seek(0)
        return found, output.read()


@pytest.mark.parametrize("part", ["built", "captured"])
@pytest.mark.parametrize("machine", MACHINES)
def test_graphs_do_their_work_in_order_at_each_launch(build, machine, part, tmp_path):
    found, printed = run([build("graphs"), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}
    assert found.launches == {"built": 12, "captured": 6}[part]


@pytest.mark.parametrize("machine", MACHINES)
def test_captured_copies_of_rows_read_and_write_the_program_at_each_launch(build, machine, tmp_path):
    found, printed = run([build("graphs"), "rows"], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures


@pytest.mark.parametrize("how", ["shared", "static"])
def test_each_wrong_call_about_graphs_gets_the_status_that_cuda_gives(build, how, tmp_path):
    _, printed = run([build("graphs", how), "wrong"], MACHINES[0], tmp_path)
    got = [line.removeprefix("cudaError").removeprefix("cuda") for line in printed.splitlines()]
    assert got == [*STATUSES.split(), "PASSED"]


@pytest.mark.parametrize("version, edges", [("8.0", False), ("9.0", True)])
def test_functions_take_what_the_cuda_that_compiled_the_program_declares(build, version, edges, tmp_path):
    code = binary(entry(HEAD.replace("6.0", version).encode()))
    _, printed = run([build("graphs_13", "shared", code, ("EDGES",) if edges else ())], MACHINES[0], tmp_path)
    assert printed == "PASSED\n"


@pytest.mark.parametrize("version, how, macros", [("8.0", "shared", ()), ("9.0", "shared", ("EDGES",)), ("8.0", "driver", ("DRIVER",))])
def test_nodes_of_all_kinds_are_made_of_one_structure(build, version, how, macros, tmp_path):
    code = binary(entry(KERNELS.replace(".version 6.0", f".version {version}").encode()))
    found, printed = run([build("nodes", how, code, macros)], MACHINES[-1], tmp_path)
    assert printed == "PASSED\n", found.failures


@pytest.mark.skipif("v100" not in MACHINES, reason="needs devices that share their addresses")
def test_memory_of_graphs_has_addresses_that_no_other_device_uses(build, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("graph_memory"), "apart"], "v100", devices=2, output=output)
        output.seek(0)
        assert output.read() == "PASSED\n" and found.exit_code == 0


@pytest.mark.parametrize("how, macros, part", [("shared", (), "built"), ("driver", ("DRIVER",), "built"), ("static", (), "captured")])
@pytest.mark.parametrize("machine", MACHINES)
def test_graphs_allocate_and_free_memory(build, machine, how, macros, part, tmp_path):
    found, printed = run([build("graph_memory", how, defined=macros), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}


def test_questions_about_captures_take_no_more_memory_with_every_one(build, tmp_path):
    found, printed = run([build("capture_lists")], MACHINES[0], tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}
