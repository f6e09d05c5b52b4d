"""How many blocks a multiprocessor holds at once, what stops it from holding more, and the smallest change that
helps."""
from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping
from typing import Any

import attrs
from rich.console import Group

from archdef import registry, values
from archdef.console import text
from archdef.errors import LaunchError
from archdef.spec import Architecture, FrozenMap, Limits, Vocabulary
from archdef.tables import Column, Kind, Table, to_html

_PLAIN = Vocabulary()
_DESCRIBED = {"threads": "threads per block", "registers": "registers per thread", "shared_bytes": "bytes of shared memory"}


@attrs.frozen
class Change:
    """Another value for one resource of a launch."""

    resource: str
    """``threads``, ``registers`` or ``shared_bytes``, as `occupancy` calls it."""
    value: int
    """What it should be."""
    change: int
    """Difference to what it is."""

    def __str__(self) -> str:
        return f"{self.value} {_DESCRIBED[self.resource]} ({'−' if self.change < 0 else '+'}{abs(self.change)})"


@attrs.frozen
class Suggestion:
    """The smallest change that makes more warps resident."""

    changes: tuple[Change, ...]
    """What to change: one resource, or both of two that bind together."""
    active_blocks: int
    """Resident blocks after the change."""
    active_warps: int
    """Resident warps after the change."""

    @property
    def relative_change(self) -> float:
        """Sum over the changes of the difference over what it was: the measure by which the smallest is chosen."""
        return sum(abs(c.change) / (c.value - c.change) for c in self.changes)

    def __str__(self) -> str:
        return (f"{' and '.join(map(str, self.changes))} {'would give' if len(self.changes) > 1 else 'give'} "
                f"{_count(self.active_blocks, 'block')} and {self.active_warps} warps")


@attrs.frozen(kw_only=True, repr=False)
class Occupancy:
    """How full one multiprocessor gets. Prints as a small table."""

    architecture: str
    """Name of the machine."""
    threads: int
    """Threads per block."""
    registers: int
    """Registers per thread."""
    shared_bytes: int
    """Shared memory per block."""
    warps_per_block: int
    """Warps of one block, the last perhaps not full."""
    active_blocks: int
    """Resident blocks."""
    active_warps: int
    """Resident warps."""
    max_warps: int
    """Most warps that the multiprocessor could hold."""
    limits: Mapping[str, int] = attrs.field(converter=FrozenMap[str, int])
    """Blocks that each resource alone would allow: ``warps`` (and thread slots), ``blocks``, ``registers``, ``shared``.
    Without shared memory, ``shared`` equals ``blocks``, as in the vendors' calculators."""
    limiter: tuple[str, ...]
    """The keys of `limits` that allow no more than `active_blocks`."""
    suggestion: Suggestion | None
    """The smallest change that makes more warps resident; None if there is none."""
    vocabulary: Vocabulary = _PLAIN
    """The vendor's words, for printing."""

    def __repr__(self) -> str:
        return (f"<Occupancy on {values.cut(self.architecture)}: {self.active_blocks} blocks of {self.threads} threads, "
                f"{self.active_warps} of {self.max_warps} warps, limited by {', '.join(self.limiter)}>")

    @property
    def occupancy(self) -> float:
        """Resident warps over the most that fit, 0 to 1."""
        return self.active_warps / self.max_warps

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        data = attrs.asdict(self, filter=lambda attribute, _: attribute.name != "vocabulary")
        return data | {"occupancy": self.occupancy, "limits": dict(self.limits)}

    def __rich__(self) -> Group:
        words = self.vocabulary
        used = {"warps": _count(self.warps_per_block, words.warp), "blocks": "",
                "registers": f"{self.registers} per thread", "shared": f"{self.shared_bytes} B"}
        named = {"warps": f"{words.warp}s", "blocks": f"{words.block}s", "shared": words.shared}
        table = Table(Column("limit"), Column(f"one {words.block} uses", Kind.NUMBER), Column(f"{words.block}s allowed", Kind.NUMBER), Column(""))
        for key, allowed in self.limits.items():
            binds = key in self.limiter and (key != "shared" or self.shared_bytes > 0)
            table.add(named.get(key, key), used[key], str(allowed), "limits" if binds else "")
        head = (f"{self.architecture}: {_count(self.active_blocks, words.block)} of {self.threads} threads, {self.active_warps} "
                f"of {self.max_warps} {words.warp}s per {words.multiprocessor} ({self.occupancy:.1%})")
        return Group(head, table, *([f"to hold more: {self.suggestion}"] if self.suggestion else []))

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def occupancy(architecture: Architecture | str, *, threads: int, registers: int, shared_bytes: int = 0) -> Occupancy:
    """Work out how many blocks one multiprocessor holds.

    architecture : a description, or the name of an installed one.
    threads      : int, threads per block.
    registers    : int, 32-bit registers per thread.
    shared_bytes : int, bytes of shared memory per block, static and dynamic together.

    Raises LaunchError, naming the limit, if not even one block can run.

    References: NVIDIA CUDA Occupancy Calculator (registers per block on compute capability 1.x, per warp later); mxcc
    resource-usage reports for machines whose register file is split.
    """
    machine = registry.described(architecture)
    return occupancy_of(machine.limits, machine.warp.size, threads=threads, registers=registers, shared_bytes=shared_bytes,
                        name=machine.label, vocabulary=machine.words)


