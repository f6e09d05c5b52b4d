"""What commands print."""
from __future__ import annotations

import sys
from typing import Any

from archdef.console import WIDTH, console
from archdef.console import text as text  # noqa: PLC0414  so type checkers know that others import it from here


def show(renderable: Any) -> None:
    """Print a rich object; text that goes to no terminal gets the full width."""
    console(width=None if sys.stdout.isatty() else WIDTH, soft_wrap=False).print(renderable)
