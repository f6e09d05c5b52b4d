"""Occupancy answers, one under the other."""
from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from archdef.errors import LaunchError
from archdef.occupancy import Occupancy
from archdef.run.footprint import MemoryMap, WarpContents


def render(answers: Sequence[tuple[Occupancy, WarpContents, MemoryMap] | LaunchError]) -> Group:
    """Lay out answers; a machine on which the block cannot run says why."""
    return Group(*(Text(str(answer), style="red") if isinstance(answer, LaunchError) else _render(*answer) for answer in answers))


def _render(occupancy: Occupancy, contents: WarpContents, shares: MemoryMap) -> Group:
    private = [shares] if shares.private_bytes else []
    return Group(occupancy, Text(str(contents)), *private)
