"""Who wants to see every finished launch of this process, such as the report of a failed test."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from archdef.run.result import Run

_LISTS: list[list[Run]] = []


@contextlib.contextmanager
def recorded(most: int | None = None) -> Iterator[list[Run]]:
    """Give a list that holds the launches that finish inside, in order of their end; the last `most` of them if it is given."""
    runs = _Last(most) if most is not None else []
    _LISTS.append(runs)
    try:
        yield runs
    finally:
        _LISTS[:] = [other for other in _LISTS if other is not runs]


class _Last(list["Run"]):
    """A list that forgets its first entries, and knows how many it has had."""

    def __init__(self, most: int):
        super().__init__()
        self.most, self.total = most, 0

    def append(self, run: Run) -> None:
        """Add one."""
        super().append(run)
        self.total += 1
        del self[:-self.most]


def record(run: Run) -> None:
    """Show a finished launch to whoever is interested."""
    for runs in _LISTS:
        runs.append(run)
