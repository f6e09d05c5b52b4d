"""Every form of the instruction table that takes an address: whatever it is, the launch ends soon, in an answer or a fault, and no other memory changes."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

from archdef import registry

MACHINES = ("gt200", "k40", "v100", "h100", "c500")
SCRIPT = Path(__file__).with_name("wild_forms.py")
ENDS = {"ran", "bounds", "alignment", "read_only", "barrier_number", "branch_index", "bulk_size", "deadlock", "phase", "surface_alignment", "surface_bounds",
        "surface_format",
        "texture_handle", "texture_shape", "tensor_map", "call_target", "stack", "cluster_block", "part_of_warp", "part_of_group", "instructions", "cycles",
        "LaunchError"}
HARMLESS = {"hint", "policy", "generic_address", "space_test", "kind_test", "rank_of", "map_rank"}
"""Builders of forms that touch no memory at their address."""
LONGEST_S = 60.0
"""That a launch of 200,000 instructions at most may take, on a machine that does other things too."""
PARTS = 240


def check(machine: str, *portion) -> None:
    if machine not in registry.names():
        pytest.skip(f"{machine} is not installed")
    done = subprocess.run([sys.executable, str(SCRIPT), machine, *map(str, portion)], capture_output=True, text=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"ended with {done.returncode} in {lines[-1:]}\n{done.stderr[-2000:]}"
    tried = [(json.loads(what), came) for what, *came in lines]
    assert all(what["kept"] for what, _ in tried if "kept" in what), "memory that no kernel was given has changed"
    launches = [(what, *came) for what, came in tried if came]
    assert not [each for each in launches if each[1] not in ENDS]
    assert not [each for each in launches if float(each[2]) > LONGEST_S]
    assert launches or all("refused" in what for what, _ in tried)
    far = [(what, came) for what, came, _ in launches if what["far"] and what["address"] and what["builder"] not in HARMLESS and what["who"] == 0xFFFFFFFF]
    assert not [each for each in far if each[1] == "ran"], "an address of nothing was accessed"


@pytest.mark.parametrize("machine", ["gt200", "h100"])     # between them they have nearly every row
def test_no_row_accesses_an_address_of_nothing(machine):
    """A form that does nothing with its address is a row's mistake: this takes one form of each."""
    check(machine, "rows")


@pytest.mark.parametrize("machine", MACHINES)
def test_no_form_reaches_out_of_its_memory(machine):
    check(machine, 0, PARTS)


@pytest.mark.long
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("portion", range(1, PARTS))
def test_no_form_of_many_reaches_out_of_its_memory(machine, portion):
    check(machine, portion, PARTS)
