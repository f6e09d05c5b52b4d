"""Random kernels about control flow: early returns, breaks, continues, switches, calls, and loops that only the end leaves, around barriers,
votes and shuffles.

Each kernel keeps CUDA's rules, so there is one right answer and it ends: a barrier stands where all threads of the block come that have not
ended, a vote where all of the warp do. The writer knows at each place who comes there together (`Level`). What threads that leave a loop or a
function early leave behind, others of the warp no longer reach together. Then the ways take the shapes that compilers give them (`flow_graph`).
"""
from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable

import attrs
import numpy as np

from archdef.testing.compare import Launch
from archdef.testing.flow_graph import Block, Shape, shaped

VALUES = 5
"""Registers whose values end up in memory, %r from 0 on."""
OWN = 32
"""Bytes of memory of each thread that it reads and writes; and as many for its results."""
DEEPEST = 4
MOST_TEMPORARIES = 400
MOST_LINES = 160
"""Of a function, after which no more is added."""
WAYS_OUT, WAITS = {"break", "continue", "return", "end"}, {"barrier", "vote", "shuffle", "call"}
COMPILERS = (Shape(one_end=True, threaded=True, guarded=True, order="source"), Shape(one_end=True, threaded=True, order="late"),
             Shape(threaded=True, guarded=True, order="late"), Shape(one_end=True, split=True), Shape(order="any"), Shape(one_end=True, order="any"))


class Level(enum.IntEnum):
    """Which threads that have not ended come to a place together."""

    ALONE = 0
    WARP = 1
    BLOCK = 2


def launches(features, warp_size: int):
    """Give the hypothesis strategy of `draw`'s kernels."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw_from):
        return draw(lambda low, high: draw_from(st.integers(low, high)), features, warp_size)
    return drawn()


def draw(integer: Callable[[int, int], int], features, warp_size: int) -> Launch:
    """Make a kernel and its launch out of whole numbers.

    integer   : gives one from low to high; ``random.Random(seed).randint`` will do.
    features  : what the architecture allows; nothing else is used.
    warp_size : lanes of its warps.
    """
    threads = integer(1, 96) if integer(0, 2) == 0 else 32 * integer(1, 3)
    text = Module(integer, frozenset(features), threads, warp_size).text()
    own = ((np.arange(threads * OWN // 4, dtype="u4") * np.uint32(2654435761)) >> np.uint32(integer(0, 24))).astype("u4")
    return Launch(text, (own, np.zeros(threads * OWN // 4, "u4"), integer(0, 7)), (1,), (threads,))


@attrs.define(slots=True, eq=False)
class Loop:
    """A loop that is being written."""

    after: Block
    """Where a break leads."""
    latch: Block
    """Where a continue leads."""
    body: Level
    """Who makes each round together."""
    cap: Level = Level.BLOCK
    """Who of them still comes to the rest of the round, once some have gone on to the next."""
    may_continue: bool = True
    holds: set[str] = attrs.Factory(set)
    """What was written within it, as `Module.written` calls it."""


@attrs.frozen
class Callee:
    """A device function that has been written."""

    name: str
    level: Level
    """Who has to call it together."""
    parameters: bool
    """Whether values are handed over in ``.param``, not in registers."""


class Module:
    """Writes a kernel and the functions that it calls."""

    def __init__(self, integer: Callable[[int, int], int], features: frozenset[str], threads: int, warp_size: int):
        self.integer, self.features, self.threads, self.warp_size = integer, features, threads, warp_size
        self.wide = warp_size > 32
        self.can_ballot = "vote_ballot" in features and (not self.wide or "lane_masks_64" in features)
        self.shape = self.pick(*COMPILERS)
        self.callees: list[Callee] = []
        self.written: Counter[str] = Counter()
        """What the module holds: ways out (break, continue, return, end), what waits for others (barrier, vote, shuffle, call), the kinds of
        loops and switches, and ways out of loops that wait: ``break beside barrier``."""

    def number(self, most: int) -> int:
        return self.integer(0, most)

    def pick(self, *choices):
        return choices[self.number(len(choices) - 1)]

    def text(self) -> str:
        """Write the module."""
        functions = []
        for k in range(self.number(2) if "device_calls" in self.features else 0):
            callee = Callee(f"f{k}", self.pick(Level.BLOCK, Level.ALONE), bool(self.number(1)))
            functions.append(_function(callee, Body(self, callee).function()))
            self.callees.append(callee)
        return f""".version 8.6
