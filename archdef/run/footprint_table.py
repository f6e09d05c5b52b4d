"""Shares of device memory, and what a warp holds, in the vendor's words."""
from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from archdef.formatting import count, percent, size
from archdef.tables import Column, Kind, Table

if TYPE_CHECKING:
    from archdef.run.footprint import MemoryMap, WarpContents


def render_map(found: MemoryMap) -> Group:
    """Lay out the shares, those that are there."""
    words = found.vocabulary
    table = Table(Column("device memory"), Column("bytes", Kind.NUMBER), Column("share", Kind.NUMBER), Column("", Kind.PROSE, priority=1, called="of what"))
    each = size(found.private_bytes_per_thread)
    rows = (("global", found.global_bytes, "arrays, variables of modules"), ("constant", found.constant_bytes, "constant variables"),
            ("parameters", found.parameter_bytes, "of the launch, constant"),
            ("private", found.private_bytes, f"{each} for each of {count(found.resident_threads)} resident {words.lane}s" if found.private_bytes else ""),
            ("heap", found.heap_bytes, "malloc in kernels"), ("free", found.free_bytes, ""))
    for name, nbytes, note in rows:
        if nbytes or name in ("global", "constant", "private", "free"):
            table.add(name, count(nbytes), percent(100 * nbytes / found.capacity_bytes), note)
    return Group(Text(f"{found.architecture}: {size(found.capacity_bytes)} of device memory"), table)


def contents(found: WarpContents) -> str:
    """Say in a sentence what a warp holds."""
    words = found.vocabulary
    counters = "one program counter" if found.program_counters == 1 else f"{found.program_counters} program counters"
    private = f"{size(found.private_bytes)} of private memory" if found.private_bytes else "no private memory"
    shared = f"{size(found.shared_bytes)} of {words.shared} with the {words.warp}s of its {words.block} ({found.warps_per_block})" \
        if found.shared_bytes else f"no {words.shared}"
    return (f"a {words.warp} holds {found.lanes} {words.lane}s, {counters}, {found.registers_per_lane} registers a {words.lane} "
            f"({size(found.register_bytes)}), {private}, {shared}; {found.resident} per {words.multiprocessor} at once")
