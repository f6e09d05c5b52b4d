"""Policies: how a machine chooses. Each is a small value with its own numbers; the engine carries them out.

A plugin adds a policy by a class of its own: a subclass of a kind, made with `named`, that says what it does in a method of the kind's name
(`choose`, `partition`, …), and perhaps in compiled form too (`PolicyValue.compiled`). See docs/howto/policy.md.
"""
from __future__ import annotations

import abc
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

import attrs

from archdef._plugins import installed, refusal
from archdef._versions import misfit
from archdef.errors import PluginError, PluginWarning
from archdef.spec.fields import choice, flag, integer, integers

if TYPE_CHECKING:
    from archdef.policies import Compiled


class Named(abc.ABC):
    """What a description names out of several that archdef and plugins bring: policies, and the target of lowering."""

    __slots__ = ()
    short_name: ClassVar[str]
    """The name under which sweeps, files and the command line choose it with its default numbers."""
    _choices: ClassVar[dict[str, type]]
    __attrs_attrs__: ClassVar[Any]  # `named` makes classes of attrs, which is how type checkers know one

    @classmethod
    def by_name(cls) -> dict[str, type]:
        """Give the choices of this kind, by short name; those of installed plugins (entry points of `GROUPS`) too. A choice itself has only itself."""
        _load_plugins()
        return {name: choice for name, choice in cls._choices.items() if issubclass(choice, cls)}


