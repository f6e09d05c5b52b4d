"""The machine of the reference: threads, each with its own registers, walking through steps.

Threads walk in *parties*: threads of one warp at one place. A party that comes to a branch where its threads disagree splits; the
parts walk on their own and wait where the ways of the branch meet (its immediate post-dominator), then go on together.

Whether threads start as one party per warp or each as a party of one depends on the kernel. PTX promises no convergence, so threads
walk alone unless the kernel asks which threads are converged: ``activemask``, and votes and shuffles without a mask. Only those have
a meaning that needs an active set, and it is the one that meeting at post-dominators gives.

Parties of a block take turns in a fixed order, a few steps each; blocks run one after another. A party that waits for others (a
barrier, a vote with a mask) is asked again each round. If nobody moved in a round, threads that wait where ways meet go on without those
that did not come, which may wait for them in turn; if there are none, the kernel is stuck.
"""
from __future__ import annotations

import attrs

from archdef.ptx import ir
from archdef.testing.reference.code import Context, Step
from archdef.testing.reference.control import Frame, frame_of
from archdef.testing.reference.errors import Wrong
from archdef.testing.reference.graph import reconvergence_points
from archdef.testing.reference.layout import Layout
from archdef.testing.reference.memory import Memory
from archdef.testing.reference.stack import grow

LOCAL_ALIGNMENT = 256
"""Of each function's local variables."""
TURN = 40
"""Steps a party takes before the next one's turn."""


class Program:
    """A kernel and the functions it calls, compiled to steps as they are reached."""

    def __init__(self, module: ir.Module, entry: str, layout: Layout, warp_size: int):
        self.module, self.layout, self.warp_size = module, layout, warp_size
        self._steps: dict[str, list[Step]] = {}
        self._meetings: dict[str, list[int]] = {}
        self.entry = module.functions[entry]
        self.converges = any(_asks_who_is_converged(i) for f in self._reached() for i in f.body)

    def steps(self, function: ir.Function) -> list[Step]:
        """Give the steps of a function."""
        if function.name not in self._steps:
            context = Context(self.module, function, self.layout, self.warp_size)
            self._steps[function.name] = [context.compile(i) for i in function.body]
        return self._steps[function.name]

    def meetings(self, function: ir.Function) -> list[int]:
        """Give where the ways from each instruction meet."""
        if function.name not in self._meetings:
            self._meetings[function.name] = reconvergence_points(function)
        return self._meetings[function.name]

    def _reached(self) -> list[ir.Function]:
        found, waiting = {self.entry.name: self.entry}, [self.entry]
        while waiting:
            for i in waiting.pop().body:
                if i.opcode != "call":
                    continue
                callee = i.operands[0].callee
                names = [callee.name] if isinstance(callee, ir.Symbol) else list(self.module.functions)  # through a register: any
                for function in filter(None, map(self.module.functions.get, names)):
                    if function.name not in found and not function.entry:
                        found[function.name] = function
                        waiting.append(function)
        return list(found.values())


def _asks_who_is_converged(i: ir.Instruction) -> bool:
    if i.opcode == "activemask" or i.opcode == "vote" and "sync" not in i.modifiers:
        return True
    return i.opcode in ("shfl", "mx") and len(i.operands) < 5


@attrs.define(slots=True, eq=False)
class Warp:
    """Lanes that execute warp-wide instructions together."""

    number: int
    threads: list[Thread] = attrs.Factory(list)


@attrs.define(slots=True, eq=False)
class Thread:
    """One thread: where it is in the grid, and its registers, innermost frame last."""

    block: Block
    warp: Warp
    lane: int
    tid: tuple[int, int, int]
    ntid: tuple[int, int, int]
    ctaid: tuple[int, int, int]
    nctaid: tuple[int, int, int]
    dynamic_shared_bytes: int
    frame: Frame
    frames: list[Frame] = attrs.Factory(list)
    registers: dict[str, int] = attrs.Factory(dict)
    """Those of the innermost frame; predicates are 0 or 1."""
    carry: int = 0
    local: bytearray = attrs.Factory(bytearray)
    local_base: int = 0
    """Where the innermost function's variables start in `local`."""
    top: int = 0
    """End of the thread's stack in `local`."""
    alive: bool = True
    cluster_arrivals: int = 0
    """How often it has arrived at the cluster's barrier."""
    party: Party | None = None


