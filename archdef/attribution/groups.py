"""Groups of rules: which paths of a description move together from one machine to the other."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import attrs

from archdef.errors import ArchdefError, nearest
from archdef.spec import Architecture

OTHER = "other"
"""Group of the paths that no other group names."""
RULES: dict[str, tuple[str, ...]] = {
    "clocks": ("clocks.core_mhz", "clocks.shader_mhz"),
    "multiprocessors": ("chip.multiprocessors", "chip.multiprocessors_per_cluster", "chip.cluster_sizes"),
    "launch": ("chip", "host_link", "caches.code_fetch"),
    "occupancy": ("limits",),
    "warps": ("warp",),
    "scheduling": ("schedulers.policy", "schedulers.throttle"),
    "issue": ("schedulers", "units", "isa.operations.*.unit", "isa.operations.*.interval_cycles", "isa.forms.*.unit", "isa.forms.*.interval_cycles",
              "clocks.core_domain"),
    "latencies": ("isa.operations.*.latency_cycles", "isa.forms.*.latency_cycles", "isa.branch_costs"),
    "instructions": ("isa", "compute_capability", "block_clusters", "device_launches", "texture"),
    "shared": ("shared",),
    "coalescing": ("coalescing",),
    "load_store": ("load_store",),
    "caches": ("caches",),
    "network": ("interconnect",),
    "dram": ("dram", "clocks.memory_mhz", "interconnect.l2_partitions", "limits.address_bits"),
}
"""Group → paths that it moves, with all that lies below them unless another group names it by a longer path; ``*`` stands for any one name. What
must be declared together is in one group: features with the components that they need, units with what pairs and names them."""
MEANINGS: dict[str, str] = {
    "clocks": "clocks of multiprocessors and of network and L2",
    "multiprocessors": "how many multiprocessors there are, and their clusters",
    "launch": "what launches, starts and ends of blocks take",
    "occupancy": "registers, shared memory, blocks and warps of a multiprocessor",
    "warps": "lanes of a warp, and how they reconverge",
    "scheduling": "which ready warp is next",
    "issue": "schedulers, execution units, and how long an instruction holds them",
    "latencies": "cycles until a result can be used, memory's apart",
    "instructions": "which instructions there are, and what the compiler makes of a kernel",
    "shared": "banks of shared memory",
    "coalescing": "transactions of a warp's access",
    "load_store": "what a multiprocessor can have under way",
    "caches": "caches of data, constants and instructions",
    "network": "between multiprocessors and partitions",
    "dram": "partitions of memory and of L2, bus, banks and timings",
    OTHER: "what no other group names",
}
"""Group → what it is, in a line."""
WORDS = ("name", "title", "vendor", "family", "aliases", "vocabulary", "host_link.name")
"""Paths by which people tell machines apart; no launch depends on them."""
Patterns: TypeAlias = Mapping[str, tuple[str, ...]]


class AttributionError(ArchdefError):
    """A difference between two machines that cannot be attributed as asked."""


@attrs.frozen
class Grouping:
    """Which group each path of a description belongs to."""

    patterns: Patterns
    _owners: dict[str, str] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    _divided: dict[str, bool] = attrs.field(factory=dict, init=False, eq=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """All groups, in their order, `OTHER` last."""
        return (*(name for name in self.patterns if name != OTHER), OTHER)

    def of(self, path: str) -> str:
        """Give the group that moves a path: the one with the longest pattern, and of equally long ones that with fewer ``*``."""
        if path not in self._owners:
            fitting = [(len(wanted), -wanted.count("*"), name) for name, wanted in self._wanted() if _begins(path.split("."), wanted)]
            self._owners[path] = max(fitting, key=lambda one: one[:2])[2] if fitting else OTHER
        return self._owners[path]

    def divides(self, path: str) -> bool:
        """Tell whether a pattern names something below a path, so that not all of it need move together."""
        if path not in self._divided:
            segments = path.split(".")
            self._divided[path] = any(len(wanted) > len(segments) and _begins(segments, wanted[:len(segments)]) for _, wanted in self._wanted())
        return self._divided[path]

    def _wanted(self) -> Iterator[tuple[str, list[str]]]:
        return ((name, path.split(".")) for name, paths in self.patterns.items() for path in paths)


def _begins(segments: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether a path begins as a pattern says."""
    return len(wanted) <= len(segments) and all(a in ("*", b) for a, b in zip(wanted, segments, strict=False))


def grouping(asked: Mapping[str, Iterable[str]] | Iterable[str] | None, a: Architecture, b: Architecture) -> Grouping:
    """Read what the user wants told apart.

    asked : None: all of `RULES`; a mapping of name → paths or names of `RULES`; or a list of those, where ``+`` joins several:
            ``["caches+coalescing", "dram", "caches.l1"]``. What is not named is in `OTHER`.

    Raises AttributionError for what is neither a group nor a path of one of the two machines.
    """
    if asked is None:
        return Grouping(RULES)
    wanted = {name: tuple(paths) for name, paths in asked.items()} if isinstance(asked, Mapping) else {
        text: tuple(part.strip() for part in text.split("+")) for text in asked}
    if not wanted:
        raise AttributionError(f"no group is named; there are {', '.join(RULES)}, and every path of a description")
    known = {path for side in (a, b) for path, _, _ in side.walk()}
    return Grouping({name: tuple(path for part in parts for path in _paths(part, known)) for name, parts in wanted.items()})


def _paths(part: str, known: set[str]) -> Sequence[str]:
    if part in RULES:
        return RULES[part]
    if part in known or "*" in part and any(_fits(part, path) for path in known):
        return (part,)
    raise AttributionError(f"there is no group of rules and no path {part!r}{nearest(part, [*RULES, *known])}; groups are {', '.join(RULES)}")


def _fits(pattern: str, path: str) -> bool:
    return pattern.count(".") == path.count(".") and _begins(path.split("."), pattern.split("."))
