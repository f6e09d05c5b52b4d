"""Kernels around one instruction: they load its operands, execute it, and store what it left."""
from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from archdef.ptx import table
from archdef.testing import bounds, values
from archdef.testing.compare import Launch
from archdef.testing.reference.formats import F32
from archdef.testing.reference.types import width

if TYPE_CHECKING:
    from archdef.testing.forms import Form

THREADS = 64
BLOCKS = 3
TEMPLATES: dict[str, Callable[[Form], Launch]] = {}
"""By the builder of the row."""

HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"
REGISTERS = """    .reg .pred %p<16>;
    .reg .b16 %h<16>;
    .reg .b32 %r<32>;
    .reg .f32 %f<16>;
    .reg .b64 %rd<32>;
    .reg .f64 %fd<16>;
    .reg .b128 %q<4>;
    mov.u32 %r20, %tid.x; mov.u32 %r21, %ctaid.x; mov.u32 %r22, %ntid.x;
    mad.lo.u32 %r23, %r21, %r22, %r20;
"""


def template(*keys: str):
    """Register a template for opcodes or builders."""
    def register(function):
        TEMPLATES.update(dict.fromkeys(keys, function))
        return function
    return register


def kernel(body: str, parameters: str = ".param .u64 in, .param .u64 out", head: str = "") -> str:
    """Wrap a body into a module with one kernel."""
    return f"{HEAD}{head}\n.visible .entry k({parameters})\n{{\n{REGISTERS}{body}\n    ret;\n}}\n"


def register(type: str, number: int) -> str:
    """Name the register that holds a value of a type."""
    if type == "pred":
        return f"%p{number}"
    if type in ("f32", "f64"):
        return f"%f{number}" if type == "f32" else f"%fd{number}"
    bits = width(type)
    return f"%h{number}" if bits <= 16 else {32: "%r", 64: "%rd", 128: "%q"}[bits] + str(number)


def base(pointer: str, parameter: str, each: int) -> str:
    """Point a register at the thread's part of an array, `each` bytes a thread."""
    return (f"    ld.param.u64 %rd29, [{parameter}]; mul.wide.u32 %rd28, %r23, {each}; "
            f"add.s64 {pointer}, %rd29, %rd28;\n")


def load_operand(type: str, number: int, offset: int) -> str:
    """Load an operand from the thread's row of inputs, at %rd30."""
    if type == "pred":
        return f"    ld.global.u32 %r25, [%rd30+{offset}]; setp.ne.u32 %p{number}, %r25, 0;\n"
    return f"    ld.global.b{width(type)} {register(type, number)}, [%rd30+{offset}];\n"


def store_result(type: str, number: int, offset: int) -> str:
    """Store a result to the thread's row of outputs, at %rd31."""
    if type == "pred":
        return f"    selp.u32 %r24, 1, 0, %p{number}; st.global.u32 [%rd31+{offset}], %r24;\n"
    return f"    st.global.b{max(width(type), 16)} [%rd31+{offset}], {register(type, number)};\n"


def inputs(form: Form, types: list[str], threads: int = THREADS * BLOCKS) -> np.ndarray:
    """Make a row of operands per thread, 8 bytes each."""
    if not types:
        return np.zeros((threads, 1), "u8")
    return np.array(values.rows(form.seed, types, threads), dtype="u8")


