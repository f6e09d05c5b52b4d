"""What commands print."""
from __future__ import annotations

from typing import Any

from archdef.console import console, width
from archdef.console import text as text  # noqa: PLC0414  so type checkers know that others import it from here


def show(renderable: Any) -> None:
    """Print a rich object in the columns there are; `archdef.console.width` says how many."""
    console(width=width()).print(renderable)
