"""Copies, stores and reductions that are done in the background and counted in bytes: ``cp.async.bulk``, ``st.async``, ``red.async``.

All are done at once (see `asynchronous`): bytes that an mbarrier is told of are told of at once, groups are complete when they are
committed. A cluster is one block, so ``.shared::cluster`` is the block's own shared memory.
"""
from __future__ import annotations

from archdef.testing.reference.access import address_of, area, elements_of, take_space
from archdef.testing.reference.asynchronous import barrier_at
from archdef.testing.reference.atomics import operation
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown
from archdef.testing.reference.types import width

_OPERATIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
_COUNTED = "mbarrier::complete_tx::bytes"


def _counts(c: Context, i, operand, space: str):
    """Give a function of a thread and a number of bytes: it takes them off what a barrier object waits for."""
    address, space = address_of(c, i, operand, space)

    def count(t, size: int) -> None:
        barrier, put = barrier_at(t, address(t), space, i)
        barrier.bytes -= size
        barrier.complete()
        put(barrier)
    return count


@means("cp.async.bulk", "cp.reduce")
def bulk(c: Context, i, words: Words) -> Step:
    """``cp.async.bulk``, ``cp.reduce.async.bulk``: 16 bytes or a multiple, element by element if they are reduced.

    On an H100 sums in single precision keep subnormal numbers, unlike those of ``red`` on global memory.
    """
    reduces = words.flag("reduce")
    words.one("async")
    words.one("bulk")
    if words.one("prefetch", "commit_group", "wait_group", default=""):
        words.ignore("L2", "global", "L2::cache_hint", "read", "tensor", "tile", "im2col", "1d", "2d", "3d", "4d", "5d")
        return Step("plain", lambda t: None)
    spaces = [w.partition("::")[0] for w in words.left if w in ("global", "shared::cta", "shared::cluster")]
    words.ignore("global", "shared::cta", "shared::cluster", "L2::cache_hint")
    if sorted(spaces) not in (["global", "shared"], ["shared", "shared"]):
        raise unknown(i, "copy between these spaces")
    counted = words.one(_COUNTED, "bulk_group") == _COUNTED
    (to, _), (source, _) = (address_of(c, i, operand, space) for operand, space in zip(i.operands[:2], spaces))
    size = c.source(i, i.operands[2], "u32")
    count = _counts(c, i, i.operands[3], "shared") if counted else lambda t, size: None
    blocks = c.source(i, i.operands[4], "u16") if words.flag("multicast::cluster") else lambda t: 1
    change = None
    if reduces:
        (type,), name = i.types, words.one(*_OPERATIONS)
        bits, change = width(type) // 8, operation(i, words, name, type, 2)

    def act(t):
        length = size(t)
        if blocks(t) != 1:
            raise Wrong(f"`{i.text}`: blocks {blocks(t):#x} of a cluster of one")
        if length % 16 or to(t) % 16 or source(t) % 16:
            raise Wrong(f"`{i.text}`: {length} bytes from {source(t):#x} to {to(t):#x}")
        if length:
            held, at = area(t, spaces[0], to(t), 16, length)
            given, start = area(t, spaces[1], source(t), 16, length)
            data = bytes(given[start:start + length])
            if change is not None:
                data = b"".join(change(int.from_bytes(held[at + k:at + k + bits], "little"), int.from_bytes(data[k:k + bits], "little"),
                                       held is not t.block.shared and type != "f32").to_bytes(bits, "little") for k in range(0, length, bits))
            held[at:at + length] = data
        count(t, length)
    return Step("plain", act)


@means("st.async", "red.async")
def remote(c: Context, i, words: Words) -> Step:
    """``st.async``, ``red.async``: on shared memory, counted by the barrier object that is the last operand."""
    words.one("async")
    words.one(_COUNTED)
    space = take_space(words)
    (type,) = i.types
    elements = int(words.one("v2", "v4", default="v1")[1:])
    size = width(type) // 8
    change = operation(i, words, words.one(*_OPERATIONS), type, 1) if i.opcode == "red" else lambda old, new, _: new
    address, space = address_of(c, i, i.operands[0], space)
    values = [c.source(i, e, type) for e in elements_of(i, i.operands[1], elements)]
    count = _counts(c, i, i.operands[2], space)

    def act(t):
        held, at = area(t, space, address(t), size * elements)
        if held is not t.block.shared:
            raise Wrong(f"`{i.text}` is about shared memory")
        for k, value in enumerate(values):
            place = slice(at + k * size, at + (k + 1) * size)
            held[place] = change(int.from_bytes(held[place], "little"), value(t), False).to_bytes(size, "little")
        count(t, size * elements)
    return Step("plain", act)


# ---------------------------------------------------------------------------------------------------------------- clusters
@means("mapa", "getctarank")
def map_address(c: Context, i, words: Words) -> Step:
    """``mapa``: the address of another block's shared memory; ``getctarank``: whose it is. Here there is block 0 only."""
    (type,) = i.types
    take_space(words)
    if i.opcode == "getctarank":
        return c.calculate(i, "u32", [type], lambda a: 0)
    return c.calculate(i, type, [type, "u32"], lambda a, rank: a)


@means("barrier.cluster")
def cluster_barrier(c: Context, i, words: Words) -> Step:
    """``barrier.cluster``: each thread arrives, and then waits until all that have not ended have arrived as often."""
    words.one("cluster")
    kind = words.one("arrive", "wait")
    words.ignore("aligned", "release", "relaxed", "acquire")
    if kind == "arrive":
        def arrive(t):
            t.cluster_arrivals += 1
        return Step("plain", arrive)
    return Step("until", lambda t: all(o.cluster_arrivals >= t.cluster_arrivals or not o.alive for w in t.block.warps for o in w.threads))
