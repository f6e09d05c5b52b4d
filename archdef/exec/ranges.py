"""Things at addresses: which of them does an address lie in?"""
from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

_Thing = TypeVar("_Thing")


class Ranges(Generic[_Thing]):
    """Ranges of addresses that do not overlap, and what each stands for."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._things: dict[int, tuple[int, _Thing]] = {}

    def add(self, start: int, nbytes: int, thing: _Thing) -> None:
        """Add one."""
        if start not in self._things:
            bisect.insort(self._starts, start)
        self._things[start] = nbytes, thing

    def remove(self, start: int) -> _Thing | None:
        """Remove the one that starts there, and give it; None if none does."""
        if start not in self._things:
            return None
        self._starts.pop(bisect.bisect_left(self._starts, start))
        return self._things.pop(start)[1]

    def at(self, address: int) -> _Thing | None:
        """Give the one that an address lies in; None if in none."""
        place = bisect.bisect_right(self._starts, address) - 1
        if place < 0:
            return None
        nbytes, thing = self._things[self._starts[place]]
        return thing if address - self._starts[place] < nbytes else None

    def overlap(self, start: int, nbytes: int) -> bool:
        """Say whether one of them has any of these addresses."""
        place = bisect.bisect_left(self._starts, start + nbytes) - 1
        return place >= 0 and start < self._starts[place] + self._things[self._starts[place]][0]

    def __len__(self) -> int:
        return len(self._things)

    def __iter__(self) -> Iterator[_Thing]:
        return iter([thing for _, thing in self._things.values()])

    def keep(self, wanted: Callable[[_Thing], bool]) -> None:
        """Remove the others."""
        self._things = {start: each for start, each in self._things.items() if wanted(each[1])}
        self._starts = sorted(self._things)
