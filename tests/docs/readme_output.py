"""Put what the README's commands print into the README: ``python tests/docs/readme_output.py``."""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
OPTIONS = {"main": [], "program": ["--build", "--compiler nvrtc"]}
"""Command → what is said besides, so that all computers print the same."""


def printed(name: str) -> str:
    """Run a command, without its set-up, and give what it prints."""
    line = re.search(rf"<!-- command: {name} -->\n```sh\n(.*?)\n```", README.read_text(encoding="utf-8"))[1]
    sub_command, *words = shlex.split(line.rpartition("archdef ")[2])
    # -P: archdef as it is installed, not as it lies in this folder
    done = subprocess.run([sys.executable, "-P", "-m", "archdef", sub_command, *OPTIONS[name], *words], cwd=ROOT, env=os.environ | {"COLUMNS": "120"},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return "\n".join(text.rstrip() for text in done.stdout.rstrip().splitlines())


def _block(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- output: {name} -->\n)(?:```text\n.*?```\n)?", re.DOTALL)


def shown(name: str) -> str:
    """Give what the README shows."""
    block = _block(name).search(README.read_text(encoding="utf-8"))[0]
    return block.partition("```text\n")[2].rpartition("\n```")[0]


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    for each in OPTIONS:
        output = printed(each)
        text = _block(each).sub(lambda match, output=output: f"{match[1]}```text\n{output}\n```\n", text)
    README.write_text(text, encoding="utf-8")
