"""Does CONTRIBUTING.md name what there is?"""
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FOLDERS = (ROOT, ROOT / "ext" / "archdef" / "engine", ROOT / "archdef" / "lower", ROOT / "plugins" / "archdef-turing",
           ROOT / "plugins" / "archdef-turing" / "src" / "archdef_turing", ROOT / "plugins" / "archdef-hopper-evidence",
           ROOT / "plugins" / "archdef-hopper-evidence" / "src" / "archdef_hopper_evidence")
"""Where a path of the page may start: the page says so of its tables and paragraphs."""
PATH = re.compile(r"[\w./-]+\.(?:py|pyx|pxd|md|toml|txt)|(?:[\w.-]+/)+|\.ci/run")
CODE = [word for span in re.findall(r"`([^`\n]+)`", TEXT) for word in span.split()]
PATHS = sorted({word for word in CODE if PATH.fullmatch(word)} | {link for link in re.findall(r"\]\(([^)#]+)\)", TEXT) if not link.startswith("http")})
COMMANDS = re.findall(r"`((?:pytest|python|archdef) [^`]+)`", TEXT)


def test_there_are_paths_and_commands():
    assert len(PATHS) > 60 and len(COMMANDS) > 8


@pytest.mark.parametrize("path", PATHS)
def test_a_path_of_the_page_is_there(path):
    assert any((folder / path).exists() for folder in FOLDERS), path


@pytest.mark.parametrize("command", COMMANDS)
def test_the_files_of_a_command_are_there(command):
    places = [word for word in command.split() if word.startswith("tests") or word.endswith(".py")]
    assert all((ROOT / place).exists() for place in places), command


def test_the_layers_are_those_that_are_checked():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
    layers = [name.strip() for layer in contract["layers"] for name in re.split("[|:]", layer)]
    listed = re.findall(r"^\| `archdef/(\w+)/` \|", TEXT, re.MULTILINE)
    assert len(listed) >= 8 and [name for name in layers if name in listed] == listed


def test_the_page_stays_short():
    assert len(TEXT.splitlines()) <= 152
