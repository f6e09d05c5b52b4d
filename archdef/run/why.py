"""Why a warp does not go on at a cycle: what holds it, until when, and what that waits for in turn."""
from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.engine.program import LoadedProgram
from archdef.errors import LaunchError
from archdef.lower.encoding import Kind, Space
from archdef.metrics.counters import STALLS
from archdef.metrics.stalls import WAITS_FOR
from archdef.run.levels import FOREVER
from archdef.run.requests import Requests, Waiting

if TYPE_CHECKING:
    from archdef.run.timeline import RunTimeline

EXPLAINING = ("warps", "requests")
"""Details of timelines that say why a warp waits."""
MARGIN = 16384
"""Cycles before and behind one that is asked for, in which what it waits for is looked for."""
DEEPEST = 16
"""Links of a chain of reasons at most."""
_NEAR = frozenset({Space.SHARED})
_MEMORY = frozenset({Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.TEXTURE, Kind.SURFACE, Kind.COPY, Kind.BULK, Kind.MATRIX_LOAD, Kind.MATRIX_STORE})
_UNITS = 16
MOST_KEPT = 1 << 20
"""Records of a timeline that is made to say why."""
_SAID = {"selected": "issues", "not_started": "is not there yet", "ended": "has ended"}


def around(cycle: Any) -> tuple[int, int]:
    """Give the cycles of a timeline that says why a warp waits at one of them."""
    return max(int(cycle) - MARGIN, 0), int(cycle) + MARGIN


def how_to_ask(cycle: Any) -> str:
    """Say how to launch a kernel whose warps' waits at a cycle are of interest."""
    try:
        first, last = around(cycle)
    except (TypeError, ValueError, OverflowError):
        first, last = 0, MARGIN
    return f"launch with timeline=archdef.TimelineWindow('requests', cycles=({first}, {last}), records={MOST_KEPT})"


@attrs.frozen
class Reason:
    """What holds a warp at a cycle. Prints with the reasons behind it, one below the other."""

    block: int
    warp: int
    cycle: int
    state: str
    """A stall cause, ``selected`` while it issues; ``not_started`` and ``ended`` where it is not there."""
    begin: int
    """First cycle of that."""
    end: int
    """The first cycle behind."""
    line: str = ""
    """File and line of the statement that it waits to issue, or issues."""
    statement: str = ""
    because: tuple[str, ...] = ()
    """What holds it."""
    request: Waiting | None = None
    """The request to memory that it waits for, where those were recorded."""
    behind: Reason | None = None
    """Why the warp that it waits for does not go on."""

    def chain(self) -> Iterator[Reason]:
        """Give this reason, and those behind it."""
        reason: Reason | None = self
        while reason is not None:
            yield reason
            reason = reason.behind

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return attrs.asdict(self)

    def __str__(self) -> str:
        lines = []
        for depth, reason in enumerate(self.chain()):
            what = _SAID.get(reason.state, f"waits ({reason.state.replace('_', ' ')})")
            where = f" {reason.line} `{reason.statement}`" if reason.statement else ""
            lines.append(f"{'  ' * depth}cycle {reason.cycle:,}: warp {reason.warp} of block {reason.block} {what},"
                         f" from {reason.begin:,} to {reason.end:,}:{where}".rstrip(":"))
            lines += [f"{'  ' * depth}  {text}" for text in reason.because]
        return "\n".join(lines)


