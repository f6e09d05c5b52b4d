"""Write the table of conformance checks into docs/howto/conformance.md: ``python tests/docs/checks_table.py``."""
import re
from pathlib import Path

from archdef.testing.checks import CHECKS

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "conformance.md"


def table() -> str:
    """Make the table from the checks' docstrings."""
    rows = [f"| `{check.name}` | {check.proves} |" for check in CHECKS]
    return "\n".join(["| check | what it proves |", "|---|---|", *rows])


def shown() -> str:
    """Give the table that the page shows."""
    return re.search(r"<!-- checks -->\n(.*?)\n?\Z", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1].strip()


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[:text.index("<!-- checks -->")] + "<!-- checks -->\n" + table() + "\n", encoding="utf-8")
