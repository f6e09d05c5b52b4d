"""Do the public names have types that a user's own program is checked against?"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from test_tools import ROOT, SCRIPTS

SCRIPT = Path(__file__).with_name("user_script.py")


def strict(text: str, folder: Path) -> list[str]:
    """What mypy --strict says of a program, by the source of archdef."""
    program = shutil.which("mypy", path=SCRIPTS)
    if program is None:
        pytest.skip(f"mypy is not installed in {SCRIPTS}; the extra 'test' brings it")
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run([program, "--strict", "--config-file=", "--follow-imports=silent", "--cache-dir", str(folder), str(file)], cwd=folder,
                          env=os.environ | {"MYPYPATH": str(ROOT)}, capture_output=True, text=True, timeout=600)
    return re.findall(r"^program\.py:(\d+: error: .*)$", done.stdout, re.MULTILINE) if done.returncode else []


def test_a_program_is_checked_strictly_and_its_mistakes_are_found(tmp_path):
    text = SCRIPT.read_text(encoding="utf-8")
    assert strict(text, tmp_path) == []
    lines = text.count("\n")
    found = strict(f"{text}run.cycels\nlater.cycles\nword: str = occupancy.active_blocks\narchdef.Device(3)\n", tmp_path)
    assert [int(line.partition(":")[0]) - lines for line in found] == [1, 2, 3, 4], "\n".join(found)
