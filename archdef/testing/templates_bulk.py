"""Kernels around one instruction of bulk copies, of stores that a barrier counts, and of clusters, which are one block here."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from archdef.testing import values
from archdef.testing.compare import Launch
from archdef.testing.reference.types import width
from archdef.testing.templates import BLOCKS, THREADS, base, inputs, kernel, launch, load_operand, register, store_result, template

if TYPE_CHECKING:
    from archdef.testing.forms import Form

PIECE, CELL = 32, 128
"""Bytes that each thread copies, and of its shared memory: source, destination, barrier."""
DESTINATION, BARRIER = 32, 64
HEAD = f".shared .align 16 .b8 sh[{THREADS * CELL}];\n"
POINT = f"    mov.u64 %rd20, sh; mul.wide.u32 %rd21, %r20, {CELL}; add.s64 %rd20, %rd20, %rd21; cvta.shared.u64 %rd27, %rd20;\n"
"""%rd20: the thread's cell; %rd27: its generic address."""
AGAIN = f"AGAIN:\n    mbarrier.test_wait.parity.shared.b64 %p2, [%rd20+{BARRIER}], 0;\n    @!%p2 bra AGAIN;\n"


def _expect(size: int) -> str:
    return (f"    mbarrier.init.shared.b64 [%rd20+{BARRIER}], 1;\n"
            f"    mbarrier.arrive.expect_tx.shared.b64 _, [%rd20+{BARRIER}], {size};\n")


