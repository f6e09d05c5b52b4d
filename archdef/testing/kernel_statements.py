"""What random kernels are made of: single instructions, and small groups that belong together, over a fixed set of registers.

Each statement hangs on one random number, so that shrinking a kernel takes whole statements away.
"""
from __future__ import annotations

import random
from collections.abc import Callable

INTEGERS, WIDES, FLOATS, DOUBLES, HALVES, PREDICATES = 6, 4, 3, 2, 3, 4
"""How many registers of each kind hold values that end up in memory: %r, %rd, %f, %fd, %h, %p from 0 on."""
SCRATCH = 64
"""Bytes of global and of local memory of each thread."""
COUNTERS = 8
"""Words that all threads change, by one kind of commuting atomic each; once in global, once in shared memory."""
_LITERALS = (0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 63, 64, -1, -2, 255, 256, 1000, 65535, 65536, 0x7FFFFFFF, -0x80000000)
_REDUCTIONS = ("add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "max.s32", "min.u32")
GLOBAL, LOCAL, GENERIC = "%rd20", "%rd21", "%rd27"
"""Registers that point at the thread's own global and local memory, and at the former by a generic address."""


class Statements:
    """Writes statements, one line each, into `lines`."""

    def __init__(self, integer: Callable[[int, int], int], features: frozenset[str]):
        self.draws, self.features = integer, features
        self.lines: list[str] = []
        self.dice: random.Random | None = None
        """While set, it picks in place of `draws`: what a statement is made of comes from one number, and a kernel of some size
        needs few draws."""
        self.kinds = [self.integer, self.wide, self.logic, self.floating, self.predicate, self.memory, self.memory, self.narrow,
                      self.carry, self.convert]
        if "fp64" in features:
            self.kinds.append(self.double)
        if "bit_operations" in features:
            self.kinds.append(self.field)
        if "fp16" in features:
            self.kinds += [self.half, self.pair]
        if features & {"atomics_global", "atomics_shared"}:
            self.kinds.append(self.atomic)
        if "cp_async" in features:
            self.kinds.append(self.copy)

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

    def has(self, feature: str, *texts: str) -> tuple[str, ...]:
        """Give texts if the architecture has a feature."""
        return texts if feature in self.features else ()

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

    def not_p(self) -> str:
        return self.pick("", "!") + self.p()

    def source(self) -> str:
        return self.r() if self.number(2) else str(self.pick(*_LITERALS))

    def position(self) -> str:
        """A position or length: a register, or a literal that assemblers take."""
        return self.r() if self.number(2) else str(self.pick(0, 1, 5, 31, 32, 63, 64, 200, 255))

    def emit(self, text: str, guard: str = "") -> None:
        self.lines.append(f"    {guard}{text};")

    def guard(self) -> str:
        return f"@{self.not_p()} "

    def instruction(self) -> None:
        """One instruction, or a few that belong together; one in four is guarded."""
        def write():
            guard = self.guard() if self.number(3) == 3 else ""
            self.pick(*self.kinds)(guard)
        self.whole(write)

    # --------------------------------------------------------------------------------------------------------- integers
    def integer(self, guard: str) -> None:
        r, a, b, c = self.r(), self.r(), self.source(), self.source()
        self.emit(self.pick(
            f"add.s32 {r}, {a}, {b}", f"sub.s32 {r}, {a}, {b}", f"mov.u32 {r}, {b}", f"mul.lo.s32 {r}, {a}, {b}",
            f"mad.lo.s32 {r}, {a}, {b}, {c}", f"min.s32 {r}, {a}, {b}", f"max.u32 {r}, {a}, {b}", f"mul.hi.u32 {r}, {a}, {b}",
            f"mul.hi.s32 {r}, {a}, {b}", f"div.u32 {r}, {a}, {b}", f"rem.s32 {r}, {a}, {b}", f"div.s32 {r}, {a}, {b}",
            f"mul24.lo.s32 {r}, {a}, {b}", f"mad24.lo.u32 {r}, {a}, {b}, {c}", f"sad.u32 {r}, {a}, {b}, {c}",
            f"add.sat.s32 {r}, {a}, {b}", f"sub.sat.s32 {r}, {a}, {b}", f"abs.s32 {r}, {a}", f"neg.s32 {r}, {a}",
            f"mad.hi.s32 {r}, {a}, {b}, {c}", f"mul24.hi.u32 {r}, {a}, {b}", f"slct.u32.s32 {r}, {a}, {b}, {c}",
            f"slct.s32.f32 {r}, {a}, {b}, {self.f()}", f"set.lt.u32.s32 {r}, {a}, {b}", f"set.ge.and.s32.u32 {r}, {a}, {b}, {self.not_p()}",
            f"set.leu.s32.f32 {r}, {self.f()}, {self.f()}", f"selp.b32 {r}, {a}, {b}, {self.p()}",
            f"vabsdiff4.u32.s32.u32.sat {r}, {a}, {self.r()}, {self.r()}", f"vabsdiff4.u32.u32.u32.add {r}, {a}, {self.r()}, {self.r()}",
            *self.has("int_dot", f"dp4a.s32.u32 {r}, {a}, {b}, {c}", f"dp2a.hi.u32.s32 {r}, {a}, {b}, {c}"),
            *self.has("int16x2", f"add.s16x2 {r}, {a}, {self.r()}", f"max.relu.s16x2 {r}, {a}, {self.r()}", f"min.u16x2 {r}, {a}, {self.r()}",
                      f"min.relu.s32 {r}, {a}, {b}")), guard)

    def logic(self, guard: str) -> None:
        r, a, b = self.r(), self.r(), self.source()
        self.emit(self.pick(
            f"and.b32 {r}, {a}, {b}", f"or.b32 {r}, {a}, {b}", f"xor.b32 {r}, {a}, {b}", f"not.b32 {r}, {a}", f"cnot.b32 {r}, {a}",
            f"shl.b32 {r}, {a}, {b}", f"shr.u32 {r}, {a}, {b}", f"shr.s32 {r}, {a}, {b}", f"lop3.b32 {r}, {a}, {b}, {self.r()}, {self.number(255)}",
            *self.has("byte_permute", f"prmt.b32 {r}, {a}, {b}, {self.source()}", f"prmt.b32.{self.pick('f4e', 'b4e', 'rc8', 'ecl', 'rc16')} {r}, {a}, {b}, {self.r()}"),
            *self.has("funnel_shift", f"shf.{self.pick('l', 'r')}.{self.pick('wrap', 'clamp')}.b32 {r}, {a}, {b}, {self.source()}")), guard)

    def field(self, guard: str) -> None:
        r, a, b, c, d, e = self.r(), self.r(), self.position(), self.position(), self.rd(), self.rd()
        self.emit(self.pick(
            f"popc.b32 {r}, {a}", f"clz.b32 {r}, {a}", f"brev.b32 {r}, {a}", f"bfe.u32 {r}, {a}, {b}, {c}", f"bfe.s32 {r}, {a}, {b}, {c}",
            f"bfi.b32 {r}, {a}, {self.source()}, {b}, {c}", f"bfind.s32 {r}, {a}", f"bfind.shiftamt.u32 {r}, {a}", f"fns.b32 {r}, {a}, {b}, {c}",
            f"bmsk.clamp.b32 {r}, {a}, {b}", f"szext.wrap.s32 {r}, {a}, {b}", f"popc.b64 {r}, {d}", f"clz.b64 {r}, {d}", f"brev.b64 {d}, {e}",
            f"bfind.u64 {r}, {d}", f"bfe.u64 {d}, {e}, {b}, {c}", f"bfe.s64 {d}, {e}, {b}, {c}", f"bfi.b64 {d}, {e}, {self.rd()}, {b}, {c}"), guard)

    def wide(self, guard: str) -> None:
        d, a, b, r = self.rd(), self.rd(), self.rd(), self.r()
        self.emit(self.pick(
            f"add.s64 {d}, {a}, {b}", f"sub.s64 {d}, {a}, {b}", f"cvt.s64.s32 {d}, {r}", f"cvt.u64.u32 {d}, {r}",
            f"cvt.u32.u64 {self.r()}, {a}", f"mul.wide.s32 {d}, {r}, {self.source()}", f"mul.wide.u32 {d}, {r}, {self.source()}",
            f"mad.wide.s32 {d}, {r}, {self.source()}, {b}", f"mul.lo.s64 {d}, {a}, {b}", f"mul.hi.u64 {d}, {a}, {b}",
            f"mad.lo.s64 {d}, {a}, {b}, {self.rd()}", f"mad.hi.s64 {d}, {a}, {b}, {self.rd()}", f"shl.b64 {d}, {a}, {self.source()}",
            f"shr.s64 {d}, {a}, {self.source()}", f"shr.u64 {d}, {a}, {self.source()}", f"xor.b64 {d}, {a}, {b}", f"and.b64 {d}, {a}, {b}",
            f"not.b64 {d}, {a}", f"min.s64 {d}, {a}, {b}", f"max.u64 {d}, {a}, {b}", f"div.s64 {d}, {a}, {b}", f"rem.u64 {d}, {a}, {b}",
            f"mov.b64 {d}, {{{r}, {self.r()}}}", f"mov.b64 {{{self.r()}, _}}, {a}", f"mov.b64 {{_, {self.r()}}}, {a}",
            f"selp.b64 {d}, {a}, {b}, {self.p()}", f"slct.s64.s32 {d}, {a}, {b}, {r}", f"neg.s64 {d}, {a}", f"abs.s64 {d}, {a}",
            f"mov.u64 {d}, {a}", f"sad.s64 {d}, {a}, {b}, {self.rd()}", f"cnot.b64 {d}, {a}"), guard)

    def narrow(self, guard: str) -> None:
        h, a, b = self.h(), self.h(), self.h()
        self.emit(self.pick(
            f"cvt.u16.u32 {h}, {self.r()}", f"cvt.s32.s16 {self.r()}, {a}", f"cvt.u32.u16 {self.r()}, {a}", f"add.s16 {h}, {a}, {b}",
            f"sub.s16 {h}, {a}, {b}", f"mul.lo.s16 {h}, {a}, {b}", f"mul.wide.s16 {self.r()}, {a}, {b}", f"shr.s16 {h}, {a}, {self.source()}",
            f"shr.u16 {h}, {a}, {self.source()}", f"shl.b16 {h}, {a}, {self.source()}", f"max.s16 {h}, {a}, {b}", f"min.u16 {h}, {a}, {b}",
            f"setp.lt.s16 {self.p()}, {a}, {b}", f"setp.gt.u16 {self.p()}, {a}, {b}", f"mov.b32 {self.r()}, {{{a}, {b}}}",
            f"mov.b32 {{{h}, _}}, {self.r()}", f"cvt.sat.s16.s32 {h}, {self.r()}", f"cvt.s16.s8 {h}, {a}", f"neg.s16 {h}, {a}",
            f"mad.lo.u16 {h}, {a}, {b}, {self.h()}", f"mad.wide.u16 {self.r()}, {a}, {b}, {self.r()}", f"mul.hi.u16 {h}, {a}, {b}",
            f"div.s16 {h}, {a}, {b}", f"rem.u16 {h}, {a}, {b}", f"xor.b16 {h}, {a}, {b}", f"selp.b16 {h}, {a}, {b}, {self.p()}",
            f"cvt.u32.u8 {self.r()}, {self.r()}", f"cvt.s32.s8 {self.r()}, {self.r()}"), guard)

    def carry(self, guard: str) -> None:
        """Carry chains are drawn whole, under no guard: what stands between could change the flag."""
        step, last = self.pick(("add.cc", "addc"), ("sub.cc", "subc"), ("mad.lo.cc", "madc.hi"))
        if step[0] == "m":
            if "carry_chain" in self.features:
                self.emit(f"{step}.u32 {self.r()}, {self.r()}, {self.source()}, {self.r()}")
                self.emit(f"{last}.u32 {self.r()}, {self.r()}, {self.source()}, {self.r()}")
            return
        type, register, source = self.pick(("u32", self.r, self.source), ("s32", self.r, self.source), ("u64", self.rd, self.rd))
        self.emit(f"{step}.{type} {register()}, {register()}, {source()}")
        if self.number(1):
            self.emit(f"{last}.cc.{type} {register()}, {register()}, {source()}")
        self.emit(f"{last}.{type} {register()}, {register()}, {source()}")

    def predicate(self, guard: str) -> None:
        p, q, a, b = self.p(), self.p(), self.r(), self.source()
        order = self.pick("lt", "ge", "eq", "ne")
        self.emit(self.pick(
            f"setp.{order}.s32 {p}, {a}, {b}", f"setp.{order}.u32 {p}, {a}, {b}", f"setp.{order}.s64 {p}, {self.rd()}, {self.rd()}",
            f"setp.{order}.{self.pick('and', 'or', 'xor')}.s32 {p}, {a}, {b}, {self.pick('', '!')}{q}",
            f"setp.{order}.s32 %p0|%p1, {a}, {b}", f"setp.hi.and.u32 %p2|%p3, {a}, {b}, {q}",
            f"{self.pick('and', 'or', 'xor')}.pred {p}, {q}, {self.p()}", f"not.pred {p}, {q}", f"mov.pred {p}, {q}",
            f"testp.{self.pick('finite', 'normal', 'notanumber')}.f32 {p}, {self.f()}"), guard)

    # --------------------------------------------------------------------------------------------------- floating point
    def floating(self, guard: str) -> None:
        f, a, b = self.f(), self.f(), self.f()
        self.emit(self.pick(
            f"add.rn.f32 {f}, {a}, {b}", f"sub.rn.f32 {f}, {a}, {b}", f"mul.rn.f32 {f}, {a}, {b}", f"mov.f32 {f}, {a}",
            f"mov.b32 {f}, {self.r()}", f"mov.b32 {self.r()}, {a}", f"cvt.rn.f32.s32 {f}, {self.r()}", f"add.rz.f32 {f}, {a}, {b}",
            f"mul.rp.f32 {f}, {a}, 0f3F9D70A4", f"sub.sat.f32 {f}, {a}, {b}", f"min.f32 {f}, {a}, {b}", f"max.ftz.f32 {f}, {a}, {b}",
            f"min.NaN.f32 {f}, {a}, {b}", f"max.xorsign.abs.f32 {f}, {a}, {b}", f"div.rn.f32 {f}, {a}, {b}", f"sqrt.rn.f32 {f}, {a}",
            f"rcp.rm.f32 {f}, {a}", f"abs.f32 {f}, {a}", f"neg.f32 {f}, {a}", f"selp.f32 {f}, {a}, {b}, {self.p()}",
            f"slct.ftz.f32.f32 {f}, {a}, {b}, {self.f()}", f"set.ltu.f32.f32 {f}, {a}, {b}",
            f"setp.{self.pick('lt', 'geu', 'eq', 'neu', 'nan', 'gtu')}.f32 {self.p()}, {a}, {b}", f"copysign.f32 {f}, {a}, {b}",
            *self.has("fp32_fma", f"fma.rn.f32 {f}, {a}, {b}, {self.f()}", f"fma.rm.f32 {f}, {a}, {b}, {self.f()}",
                      f"fma.rn.sat.f32 {f}, {a}, {b}, {self.f()}")), guard)

    def convert(self, guard: str) -> None:
        f, r, d = self.f(), self.r(), self.rd()
        self.emit(self.pick(
            f"cvt.rz.f32.u64 {f}, {d}", f"cvt.rzi.s32.f32 {r}, {f}", f"cvt.rni.u32.f32 {r}, {f}", f"cvt.rmi.s64.f32 {d}, {f}",
            f"cvt.rpi.f32.f32 {f}, {self.f()}", f"cvt.rn.sat.f32.s64 {f}, {d}", f"cvt.sat.u8.s32 {r}, {r}", f"cvt.sat.s32.s64 {r}, {d}",
            f"cvt.rn.f16.f32 {self.h()}, {f}", f"cvt.f32.f16 {f}, {self.h()}", f"cvt.rni.s16.f32 {self.h()}, {f}",
            f"cvt.pack.sat.s16.s32 {r}, {self.r()}, {self.r()}", f"cvt.pack.sat.u8.s32.b32 {r}, {self.r()}, {self.r()}, {self.r()}",
            *self.has("fp16", f"cvt.rn.f16x2.f32 {r}, {f}, {self.f()}", f"cvt.rz.relu.f16.f32 {self.h()}, {f}"),
            *self.has("bf16", f"cvt.rn.bf16.f32 {self.h()}, {f}", f"cvt.f32.bf16 {f}, {self.h()}",
                      f"cvt.rn.satfinite.bf16x2.f32 {r}, {f}, {self.f()}")), guard)

    def double(self, guard: str) -> None:
        d, a, b = self.fd(), self.fd(), self.fd()
        self.emit(self.pick(
            f"add.rn.f64 {d}, {a}, {b}", f"sub.rz.f64 {d}, {a}, {b}", f"mul.rn.f64 {d}, {a}, {b}", f"fma.rn.f64 {d}, {a}, {b}, {self.fd()}",
            f"fma.rp.f64 {d}, {a}, {b}, {self.fd()}", f"cvt.rn.f64.s32 {d}, {self.r()}", f"cvt.f64.f32 {d}, {self.f()}",
            f"cvt.rn.f32.f64 {self.f()}, {a}", f"cvt.rzi.s64.f64 {self.rd()}, {a}", f"cvt.rm.f64.u64 {d}, {self.rd()}",
            f"cvt.rni.f64.f64 {d}, {a}", f"div.rn.f64 {d}, {a}, {b}", f"sqrt.rm.f64 {d}, {a}", f"rcp.rn.f64 {d}, {a}", f"min.f64 {d}, {a}, {b}",
            f"max.f64 {d}, {a}, {b}", f"abs.f64 {d}, {a}", f"neg.f64 {d}, {a}", f"copysign.f64 {d}, {a}, {b}",
            f"setp.le.f64 {self.p()}, {a}, {b}", f"mov.b64 {self.rd()}, {a}", f"mov.b64 {d}, {self.rd()}",
            f"cvt.rn.f16.f64 {self.h()}, {a}"), guard)

    def half(self, guard: str) -> None:
        h, a, b, c = self.h(), self.h(), self.h(), self.h()
        self.emit(self.pick(
            f"add.f16 {h}, {a}, {b}", f"sub.sat.f16 {h}, {a}, {b}", f"mul.f16 {h}, {a}, {b}", f"fma.rn.f16 {h}, {a}, {b}, {c}",
            f"fma.rn.relu.f16 {h}, {a}, {b}, {c}", f"neg.f16 {h}, {a}", f"abs.f16 {h}, {a}", f"min.f16 {h}, {a}, {b}", f"max.NaN.f16 {h}, {a}, {b}",
            f"setp.ltu.f16 {self.p()}, {a}, {b}", f"set.ge.u32.f16 {self.r()}, {a}, {b}", f"set.eq.f16.f16 {h}, {a}, {b}",
            *self.has("bf16", f"fma.rn.bf16 {h}, {a}, {b}, {c}", f"add.bf16 {h}, {a}, {b}", f"max.bf16 {h}, {a}, {b}",
                      f"setp.gt.bf16 {self.p()}, {a}, {b}")), guard)

    def pair(self, guard: str) -> None:
        r, a, b, c = self.r(), self.r(), self.r(), self.r()
        self.emit(self.pick(
            f"add.f16x2 {r}, {a}, {b}", f"mul.sat.f16x2 {r}, {a}, {b}", f"fma.rn.f16x2 {r}, {a}, {b}, {c}", f"neg.f16x2 {r}, {a}",
            f"max.f16x2 {r}, {a}, {b}", f"setp.lt.f16x2 %p0|%p2, {a}, {b}", f"set.gt.f16x2.f16x2 {r}, {a}, {b}",
            *self.has("bf16", f"fma.rn.bf16x2 {r}, {a}, {b}, {c}", f"min.NaN.bf16x2 {r}, {a}, {b}", f"abs.bf16x2 {r}, {a}")), guard)

    # ----------------------------------------------------------------------------------------------------------- memory
    def memory(self, guard: str) -> None:
        """Loads and stores in the thread's own memory, at constant and computed places, in every width; constants."""
        if self.number(5) == 5:
            self.emit(f"and.b32 %r20, {self.r()}, 31")
            self.emit("mul.wide.u32 %rd22, %r20, 4")
            self.emit("mov.u64 %rd23, table")
            self.emit("add.s64 %rd22, %rd23, %rd22")
            self.emit(f"ld.const.u32 {self.r()}, [%rd22]", guard)
            return
        base, space = self.pick((GLOBAL, ".global"), (LOCAL, ".local"), (GLOBAL, ".global"),
                                *([(GENERIC, "")] if "unified_addressing" in self.features else []))
        bytes_, value, loads = self.pick(*self._values())
        if self.number(1):
            shift = bytes_.bit_length() - 1
            self.emit(f"and.b32 %r20, {self.r()}, {SCRATCH // bytes_ - 1}")
            if shift:
                self.emit(f"shl.b32 %r20, %r20, {shift}")
            self.emit("cvt.u64.u32 %rd22, %r20")
            self.emit(f"add.s64 %rd22, {base}, %rd22")
            base, offset = "%rd22", 0
        else:
            offset = bytes_ * self.number(SCRATCH // bytes_ - 1)
        type, _, names = value.partition(" ")
        at = f"[{base}+{offset}]" if offset else f"[{base}]"
        self.emit(f"ld{space}.{type} {names}, {at}" if loads or self.number(1) else f"st{space}.{type} {at}, {names}", guard)

    def _values(self) -> list[tuple[int, str, bool]]:
        """Give what may be loaded or stored: bytes, type with registers, and whether it can be loaded only."""
        found = [(4, f"u32 {self.r()}", False), (1, f"s8 {self.r()}", False), (1, f"u8 {self.h()}", False), (2, f"u16 {self.h()}", False),
                 (2, f"s16 {self.r()}", False), (4, f"f32 {self.f()}", False), (8, f"u64 {self.rd()}", False), (4, f"s32 {self.rd()}", True),
                 (8, f"v2.u32 {{%r0, {self.pick('%r1', '%r2')}}}", False), (16, "v4.u32 {%r1, %r2, %r3, %r0}", False),
                 (16, "v2.b64 {%rd1, %rd0}", False), (4, "v2.u16 {%h1, %h0}", False), (4, "v4.u8 {%r0, %r5, %r4, %r2}", False),
                 (16, "v4.f32 {%f0, %f2, %f1, %f3}", False)]
        if "fp64" in self.features:
            found.append((16, "v2.f64 {%fd1, %fd0}", False))
        return found

    def atomic(self, guard: str) -> None:
        """On counters of all threads by operations that commute; on the thread's own memory by any, whose results are used."""
        counter = self.number(COUNTERS - 1)
        choices = []
        if "atomics_global" in self.features:
            at, r, a, b = f"[{GLOBAL}+{4 * self.number(15)}]", self.r(), self.source(), self.source()
            choices += [f"red.global.{_REDUCTIONS[counter]} [%rd24+{4 * counter}], {self.source()}",
                        f"atom.global.{_REDUCTIONS[counter]} %r20, [%rd24+{4 * counter}], {self.source()}",
                        f"atom.global.{self.pick('add.u32', 'exch.b32', 'max.s32', 'inc.u32', 'dec.u32', 'xor.b32')} {r}, {at}, {a}",
                        f"atom.global.cas.b32 {r}, {at}, {a}, {b}"]
            choices += self.has("atomics_global_64", f"atom.global.{self.pick('add.u64', 'min.s64', 'exch.b64')} {self.rd()}, "
                                                     f"[{GLOBAL}+{8 * self.number(7)}], {self.rd()}")
            choices += self.has("atomics_float_add", f"atom.global.add.f32 {self.f()}, {at}, {self.f()}")
            choices += self.has("atomics_half_add", f"atom.global.add.noftz.f16x2 {r}, {at}, {self.r()}")
            choices += self.has("atomics_16", f"atom.global.cas.b16 {self.h()}, {at}, {self.h()}, {self.h()}")
        if "atomics_shared" in self.features:
            choices.append(f"atom.shared.{_REDUCTIONS[counter]} %r20, [counters+{4 * counter}], {self.source()}")
        self.emit(self.pick(*choices), guard)

    def copy(self, guard: str) -> None:
        """From the thread's global memory through its place in shared memory into a register."""
        self.emit(f"cp.async.ca.shared.global [%rd25], [{GLOBAL}+{4 * self.number(15)}], 4{self.pick('', ', 2', ', %p0')}", guard)
        self.emit(self.pick("cp.async.wait_all", "cp.async.commit_group;\n    cp.async.wait_group 0"))
        self.emit(f"ld.shared.u32 {self.r()}, [%rd25]", guard)
