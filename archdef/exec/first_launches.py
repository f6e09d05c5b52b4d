"""Which launches of a program are timed: the first so and so many."""
from __future__ import annotations

import itertools


class FirstLaunches:
    """Says of each launch whether it is executed only, in the order in which launches begin, whatever kernel, device or process they are of."""

    def __init__(self, timed: int):
        """timed : how many are timed."""
        self.timed = timed
        self._begun = itertools.count()

    def __call__(self, kernel: str) -> bool:
        """Say so of a launch that begins."""
        return next(self._begun) >= self.timed
