"""Kernels around one instruction of a thread's stack, of copies in the background, and of barriers in shared memory."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef.testing.compare import Launch
from archdef.testing.templates_bulk import bulk_group
from archdef.testing.templates import THREADS, base, inputs, kernel, launch, load_operand, register, store_result, template

if TYPE_CHECKING:
    from archdef.testing.forms import Form

# ------------------------------------------------------------------------------------------------------------------ copies
CELL = 64
"""Bytes of shared memory of each thread."""
HEAD = f".shared .align 16 .b8 sh[{THREADS * CELL}];\n"
POINT = f"    mov.u64 %rd20, sh; mul.wide.u32 %rd21, %r20, {CELL}; add.s64 %rd20, %rd20, %rd21; cvta.shared.u64 %rd27, %rd20;\n"
"""%rd20: the thread's cell; %rd27: its generic address."""
WAIT = "    cp.async.wait_all;\n"


def _output(count: int, first: int = 0) -> str:
    """Copy words of the cell to the output."""
    return "".join(f"    ld.shared.b64 %rd22, [%rd20+{8 * k}]; st.global.b64 [%rd31+{8 * (first + k)}], %rd22;\n" for k in range(count))


@template("copy_async")
def copy_async(form: Form) -> Launch:
    """Copies of each size; whole, of a part that the rest is zeros behind, and under a predicate that ignores the source."""
    sizes = (16,) if form.bound["cache"] == "cg" else (4, 8, 16)
    ending = ", %rd26" if form.bound["hint"] else ""
    body = base("%rd30", "in", CELL) + base("%rd31", "out", CELL) + POINT
    body += "    createpolicy.fractional.L2::evict_last.b64 %rd26;\n" if ending else ""
    body += "".join(f"    st.shared.b64 [%rd20+{8 * k}], -1;\n" for k in range(CELL // 8))
    body += "    ld.global.u32 %r1, [%rd30+48]; setp.ne.u32 %p1, %r1, 3;\n"
    behind = ("", f", %r{3}", ", %p1")[form.seed % 3]
    for k, size in enumerate(sizes):
        body += f"    rem.u32 %r3, %r1, {size + 1};\n" if "%r3" in behind else ""
        body += f"    {form.name} [%rd20+{16 * k}], [%rd30+{16 * k}], {size}{behind}{ending};\n"
    data = inputs(form, ["b64"] * 6 + ["u32", "b64"])
    data[::3, 6] = 3
    return launch(form, kernel(body + WAIT + _output(8), head=HEAD), data, 8)


@template("copy_group")
def copy_group(form: Form) -> Launch:
    """Two groups, of which the older one is waited for first."""
    if "bulk" in form.modifiers:
        return bulk_group(form)
    body = base("%rd30", "in", CELL) + base("%rd31", "out", CELL) + POINT
    for k in range(2):
        body += f"    cp.async.ca.shared.global [%rd20+{16 * k}], [%rd30+{16 * k}], 16;\n    cp.async.commit_group;\n"
    body += "    cp.async.wait_group 1;\n" + _output(2) + ("    cp.async.wait_group 0;\n" if form.name.endswith("wait_group") else WAIT)
    if "bulk" in form.modifiers:    # groups of their own, empty here
        wait = form.name if form.name.endswith(("wait_group", "read")) else "cp.async.bulk.wait_group"
        body += f"    cp.async.bulk.commit_group;\n    {wait} 0;\n"
    assert form.name in body
    return launch(form, kernel(body + _output(4, 2), head=HEAD), inputs(form, ["b64"] * 8), 8)


@template("copy_arrive")
def copy_arrive(form: Form) -> Launch:
    """On a barrier of the thread's own: only ``.noinc`` ends the phase by itself."""
    where = "[%rd20]" if form.bound["space"] else "[%rd27]"
    body = base("%rd30", "in", 16) + base("%rd31", "out", 64) + POINT + """    mbarrier.init.shared.b64 [%rd20], 1;
    cp.async.ca.shared.global [%rd20+16], [%rd30], 16;
"""
    body += f"    {form.name} {where};\n"
    body += "" if "noinc" in form.modifiers else "    mbarrier.test_wait.parity.shared.b64 %p1, [%rd20], 0;\n" + store_result("pred", 1, 16)
    body += "" if "noinc" in form.modifiers else "    mbarrier.arrive.shared.b64 %rd1, [%rd20];\n"
    body += "AGAIN:\n    mbarrier.test_wait.parity.shared.b64 %p2, [%rd20], 0;\n    @!%p2 bra AGAIN;\n"
    body += "    ld.shared.v2.b64 {%rd2, %rd3}, [%rd20+16]; st.global.v2.b64 [%rd31], {%rd2, %rd3};\n"
    return launch(form, kernel(body, head=HEAD), inputs(form, ["b64", "b64"]), 8)


@template("policy")
def policy(form: Form) -> Launch:
    """Made, and given to a load."""
    ways = [w for w in form.modifiers if w.startswith("L2::")]
    operands = {"fractional": ", 0.5" if len(ways) > 1 else "", "range": ", [%rd30], 64, 128", "cvt": ", %rd1"}[form.modifiers[0]]
    body = base("%rd30", "in", 16) + base("%rd31", "out", 16) + load_operand("b64", 1, 0) + f"    {form.name} %rd2{operands};\n"
    body += "    ld.global.L2::cache_hint.b64 %rd3, [%rd30], %rd2;\n"
    if form.modifiers[0] == "cvt":      # of what an access property of CUDA C++ is, PTX says nothing
        body = body.replace(", %rd1;", ", 0;")
    return launch(form, kernel(body + store_result("b64", 3, 0)), inputs(form, ["b64", "b64"]))


# --------------------------------------------------------------------------------------------------------------- barriers
class Story:
    """What happens to a thread's own barrier; after each step its state and what it says of two phases are stored."""

    def __init__(self, form: Form):
        self.form, self.lines, self.stored = form, [], 0
        self.where = "[%rd20]" if form.bound.get("space") else "[%rd27]"
        self.step("mbarrier.init.shared.b64 [%rd20], 5")

    def step(self, text: str, *, state: bool = False) -> None:
        """Do something; `state`: it gives a state in %rd1."""
        self.lines.append(f"    {text};\n")
        if state:
            self.lines.append("    mbarrier.pending_count.b64 %r10, %rd1;\n" + store_result("b32", 10, 8 * self.stored))
            self.lines.append("    mbarrier.test_wait.shared.b64 %p1, [%rd20], %rd1;\n" + store_result("pred", 1, 8 * self.stored + 4))
            self.stored += 1

    def ask(self, text: str) -> None:
        """Store a predicate %p1 that an instruction gives."""
        self.lines.append(f"    {text};\n" + store_result("pred", 1, 8 * self.stored))
        self.stored += 1

    def told(self) -> Launch:
        """Make the launch."""
        body = base("%rd30", "in", 8) + base("%rd31", "out", 8 * 16) + POINT + load_operand("u32", 1, 0)
        body += "    and.b32 %r2, %r1, 3; add.u32 %r2, %r2, 1; mov.u64 %rd1, 0;\n" + "".join(self.lines)
        return launch(self.form, kernel(body, head=HEAD), inputs(self.form, ["u32"]), 16)


ARRIVE = "mbarrier.arrive.shared.b64 %rd1, [%rd20]"


@template("phase", "phase_arrive", "phase_count")
def phase(form: Form) -> Launch:
    """Five arrivals of each phase, some of them by the form, with bytes to wait for where it counts bytes."""
    story, kind, name, where = Story(form), form.row.fn or form.row.builder, form.name, None
    where = story.where
    if kind == "init":
        story.step(f"{name} {where}, %r2")
    elif kind == "invalidate":
        story.step(ARRIVE, state=True)
        story.step(f"{name} {where}")
        story.step("mbarrier.init.shared.b64 [%rd20], %r2")
    elif kind in ("expect", "complete"):
        story.step(f"{name if kind == 'expect' else 'mbarrier.expect_tx.relaxed.cta.shared.b64'} [%rd{20 if kind == 'complete' else where[4:6]}], 24")
    elif kind == "phase_count":
        return _counted(form)
    for k in range(6):
        text = ARRIVE
        if k % 2 and kind in ("arrive", "arrive_drop"):
            quiet = "noComplete" in form.modifiers
            text = f"{name} %rd1, {where}" + (", 1" if quiet or k > 2 else "")
            text = ARRIVE if quiet and k > 3 else text
        elif k == 1 and kind == "arrive_expect":
            text = f"{name} %rd1, {where}, 24"
        story.step(text, state=True)
        if k == 4 and kind in ("arrive_expect", "expect", "complete"):
            complete = name if kind == "complete" else "mbarrier.complete_tx.relaxed.cta.shared.b64"
            story.step(f"{complete} {where if kind == 'complete' else '[%rd20]'}, 8")
            story.ask("mbarrier.test_wait.parity.shared.b64 %p1, [%rd20], 0")
            story.step(f"{complete} {where if kind == 'complete' else '[%rd20]'}, 16")
        story.ask("mbarrier.test_wait.parity.shared.b64 %p1, [%rd20], 0")
    return story.told()


def _counted(form: Form) -> Launch:
    """``pending_count``, of states that arrivals of several threads' worth gave."""
    story = Story(form)
    for count in ("2", "1", "2", "%r2"):
        story.lines.append(f"    mbarrier.arrive.shared.b64 %rd1, [%rd20], {count};\n    {form.name} %r10, %rd1;\n"
                           + store_result("b32", 10, 8 * story.stored))
        story.stored += 1
    return story.told()


@template("phase_test")
def phase_test(form: Form) -> Launch:
    """Before and after a phase ends; then the threads of the block wait for one another, and read each other's values."""
    parity = "parity" in form.modifiers
    body = base("%rd30", "in", 8) + base("%rd31", "out", 32) + POINT + load_operand("b32", 1, 0)
    where = "[%rd20]" if form.bound["space"] else "[%rd27]"
    body += "    mbarrier.init.shared.b64 [%rd20], 2;\n    mbarrier.arrive.shared.b64 %rd1, [%rd20];\n"
    before, after = ("0", "1") if parity else ("%rd1", "%rd2")
    body += f"    {form.name} %p1, {where}, {before};\n" + store_result("pred", 1, 0)
    body += "    mbarrier.arrive.shared.b64 %rd3, [%rd20];\n    mbarrier.arrive.shared.b64 %rd2, [%rd20];\n"
    body += f"    {form.name} %p1, {where}, {before};\n" + store_result("pred", 1, 8)
    body += f"    {form.name} %p1, {where}, {after};\n" + store_result("pred", 1, 16)
    body += f"""    setp.ne.u32 %p2, %r20, 0;
    @%p2 bra READY;
    mbarrier.init.shared.b64 [common], {THREADS};
READY:
    bar.sync 0;
    st.shared.b32 [%rd20+16], %r1;
    mbarrier.arrive.release.cta.shared.b64 %rd4, [common];
    mov.u64 %rd5, common; cvta.shared.u64 %rd6, %rd5;
AGAIN:
    {form.name} %p3, [%rd{'5' if form.bound['space'] else '6'}], {'0' if parity else '%rd4'};
    @!%p3 bra AGAIN;
    sub.u32 %r5, {THREADS - 1}, %r20; mov.u64 %rd7, sh; mul.wide.u32 %rd8, %r5, {CELL}; add.s64 %rd7, %rd7, %rd8;
    ld.shared.b32 %r6, [%rd7+16];
"""
    head = HEAD + ".shared .align 8 .b64 common;\n"
    return launch(form, kernel(body + store_result("b32", 6, 24), head=head), inputs(form, ["b32"]), 4)


# ------------------------------------------------------------------------------------------------------------------ stack
@template("alloca", "stack_save", "stack_restore")
def stack(form: Form) -> Launch:
    """Memory of some size for each thread, written and read back; more of it, aligned; given back and taken again."""
    type = form.types[0]
    size, first, second, saved = (register(type, k) for k in (1, 5, 6, 7))
    local = ".local"
    body = base("%rd30", "in", 8) + base("%rd31", "out", 32) + load_operand("u32", 1, 0)
    body += "    and.b32 %r1, %r1, 7; add.u32 %r1, %r1, 1; mov.u32 %r8, 0; mov.u32 %r10, 0; shl.b32 %r2, %r1, 3;\n"
    body += f"    stacksave.{type} {saved};\n" + (f"    cvt.u64.u32 {size}, %r2;\n" if type == "u64" else f"    mov.u32 {size}, %r2;\n")
    body += f"    alloca.{type} {first}, {size};\n    alloca.{type} {second}, 16, 64;\n    and.b{type[1:]} {size}, {second}, 63;\n"
    body += store_result(type, 1, 0) + f"    st{local}.u32 [{second}], %r20;\n"
    count = "    shl.b32 %r2, %r8, 3;\n" + (f"    cvt.u64.u32 {size}, %r2;\n" if type == "u64" else f"    mov.u32 {size}, %r2;\n")
    count += f"    add.{type} {size}, {first}, {size};\n"
    body += f"""WRITE:
{count}    mad.lo.u32 %r9, %r20, 100, %r8;
    st{local}.u32 [{size}], %r9;
    add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, %r4;
    @%p1 bra WRITE;
    mov.u32 %r8, 0;
READ:
{count}    ld{local}.u32 %r9, [{size}];
    mad.lo.u32 %r10, %r10, 31, %r9;
    add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, %r4;
    @%p1 bra READ;
""".replace("%r4", "%r3")
    body = body.replace("    stacksave", "    mov.u32 %r3, %r1;\n    stacksave", 1)
    body += store_result("b32", 10, 8) + f"    ld{local}.u32 %r11, [{second}];\n" + store_result("b32", 11, 16)
    body += f"    stackrestore.{type} {saved};\n    alloca.{type} {first}, 8;\n    st{local}.u32 [{first}], %r10;\n"
    body += f"    ld{local}.u32 %r11, [{first}];\n" + store_result("b32", 11, 24)
    return launch(form, kernel(body), inputs(form, ["u32"]), 4)