.target sm_90
.address_size 64
.shared .align 8 .b8 shared[{4 * self.threads}];
{"".join(functions)}
.visible .entry k(.param .u64 own, .param .u64 results, .param .u32 n)
{{
{_REGISTERS}{Body(self, None).kernel()}
}}
"""


_REGISTERS = f"""    .reg .pred %p<{MOST_TEMPORARIES}>; .reg .b32 %r<{VALUES}>; .reg .b32 %t; .reg .b32 %u; .reg .b32 %d; .reg .b32 %x<8>; .reg .b64 %y<6>;
    .reg .b32 %c<{MOST_TEMPORARIES}>; .reg .b64 %own; .reg .b64 %out; .reg .b64 %slot;
"""


def _function(callee: Callee, body: str) -> str:
    names = ("b32 x", "b32 t", "b32 u", "b32 d", "b64 own", "b64 out", "b64 slot")
    registers = _REGISTERS
    if callee.parameters:
        return (f".func (.param .b32 back) {callee.name}({', '.join(f'.param .{n}' for n in names)})\n{{\n{registers}    .reg .b32 %back;\n"
                f"    ld.param.b32 %r0, [x]; ld.param.b32 %t, [t]; ld.param.b32 %u, [u]; ld.param.b32 %d, [d];\n"
                f"    ld.param.b64 %own, [own]; ld.param.b64 %out, [out]; ld.param.b64 %slot, [slot];\n{body}\n}}\n")
    for name in ("b32 %t", "b32 %u", "b32 %d", "b64 %own", "b64 %out", "b64 %slot"):
        registers = registers.replace(f" .reg .{name};", "")
    given = ", ".join(".reg ." + n.replace(" ", " %") for n in names)
    return f".func (.reg .b32 %back) {callee.name}({given})\n{{\n{registers}    mov.u32 %r0, %x;\n{body}\n}}\n"


class Body:
    """Writes one function, or the kernel."""

    def __init__(self, module: Module, callee: Callee | None):
        self.module, self.callee, self.number, self.pick = module, callee, module.number, module.pick
        self.features = module.features
        self.blocks: list[Block] = []
        self.here: Block | None = None
        """The block that is being written; None: nobody comes here."""
        self.region = callee.level if callee else Level.BLOCK
        self.cap = Level.BLOCK
        """Who comes to the rest of the function together, once some have returned from it."""
        self.loops: list[Loop] = []
        self.tails: list[Block] = []
        """Code with which threads end, to which several ways lead."""
        self.closing = False
        """Whether those are being written, in which nothing leads back to others."""
        self.predicates = self.counters = self.size = 0
        self.last: Block | None = None
        """The kernel's last part, without barriers: results are stored."""

    # ------------------------------------------------------------------------------------------------------------ parts
    @property
    def level(self) -> Level:
        """Who comes to this place together."""
        return min(self.region, self.cap, *(loop.cap for loop in self.loops))

    def emit(self, text: str, guardable: bool = False) -> None:
        self.here.lines.append(text)
        self.here.guardable &= guardable
        self.size += 1

    def note(self, what: str) -> None:
        """Count something that is written here."""
        self.module.written[what] += 1
        for loop in self.loops:
            loop.holds.add(what)

    def new(self) -> Block:
        self.blocks.append(Block(f"L{len(self.blocks)}"))
        return self.blocks[-1]

    def place(self, block: Block) -> None:
        """Go on writing there; the code before falls into it."""
        if self.here is not None:
            self.here.jump(block)
        self.here = block
        self.blocks.remove(block)       # blocks stand in the order in which they are written
        self.blocks.append(block)

    def r(self) -> str:
        return f"%r{self.number(VALUES - 1)}"

    def predicate(self) -> str:
        self.predicates += 1
        return f"%p{self.predicates}"

    # ------------------------------------------------------------------------------------------------------- conditions
    def test(self, level: Level) -> str:
        """Compute a predicate on which all that come here together up to a level agree."""
        p = self.predicate()
        if level == Level.BLOCK:
            self.emit("and.b32 %x0, %u, 3")
            self.emit(f"setp.{self.pick('eq', 'lt', 'ne')}.u32 {p}, %x0, {self.number(3)}")
        elif level == Level.WARP:
            self.emit(f"div.u32 %x0, %t, {self.module.warp_size}")
            self.emit(f"setp.{self.pick('eq', 'ne')}.u32 {p}, %x0, {self.number(2)}")
        else:
            kind = self.number(3)
            if kind == 0:
                self.emit(f"setp.{self.pick('eq', 'lt', 'ge', 'ne')}.u32 {p}, %t, {self.pick(0, 1, 5, 16, 31, 32, 40, 63)}")
            elif kind == 1:
                self.emit(f"and.b32 %x0, %t, {self.pick(1, 3, 7, 31)}")
                self.emit(f"setp.{self.pick('eq', 'gt', 'ne')}.u32 {p}, %x0, {self.pick(0, 1, 2, 5)}")
            elif kind == 2:
                self.emit(f"and.b32 %x0, {self.r()}, {self.pick(1, 3, 12, 0x70)}")
                self.emit(f"setp.{self.pick('eq', 'ne')}.u32 {p}, %x0, 0")
            else:
                self.emit(f"setp.lt.s32 {p}, {self.r()}, {self.r()}")
        return p

    def some_level(self) -> Level:
        """A level of a condition here: mostly threads of a warp differ."""
        return min(self.level, self.pick(Level.ALONE, Level.ALONE, Level.ALONE, Level.WARP, Level.BLOCK))

    def part(self, yes: Block, no: Block) -> Level:
        """Go to one of two places by a condition of one to three tests, each with a branch; give who goes there together."""
        level = self.some_level()
        for _ in range(self.number(2) if self.number(2) == 2 else 0):
            after = self.new()
            p = self.test(level)
            self.here.branch(p, *self.pick((yes, after), (after, no)))
            self.here = None
            self.place(after)
            level = min(level, self.some_level())
        self.here.branch(self.test(level), yes, no)
        self.here = None
        return level

    # ---------------------------------------------------------------------------------------------------------- control
    def within(self, level: Level, block: Block, depth: int, most: int, last: bool = True) -> None:
        """Write a part of the code that threads come to by some way; it may end in a way out."""
        around, self.region = self.region, min(self.region, level)
        self.here = None
        self.place(block)
        self.statements(depth, most)
        if last and self.here is not None and self.number(3) == 0:
            self.go()
        self.region = around

    def statements(self, depth: int, most: int) -> None:
        for _ in range(self.number(most)):
            if self.here is not None and self.size < MOST_LINES:
                self.statement(depth)

    def statement(self, depth: int) -> None:
        kinds = [self.work, self.work, self.memory]
        if depth < DEEPEST:
            kinds += [lambda: self.condition(depth)] * 3 + [lambda: self.switch(depth), lambda: self.loop(depth), lambda: self.loop(depth)]
        if self.level == Level.BLOCK:
            kinds += [self.exchange, self.exchange, self.reduce]
        if self.level >= Level.WARP:
            kinds += [self.together]
        if "device_calls" in self.features:
            kinds += [self.call]
        if self.loops:
            kinds += [self.leave_round] * 2
        if self.callee:
            kinds += [self.leave_function]
        self.pick(*kinds)()

    def condition(self, depth: int) -> None:
        yes, end = self.new(), self.new()
        no = self.new() if self.number(1) else end
        level = self.part(yes, no)
        comes = no is end
        self.within(level, yes, depth + 1, 4)
        if self.here is not None:
            self.here.jump(end)
            comes = True
        if no is not end:
            self.within(level, no, depth + 1, 4)
            if self.here is not None:
                self.here.jump(end)
                comes = True
        self.here = None
        if comes:
            self.place(end)

    def switch(self, depth: int) -> None:
        """By a table of targets or by a chain of tests; a way may lead into the next."""
        level = self.pick(Level.ALONE, self.level) if self.level != Level.WARP else Level.ALONE
        ways, end = [self.new() for _ in range(self.number(2) + 2)], self.new()
        self.emit(f"and.b32 %x1, {'%u' if level == Level.BLOCK else self.r()}, 3")
        targets = [self.pick(*ways, end) for _ in range(4)]
        if self.number(1):
            self.note("switch by table")
            self.here.index("%x1", targets)
        else:
            self.note("switch by chain")
            selector = self.counter()
            self.emit(f"mov.u32 {selector}, %x1")
            for k, target in enumerate(targets[:3]):
                after, p = self.new(), self.predicate()
                self.emit(f"setp.eq.u32 {p}, {selector}, {k}")
                self.here.branch(p, target, after)
                self.here = None
                self.place(after)
            self.here.jump(targets[3])
        comes, falls = end in targets, None
        for way in ways:
            if way not in targets and falls is None:
                continue
            if falls is not None:
                falls.jump(way)
            self.within(level, way, depth + 1, 3)
            falls = None
            if self.here is not None and way is not ways[-1] and self.number(3) == 0:
                falls = self.here
            elif self.here is not None:
                self.here.jump(end)
                comes = True
        self.here = None
        if comes:
            self.place(end)

    def counter(self) -> str:
        self.counters += 1
        return f"%c{self.counters}"

    def loop(self, depth: int) -> None:
        """A counted loop: tested before a round, behind it or within; left by its count, by a break, or only by the end of the threads."""
        if len(self.loops) > 2:
            return
        leaves = self.number(4) == 0            # the count leads to the thread's end, so others need not agree with it
        level = self.level if leaves else min(self.level, self.pick(Level.ALONE, Level.BLOCK, Level.BLOCK))
        level = Level.ALONE if level == Level.WARP and not leaves else level
        counter, kind = self.counter(), self.pick("while", "rotated", "do", "within")
        self.note(f"loop: {kind}")
        if leaves:
            self.note("loop that only the end leaves")
        agreed = level == Level.BLOCK and not leaves
        self.emit(f"and.b32 {counter}, {'%u' if agreed else self.r()}, {1 if depth > 1 else 3}")
        head, latch, after = self.new(), self.new(), self.new()
        loop = Loop(after, latch, level)
        leaving = self.new() if leaves else after
        if kind == "rotated":
            p = self.predicate()
            self.emit(f"setp.ne.u32 {p}, {counter}, 0")
            self.here.branch(p, head, leaving)
            self.here = None
        self.place(head)
        if kind == "while":
            self.leave_by_count(counter, leaving)
        around, self.region = self.region, min(self.region, level)
        self.loops.append(loop)
        if kind == "within":
            loop.may_continue = False
            self.statements(depth + 1, 3)
            if self.here is not None:
                self.leave_by_count(counter, leaving)
            loop.may_continue = True
        self.statements(depth + 1, 4)
        holds = self.loops.pop().holds
        self.module.written.update(f"{way} beside {wait}" for way in holds & WAYS_OUT for wait in holds & WAITS)
        self.region = around
        self.place(latch)
        if kind in ("rotated", "do"):
            p = self.predicate()
            self.emit(f"sub.s32 {counter}, {counter}, 1")
            self.emit(f"setp.gt.s32 {p}, {counter}, 0")
            self.here.branch(p, head, leaving)
        else:
            self.here.jump(head)
        self.here = None
        if leaves:
            self.place(leaving)
            self.end_thread()
        if not leaves or any(after in block.targets for block in self.blocks):
            self.place(after)

    def leave_by_count(self, counter: str, leaving: Block) -> None:
        """Count a round down; leave if there was none left."""
        stay, p = self.new(), self.predicate()
        self.emit(f"setp.eq.u32 {p}, {counter}, 0")
        self.emit(f"sub.u32 {counter}, {counter}, 1")
        self.here.branch(p, leaving, stay)
        self.here = None
        self.place(stay)

    # --------------------------------------------------------------------------------------------------------- ways out
    def go(self) -> None:
        """Leave: the round, a loop, the function, or for good."""
        level, ways = self.level, [self.end_thread, self.end_thread]
        for k in range(len(self.loops) - 1, -1, -1):
            inner = self.loops[k + 1:]
            if any(level < loop.body for loop in inner):
                break
            if self.loops[k].may_continue:
                ways.append(lambda k=k: self.to_latch(k, level))
            if level >= self.loops[k].body:
                ways.append(lambda k=k: self.to_end_of(k))
        if self.callee and self.may_return(level):
            ways += [lambda: self.go_back(level)] * 2
        self.pick(*ways)()

    def leave_round(self) -> None:
        """Break or continue on a condition; the rest of the round stands behind it."""
        loop = self.loops[-1]
        breaks = self.level >= loop.body and (not loop.may_continue or self.number(1) == 1)
        if not breaks and not loop.may_continue:
            return
        level, go, stay = loop.body if breaks else self.some_level(), self.new(), self.new()
        self.here.branch(self.test(level), go, stay)
        self.here = None
        self.place(go)
        if breaks:
            self.to_end_of(len(self.loops) - 1)
        else:
            self.to_latch(len(self.loops) - 1, level)
        self.place(stay)

    def leave_function(self) -> None:
        """Return on a condition; the rest of the function stands behind it."""
        level = self.some_level()
        if not self.may_return(level):
            level = self.level
        if not self.may_return(level):
            return
        go, stay = self.new(), self.new()
        self.here.branch(self.test(level), go, stay)
        self.here = None
        self.place(go)
        self.go_back(level)
        self.place(stay)

    def may_return(self, level: Level) -> bool:
        """Say whether threads may return that come here together up to a level: others of their loops would go on to barriers without them."""
        return all(level >= loop.body for loop in self.loops)

    def to_latch(self, k: int, level: Level) -> None:
        self.note("continue")
        self.here.jump(self.loops[k].latch)
        self.here = None
        self.loops[k].cap = min(self.loops[k].cap, level)

    def to_end_of(self, k: int) -> None:
        self.note("break")
        self.here.jump(self.loops[k].after)
        self.here = None

    def go_back(self, level: Level) -> None:
        """Return from the function."""
        self.note("return")
        self.emit(f"mov.u32 %back, {self.r()}")
        self.return_()
        self.cap = min(self.cap, level)

    def return_(self) -> None:
        if self.callee.parameters:
            self.emit("st.param.b32 [back], %back")
        self.here.way, self.here = "ret", None

    def end_thread(self) -> None:
        """End threads: there, behind a store, or by code to which other ways lead, such as the kernel's last."""
        self.note("end")
        kind = self.number(1 if self.closing else 4)
        if kind == 0 and self.here.lines:
            self.emit(f"st.global.u32 [%out+24], {self.r()}")
        if kind < 2:
            self.here.way = "exit" if self.callee else self.pick("ret", "ret", "exit")
        elif kind == 2 and self.last is not None:
            self.here.jump(self.last)
        else:
            if not self.tails or self.number(1):
                self.tails.append(self.new())
            self.emit(f"mov.u32 %x7, {self.number(9)}", guardable=True)
            self.here.jump(self.pick(*self.tails))
        self.here = None

    def write_tails(self) -> None:
        self.closing = True
        for tail in self.tails:
            self.within(Level.ALONE, tail, DEEPEST - 1, 2, last=False)
            if self.here is not None:
                self.emit("st.global.u32 [%out+28], %x7")
                if self.last is not None and self.number(1):
                    self.here.jump(self.last)
                else:
                    self.here.way = "exit" if self.callee else "ret"
                self.here = None

    # ------------------------------------------------------------------------------------------------------- statements
    def work(self) -> None:
        a, b, c = self.r(), self.r(), self.r()
        self.emit(self.pick(f"mad.lo.s32 {a}, {b}, {self.number(9)}, {c}", f"xor.b32 {a}, {b}, {c}", f"add.s32 {a}, {b}, %t",
                            f"shr.u32 {a}, {b}, {self.number(9)}", f"mov.u32 {a}, {self.number(99)}", f"sub.s32 {a}, {b}, {c}"), guardable=True)
        if self.level == Level.BLOCK and self.number(3) == 0:
            self.emit(f"mad.lo.s32 %u, %u, 5, {self.number(9)}")

    def memory(self) -> None:
        at = f"[%own+{4 * self.number(OWN // 4 - 1)}]"
        self.emit(f"ld.global.u32 {self.r()}, {at}" if self.number(1) else f"st.global.u32 {at}, {self.r()}", guardable=True)

    def exchange(self) -> None:
        """Pass a value to another thread of the block; or one thread's to all, which agree on it then."""
        self.note("barrier")
        into = "%u" if self.number(3) == 0 else self.r()
        self.emit(f"st.shared.u32 [%slot], {self.r()}")
        self.emit(self.pick("bar.sync 0", *(("bar.sync 1", "barrier.sync 2") if "barrier_count" in self.features else ())))
        if into == "%u":
            self.emit(f"ld.shared.u32 %u, [shared+{4 * self.number(self.module.threads - 1)}]")
        else:
            self.emit(f"add.u32 %x2, %t, {self.number(self.module.threads - 1)}")
            self.emit(f"rem.u32 %x2, %x2, {self.module.threads}")
            self.emit("mul.wide.u32 %y0, %x2, 4")
            self.emit("mov.u64 %y1, shared")
            self.emit("add.s64 %y0, %y0, %y1")
            self.emit(f"ld.shared.u32 {into}, [%y0]")
        self.emit("bar.sync 0")

    def reduce(self) -> None:
        """A barrier that reduces."""
        self.note("barrier")
        if "barrier_reduce" not in self.features:
            self.emit("bar.sync 0")
            return
        p = self.test(Level.ALONE)
        if self.number(1):
            self.emit(f"bar.red.popc.u32 {self.pick('%u', self.r())}, 0, {p}")
            return
        q = self.predicate()
        self.emit(f"bar.red.{self.pick('and', 'or')}.pred {q}, 0, {p}")
        self.emit(f"selp.u32 {self.pick('%u', self.r())}, 2, 3, {q}")

    def together(self) -> None:
        """A vote or a shuffle of all lanes of the warp that have not ended."""
        if "vote" not in self.features:
            return
        self.note("vote")
        p, q = self.test(Level.ALONE), self.predicate()
        choices = [lambda: (self.emit(f"vote.sync.{self.pick('any', 'all')}.pred {q}, {p}, -1"), self.emit(f"selp.u32 {self.r()}, 2, 3, {q}"))]
        if self.module.can_ballot:
            mask, bits = ("%y2", 64) if self.module.wide else ("%x3", 32)
            choices.append(lambda: self.emit(f"vote.sync.ballot.b{bits} {mask}, {p}, -1"))
            if self.features >= {"shuffle", "bit_operations"}:
                choices += [lambda: self.shuffle(mask, bits)] * 2
        choices.append(lambda: self.emit("bar.warp.sync -1"))
        self.pick(*choices)()
        if self.module.can_ballot:
            self.emit(f"cvt.u32.u64 {self.r()}, %y2" if self.module.wide else f"mov.u32 {self.r()}, %x3")

    def shuffle(self, mask: str, bits: int) -> None:
        """The value of the last lane that has not ended."""
        self.note("shuffle")
        self.emit(f"vote.sync.ballot.b{bits} {mask}, 1, -1")
        self.emit(f"bfind.u{bits} %x4, {mask}")
        value = self.r()
        self.emit(f"shfl.sync.idx.b32 {self.r()}, {value}, %x4, {bits - 1}, {self.pick(mask, '-1')}")

    def call(self) -> None:
        """Call a function, or from a function, with a depth, itself."""
        callees = [c for c in self.module.callees if c.level <= self.level]
        depth, after = self.number(2), None
        if self.callee and self.callee.level <= self.level and self.number(1):
            callee, p, inner, after = self.callee, self.predicate(), self.new(), self.new()
            self.emit(f"setp.gt.s32 {p}, %d, 0")
            self.emit("sub.s32 %x5, %d, 1")
            self.here.branch(p, inner, after)
            self.here = None
            self.place(inner)
        elif callees:
            callee = self.pick(*callees)
            self.emit(f"mov.u32 %x5, {depth}")
        else:
            return
        self.note("call" if after is None else "call of itself")
        back, names = self.r(), (self.r(), "%t", "%u", "%x5", "%own", "%out", "%slot")
        if callee.parameters:
            kinds = ("b32", "b32", "b32", "b32", "b64", "b64", "b64")
            given = [f".param .{kind} a{k}; st.param.{kind} [a{k}], {name};" for k, (kind, name) in enumerate(zip(kinds, names))]
            self.emit(f"{{ .param .b32 b0; {' '.join(given)} call (b0), {callee.name}, ({', '.join(f'a{k}' for k in range(7))}); "
                      f"ld.param.b32 {back}, [b0]; }}")
        else:
            self.emit(f"call ({back}), {callee.name}, ({', '.join(names)})")
        if after is not None:
            self.place(after)

    # ------------------------------------------------------------------------------------------------------------ whole
    def start(self) -> None:
        """Give the registers values that differ from thread to thread."""
        for k in range(self.callee is not None, VALUES):
            self.emit(f"ld.global.u32 %r{k}, [%own+{4 * k}]" if k % 2 else f"mad.lo.s32 %r{k}, %t, {k * 77 + 1}, {k * 1000}")
        self.emit("mov.u32 %x3, 0")
        self.emit("mov.u64 %y2, 0")
        self.emit("mov.u32 %x7, 0")

    def kernel(self) -> str:
        """Write the kernel."""
        self.here = self.new()
        for text in ("ld.param.u64 %own, [own]", "ld.param.u64 %out, [results]", "ld.param.u32 %u, [n]", "mov.u32 %t, %tid.x",
                     f"mul.wide.u32 %y0, %t, {OWN}", "add.s64 %own, %own, %y0", "add.s64 %out, %out, %y0", "mov.u64 %y1, shared",
                     "mul.wide.u32 %y0, %t, 4", "add.s64 %slot, %y1, %y0", "st.shared.u32 [%slot], %t", "bar.sync 0"):
            self.emit(text)
        self.start()
        self.last = self.new()
        for _ in range(self.number(2) + 1):
            self.statements(0, 8)
        if self.here is not None:
            self.here.jump(self.last)
        self.here = None
        self.write_tails()
        self.within(Level.ALONE, self.last, DEEPEST - 1, 2, last=False)
        if self.here is not None:
            for k in range(VALUES):
                self.emit(f"st.global.u32 [%out+{4 * k}], %r{k}")
            self.emit("st.global.u32 [%out+20], %u")
        return shaped(self.blocks, self.module.shape, self.module.integer)

    def function(self) -> str:
        """Write a device function."""
        self.here = self.new()
        self.start()
        self.emit("mov.u32 %back, 1")
        for _ in range(self.number(1) + 1):
            self.statements(1, 6)
        if self.here is not None:
            self.go_back(Level.BLOCK)
        self.write_tails()
        return shaped(self.blocks, self.module.shape, self.module.integer)
