"""No kernel, shipped or of a form of the instruction table, of which parts are exchanged brings the process down, or ends in anything but an answer or a named error."""
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("mutate.py")


def survives(seed: int, count: int) -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), str(seed), str(count)], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"ended with {done.returncode} in {lines[-1:]}\n{done.stderr[-2000:]}"
    came = [line.partition("\t")[2] for line in lines]
    assert len(came) == count and "" not in came
    assert count < 50 or {"ran", "bounds"} <= set(came), "the mutations are no test"


def test_mutated_kernels_end_in_an_answer_or_a_named_error():
    survives(0, 60)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 41000, 1000))
def test_many_mutated_kernels_end_in_an_answer_or_a_named_error(seed):
    survives(seed, 1000)
