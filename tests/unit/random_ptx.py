"""Random structured kernels: arithmetic, guards, branches, loops, copies and memory, whose results tell whether lowering is right.

Every thread works on registers of its own and on 64 bytes of scratch memory, and stores all registers at the end, so two
lowerings of one text must give the same memory.
"""
import random

INTEGERS, WIDES, FLOATS, PREDICATES = 8, 5, 4, 4
SCRATCH = 64
"""Bytes of scratch memory per thread."""
RESULTS = 4 * INTEGERS + 8 * WIDES + 4 * FLOATS
"""Bytes stored per thread at the end."""


class Writer:
    """Writes one kernel."""

    def __init__(self, seed: int, length: int):
        self.random, self.lines, self.labels, self.length = random.Random(seed), [], 0, length
        self.loops = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def r(self):
        return f"%r{self.random.randrange(INTEGERS)}"

    def rd(self):
        return f"%rd{self.random.randrange(WIDES)}"

    def f(self):
        return f"%f{self.random.randrange(FLOATS)}"

    def p(self):
        return f"%p{self.random.randrange(PREDICATES)}"

    def source(self):
        return self.r() if self.random.random() < 0.7 else str(self.pick(0, 1, 2, 3, 4, 8, 31, -1, 255, 1000, self.random.randrange(2**31)))

    def emit(self, text: str, guard: str = ""):
        self.lines.append(f"    {guard}{text};")

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def statement(self, depth: int):
        kind = self.random.random()
        if depth < 3 and kind < 0.12:
            return self.conditional(depth)
        if depth < 2 and kind < 0.16 and self.loops < 3:
            return self.loop(depth)
        guard = f"@{self.pick('', '!')}{self.p()} " if self.random.random() < 0.12 else ""
        self.emit(self.instruction(), guard)
        return None

    def instruction(self) -> str:
        pick = self.pick
        return pick(
            lambda: f"{pick('add', 'sub')}.s32 {self.r()}, {self.r()}, {self.source()}",
            lambda: f"mul.lo.s32 {self.r()}, {self.r()}, {self.source()}",
            lambda: f"mad.lo.s32 {self.r()}, {self.r()}, {self.source()}, {self.source()}",
            lambda: f"{pick('and', 'or', 'xor')}.b32 {self.r()}, {self.r()}, {self.source()}",
            lambda: f"{pick('shl.b32', 'shr.u32', 'shr.s32')} {self.r()}, {self.r()}, {self.source()}",
            lambda: f"{pick('min', 'max')}.s32 {self.r()}, {self.r()}, {self.source()}",
            lambda: f"mov.u32 {self.r()}, {self.source()}",
            lambda: f"mov.u32 {self.r()}, {self.r()}",
            lambda: f"mov.u64 {self.rd()}, {self.rd()}",
            lambda: f"mov.f32 {self.f()}, {self.f()}",
            lambda: f"cvt.{pick('s64.s32', 'u64.u32')} {self.rd()}, {self.r()}",
            lambda: f"cvt.u32.u64 {self.r()}, {self.rd()}",
            lambda: f"{pick('add', 'sub')}.s64 {self.rd()}, {self.rd()}, {self.rd()}",
            lambda: f"mul.wide.{pick('s32', 'u32')} {self.rd()}, {self.r()}, {self.source()}",
            lambda: f"shl.b64 {self.rd()}, {self.rd()}, {self.random.randrange(0, 40)}",
            lambda: f"mov.b64 {{{self.r()}, {self.r()}}}, {self.rd()}" if False else f"mov.b64 {self.rd()}, {{{self.r()}, {self.r()}}}",
            lambda: f"add.rn.f32 {self.f()}, {self.f()}, {self.f()}",
            lambda: f"fma.rn.f32 {self.f()}, {self.f()}, 0f3F000000, {self.f()}",
            lambda: f"cvt.rn.f32.s32 {self.f()}, {self.r()}",
            lambda: f"cvt.rzi.s32.f32 {self.r()}, {self.f()}",
            lambda: f"setp.{pick('lt', 'ge', 'eq', 'ne')}.s32 {self.p()}, {self.r()}, {self.source()}",
            lambda: f"setp.{pick('lt', 'ge')}.{pick('and', 'or', 'xor')}.s32 {self.p()}, {self.r()}, {self.source()}, {pick('', '!')}{self.p()}",
            lambda: f"setp.lt.u64 {self.p()}, {self.rd()}, {self.rd()}",
            lambda: f"{pick('and', 'or', 'xor')}.pred {self.p()}, {self.p()}, {self.p()}",
            lambda: f"not.pred {self.p()}, {self.p()}",
            lambda: f"selp.b32 {self.r()}, {self.r()}, {self.source()}, {self.p()}",
            lambda: f"selp.b64 {self.rd()}, {self.rd()}, {self.rd()}, {self.p()}",
            lambda: f"ld.global.u32 {self.r()}, [%rd{WIDES}+{4 * self.random.randrange(16)}]",
            lambda: f"st.global.u32 [%rd{WIDES}+{4 * self.random.randrange(16)}], {self.r()}",
            lambda: f"ld.global.s8 {self.r()}, [%rd{WIDES}+{self.random.randrange(SCRATCH)}]",
            lambda: f"st.global.u64 [%rd{WIDES}+{8 * self.random.randrange(8)}], {self.rd()}",
            self._indexed,
        )()

    def _indexed(self) -> str:
        index, r = WIDES + 2, self.r()
        self.emit(f"and.b32 %r{INTEGERS}, {r}, 15")
        self.emit(f"cvt.u64.u32 %rd{index}, %r{INTEGERS}")
        self.emit(f"shl.b64 %rd{index}, %rd{index}, 2")
        self.emit(f"add.s64 %rd{index + 1}, %rd{WIDES}, %rd{index}")
        return self.pick(f"ld.global.u32 {self.r()}, [%rd{index + 1}]", f"st.global.u32 [%rd{index + 1}], {self.r()}")

    def block(self, depth: int, count: int):
        for _ in range(count):
            self.statement(depth)

    def conditional(self, depth: int):
        p, other, end = self.p(), self.label(), self.label()
        self.emit(f"bra {other}", f"@{self.pick('', '!')}{p} ")
        self.block(depth + 1, self.random.randrange(1, 6))
        if self.random.random() < 0.5:
            self.emit(f"bra.uni {end}")
            self.lines.append(f"{other}:")
            self.block(depth + 1, self.random.randrange(1, 6))
            self.lines.append(f"{end}:")
        else:
            self.lines.append(f"{other}:")

    def loop(self, depth: int):
        counter, start = f"%r{INTEGERS + 1 + self.loops}", self.label()
        self.loops += 1
        self.emit(f"mov.u32 {counter}, {self.random.randrange(1, 5)}")
        self.lines.append(f"{start}:")
        self.block(depth + 1, self.random.randrange(2, 8))
        self.emit(f"sub.s32 {counter}, {counter}, 1")
        self.emit(f"setp.ne.s32 %p{PREDICATES}, {counter}, 0")
        self.emit(f"bra {start}", f"@%p{PREDICATES} ")

    def write(self) -> str:
        self.emit("ld.param.u64 %rd30, [scratch]")
        self.emit("ld.param.u64 %rd31, [results]")
        self.emit("cvta.to.global.u64 %rd30, %rd30")
        self.emit("mov.u32 %r30, %tid.x")
        self.emit("mov.u32 %r31, %ctaid.x")
        self.emit("mov.u32 %r32, %ntid.x")
        self.emit("mad.lo.s32 %r33, %r31, %r32, %r30")
        self.emit(f"mul.wide.u32 %rd32, %r33, {SCRATCH}")
        self.emit(f"add.s64 %rd{WIDES}, %rd30, %rd32")
        self.emit(f"mul.wide.u32 %rd33, %r33, {RESULTS}")
        self.emit("add.s64 %rd34, %rd31, %rd33")
        for k in range(INTEGERS):
            self.emit(f"mad.lo.s32 %r{k}, %r33, {k * 77 + 1}, {k * 1000}")
        for k in range(WIDES):
            self.emit(f"mul.wide.s32 %rd{k}, %r{k}, {k + 3}")
        for k in range(FLOATS):
            self.emit(f"cvt.rn.f32.s32 %f{k}, %r{k}")
        for k in range(PREDICATES):
            self.emit(f"setp.lt.s32 %p{k}, %r{k}, {k * 3000}")
        self.block(0, self.length)
        at = 0
        for k in range(WIDES):
            self.emit(f"st.global.u64 [%rd34+{at}], %rd{k}")
            at += 8
        for k in range(INTEGERS):
            self.emit(f"st.global.u32 [%rd34+{at}], %r{k}")
            at += 4
        for k in range(FLOATS):
            self.emit(f"st.global.f32 [%rd34+{at}], %f{k}")
            at += 4
        return "\n".join(self.lines)


def body(seed: int, length: int = 40) -> str:
    """Write the body of a random kernel with parameters `scratch` and `results`."""
    return Writer(seed, length).write()
