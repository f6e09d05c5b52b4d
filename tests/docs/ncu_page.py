"""Write the tables of docs/howto/ncu.md: which metric is compared with what, and how near the H100 was.

python tests/docs/ncu_page.py         both; the second takes a minute
python tests/docs/ncu_page.py pairs   the first only
"""
import statistics
import sys
from pathlib import Path

from archdef import architecture
from archdef.ncu import PAIRS
from archdef.ncu.beside import NEAR

sys.path.append(str(Path(__file__).parents[1] / "ncu"))
from measured_launches import beside

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "ncu.md"
SHOWN = {"launch": ("gpc__cycles_elapsed.max", "sm__cycles_active.avg", "smsp__inst_executed.sum", "dram__bytes_read.sum", "sm__warps_active.avg.pct_of_peak_sustained_active")}
"""Metrics of which the table by launch has the difference."""


def pairs() -> str:
    """The map from Nsight Compute's metrics to archdef's figures."""
    rows = ["| Nsight Compute | archdef | unit | why they may differ |", "|---|---|---|---|"]
    return "\n".join([*rows, *(f"| {' + '.join(f'`{name}`' for name in pair.names)} | {pair.modelled} | {pair.unit} | {pair.why} |" for pair in PAIRS)]) + "\n"


def nearness(found) -> str:
    """How near the model was, by counter, over all launches."""
    rows = [f"| Nsight Compute | launches | within {NEAR} % | median | 90 % within | most, and where |", "|---|---|---|---|---|---|"]
    for pair in PAIRS:
        of_pair = [(one, row) for one in found for row in one.rows if row.pair is pair and (row.measured or row.modelled)]
        known = sorted(((abs(row.difference), one, row) for one, row in of_pair if row.difference is not None), key=lambda each: each[0])
        if not known:
            continue
        differences = [each[0] for each in known]
        worst, where, row = known[-1]
        most = f"{row.difference:+.1f} %, `{where.run.kernel}` {_size(where.run)}" if worst > NEAR else ""
        rows.append(f"| {' + '.join(f'`{name}`' for name in pair.names)} | {len(known)} | {sum(each <= NEAR for each in differences)} | "
                    f"{statistics.median(differences):.1f} % | {differences[max(0, -(-9 * len(differences) // 10) - 1)]:.1f} % | {most} |")
    return "\n".join(rows) + "\n"


def launches(found) -> str:
    """What was measured of each launch, and how far the model is from it."""
    names = SHOWN["launch"]
    rows = [f"| kernel | blocks | measured cycles | {' | '.join(f'`{name}`' for name in names)} |", "|---|---|---|" + "---|" * len(names)]
    for one in found:
        differences = [one[name].difference for name in names]
        rows.append(f"| `{one.run.kernel}` | {_size(one.run)} | {one[names[0]].measured:,.0f} | "
                    f"{' | '.join('' if each is None else f'{each:+.1f} %' if abs(each) >= 0.05 else 'equal' for each in differences)} |")
    return "\n".join(rows) + "\n"


def _size(run) -> str:
    return " x ".join(map(str, run.grid if run.grid[1] > 1 else run.grid[:1]))


def written(text: str, name: str, made: str) -> str:
    """Put what was made between the marks of a name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    assert begin in text and end in text, f"{PAGE} has no place for {name}"
    return text[:text.index(begin) + len(begin)] + made + text[text.index(end):]


def page(text: str, long: bool) -> str:
    """Give the page with its tables; `long`: also those that take launches."""
    text = written(text, "pairs", pairs())
    if long:
        found = beside(architecture("h100"))
        text = written(written(text, "nearness", nearness(found)), "launches", launches(found))
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), long="pairs" not in sys.argv[1:]), encoding="utf-8")
