"""What a program's launches took, added up kernel by kernel as they end, so that a program of a million launches fits."""
from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from archdef.errors import ArchdefError

if TYPE_CHECKING:
    from archdef.host import Launched
    from archdef.run.result import Run

LINKS = frozenset(("host_link", "peer_link"))
"""Components that count accesses over links to memory of the host and of other devices, where there were any."""
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
    warnings: dict[str, None] = attrs.Factory(dict)
    """What of its code is probably not meant, timed or not."""
    link_bytes_read: int = 0
    """What came over the links to the host and to other devices, and what left by them, for accesses to their memory."""
    link_bytes_written: int = 0
    symbol: str = ""
    """Its name in PTX."""

    def add(self, run: Run) -> None:
        """Add a launch."""
        self.launches += 1
        self.warnings.update(dict.fromkeys(run.program.warnings))
        if run.functional:
            return
        self.timed += 1
        self.seconds += run.elapsed_s
        self.cycles += run.cycles
        if not LINKS.isdisjoint(run.counters.components):       # else there is nothing to add up, statement by statement
            self.link_bytes_read += run.counters.link_bytes_read
            self.link_bytes_written += run.counters.link_bytes_written
        if self.longest is None or run.elapsed_s > self.longest.elapsed_s:
            self.longest = run

    def include(self, other: KernelTotal) -> None:
        """Add the launches of another one."""
        self.launches += other.launches
        self.warnings.update(other.warnings)
        self.timed += other.timed
        self.seconds += other.seconds
        self.cycles += other.cycles
        self.link_bytes_read += other.link_bytes_read
        self.link_bytes_written += other.link_bytes_written
        if other.longest is not None and (self.longest is None or other.longest.elapsed_s > self.longest.elapsed_s):
            self.longest = other.longest


class Tally:
    """The launches of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[Launched] = []
        self._totals: dict[tuple[str, str, str], KernelTotal] = {}
        self.failed: list[str] = []
        """What went wrong in launches."""
        self.refused = 0
        """Launches that were refused when they were asked for."""
        self.left: dict[str, int] = {}
        """Kernels that had not ended when the program did → how many launches of each."""
        self.mapped: dict[str, None] = {}
        """Kernels that were given memory of the host."""
        self.peers: dict[str, None] = {}
        """Kernels that were given memory of another device."""
        self.compiled: dict[tuple[int, int], None] = {}
        """Architectures that NVRTC was asked for and was too new for, and those that it compiled for; compute capabilities times 10."""

    def launched(self, launch: Launched) -> None:
        """Note a launch."""
        with self._lock:
            self._open.append(launch)
            full = len(self._open) >= KEPT_AT_ONCE
        if full:
            self.count()

    def count(self) -> None:
        """Count launches that have ended."""
        with self._lock:        # other threads of the program launch meanwhile
            taken, self._open = self._open, []
        still = []
        if taken:
            _ = taken[0].done       # brings the host's devices, which are those of all launches, to this moment
        for launch in taken:
            if not launch.over:
                still.append(launch)
                continue
            try:
                self._add(launch.outcome())
            except ArchdefError as error:
                self.failed.append(str(error))
        with self._lock:
            self._open += still

    def give_up(self) -> None:
        """Count launches that have not ended as left."""
        for launch in self._open:
            if not launch.over:
                self.left[launch.name] = self.left.get(launch.name, 0) + 1
        self._open = [launch for launch in self._open if launch.over]

    def _add(self, run: Run) -> None:
        key = run.kernel, run.architecture.label, run.program.entry
        with self._lock:
            if (total := self._totals.get(key)) is None:
                total = self._totals[key] = KernelTotal(*key[:2], symbol=key[2])
            total.add(run)

    def __iter__(self) -> Iterator[KernelTotal]:
        return iter(sorted(self._totals.values(), key=lambda total: -total.seconds))
