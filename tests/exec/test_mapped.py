"""Do kernels see memory of the host where the program has it, and nothing else of the program's?"""
import pytest

from archdef import exec as programs
from archdef import registry
from archdef.run.mapped import can_map, unified

MACHINES = [name for name in ("g80", "gt200", "gf100", "v100", "c500") if name in registry.names()]
SEEING = [name for name in MACHINES if can_map(registry.described(name))]
UNIFIED = [name for name in SEEING if unified(registry.described(name))]
pytestmark = pytest.mark.skipif(not SEEING, reason="needs the plugins of this repository")


def run(command, machine, tmp_path, devices=1):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(command, machine, devices, output)
        output.seek(0)
        return found, output.read()


@pytest.mark.parametrize("machine, part", [(machine, part) for machine in SEEING for part in (
    "allocated" if machine in UNIFIED else "elsewhere", "registers", "spins", "answers", "devices", "past_the_end", "not_locked", "given_back",
    "wrong")])
def test_a_part_does_what_it_shall(build, machine, part, tmp_path):
    found, printed = run([build("mapped"), part], machine, tmp_path, 2 if part == "devices" else 1)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}
    assert set(found.mapped) == {"registers": {"scale", "faults"}, "answers": {"waits"}, "wrong": set()}.get(
        part, {"scale"} if part in ("allocated", "elsewhere") else {"faults"})
    assert ("Bytes over links" in str(found)) == (part != "wrong")


@pytest.mark.parametrize("machine", UNIFIED)
def test_the_account_says_how_many_bytes_crossed_the_link(build, machine, tmp_path):
    found, _ = run([build("mapped"), "allocated"], machine, tmp_path)
    scale, = found.kernels
    assert (scale.link_bytes_read, scale.link_bytes_written) == (2 * 512 * 4,) * 2      # two launches of 512 words
    assert "scale 4,096 read, 4,096 written" in str(found)
    assert found.to_dict()["kernels"][0]["link_bytes_read"] == 4096


@pytest.mark.parametrize("machine, part", [(machine, part) for machine in SEEING for part in (
    "allocated" if machine in UNIFIED else "elsewhere", "spins", "answers")])
def test_kernels_that_the_program_waits_for_are_timed_in_any_case(build, machine, part, tmp_path):
    """They and the program may wait for each other, which only a device does whose time goes on with the host's."""
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("mapped"), part], machine, 1, output, functional=True)
        output.seek(0)
        assert output.read() == "PASSED\n" and found.exit_code == 0
    assert found.timed > 0


@pytest.mark.parametrize("machine", UNIFIED)
def test_memory_that_both_see_is_an_end_of_copies_in_any_direction(build, machine, tmp_path):
    found, printed = run([build("mapped"), "directions"], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0


@pytest.mark.parametrize("machine", sorted(set(MACHINES) - set(SEEING)))
def test_a_machine_whose_kernels_do_not_see_it_says_so(build, machine, tmp_path):
    found, printed = run([build("mapped"), "refused"], machine, tmp_path)
    assert printed == "PASSED\n" and any("neither unified_addressing nor host_link.mapped" in text for text in found.failures)
