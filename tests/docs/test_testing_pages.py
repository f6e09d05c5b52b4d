"""The pages on testing show what works: their files are run, their options exist, and every check is listed."""
import importlib.metadata
import re
from pathlib import Path

import pytest
from checks_table import shown, table

import archdef.testing.choosing
import archdef.testing.conformance       # noqa: F401
from archdef import registry
from archdef.frontends import nvrtc

pytest_plugins = "pytester"
HOWTO = Path(__file__).parents[2] / "docs" / "howto"
INSTALLED = any(point.value == "archdef.testing.plugin" for point in importlib.metadata.entry_points(group="pytest11"))
FILES = {name: text for page in ("test-a-kernel.md", "conformance.md") for name, text in re.findall(
    r"<!-- file: (\S+) -->\n```python\n(.*?)```", (HOWTO / page).read_text(encoding="utf-8"), re.DOTALL)}
pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None or not {"g80", "gt200", "c500"} <= set(registry.names()),
                                reason="needs the NVRTC wheel and the plugins of this repository")


@pytest.fixture
def run(pytester):
    def run(name, *options, text=None):
        pytester.makepyfile(**{name.removesuffix(".py"): text or FILES[name]})
        return pytester.runpytest_inprocess(*([] if INSTALLED else ["-p", "archdef.testing.plugin"]), "-p", "no:cacheprovider",
                                            "--strict-markers", "-v", *options, name)
    return run


def test_the_kernel_test_of_the_page_passes_everywhere(run):
    result = run("test_scale.py")
    shuffles = [n for n in registry.names() if "shuffle" in registry.get(n).isa.features and registry.get(n).warp.size == 32]
    result.assert_outcomes(passed=len(registry.names()) + len(shuffles))
    result.stdout.fnmatch_lines(["test_scale.py::test_scale[[]g80] PASSED*", "test_scale.py::test_scale[[]gt200] PASSED*"])


def masked(text: str) -> str:
    """Leave the numbers of cycles out: whoever improves the timing model need not come by."""
    return re.sub(r"(cycles|_dependency|pipe_busy|not_selected|branch) +[\d,]+|[\d,]+ cycles", r"\1 #", text)


def test_a_failure_shows_what_the_page_shows(run):
    wrong = FILES["test_scale.py"].replace("np.float32(3)", "np.float32(4)")
    output = run("test_scale.py", "--archdef-arch=gtx280", "-k", "test_scale", text=wrong).stdout.str()
    page = (HOWTO / "test-a-kernel.md").read_text(encoding="utf-8")
    (block,) = [text for text in re.findall(r"```text\n(.*?)```", page, re.DOTALL) if "launch 1 of 1" in text]
    for line in masked(block).splitlines()[1:]:
        assert line.strip() == "..." or line in masked(output), line


def test_each_mark_of_the_page_finds_architectures(run):
    result = run("test_marks.py")
    assert result.ret == 0
    for letter in "abcdefg":
        result.stdout.fnmatch_lines([f"test_marks.py::test_{letter}[[]*] PASSED*"])


def test_the_conformance_class_of_the_page_is_collected(run):
    assert run("test_gizmo.py", "-k", "evidence").assert_outcomes(passed=1) is None


def test_every_check_is_listed_with_what_it_proves():
    assert shown() == table(), "refresh it with: python tests/docs/checks_table.py"


@pytest.mark.parametrize("page", ["test-a-kernel.md", "conformance.md"])
def test_options_of_the_pages_exist(page, run):
    known = set(re.findall(r"--archdef-\w+", run("test_marks.py", "--help").stdout.str()))
    assert set(re.findall(r"--archdef-\w+", (HOWTO / page).read_text(encoding="utf-8"))) <= known
