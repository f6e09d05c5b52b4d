"""Recipes: loads, stores, atomics, address conversions, asynchronous copies, phase barriers, the stack."""
from __future__ import annotations

from collections.abc import Iterator

from kernel import CannotWrite, Form, columns, register, width
from operands import bits_of

from archdef.ptx.table import Row


def atomic(row: Row, name: str, found) -> Iterator[Form]:
    """An atomic on a word of the thread's own: the word before is the first operand, the word after the first result."""
    type, space = found.bound["type"], found.bound["space"]
    bits = bits_of(type)
    if found.bound.get("vec"):
        yield from vector_atomic(row, name, found)
        return
    sources = [letter for o, (letter, _) in zip(row.operand_list, found.operands) if letter in "bc" and not o.optional]
    sources = sources if row.opcode == "red" else [x for x in "bc" if (x, "{type}") in {(o.letter, o.type) for o in row.operand_list}]
    slot = "[%d36]" if space == "shared" else "[%d31]"
    spaced = "shared" if space == "shared" else "global"
    texts = ([register(type, 11)] if row.opcode == "atom" else []) + [slot] + [register(type, 1 + k) for k in range(len(sources))]
    lines = [f"st.{spaced}.b{bits} {slot}, {register(type, 0)};", f"{name} {', '.join(texts)};",
             f"ld.{spaced}.b{bits} {register(type, 10)}, {slot};"]
    yield Form(name, columns([type] * (1 + len(sources))), (bits // 8,) * (1 + (row.opcode == "atom")), "\n".join(lines))


def vector_atomic(row: Row, name: str, found) -> Iterator[Form]:
    """An atomic on several neighbours: the thread's 16 bytes of input, in place."""
    type, count, atom = found.bound["type"], int(found.bound["vec"][1:]), row.opcode == "atom"
    bits = bits_of(type)
    if bits * count > 128:
        raise CannotWrite("not an instruction: at most 128 bits")
    per = 64 // bits
    narrow, lanes = type.partition("x")[0], 64 // bits_of(type.partition("x")[0])
    kind, words = (f"{narrow}x{lanes}" if lanes > 1 else narrow), max(1, count // per)
    names = [register(type, 10 + k) for k in range(2 * count)]
    new, old = names[:count], names[count:]
    lines = []
    for k in range(words):
        part = new[per * k:per * (k + 1)]
        lines.append(f"mov.b64 {{{', '.join(part)}}}, %d{2 + k};" if len(part) > 1 else f"mov.b64 {part[0]}, %d{2 + k};")
    destination = f"{{{', '.join(old)}}}, " if atom else ""
    lines.append(f"{name} {destination}[%d32], {{{', '.join(new)}}};")
    lines.append("ld.global.v2.b64 {%d10, %d11}, [%d32];")
    for k in range(words if atom else 0):
        part = old[per * k:per * (k + 1)]
        lines.append(f"mov.b64 %d{12 + k}, {{{', '.join(part)}}};" if len(part) > 1 else f"mov.b64 %d{12 + k}, {part[0]};")
    yield Form(name, columns([kind, kind, *[kind] * words]), (8,) * (2 + words * atom), "\n".join(lines))


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
    if bits == 128:
        type, count, bits = "b64", 2, 64
    if "param::func" in name:
        raise CannotWrite("parameters of functions: calls are tested elsewhere")
    if bits * count > 128:
        raise CannotWrite("not an instruction: at most 128 bits")
    address, lines = _place(space)
    if space in ("shared", "local"):
        lines = ["ld.global.v2.b64 {%d28, %d29}, [%d32];", f"st.{space}.v2.b64 [{address}], {{%d28, %d29}};"]
    if name.endswith("b128"):
        yield Form(name, columns(["b64", "b64"]), (8, 8), "\n".join([*lines, f"{name} %q1, [{address}];", "mov.b128 {%d10, %d11}, %q1;"]))
        return
    for wide in sorted({width(type), 32, 64} if bits < 64 and not set(name.split(".")) & WORDY else {width(type)}):
        if wide >= width(type):
            yield Form(name + (f"/b{wide}" if wide != width(type) else ""), columns(["b64", "b64"]), (wide // 8,) * count,
                       "\n".join([*lines, f"{name} {_vector(type, count, 10, wide)}, [{address}];"]))


WORDY = {"volatile", "relaxed", "acquire", "ca", "cg", "cs", "lu", "cv", "nc", "cta", "gpu", "sys", "cluster", "weak", "mmio"}


def store(row: Row, name: str, found) -> Iterator[Form]:
    """A store to the thread's 16 bytes of output."""
    type, space = found.bound["type"], found.bound["space"]
    count, bits = int((found.bound.get("vec") or "v1")[1:]), bits_of(type)
    if bits * count > 128:
        raise CannotWrite("not an instruction: at most 128 bits")
    if space in ("param", "const"):
        raise CannotWrite("parameters and constants are not written")
    address = {"shared": "%d36", "local": "lo"}.get(space, "%d33")
    if bits == 128:
        type, count, lines = "b64", 2, ["mov.b128 %q1, {%d0, %d1};", f"{name} [{address}], %q1;"]
    else:
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
    if found.bound["type"] != "u64":
        raise CannotWrite("addresses of 32 bits: not on this machine")
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


def move128(row: Row, name: str, found) -> Iterator[Form]:
    """Two 64-bit registers to a 128-bit one, to another, and back."""
    yield Form(name, columns(["b64", "b64"]), (8, 8), f"{name} %q1, {{%d0, %d1}};\n{name} %q2, %q1;\n{name} {{%d11, %d10}}, %q2;")


# ------------------------------------------------------------------------------------------------------ asynchronous copies
BEHIND = ["cp.async.commit_group;", "cp.async.wait_group 0;"]
FILL = ["mov.b64 %d28, -1;", "st.shared.v2.b64 [%d36], {%d28, %d28};"]
READ = "ld.shared.v2.b64 {%d10, %d11}, [%d36];"


def copy_async(row: Row, name: str, found) -> Iterator[Form]:
    """A copy of each size; with fewer bytes read than written; and ignored by a predicate."""
    given = columns(["b64", "b64", "b32"])
    for size in (16,) if found.bound["cache"] == "cg" else (4, 8, 16):
        yield Form(f"{name}/{size}", given[:2], (8, 8), "\n".join([*FILL, f"{name} [%d36], [%d32], {size};", *BEHIND, READ]))
        some = f"and.b32 %r20, %r2, {size - 1};"
        yield Form(f"{name}/{size}/some", given, (8, 8), "\n".join([*FILL, some, f"{name} [%d36], [%d32], {size}, %r20;", *BEHIND, READ]))
        odd = ["and.b32 %r20, %r2, 1;", "setp.ne.u32 %p1, %r20, 0;"]
        yield Form(f"{name}/{size}/ignored", given, (8, 8), "\n".join([*FILL, *odd, f"{name} [%d36], [%d32], {size}, %p1;", *BEHIND, READ]))


def copy_group(row: Row, name: str, found) -> Iterator[Form]:
    """Two copies behind one another, waited for by groups or all at once."""
    copies = ["cp.async.ca.shared.global [%d36], [%d32], 8;", "cp.async.commit_group;", "cp.async.ca.shared.global [%d36+8], [%d32+8], 8;"]
    ends = {"commit": [f"{name};", "cp.async.wait_group 0;"], "wait": ["cp.async.commit_group;", f"{name} 1;", f"{name} 0;"],
            "wait_all": [f"{name};"]}
    if found.fn not in ends:
        raise CannotWrite("bulk copies: kernels of their own in tests/unit/test_bulk_copies.py")
    yield Form(name, columns(["b64", "b64"]), (8, 8), "\n".join([*FILL, *copies, *ends[found.fn], READ]))


def copy_arrive(row: Row, name: str, found) -> Iterator[Form]:
    """A copy whose end arrives at a barrier of the thread's own; without ``.noinc`` the thread arrives too."""
    at = "%d20" if found.bound["space"] else "%d19"
    lines = ["add.u64 %d20, %d36, 8;", "cvta.shared.u64 %d19, %d20;", "mbarrier.init.shared.b64 [%d20], 1;", "cp.async.ca.shared.global [%d36], [%d32], 8;",
             f"{name} [{at}];"]
    if not found.bound["noinc"]:
        lines.append("mbarrier.arrive.shared.b64 %d21, [%d20];")
    lines += ["mov.b32 %r25, 0;", "WAIT:", "add.u32 %r25, %r25, 1;", "setp.gt.u32 %p3, %r25, 100000;", "@%p3 bra LATE;", "mbarrier.test_wait.parity.shared.b64 %p1, [%d20], 0;", "@!%p1 bra WAIT;", "LATE:",
              "ld.shared.b64 %d10, [%d36];"]
    yield Form(name, columns(["b64", "b64"]), (8,), "\n".join(lines))


# ----------------------------------------------------------------------------------------------------------- phase barriers
GENERIC = "cvta.shared.u64 %d27, %d36;"
EXPECT = [GENERIC, "and.b32 %r20, %r0, 3;", "add.u32 %r20, %r20, 2;", "mbarrier.init.shared.b64 [%d36], %r20;"]
"""A barrier of the thread's own, for 2 to 5 arrivals."""
OVER = ["mbarrier.test_wait.parity.shared.b64 %p{0}, [%d36], {1};", "selp.u32 %r{0}, 1, 0, %p{0};"]
ARRIVE = "mbarrier.arrive.shared.b64 %d{0}, [%d36];"
COUNT = "mbarrier.pending_count.b64 %r{0}, %d{1};"


def _over(number: int, parity: int = 0) -> list[str]:
    return [line.format(number, parity) for line in OVER]


def _finish(count: str = "%r20") -> list[str]:
    """Arrive as often as a register says."""
    return [f"mov.b32 %r22, {count};", "MORE:", "setp.eq.u32 %p2, %r22, 0;", "@%p2 bra DONE;", ARRIVE.format(22), "sub.u32 %r22, %r22, 1;",
            "bra MORE;", "DONE:"]


def _phase(name: str, results: int, lines: list[str], ending: str = "") -> Form:
    return Form(name + ending, columns(["b32"]), (4,) * results, "\n".join(lines))


def _at(found) -> str:
    """The barrier's address: of shared memory, or generic where the instruction names no space."""
    return "%d36" if found.bound["space"] else "%d27"


def phase(row: Row, name: str, found) -> Iterator[Form]:
    """``init, inval, expect_tx, complete_tx``: how many arrivals end the phase then."""
    at = _at(found)
    end = [ARRIVE.format(1), COUNT.format(10, 1), *_over(11)]
    if found.fn == "init":
        lines = [*EXPECT[:3], f"{name} [{at}], %r20;", *end, "sub.u32 %r21, %r20, 1;", *_finish("%r21"), *_over(12)]
        yield _phase(name, 3, lines)
    elif found.fn == "invalidate":
        yield _phase(name, 1, [*EXPECT, f"{name} [{at}];", "st.shared.b32 [%d36], %r0;", "ld.shared.b32 %r10, [%d36];"])
    else:
        other = "mbarrier.{}_tx.relaxed.cta.shared::cta.b64 [%d36], {};"
        bytes_ = "and.b32 %r21, %r0, 1023;"
        pair = [f"{name} [{at}], %r21;", other.format("complete", "%r21")] if found.fn == "expect" else \
            [other.format("expect", "%r21"), f"{name} [{at}], %r21;"]
        yield _phase(name, 2, [*EXPECT, bytes_, pair[0], *_finish(), *_over(10), pair[1], *_over(11)])


def phase_arrive(row: Row, name: str, found) -> Iterator[Form]:
    """Arrivals: what is still pending before, whether the phase ends with the last, what the next phase expects."""
    at = _at(found)
    next_phase = [ARRIVE.format(2), COUNT.format(12, 2)]
    if found.fn == "arrive_expect":
        other = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%d36], %r21;"
        lines = [*EXPECT, "and.b32 %r21, %r0, 1023;", f"{name} %d1, [{at}], %r21;", COUNT.format(10, 1), "sub.u32 %r23, %r20, 1;",
                 *_finish("%r23"), *_over(11), other, *_over(12)]
        yield _phase(name, 3, lines)
        return
    if not found.bound["noComplete"]:
        lines = [*EXPECT, f"{name} %d1, [{at}];", COUNT.format(10, 1), "sub.u32 %r23, %r20, 1;", *_finish("%r23"), *_over(11), *next_phase]
        yield _phase(name, 3, lines)
        lines = [*EXPECT, f"{name} %d1, [{at}], %r20;", COUNT.format(10, 1), *_over(11)]
        yield _phase(name, 2, lines, "/all")
    lines = [*EXPECT, "sub.u32 %r24, %r20, 1;", f"{name} %d1, [{at}], %r24;", COUNT.format(10, 1), *_over(11), ARRIVE.format(3), *_over(12)]
    yield _phase(name, 3, lines, "/some")


def phase_test(row: Row, name: str, found) -> Iterator[Form]:
    """Whether a phase is over: not yet, then, and of another phase."""
    at = _at(found)
    lines, asked = [*EXPECT, ARRIVE.format(1)], (["%d1"] * 2 if found.fn == "test" else ["0", "1"])

    def ask(number, operand):
        return [f"{name} %p{number}, [{at}], {operand};", f"selp.u32 %r{number}, 1, 0, %p{number};"]

    lines += [*ask(10, asked[0]), "sub.u32 %r23, %r20, 1;", *_finish("%r23"), *ask(11, asked[0]), *ask(12, asked[1])]
    yield _phase(name, 3, lines)


def phase_count(row: Row, name: str, found) -> Iterator[Form]:
    """Pending arrivals of the states before each of two arrivals."""
    yield _phase(name, 2, [*EXPECT, ARRIVE.format(1), ARRIVE.format(2), f"{name} %r10, %d1;", f"{name} %r11, %d2;"])


# -------------------------------------------------------------------------------------------------------- stack and policies
def stack(row: Row, name: str, found) -> Iterator[Form]:
    """Two pieces of the stack hold their values; a restored stack gives the same piece again."""
    n = 64 if found.bound["type"] == "u64" else 32
    if n == 32:
        raise CannotWrite("addresses of 32 bits: not on this machine")
    lines = ["and.b64 %d20, %d0, 63;", "add.u64 %d20, %d20, 8;", "stacksave.u64 %d21;", "alloca.u64 %d22, %d20;", "alloca.u64 %d23, 16;",
             "st.local.b64 [%d22], %d0;", "st.local.b64 [%d23], %d1;", "ld.local.b64 %d10, [%d22];", "ld.local.b64 %d11, [%d23];",
             "stackrestore.u64 %d21;", "alloca.u64 %d24, %d20;", "setp.eq.u64 %p12, %d22, %d24;", "selp.u32 %r12, 1, 0, %p12;"]
    yield Form(name, columns(["b64", "b64"]), (8, 8, 4), "\n".join(lines))


def policy(row: Row, name: str, found) -> Iterator[Form]:
    """A policy, and a load that it accompanies: the load's value is what counts."""
    if found.bound.get("level"):
        lines = ["mov.b64 %d1, 0;", f"{name} %d20, %d1;"]
    elif "fractional" in name.split("."):
        lines = [f"{name} %d20, 0.5;"]
    else:
        lines = [f"{name} %d20, [%d32], 4096, 8192;"]
    yield Form(name, columns(["b64"]), (8,), "\n".join([*lines, "ld.global.L2::cache_hint.b64 %d10, [%d32], %d20;"]))


MEMORY = {"atomic": atomic, "load": load, "store": store, "generic_address": generic_address, "space_test": space_test, "move128": move128,
          "copy_async": copy_async, "copy_group": copy_group, "copy_arrive": copy_arrive, "phase": phase, "phase_arrive": phase_arrive,
          "phase_test": phase_test, "phase_count": phase_count, "alloca": stack, "stack_save": stack, "stack_restore": stack, "policy": policy}
"""Recipes by the table's builder."""
