"""How the addresses of a warp become memory transactions and shared-memory passes.

The methods here are the readable definitions, in plain numpy, of what the engine does in compiled form; tests hold the two
together. `addresses` are byte addresses, one per lane; `mask` says which lanes take part (None: all of them).
"""
from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from archdef.spec.fields import integer
from archdef.spec.policy import PolicyValue, named


class Transaction(NamedTuple):
    """One access to the memory system."""

    address: int
    """First byte, a multiple of `bytes`."""
    bytes: int
    """Bytes moved."""
    lanes: tuple[int, ...]
    """Lanes of the warp that it serves."""


def _groups(addresses: Sequence[int], mask: Sequence[bool] | None, lanes: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield ``(width, [(lane, address), …])`` for each run of `lanes` lanes that has an active one."""
    given = np.asarray(addresses)
    active = np.ones(len(given), bool) if mask is None else np.asarray(mask, bool)
    for first in range(0, len(given), lanes):
        group = range(first, min(first + lanes, len(given)))
        taking_part = [(lane, int(given[lane])) for lane in group if active[lane]]
        if taking_part:
            yield len(group), taking_part


# ---------------------------------------------------------------------------------------------------------- coalescing
class CoalescingRule(PolicyValue):
    """Which transactions serve one load or store of a warp."""

    __slots__ = ()

    @abc.abstractmethod
    def transactions(self, addresses: Sequence[int], word_bytes: int,
                     mask: Sequence[bool] | None = None) -> list[Transaction]:
        """List the transactions of one warp access, in the order in which they are sent.

        addresses  : sequence of int, shape (warp_size,), bytes, each a multiple of `word_bytes`.
        word_bytes : int, bytes per lane (1, 2, 4, 8 or 16; a vector access counts as one wide word).
        mask       : sequence of bool, shape (warp_size,), lanes that take part; None for all.
        """

    @property
    @abc.abstractmethod
    def largest_bytes(self) -> int:
        """Bytes of the largest transaction that the rule can make."""


@named("strict_half_warp")
class StrictHalfWarp(CoalescingRule):
    """All or nothing per half-warp: lane k must access word k of an aligned segment, or every active lane goes alone.

    Words of 4 and 8 bytes make one transaction of 64 and 128 bytes, words of 16 bytes two of 128; inactive lanes are
    allowed. Other word sizes, and any other pattern, make one transaction per active lane.

    For words of 16 bytes guides differ: before 3.0 the half-warp is to start at a multiple of 16 words (256 bytes), from 3.0 on
    the first eight words are to lie in one segment of 128 bytes and the others in the next, so that a multiple of 128 will do. The later
    text describes the same devices, by the transactions that they make, and is followed here; `alignment_bytes` = 256 gives the other.

    References: CUDA C Programming Guide 3.0-4.2, global memory on devices of compute capability 1.0 and 1.1; before, section 5.1.2.1.
    """

    group_lanes: int = integer(at_most=64, power_of_two=True, default=16)
    """Lanes that are looked at together."""
    uncoalesced_bytes: int = integer(power_of_two=True, default=32)
    """Bytes of the transaction of a lane that goes alone, and least bytes of any."""
    alignment_bytes: int = integer(power_of_two=True, at_least=128, default=128)
    """The segment must start at a multiple of its size, but of no more than this: 256 asks as much of words of 16 bytes, 128 lets them begin
    in the middle."""

    def transactions(self, addresses: Sequence[int], word_bytes: int, mask: Sequence[bool] | None = None) -> list[Transaction]:
        sent = []
        for width, group in _groups(addresses, mask, self.group_lanes):
            bases = {address - (lane % self.group_lanes) * word_bytes for lane, address in group}
            span = 1 << (width * word_bytes - 1).bit_length()  # a power of two whatever the width of the warp
            if word_bytes in (4, 8, 16) and len(bases) == 1 and min(bases) % min(span, self.alignment_bytes) == 0:
                size = min(max(span, self.uncoalesced_bytes), 128)
                wanted = [(address // size * size, lane) for lane, address in group]
                sent += [Transaction(start, size, tuple(lane for first, lane in wanted if first == start))
                         for start in sorted({start for start, _ in wanted})]
            else:
                size = max(self.uncoalesced_bytes, word_bytes)
                sent += [Transaction(address // size * size, size, (lane,)) for lane, address in group]
        return sent

    @property
    def largest_bytes(self) -> int:
        return max(128, self.uncoalesced_bytes)


@named("segment_shrinking")
class SegmentShrinking(CoalescingRule):
    """Per half-warp: take the segment of the lowest lane left, serve all lanes in it, shrink it to the half in use.

    A segment has 32 bytes for words of 1 byte, 64 for 2, 128 for wider ones. While only its lower or only its upper half
    is used, it is halved, down to `smallest_bytes`. The rest of the lanes follow in the same way.

    References: CUDA C Programming Guide 3.0-4.2, global memory on devices of compute capability 1.2 and 1.3.
    """

    group_lanes: int = integer(at_most=64, power_of_two=True, default=16)
    """Lanes that are looked at together."""
    smallest_bytes: int = integer(power_of_two=True, default=32)
    """Smallest segment."""
    largest_segment_bytes: int = integer(power_of_two=True, default=128)
    """Segment of words of 4 bytes and more; words of 1 and 2 bytes have a quarter and a half of it."""

    def transactions(self, addresses: Sequence[int], word_bytes: int, mask: Sequence[bool] | None = None) -> list[Transaction]:
        sent = []
        for _, left in _groups(addresses, mask, self.group_lanes):
            while left:
                size = self.largest_segment_bytes * min(word_bytes, 4) // 4
                start = left[0][1] // size * size
                served = [(lane, address) for lane, address in left if start <= address < start + size]
                left = [entry for entry in left if entry not in served]
                while size > self.smallest_bytes:
                    middle = start + size // 2
                    if all(address + word_bytes <= middle for _, address in served):
                        size //= 2
                    elif all(address >= middle for _, address in served):
                        size, start = size // 2, middle
                    else:
                        break
                sent.append(Transaction(start, size, tuple(lane for lane, _ in served)))
        return sent

    @property
    def largest_bytes(self) -> int:
        return self.largest_segment_bytes


@named("lines")
class Lines(CoalescingRule):
    """One transaction for each different sector that a group of lanes touches, in the order of first touch.

    With ``sector_bytes == line_bytes`` whole lines move; with smaller sectors, each touched sector is a transaction.

    References: CUDA C Programming Guide 4.2, global memory on devices of compute capability 2.x (128-byte lines through
    L1, 32-byte segments past it).
    """

    group_lanes: int = integer(at_most=64, power_of_two=True, default=32)
    """Lanes that are looked at together."""
    line_bytes: int = integer(power_of_two=True, default=128)
    """Bytes of a line; sectors of one line share its tag."""
    sector_bytes: int = integer(power_of_two=True, default=128)
    """Bytes of one transaction."""

    def transactions(self, addresses: Sequence[int], word_bytes: int, mask: Sequence[bool] | None = None) -> list[Transaction]:
        sent = []
        for _, group in _groups(addresses, mask, self.group_lanes):
            sectors: dict[int, list[int]] = {}
            for lane, address in group:
                for sector in range(address // self.sector_bytes, (address + word_bytes - 1) // self.sector_bytes + 1):
                    sectors.setdefault(sector * self.sector_bytes, []).append(lane)
            sent += [Transaction(start, self.sector_bytes, tuple(lanes)) for start, lanes in sectors.items()]
        return sent

    @property
    def largest_bytes(self) -> int:
        return self.sector_bytes


# ------------------------------------------------------------------------------------------------------- shared memory
class Broadcast(PolicyValue):
    """How many lanes that want the same word one pass over the banks serves."""

    __slots__ = ()

    @abc.abstractmethod
    def passes(self, words: Sequence[tuple[int, int]], banks: int) -> int:
        """Count passes for ``(lane, word)`` accesses of one conflict group; word w lies in bank ``w % banks``."""


@named("single_word")
class SingleWordBroadcast(Broadcast):
    """Each pass sends one chosen word to every lane that wants it; each other bank serves a single lane.

    The guide leaves the choice open; here the broadcast word is that of the lowest lane left, and each bank serves its
    lowest lane left.

    References: CUDA C Programming Guide 3.0-4.2, shared memory on devices of compute capability 1.x (broadcast access).
    """

    def passes(self, words: Sequence[tuple[int, int]], banks: int) -> int:
        left, count = list(words), 0
        while left:
            broadcast = left[0][1]
            busy = {broadcast % banks}
            waiting = []
            for lane, word in left:
                if word == broadcast:
                    continue
                if word % banks in busy:
                    waiting.append((lane, word))
                busy.add(word % banks)
            left, count = waiting, count + 1
        return count


@named("multicast")
class MulticastBroadcast(Broadcast):
    """Each pass serves one word per bank, to every lane that wants it: as many passes as the busiest bank has words.

    References: CUDA C Programming Guide 4.2, shared memory on devices of compute capability 2.x.
    """

    def passes(self, words: Sequence[tuple[int, int]], banks: int) -> int:
        different = {word for _, word in words}
        return max(np.bincount([word % banks for word in different])) if different else 0


class WideAccess(PolicyValue):
    """How words wider than a bank are served."""

    __slots__ = ()


@named("split_lanes")
class SplitLanes(WideAccess):
    """Fewer lanes at a time: words of twice what a bank serves in a pass are served for half the lanes, four times for a quarter."""

    group_latency_cycles: int = integer(at_least=0, default=0)
    """SM cycles by which each further group of lanes, of a load that is served in several, delays its result besides its passes."""


@named("merged_lanes")
class MergedLanes(SplitLanes):
    """As `SplitLanes`; but a load serves two groups of lanes together if each of their lanes reads what its neighbour (the lane whose
    number differs in the last bit) reads, or each what the next but one (second last bit) does."""


@named("extra_pass")
class ExtraPass(SplitLanes):
    """As `SplitLanes`; but each group of lanes that loads words of four banks' width or more takes one pass more than its banks need."""


@named("word_at_a_time")
class WordAtATime(WideAccess):
    """All lanes of the group, one bank-wide piece of their words after the other."""
