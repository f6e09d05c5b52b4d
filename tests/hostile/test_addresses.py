"""Whatever address a kernel makes, it reads and writes what it was given, or ends in a fault that says so; the process and all memory stay whole."""
import json
import subprocess
import sys
from pathlib import Path

import pytest
from accesses import CALLS, FORMS, OTHERS

from archdef import registry

FAULTS = {"bounds", "alignment", "read_only"}
MACHINES = ("gt200", "k40", "v100", "h100", "c500")
"""Lanes with a stack and with counters of their own, 32 and 64 of them, and every instruction that accesses memory."""
PROBE = Path(__file__).with_name("probe.py")


def outcomes(machine: str, portion: int, of: int) -> list[tuple[dict, str]]:
    """What came of each form at each address, tried in another process."""
    done = subprocess.run([sys.executable, str(PROBE), machine, str(portion), str(of)], capture_output=True, text=True)
    assert done.returncode == 0, f"ended with {done.returncode} in {done.stdout.splitlines()[-1:]}\n{done.stderr[-2000:]}"
    return [(json.loads(line), found) for line, _, found in (line.partition("\t") for line in done.stdout.splitlines())]


def check(machine: str, portion: int, of: int) -> None:
    if machine not in registry.names():
        pytest.skip(f"{machine} is not installed")
    found = outcomes(machine, portion, of)
    assert all(tried["kept"] for tried, _ in found if "kept" in tried), "memory that no kernel was given has changed"
    missing = {tried["form"] for tried, _ in found if "missing" in tried}
    assert machine != "h100" or not missing
    assert len(missing) < (len(FORMS) + len(CALLS) + len(OTHERS)) * 2 // 3
    tries = [(tried, came) for tried, came in found if "expected" in tried]
    wrong = [(tried, came) for tried, came in tries if tried["expected"] != "any" and (came if came == "ran" else "fault" if came in FAULTS else came) != tried["expected"]]
    assert not wrong
    assert not [(tried, came) for tried, came in tries if came == "fault"], "faults that do not say of which kind they are"
    assert len(tries) >= 10000 // of


@pytest.mark.parametrize("machine", MACHINES)
def test_no_address_leads_out_of_memory(machine):
    check(machine, 0, 40)


@pytest.mark.long
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("portion", range(1, 40))
def test_no_address_of_many_leads_out_of_memory(machine, portion):
    check(machine, portion, 40)
