"""What the pages show is what their commands print."""
import re

import pytest
from page_output import ROOT, pages, printed, shown

from archdef import registry
from archdef.frontends import nvrtc

SHOWN = [(page, command, text) for page in pages() for command, text in shown(page)]
EXAMPLES = sorted(path.stem for path in (ROOT / "docs" / "examples").glob("*.py") if "archdef.examples.command" in path.read_text("utf-8"))
EVERY_PAGE = sorted((ROOT / "docs").rglob("*.md"))

made_by_nvrtc_11_8 = pytest.mark.skipif(str(nvrtc.toolchain()) != "NVRTC 11.8" or not registry.names(),
                                        reason="the pages show what the NVRTC wheel of archdef[cuda] makes of the kernels")


@made_by_nvrtc_11_8
@pytest.mark.parametrize("page, command, text", SHOWN, ids=[command for _, command, _ in SHOWN])
def test_a_page_shows_what_its_command_prints(page, command, text):
    assert printed(command) == text, f"refresh it with: python tests/docs/page_output.py {page.relative_to(ROOT)}"


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_has_a_page_that_is_listed(example):
    index = (ROOT / "docs" / "examples" / "README.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "examples" / f"{example}.md").is_file() and f"]({example}.md)" in index


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page):
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)\)", prose):
        assert target.startswith("http") or (page.parent / target).exists(), target
