"""Write the table of values by their evidence into docs/explanation/fidelity.md: ``python tests/docs/evidence_table.py``.

Beside today's counts stand those of commit 69779e9, as that version counted them (``tests/data/evidence_at_69779e9.json``).
"""
import json
from pathlib import Path

from archdef import registry
from archdef.spec import KINDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "fidelity.md"
THEN = ROOT / "tests" / "data" / "evidence_at_69779e9.json"
MARKS = "<!-- evidence -->\n", "<!-- end of evidence -->\n"
COLUMNS = (*KINDS, "not modelled")


def table() -> str:
    """Count the values of every machine that this repository ships: now, and then."""
    before = json.loads(THEN.read_text(encoding="utf-8"))
    rows = [f"| machine | {' | '.join(COLUMNS)} |", "|---" * (1 + len(COLUMNS)) + "|"]
    for name in registry.names():
        now, then = registry.get(name).evidence_counts(), before.get(name, {})
        rows.append(f"| `{name}` | " + " | ".join(f"{now.get(column, 0)}" + (f" ({then.get(column, 0)})" if then and column in KINDS else "")
                                                   for column in COLUMNS) + " |")
    return "\n".join(rows) + "\n"


def page() -> str:
    """The page with its table."""
    text = PAGE.read_text(encoding="utf-8")
    start, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    return text[:start] + table() + text[end:]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