def occupancy_of(limits: Limits, warp_size: int, *, threads: int, registers: int, shared_bytes: int = 0,
                 name: str = "machine", vocabulary: Vocabulary = _PLAIN) -> Occupancy:
    """Work out the occupancy from bare limits; see `occupancy`."""
    threads = values.whole(threads, f"{name}: threads of a block", LaunchError, at_least=1)
    registers = values.whole(registers, f"{name}: registers of a thread", LaunchError, at_least=1)
    shared_bytes = values.whole(shared_bytes, f"{name}: bytes of shared memory of a block", LaunchError)
    _refuse_what_cannot_run(limits, warp_size, threads, registers, shared_bytes, name)
    allowed = blocks_allowed(limits, warp_size, threads=threads, registers=registers, shared_bytes=shared_bytes)
    active = min(allowed.values())
    block_warps = -(-threads // warp_size)
    return Occupancy(
        architecture=name, threads=threads, registers=registers, shared_bytes=shared_bytes, warps_per_block=block_warps,
        active_blocks=active, active_warps=active * block_warps, max_warps=limits.warps_per_multiprocessor, limits=allowed,
        limiter=tuple(key for key, blocks in allowed.items() if blocks == active),
        suggestion=_smallest_change(limits, warp_size, threads, registers, shared_bytes), vocabulary=vocabulary)


def blocks_allowed(limits: Limits, warp_size: int, *, threads: int, registers: int, shared_bytes: int) -> dict[str, int]:
    """Give the blocks that each resource alone would allow; 0 where one block is too much."""
    block_warps = -(-threads // warp_size)
    shared = _up(shared_bytes + limits.shared_reserved_bytes_per_block, limits.shared_allocation_unit_bytes)
    return {
        "warps": min(limits.warps_per_multiprocessor // block_warps, limits.threads_per_multiprocessor // threads),
        "blocks": limits.blocks_per_multiprocessor,
        "registers": _blocks_by_registers(limits, warp_size, block_warps, registers),
        "shared": limits.shared_bytes_per_multiprocessor // shared if shared else limits.blocks_per_multiprocessor,
    }


def carveout(limits: Limits, warp_size: int, *, threads: int, registers: int, shared_bytes: int) -> int:
    """Give the bytes of shared memory that the driver sets a multiprocessor to for a kernel: the least that hold its resident blocks.

    Where the machine declares headroom, there is room for the shared memory of a multiple of those blocks, if that is not too much.
    """
    block = _up(shared_bytes + limits.shared_reserved_bytes_per_block, limits.shared_allocation_unit_bytes)
    blocks = min(blocks_allowed(limits, warp_size, threads=threads, registers=registers, shared_bytes=shared_bytes).values())
    headroom = limits.carveout_headroom
    generous = 0 if headroom is None else min(block * min(headroom.ratio * blocks, limits.blocks_per_multiprocessor), headroom.most_bytes)
    wanted = max(block * blocks, generous)
    return min((size for size in limits.shared_carveouts if size >= wanted), default=limits.shared_bytes_per_multiprocessor)


def _blocks_by_registers(limits: Limits, warp_size: int, block_warps: int, registers: int) -> int:
    unit, granularity, rules = limits.register_allocation_unit, limits.warp_allocation_granularity, limits.register_allocation_rules
    if rules is not None:
        unit, registers = rules.unit(registers, unit), max(registers, rules.minimum_per_thread)
    if limits.register_allocation_scope == "block":
        per_block = _up(_up(block_warps, granularity) * registers * warp_size, unit)
        return limits.registers_per_multiprocessor // per_block
    parts = limits.register_file_partitions
    count = 1 if parts is None else parts.count
    warps = _down(limits.registers_per_multiprocessor // count // _up(registers * warp_size, unit), granularity)
    if parts is not None and parts.warps_per_partition is not None:
        warps = min(warps, parts.warps_per_partition)
    return count * warps // block_warps


def _refuse_what_cannot_run(limits: Limits, warp_size: int, threads: int, registers: int, shared_bytes: int, name: str) -> None:
    for what, value, limit in (("threads_per_block", threads, limits.threads_per_block),
                               ("registers_per_thread", registers, limits.registers_per_thread),
                               ("shared_bytes_per_block", shared_bytes, limits.shared_bytes_per_block)):
        if value > limit:
            raise LaunchError(f"{name}: limits.{what} is {limit}, the launch needs {value}", "shape" if what == "threads_per_block" else "resources")
    allowed = blocks_allowed(limits, warp_size, threads=threads, registers=registers, shared_bytes=shared_bytes)
    block_warps = -(-threads // warp_size)
    if not allowed["warps"]:
        raise LaunchError(f"{name}: limits.warps_per_multiprocessor is {limits.warps_per_multiprocessor} and "
                          f"limits.threads_per_multiprocessor {limits.threads_per_multiprocessor}, the launch needs "
                          f"{block_warps} warps, {threads} threads per block", "resources")
    per_block = registers * warp_size * block_warps
    if per_block > limits.registers_per_block:
        raise LaunchError(f"{name}: limits.registers_per_block is {limits.registers_per_block}, the launch needs {per_block} "
                          f"({block_warps} warps of {registers} registers per thread)", "resources")
    if not allowed["registers"]:
        raise LaunchError(f"{name}: limits.registers_per_multiprocessor is {limits.registers_per_multiprocessor}, handed out in "
                          f"units of {limits.register_allocation_unit} per {limits.register_allocation_scope}; {block_warps} warps "
                          f"of {registers} registers per thread do not fit", "resources")
    if not allowed["shared"]:
        raise LaunchError(f"{name}: limits.shared_bytes_per_multiprocessor is {limits.shared_bytes_per_multiprocessor}, the "
                          f"launch needs {shared_bytes} per block and {limits.shared_reserved_bytes_per_block} reserved",
                          "resources")


def _smallest_change(limits: Limits, warp_size: int, threads: int, registers: int, shared_bytes: int) -> Suggestion | None:
    """Search for the least change, relative to what it is, that makes more warps resident.

    Two ways are tried: less of what binds until one more block fits, and another number of threads per block.
    """
    def allowed(threads: int = threads, registers: int = registers, shared_bytes: int = shared_bytes) -> dict[str, int]:
        return blocks_allowed(limits, warp_size, threads=threads, registers=registers, shared_bytes=shared_bytes)

    now = allowed()
    active, block_warps = min(now.values()), -(-threads // warp_size)
    found: list[Suggestion] = []

    one_more = active + 1
    if now["warps"] >= one_more and now["blocks"] >= one_more:
        fewer = range(registers, 0, -1), range(shared_bytes, -1, -1)
        fitting_registers = next((r for r in fewer[0] if allowed(registers=r)["registers"] >= one_more), None)
        fitting_shared = _first(fewer[1], lambda s: allowed(shared_bytes=s)["shared"] >= one_more)
        if fitting_registers is not None and fitting_shared is not None:
            values = (("registers", fitting_registers, registers), ("shared_bytes", fitting_shared, shared_bytes))
            changes = tuple(Change(name, value, value - was) for name, value, was in values if value != was)
            blocks = min(allowed(**{c.resource: c.value for c in changes}).values())
            found.append(Suggestion(changes, blocks, blocks * block_warps))
    for warps in range(1, limits.threads_per_block // warp_size + 1):
        try:
            _refuse_what_cannot_run(limits, warp_size, warps * warp_size, registers, shared_bytes, "")
        except LaunchError:
            continue
        blocks = min(allowed(threads=warps * warp_size).values())
        if blocks * warps > active * block_warps:
            change = Change("threads", warps * warp_size, warps * warp_size - threads)
            found.append(Suggestion((change,), blocks, blocks * warps))
    return min(found, key=lambda s: s.relative_change, default=None)


def _first(values: range, holds: Callable[[int], bool]) -> int | None:
    """Give the first of the values for which a condition holds, given that it then holds for all that follow."""
    index = bisect.bisect_left(values, True, key=holds)
    return values[index] if index < len(values) else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _down(value: int, unit: int) -> int:
    return value // unit * unit
