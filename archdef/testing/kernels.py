"""Random whole kernels, for hypothesis, which can shrink them, or from a seed.

Every thread computes on registers of its own, on its own bytes of global and local memory, and on values of other threads only where
PTX orders the accesses: through shared memory between two barriers, through atomics that commute, through votes, matches, reductions
and shuffles of lanes that are named. So there is one right answer, whatever the width of a warp. Kernels end, because loops count and
recursion has a depth.

Lanes that act together in divergent code are named by masks that a vote before the branch gave; `Kernel.mask` is the one of the
place that is being written, or None where nobody knows who is there.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef.testing.compare import Launch
from archdef.testing.kernel_statements import COUNTERS, DOUBLES, FLOATS, HALVES, INTEGERS, PREDICATES, SCRATCH, WIDES, Statements

RESULTS = 8 * (WIDES + DOUBLES) + 4 * (INTEGERS + FLOATS + HALVES + PREDICATES + 1)
RESULTS += -RESULTS % 8
MOST_WARPS = 64
"""Of a block, so that it fits a machine given other warps."""
MOST_MASKS = 40
EVERYBODY = "-1"


def launches(features, warp_size: int, unstructured: bool = False):
    """Give the hypothesis strategy of `draw`'s kernels."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw_from):
        return draw(lambda low, high: draw_from(st.integers(low, high)), features, warp_size, unstructured)
    return drawn()