def _move(from_: str, to: str, first: int, start: int) -> str:
    """Copy a piece word by word, with offsets."""
    (source, spaced), (target, given) = from_.split(), to.split()
    return "".join(f"    ld.{spaced}.b64 %rd22, [{source}+{first + 8 * k}]; st.{given}.b64 [{target}+{start + 8 * k}], %rd22;\n"
                   for k in range(PIECE // 8))


def _pieces(form: Form, type: str, count: int) -> np.ndarray:
    """Fill pieces with edges of a type, side by side."""
    bits = width(type)
    rows = np.array(values.rows(form.seed, [type] * (count * PIECE * 8 // bits), THREADS * BLOCKS), dtype="u8")
    return rows.astype(f"<u{bits // 8}").view("u8").reshape(len(rows), -1)


@template("bulk_copy")
def bulk_copy(form: Form) -> Launch:
    """A piece of the thread's own, onto another one, which is read back when the copy is done."""
    type = form.types[0] if form.types else "b64"
    to_global = "bulk_group" in form.modifiers
    from_global = not to_global and "global" in form.modifiers
    hint, copies = form.bound.get("hint"), form.bound.get("multicast")
    ending = ", %h1" * bool(copies) + ", %rd26" * bool(hint)
    body = base("%rd30", "in", 2 * PIECE) + base("%rd31", "out", PIECE) + POINT
    body += "    createpolicy.fractional.L2::evict_last.b64 %rd26;\n" if hint else ""
    body += "    mov.u16 %h1, 1;\n" if copies else ""                    # to the cluster's only block
    body += _move("%rd30 global", "%rd20 shared", 0, 0) + _move("%rd30 global", "%rd20 shared", PIECE, DESTINATION)
    if to_global:
        body += _move("%rd30 global", "%rd31 global", PIECE, 0) + "    fence.proxy.async;\n"
        body += f"    {form.name} [%rd31], [%rd20], {PIECE}{ending};\n    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n"
    else:
        source = "[%rd30]" if from_global else "[%rd20]"
        body += _expect(PIECE) + "    fence.proxy.async;\n"
        body += f"    {form.name} [%rd20+{DESTINATION}], {source}, {PIECE}, [%rd20+{BARRIER}]{ending};\n" + AGAIN
        body += _move("%rd20 shared", "%rd31 global", DESTINATION, 0)
    return launch(form, kernel(body, head=HEAD), _pieces(form, type, 2), 4)


def bulk_group(form: Form) -> Launch:
    """Two groups of a bulk copy each, of which the older one is waited for first."""
    wait = form.name if "wait_group" in form.modifiers else "cp.async.bulk.wait_group"
    body = base("%rd30", "in", 2 * PIECE) + base("%rd31", "out", 2 * PIECE) + POINT
    body += _move("%rd30 global", "%rd20 shared", 0, 0) + _move("%rd30 global", "%rd20 shared", PIECE, DESTINATION)
    for k in range(2):
        body += f"    cp.async.bulk.global.shared::cta.bulk_group [%rd31+{k * PIECE}], [%rd20+{k * DESTINATION}], {PIECE};\n"
        body += f"    cp.async.bulk.commit_group;\n    {wait} {1 - k};\n"
    return launch(form, kernel(body + "    cp.async.bulk.wait_group 0;\n", head=HEAD), _pieces(form, "b64", 2), 8)


@template("store_async", "atomic_async")
def store_async(form: Form) -> Launch:
    """Into the thread's cell, whose barrier counts it."""
    type, count = form.types[0], int((form.bound.get("vec") or "v1")[1:])
    bits, cell = width(type), "%rd20" if form.bound["space"] else "%rd27"
    names = [register(type, k + 1) for k in range(count)]
    body = base("%rd30", "in", 2 * PIECE) + base("%rd31", "out", PIECE) + POINT + _move("%rd30 global", "%rd20 shared", PIECE, 0)
    body += "".join(f"    ld.global.b{bits} {name}, [%rd30+{k * bits // 8}];\n" for k, name in enumerate(names))
    listed = "{" + ", ".join(names) + "}" if count > 1 else names[0]
    body += _expect(count * bits // 8) + f"    {form.name} [{cell}], {listed}, [{cell}+{BARRIER}];\n" + AGAIN
    return launch(form, kernel(body + _move("%rd20 shared", "%rd31 global", 0, 0), head=HEAD), _pieces(form, type, 2), 4)


# ---------------------------------------------------------------------------------------------------------------- clusters
@template("barrier_cluster")
def barrier_cluster(form: Form) -> Launch:
    """Threads exchange values, twice."""
    waits = "wait" in form.modifiers
    arrive, wait = ("barrier.cluster.arrive", form.name) if waits else (form.name, "barrier.cluster.wait")
    fence = "    fence.acq_rel.cluster;\n" if "relaxed" in form.modifiers else ""  # that arrival orders no memory
    both = f"{fence}    {arrive};\n    {wait};\n"
    other = f"    sub.u32 %r5, {THREADS - 1}, %r20; mov.u64 %rd7, sh; mul.wide.u32 %rd8, %r5, {CELL}; add.s64 %rd7, %rd7, %rd8;\n"
    body = base("%rd30", "in", 8) + base("%rd31", "out", 16) + POINT + load_operand("b32", 1, 0) + other
    body += f"    st.shared.b32 [%rd20], %r1;\n{both}    ld.shared.b32 %r2, [%rd7];\n{both}"
    body += f"    st.shared.b32 [%rd20], %r2;\n{both}    ld.shared.b32 %r3, [%rd7];\n"
    return launch(form, kernel(body + store_result("b32", 2, 0) + store_result("b32", 3, 8), head=HEAD), inputs(form, ["b32"]))


@template("map_rank", "rank_of")
def map_rank(form: Form) -> Launch:
    """Of an address in the block's shared memory, which is that of rank 0; what lies there is read through the result."""
    type, maps = form.types[0], form.row.opcode == "mapa"
    address, found, space = register(type, 1), register(type if maps else "u32", 2), form.bound["space"]
    generic = "%rd20" if space else "%rd27"
    body = base("%rd30", "in", 8) + base("%rd31", "out", 16) + POINT + load_operand("b64", 5, 0) + "    st.shared.b64 [%rd20], %rd5;\n"
    body += f"    mov.u64 {address}, {generic};\n" if type == "u64" else f"    cvt.u32.u64 {address}, {generic};\n"
    body += f"    {form.name} {found}, {address}{', 0' if maps else ''};\n"
    if not maps:
        return launch(form, kernel(body + store_result("b32", 2, 0), head=HEAD), inputs(form, ["b64"]))
    body += f"    ld{'.shared::cluster' if space else ''}.b64 %rd6, [{found}];\n" + store_result("b64", 6, 0)
    return launch(form, kernel(body, head=HEAD), inputs(form, ["b64"]))