def launch(form: Form, text: str, data: np.ndarray, outputs: int = 2, accepts=None, **more) -> Launch:
    """Make the launch of a kernel with one array of inputs and one of outputs, `outputs` u64 a thread."""
    out = np.zeros((data.shape[0], outputs), "u8")
    return Launch(text, (data, out), **({"grid": (data.shape[0] // THREADS,), "block": (THREADS,)} | more), accepts=accepts)


def operand_types(form: Form) -> list[tuple[str, str]]:
    """Give letter and type of the row's operands that are not left out."""
    found = table.find(form.row.opcode, (*form.modifiers, *form.types))
    return [(letter, type) for (letter, type), o in zip(found.operands, form.row.operand_list) if not o.optional]


def accepting(form: Form, count: int, outputs: int = 2):
    """Give what an approximate form accepts, from the rule for its opcode."""
    rule = bounds.rule(form.row.opcode, (*form.modifiers, *form.types))
    if rule is None:
        return None
    flushes = "ftz" in form.modifiers and form.types[0] == "f32"

    def accepts(before, number, at, a, b):
        if at % outputs:
            return False
        operands = [int(x) for x in before[0][at // outputs]]
        return rule([F32.flush(x) for x in operands[:count]] if flushes else operands[:count], a, b)
    return accepts


# ------------------------------------------------------------------------------------------------------------ arithmetic
@template("move128")
def move_128(form: Form) -> Launch:
    """Packed from two halves, moved, and unpacked."""
    body = base("%rd30", "in", 16) + base("%rd31", "out", 16) + load_operand("b64", 1, 0) + load_operand("b64", 2, 8)
    body += f"    {form.name} %q1, {{%rd1, %rd2}};\n    {form.name} %q2, %q1;\n    {form.name} {{%rd3, %rd4}}, %q2;\n"
    return launch(form, kernel(body + store_result("b64", 3, 0) + store_result("b64", 4, 8)), inputs(form, ["b64", "b64"]))


@template("alu", "mad", "select", "predicate", "compare", "compare_pair", "set", "set_pair", "convert", "move")
def plain(form: Form) -> Launch:
    """One destination, sources of the row's types."""
    (letter, result), *sources = operand_types(form)
    types = [type for _, type in sources]
    constant = ", 0x" + format(form.seed & 255, "x") if form.row.opcode == "lop3" else ""
    if constant:
        types.pop()
    result = "pred" if letter == "p" else result
    if width(result) == 8:
        result = "b32"  # a conversion to 8 bits goes to a wider register, extended
    pair = form.row.opcode == "setp" and form.types[0] not in ("f16", "bf16")
    body = base("%rd30", "in", 8 * max(1, len(types))) + base("%rd31", "out", 16)
    body += "".join(load_operand(t, k + 1, 8 * k) for k, t in enumerate(types))
    names = [register(t, k + 1) for k, t in enumerate(types)]
    target = register(result, 10) + ("|%p11" if pair else "")
    body += f"    {form.name} {', '.join([target, *names])}{constant};\n" + store_result(result, 10, 0)
    if pair:
        body += store_result("pred", 11, 8)
    return launch(form, kernel(body), inputs(form, types), accepts=accepting(form, len(types)))


def _selectors(form: Form) -> tuple[list[str], bool]:
    """Draw parts for the operands of a video instruction, by the form's seed; say whether it takes a third operand."""
    source, word = random.Random(form.seed), lambda letter, digits: "." + letter + "".join(map(str, digits))
    if form.row.builder == "video_lanes":
        letter, count = ("h", 2) if form.row.opcode[-1] == "2" else ("b", 4)
        mask = sorted(source.sample(range(count), source.randint(1, count)), reverse=True)
        parts = [word(letter, mask), *(word(letter, source.choices(range(2 * count), k=count)) for _ in "ab")]
        return [part if source.random() < 0.8 else "" for part in parts] + [""], True
    parts = ["", *(source.choice(("", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1")) for _ in "ab"), ""]
    if form.row.opcode == "vmad":
        minus = source.choice(("", "a", "b", "ab", "c")) if "po" not in form.modifiers else ""
        return [f"-{part}" if name in minus else part for name, part in zip("dabc", parts)], True
    merges = not {"add", "min", "max"} & set(form.modifiers) and source.random() < 0.5
    parts[0] = source.choice((".b0", ".b1", ".b2", ".b3", ".h0", ".h1")) if merges else ""
    return parts, merges or bool({"add", "min", "max"} & set(form.modifiers))


@template("video", "video_lanes")
def video(form: Form) -> Launch:
    """Parts of registers: the same for a form in every run."""
    parts, third = _selectors(form)
    types = ["b32"] * (2 + third)
    body = base("%rd30", "in", 8 * len(types)) + base("%rd31", "out", 16) + "".join(load_operand("b32", k + 1, 8 * k) for k in range(len(types)))
    names = [("-" * part.startswith("-")) + name + part.lstrip("-") for name, part in zip(("%r10", "%r1", "%r2", "%r3"), parts)]
    body += f"    {form.name} {', '.join(names[:1 + len(types)])};\n" + store_result("b32", 10, 0)
    return launch(form, kernel(body), inputs(form, types))


@template("carry")
def carry(form: Form) -> Launch:
    """With a carry (a borrow, for subtraction) from a step before, and one behind that shows what is left of it."""
    type = form.types[0]
    count = len(form.row.operand_list) - 1
    first, last = ("sub.cc", "subc") if form.row.opcode.startswith("sub") else ("add.cc", "addc")
    body = base("%rd30", "in", 8 * (count + 1)) + base("%rd31", "out", 16)
    body += "".join(load_operand(type, k + 1, 8 * k) for k in range(count)) + f"    ld.global.u32 %r26, [%rd30+{8 * count}];\n"
    # carry 1 if the input is 1: 1 + 0xffffffff; borrow 1 if it is 1: 0 - 1
    body += f"    {first}.u32 %r27, {'0, %r26' if first == 'sub.cc' else '%r26, 0xffffffff'};\n"
    names = [register(type, 10), *(register(type, k + 1) for k in range(count))]
    body += f"    {form.name} {', '.join(names)};\n    {last}.u32 %r28, 0, 0;\n" + store_result(type, 10, 0) + store_result("b32", 28, 8)
    return launch(form, kernel(body), inputs(form, [type] * count + ["pred"]))


# ---------------------------------------------------------------------------------------------------------------- memory
CELL = 32
"""Bytes of memory of each thread."""


def cell(space: str) -> tuple[str, str, str]:
    """Give declarations, code that puts the thread's inputs into its cell and points %rd20 at it, and the space to name."""
    space = space.removesuffix("::cta")
    if space.startswith("param"):
        return "", "    mov.u64 %rd20, 0;\n", space
    fill = "".join(f"    ld.global.b64 %rd21, [%rd30+{8 * k}]; st.{{0}}.b64 [%rd20+{8 * k}], %rd21;\n" for k in range(4))
    if space == "global":
        return "", "    mov.u64 %rd20, %rd30;\n", "global"
    if space == "const":
        data = ", ".join(str((37 * k + 11) % 256) for k in range(1024))
        return (f".const .align 16 .b8 co[1024] = {{{data}}};\n",
                "    mov.u64 %rd20, co; and.b32 %r26, %r20, 31; mul.wide.u32 %rd21, %r26, 32; add.s64 %rd20, %rd20, %rd21;\n", "const")
    if space == "local":
        return "", "    .local .align 16 .b8 lo[32];\n    mov.u64 %rd20, lo;\n" + fill.format("local"), "local"
    point = "    mov.u64 %rd20, sh; mul.wide.u32 %rd21, %r20, 32; add.s64 %rd20, %rd20, %rd21;\n"
    head = f".shared .align 16 .b8 sh[{THREADS * CELL}];\n"
    if space == "":
        return head, point + fill.format("shared") + "    cvta.shared.u64 %rd20, %rd20;\n", ""
    return head, point + fill.format("shared"), "shared"


def _vector(form: Form, first: int, wide: bool) -> tuple[str, list[str]]:
    count = int((form.bound.get("vec") or "v1")[1:])
    type = form.types[0]
    names = [f"%r{first + k}" if wide and width(type) <= 16 else register(type, first + k) for k in range(count)]
    return ("{" + ", ".join(names) + "}" if count > 1 else names[0]), names


@template("load")
def load(form: Form) -> Launch:
    """A load from the thread's cell, into registers that show the extension; or from a parameter passed by value."""
    space = form.bound.get("space", "")
    head, point, _ = cell(space)
    target, names = _vector(form, 1, wide=True)
    body = base("%rd30", "in", CELL) + base("%rd31", "out", CELL) + point
    from_parameter = space.startswith("param")
    body += f"    {form.name} {target}, [{'blob+16' if from_parameter else '%rd20'}];\n"
    if form.types == ("b128",):
        body += f"    mov.b128 {{%rd24, %rd25}}, {names.pop()}; st.global.b64 [%rd31], %rd24; st.global.b64 [%rd31+8], %rd25;\n"
    for k, name in enumerate(names):
        body += f"    st.global.b{64 if '%rd' in name or '%fd' in name else 32} [%rd31+{8 * k}], {name};\n"
    data = inputs(form, ["b64"] * 4)
    parameters = ".param .u64 in, .param .u64 out" + (", .param .align 16 .b8 blob[48]" if from_parameter else "")
    made = launch(form, kernel(body, parameters, head), data, 4)
    if not from_parameter:
        return made
    blob = bytes((37 * k + 11 + form.seed) % 256 for k in range(48))
    return Launch(made.ptx, (*made.arguments, blob), made.grid, made.block)


@template("store")
def store(form: Form) -> Launch:
    """A store into the thread's cell, which is read back whole."""
    space = form.bound.get("space", "")
    head, point, named = cell(space)
    source, names = _vector(form, 1, wide=False)
    body = base("%rd30", "in", 2 * CELL) + base("%rd31", "out", CELL) + point
    for k, name in enumerate(names):
        if name.startswith("%q"):
            body += f"    ld.global.v2.b64 {{%rd24, %rd25}}, [%rd30+{CELL}]; mov.b128 {name}, {{%rd24, %rd25}};\n"
        else:
            body += f"    ld.global.b{max(16, width(form.types[0]))} {name}, [%rd30+{CELL + 8 * k}];\n"
    body += f"    {form.name} [%rd20], {source};\n"
    dotted = "." + named if named else ""
    body += "".join(f"    ld{dotted}.b64 %rd22, [%rd20+{8 * k}]; st.global.b64 [%rd31+{8 * k}], %rd22;\n" for k in range(4))
    return launch(form, kernel(body, head=head), inputs(form, ["b64"] * 8), 4)


@template("atomic")
def atomic(form: Form) -> Launch:
    """An atomic on the thread's own cell: what it gives back, and what it leaves."""
    if form.bound.get("vec"):
        return atomic_vector(form)
    type, returns = form.types[0], form.row.opcode == "atom"
    count = 2 if form.bound["op"] == "cas" else 1
    bits, dotted = width(type), "." + form.bound["space"] if form.bound["space"] else ""
    head, point, _named = cell(form.bound["space"] or "global")
    operand = "b" + str(bits) if form.bound["op"] in ("exch", "cas", "and", "or", "xor") else type
    body = base("%rd30", "in", CELL) + base("%rd31", "out", 16) + point
    body += "".join(load_operand(type, k + 1, 8 * (k + 1)) for k in range(count))
    names = ", ".join(register(type, k + 1) for k in range(count))
    body += f"    {form.name} {register(type, 10) + ', ' if returns else ''}[%rd20], {names};\n"
    body += f"    ld{dotted}.b{bits} {register(type, 11)}, [%rd20];\n" + store_result(type, 11, 8)
    if returns:
        body += store_result(type, 10, 0)
    data = inputs(form, [operand] * 3 + ["b64"])
    if form.bound["op"] == "cas":  # every other one finds what it expects
        data[::2, 1] = data[::2, 0]
    return launch(form, kernel(body, head=head), data)


def atomic_vector(form: Form) -> Launch:
    """An atomic on several elements at once."""
    type, returns, space = form.types[0], form.row.opcode == "atom", form.bound["space"]
    count, bits = int(form.bound["vec"][1:]), width(type)
    head, point, _named = cell(space or "global")
    body = base("%rd30", "in", 2 * CELL) + base("%rd31", "out", CELL) + point
    body += "".join(f"    ld.global.b{bits} {register(type, k + 1)}, [%rd30+{CELL + 8 * k}];\n" for k in range(count))
    found, operands = ("{" + ", ".join(register(type, first + k) for k in range(count)) + "}" for first in (5, 1))
    body += f"    {form.name} {found + ', ' if returns else ''}[%rd20], {operands};\n"
    if returns:
        body += "".join(f"    st.global.b{bits} [%rd31+{k * bits // 8}], {register(type, 5 + k)};\n" for k in range(count))
    body += "".join(f"    ld{'.' + space if space else ''}.b64 %rd22, [%rd20+{8 * k}]; st.global.b64 [%rd31+{16 + 8 * k}], %rd22;\n"
                    for k in range(2))
    # the cell: elements side by side, edges of their type
    elements = [type] * (CELL * 8 // bits)
    data = np.array(values.rows(form.seed, elements + [type] * 4, THREADS * BLOCKS), dtype="u8")
    cells = data[:, :len(elements)].astype(f"<u{bits // 8}").view("u8").reshape(len(data), CELL // 8)
    return launch(form, kernel(body, head=head), np.hstack([cells, data[:, len(elements):]]), 4)


@template("fence", "hint", "lanes_needed", "register_count")
def hint(form: Form) -> Launch:
    """What changes no value, between a store and a load."""
    operands = {"nanosleep": "%r26", "applypriority": "[%rd31], 128", "discard": "[%rd27], 128", "prefetch": "[%rd30]",
                "prefetchu": "[%rd30]", "pmevent": "1", "setmaxnreg": "64", "mxlanes": "1"}.get(form.row.opcode, "")
    operands = "[%rd30], 128" if form.row.opcode == "fence" and form.row.operands else operands
    if "tensor" in form.modifiers:     # a map that nobody reads
        rank = int(form.bound["rank"][0])
        offsets = ", {" + ", ".join(["%h1"] * (rank - 2)) + "}" if form.bound["mode"] == "im2col" else ""
        operands = "[%rd27, {" + ", ".join(["%r26"] * rank) + "}]" + offsets + ", %rd27" * bool(form.bound.get("hint"))
    operands = operands if "tensor" in form.modifiers else "[%rd27], 16" + ", 0" * bool(form.bound.get("hint")) if form.row.opcode == "cp" else operands
    body = base("%rd30", "in", 8) + base("%rd31", "out", 16) + "    mov.u32 %r26, 20; mov.u64 %rd27, %rd31;\n"
    body += load_operand("b64", 1, 0) + store_result("b64", 1, 0) + f"    {form.name} {operands};\n"
    body += "    ld.global.b64 %rd2, [%rd31]; st.global.b64 [%rd31+8], %rd2;\n"
    return launch(form, kernel(body), inputs(form, ["b64"]))


# ------------------------------------------------------------------------------------------------------ generic addresses
@template("generic_address")
def generic_address(form: Form) -> Launch:
    """To a generic address and through it, or back and through the space."""
    space, back = form.bound["space"], bool(form.bound["to"])
    head, point, named = cell(space)
    named = named.partition("::")[0]
    bits = int(form.types[0][1:])
    if named == "param":
        point = "    mov.u64 %rd20, blob;\n"
    body = base("%rd30", "in", CELL) + base("%rd31", "out", 16) + point
    if bits == 32 and named in ("global", "const", "param"):
        return _there_and_back(form, space)
    there = f"cvta.{space}.u{bits}"
    first, second, narrow = ("%rd20", "%rd22", "%rd21") if bits == 64 else ("%r1", "%r2", "%r3")
    body += "" if bits == 64 else "    cvt.u32.u64 %r1, %rd20;\n"
    body += f"    {there} {second}, {first};\n" + (f"    {form.name} {narrow}, {second};\n" if back else "")
    body += f"    ld{'.' + named if back else ''}.b64 %rd24, [{narrow if back else second}]; st.global.b64 [%rd31], %rd24;\n"
    parameters = ".param .u64 in, .param .u64 out" + (", .param .align 16 .b8 blob[48]" if named == "param" else "")
    made = launch(form, kernel(body, parameters, head), inputs(form, ["b64"] * 4))
    if named != "param":
        return made
    return Launch(made.ptx, (*made.arguments, bytes(range(48))), made.grid, made.block)


def _there_and_back(form: Form, space: str) -> Launch:
    """32 bits cannot hold the address of device memory: only that one direction undoes the other can be seen."""
    back = "" if form.bound["to"] else ".to"
    body = base("%rd30", "in", 8) + base("%rd31", "out", 16) + load_operand("b32", 1, 0) + "    and.b32 %r1, %r1, 0xffff;\n"
    first, second = (f"cvta.{space}.u32", form.name) if not back else (form.name, f"cvta.to.{space}.u32")
    body += f"    {first} %r2, %r1;\n    {second} %r10, %r2;\n"
    return launch(form, kernel(body + store_result("b32", 10, 0)), inputs(form, ["b32"]))


@template("space_test")
def space_test(form: Form) -> Launch:
    """Of an address of each space."""
    body = "    .shared .align 8 .b8 sh[64];\n    .local .align 8 .b8 lo[64];\n" + base("%rd30", "in", 8) + base("%rd31", "out", 32)
    body += "    mov.u64 %rd1, sh; cvta.shared.u64 %rd1, %rd1; mov.u64 %rd2, lo; cvta.local.u64 %rd2, %rd2; add.s64 %rd3, %rd1, 63;\n"
    for k, name in enumerate(("%rd1", "%rd2", "%rd3", "%rd30")):
        body += f"    {form.name} %p{k + 1}, {name};\n" + store_result("pred", k + 1, 8 * k)
    return launch(form, kernel(body), inputs(form, []), 4)


# ------------------------------------------------------------------------------------------------------------- warp-wide
@template("vote", "active_mask")
def vote(form: Form) -> Launch:
    """By all lanes, then by those of one side of a branch; votes without a mask are of the lanes that are there."""
    type = form.types[0]
    target = register(type, 10)
    mask = ", -1" if "sync" in form.modifiers else ""
    predicate = ", %p1" + mask if form.row.opcode == "vote" else ""
    body = base("%rd30", "in", 16) + base("%rd31", "out", 16) + load_operand("pred", 1, 0) + load_operand("pred", 2, 8)
    body += f"    {form.name} {target}{predicate};\n" + store_result(type, 10, 0)
    if not mask:
        body += f"    @!%p2 bra DONE;\n    {form.name} {target}{predicate};\n" + store_result(type, 10, 8) + "DONE:\n"
    return launch(form, kernel(body), inputs(form, ["pred", "pred"]))


@template("shuffle", "shuffle_width")
def shuffle(form: Form) -> Launch:
    """Lane and control from memory."""
    body = base("%rd30", "in", 24) + base("%rd31", "out", 16) + "".join(load_operand("b32", k + 1, 8 * k) for k in range(3))
    mask = ", -1" if "sync" in form.modifiers and form.row.opcode == "shfl" else ""
    if form.row.opcode == "mx":
        body += "    and.b32 %r3, %r3, 3; shl.b32 %r3, 1, %r3;\n"
    body += f"    {form.name} %r10|%p10, %r1, %r2, %r3{mask};\n" + store_result("b32", 10, 0) + store_result("pred", 10, 8)
    return launch(form, kernel(body), inputs(form, ["b32", "b32", "b32"]))


@template("redux", "elect")
def reduction(form: Form) -> Launch:
    """Of all lanes, then of those of one side of a branch, which know each other from a vote before."""
    elects = form.row.opcode == "elect"
    operands = "%r10|%p10, {0}" if elects else "%r10, %r1, {0}"
    body = base("%rd30", "in", 16) + base("%rd31", "out", 24) + load_operand("b32", 1, 0) + load_operand("pred", 2, 8)
    mask = "%r9" if form.lanes <= 32 else "%rd9"
    body += f"    setp.ne.b32 %p10, 0, 0;\n    vote.sync.ballot.b{32 if form.lanes <= 32 else 64} {mask}, %p2, -1;\n"
    body += f"    {form.name} {operands.format('-1')};\n" + store_result("b32", 10, 0) + store_result("pred", 10, 8)
    body += f"    @!%p2 bra DONE;\n    {form.name} {operands.format(mask)};\n" + store_result("b32", 10, 16) + "DONE:\n"
    return launch(form, kernel(body), inputs(form, ["b32", "pred"]), 3)


@template("match")
def match(form: Form) -> Launch:
    """Of values that are often equal; warps of the last block agree."""
    type, found = form.types[0], "b32" if form.lanes <= 32 else "b64"
    pair = register(found, 10) + ("|%p10" if "all" in form.modifiers else "")
    body = base("%rd30", "in", 8) + base("%rd31", "out", 16) + load_operand(type, 1, 0) + "    setp.ne.b32 %p10, 0, 0;\n"
    body += f"    {form.name} {pair}, {register(type, 1)}, -1;\n" + store_result(found, 10, 0) + store_result("pred", 10, 8)
    data = inputs(form, [type])
    data = data & np.uint64(3) if type == "b32" else data % np.uint64(3) << np.uint64(40)
    data[-THREADS:] = 7
    return launch(form, kernel(body), data)


# --------------------------------------------------------------------------------------------------------------- barriers
_EXCHANGE = """    mov.u32 %r1, sh; shl.b32 %r2, %r20, 2; add.u32 %r1, %r1, %r2; mov.u32 %r3, sh; sub.u32 %r4, 252, %r2; add.u32 %r3, %r3, %r4;
    ld.global.u32 %r5, [%rd30];
"""


@template("barrier", "barrier_warp")
def barrier(form: Form) -> Launch:
    """Threads exchange values through shared memory; ``arrive`` is one warp's part, the others wait for it."""
    head = f".shared .align 16 .b8 sh[{4 * THREADS}];\n"
    body = base("%rd30", "in", 8) + base("%rd31", "out", 16) + _EXCHANGE
    if "warp" in form.modifiers:  # with the neighbour inside the warp
        body += (f"    st.shared.u32 [%r1], %r5;\n    {form.name} -1;\n    mov.u32 %r7, WARP_SZ; min.u32 %r7, %r7, 2; sub.u32 %r7, %r7, 1;"
                 " shl.b32 %r7, %r7, 2; mov.u32 %r8, sh; xor.b32 %r9, %r2, %r7; add.u32 %r3, %r8, %r9; ld.shared.u32 %r6, [%r3];\n")
    elif "arrive" in form.modifiers:
        body += ("    setp.lt.u32 %p1, %r20, 32;\n    mov.u32 %r6, 0;\n    @%p1 bra FIRST;\n    bar.sync 1, 64;\n"
                 f"    ld.shared.u32 %r6, [%r3];\n    bra DONE;\nFIRST:\n    st.shared.u32 [%r1], %r5;\n    {form.name} 1, 64;\nDONE:\n")
    else:
        body += f"    st.shared.u32 [%r1], %r5;\n    {form.name} 0;\n    ld.shared.u32 %r6, [%r3];\n    {form.name} 1, 64;\n"
        body += "    st.shared.u32 [%r1], %r6;\n    bar.sync 0;\n    ld.shared.u32 %r6, [%r3];\n"
    return launch(form, kernel(body + store_result("b32", 6, 0), head=head), inputs(form, ["b32"]))


@template("barrier_reduce")
def barrier_reduce(form: Form) -> Launch:
    """A predicate of all threads; in the second block all hold, in the last one none."""
    target = "%r10" if form.types == ("u32",) else "%p10"
    body = base("%rd30", "in", 8) + base("%rd31", "out", 16) + load_operand("pred", 1, 0)
    type = "b32" if form.types == ("u32",) else "pred"
    body += f"    {form.name} {target}, 1, 64, %p1;\n" + store_result(type, 10, 0)
    body += f"    {form.name} {target}, 0, 64, !%p1;\n" + store_result(type, 10, 8)
    data = inputs(form, ["pred"])
    data[THREADS:2 * THREADS], data[2 * THREADS:] = 1, 0
    return launch(form, kernel(body), data)


# ---------------------------------------------------------------------------------------------------------------- control
def _after(form: Form, body: str, head: str = "", types=("b32",)) -> Launch:
    start = base("%rd30", "in", 8 * len(types)) + base("%rd31", "out", 16)
    start += "".join(load_operand(t, k + 1, 8 * k) for k, t in enumerate(types)) + "    mov.u32 %r10, 5;\n"
    return launch(form, kernel(start + body, head=head), inputs(form, list(types)))


@template("branch")
def branch(form: Form) -> Launch:
    """Forward under a guard, and backward as a loop; ``.uni`` where all threads agree."""
    if "uni" in form.modifiers:
        return _after(form, f"    {form.name} OVER;\n    mov.u32 %r10, 9;\nOVER:\n" + store_result("b32", 10, 0))
    body = f"""    and.b32 %r2, %r1, 7;
AGAIN:
    mad.lo.u32 %r10, %r10, 3, %r2;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 {form.name} OUT;
    sub.u32 %r2, %r2, 1;
    {form.name} AGAIN;
OUT:
"""
    return _after(form, body + store_result("b32", 10, 0))


@template("branch_indexed")
def branch_indexed(form: Form) -> Launch:
    """To four targets; ``.uni`` to the same one."""
    index = "    mov.u32 %r2, 2;\n" if "uni" in form.modifiers else "    and.b32 %r2, %r1, 3;\n"
    body = index + f"TARGETS: .branchtargets A, B, C, D;\n    {form.name} %r2, TARGETS;\n"
    for name, value in zip("ABCD", (11, 22, 33, 44)):
        body += f"{name}:\n    add.u32 %r10, %r10, {value};\n" + ("    bra D;\n" if name == "B" else "")
    return _after(form, body + store_result("b32", 10, 0))


@template("call")
def call(form: Form) -> Launch:
    """A function with parameters, results and a divergent body."""
    head = """.func (.param .b32 back) twice(.param .b32 x, .param .b64 y)
{
    .reg .b32 %a<4>; .reg .b64 %b<2>; .reg .pred %q;
    ld.param.b32 %a1, [x]; ld.param.b64 %b1, [y]; cvt.u32.u64 %a2, %b1;
    setp.gt.s32 %q, %a1, 100; @%q bra BIG;
    mad.lo.u32 %a1, %a1, 2, %a2; st.param.b32 [back], %a1; ret;
BIG: sub.u32 %a1, %a1, %a2; st.param.b32 [back], %a1; ret;
}"""
    body = f"""    {{
    .param .b32 p0; .param .b64 p1; .param .b32 r0;
    st.param.b32 [p0], %r1; st.param.b64 [p1], %rd2;
    {form.name} (r0), twice, (p0, p1);
    ld.param.b32 %r10, [r0];
    }}
"""
    return _after(form, body + store_result("b32", 10, 0), head, ("b32", "b64"))


@template("return", "exit", "trap")
def leave(form: Form) -> Launch:
    """Some threads end early; nobody meets a trap."""
    guard = "setp.lt.s32 %p1, %r1, 1" if form.row.builder != "trap" else "setp.ne.u32 %p1, %r10, 5"
    body = f"    {guard};\n    @%p1 {form.name};\n"
    return _after(form, body + store_result("b32", 10, 0))