def draw(integer: Callable[[int, int], int], features, warp_size: int, unstructured: bool = False) -> Launch:
    """Make a kernel and its launch out of whole numbers.

    integer      : gives one from low to high; ``random.Random(seed).randint`` will do.
    features     : what the architecture allows; nothing else is used.
    warp_size    : lanes of its warps; shuffles of all lanes are drawn if blocks are whole warps, and masks beyond 32 lanes have 64 bits.
    unstructured : branches to anywhere, forward and (counted) backward, in place of conditions and loops.
    """
    blocks = integer(1, 2)
    whole = bool(integer(0, 1))
    block = warp_size * integer(1, max(1, 40 // warp_size)) if whole else integer(1, min(72, MOST_WARPS * warp_size))
    writer = Kernel(integer, frozenset(features), whole_warps=whole, threads=block, warp_size=warp_size)
    text = writer.module(unstructured)
    threads = blocks * block
    scratch = ((np.arange(threads * SCRATCH // 4, dtype="u4") * np.uint32(2654435761)) >> np.uint32(integer(0, 24))).astype("u4")
    return Launch(text, (scratch, np.zeros(threads * RESULTS // 4, "u4"), np.zeros(COUNTERS * (1 + blocks), "u4")), (blocks,), (block,))


class Kernel(Statements):
    """Writes one kernel: control flow around statements."""

    def __init__(self, integer: Callable[[int, int], int], features: frozenset[str], whole_warps: bool, threads: int, warp_size: int):
        super().__init__(integer, features)
        self.whole_warps, self.threads = whole_warps, threads
        self.mask_bits = 32 if warp_size <= 32 else 64
        self.labels = self.loops = self.masks = 0
        self.breaks: list[str] = []
        """Ends of the loops around that may be left in the middle, innermost last."""
        self.exits = self.departs = False
        """Whether threads end before the kernel does, and whether some do within a condition or a loop."""
        self.tail = False
        """Whether threads wait for the others at the last instructions, wherever those are."""
        self.mask: str | None = EVERYBODY
        self.can_mask = "vote_ballot" in features and (warp_size <= 32 or "lane_masks_64" in features)

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")

    # ----------------------------------------------------------------------------------------------------------- control
    def block(self, depth: int, most: int) -> None:
        """A few statements."""
        for _ in range(self.number(most)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        kinds = [self.instruction] * 6
        if depth < 3:
            kinds += [lambda: self.condition(depth), lambda: self.switch(depth)]
            if self.mask is not None and self.can_mask and self.masks < MOST_MASKS:
                kinds.append(lambda: self.sides(depth))
        if depth < 2 and self.loops < 4:
            kinds.append(lambda: self.loop(depth))
            if self.mask is not None and self.can_mask and self.masks < MOST_MASKS:
                kinds.append(lambda: self.loop_together(depth))
        if self.breaks:
            kinds.append(lambda: self.emit(f"bra {self.pick(*self.breaks)}", self.guard()))
        if depth and self.mask is None and self.number(7) == 7:
            kinds.append(self.depart)
        if "device_calls" in self.features:
            kinds.append(lambda: self.whole(self.call))
        if self.mask is not None:
            kinds.append(lambda: self.whole(self.together))
        if depth == 0:
            kinds += [lambda: self.whole(self.exchange), lambda: self.whole(self.reduce), lambda: self.whole(self.together)]
            if "device_calls" in self.features and self.number(3) == 3:
                kinds.append(lambda: self.whole(self.thin))
        self.pick(*kinds)()

    def apart(self, depth: int, most: int) -> None:
        """Write a block of which nobody knows which lanes of a warp are there."""
        mask, self.mask = self.mask, None
        self.block(depth, most)
        self.mask = mask

    def condition(self, depth: int) -> None:
        other, end = self.label(), self.label()
        self.emit(f"bra {other}", self.guard())
        self.apart(depth + 1, 6)
        if self.number(1):
            self.emit("bra.uni " + end if self.number(1) else "bra " + end)
            self.place(other)
            self.apart(depth + 1, 6)
            self.place(end)
        else:
            self.place(other)

    def new_mask(self) -> str:
        self.masks += 1
        return f"%mask{self.masks}"

    def sides(self, depth: int) -> None:
        """Both sides of a branch, each of which knows its lanes."""
        around, yes, no = self.mask, self.new_mask(), self.new_mask()
        breaks, self.breaks = self.breaks, []                   # nobody may leave: the others count on everyone
        condition, other, end = self.masks, self.label(), self.label()
        self.emit(f"mov.pred %side{condition}, {self.p()}")
        self.emit(f"vote.sync.ballot.b{self.mask_bits} {yes}, %side{condition}, {around}")
        self.emit(f"vote.sync.ballot.b{self.mask_bits} {no}, !%side{condition}, {around}")
        self.emit(f"bra {other}", f"@!%side{condition} ")
        self.mask = yes
        self.block(depth + 1, 6)
        self.emit(f"bra {end}")
        self.place(other)
        self.mask = no
        self.block(depth + 1, 6)
        self.place(end)
        self.mask, self.breaks = around, breaks

    def loop_together(self, depth: int) -> None:
        """A loop that threads leave one after the other, while those that stay know each other."""
        around, mine, breaks = self.mask, self.new_mask(), self.breaks
        counter, start = f"%r{21 + self.loops}", self.label()
        self.loops += 1
        self.breaks = []
        self.emit(f"and.b32 {counter}, {self.r()}, {3 if depth else 5}")
        self.emit(f"vote.sync.ballot.b{self.mask_bits} {mine}, 1, {around}" if self.number(1) else
                  f"setp.ge.s32 %p{PREDICATES}, {counter}, 0;\n    vote.sync.ballot.b{self.mask_bits} {mine}, %p{PREDICATES}, {around}")
        self.place(start)
        self.mask = mine
        self.block(depth + 1, 6)
        self.emit(f"sub.s32 {counter}, {counter}, 1")
        self.emit(f"setp.ge.s32 %p{PREDICATES}, {counter}, 0")
        self.emit(f"vote.sync.ballot.b{self.mask_bits} {mine}, %p{PREDICATES}, {mine}")
        self.emit(f"bra {start}", f"@%p{PREDICATES} ")
        self.mask, self.breaks = around, breaks

    def switch(self, depth: int) -> None:
        names, end = [self.label() for _ in range(3)], self.label()
        self.emit(f"and.b32 %r20, {self.r()}, 3")
        self.emit("min.u32 %r20, %r20, 2")
        self.lines.append(f"T{end}: .branchtargets {', '.join(names)};")
        self.emit(f"brx.idx %r20, T{end}")
        for name in names:
            self.place(name)
            self.apart(depth + 1, 4)
            if self.number(1):
                self.emit(f"bra {end}")
        self.place(end)

    def loop(self, depth: int) -> None:
        """A counted loop, whose count may differ from thread to thread, with ways out in the middle."""
        counter, start, end = f"%r{21 + self.loops}", self.label(), self.label()
        self.loops += 1
        if self.number(1):
            self.emit(f"and.b32 {counter}, {self.r()}, {3 if depth else 7}")
        else:
            self.emit(f"mov.u32 {counter}, {self.number(1 if depth else 5)}")
        self.place(start)
        self.breaks.append(end)
        self.apart(depth + 1, 8)
        self.breaks.pop()
        self.emit(f"sub.s32 {counter}, {counter}, 1")
        self.emit(f"setp.ge.s32 %p{PREDICATES}, {counter}, 0")
        self.emit(f"bra {start}", f"@%p{PREDICATES} ")
        self.place(end)

    def call(self) -> None:
        """With parameters, with registers under a guard, by recursion, or of one of two functions through a register."""
        a, b, d = self.r(), self.rd(), self.r()
        kind = self.number(4 if "indirect_calls" in self.features else 3)
        guard = self.guard() if self.number(2) == 2 else ""
        if kind == 0:
            self.lines.append(f"    {{ .param .b32 a0; .param .b64 a1; .param .b32 b0; st.param.b32 [a0], {a}; st.param.b64 [a1], {b};\n"
                              f"    call (b0), mix, (a0, a1); ld.param.b32 {d}, [b0]; }}")
        elif kind == 1:
            self.emit(f"and.b32 %r20, {a}, 7")
            self.emit(f"call ({d}), down, (%r20, {self.r()})", guard)
        elif kind < 4:
            self.emit(f"call ({d}), twist, ({a})", guard)
        else:
            self.emit("mov.u64 %rd22, twist")
            self.emit("mov.u64 %rd23, spread")
            self.emit(f"selp.b64 %rd22, %rd22, %rd23, {self.p()}")
            self.emit(f"call ({d}), %rd22, ({a}), CALLED", guard)

    # ---------------------------------------------------------------------------------------------------------- together
    def exchange(self) -> None:
        """Pass a value to another thread of the block. All threads come here, unless they have ended."""
        value, into, distance = self.r(), self.r(), self.number(self.threads - 1)
        self.emit(f"st.shared.u32 [%rd25], {value}")
        self.emit("bar.sync 0")
        self.emit(f"add.u32 %r20, %r30, {distance}")
        self.emit("rem.u32 %r20, %r20, %r32")
        self.emit("mul.wide.u32 %rd22, %r20, 4")
        self.emit("mov.u64 %rd23, shared")
        self.emit("add.s64 %rd22, %rd22, %rd23")
        self.emit(f"ld.shared.u32 {into}, [%rd22]")
        self.emit("bar.sync 0")

    def reduce(self) -> None:
        """A barrier that reduces."""
        if "barrier_reduce" in self.features:
            q = self.p()
            self.emit(self.pick(f"bar.red.popc.u32 {self.r()}, 0, {q}", f"bar.red.and.pred {self.p()}, 0, !{q}",
                                f"barrier.red.or.pred {self.p()}, 0, {q}"))

    def together(self) -> None:
        """Votes, matches, reductions and shuffles of the lanes that are known to be here."""
        choices, mask = [], self.mask
        p, q, r, everybody = self.p(), self.not_p(), self.r(), mask == EVERYBODY
        wide, bits = self.mask_bits == 64, self.mask_bits
        found = self.rd() if wide else self.r()
        if "vote" in self.features:
            choices += [f"vote.sync.{mode}.pred {p}, {q}, {mask}" for mode in ("all", "any", "uni")]
        if self.can_mask:
            choices.append(f"vote.sync.ballot.b{bits} {found}, {q}, {mask}")
        if "match" in self.features and (self.can_mask or everybody and not wide):
            choices += [f"match.any.sync.b32 {found}, {self.r()}, {mask}", f"match.all.sync.b32 {found}|{p}, {self.r()}, {mask}",
                        f"match.any.sync.b64 {found}, {self.rd()}, {mask}"]
        if "redux" in self.features:
            choices += [f"redux.sync.{self.pick('add', 'min', 'max')}.{self.pick('s32', 'u32')} {r}, {self.r()}, {mask}",
                        f"redux.sync.{self.pick('and', 'or', 'xor')}.b32 {r}, {self.r()}, {mask}"]
        if "elect" in self.features:
            choices.append(f"elect.sync {r}|{p}, {mask}")
        if "shuffle" in self.features and everybody and self.whole_warps and not self.exits:
            mode = self.pick("up", "down", "bfly", "idx")
            choices.append(f"shfl.sync.{mode}.b32 {r}|{p}, {self.r()}, {self.source()}, {self.control(mode)}, -1")
        if "shuffle" in self.features and not everybody and not self.departs and "bit_operations" in self.features:  # from the last lane that is here
            choices.append(f"bfind.u{bits} %r20, {mask};\n    shfl.sync.idx.b32 {r}|{p}, {self.r()}, %r20, {bits - 1}, {mask}")
        choices.append(f"bar.warp.sync {mask}")
        self.emit(self.pick(*choices))

    def control(self, mode: str) -> int:
        """Clamp and segment mask of a shuffle, in fields as wide as a lane number; where they have 6 bits, 5 of them are refused."""
        field = self.mask_bits - 1
        segment = self.pick(0, *(field + 1 - width for width in (1, 8, 16)))
        return segment << 8 | (0 if mode == "up" else field if field == 63 else self.pick(0, 7, field))

    def leave(self) -> None:
        """Some threads end: there, at the kernel's one end, as compilers write an early return, or where the last instructions are everybody's."""
        self.exits = True
        kind = self.number(3)
        if kind == 0:
            self.emit(self.pick("exit", "ret"), self.guard())
        elif kind == 1:
            self.depart()
        elif kind == 2:
            self.several_depart()
        else:
            self.tail = True
            self.emit("mov.u32 %r27, 5")
            self.emit("bra TAIL", self.guard())

    def depart(self) -> None:
        """Some threads go to the kernel's one end, with a result or without."""
        self.exits = True
        self.departs |= self.mask is None
        if self.number(1):
            self.emit("bra END", self.guard())
            return
        stay = self.label()
        self.emit(f"bra {stay}", self.guard())
        self.emit(f"st.global.u32 [%rd26], {self.r()}")
        self.emit("bra.uni END")
        self.place(stay)

    def several_depart(self) -> None:
        """Some ways of a switch lead to the end, the others go on."""
        names = [self.label() for _ in range(2)]
        self.emit(f"and.b32 %r20, {self.r()}, 3")
        self.lines.append(f"T{names[0]}: .branchtargets END, {names[0]}, {names[1]}, {names[1]};")
        self.emit(f"brx.idx %r20, T{names[0]}")
        self.place(names[0])
        self.emit(f"st.global.u32 [%rd26+8], {self.r()}")
        if self.number(1):
            self.emit("bra END", self.guard())
        self.place(names[1])

    def thin(self) -> None:
        """Call a function in which some threads end before the others come to a barrier. All threads come here, unless they have ended."""
        self.exits = True
        self.emit(f"call ({self.r()}), thin, ({self.r()})")

    # ------------------------------------------------------------------------------------------------------ unstructured
    def tangle(self) -> None:
        """Blocks of instructions with branches from any to any; a branch back costs fuel, of which each thread has some."""
        count = self.number(10) + 2
        names = [self.label() for _ in range(count)]
        self.emit("mov.u32 %r26, 20")
        for k, name in enumerate(names):
            self.place(name)
            for _ in range(self.number(8)):
                self.instruction()
            if "device_calls" in self.features and self.number(5) == 5:
                self.whole(self.call)
            for _ in range(self.number(2)):
                target = self.number(count - 1)
                if target > k:
                    self.emit(f"bra {names[target]}", self.guard())
                else:
                    self.emit("sub.s32 %r26, %r26, 1")
                    self.emit(f"setp.gt.and.s32 %p{PREDICATES}, %r26, 0, {self.not_p()}")
                    self.emit(f"bra {names[target]}", f"@%p{PREDICATES} ")

    # ------------------------------------------------------------------------------------------------------------- whole
    def module(self, unstructured: bool) -> str:
        """Write the module."""
        self._begin()
        if unstructured:
            self.tangle()
        else:
            for _ in range(self.number(3) + 1):
                self.block(0, 15)
                if self.number(5) == 5:
                    self.leave()
        self._end()
        body = "\n".join(self.lines)
        constants = ", ".join(str(k * 2654435761 % 2**32) for k in range(32))
        functions = _FUNCTIONS if "device_calls" in self.features else ""
        prototype = "CALLED: .callprototype (.reg .b32 _) _ (.reg .b32 _);" if "indirect_calls" in self.features else ""
        masks = f".reg .b{self.mask_bits} %mask<{MOST_MASKS + 3}>; .reg .pred %side<{MOST_MASKS + 3}>;"
        return f""".version 8.6
.target sm_90
.address_size 64
.const .align 4 .u32 table[32] = {{{constants}}};
{functions}
.visible .entry k(.param .u64 scratch, .param .u64 results, .param .u64 totals)
{{
    .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<40>; .reg .f32 %f<8>; .reg .b64 %rd<40>; .reg .f64 %fd<8>; {masks}
    .shared .align 8 .b8 shared[{4 * self.threads}];
    .shared .align 8 .u32 counters[{COUNTERS}];
    .local .align 16 .b8 private[{SCRATCH}];
    {prototype}
{body}
    {"mov.u32 %r27, 6; TAIL: st.global.u32 [%rd26], %r27;" if self.tail else ""}
END:
    ret;
}}
"""

    def _begin(self) -> None:
        for text in ("ld.param.u64 %rd30, [scratch]", "ld.param.u64 %rd31, [results]", "ld.param.u64 %rd24, [totals]",
                     "mov.u32 %r30, %tid.x", "mov.u32 %r31, %ctaid.x", "mov.u32 %r32, %ntid.x", "mad.lo.u32 %r33, %r31, %r32, %r30",
                     f"mul.wide.u32 %rd32, %r33, {SCRATCH}", "add.s64 %rd20, %rd30, %rd32", "cvta.global.u64 %rd27, %rd20",
                     f"mul.wide.u32 %rd32, %r33, {RESULTS}",
                     "add.s64 %rd26, %rd31, %rd32", "mov.u64 %rd21, private", "mov.u64 %rd33, shared", "mul.wide.u32 %rd32, %r30, 4",
                     "add.s64 %rd25, %rd33, %rd32"):
            self.emit(text)
        for k in range(0, SCRATCH, 8):
            self.emit(f"ld.global.u64 %rd32, [%rd20+{k}]")
            self.emit(f"st.local.u64 [%rd21+{k}], %rd32")
        # shared counters start at zero; the loop is for blocks of fewer threads than counters
        self.emit("mov.u32 %r34, %r30")
        self.place("CLEAR")
        self.emit(f"setp.ge.u32 %p{PREDICATES}, %r34, {COUNTERS}")
        self.emit("bra CLEARED", f"@%p{PREDICATES} ")
        self.emit("mul.wide.u32 %rd32, %r34, 4")
        self.emit("mov.u64 %rd33, counters")
        self.emit("add.s64 %rd32, %rd33, %rd32")
        self.emit("st.shared.u32 [%rd32], 0")
        self.emit("add.u32 %r34, %r34, %r32")
        self.emit("bra CLEAR")
        self.place("CLEARED")
        self.emit("bar.sync 0")
        for k in range(INTEGERS):
            self.emit(f"ld.global.u32 %r{k}, [%rd20+{4 * k}]" if k % 2 else f"mad.lo.s32 %r{k}, %r33, {k * 77 + 1}, {k * 1000}")
        for k in range(WIDES):
            self.emit(f"mul.wide.s32 %rd{k}, %r{k}, {k + 3}")
        for k in range(FLOATS + 1):
            self.emit(f"cvt.rn.f32.s32 %f{k}, %r{k}")
        for k in range(DOUBLES if "fp64" in self.features else 0):
            self.emit(f"cvt.rn.f64.s32 %fd{k}, %r{k}")
        for k in range(HALVES):
            self.emit(f"cvt.u16.u32 %h{k}, %r{k + 1}")
        for k in range(PREDICATES):
            self.emit(f"setp.lt.s32 %p{k}, %r{k}, {k * 3000}")

    def _end(self) -> None:
        at = 0
        for k in range(WIDES):
            self.emit(f"st.global.u64 [%rd26+{at}], %rd{k}")
            at += 8
        for k in range(DOUBLES if "fp64" in self.features else 0):
            self.emit(f"st.global.f64 [%rd26+{at}], %fd{k}")
            at += 8
        for text in (*(f"%r{k}" for k in range(INTEGERS)), *(f"%f{k}" for k in range(FLOATS))):
            self.emit(f"st.global.b32 [%rd26+{at}], {text}")
            at += 4
        for k in range(HALVES):
            self.emit(f"st.global.u16 [%rd26+{at}], %h{k}")
            at += 4
        for k in range(PREDICATES):
            self.emit(f"selp.u32 %r20, 1, 0, %p{k}")
            self.emit(f"st.global.u32 [%rd26+{at}], %r20")
            at += 4
        for k in range(0, SCRATCH, 4):  # local memory, folded
            self.emit(f"ld.local.u32 %r21, [%rd21+{k}]")
            self.emit("mad.lo.u32 %r22, %r22, 31, %r21" if k else "mov.u32 %r22, %r21")
        self.emit(f"st.global.u32 [%rd26+{at}], %r22")
        self.emit("bar.sync 0")
        self.emit("mad.lo.u32 %r34, %r31, 8, 8")
        self.emit("mul.wide.u32 %rd32, %r34, 4")
        self.emit("add.s64 %rd32, %rd24, %rd32")
        # every thread that is left stores the same
        for k in range(COUNTERS):
            self.emit(f"ld.shared.u32 %r21, [counters+{4 * k}]")
            self.emit(f"st.global.u32 [%rd32+{4 * k}], %r21")


_FUNCTIONS = """.func (.param .b32 back) mix(.param .b32 x, .param .b64 y)
{
    .reg .b32 %a<4>; .reg .b64 %b<2>; .reg .pred %q;
    ld.param.b32 %a1, [x]; ld.param.b64 %b1, [y]; cvt.u32.u64 %a2, %b1;
    setp.gt.s32 %q, %a1, 100; @%q bra BIG;
    mad.lo.u32 %a1, %a1, 2, %a2; st.param.b32 [back], %a1; ret;
BIG: sub.u32 %a1, %a1, %a2; st.param.b32 [back], %a1; ret;
}
.func (.reg .b32 %back) twist(.reg .b32 %x)
{
    .reg .b32 %a<4>; .reg .pred %q;
    mov.u32 %back, 1; and.b32 %a1, %x, 3;
ROUND:
    setp.eq.u32 %q, %a1, 0; @%q ret;
    mad.lo.u32 %back, %back, 3, %x; sub.u32 %a1, %a1, 1; bra ROUND;
}
.func (.reg .b32 %back) spread(.reg .b32 %x)
{
    .reg .b32 %a<4>; .reg .b64 %b<4>; .reg .pred %q; .local .align 8 .b8 own[16];
    and.b32 %a1, %x, 12; cvt.u64.u32 %b1, %a1; mov.u64 %b2, own; add.s64 %b1, %b2, %b1;
    st.local.v2.b32 [%b2], {%x, %a1}; st.local.v2.b32 [%b2+8], {%a1, %x};
    ld.local.b32 %back, [%b1]; setp.lt.s32 %q, %x, 0; @%q xor.b32 %back, %back, %x;
    call (%a2), twist, (%back); add.u32 %back, %back, %a2;
    ret;
}
.func (.reg .b32 %back) thin(.reg .b32 %x)
{
    .reg .b32 %a<4>; .reg .pred %q; .reg .pred %o;
    and.b32 %a1, %x, 31; setp.gt.u32 %q, %a1, 2; @%q bra STAY;
    setp.eq.u32 %o, %a1, 0; @%o bra GONE;
    mad.lo.u32 %back, %x, 3, 1; setp.lt.s32 %o, %back, 0; @%o bra STAY;
GONE: exit;
STAY: bar.sync 0; mad.lo.u32 %back, %x, 7, %a1;
    ret;
}
.func (.reg .b32 %back) down(.reg .b32 %depth, .reg .b32 %x)
{
    .reg .b32 %a<4>; .reg .pred %q; .local .align 4 .b32 kept;
    mov.u32 %back, %x; setp.eq.u32 %q, %depth, 0; @%q ret;
    st.local.b32 [kept], %x; sub.u32 %a1, %depth, 1; mad.lo.u32 %a2, %x, 5, %depth;
    call (%back), down, (%a1, %a2);
    ld.local.b32 %a3, [kept]; mad.lo.u32 %back, %back, 3, %a3;
    ret;
}
"""
