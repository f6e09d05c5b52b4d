"""Write docs/reference/runtime-calls.md: how many public programs use each function of CUDA's runtime and driver, and what `archdef exec` answers.

python tests/docs/calls_page.py
"""
import csv
import re
from collections.abc import Callable
from pathlib import Path

from archdef.exec import server
from archdef.exec.calls import CALLS, is_drivers

_ = server
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "runtime-calls.md"
DATA, DRIVER_DATA = (Path(__file__).with_name(f"{each}_calls.csv") for each in ("runtime", "driver"))
HEAD = """# Functions of CUDA's runtime and driver

<!-- written by tests/docs/calls_page.py -->

What [`archdef exec`](../howto/programs.md) answers, by how many programs of four public suites use each function. **answered**: it does what CUDA says, or refuses
arguments of which it says so. **refused**: always `cudaErrorNotSupported`, with the reason. **missing**: `cudaErrorNotSupported`, and the account names it.

A program is a folder of a suite, and uses a function whose name stands in its sources (`tests/docs/count_calls.py` counts; launches by `<<<…>>>` count as
`cudaLaunchKernel`). Functions that no program uses are not listed, of which {unused} are answered as well.
"""


DRIVER_HEAD = """
## Functions of the driver

Counted in the same way, and in the files of four packages for Python without the bindings that declare every function. Versions of a function (`cuMemAlloc_v2`)
count as one. Functions that no program uses are not listed, of which {unused} are answered as well.
"""


def state(name: str) -> str:
    """Say what happens to a call."""
    call = CALLS.get(name)
    return "missing" if call is None else "refused" if call.refused else "answered"


def driver_state(name: str) -> str:
    """Say what happens to a call of the driver's, by any of its versions."""
    states = {state(each) for each in (name, *(f"{name}_v{version}" for version in range(2, 5)))}
    return next(each for each in ("answered", "refused", "missing") if each in states)


def table(data: Path, state_of: Callable[[str], str]) -> tuple[list[str], set[str]]:
    """Give the lines of a table, and the functions that are in it."""
    with data.open(encoding="ascii", newline="") as file:
        (_, *suites), (_, *commits), (_, *programs), *rows = csv.reader(file)
    used = {name: [int(number) for number in counts] for name, *counts in rows}
    ranked = sorted(used, key=lambda name: (-sum(used[name]), name))
    states = {name: state_of(name) for name in ranked}
    uses = {each: sum(sum(used[name]) for name in ranked if states[name] == each) for each in ("answered", "refused", "missing")}
    lines = ["| suite | programs | commit |", "|---|---|---|",
             *(f"| {suite} | {count} | `{commit[:12]}` |" for suite, count, commit in zip(suites, programs, commits, strict=True)), "",
             f"Of {sum(uses.values()):,} uses, {uses['answered']:,} are of functions that are answered, {uses['refused']:,} refused, {uses['missing']:,} missing.", "",
             f"| function | programs | {' | '.join(suites)} | here |", f"|---|---|{'---|' * len(suites)}---|"]
    for name in ranked:
        counts = " | ".join(str(count or "") for count in used[name])
        lines.append(f"| `{name}` | {sum(used[name])} | {counts} | {states[name]} |")
    return lines, set(used)


def page() -> str:
    """Give the text of the page."""
    (runtime, used), (driver, used_of_driver) = table(DATA, state), table(DRIVER_DATA, driver_state)
    unused = sum(name.startswith("cuda") and not name.endswith(("_ptsz", "_ptds")) and name not in used and not call.refused for name, call in CALLS.items())
    plain = {re.sub(r"(_v\d)?(_pt[ds][sz])?$", "", name) for name, call in CALLS.items() if is_drivers(name) and not call.refused}
    return "\n".join([HEAD.format(unused=unused), *runtime, DRIVER_HEAD.format(unused=len(plain - used_of_driver)), *driver]) + "\n"


def main() -> None:
    """Write it."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
