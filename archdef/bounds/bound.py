"""What a bound is."""
from __future__ import annotations

from typing import Any

import attrs

LINKS = {"host_link": "mapped", "peer_link": "peer"}
"""Links whose accesses are counted in `Counters.components` → the field of `HostLink` that says how they go."""


@attrs.frozen
class Bound:
    """A number of cycles that a launch cannot undercut, or cannot exceed, and why."""

    name: str
    """What holds the launch up: ``issue``, ``latency``, a kind of units, ``shared``, ``ports``, ``partitions``, ``DRAM``,
    ``host link``, ``peer link``."""
    cycles: float
    """Cycles of the multiprocessor's clock."""
    about: str
    """How the number comes about, in one line."""


@attrs.frozen(repr=False)
class Bounds:
    """Bounds of one launch."""

    measured: int
    """Cycles that the launch took."""
    lower: tuple[Bound, ...]
    """Each on its own is a lower bound; the greatest comes first."""
    upper: Bound | None
    """Everything after everything else; None if the kernel waits for times of its own choice (``nanosleep``)."""
    cycles_per_ms: float

    def __repr__(self) -> str:
        most = f", at most {self.upper.cycles:,.0f}" if self.upper else ""
        return f"<Bounds of {self.measured:,} cycles: at least {self.binding.cycles:,.0f} by {self.binding.name}{most}>"

    @property
    def binding(self) -> Bound:
        """The greatest lower bound: what the machine would have to do better at for this launch to go faster than that."""
        return self.lower[0]

    @property
    def share(self) -> float:
        """The binding bound over what the launch took, 0 to 1: 1 means that nothing but this bound holds it up."""
        return self.binding.cycles / self.measured if self.measured else 0.0

    def milliseconds(self, bound: Bound) -> float:
        """A bound in milliseconds."""
        return bound.cycles / self.cycles_per_ms

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"lower": [attrs.asdict(bound) | {"ms": self.milliseconds(bound)} for bound in self.lower],
                "upper": self.upper and attrs.asdict(self.upper) | {"ms": self.milliseconds(self.upper)},
                "binding": self.binding.name, "share": self.share}