class Prober:
    """Answers for one launch, from what was recorded of it."""

    def __init__(self, timeline: RunTimeline):
        self.timeline, self.run = timeline, timeline.run
        issues = timeline.issues
        self.issues = issues[issues["kernel"] == 0]
        self.warps = self.run.occupancy.warps_per_block

    @functools.cached_property
    def _registers(self) -> tuple[dict[int, set[int]], dict[int, set[int]], dict[int, set[str]]]:
        """Statement → scoreboard entries that it waits for, that it sets, and the causes for which others wait for these."""
        waits: dict[int, set[int]] = {}
        sets: dict[int, set[int]] = {}
        causes: dict[int, set[str]] = {}
        program, ops = self.run.program, self.run.program.ops
        for op, (needed, given) in zip(ops, LoadedProgram(program, program.warp_size, _UNITS).scoreboard(), strict=True):
            number, kind, near = int(op["statement"]), Kind(op["kind"]), Space(op["space"])
            waits.setdefault(number, set()).update(needed)
            if given:
                sets.setdefault(number, set()).update(given)
                moves = kind in _MEMORY
                causes.setdefault(number, set()).add("alu_dependency" if not moves else "shared_dependency" if near in _NEAR else "memory_dependency")
        return waits, sets, causes

    @functools.cached_property
    def _latencies(self) -> dict[int, int]:
        """Statement → cycles after which the last of its ops has its result."""
        found: dict[int, int] = {}
        for op in self.run.program.ops:
            number = int(op["statement"])
            found[number] = max(found.get(number, 0), int(op["latency"]))
        return found

    @functools.cached_property
    def _accesses(self) -> set[int]:
        ops = self.run.program.ops
        return {int(op["statement"]) for op in ops if Kind(op["kind"]) in _MEMORY and Space(op["space"]) not in (*_NEAR, Space.CONST)}

    def _of(self, block: int, warp: int) -> np.ndarray:
        found: np.ndarray = self.issues[self.issues["warp"] == block * self.warps + warp]
        return np.sort(found, order=["begin", "issue"])

    def _text(self, record: np.void) -> tuple[str, str]:
        return self.timeline.statement(int(record["kernel"]), int(record["statement"]))

    def _issued(self, record: np.void) -> str:
        line, text = self._text(record)
        block, warp = divmod(int(record["warp"]), self.warps)
        return f"warp {warp} of block {block}, {line} `{text}`, issued at {int(record['issue']):,}"

    # ------------------------------------------------------------------------------------------------------------ answers
    def why(self, block: int, warp: int, cycle: int, seen: frozenset[tuple[int, int, int]] = frozenset()) -> Reason:
        """Say what holds a warp at a cycle. Raises LaunchError where that was not recorded."""
        mine = self._of(block, warp)
        now = mine[(mine["begin"] <= cycle) & (cycle < mine["end"])]
        if not len(now):
            return self._absent(block, warp, cycle)
        record = now[0]
        state, begin, end = _state(record, cycle)
        line, text = self._text(record)
        because, next_ = self._because(state, record, mine, cycle)
        request = self._request(state, record, mine, cycle)
        if request is not None:
            because += request.lines()
        behind = None
        if next_ is not None and len(seen) < DEEPEST and (*next_, cycle) not in seen and next_ != (block, warp):
            behind = self.why(*next_, cycle, seen | {(block, warp, cycle)})
        return Reason(block, warp, cycle, state, begin, end, line, text, tuple(because), request, behind)

    def _absent(self, block: int, warp: int, cycle: int) -> Reason:
        blocks = self.timeline.blocks
        mine = blocks[(blocks["block"] == block) & (blocks["kernel"] == 0)]
        if len(mine) and cycle < mine["begin"].min():
            first = mine[np.argmin(mine["begin"])]
            before = blocks[(blocks["multiprocessor"] == first["multiprocessor"]) & (blocks["end"] <= first["begin"])]
            said = [f"its block gets place {first['slot']} of multiprocessor {first['multiprocessor']} at {first['begin']:,}"]
            if len(before):
                last = before[np.argmax(before["end"])]
                said.append(f"block {last['block']} left that multiprocessor at {last['end']:,}, the last one before")
            return Reason(block, warp, cycle, "not_started", 0, int(first["begin"]), because=tuple(said))
        issues = self._of(block, warp)
        whole = self.timeline.window.cycles[1] is None and not self.timeline.lost
        if len(issues) and whole and cycle >= issues["end"].max():
            return Reason(block, warp, cycle, "ended", int(issues["end"].max()), self.run.cycles)
        raise LaunchError(f"what warp {warp} of block {block} does at cycle {cycle:,} was not recorded; {self.timeline.window} chose what is, "
                          f"and {self.timeline.lost:,} records found no room")

    def _because(self, state: str, record: np.void, mine: np.ndarray, cycle: int) -> tuple[list[str], tuple[int, int] | None]:
        if state == "selected":
            return [], None
        if state in ("alu_dependency", "memory_dependency", "shared_dependency"):
            return self._producers(state, record, mine, cycle), None
        if state == "barrier":
            return self._last_at_barrier(record, cycle)
        if state == "not_selected":
            return self._chosen(record, cycle)
        if state == "pipe_busy":
            return self._holder(record, cycle), None
        if state == "memory_throttle":
            return [*self._sender(record, cycle), *self._memory(record, cycle)], None
        return [f"it waits for {WAITS_FOR[state]}"], None

    def _producers(self, state: str, record: np.void, mine: np.ndarray, cycle: int) -> list[str]:
        """Which issues of the warp made the values that it waits for, and, of loads, what memory has to do."""
        said = [f"it waits for {self._issued(made)}{self._conflicts(made)}" for made in self._made(state, record, mine)]
        return said + (self._memory(record, cycle) if state == "memory_dependency" else [])

    def _made(self, state: str, record: np.void, mine: np.ndarray) -> list[np.void]:
        """The issues of the warp that made the values that it waits for."""
        waits, sets, causes = self._registers
        needed, found = set(waits.get(int(record["statement"]), ())), []
        earlier = mine[(mine["unit"] >= 0) & (mine["issue"] < record["issue"])]
        for made in earlier[::-1]:
            given = sets.get(int(made["statement"]), set()) & needed
            if given:
                needed -= given
                found.append(made)
        right = [made for made in found if state in causes[int(made["statement"])]] or found
        if state == "alu_dependency":       # how long each takes is known
            right = sorted(right, key=lambda made: int(made["issue"]) + self._latencies[int(made["statement"])])[-1:]
        return right

    def _conflicts(self, made: np.void) -> str:
        """Say how often an access of shared memory goes over the banks, if more often than it must."""
        of = self.run.counters.statements[int(made["statement"])]
        for what in ("load", "store"):
            accesses, passes, groups = (int(of[f"shared_{what}{end}"]) for end in ("s", "_passes", "_groups"))
            if passes > groups:
                return f": {passes / accesses:.1f} passes over the banks each time, {groups / accesses:.1f} without bank conflicts"
        return ""

    def _request(self, state: str, record: np.void, mine: np.ndarray, cycle: int) -> Waiting | None:
        """The request to memory that it waits for, if those were recorded."""
        if not len(self.timeline.requests) or state not in ("memory_dependency", "memory_throttle"):
            return None
        made = self._made(state, record, mine) if state == "memory_dependency" else self._sending(record, cycle)
        found = []
        for one in made:
            same = self.issues[(self.issues["warp"] == one["warp"]) & (self.issues["statement"] == one["statement"]) & (self.issues["unit"] >= 0)]
            later = same["issue"][same["issue"] > one["issue"]]
            waiting = self._requests.waiting(self._requests.of_access(one, int(later.min()) if len(later) else FOREVER), cycle)
            if waiting is not None:
                found.append(waiting)
        return max(found, key=lambda each: (each.end < 0, each.end)) if found else None

    @functools.cached_property
    def _requests(self) -> Requests:
        return Requests(self.timeline, self._text, self.warps)

    def _memory(self, record: np.void, cycle: int) -> list[str]:
        """Queues of memory in the bucket of the cycle, and which lines fill them, where single requests were not recorded."""
        timeline = self.timeline
        if timeline.window.detail == "requests":
            return []
        bucket = int(cycle - timeline.window.cycles[0]) // timeline.bucket_cycles
        if not 0 <= bucket < len(timeline.begins):
            return []
        length, sm = timeline.lengths[bucket], int(record["multiprocessor"])
        begin, end = int(timeline.begins[bucket]), int(timeline.begins[bucket] + length)
        when = f"on average of cycles {begin:,} to {end:,},"
        queues, waiting = (timeline.partitions[field][bucket] / length for field in ("queue_cycles", "waiting_cycles"))
        fullest = int(np.argmax(queues))
        entries = self.run.architecture.dram.queue_entries
        requests = timeline.multiprocessors["request_cycles"][bucket, sm] / length
        said = [f"{when} {requests:.1f} requests wait at the port of multiprocessor {sm}",
                f"{when} {queues[fullest]:.1f} of {entries} places in the queue of memory partition {fullest} are taken, the most of all, "
                f"and {waiting[fullest]:.1f} ports wait for one"]
        sent = self.issues[(self.issues["unit"] >= 0) & (self.issues["issue"] < end) & (self.issues["issue"] >= begin - timeline.bucket_cycles)]
        lines = Counter(self._text(each) for each in sent if int(each["statement"]) in self._accesses)
        return said + [f"{count:,} accesses of that time and the bucket before are of {line} `{text}`" for (line, text), count in lines.most_common(2)]

    def _last_at_barrier(self, record: np.void, cycle: int) -> tuple[list[str], tuple[int, int] | None]:
        """The warp of the block that comes to the barrier last."""
        block = int(record["warp"]) // self.warps
        others = self.issues[(self.issues["warp"] // self.warps == block) & (self.issues["statement"] == record["statement"]) & (self.issues["unit"] >= 0)
                             & (self.issues["issue"] < record["end"])]
        if not len(others):
            return ["it waits for the other warps of the block"], None
        last = others[np.argmax(others["issue"])]
        said = [f"the last to come is {self._issued(last)}"]
        return said, divmod(int(last["warp"]), self.warps) if last["issue"] > cycle else None

    def _same_scheduler(self, record: np.void) -> np.ndarray:
        schedulers = self.run.architecture.schedulers.count
        same: np.ndarray = (self.issues["multiprocessor"] == record["multiprocessor"]) & (self.issues["slot"] % schedulers == record["slot"] % schedulers)
        return same

    def _chosen(self, record: np.void, cycle: int) -> tuple[list[str], tuple[int, int] | None]:
        """The warps that its scheduler issues while this one could be issued, too."""
        meanwhile = (self.issues["end"] > record["since"]) & (self.issues["issue"] < record["issue"])
        of = self.issues[self._same_scheduler(record) & (self.issues["unit"] >= 0) & meanwhile]
        if not len(of):
            return ["no other warp of its scheduler was issued meanwhile: the slot before was still taken"], None
        before = of[of["issue"] <= cycle]
        one = before[np.argmax(before["issue"])] if len(before) else of[np.argmin(of["issue"])]
        return [f"its scheduler issued {len(of):,} other{'s' * (len(of) > 1)} meanwhile, {'latest' if len(before) else 'first'} {self._issued(one)}"], None

    def _holder(self, record: np.void, cycle: int) -> list[str]:
        """What holds the unit."""
        unit = self.run.architecture.units[int(record["unit"])]
        of = self.issues["multiprocessor"] == record["multiprocessor"] if unit.scope != "scheduler" else self._same_scheduler(record)
        held = self.issues[of & (self.issues["unit"] == record["unit"]) & (self.issues["issue"] <= cycle)]
        if not len(held):
            return [f"the unit {unit.name} is taken"]
        last = held[np.argmax(held["issue"])]
        return [f"the unit {unit.name} is taken by {self._issued(last)}{self._conflicts(last)}"]

    def _sender(self, record: np.void, cycle: int) -> list[str]:
        """The access whose requests the load/store unit is sending, and, where requests were recorded, those that it has on their way."""
        said = [f"the load/store unit still sends requests of {self._issued(each)}" for each in self._sending(record, cycle)]
        if not len(self.timeline.requests):
            return said
        limits, sm = self.run.architecture.load_store, int(record["multiprocessor"])
        for what, most in (("reads", limits.reads_in_flight_per_multiprocessor), ("stores", limits.stores_in_flight_per_multiprocessor)):
            under_way = self._requests.under_way(sm, cycle, what == "reads")
            if len(under_way):
                said.append(f"{len(under_way):,} of {most:,} {what} that multiprocessor {sm} may have in flight are under way:")
                said += [f"  {each}" for each in self._requests.fillers(under_way)[:2]]
        return said

    def _sending(self, record: np.void, cycle: int) -> list[np.void]:
        """The access that the load/store unit works on."""
        of = self.issues[(self.issues["multiprocessor"] == record["multiprocessor"]) & (self.issues["unit"] >= 0) & (self.issues["issue"] <= cycle)]
        of = of[np.isin(of["statement"], sorted(self._accesses))]
        return [of[np.argmax(of["issue"])]] if len(of) else []


def _state(record: np.void, cycle: int) -> tuple[str, int, int]:
    """What a warp does at a cycle, and from when until when; turns are in the order in which traces show them."""
    at = int(record["begin"])
    turns = int(record["throttled"]), int(record["unit_busy"])
    for what, cycles in ((STALLS[record["cause"]], int(record["since"]) - at), ("memory_throttle", turns[0]), ("pipe_busy", turns[1]),
                         ("not_selected", int(record["issue"] - record["since"]) - sum(turns))):
        if at <= cycle < at + cycles:
            return what, at, at + cycles
        at += cycles
    return "selected", int(record["issue"]), int(record["end"])
