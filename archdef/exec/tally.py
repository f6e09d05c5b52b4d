"""What a program's launches took, added up kernel by kernel as they end, so that a program of a million launches fits."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from archdef.errors import ArchdefError

if TYPE_CHECKING:
    from archdef.host import Launched
    from archdef.run.result import Run

KEPT_AT_ONCE = 256
"""Launches that are kept before those that have ended are counted."""


@attrs.define
class KernelTotal:
    """All launches of one kernel on one machine."""

    kernel: str
    architecture: str
    launches: int = 0
    timed: int = 0
    """How many of them were timed; what follows is of these."""
    seconds: float = 0.0
    cycles: int = 0
    longest: Run | None = None
    """The launch that took longest."""

    def include(self, other: KernelTotal) -> None:
        """Add the launches of another one."""
        self.launches += other.launches
        self.timed += other.timed
        self.seconds += other.seconds
        self.cycles += other.cycles
        if other.longest is not None and (self.longest is None or other.longest.elapsed_s > self.longest.elapsed_s):
            self.longest = other.longest


class Tally:
    """The launches of one process."""

    def __init__(self) -> None:
        self._open: list[Launched] = []
        self._totals: dict[tuple[str, str], KernelTotal] = {}
        self.failed: list[str] = []
        """What went wrong in launches."""
        self.mapped: dict[str, None] = {}
        """Kernels that were given memory of the host."""

    def launched(self, launch: Launched) -> None:
        """Note a launch."""
        self._open.append(launch)
        if len(self._open) >= KEPT_AT_ONCE:
            self.count()

    def count(self, to_the_end: bool = False) -> None:
        """Count launches that have ended, or wait for all."""
        still = []
        for launch in self._open:
            if not (to_the_end or launch.done):
                still.append(launch)
                continue
            try:
                self._add(launch.result())
            except ArchdefError as error:
                self.failed.append(str(error))
        self._open = still

    def _add(self, run: Run) -> None:
        key = run.kernel, run.architecture.label
        took = () if run.functional else (1, run.elapsed_s, run.cycles, run)
        self._totals.setdefault(key, KernelTotal(*key)).include(KernelTotal(*key, 1, *took))

    def __iter__(self) -> Iterator[KernelTotal]:
        return iter(sorted(self._totals.values(), key=lambda total: -total.seconds))
