"""Random whole kernels, for hypothesis, which can shrink them, or from a seed.

Every thread computes on registers of its own, on its own bytes of global and local memory, and on values of other threads only where
PTX orders the accesses: through shared memory between two barriers, through atomics that commute, through votes and shuffles of all
lanes. So there is one right answer, whatever the width of a warp. Kernels end, because loops count.
"""
from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from archdef.testing.compare import Launch

INTEGERS, WIDES, FLOATS, DOUBLES, HALVES, PREDICATES = 6, 4, 3, 2, 2, 4
SCRATCH = 64
"""Bytes of global memory of each thread."""
RESULTS = 8 * (WIDES + DOUBLES) + 4 * (INTEGERS + FLOATS + HALVES + PREDICATES + 1)
RESULTS += -RESULTS % 8
COUNTERS = 8
"""Words that all threads change, by one kind of commuting atomic each; once in global, once in shared memory."""
MOST_WARPS = 64
"""Of a block, so that it fits a machine given other warps."""
_LITERALS = (0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 63, 64, -1, -2, 255, 256, 1000, 65535, 65536, 0x7FFFFFFF, -0x80000000)
_REDUCTIONS = ("add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "max.s32", "min.u32")


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
    warp_size    : lanes of its warps; shuffles are drawn if blocks are whole warps.
    unstructured : branches to anywhere, forward and (counted) backward, in place of conditions and loops.
    """
    blocks = integer(1, 2)
    whole = bool(integer(0, 1))
    block = warp_size * integer(1, max(1, 40 // warp_size)) if whole else integer(1, min(72, MOST_WARPS * warp_size))
    writer = _Writer(integer, frozenset(features), shuffles=whole, threads=block)
    text = writer.kernel(unstructured)
    threads = blocks * block
    scratch = ((np.arange(threads * SCRATCH // 4, dtype="u4") * np.uint32(2654435761)) >> np.uint32(integer(0, 24))).astype("u4")
    return Launch(text, (scratch, np.zeros(threads * RESULTS // 4, "u4"), np.zeros(COUNTERS * (1 + blocks), "u4")), (blocks,), (block,))


class _Writer:
    """Writes one kernel."""

    def __init__(self, integer: Callable[[int, int], int], features: frozenset[str], shuffles: bool, threads: int):
        self.draws, self.features, self.shuffles, self.threads = integer, features, shuffles, threads
        self.lines: list[str] = []
        self.labels = self.loops = 0
        self.breaks: list[str] = []
        """Ends of the loops around, innermost last."""
        self.exits = False
        self.may_call = "device_calls" in features
        self.dice: random.Random | None = None
        """While set, it picks in place of `draws`: what a statement is made of comes from one number, so that shrinking takes whole
        statements away, and a kernel of some size needs few draws."""

    # ------------------------------------------------------------------------------------------------------------ parts
    def number(self, most: int) -> int:
        return (self.dice.randint if self.dice else self.draws)(0, most)

    def pick(self, *choices):
        return choices[self.number(len(choices) - 1)]

    def whole(self, write, *arguments) -> None:
        """Write a statement all of whose choices hang on one number."""
        if self.dice:
            write(*arguments)
            return
        self.dice = random.Random(self.draws(0, 0xFFFF))
        write(*arguments)
        self.dice = None

    def r(self) -> str:
        return f"%r{self.number(INTEGERS - 1)}"

    def rd(self) -> str:
        return f"%rd{self.number(WIDES - 1)}"

    def f(self) -> str:
        return f"%f{self.number(FLOATS - 1)}"

    def fd(self) -> str:
        return f"%fd{self.number(DOUBLES - 1)}"

    def h(self) -> str:
        return f"%h{self.number(HALVES - 1)}"

    def p(self) -> str:
        return f"%p{self.number(PREDICATES - 1)}"

    def source(self) -> str:
        return self.r() if self.number(2) else str(self.pick(*_LITERALS))

    def emit(self, text: str, guard: str = "") -> None:
        self.lines.append(f"    {guard}{text};")

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def guard(self) -> str:
        return f"@{self.pick('', '!')}{self.p()} "

    # ------------------------------------------------------------------------------------------------------ instructions
    def instruction(self) -> None:
        """One instruction, or a few that belong together."""
        kinds = [self.integer, self.wide, self.logic, self.floating, self.predicate, self.memory, self.narrow, self.carry]
        if "fp64" in self.features:
            kinds.append(self.double)
        if "bit_operations" in self.features:
            kinds.append(self.field)

        def write():
            guard = self.guard() if self.number(7) == 7 else ""
            self.pick(*kinds)(guard)
        self.whole(write)

    def integer(self, guard: str) -> None:
        r, a, b, c = self.r(), self.r(), self.source(), self.source()
        self.emit(self.pick(
            f"add.s32 {r}, {a}, {b}", f"sub.s32 {r}, {a}, {b}", f"mov.u32 {r}, {b}", f"mul.lo.s32 {r}, {a}, {b}",
            f"mad.lo.s32 {r}, {a}, {b}, {c}", f"min.s32 {r}, {a}, {b}", f"max.u32 {r}, {a}, {b}", f"mul.hi.u32 {r}, {a}, {b}",
            f"mul.hi.s32 {r}, {a}, {b}", f"div.u32 {r}, {a}, {b}", f"rem.s32 {r}, {a}, {b}", f"div.s32 {r}, {a}, {b}",
            f"mul24.lo.s32 {r}, {a}, {b}", f"mad24.lo.u32 {r}, {a}, {b}, {c}", f"sad.u32 {r}, {a}, {b}, {c}",
            f"add.sat.s32 {r}, {a}, {b}", f"abs.s32 {r}, {a}", f"neg.s32 {r}, {a}", f"slct.u32.s32 {r}, {a}, {b}, {c}",
            f"set.lt.u32.s32 {r}, {a}, {b}", f"selp.b32 {r}, {a}, {b}, {self.p()}"), guard)

    def logic(self, guard: str) -> None:
        r, a, b = self.r(), self.r(), self.source()
        self.emit(self.pick(
            f"and.b32 {r}, {a}, {b}", f"or.b32 {r}, {a}, {b}", f"xor.b32 {r}, {a}, {b}", f"not.b32 {r}, {a}", f"cnot.b32 {r}, {a}",
            f"shl.b32 {r}, {a}, {b}", f"shr.u32 {r}, {a}, {b}", f"shr.s32 {r}, {a}, {b}"), guard)

    def field(self, guard: str) -> None:
        r, a, b, c = self.r(), self.r(), self.source(), self.source()
        self.emit(self.pick(
            f"popc.b32 {r}, {a}", f"clz.b32 {r}, {a}", f"brev.b32 {r}, {a}", f"bfe.u32 {r}, {a}, {b}, {c}", f"bfe.s32 {r}, {a}, {b}, {c}",
            f"bfi.b32 {r}, {a}, {b}, {c}, {self.source()}", f"bfind.s32 {r}, {a}",
            f"lop3.b32 {r}, {a}, {b}, {c}, {self.number(255)}", f"popc.b64 {r}, {self.rd()}"), guard)

    def wide(self, guard: str) -> None:
        d, a, b, r = self.rd(), self.rd(), self.rd(), self.r()
        self.emit(self.pick(
            f"add.s64 {d}, {a}, {b}", f"sub.s64 {d}, {a}, {b}", f"cvt.s64.s32 {d}, {r}", f"cvt.u64.u32 {d}, {r}",
            f"cvt.u32.u64 {self.r()}, {a}", f"mul.wide.s32 {d}, {r}, {self.source()}", f"mul.wide.u32 {d}, {r}, {self.source()}",
            f"mad.wide.s32 {d}, {r}, {self.source()}, {b}", f"mul.lo.s64 {d}, {a}, {b}", f"mul.hi.u64 {d}, {a}, {b}",
            f"mad.lo.s64 {d}, {a}, {b}, {self.rd()}", f"shl.b64 {d}, {a}, {self.source()}", f"shr.s64 {d}, {a}, {self.source()}",
            f"shr.u64 {d}, {a}, {self.source()}", f"xor.b64 {d}, {a}, {b}", f"min.s64 {d}, {a}, {b}", f"div.s64 {d}, {a}, {b}",
            f"rem.u64 {d}, {a}, {b}", f"mov.b64 {d}, {{{r}, {self.r()}}}", f"mov.b64 {{{self.r()}, _}}, {a}",
            f"mov.b64 {{_, {self.r()}}}, {a}", f"selp.b64 {d}, {a}, {b}, {self.p()}", f"neg.s64 {d}, {a}", f"mov.u64 {d}, {a}"), guard)

    def narrow(self, guard: str) -> None:
        h, a, b = self.h(), self.h(), self.h()
        self.emit(self.pick(
            f"cvt.u16.u32 {h}, {self.r()}", f"cvt.s32.s16 {self.r()}, {a}", f"cvt.u32.u16 {self.r()}, {a}", f"add.s16 {h}, {a}, {b}",
            f"sub.s16 {h}, {a}, {b}", f"mul.lo.s16 {h}, {a}, {b}", f"mul.wide.s16 {self.r()}, {a}, {b}", f"shr.s16 {h}, {a}, {self.source()}",
            f"shr.u16 {h}, {a}, {self.source()}", f"shl.b16 {h}, {a}, {self.source()}", f"max.s16 {h}, {a}, {b}", f"min.u16 {h}, {a}, {b}",
            f"setp.lt.s16 {self.p()}, {a}, {b}", f"setp.gt.u16 {self.p()}, {a}, {b}", f"mov.b32 {self.r()}, {{{a}, {b}}}",
            f"mov.b32 {{{h}, _}}, {self.r()}", f"cvt.sat.s16.s32 {h}, {self.r()}", f"cvt.s16.s8 {h}, {a}", f"neg.s16 {h}, {a}",
            f"cvt.u32.u8 {self.r()}, {self.r()}", f"cvt.s32.s8 {self.r()}, {self.r()}", f"cvt.rn.f16.f32 {h}, {self.f()}",
            f"cvt.f32.f16 {self.f()}, {a}"), guard)

    def floating(self, guard: str) -> None:
        f, a, b = self.f(), self.f(), self.f()
        choices = [
            f"add.rn.f32 {f}, {a}, {b}", f"sub.rn.f32 {f}, {a}, {b}", f"mul.rn.f32 {f}, {a}, {b}", f"mov.f32 {f}, {a}",
            f"mov.b32 {f}, {self.r()}", f"mov.b32 {self.r()}, {a}", f"cvt.rn.f32.s32 {f}, {self.r()}", f"cvt.rz.f32.u64 {f}, {self.rd()}",
            f"cvt.rzi.s32.f32 {self.r()}, {a}", f"cvt.rni.u32.f32 {self.r()}, {a}", f"cvt.rmi.s64.f32 {self.rd()}, {a}",
            f"cvt.rpi.f32.f32 {f}, {a}", f"add.rz.f32 {f}, {a}, {b}", f"mul.rp.f32 {f}, {a}, 0f3F9D70A4", f"sub.sat.f32 {f}, {a}, {b}",
            f"min.f32 {f}, {a}, {b}", f"max.ftz.f32 {f}, {a}, {b}", f"div.rn.f32 {f}, {a}, {b}", f"sqrt.rn.f32 {f}, {a}",
            f"rcp.rm.f32 {f}, {a}", f"abs.f32 {f}, {a}", f"neg.f32 {f}, {a}", f"selp.f32 {f}, {a}, {b}, {self.p()}",
            f"setp.{self.pick('lt', 'geu', 'eq', 'neu', 'nan', 'gtu')}.f32 {self.p()}, {a}, {b}", f"copysign.f32 {f}, {a}, {b}"]
        if "fp32_fma" in self.features:
            choices += [f"fma.rn.f32 {f}, {a}, {b}, {self.f()}", f"fma.rm.f32 {f}, {a}, {b}, {self.f()}"]
        self.emit(self.pick(*choices), guard)

    def double(self, guard: str) -> None:
        d, a, b = self.fd(), self.fd(), self.fd()
        self.emit(self.pick(
            f"add.rn.f64 {d}, {a}, {b}", f"sub.rz.f64 {d}, {a}, {b}", f"mul.rn.f64 {d}, {a}, {b}", f"fma.rn.f64 {d}, {a}, {b}, {self.fd()}",
            f"cvt.rn.f64.s32 {d}, {self.r()}", f"cvt.f64.f32 {d}, {self.f()}", f"cvt.rn.f32.f64 {self.f()}, {a}",
            f"cvt.rzi.s64.f64 {self.rd()}, {a}", f"div.rn.f64 {d}, {a}, {b}", f"min.f64 {d}, {a}, {b}",
            f"setp.le.f64 {self.p()}, {a}, {b}", f"mov.b64 {self.rd()}, {a}"), guard)

    def predicate(self, guard: str) -> None:
        p, q, a, b = self.p(), self.p(), self.r(), self.source()
        order = self.pick("lt", "ge", "eq", "ne")
        self.emit(self.pick(
            f"setp.{order}.s32 {p}, {a}, {b}", f"setp.{order}.u32 {p}, {a}, {b}", f"setp.{order}.s64 {p}, {self.rd()}, {self.rd()}",
            f"setp.{order}.{self.pick('and', 'or', 'xor')}.s32 {p}, {a}, {b}, {self.pick('', '!')}{q}",
            f"setp.{order}.s32 %p0|%p1, {a}, {b}", f"setp.hi.and.u32 %p2|%p3, {a}, {b}, {q}",
            f"{self.pick('and', 'or', 'xor')}.pred {p}, {q}, {self.p()}", f"not.pred {p}, {q}", f"mov.pred {p}, {q}"), guard)

    def carry(self, guard: str) -> None:
        """Carry chains are drawn whole, under no guard: what stands between could change the flag."""
        step, last = self.pick(("add.cc", "addc"), ("sub.cc", "subc"))
        self.emit(f"{step}.u32 {self.r()}, {self.r()}, {self.source()}")
        if self.number(1):
            self.emit(f"{last}.cc.u32 {self.r()}, {self.r()}, {self.source()}")
        self.emit(f"{last}.u32 {self.r()}, {self.r()}, {self.source()}")

    def memory(self, guard: str) -> None:
        """Loads and stores in the thread's own memory, at constant and computed places; constants; atomics."""
        kind = self.number(5)
        if kind < 3:
            base, space = self.pick(("%rd20", "global"), ("%rd21", "local"), ("%rd20", "global"))
            if self.number(1):
                self.emit(f"and.b32 %r20, {self.r()}, 15")
                self.emit("shl.b32 %r20, %r20, 2")
                self.emit("cvt.u64.u32 %rd22, %r20")
                self.emit(f"add.s64 %rd22, {base}, %rd22")
                base = "%rd22"
                offset = 0
            else:
                offset = 16 * self.number(3)
            # a computed place is a multiple of 4: narrow accesses only
            narrow = base == "%rd22"
            value = self.pick(f"u32 {self.r()}", f"s8 {self.r()}", f"u16 {self.h()}", f"s16 {self.r()}", f"f32 {self.f()}",
                              *(() if narrow else (f"u64 {self.rd()}", f"v2.u32 {{%r0, {self.pick('%r1', '%r2')}}}",
                                                   "v4.u32 {%r1, %r2, %r3, %r0}", f"s32 {self.rd()}")))
            load = self.number(1) or value.startswith("s32 %rd")
            type, _, names = value.partition(" ")
            at = f"[{base}+{offset}]" if offset else f"[{base}]"
            self.emit(f"ld.{space}.{type} {names}, {at}" if load else f"st.{space}.{type} {at}, {names}", guard)
        elif kind == 3:
            self.emit(f"and.b32 %r20, {self.r()}, 31")
            self.emit("mul.wide.u32 %rd22, %r20, 4")
            self.emit("mov.u64 %rd23, table")
            self.emit("add.s64 %rd22, %rd23, %rd22")
            self.emit(f"ld.const.u32 {self.r()}, [%rd22]", guard)
        else:
            counter = self.number(COUNTERS - 1)
            if kind == 4 and "atomics_global" in self.features:
                form = self.pick(f"red.global.{_REDUCTIONS[counter]} [%rd24+{4 * counter}], {self.source()}",
                                 f"atom.global.{_REDUCTIONS[counter]} %r20, [%rd24+{4 * counter}], {self.source()}")
                self.emit(form, guard)
            elif kind == 5 and "atomics_shared" in self.features:
                self.emit(f"atom.shared.{_REDUCTIONS[counter]} %r20, [counters+{4 * counter}], {self.source()}", guard)

    # ----------------------------------------------------------------------------------------------------------- control
    def block(self, depth: int, most: int) -> None:
        """A few statements."""
        for _ in range(self.number(most)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        kinds = [self.instruction] * 6
        if depth < 3:
            kinds += [lambda: self.condition(depth), lambda: self.switch(depth)]
        if depth < 2 and self.loops < 4:
            kinds.append(lambda: self.loop(depth))
        if self.breaks:
            kinds.append(lambda: self.emit(f"bra {self.pick(*self.breaks)}", self.guard()))
        if self.may_call:
            kinds.append(lambda: self.whole(self.call))
        if depth == 0:
            kinds += [lambda: self.whole(self.exchange), lambda: self.whole(self.together)]
        self.pick(*kinds)()

    def condition(self, depth: int) -> None:
        other, end = self.label(), self.label()
        self.emit(f"bra {other}", self.guard())
        self.block(depth + 1, 6)
        if self.number(1):
            self.emit("bra.uni " + end if self.number(1) else "bra " + end)
            self.place(other)
            self.block(depth + 1, 6)
            self.place(end)
        else:
            self.place(other)

    def switch(self, depth: int) -> None:
        names, end = [self.label() for _ in range(3)], self.label()
        self.emit(f"and.b32 %r20, {self.r()}, 3")
        self.emit("min.u32 %r20, %r20, 2")
        self.lines.append(f"T{end}: .branchtargets {', '.join(names)};")
        self.emit(f"brx.idx %r20, T{end}")
        for name in names:
            self.place(name)
            self.block(depth + 1, 4)
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
        self.block(depth + 1, 8)
        self.breaks.pop()
        self.emit(f"sub.s32 {counter}, {counter}, 1")
        self.emit(f"setp.ge.s32 %p{PREDICATES}, {counter}, 0")
        self.emit(f"bra {start}", f"@%p{PREDICATES} ")
        self.place(end)

    def call(self) -> None:
        a, b, d = self.r(), self.rd(), self.r()
        guard = self.guard() if self.number(3) == 3 else ""
        self.lines.append(f"    {{ .param .b32 a0; .param .b64 a1; .param .b32 b0; st.param.b32 [a0], {a}; st.param.b64 [a1], {b};\n"
                          f"    st.param.b32 [b0], {a}; {guard}call (b0), mix, (a0, a1); ld.param.b32 {d}, [b0]; }}"
                          if not guard else
                          f"    {guard}call ({d}), twist, ({a});")

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

    def together(self) -> None:
        """Votes, shuffles, matches of all lanes; barriers that reduce."""
        choices = []
        p, q, r = self.p(), self.p(), self.r()
        if "vote" in self.features:
            choices += [f"vote.sync.{mode}.pred {p}, {self.pick('', '!')}{q}, -1" for mode in ("all", "any", "uni")]
        if "vote_ballot" in self.features:
            choices.append(f"vote.sync.ballot.b32 {r}, {q}, -1")
        if "match" in self.features:
            choices += [f"match.any.sync.b32 {r}, {self.r()}, -1", f"match.all.sync.b32 {r}|{p}, {self.r()}, -1"]
        if "shuffle" in self.features and self.shuffles and not self.exits:
            mode = self.pick("up", "down", "bfly", "idx")
            choices.append(f"shfl.sync.{mode}.b32 {r}|{p}, {self.r()}, {self.source()}, {self.pick(0, 31, 0x1F1F, 0x181F, 0x1C00)}, -1")
        if "barrier_reduce" in self.features:
            choices += [f"bar.red.popc.u32 {r}, 0, {q}", f"bar.red.and.pred {p}, 0, !{q}", f"bar.red.or.pred {p}, 0, {q}"]
        if choices:
            self.emit(self.pick(*choices))

    def leave(self) -> None:
        """Some threads end."""
        self.exits = True
        self.emit(self.pick("exit", "ret"), self.guard())

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
            for _ in range(self.number(2)):
                target = self.number(count - 1)
                if target > k:
                    self.emit(f"bra {names[target]}", self.guard())
                else:
                    self.emit("sub.s32 %r26, %r26, 1")
                    self.emit(f"setp.gt.and.s32 %p{PREDICATES}, %r26, 0, {self.pick('', '!')}{self.p()}")
                    self.emit(f"bra {names[target]}", f"@%p{PREDICATES} ")

    # ------------------------------------------------------------------------------------------------------------- whole
    def kernel(self, unstructured: bool) -> str:
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
        functions = _FUNCTIONS if self.may_call else ""
        return f""".version 7.8
.target sm_80
.address_size 64
.const .align 4 .u32 table[32] = {{{constants}}};
{functions}
.visible .entry k(.param .u64 scratch, .param .u64 results, .param .u64 totals)
{{
    .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<40>; .reg .f32 %f<8>; .reg .b64 %rd<40>; .reg .f64 %fd<8>;
    .shared .align 8 .b8 shared[{4 * self.threads}];
    .shared .align 8 .u32 counters[{COUNTERS}];
    .local .align 16 .b8 private[{SCRATCH}];
{body}
    ret;
}}
"""

    def _begin(self) -> None:
        for text in ("ld.param.u64 %rd30, [scratch]", "ld.param.u64 %rd31, [results]", "ld.param.u64 %rd24, [totals]",
                     "mov.u32 %r30, %tid.x", "mov.u32 %r31, %ctaid.x", "mov.u32 %r32, %ntid.x", "mad.lo.u32 %r33, %r31, %r32, %r30",
                     f"mul.wide.u32 %rd32, %r33, {SCRATCH}", "add.s64 %rd20, %rd30, %rd32", f"mul.wide.u32 %rd32, %r33, {RESULTS}",
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
        for k in range(FLOATS):
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
"""
