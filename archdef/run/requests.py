"""Which request to memory an access waits for, where that is, and what is ahead of it there."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

if TYPE_CHECKING:
    from archdef.run.timeline import RunTimeline

MOST_FILLERS = 3
"""Lines that are named of those whose requests fill a queue."""
STAGES = (("sent", "load/store unit"), ("left", "port"), ("arrived", "network"), ("queued", "L2"), ("served", "DRAM"), ("answered", "return"))
"""Cycle at which a request leaves each stage, and what that is called."""
LINK = "link"
"""What DRAM is called of a request for memory of the host or of another device."""
Namer = Callable[[np.void], tuple[str, str]]


@attrs.frozen
class Filler:
    """A line whose requests are ahead of another one, in the same queue."""

    requests: int
    line: str
    """File and line; empty: no access of a warp has sent them, such as written lines of a cache or instruction fetches."""
    statement: str
    block: int
    """The block of the oldest of them, -1: none …"""
    warp: int
    """… and its warp in the block."""
    sent: int
    """The cycle at which that was sent."""

    def __str__(self) -> str:
        if not self.line:
            return f"{self.requests:,} that no access of a warp has sent"
        return f"{self.requests:,} of {self.line} `{self.statement}`, the oldest by warp {self.warp} of block {self.block}, sent at {self.sent:,}"


@attrs.frozen
class Waiting:
    """A request at a cycle: where it is, until when, and what is ahead of it there."""

    stage: str
    """One of `STAGES`, or `LINK`."""
    begin: int
    """Cycle at which it came there."""
    end: int
    """Cycle at which it goes on, -1: that lies behind what was recorded."""
    line: str
    """File and line of the access that sent it."""
    statement: str
    kind: str
    address: int
    bytes: int
    multiprocessor: int
    partition: int
    """Of memory; -1: it has not been sent there."""
    under_way: int
    """Requests of the same access that have no answer yet, this one among them."""
    queue: str = ""
    """The queue in which it waits; empty where nothing is ahead of it."""
    places: int = 0
    """How many find room in that queue; 0: it is not bounded by a number."""
    fillers: tuple[Filler, ...] = ()
    """What is ahead of it in that queue, by line, the most first."""
    asked_by: Filler | None = None
    """The request that DRAM serves for it, if that is of another access."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return attrs.asdict(self)

    def lines(self) -> list[str]:
        """Say it in sentences."""
        until = f"until {self.end:,}" if self.end >= 0 else "until after what was recorded"
        to = f" to memory partition {self.partition}" if self.partition >= 0 else ""
        said = [f"{self.under_way:,} requests of {self.line} `{self.statement}` are under way;",
                f"the last to be answered is a {self.kind} of {self.bytes} bytes at {self.address:#x}{to}: "
                f"{_WHERE[self.stage]} from {self.begin:,} {until}"]
        if self.asked_by is not None:
            said.append(f"DRAM was asked for it before: {self.asked_by}")
        if self.queue:
            ahead = sum(each.requests for each in self.fillers)
            said.append(f"{ahead:,} requests are ahead of it in {self.queue}{f', which has {self.places:,} places' if self.places else ''}")
            said += [f"  {each}" for each in self.fillers[:MOST_FILLERS]]
        return said


_WHERE = {"load/store unit": "the load/store unit has it", "port": "at the port to the network", "network": "in the network", "L2": "being looked up in L2",
          "DRAM": "in DRAM and its queue", LINK: "on the link to its memory, or waiting for that", "return": "its data are on their way back"}


