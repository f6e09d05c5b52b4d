"""Occupancy answers, one under the other."""
from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from archdef.errors import LaunchError
from archdef.occupancy import Occupancy


def render(answers: Sequence[Occupancy | LaunchError]) -> Group:
    """Lay out answers; a machine on which the block cannot run says why."""
    return Group(*(Text(str(answer), style="red") if isinstance(answer, LaunchError) else answer for answer in answers))
