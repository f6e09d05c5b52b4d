"""One small PTX kernel for each form of the instruction table: a GPU and the engine run the same text.

Every kernel has the parameters (input columns, output columns, 16 bytes by value), columns being arrays of `TUPLES` 8-byte slots. Thread t
loads slot t of each input column, executes the one instruction and stores its results to slot t of the output columns.
A *recipe* per builder of the table writes the kernel. Rows whose builder has no recipe are listed by `without_kernel`.
"""
from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from operands import TUPLES, Column, bits_of

from archdef.ptx.table import TABLE, Row, find

HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"
THREADS = 256
SIDE = {"order", "scope", "cache", "nc", "evict1", "fetch"}
"""Groups of modifiers that change no value: used one at a time, not in every combination."""
RANK = {"sync": 0, "to": 0, "order": 1, "scope": 2, "space": 3}
LAST = {"prmt"}
"""Opcodes whose modifier is written after the type."""


class Form(NamedTuple):
    """A kernel: its name, its input columns, bytes of each result, and its body."""

    name: str
    columns: tuple[Column, ...]
    results: tuple[int, ...]
    body: str

    def kernel(self, entry: str) -> str:
        """PTX of the kernel."""
        load = []
        for k, (kind, *_) in enumerate(self.columns):
            load.append(f"ld.global.b{width(kind)} {register(kind, k)}, [%d30+{k * TUPLES * 8}];" if kind != "pred" else
                        f"ld.global.b32 %r{k}, [%d30+{k * TUPLES * 8}];\nsetp.ne.u32 %p{k}, %r{k}, 0;")
        store = [f"st.global.b{8 * n} [%d31+{j * TUPLES * 8}], {register(f'b{8 * n}', 10 + j)};" for j, n in enumerate(self.results)]
        return PROLOGUE.replace("@", entry) + "\n".join([*load, self.body, *store, "ret;\n}\n"])


PROLOGUE = f""".visible .entry @(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 pv[16])
{{
.reg .pred %p<20>;
.reg .b16 %h<32>;
.reg .b32 %r<40>;
.reg .b64 %d<40>;
.shared .align 16 .b8 sh[4096];
.local .align 16 .b8 lo[16];
mov.u32 %r30, %tid.x;
mov.u32 %r31, %ctaid.x;
mad.lo.u32 %r31, %r31, {THREADS}, %r30;
ld.param.u64 %d32, [pin];
ld.param.u64 %d33, [pout];
mul.wide.u32 %d34, %r31, 8;
add.u64 %d30, %d32, %d34;
add.u64 %d31, %d33, %d34;
mul.wide.u32 %d35, %r31, 16;
add.u64 %d32, %d32, %d35;
add.u64 %d33, %d33, %d35;
mul.wide.u32 %d35, %r30, 16;
mov.u64 %d36, sh;
add.u64 %d36, %d36, %d35;
"""
"""%r31 thread, %r30 thread of the block; %d30, %d31 the thread's first slots; %d32, %d33 its 16 bytes of input and output,
%d36 of shared memory."""
CONSTANT = ".const .align 16 .b8 cs[256] = {" + ",".join(str(k * 37 & 255) for k in range(256)) + "};\n"


def width(kind: str) -> int:
    """Bits of the register of an operand."""
    return 32 if kind == "pred" else max(16, bits_of(kind))


def register(kind: str, number: int) -> str:
    """Name of a register."""
    return f"%p{number}" if kind == "pred" else {16: "%h", 32: "%r", 64: "%d"}[width(kind)] + str(number)


# --------------------------------------------------------------------------------------------------------------- recipes
def columns(kinds, warps: bool = False) -> tuple[Column, ...]:
    """Columns of operands in order."""
    return tuple(Column(kind, place, len(kinds) == 1 and not warps, warps) for place, kind in enumerate(kinds))


