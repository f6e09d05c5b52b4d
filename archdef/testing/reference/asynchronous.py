"""Copies in the background, and the barriers in shared memory that count them.

A copy is done at once: PTX lets it be done at any time until its group, or its barrier, is waited for. What a kernel reads before that
is not defined, and not compared.

A barrier object's 64 bits are opaque in PTX; here they are, lowest first: 20 bits of threads still expected in this phase, 20 bits of
threads expected in each, 21 bits of bytes still to come (two's complement), and the number of the phase in the rest. A state that an
arrival gives is the barrier as it was before, and its phase tells whether it is over.
"""
from __future__ import annotations

import attrs

from archdef.ptx import ir
from archdef.testing.reference.access import address_of, area, take_space
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown
from archdef.testing.reference.types import signed

MOST = (1 << 20) - 1
"""Most threads and most bytes that a barrier counts."""


@attrs.define(slots=True)
class Phases:
    """A barrier object."""

    pending: int
    expected: int
    bytes: int = 0
    phase: int = 0

    @classmethod
    def decode(cls, pattern: int) -> Phases:
        """Read the 64 bits."""
        return cls(pattern & MOST, pattern >> 20 & MOST, signed(21, pattern >> 40), pattern >> 61)

    @property
    def pattern(self) -> int:
        """The 64 bits."""
        return self.pending | self.expected << 20 | (self.bytes & (1 << 21) - 1) << 40 | (self.phase & 7) << 61

    def complete(self) -> None:
        """Begin the next phase once nobody and nothing is missing in this one."""
        if self.pending == 0 and self.bytes == 0:
            self.pending, self.phase = self.expected, self.phase + 1 & 7


def barrier_at(t, address: int, space: str, i) -> tuple[Phases, object]:
    """Give the barrier object at an address, and what writes it back."""
    held, at = area(t, space, address, 8)
    if held is not t.block.shared:
        raise Wrong(f"`{i.text}`: a barrier object lies in shared memory")

    def put(barrier: Phases) -> None:
        if not 0 <= barrier.pending <= MOST or not 0 <= barrier.expected <= MOST or not -MOST <= barrier.bytes <= MOST:
            raise Wrong(f"`{i.text}`: a barrier of {barrier.expected} threads counts {barrier.pending} threads and {barrier.bytes} bytes")
        held[at:at + 8] = barrier.pattern.to_bytes(8, "little")
    return Phases.decode(int.from_bytes(held[at:at + 8], "little")), put


@means("mbarrier")
def barrier(c: Context, i, words: Words) -> Step:
    """``mbarrier``."""
    if i.types != ("b64",):
        raise unknown(i, "meaning for these types")
    kind = words.one("init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count")
    if kind == "pending_count":
        return c.calculate(i, "u32", ["b64"], lambda state: Phases.decode(state).pending)
    expects = kind == "arrive" and words.flag("expect_tx")
    parity, quiet = kind.endswith("_wait") and words.flag("parity"), words.flag("noComplete")
    space = take_space(words)
    where = 1 if kind.startswith("arrive") or kind.endswith("_wait") else 0
    address, space = address_of(c, i, i.operands[where], space)
    operands = i.operands[where + 1:]
    if kind.endswith("_wait"):
        return _test(c, i, address, space, operands[0], parity)
    value = c.source(i, operands[0], "u32") if operands else lambda t: 1
    keep = c.destination(i, i.operands[0], "b64") if where else lambda t, state: None

    def act(t):
        object_, put = barrier_at(t, address(t), space, i)
        number = value(t)
        if kind == "init":
            if not 1 <= number <= MOST:
                raise Wrong(f"`{i.text}`: {number} threads")
            object_ = Phases(number, number)
        elif kind == "inval":
            object_ = Phases(0, 0)
        elif kind == "complete_tx":
            object_.bytes -= number
            object_.complete()
        elif kind == "expect_tx":
            object_.bytes += number
        else:
            keep(t, object_.pattern)
            _arrive(object_, 1 if expects else number, number if expects else 0, kind == "arrive_drop")
            if quiet and object_.pending == 0:
                raise Wrong(f"`{i.text}` completes the phase")
            object_.complete()
        put(object_)
    return Step("plain", act)


def _arrive(barrier: Phases, count: int, bytes: int, drops: bool) -> None:
    barrier.bytes += bytes
    barrier.pending -= count
    if drops:
        barrier.expected -= count


def _test(c: Context, i, address, space: str, operand, parity: bool) -> Step:
    """Make the step of ``test_wait`` and ``try_wait``, which may wait but need not: is the phase over.

    A phase is named by a state from it, or by its parity: then it is the current or the one before.
    """
    wanted = c.source(i, operand, "u32" if parity else "b64")
    store, _ = c.predicate_destinations(i, i.operands[0])

    def act(t):
        object_, _ = barrier_at(t, address(t), space, i)
        asked = wanted(t)
        store(t, object_.phase & 1 != asked & 1 if parity else object_.phase != Phases.decode(asked).phase)
    return Step("plain", act)


# ---------------------------------------------------------------------------------------------------------------- copies
@means("cp.async")
def copy(c: Context, i, words: Words) -> Step:
    """``cp.async``: 4, 8 or 16 bytes from global to shared memory; bytes past the source's size are zeros."""
    words.one("async")
    if words.flag("mbarrier"):
        return _copies_arrive(c, i, words)
    if words.one("commit_group", "wait_group", "wait_all", default=""):
        return Step("plain", lambda t: None)
    from_cache = words.one("ca", "cg")
    spaces = [w for w in words.left if w.partition("::")[0] in ("shared", "global")]
    for word in spaces:
        words.flag(word)
    if [s.partition("::")[0] for s in spaces] != ["shared", "global"]:
        raise unknown(i, "copy between these spaces")
    take_space(words)
    to, _ = address_of(c, i, i.operands[0], "shared")
    source, _ = address_of(c, i, i.operands[1], "global")
    size = c.source(i, i.operands[2], "u32")
    has_size = len(i.operands) > 3 and not isinstance(i.operands[3], ir.Predicate) and not (
        "L2::cache_hint" in i.modifiers and len(i.operands) == 4)
    real = c.source(i, i.operands[3], "u32") if has_size else size
    ignores = c.predicate(i, i.operands[3]) if len(i.operands) > 3 and isinstance(i.operands[3], ir.Predicate) else lambda t: False

    def act(t):
        bytes_, given = size(t), 0 if ignores(t) else real(t)
        if bytes_ not in ((16,) if from_cache == "cg" else (4, 8, 16)) or given > bytes_:
            raise Wrong(f"`{i.text}` copies {given} of {bytes_} bytes")
        held, at = area(t, "shared", to(t), bytes_)
        data = b""
        if given:
            from_, start = area(t, "global", source(t), bytes_)
            data = bytes(from_[start:start + given])
        held[at:at + bytes_] = data.ljust(bytes_, b"\0")
    return Step("plain", act)


def _copies_arrive(c: Context, i, words: Words) -> Step:
    """``cp.async.mbarrier.arrive``: an arrival once the thread's copies are done, which is now.

    Without ``.noinc`` the barrier first expects one arrival more in this phase, so that nothing changes.
    """
    words.one("arrive")
    extra = words.flag("noinc")
    address, space = address_of(c, i, i.operands[0], take_space(words))

    def act(t):
        object_, put = barrier_at(t, address(t), space, i)
        if extra:
            _arrive(object_, 1, 0, False)
            object_.complete()
        put(object_)
    return Step("plain", act)
