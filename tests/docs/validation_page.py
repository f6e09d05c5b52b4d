"""Write docs/reference/validation.md, the tables of `archdef validate` for all installed architectures: ``python tests/docs/validation_page.py``.

It runs every reference case, the long ones too: some minutes on two cores.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from archdef import registry

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "validation.md"
TOP = """# How near each machine is

What `archdef validate ARCH` gives for every architecture that this repository ships, the long cases included; written by
`python tests/docs/validation_page.py`, which runs them all. *Equal* counts cases that must be exact, the error is the mean absolute relative
error of the others, with the worst of them; *order* counts pairs of cases that hardware tells apart and that come in its order here. Known
gaps are explained in each plugin's `DEVIATIONS.md`; how the errors came down is [a log](../explanation/fidelity.md). Figures that are in doubt count
in no error.
"""


def validated(name: str) -> dict:
    """Run the cases of an architecture; give its part of the report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([sys.executable, "-m", "archdef", "validate", name, "-j", "2", "-o", str(report)], check=False, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text(encoding="utf-8"))["architectures"][0]


def cells(summary: dict) -> list[str]:
    """Give what the tables say of one summary: equal, error, worst, order, known gaps."""
    def share(value):
        return "" if value is None else f"{100 * value:.1f} %"
    worst = summary["worst_error"]
    return [f"{summary['equal']:,} of {summary['exact']:,}" if summary["exact"] else "", share(summary["mape"]),
            f"{100 * worst:+.1f} %, {summary['worst'].partition('/')[2]}" if summary["mape"] is not None and worst is not None else "",
            f"{summary['ordered']:,} of {summary['pairs']:,}" if summary["pairs"] else "", str(summary["statuses"]["known gap"] or "")]


def line(*entries: str) -> str:
    """Make a row of a table."""
    return "| " + " | ".join(entries) + " |"


def page() -> str:
    """Make the page."""
    reports = {name: validated(name) for name in registry.names()}
    parts = [TOP, line("machine", "cases", "equal", "mean error", "worst", "order", "known gaps"), line(*["---"] * 7)]
    parts += [line(f"[{name}](#{name})", f"{report['summary']['ran']:,}", *cells(report["summary"])) for name, report in reports.items()]
    for name, report in reports.items():
        parts += ["", f"## {name}", "", registry.get(name).title, "", line("group", "what", "cases", "equal", "mean error", "worst", "order", "known gaps"),
                  line(*["---"] * 8)]
        parts += [line(group["name"], group["about"], f"{group['summary']['ran']:,}", *cells(group["summary"])) for group in report["groups"]]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