class Requests:
    """Answers about requests, from what was recorded of them."""

    def __init__(self, timeline: RunTimeline, name: Namer, warps: int):
        self.timeline, self.name, self.warps = timeline, name, warps
        self.all = timeline.requests

    def of_access(self, issue: np.void, next_issue: int) -> np.ndarray:
        """Give the requests of an access, by its issue and that of the warp's next one of the same statement: their places."""
        of = self.all
        same = (of["warp"] == issue["warp"]) & (of["serial"] == issue["serial"]) & (of["statement"] == issue["statement"])
        found: np.ndarray = np.flatnonzero(same & (of["begun"] >= issue["issue"]) & (of["begun"] < next_issue))
        return found

    def waiting(self, places: np.ndarray, cycle: int) -> Waiting | None:
        """Say where the last request of an access that will be answered is at a cycle; None: all have been."""
        of = self.all[places]
        open_ = places[(of["answered"] < 0) | (of["answered"] > cycle)]
        if not len(open_):
            return None
        answered = np.where(self.all["answered"][open_] < 0, np.iinfo(np.int64).max, self.all["answered"][open_])
        place = int(open_[np.argmax(answered)])
        return self._at(place, cycle, len(open_))

    def _at(self, place: int, cycle: int, under_way: int) -> Waiting:
        request = self.all[place]
        stage, begin, end = _stage(request, cycle)
        queue, room, ahead = self._queue(stage, request, place, cycle)
        asker = int(request["ahead"])
        other = stage in ("DRAM", "return") and 0 <= asker != place and self.all[asker]["answered"] > cycle
        asked_by = self.fillers(self.all[asker:asker + 1])[0] if other else None
        return Waiting(stage, begin, end, *self.name(request), KINDS[request["kind"]], int(request["address"]), int(request["bytes"]),
                       int(request["multiprocessor"]), int(request["partition"]), under_way, queue, room, self.fillers(ahead), asked_by)

    def _queue(self, stage: str, request: np.void, place: int, cycle: int) -> tuple[str, int, np.ndarray]:
        """Give the queue in which a request waits at a stage, its places, and what is ahead of it there."""
        of, sm, partition = self.all, int(request["multiprocessor"]), int(request["partition"])
        if stage == "port":
            moves = np.isin(of["kind"], (1, 2)) == (request["kind"] in (1, 2)) if self.timeline.run.architecture.interconnect.store_ports else True
            here = (of["multiprocessor"] == sm) & (of["sent"] <= cycle) & ((of["left"] < 0) | (of["left"] > cycle)) & moves
            here[place:] = False
            if here.any():
                return f"the port of multiprocessor {sm}", 0, of[here]
            if 0 <= request["refused"] <= cycle:
                return (f"the queue of memory partition {partition}, which is full", int(self.timeline.run.architecture.dram.queue_entries),
                        of[self._queued(partition, cycle)])
        if stage == "DRAM":
            first = int(request["ahead"]) if request["ahead"] >= 0 else place
            here = self._queued(partition, cycle) & (of["queued"] <= of["queued"][first])
            here[[first, place]] = False
            if here.any():
                return f"the queue of memory partition {partition}", int(self.timeline.run.architecture.dram.queue_entries), of[here]
        return "", 0, of[:0]

    def _queued(self, partition: int, cycle: int) -> np.ndarray:
        """Which requests have a transaction of their own in the queue of a partition."""
        of = self.all
        mine = of["ahead"] == np.arange(len(of))
        here: np.ndarray = mine & (of["partition"] == partition) & (of["left"] <= cycle) & (of["left"] >= 0) & ((of["served"] < 0) | (of["served"] > cycle))
        return here

    def fillers(self, of: np.ndarray) -> tuple[Filler, ...]:
        """Count requests by line, the most first."""
        found = []
        known = of["warp"] >= 0
        for key in np.unique(of[known][["kernel", "statement"]]):
            mine = of[known & (of["kernel"] == key["kernel"]) & (of["statement"] == key["statement"])]
            oldest = mine[np.argmin(mine["sent"])]
            block, warp = divmod(int(oldest["warp"]), self.warps)
            found.append(Filler(len(mine), *self.name(oldest), block, warp, int(oldest["sent"])))
        if not known.all():
            found.append(Filler(int((~known).sum()), "", "", -1, -1, int(of["sent"][~known].min())))
        return tuple(sorted(found, key=lambda each: (-each.requests, each.line, each.statement)))

    def under_way(self, multiprocessor: int, cycle: int, reads: bool) -> np.ndarray:
        """Give the reads (or stores) of a multiprocessor that have no answer at a cycle."""
        of = self.all
        kinds = (of["kind"] != KINDS.index("write")) == reads
        here: np.ndarray = (of["multiprocessor"] == multiprocessor) & kinds & (of["sent"] <= cycle) & ((of["answered"] < 0) | (of["answered"] > cycle))
        found: np.ndarray = of[here]
        return found


KINDS = ("read", "write", "atomic", "texture")
"""Kinds of requests, in the order of the engine's ``RequestKind``."""


def stages_of(request: np.void) -> Iterator[tuple[str, str]]:
    """Give `STAGES`, as they are called of a request."""
    for field, stage in STAGES:
        yield field, LINK if field == "served" and request["partition"] < 0 else stage


def _stage(request: np.void, cycle: int) -> tuple[str, int, int]:
    """Where a request is at a cycle, since when and until when; it has no answer yet."""
    begin = int(request["begun"])
    for field, stage in stages_of(request):
        end = int(request[field])
        if end < 0 and field in ("queued", "served"):       # L2 has what it wants, or another request of L1's has asked for it
            continue
        if end < 0 or cycle < end:
            return stage, begin, end
        begin = end
    raise AssertionError("a request that has no answer yet is somewhere")