@attrs.define(slots=True, eq=False)
class Party:
    """Threads of one warp that walk together."""

    threads: list[Thread]
    function: ir.Function
    depth: int
    """Calls that these threads are inside of."""
    at: int = 0
    until: int = -1
    """Instruction at which it dissolves and its threads wait for the others of `parent`; -1 for none."""
    parent: Party | None = None
    parts: int = 0
    """Parties that it was split into and that have not dissolved yet."""
    waits: object = None
    """What it waits for: a barrier's number, a `Gathering`, or something that must hold."""


@attrs.define(slots=True, eq=False)
class Gathering:
    """Threads of a party at a warp-wide step, and the lanes each of them wants there."""

    step: Step
    wanted: dict[Thread, int]


@attrs.define(slots=True, eq=False)
class Barrier:
    """A block barrier that somebody has arrived at."""

    count: int = 0
    arrived: dict[Thread, object] = attrs.Factory(dict)


@attrs.define(slots=True, eq=False)
class Block:
    """One block while it runs."""

    program: Program
    memory: Memory
    parameters: bytearray
    shared: bytearray
    steps_left: int
    warps: list[Warp] = attrs.Factory(list)
    parties: list[Party] = attrs.Factory(list)
    """Those that walk or wait, in the order of their turns."""
    barriers: dict[int, Barrier] = attrs.Factory(dict)

    # ------------------------------------------------------------------------------------------------------------ turns
    def run(self) -> None:
        """Run to the end."""
        while self.parties:
            moved = False
            for party in list(self.parties):
                if party in self.parties:
                    moved |= self._turn(party)
            if not moved and not self._part_for_good():
                raise Wrong("the kernel is stuck: " + "; ".join(sorted({self._place(p) for p in self.parties})))

    def _part_for_good(self) -> bool:
        """Let threads that wait where ways meet go on without the others. Gives whether there are such."""
        for parent in {id(p.parent): p.parent for p in self.parties if p.parent is not None}.values():
            waiting = [t for t in parent.threads if t.alive and len(t.frames) == parent.depth and t.party not in self.parties
                       and t.party is not parent and t.party.parent is parent]
            if waiting:
                parent.threads = [t for t in parent.threads if t not in waiting]
                if parent.parent is not None:
                    parent.parent.parts += 1
                self._enter(Party(waiting, parent.function, parent.depth, parent.at, parent.until, parent.parent))
                return True
        return False

    def _place(self, party: Party) -> str:
        body = party.function.body
        return f"threads wait at `{body[party.at].text}` in line {body[party.at].where.line}"

    def _turn(self, party: Party) -> bool:
        """Walk a few steps; give whether anything happened."""
        if party.waits is not None and not self._released(party):
            return False
        for _ in range(TURN):
            if not self._step(party):
                return True
        return True

    def _step(self, party: Party) -> bool:
        """Take one step; give whether the party can take another one now."""
        if party.parts:
            raise AssertionError("a party that was split takes no steps")
        steps = self.program.steps(party.function)
        if party.at == party.until:
            self._dissolve(party)
            return False
        if party.at >= len(steps):
            return self._leave(party, party.threads, "exit" if party.function.entry else "return")
        self.steps_left -= len(party.threads)
        if self.steps_left < 0:
            raise Wrong(f"too many steps; now at `{steps[party.at].instruction.text}`")
        step = steps[party.at]
        active = [t for t in party.threads if step.holds(t)] if step.holds else party.threads
        return getattr(self, "_" + step.kind)(party, step, active)

    def _plain(self, party: Party, step: Step, active: list[Thread]) -> bool:
        for t in active:
            try:
                step.act(t)
            except Wrong as error:
                raise Wrong(f"line {step.instruction.where.line}: {error} (thread {t.tid} of block {t.ctaid})") from None
        party.at += 1
        return True

    # --------------------------------------------------------------------------------------------------------- branches
    def _branch(self, party: Party, step: Step, active: list[Thread]) -> bool:
        ways: dict[int, list[Thread]] = {}
        for t in party.threads:
            ways.setdefault(step.act(t) if t in active else party.at + 1, []).append(t)
        if len(ways) == 1:
            (party.at,) = ways
            return True
        self._split(party, ways, self.program.meetings(party.function)[party.at])
        return False

    def _split(self, party: Party, ways: dict[int, list[Thread]], meeting: int) -> None:
        """Send threads different ways; `party` waits for them at the meeting point."""
        self.parties.remove(party)
        party.at, party.parts = meeting, len(ways)
        for at, threads in sorted(ways.items()):
            self._enter(Party(threads, party.function, party.depth, at, meeting, party))

    def _enter(self, party: Party) -> None:
        for t in party.threads:
            t.party = party
        self.parties.append(party)

    def _dissolve(self, party: Party) -> None:
        """End a party; the one it was split from goes on once all its parts have ended."""
        self.parties.remove(party)
        parent = party.parent
        if parent is None:
            return
        parent.parts -= 1
        if parent.parts:
            return
        parent.threads = [t for t in parent.threads if t.alive and len(t.frames) == parent.depth]
        if parent.threads:
            self._enter(parent)
        else:
            self.parties.append(parent)
            self._dissolve(parent)

    # ------------------------------------------------------------------------------------------------- calls and ends
    def _call(self, party: Party, step: Step, active: list[Thread]) -> bool:
        after = party.at + 1
        if len(active) < len(party.threads):
            if active:  # the others wait behind the call
                rest = [t for t in party.threads if t not in active]
                self._split(party, {party.at: active, after: rest}, after)
            else:
                party.at = after
            return not active
        self.parties.remove(party)
        entered: dict[str, list[Thread]] = {}
        for t in active:
            frame = step.act(t)
            entered.setdefault(frame.function.name, []).append(t)
            t.frames.append(t.frame)
            t.frame, t.registers = frame, frame.registers
            frame.stack = t.local_base, t.top
            t.local_base = grow(t, self.program.layout.local_bytes, LOCAL_ALIGNMENT)
        party.at, party.parts = after, len(entered)
        for threads in entered.values():
            self._enter(Party(threads, threads[0].frame.function, party.depth + 1, parent=party))
        return False

    def _return(self, party: Party, step: Step, active: list[Thread]) -> bool:
        return self._leave(party, active, "return")

    def _exit(self, party: Party, step: Step, active: list[Thread]) -> bool:
        return self._leave(party, active, "exit")

    def _leave(self, party: Party, leaving: list[Thread], kind: str) -> bool:
        """End threads, or take them back to their callers; the others go on."""
        for t in list(leaving):
            if kind == "exit":
                t.alive = False
            else:
                frame = t.frame
                t.frame = t.frames.pop()
                t.registers = t.frame.registers
                t.local_base, t.top = frame.stack
                frame.finish(t, frame)
        party.threads = [t for t in party.threads if t not in leaving]
        party.at += 1
        if not party.threads:
            self._dissolve(party)
        return bool(party.threads)

    def _trap(self, party: Party, step: Step, active: list[Thread]) -> bool:
        if active:
            raise Wrong("the kernel executes trap")
        party.at += 1
        return True

    # ----------------------------------------------------------------------------------------- waiting for one another
    def _barrier(self, party: Party, step: Step, active: list[Thread]) -> bool:
        arrivals = {t: step.act(t) for t in active}
        numbers = {a.number for a in arrivals.values()}
        if len(numbers) > 1 or any(n > 15 for n in numbers):
            raise Wrong(f"`{step.instruction.text}`: barrier numbers {sorted(numbers)} in one warp")
        for t, arrival in arrivals.items():
            barrier = self.barriers.setdefault(arrival.number, Barrier())
            if t in barrier.arrived:
                raise Wrong(f"`{step.instruction.text}`: a thread arrives twice")
            barrier.count = arrival.count or barrier.count
            barrier.arrived[t] = arrival
        if arrivals and arrival.waits:
            party.waits = arrival.number, [barrier]
            return self._released(party)
        party.at += 1
        return True

    def _until(self, party: Party, step: Step, active: list[Thread]) -> bool:
        party.waits = lambda: all(step.act(t) for t in active)
        return self._released(party)

    def _complete(self, barrier: Barrier) -> bool:
        """All threads of the block that have not ended; or, of a counted barrier, enough whole warps."""
        if not barrier.count:
            return all(t in barrier.arrived for w in self.warps for t in w.threads if t.alive)
        whole = [w for w in self.warps if any(t in barrier.arrived for t in w.threads)
                 and all(t in barrier.arrived or not t.alive for t in w.threads)]
        return len(whole) * self.program.warp_size >= barrier.count

    def _released(self, party: Party) -> bool:
        """Let a party go on if what it waits for has come."""
        if isinstance(party.waits, Gathering):
            return self._gathered(party)
        if callable(party.waits):
            if not party.waits():
                return False
            party.waits = None
            party.at += 1
            return True
        number, (barrier,) = party.waits
        if self.barriers.get(number) is barrier:
            if not self._complete(barrier):
                return False
            del self.barriers[number]
            results = [a.holds for a in barrier.arrived.values()]
            for t, arrival in barrier.arrived.items():
                if arrival.finish:
                    arrival.finish(t, results)
        party.waits = None
        party.at += 1
        return True

    def _warp(self, party: Party, step: Step, active: list[Thread]) -> bool:
        if not active:
            party.at += 1
            return True
        if step.details is None:
            step.act(active)
            party.at += 1
            return True
        wanted = {t: step.details(t) for t in active}
        for t, mask in wanted.items():
            if not mask >> t.lane & 1:
                raise Wrong(f"`{step.instruction.text}`: lane {t.lane} is not in its own mask {mask:#x}")
        party.waits = Gathering(step, wanted)
        return self._gathered(party)

    def _gathered(self, party: Party) -> bool:
        """Do a warp-wide step for every group of this party whose lanes have all come, each with the same mask."""
        gathering = party.waits
        warp = party.threads[0].warp
        for mask in sorted(set(gathering.wanted.values())):
            group = [t for t in warp.threads if mask >> t.lane & 1 and t.alive]
            there = [t.party.waits if t.party is not None else None for t in group]
            if all(isinstance(g, Gathering) and g.step is gathering.step and g.wanted.get(t) == mask
                   for t, g in zip(group, there)):
                gathering.step.act(group)
                for t, g in zip(group, there):
                    del g.wanted[t]
        if gathering.wanted:
            return False
        party.waits = None
        party.at += 1
        return True


def run_block(program: Program, memory: Memory, layout: Layout, ctaid, grid, block, dynamic_shared_bytes: int, max_steps: int) -> int:
    """Run one block; give the steps left."""
    running = Block(program, memory, layout.parameters, bytearray(layout.shared_bytes), max_steps)
    size = program.warp_size
    for z in range(block[2]):
        for y in range(block[1]):
            for x in range(block[0]):
                number = x + block[0] * (y + block[1] * z)
                if number % size == 0:
                    running.warps.append(Warp(number // size))
                frame = frame_of(program.entry)
                running.warps[-1].threads.append(Thread(
                    running, running.warps[-1], number % size, (x, y, z), block, ctaid, grid, dynamic_shared_bytes,
                    frame, registers=frame.registers, local=bytearray(layout.local_bytes), top=layout.local_bytes))
    for warp in running.warps:
        for threads in [warp.threads] if program.converges else [[t] for t in warp.threads]:
            running._enter(Party(list(threads), program.entry, 0))
    running.run()
    return running.steps_left
