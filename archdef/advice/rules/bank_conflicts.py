"""Accesses of shared memory that meet in a bank, and the padding that keeps them apart.

A row of so many words that gets one word more moves every further row by a bank. That is what a machine does whose banks are numbered so, and on it the launch
runs again: the padding that is named has been seen to help.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

import attrs

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.errors import ArchdefError
from archdef.formatting import three
from archdef.spec.fields import integer
from archdef.spec.policy import BankMap

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

NAME: Final = "bank-conflicts"
NOTABLE: Final = 1.05
"""Passes over the least of them by this factor are worth a look."""
ROWS: Final = (16, 32, 64, 128, 256)
"""Words of a row that are tried. Rows of other lengths meet in banks less, and shorter ones are no rows of a warp."""
MOST_ACCESSES: Final = 200_000
"""Warp accesses of a launch up to which paddings are tried: a machine whose banks are numbered by Python takes some microseconds for each."""


@attrs.frozen
class PaddedRows(BankMap):
    """Banks of words as they are when each row has one word more. No description names it: no machine has it."""

    short_name: ClassVar[str] = "padded_rows"

    row_words: int = integer(at_least=1, default=32)
    """Words of a row."""

    def banks_of(self, words: Sequence[int], banks: int) -> list[int]:
        """Number the banks."""
        return [(word + word // self.row_words) % banks for word in words]


def find(run: Run) -> Iterator[Finding]:
    """Find lines whose accesses take more passes than they need."""
    for line in run.lines:
        c = line.counters
        passes, least = c.shared_load_passes + c.shared_store_passes, c.shared_load_groups + c.shared_store_groups
        if line.line and least and passes > NOTABLE * least:
            said = f"{three(passes / least)} passes over the {run.architecture.shared.banks} banks where one would do"
            finding = Finding(NAME, Supposed("this access met in no bank", together=frozenset({(line.file, line.line)})),
                              {"passes_per_access": passes / least, "accesses": least, "banks": run.architecture.shared.banks}, said,
                              "lay the array out so that the lanes of one access lie in different banks", line)
            yield attrs.evolve(finding, confirm=functools.partial(_padded, run, line, finding))


def _padded(run: Run, line: Cost, finding: Finding, again: Callable[[Supposed], Run]) -> Finding:
    """Try which row, padded, keeps the line's accesses apart, and name it."""
    c = run.counters
    if c.shared_load_groups + c.shared_store_groups > MOST_ACCESSES:
        return attrs.evolve(finding, remedy=f"{finding.remedy}; a launch of fewer than {MOST_ACCESSES:,} accesses is tried with padded rows")
    found: list[tuple[float, int]] = []
    for row in ROWS:
        changed = attrs.evolve(run.architecture, shared=attrs.evolve(run.architecture.shared, bank_map=PaddedRows(row_words=row)))
        try:
            other = again(Supposed(f"rows of {row} words were padded", architecture=changed))
        except ArchdefError:
            continue
        same = next((each.counters for each in other.lines if (each.file, each.line) == (line.file, line.line)), None)
        if same is not None:
            least = same.shared_load_groups + same.shared_store_groups
            found.append(((same.shared_load_passes + same.shared_store_passes) / least if least else 1.0, row))
    now = finding.evidence["passes_per_access"]
    passes, row = min(found, default=(now, 0))
    if passes > (now + 1) / 2:      # no row helps by half
        return finding
    left = "none is left" if passes <= NOTABLE else f"{three(passes)} passes are left"
    remedy = f"pad the rows of the array from {row} to {row + 1} words: {left}; tried with the addresses of this launch"
    return attrs.evolve(finding, remedy=remedy, evidence={**finding.evidence, "row_words": row, "passes_per_access_padded": passes})


RULE: Final = Rule(NAME, "Accesses of shared memory that meet in a bank, and the padding that helps.", find)