def plain(row: Row, name: str, found, immediate: int | None = None, first: int = 0) -> Iterator[Form]:
    """Registers in, registers out: most of the table. The registers of inputs count from `first`."""
    kinds, texts, results, after = [], [], [], []
    for operand, (letter, type) in zip(row.operand_list, found.operands):
        if operand.optional and letter != "m":
            continue
        if letter in "dp":
            text = f"%p{10 + len(results)}" if letter == "p" else register(type, 10 + len(results))
            if letter == "p":
                after.append(f"selp.u32 %r{10 + len(results)}, 1, 0, {text};")
            results.append(4 if letter == "p" else width(type) // 8)
        elif letter == "m":
            text = "-1"
        elif letter == "e" and immediate is not None:
            text = str(immediate)
        else:
            text = register(type, first + len(kinds))
            kinds.append(type)
        texts.append(text)
    ending = "" if immediate is None else f"/{immediate:#x}"
    yield Form(name + ending, columns(kinds), tuple(results), "\n".join([f"{name} {', '.join(texts)};", *after]))


def bitwise(row: Row, name: str, found) -> Iterator[Form]:
    """``lop3``, whose last operand must be a literal."""
    for immediate in (0x96, 0xE8, 0xCA, 0x01, 0x3F, 0xFE, 0xB2) if row.opcode == "lop3" else (None,):
        yield from plain(row, name, found, immediate)


def compare(row: Row, name: str, found) -> Iterator[Form]:
    """A comparison; those that combine with a predicate also with its negation, and with the second destination."""
    (form,) = plain(row, name, found)
    yield form
    if any(c.kind == "pred" for c in form.columns):
        body = form.body.replace("%p10", "%p10|%p11", 1).replace("%p2;", "!%p2;", 1)
        yield form._replace(name=name + "/both", results=(4, 4), body=body + "\nselp.u32 %r11, 1, 0, %p11;")


def warp_wide(row: Row, name: str, found) -> Iterator[Form]:
    """An instruction among the lanes of a warp: of all of them, and (what does not read other lanes) of some."""
    (form,) = plain(row, name, found)
    pair = row.builder == "shuffle" or name.startswith("match.all")
    body, results, kinds = form.body, form.results, [c.kind for c in form.columns]
    if pair:
        destination = body.split()[1].rstrip(",;")
        body, results = body.replace(destination, destination + "|%p11", 1) + "\nselp.u32 %r11, 1, 0, %p11;", (*results, 4)
    yield Form(name, columns(kinds, True), results, body)
    if row.builder in ("vote", "match", "active_mask"):
        k = len(kinds)
        body = body.replace(" -1;", f" %r{k};", 1)
        before = [f"setp.ne.u32 %p{p}, %r30, %r30;" for p in (10, 11)] + [f"mov.b32 %r{r}, 0;" for r in (10, 11)]
        before += ["mov.u32 %r28, %laneid;", f"shr.u32 %r28, %r{k}, %r28;", "and.b32 %r28, %r28, 1;", "setp.ne.u32 %p9, %r28, 0;"]
        yield Form(name + "/part", (*columns(kinds, True), Column("mask", k)), results, "\n".join([*before, "@%p9 " + body]))


def carry(row: Row, name: str, found) -> Iterator[Form]:
    """Extended-precision arithmetic: carry made of a word beforehand, read afterwards."""
    takes = row.opcode in ("addc", "subc", "madc")
    (form,) = plain(row, name, found, first=int(takes))
    operation = "sub" if row.opcode.startswith("sub") else "add"
    lines, found_columns, results = [form.body], columns([c.kind for c in form.columns], True), form.results
    if takes:
        lines.insert(0, f"{operation}.cc.u32 %r29, 0x7fffffff, %r0;")
        found_columns = (Column("u32", 5), *(c._replace(place=c.place + 1) for c in found_columns))
    if found.bound.get("cc"):
        lines.append(f"{operation}c.u32 %r11, 0, 0;")
        results += (4,)
    yield Form(name, found_columns, results, "\n".join(lines))


def atomic(row: Row, name: str, found) -> Iterator[Form]:
    """An atomic on a word of the thread's own: the word before is the first operand, the word after the first result."""
    type, space = found.bound["type"], found.bound["space"]
    bits = bits_of(type)
    if bits not in (16, 32, 64) or found.bound.get("vec"):
        return
    sources = [letter for o, (letter, _) in zip(row.operand_list, found.operands) if letter in "bc" and not o.optional]
    sources = sources if row.opcode == "red" else [x for x in "bc" if (x, "{type}") in {(o.letter, o.type) for o in row.operand_list}]
    slot = "[%d36]" if space == "shared" else "[%d31]"
    spaced = "shared" if space == "shared" else "global"
    texts = ([register(type, 11)] if row.opcode == "atom" else []) + [slot] + [register(type, 1 + k) for k in range(len(sources))]
    lines = [f"st.{spaced}.b{bits} {slot}, {register(type, 0)};", f"{name} {', '.join(texts)};",
             f"ld.{spaced}.b{bits} {register(type, 10)}, {slot};"]
    yield Form(name, columns([type] * (1 + len(sources))), (bits // 8,) * (1 + (row.opcode == "atom")), "\n".join(lines))


def _place(space: str) -> tuple[str, list[str]]:
    """Address of 16 bytes in a space, and instructions that make it."""
    if space in ("shared", "local"):
        return ("%d36" if space == "shared" else "lo"), []
    if space == "const":
        return "%d37", ["and.b64 %d37, %d35, 240;", "mov.u64 %d38, cs;", "add.u64 %d37, %d37, %d38;"]
    return ("pv" if space == "param" else "%d32"), []


def _vector(type: str, count: int, first: int, bits: int = 0) -> str:
    names = [register(f"b{bits or width(type)}", first + k) for k in range(count)]
    return "{" + ", ".join(names) + "}" if count > 1 else names[0]


def load(row: Row, name: str, found) -> Iterator[Form]:
    """A load of the thread's 16 bytes, filled with the operands; narrow types also into wider registers."""
    type, space = found.bound["type"], found.bound.get("space", "global")
    count, bits = int((found.bound.get("vec") or "v1")[1:]), bits_of(type)
    if bits * count > 128 or "param::func" in name:
        return
    address, lines = _place(space)
    if space in ("shared", "local"):
        lines = ["ld.global.v2.b64 {%d28, %d29}, [%d32];", f"st.{space}.v2.b64 [{address}], {{%d28, %d29}};"]
    for wide in sorted({width(type), 32, 64} if bits < 64 and not set(name.split(".")) & WORDY else {width(type)}):
        if wide >= width(type):
            yield Form(name + (f"/b{wide}" if wide != width(type) else ""), columns(["b64", "b64"]), (wide // 8,) * count,
                       "\n".join([*lines, f"{name} {_vector(type, count, 10, wide)}, [{address}];"]))


WORDY = {"volatile", "relaxed", "acquire", "ca", "cg", "cs", "lu", "cv", "nc", "cta", "gpu", "sys", "cluster", "weak", "mmio"}


def store(row: Row, name: str, found) -> Iterator[Form]:
    """A store to the thread's 16 bytes of output."""
    type, space = found.bound["type"], found.bound["space"]
    count, bits = int((found.bound.get("vec") or "v1")[1:]), bits_of(type)
    if bits * count > 128 or space == "param":
        return
    address = {"shared": "%d36", "local": "lo"}.get(space, "%d33")
    lines = [f"{name} [{address}], {_vector(type, count, 0)};"]
    if space in ("shared", "local"):
        lines = [f"st.{space}.v2.b64 [{address}], {{%d28, %d28}};", *lines, f"ld.{space}.v2.b64 {{%d28, %d29}}, [{address}];",
                 "st.global.v2.b64 [%d33], {%d28, %d29};"]
        lines.insert(0, "mov.b64 %d28, 0;")
    yield Form(name, columns([type] * count), (), "\n".join(lines))


ADDRESSES = {"global": "%d32", "shared": "%d36", "local": "lo", "const": "cs", "param": "pv"}


def generic_address(row: Row, name: str, found) -> Iterator[Form]:
    """To a generic address and back, then a load through it."""
    space = found.bound["space"]
    if found.bound["type"] != "u64" or space not in ADDRESSES:
        return
    lines = [f"mov.u64 %d1, {ADDRESSES[space]};", f"st.{space}.b64 [%d1], %d0;" * (space in ("shared", "local")),
             f"cvta.{space}.u64 %d2, %d1;"]
    lines += [f"{name} %d3, %d2;", f"ld.{space}.b64 %d10, [%d3];"] if "to" in name.split(".") else ["ld.b64 %d10, [%d2];"]
    yield Form(name, columns(["b64"]), (8,), "\n".join(lines))


def space_test(row: Row, name: str, found) -> Iterator[Form]:
    """Whether generic addresses of each space are in this one."""
    lines = []
    for k, space in enumerate(("global", "shared", "local", "const")):
        lines += [f"mov.u64 %d1, {ADDRESSES[space]};", f"cvta.{space}.u64 %d2, %d1;", f"{name} %p{10 + k}, %d2;",
                  f"selp.u32 %r{10 + k}, 1, 0, %p{10 + k};"]
    yield Form(name, (), (4,) * 4, "\n".join(lines))


def barrier_reduce(row: Row, name: str, found) -> Iterator[Form]:
    """A reduction over the block."""
    if found.bound["op"] == "popc":
        yield Form(name, columns(["pred"]), (4,), f"{name} %r10, 0, %p0;")
    else:
        yield Form(name, columns(["pred"]), (4,), f"{name} %p10, 0, %p0;\nselp.u32 %r10, 1, 0, %p10;")


def silent(row: Row, name: str, found) -> Iterator[Form]:
    """An instruction without a result: that it runs is what is tested."""
    yield Form(name, columns(["b32"]), (4,), f"{name};\nmov.b32 %r10, %r0;")


RECIPES = {**dict.fromkeys("mad convert set select move predicate".split(), plain),
           **dict.fromkeys("vote active_mask shuffle match".split(), warp_wide), "alu": bitwise, "compare": compare, "carry": carry, "atomic": atomic, "load": load, "store": store, "fence": silent,
           "generic_address": generic_address, "space_test": space_test, "barrier_reduce": barrier_reduce}
NO_VALUE = {"hint": "computes nothing", "branch": "control flow", "branch_indexed": "control flow", "call": "control flow",
            "return": "control flow", "exit": "control flow", "trap": "ends the kernel", "barrier": "computes nothing",
            "barrier_warp": "computes nothing", "shuffle_width": "no instruction of this vendor"}
"""Builders that need no kernel here, and why."""


# ----------------------------------------------------------------------------------------------------------- enumeration
def wordings(row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every form of a row: its name, in the order in which PTX wants the words, and its words."""
    groups = [g for g in row.groups if g.name != "hint"]
    choices = {g.name: ([""] if g.optional else []) + list(g.meanings) for g in groups}
    value = [g for g in groups if g.name not in SIDE]
    side = [g for g in groups if g.name in SIDE]
    bases = [dict(zip([g.name for g in value], c)) for c in itertools.product(*(choices[g.name] for g in value))]
    types = [tuple(t) for t in itertools.product(*(sorted(s) for s in row.type_sets))]
    picked = [(b, t) for b in bases for t in types]
    for g in side:
        picked += [(bases[k] | {g.name: word}, types[0]) for word in g.meanings for k in range(min(len(bases), 4))]
    if {"order", "scope"} <= {g.name for g in side}:
        picked += [(b | {"order": o, "scope": s}, types[0]) for b in bases[:4] for o in choices["order"] for s in choices["scope"] if o and s]
    for chosen, ts in picked:
        ordered = sorted((g for g in groups if chosen.get(g.name)), key=lambda g: 9 if row.opcode == "match" else RANK.get(g.name, 9))
        words = [chosen[g.name] for g in ordered]
        written = [row.opcode, *ts, *words] if row.opcode in LAST else [row.opcode, *words, *ts]
        yield ".".join(written), (*words, *ts)


def every_form() -> dict[str, Form]:
    """Make all kernels, by name."""
    made: dict[str, Form] = {}
    for row in TABLE:
        recipe = RECIPES.get(row.builder)
        for name, words in wordings(row) if recipe else ():
            found = find(row.opcode, words)
            if found is not None and found.row is row and name not in made:
                try:
                    made.update({form.name: form for form in recipe(row, name, found)})
                except (KeyError, IndexError, ValueError):
                    BEYOND.add(row.form)
    return made


BEYOND: set[str] = set()
"""Rows with forms that no recipe can write yet, such as operands of 128 bits; `every_form` collects them."""


def without_kernel() -> set[str]:
    """Rows that no recipe covers and that `NO_VALUE` does not excuse."""
    return {row.form for row in TABLE if row.builder not in RECIPES and row.builder not in NO_VALUE}


def module(forms: list[Form]) -> str:
    """PTX of a module with the kernels k0, k1, …"""
    return HEAD + CONSTANT + "".join(form.kernel(f"k{k}") for k, form in enumerate(forms))
