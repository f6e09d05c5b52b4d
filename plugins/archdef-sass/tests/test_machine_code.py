"""Is code as long as the assembler's, loop by loop?

`machine_code.csv` has, by nvdisasm 12.4 of code by ptxas 11.8 and 13.0, the instructions of the kernels that an H100 was measured by (PTX of
archdef-hopper-evidence, for compute_75 and compute_90, with its ``.target`` lowered for older machines): of the whole kernel, routines that it calls included,
and of each loop, from the label that a branch goes back to, in the order of those branches. What stands behind a loop that is out of line counts to it.
"""
import csv
import re
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef.lower import lower
from archdef.ptx import parse

ROWS = list(csv.DictReader((Path(__file__).parent / "machine_code.csv").read_text().splitlines()))
MACHINES = [("a100", "sm_80", "11.8"), ("v100", "sm_70", "11.8"), ("h100", "sm_90", "13.0")]


def text_of(row) -> str:
    """Give the PTX of a kernel of the table."""
    evidence = pytest.importorskip("archdef_hopper_evidence.calibration")
    if row["set"] == "calibration":
        return evidence.ptx(row["kernel"], "ptx75")
    name = row["set"].replace("-", "_")
    module = pytest.importorskip(f"archdef_hopper_evidence.{name}")
    return getattr(module, name.upper()).ptx(row["kernel"])


def lengths(listing: str) -> tuple[int, list[int]]:
    """Give the instructions of a kernel, and of each of its loops, of the listing of its program."""
    rows = [(int(m[1]), int(m[3]), re.search(r"branch\S* -> (\d+)", m[2])) for m in re.finditer(r"(?m)^\s*(\d+)\s+\d+\s(.*) unit \d+ issues (\d+)", listing)]
    issues = {number: issue for number, issue, _ in rows}
    loops = [sum(issues.get(k, 0) for k in range(int(back[1]), number + 1)) for number, issue, back in rows if issue and back and int(back[1]) <= number]
    return sum(issues.values()), loops


@pytest.mark.parametrize("machine, target, version", MACHINES)
def test_loops_are_as_long_as_the_assembler_makes_them(machine, target, version):
    if machine not in archdef.architectures():
        pytest.skip(f"{machine} is not installed")
    architecture = archdef.architecture(machine)
    chosen = [row for row in ROWS if (row["target"], row["ptxas"]) == (target, version)][::6]
    alike, loops, whole = 0, [], []
    for row in chosen:
        text = text_of(row)
        made, mine = lengths(lower(parse(text, row["kernel"]), re.search(r"\.entry\s+(\w+)", text)[1], architecture).listing())
        theirs = [int(n) for n in row["loops"].split()]
        whole.append(made / int(row["instructions"]) - 1)
        if len(mine) == len(theirs):        # else one has unrolled a loop that the other has not
            alike += 1
            loops += [a / b - 1 for a, b in zip(mine, theirs, strict=True)]
    assert alike > 0.8 * len(chosen) and len(loops) > 40
    assert np.median(np.abs(loops)) < 0.07 and np.mean(np.abs(loops) < 0.1) > 0.6
    assert np.median(np.abs(whole)) < 0.1 and abs(np.median(whole)) < 0.06

