"""Write docs/reference/validation.md, the tables of `archdef validate` for all installed architectures: ``python tests/docs/validation_page.py``.

It runs every reference case, the long ones too: most of an hour for an H100, minutes for all others. Of machines whose report ``archdef validate NAME -o
REPORT.json`` has written, ``python tests/docs/validation_page.py REPORT.json ...`` takes that.
"""
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from archdef import registry
from archdef.validate import EXACT, document

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "validation.md"
TOP = """# How near each machine is

What `archdef validate ARCH` gives for every architecture that this repository ships, the long cases included; written by
`python tests/docs/validation_page.py`. *Equal* counts cases that must be exact, the error is the mean absolute relative
error of the others, with the worst of them; *order* counts pairs of cases that hardware tells apart and that come in its order here. Known
gaps are explained in each plugin's `DEVIATIONS.md`; how the errors came down is told [in short](../explanation/fidelity.md). Figures that are in doubt count
in no error. A published curve, a [ladder](../howto/validate.md#ladders), counts once.

**Unfitted** cases only judge the model. To **fitted** ones something of the description was fitted, or is the figure itself, or that is not known
([how that is told](../howto/validate.md#fitted-or-judged)); that they come out says little.
"""


def validated(name: str) -> dict:
    """Run the cases of an architecture; give its part of the report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([sys.executable, "-m", "archdef", "validate", name, "-j", "2", "-o", str(report)], check=False, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text(encoding="utf-8"))["architectures"][0]


def read(paths: list[str]) -> dict[str, dict]:
    """Give the parts of reports that were written before, by machine. Reports of another format are refused."""
    found = {}
    for path in paths:
        report = json.loads(Path(path).read_text(encoding="utf-8"))
        if report["format"] != document(())["format"]:
            raise SystemExit(f"{path}: format {report['format']} is not this version's; write it again")
        found |= {architecture["name"]: architecture for architecture in report["architectures"]}
    return found


def share(value: float | None) -> str:
    """Show a relative error."""
    return "" if value is None else f"{100 * value:.1f} %"


def cells(summary: dict) -> list[str]:
    """Give what the tables say of one summary: equal, error, worst, order, known gaps."""
    worst = summary["worst_error"]
    return [f"{summary['equal']:,} of {summary['exact']:,}" if summary["exact"] else "", share(summary["mape"]),
            f"{100 * worst:+.1f} %, {summary['worst'].partition('/')[2]}" if summary["mape"] is not None and worst is not None else "",
            f"{summary['ordered']:,} of {summary['pairs']:,}" if summary["pairs"] else "", str(summary["statuses"]["known gap"] or "")]


def near(found: dict) -> list[str]:
    """Give how near fitted or unfitted cases come: cases, mean, median, worst."""
    if not found["cases"]:
        return [""] * 4
    return [f"{found['cases']:,}", share(found["mean"]), share(found["median"]), f"{100 * found['worst_error']:+.1f} %, {found['worst'].replace('/', ': ', 1)}"]


def expected(reports: dict[str, dict]) -> str:
    """Say in a sentence what to expect of a figure that nothing was fitted to: over the unfitted cases of all machines, a ladder as one."""
    found, points = [], {}
    for name, report in reports.items():
        for case in report["cases"]:
            if not case["fitted"] and case["usable"] and case["tolerance"] != EXACT and case["model"] is not None:
                (points.setdefault((name, case["ladder"]), []) if case["ladder"] else found).append(abs(case["error"]))
    found += [statistics.fmean(errors) for errors in points.values()]
    judged = sum(bool(report["unfitted"]["cases"]) for report in reports.values())
    return (f"The {len(found):,} unfitted cases of {judged} machines are off by {share(statistics.fmean(found))} on average, "
            f"{share(statistics.median(found))} in the median. Of {len(reports) - judged} machines there is no unfitted case.")


def line(*entries: str) -> str:
    """Make a row of a table."""
    return "| " + " | ".join(entries) + " |"


def page(paths: list[str]) -> str:
    """Make the page."""
    at_hand = read(paths)
    reports = {name: at_hand.get(name) or validated(name) for name in registry.names()}
    parts = [TOP, expected(reports), "", line("machine", "unfitted", "mean", "median", "worst", "fitted", "mean", "median", "worst"), line(*["---"] * 9)]
    parts += [line(f"[{name}](#{name})", *near(report["unfitted"]), *near(report["fitted"])) for name, report in reports.items()]
    parts += ["", line("machine", "cases", "equal", "mean error", "worst", "order", "known gaps"), line(*["---"] * 7)]
    parts += [line(f"[{name}](#{name})", f"{report['summary']['ran']:,}", *cells(report["summary"])) for name, report in reports.items()]
    for name, report in reports.items():
        parts += ["", f"## {name}", "", registry.get(name).title, "", line("group", "what", "cases", "equal", "mean error", "worst", "order", "known gaps"),
                  line(*["---"] * 8)]
        parts += [line(group["name"], group["about"], f"{group['summary']['ran']:,}", *cells(group["summary"])) for group in report["groups"]]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(sys.argv[1:]), encoding="utf-8")