class PolicyValue(Named):
    """Base of every policy. A direct subclass is a *kind* of policy; its subclasses, made with `named`, are the choices."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if PolicyValue in cls.__bases__:
            cls._choices = {}

    def compiled(self) -> Compiled | None:
        """Give an `archdef.policies.Compiled` that does the same at the engine's speed; None: there is none.

        Policies that the engine knows by itself need none.
        """
        return None


GROUPS = {"archdef.policies": "policies", "archdef.targets": "targets"}
"""Groups of entry points by which plugins bring what is named → what they bring."""


@cache
def _load_plugins() -> None:
    """Import the modules that installed plugins name, so that what they bring is known. One that is broken costs a warning."""
    for entry, brought in ((entry, brought) for group, brought in GROUPS.items() for entry in installed(group)):
        try:
            if (why := misfit([entry])) is not None:
                raise PluginError(why)
            entry.load()
        except BaseException as error:  # noqa: BLE001  whatever it is, the others must stay usable
            warnings.warn(str(refusal(f"plugin {entry.name!r} ({entry.value}) of {brought}", error)), PluginWarning, stacklevel=2)


N = TypeVar("N", bound=Named)


@dataclass_transform(frozen_default=True)
def named(short_name: str) -> Callable[[type[N]], type[N]]:
    """Make a class a frozen value that can be chosen by its short name."""
    def decorate(cls: type[N]) -> type[N]:
        made = attrs.frozen(cls)
        made.short_name = short_name
        made._choices[short_name] = made
        return made
    return decorate


# ---------------------------------------------------------------------------------------------------- warp scheduling
class SchedulerPolicy(PolicyValue):
    """Which of the ready warps a scheduler issues next.

    A plugin's own says it in ``choose(view) -> int``: the slot of one of ``view.candidates``. The view has the fields of
    ``ArchdefSchedulerView`` in ``archdef/engine/policy.h``, arrays as lists.
    """

    __slots__ = ()


@named("lrr")
class LooseRoundRobin(SchedulerPolicy):
    """The ready warp that follows the last one issued, in the order of warp slots; warps that are not ready are skipped."""


@named("gto")
class GreedyThenOldest(SchedulerPolicy):
    """The same warp as long as it is ready, then the ready warp that has been resident longest."""


@named("grr")
class GreedyThenRoundRobin(SchedulerPolicy):
    """The same warp as long as it is ready, then the next ready one before it in the order of warp slots, before the first the last.

    Instructions for units that the schedulers share go before others, the longest waiting first, as from a queue.
    """

    oldest_block_first: bool = flag(default=False)
    """Where a scheduler has a choice among warps of several blocks, those of the block that started first come first, which so runs as if
    it were alone while younger ones get what it leaves. The warp issued last still stays as long as it can go on."""


@named("oldest")
class OldestFirst(SchedulerPolicy):
    """The ready warp that has been resident longest."""


@named("two_level")
class TwoLevel(SchedulerPolicy):
    """Round robin among a few active warps; one that waits for memory gives its place to the next pending warp.

    References: Narasiman et al., Improving GPU Performance via Large Warps and Two-Level Warp Scheduling, MICRO 2011.
    """

    active_warps: int = integer(at_most=64, default=8)
    """Warps per scheduler among which it chooses."""


@named("weighted")
class WeightedPriority(SchedulerPolicy):
    """The ready warp of highest priority: ``memory_weight`` if its next instruction accesses memory, plus ``age_weight`` for
    every cycle since it last issued (so that no warp starves); ties go to warps that do not access memory, then to the lower warp slot.

    References: Lindholm et al., NVIDIA Tesla: A Unified Graphics and Computing Architecture, IEEE Micro 28(2), 2008
    (warp type, instruction type and fairness to all warps in the multiprocessor).
    """

    memory_weight: int = integer(at_least=0, default=16)
    """Points for a warp whose next instruction accesses memory."""
    age_weight: int = integer(at_least=0, default=1)
    """Points per cycle since the warp last issued."""


# ------------------------------------------------------------------------------------------------------ reconvergence
class Reconvergence(PolicyValue):
    """Where the lanes of a warp that took different paths reconverge.

    A plugin's own is a subclass of one of the two below with ``taken_first(view) -> bool``: whether the lanes that jump go first, where
    the engine lets those behind the branch go first (fields of ``ArchdefBranchView``).
    """

    __slots__ = ()
    independent = False
    """Whether lanes that wait for each other make progress."""


@named("ipdom")
class IpdomStack(Reconvergence):
    """A stack per warp; lanes reconverge at the immediate post-dominator of the branch at which they diverged.

    At a barrier of the block any lanes arrive for their whole warp (PTX ISA, `bar`: "as if all the threads in the warp").
    """


@named("convergence_barriers")
class ConvergenceBarriers(Reconvergence):
    """Diverged lanes progress independently. They reconverge at the immediate post-dominator, unless those that are missing there turn
    in a loop that waits for other threads, or sleep; instructions that name lanes wait for them. At a barrier of the block each lane counts
    for itself, and is not held elsewhere while others of its warp are there.

    References: NVIDIA Volta white paper, independent thread scheduling; US patent application 2016/0019066.
    """

    independent = True


# ------------------------------------------------------------------------------------------------------ warp throttle
class WarpThrottle(PolicyValue):
    """Which warps of a multiprocessor may issue loads from memory, by what their loads found in L1.

    A plugin's own says it in ``allow(view) -> int``, with the fields of ``ArchdefThrottleView``: it changes ``view.allowed`` in place, and gives the
    cycle at which it wants to be asked again, 0: when a load next looks into L1, or a warp comes or goes.
    """

    __slots__ = ()

    @property
    def state_words(self) -> int:
        """Words of ``view.state``, a set of them for each multiprocessor; at most 65,536."""
        return 16


# ----------------------------------------------------------------------------------------------------- block dispatch
class BlockDispatch(PolicyValue):
    """Which multiprocessor the next block of the grid goes to.

    A plugin's own says it in ``multiprocessor(view) -> int``, with the fields of ``ArchdefDispatchView``: one for which ``view.room`` is 1, or None (compiled:
    ``ARCHDEF_DISPATCH_NOT_NOW``), not now. It is asked again when a block has ended, or at the cycle that it writes to ``view.again``. Where nothing else
    can go on, None is an error.
    """

    __slots__ = ()


@named("round_robin")
class RoundRobin(BlockDispatch):
    """Blocks in grid order, to the multiprocessors in turn, as long as the next one in turn has room."""


@named("gpc_round_robin")
class GpcRoundRobin(BlockDispatch):
    """Blocks in grid order, round robin over the GPCs (groups of multiprocessors): in a turn, one block for each multiprocessor.

    The first group's turns may come sooner than the others' (`first_gpc_interval_turns`). What is left of a grid that fits, fewer blocks than
    multiprocessors, is divided beforehand: the first group gets as many as it has multiprocessors, the others equally many of the rest, none
    more than half of its multiprocessors before all have half; consecutive blocks stay together. Within a group, and where blocks find
    others resident, the multiprocessor with the fewest resident warps is next.
    """

    groups: tuple[int, ...] = integers(longest=32, default=())
    """Multiprocessors of each group, in the order of their numbers."""
    first_gpc_interval_turns: int = integer(at_least=0, default=0)
    """Turns of others after which it is the first group's again, one fewer after its first, until it has had all of its; 0: as all others."""
    multiprocessors_per_tpc: int = integer(default=1)
    """Multiprocessors of a TPC, of which each gets a block before any gets a second, where what is left is divided."""

    def turns(self, rounds: int) -> list[int]:
        """Give the groups in the order of their turns, each of which has so many."""
        others, found, first = range(1, len(self.groups)), [], 0
        step = self.first_gpc_interval_turns or len(others)
        for k, group in enumerate(rounds * list(others)):
            if first < rounds and k == (first and step * first - (self.first_gpc_interval_turns > 0)):
                found.append(0)
                first += 1
            found.append(group)
        return found + [0] * (rounds - first)

    def shares(self, blocks: int) -> list[int]:
        """Give how many of fewer blocks than there are multiprocessors each group gets."""
        first, others = self.groups[0], self.groups[1:]
        given = [min(blocks, first), *[0] * len(others)]
        left = blocks - given[0]
        for most in ([size // 2 for size in others], others):
            while left and any(g < m for g, m in zip(given[1:], most)):
                for k, m in enumerate(most):
                    if left and given[1 + k] < m:
                        given[1 + k] += 1
                        left -= 1
        return given


# ------------------------------------------------------------------------------------------------------ partition map
class PartitionMap(PolicyValue):
    """Which memory partition holds an address."""

    __slots__ = ()

    @abc.abstractmethod
    def partition(self, address: int, interleave_bytes: int, partitions: int) -> int:
        """Give the partition, 0 to ``partitions - 1``, that holds the byte at `address`."""


class PagePlacement(PartitionMap):
    """In which L2 partition (`interconnect.l2_partitions`) each page lies, by who asks for it first.

    A plugin's own says it in ``place(view) -> int``, with the fields of ``ArchdefPlacementView``: an L2 partition. It is asked when a request for a page is
    the first of all; the page stays there as long as the device lives. Within its L2 partition, chunks of ``interleave_bytes`` lie in the partitions in turn.
    """

    __slots__ = ()

    @property
    def page_bytes(self) -> int:
        """Bytes that are placed together, a power of two, no fewer than ``dram.interleave_bytes``."""
        return 65536

    @property
    def state_words(self) -> int:
        """Words of ``view.state``; at most 65,536."""
        return 16

    def partition(self, address: int, interleave_bytes: int, partitions: int) -> int:
        """Give the partition in which a byte would lie if nothing placed its page: chunks in turn, for drawings of the map."""
        return address // interleave_bytes % partitions


@named("interleaved")
class Interleaved(PartitionMap):
    """Chunks of ``interleave_bytes`` in turn: ``(address // interleave_bytes) % partitions``."""

    def partition(self, address: int, interleave_bytes: int, partitions: int) -> int:
        return address // interleave_bytes % partitions


@named("xor_hash")
class XorHash(PartitionMap):
    """Chunks in turn, each round of the partitions beginning at another one: the round's number, its bits folded by exclusive or.

    ``chunk = address // interleave_bytes``, ``round = chunk // partitions``;
    ``(chunk + (round ^ (round >> s0) ^ (round >> s1) …)) % partitions``. So every round uses every partition once, whatever their number.
    """

    shifts: tuple[int, ...] = integers(at_most=63, longest=8, default=(3, 6, 9, 12))
    """How far the round's number is shifted for each folding."""

    def partition(self, address: int, interleave_bytes: int, partitions: int) -> int:
        chunk = address // interleave_bytes
        turn = chunk // partitions
        for shift in self.shifts:
            turn ^= chunk // partitions >> shift
        return (chunk + turn) % partitions


@named("parity_hash")
class ParityHash(PartitionMap):
    """Parities of address bits say in which part of the partitions a chunk lies, the rest of a division in which of that part.

    There are ``2 ** len(part_masks)`` parts, or as many of these as the number of partitions can be halved, the last masks first. What is
    divided by the partitions of a part is the address from bit `high_bit` on, followed by the parities of `low_masks` (and of those
    of `part_masks` that have no say): of each tuple the first gives the lowest bit. So parts and the divisions within them are even over a run
    of ``2 ** high_bit`` bytes and more, and as uneven below as such a map can be.
    """

    part_masks: tuple[int, ...] = integers(longest=8, default=(1 << 11, 1 << 12))
    """For each bit of the number of a part: the address bits of which it is the parity."""
    low_masks: tuple[int, ...] = integers(at_least=0, longest=8, default=(1 << 8, 1 << 9, 1 << 10))
    """For each of the low bits of what is divided: the address bits of which it is the parity."""
    high_bit: int = integer(default=13)
    """The lowest address bit that is a high bit of what is divided."""

    def halvings(self, partitions: int) -> int:
        """Give how many of `part_masks`, the last ones, number the parts."""
        return min(len(self.part_masks), (partitions & -partitions).bit_length() - 1)

    def partition(self, address: int, interleave_bytes: int, partitions: int) -> int:
        address -= address % interleave_bytes
        masks = (*self.low_masks, *self.part_masks)
        found = sum(((address & mask).bit_count() & 1) << k for k, mask in enumerate(masks))
        low = len(masks) - self.halvings(partitions)
        number, count = (address >> self.high_bit) << low | found & (1 << low) - 1, partitions >> self.halvings(partitions)
        return (found >> low) * count + number % count


# ------------------------------------------------------------------------------------------------- cache replacement
class _OfCache:
    """What the policies of a cache have in common: words of their own, and events to listen to.

    One that defines ``told(view) -> None`` hears what happens in the cache (``view.event``, an ``ARCHDEF_CACHE_`` number of ``policy.h``); in compiled form
    the function that is asked gets these events, too.
    """

    __slots__ = ()

    @property
    def state_words(self) -> int:
        """Words of ``view.state``, a set of them for each cache; at most 65,536."""
        return 16

    @property
    def line_words(self) -> int:
        """Words of ``view.words`` for each line that the cache has room for; at most 16."""
        return 0


class Replacement(_OfCache, PolicyValue):
    """Which line of a full set a new one replaces.

    A plugin's own says it in ``victim(view) -> int``, with the fields of ``ArchdefReplacementView``: a way that is not busy.
    """

    __slots__ = ()


@named("lru")
class LeastRecentlyUsed(Replacement):
    """The one whose last use lies furthest back."""


@named("random_of_k_lru")
class RandomOfKLru(Replacement):
    """One of the k least recently used lines, at random: what is read again and again and does not fit still hits now and then.

    The random number follows from what the cache has been asked before, so that a launch takes the same time again.
    """

    lines: int = integer(at_least=1, at_most=64, default=4)
    """k; no more than the set has are looked at."""


# ------------------------------------------------------------------------------------------------------ what L1 does with loads
class Admission(_OfCache, PolicyValue):
    """Which lines that a load misses get a place in L1.

    A plugin's own says it in ``admit(view) -> bool``, with the fields of ``ArchdefL1View``; a line that is not admitted bypasses L1.
    """

    __slots__ = ()


class Prefetcher(_OfCache, PolicyValue):
    """Which lines are fetched into L1 before a load asks for them.

    A plugin's own says it in ``fetch(view)``, with the fields of ``ArchdefL1View``: a sequence of at most ``view.room`` numbers of lines.
    """

    __slots__ = ()


class VictimCache(_OfCache, PolicyValue):
    """What stands beside L1 and may have what a load misses: a victim cache, or another store of a multiprocessor.

    A plugin's own says it in ``supply(view) -> int``, with the fields of ``ArchdefL1View``: the cycles after which it supplies what is missing; 0 if it does
    not have it.
    """

    __slots__ = ()


# ------------------------------------------------------------------------------------------------ banks of shared memory
class BankMap(PolicyValue):
    """Which bank of shared memory holds a word."""

    __slots__ = ()

    @abc.abstractmethod
    def banks_of(self, words: Sequence[int], banks: int) -> list[int]:
        """Give the bank, 0 to ``banks - 1``, of each word (address divided by the width of a bank)."""


@named("low_order")
class LowOrder(BankMap):
    """Words in turn: ``word % banks``."""

    def banks_of(self, words: Sequence[int], banks: int) -> list[int]:
        return [word % banks for word in words]


# ------------------------------------------------------------------------------------------------------------- DRAM
class DramScheduling(PolicyValue):
    """In which order a partition serves the requests in its queue.

    A plugin's own says it in ``next_request(view) -> int``, with the fields of ``ArchdefDramView``: the place, among those in the window, of the request that
    gets a command next.
    """

    __slots__ = ()

    @property
    def window(self) -> int:
        """Requests at the head of the queue that are looked at."""
        return 64

    @property
    def state_words(self) -> int:
        """Words of ``view.state``, a set of them for each partition; at most 65,536."""
        return 16


@named("first_ready")
class FirstReady(DramScheduling):
    """Row hits first, then the oldest, among the `window` oldest requests of the current direction (FR-FCFS).

    A window of 1 is first come, first served.
    """

    window: int = integer(default=64)
    """Requests at the head of the queue that are looked at."""
    page_policy: str = choice("open", "close_adaptive", default="open")
    """Whether a row stays open until its bank is wanted for another one, or closes as soon as nothing that is queued wants it."""


# ----------------------------------------------------------------------------------------------------------- topology
class Topology(PolicyValue):
    """Over how many hops, and which links, answers go from partitions of memory, or slices, to multiprocessors.

    A plugin's own says it in ``hops(view) -> int``, with the fields of ``ArchdefTopologyView``; it may write the link of each hop to ``view.links``. It is
    asked once for each pair when a machine is made.
    """

    __slots__ = ()
