"""Do handles of libraries that outlive a reset of their device give a status, instead of using memory that is no longer theirs?"""
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


def run(build, machine, tmp_path, what, devices):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("library_resets"), what], machine, devices, output)
        output.seek(0)
        return found, output.read().splitlines()


@pytest.mark.parametrize("machine", MACHINES)
def test_handles_end_with_what_their_device_had(build, machine, tmp_path):
    found, printed = run(build, machine, tmp_path, "one", 1)
    assert found.exit_code == 0
    assert printed == ["before 1000 1000", "dot 1 0", "older 1", "sparse 1", "solver 1", "dnn 1001", "random 101", "random_host 0", "plan 1",
                       "destroyed 0 0 0 0 0", "anew 1000 1000", "end 0 0"]
    assert sum("was made before device 0 was reset" in text for text in found.failures) == 6


@pytest.mark.parametrize("machine", MACHINES)
def test_what_a_library_has_on_another_device_ends_with_that(build, machine, tmp_path):
    found, printed = run(build, machine, tmp_path, "two", 2)
    assert found.exit_code == 0
    assert printed == ["plan 11", "plan 11", "plan 0", "sums 1000 1000", "destroyed 0 0"]
