"""The engine's raw counters of one launch, with sums at hand."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from archdef.errors import LaunchError

FEMTOSECONDS = 1e15
STALLS = ("selected", "alu_dependency", "memory_dependency", "shared_dependency", "constant_dependency", "barrier",
          "branch", "pipe_busy", "memory_throttle", "not_selected", "launch", "fetch", "registers")
"""Causes, in the order of the engine's ``Stall``; every cycle of every resident warp has one."""
LANE_STATES = ("coherent", "first_path", "second_path", "stalled")
"""What a lane that lives does; every cycle of every one is one of them."""

@attrs.frozen(eq=False, repr=False)
class Counters:
    """Raw counters. Sums of the statement fields are attributes: ``counters.branches``."""

    cycles: int
    """SM cycles from launch to the last store landed."""
    elapsed_s: float
    """Seconds from launch to the last store landed."""
    statements: np.ndarray
    """Structured, one row per PTX statement; the fields are the engine's ``StatementCounters``."""
    multiprocessor: np.ndarray
    """Structured, one row per SM: ``blocks, warps, active_cycles, warp_cycles, issue_cycles``."""
    partition: np.ndarray
    """Structured, one row per DRAM partition."""
    issued: np.ndarray
    """int64, one per micro-op of the kernel: how often a warp issued it. Those of kernels that it launched are not told apart."""
    launches: int
    """Launches of the host that had used the machine when this one ended, itself among them; `partition` is of all of them."""
    warps: int
    lanes_launched: int
    threads: int
    partitions_in_use: float
    """Mean number of partitions with DRAM work at a time, while any had some."""
    max_resident_blocks: int
    """Most blocks seen resident on one SM."""
    components: Mapping[str, np.ndarray] = attrs.field(factory=dict)
    """Optional components between SMs and network that the machine has (``translation``), and links that were used (``host_link``, ``peer_link``) → what each
    counts, of the machine like `partition`: structured, one row per SM, or one of a link; ``wait_fs`` is the time for which it holds requests up."""
    _sums: dict[str, int] = attrs.field(init=False, factory=dict)

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Counters:
        """Wrap what ``Simulation.result()`` gives."""
        return cls(cycles=int(result["cycles"]), elapsed_s=int(result["elapsed_fs"]) / FEMTOSECONDS,
                   statements=result["statements"], multiprocessor=result["multiprocessor"], partition=result["partition"], issued=result["issued"],
                   partitions_in_use=float(result["partitions_in_use"]), launches=int(result["launches"]), warps=int(result["warps"]),
                   lanes_launched=int(result["lanes_launched"]), threads=int(result["threads"]),
                   max_resident_blocks=int(result["max_resident_blocks"]), components=result.get("components", {}))

    def __repr__(self) -> str:
        return f"<Counters of {len(self.statements)} statements: {self.cycles:,} cycles, {self.warps:,} warps, {self.instructions:,} instructions>"

    def only(self, rows: Sequence[int] | np.ndarray) -> Counters:
        """Give the same launch with the statements of `rows` (an index array or mask) only."""
        return attrs.evolve(self, statements=self.statements[rows])

    def __getattr__(self, field: str) -> int:
        if field.startswith("_") or field == "statements" or field not in (self.statements.dtype.names or ()):
            raise AttributeError(f"no counter {field!r}")
        if field not in self._sums:
            self._sums[field] = int(self.statements[field].sum())
        return self._sums[field]

    def _fields(self) -> dict[str, Any]:
        return {field.name: object.__getattribute__(self, field.name) for field in attrs.fields(type(self)) if field.init}

    @property
    def stalls(self) -> dict[str, int]:
        """Warp cycles by cause, all statements."""
        return dict(zip(STALLS, self.statements["stall_cycles"].sum(axis=0).tolist(), strict=True))

    @property
    def lane_cycles(self) -> dict[str, int]:
        """Cycles by lane state, summed over the lanes that live; see docs/explanation/lane-states.md."""
        return self._lanes("lane_cycles", sum(self.stalls.values()))

    @property
    def lane_slots(self) -> dict[str, int]:
        """Issue slots by lane state: what each instruction that a warp issues finds its living lanes to be."""
        return self._lanes("lane_slots", self.instructions)

    def _lanes(self, field: str, of_warps: int) -> dict[str, int]:
        first, second, stalled, absent = self.statements[field].sum(axis=0).tolist()
        size = self.lanes_launched // self.warps if self.warps else 0
        return dict(zip(LANE_STATES, (size * of_warps - first - second - stalled - absent, first, second, stalled), strict=True))

    def totals(self) -> dict[str, int]:
        """Sum every scalar statement counter."""
        return {name: getattr(self, name) for name in self.statements.dtype.names or ()
                if self.statements.dtype[name].shape == ()}


OF_TIME = ("l1_hits", "l1_misses", "texture_hits", "texture_misses", "dram_requests", "dram_partitions", "link_bytes_read", "link_bytes_written",
           "stall_cycles", "lane_cycles", "lane_slots")
"""Counters of statements that follow from times, or from caches, which only timed launches have."""
_NOT_TIMED = frozenset({*OF_TIME, "cycles", "elapsed_s", "multiprocessor", "partition", "partitions_in_use", "max_resident_blocks", "components", "stalls"})


@attrs.frozen(eq=False, repr=False)
class FunctionalCounters(Counters):
    """Counters of a launch that was executed without being timed: instructions, and what accesses asked for. All else raises LaunchError."""

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> FunctionalCounters:
        """Wrap what the engine's session gives."""
        statements = result["statements"]
        kept = [name for name in statements.dtype.names if name not in OF_TIME]
        return cls(**Counters.of({**result, "statements": statements[kept].copy()})._fields())

    def __getattribute__(self, name: str) -> Any:
        if name in _NOT_TIMED:
            raise LaunchError(f"the launch was executed without being timed, so there is no {name!r}: launch it with functional=False")
        return super().__getattribute__(name)

    def __repr__(self) -> str:
        return f"<FunctionalCounters of {len(self.statements)} statements: {self.warps:,} warps, {self.instructions:,} instructions>"

    def only(self, rows: Sequence[int] | np.ndarray) -> FunctionalCounters:
        """Give the same launch with the statements of `rows` (an index array or mask) only."""
        return type(self)(**{**self._fields(), "statements": self.statements[rows]})

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._fields(),)


def _again(fields: dict[str, Any]) -> FunctionalCounters:
    return FunctionalCounters(**fields)
