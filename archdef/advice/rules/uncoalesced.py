"""Accesses of global memory whose lanes lie apart, so that a warp's request takes more transactions than its bytes need."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import percent, three

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

NAME: Final = "uncoalesced-access"
USED_PERCENT: Final = 75.0
"""Accesses of whose moved bytes more than this is used are in order, or off by a word or two."""


def find(run: Run) -> Iterator[Finding]:
    """Find lines whose requests move bytes that nobody asked for."""
    for line in run.lines:
        metrics = run.metrics_of(line.counters)
        for kind, name, requests in (("load", "gld", line.counters.global_loads), ("store", "gst", line.counters.global_stores)):
            used, apart = metrics[f"{name}_efficiency"], metrics[f"{name}_transactions_per_request"]
            if line.line and requests and used is not None and apart is not None and used < USED_PERCENT:
                yield _finding(run, line, kind, used, apart, requests)
                break


def _finding(run: Run, line: Cost, kind: str, used: float, apart: float, requests: int) -> Finding:
    words = run.architecture.words
    said = f"{three(apart)} transactions per {kind}, {percent(used)} of the bytes that they move are used"
    remedy = (f"let neighbouring threads of a {words.warp} {kind} neighbouring addresses: exchange which index runs along the row, "
              f"make an array of structures a structure of arrays, or move a tile through {words.shared} and {kind} it along rows")
    return Finding(NAME, Supposed("this access were coalesced", together=frozenset({(line.file, line.line)})),
                   {f"transactions_per_{kind}": apart, "bytes_used_percent": used, f"{kind}s": requests}, said, remedy, line)


RULE: Final = Rule(NAME, "Loads and stores of global memory whose lanes do not lie together.", find)
