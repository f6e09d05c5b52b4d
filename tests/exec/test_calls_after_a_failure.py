"""Does a program get from every call what it would from CUDA, once one of its kernels has failed?"""
import re
from pathlib import Path

import pytest

from archdef import exec as programs
from archdef import registry

MEASURED = Path(__file__).parents[1] / "data" / "h100" / "calls_after_a_failure.txt"
MACHINE = next((name for name in ("h100", "v100", "gf100") if name in registry.names()), None)


@pytest.mark.skipif(MACHINE is None, reason="needs the plugins of this repository")
@pytest.mark.parametrize("kind", [0, 1], ids=["an illegal address", "a misaligned address"])
def test_every_call_gives_the_error_until_the_process_ends(build, kind, tmp_path):
    of_kind = MEASURED.read_text().split("-- kind ")[1 + kind].splitlines()[1:]
    expected = [re.sub(r"(\w+)(\(.*\))? +(\d+)", r"\1 \3", line) for line in of_kind]
    assert len(expected) > 50
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("after_failure", "driver"), str(kind)], MACHINE, 1, output)
        output.seek(0)
        assert output.read().splitlines() == expected
    assert found.exit_code == 0 and found.failed == 3       # the kernel, and the launches behind it and behind the reset
    assert len(found.failures) == 1 and not found.good      # told once
