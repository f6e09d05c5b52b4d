"""Do programs that were compiled for CUDA run unchanged, on every kind of machine, however the runtime is linked?"""
import gzip
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "gf100", "k40", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


def run(command, machine, tmp_path, devices=1):
    """The account of a program, and what it printed."""
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(command, machine, devices, output)
        output.seek(0)
        return found, output.read()


@pytest.mark.parametrize("how", ["shared", "static"])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_program_runs_unchanged(build, machine, how, tmp_path):
    found, printed = run([build("vector_add", how), "3000"], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.failures == () and found.missing == {}
    (kernel,) = found.kernels
    assert kernel.kernel == "vector_add" and kernel.launches == 1 == found.launches
    assert kernel.longest.grid[0] == 12 and kernel.cycles == kernel.longest.cycles > 0
    assert {each.name: (each.copies, each.nbytes) for each in found.copies} == {"copy to device": (2, 24000), "copy to host": (1, 12000)}
    assert 0 < found.busy_s <= found.makespan_s


@pytest.mark.parametrize("how", ["loaded", "needed"])
def test_a_runtime_that_is_linked_into_a_library_is_found(build, how, tmp_path):
    found, printed = run([build("vector_add", how), "300"], "gt200", tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.launches == 1


@pytest.mark.parametrize("part", ["streams", "variables", "managed", "callbacks", "rows", "threads", "processes", "functions", "stream_attributes"])
@pytest.mark.parametrize("machine", [name for name in ("gt200", "v100", "c500") if name in MACHINES])
def test_a_part_of_the_runtime_does_what_it_shall(build, machine, part, tmp_path):
    found, printed = run([build("features"), part], machine, tmp_path, devices=2)
    assert printed == "PASSED\n" and found.exit_code == 0


@pytest.mark.parametrize("machine, prefers", [("v100", 2), ("gt200", 0)])
def test_what_a_program_prefers_of_l1_and_shared_memory_is_its_devices_own_where_both_share(build, machine, prefers, tmp_path):
    found, printed = run([build("features"), "settings"], machine, tmp_path, devices=2)
    assert printed == f"0 {prefers} 0\nPASSED\n" and found.missing == {}


@pytest.mark.parametrize("machine, binary", [("v100", 70), ("gt200", 13)])
def test_a_kernel_is_of_the_target_of_its_ptx(build, machine, binary, tmp_path):
    """CUB launches with the parameters that it was compiled with for this target, and refuses one for which it was not compiled."""
    _, printed = run([build("ptx_version")], machine, tmp_path)
    assert printed == f"20 {binary}\n"


def test_what_kernels_print_comes_where_the_program_has_got_to(build, tmp_path):
    _, printed = run([build("features"), "printing"], "gf100", tmp_path)
    assert printed == "before, within, behind\nPASSED\n"


@pytest.mark.parametrize("how, code", [("exit", 42), ("crash", -11)])
def test_exit_codes_and_signals_are_the_programs_own(build, how, code, tmp_path):
    found, _ = run([build("wrong"), how], "gt200", tmp_path)
    assert found.exit_code == code and found.kernels == ()


def test_programs_beside_each_other_share_nothing(build, tmp_path):
    def one(number):
        (tmp_path / str(number)).mkdir()
        return run([build("vector_add"), str(1000 + number)], "gt200", tmp_path / str(number))
    build("vector_add")
    with ThreadPoolExecutor(4) as pool:
        for number, (found, printed) in enumerate(pool.map(one, range(4))):
            assert printed == "PASSED\n" and found.copies[0].nbytes // found.copies[0].copies == 4 * (1000 + number)


def test_nothing_is_left_behind(build, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = subprocess.run([sys.executable, "-m", "archdef", "exec", "-a", "gt200", "--", build("vector_add")], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("PASSED\n") and list(tmp_path.iterdir()) == []


@pytest.mark.skipif("v100" not in MACHINES, reason="needs two machines")
def test_each_machine_gets_a_timeline_of_its_own(build, tmp_path):
    def of(*machines):
        given = [each for machine in machines for each in ("-a", machine)]
        done = subprocess.run([sys.executable, "-m", "archdef", "exec", *given, "--timeline", "all.json.gz", "--", build("vector_add")], cwd=tmp_path,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return {path.name: gzip.decompress(path.read_bytes()).decode() for path in tmp_path.iterdir()}
    assert set(of("gt200")) == {"all.json.gz"}
    (tmp_path / "all.json.gz").unlink()
    traces = of("gt200", "v100")
    assert set(traces) == {"all.gt200.json.gz", "all.v100.json.gz"}
    assert all("vector_add" in traces[f"all.{one}.json.gz"] and f'"{one}"' in traces[f"all.{one}.json.gz"] and f'"{other}"' not in traces[f"all.{one}.json.gz"]
               for one, other in (("gt200", "v100"), ("v100", "gt200")))


def test_a_program_that_is_not_there_is_said_to_be(tmp_path):
    with pytest.raises(programs.NotHere, match=r"nonesuch cannot be started: No such file"):
        programs.run([str(tmp_path / "nonesuch")], "gt200")


@pytest.mark.parametrize("machine", [name for name in ("gt200", "v100", "c500") if name in MACHINES])
def test_a_program_that_is_executed_only_is_right_and_has_no_times(build, machine, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("vector_add", "shared"), "3000"], machine, 1, output, functional=True)
        output.seek(0)
        assert output.read() == "PASSED\n"
    (kernel,) = found.kernels
    assert (found.exit_code, found.failures, found.launches, found.timed) == (0, (), 1, 0)
    assert (kernel.launches, kernel.timed, kernel.seconds, kernel.cycles, kernel.longest) == (1, 0, 0.0, 0, None)
    assert "0 of 1 launches timed" in " ".join(str(found).split()) and found.copies[0].seconds > 0
