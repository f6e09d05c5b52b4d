"""Put what commands print into the pages under ``docs/``: ``python tests/docs/page_output.py [PAGE …]``.

A page names a command in a comment, ``<!-- output: archdef metrics -->`` or ``<!-- output: docs/examples/reduction.py -a g80 -->``; the
block of text behind it is what the command prints.
"""
import importlib.util
import re
import sys
from pathlib import Path

from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"(<!-- output: ([^\n]+?) -->\n)(?:```text\n(.*?)\n```\n)?", re.DOTALL)


def pages() -> list[Path]:
    """List the pages that show what a command prints."""
    return sorted(page for page in (ROOT / "docs").rglob("*.md") if _BLOCK.search(page.read_text(encoding="utf-8")))


def shown(page: Path) -> list[tuple[str, str]]:
    """Give the commands of a page with what it shows of them."""
    return [(match[2], match[3] or "") for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))]


def printed(command: str) -> str:
    """Run a command in this process and give what it prints."""
    name, *arguments = command.split()
    result = CliRunner().invoke(_main(name), arguments, catch_exceptions=False)
    if result.exit_code:
        raise RuntimeError(f"{command}: {result.output}")
    return "\n".join(line.rstrip() for line in result.output.splitlines())


def _main(name: str):
    if name == "archdef":
        from archdef.cli import main

        return main
    spec = importlib.util.spec_from_file_location(f"page_{Path(name).stem}", ROOT / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


def refresh(page: Path) -> None:
    """Write what the commands print today into the page."""
    text = page.read_text(encoding="utf-8")
    page.write_text(_BLOCK.sub(lambda match: f"{match[1]}```text\n{printed(match[2])}\n```\n", text), encoding="utf-8")


if __name__ == "__main__":
    for page in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        refresh(page)
        print(page.relative_to(ROOT))
