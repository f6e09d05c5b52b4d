"""Recipes: how a kernel executes one form of an instruction. These compute, compare, or exchange values within a warp or block."""
from __future__ import annotations

import re
from collections.abc import Iterator

from kernel import Form, columns, register, width
from operands import Column

from archdef.ptx.table import Row

BOUNDARY = re.compile(r"(mul|fma|mad|div)\.(?!(lo|hi|wide))[a-z.]*(f16|bf16|f32|f64)$|cvt\.[a-z.]*(f32\.f64|f16\.f32|bf16\.f32)$")
"""Instructions that are also fed operands whose results lie at the least normal number."""


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
    """A function of registers; ``lop3`` takes a literal, and rounding is tried where results become subnormal."""
    for immediate in (0x96, 0xE8, 0xCA, 0x01, 0x3F, 0xFE, 0xB2) if row.opcode == "lop3" else (None,):
        yield from plain(row, name, found, immediate)
    if BOUNDARY.fullmatch(name):
        (form,) = plain(row, name, found)
        near = tuple(c._replace(alone=False, near=_boundary(row, name)) for c in form.columns)
        yield form._replace(name=name + "/boundary", columns=near)


def _boundary(row: Row, name: str) -> str:
    return name.rsplit(".", 2)[1] if row.opcode == "cvt" else "div" if row.opcode == "div" else "mul"


def convert(row: Row, name: str, found) -> Iterator[Form]:
    """A conversion, also at the boundaries of the narrower format."""
    yield from bitwise(row, name, found)


def compare(row: Row, name: str, found) -> Iterator[Form]:
    """A comparison; those that combine with a predicate also with its negation, and with the second destination."""
    (form,) = plain(row, name, found)
    yield form
    if any(c.kind == "pred" for c in form.columns):
        body = form.body.replace("%p10", "%p10|%p11", 1).replace("%p2;", "!%p2;", 1)
        yield form._replace(name=name + "/both", results=(4, 4), body=body + "\nselp.u32 %r11, 1, 0, %p11;")


def compare_pair(row: Row, name: str, found) -> Iterator[Form]:
    """A comparison of packed halves: a predicate for each."""
    (form,) = plain(row, name, found)
    body = form.body.replace("%p10", "%p10|%p11", 1)
    yield form._replace(results=(4, 4), body=body + "\nselp.u32 %r11, 1, 0, %p11;")
    if any(c.kind == "pred" for c in form.columns):
        yield form._replace(name=name + "/not", results=(4, 4), body=body.replace("%p2;", "!%p2;", 1) + "\nselp.u32 %r11, 1, 0, %p11;")


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


def members(row: Row, name: str, found) -> Iterator[Form]:
    """An instruction whose operand is a mask of the lanes that take part: all of them, and some."""
    kinds = [] if row.builder == "elect" else [found.bound["type"]]
    source = "" if row.builder == "elect" else register(kinds[0], 0) + ", "
    destination, results = ("%r10|%p11", (4, 4)) if row.builder == "elect" else ("%r10", (4,))
    after = ["selp.u32 %r11, 1, 0, %p11;"] if row.builder == "elect" else []
    yield Form(name, columns(kinds), results, "\n".join([f"{name} {destination}, {source}-1;", *after]))
    k = len(kinds)
    before = ["mov.b32 %r10, 0;", "setp.ne.u32 %p11, %r30, %r30;", "mov.u32 %r28, %laneid;", f"shr.u32 %r28, %r{k}, %r28;",
              "and.b32 %r28, %r28, 1;", "setp.ne.u32 %p9, %r28, 0;"]
    yield Form(name + "/part", (*columns(kinds), Column("mask", k)), results,
               "\n".join([*before, f"@%p9 {name} {destination}, {source}%r{k};", *after]))


CARRIES = {"add": "sub", "sub": "add"}


def carry(row: Row, name: str, found) -> Iterator[Form]:
    """Extended-precision arithmetic: carry made of a word beforehand, read afterwards; also by the other operation's forms."""
    takes = row.opcode in ("addc", "subc", "madc")
    (form,) = plain(row, name, found, first=int(takes))
    operation = "sub" if row.opcode.startswith("sub") else "add"
    for ending, before, after in (("", operation, operation), ("/mixed", CARRIES[operation], CARRIES[operation])):
        lines, found_columns, results = [form.body], columns([c.kind for c in form.columns], True), form.results
        if takes:
            lines.insert(0, f"{before}.cc.u32 %r29, 0x7fffffff, %r0;")
            found_columns = (Column("u32", 5), *(c._replace(place=c.place + 1) for c in found_columns))
        if found.bound.get("cc"):
            lines.append(f"{after}c.u32 %r11, 0, 0;")
            results += (4,)
        yield Form(name + ending, found_columns, results, "\n".join(lines))


def barrier_reduce(row: Row, name: str, found) -> Iterator[Form]:
    """A reduction over the block."""
    if found.bound["op"] == "popc":
        yield Form(name, columns(["pred"]), (4,), f"{name} %r10, 0, %p0;")
    else:
        yield Form(name, columns(["pred"]), (4,), f"{name} %p10, 0, %p0;\nselp.u32 %r10, 1, 0, %p10;")


def silent(row: Row, name: str, found) -> Iterator[Form]:
    """An instruction without a result: that it runs is what is tested."""
    yield Form(name, columns(["b32"]), (4,), f"{name};\nmov.b32 %r10, %r0;")


def lanes_of_video(row: Row, name: str, found) -> Iterator[Form]:
    """What was measured on an H100; the other video instructions are in ``data/video``, with parts of registers."""
    if row.opcode == "vabsdiff4":
        yield from bitwise(row, name, found)


ARITHMETIC = {**dict.fromkeys("mad set select move predicate set_pair".split(), plain), "convert": convert,
              **dict.fromkeys("vote active_mask shuffle match".split(), warp_wide), **dict.fromkeys("redux elect".split(), members),
              "alu": bitwise, "video_lanes": lanes_of_video, "compare": compare, "compare_pair": compare_pair, "carry": carry, "fence": silent, "barrier_reduce": barrier_reduce}
"""Recipes by the table's builder."""
