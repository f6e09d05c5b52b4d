"""Results as people and programs read them: rich tables and plain data."""
from __future__ import annotations

WIDTH = 120
"""Columns of text that goes to no terminal."""


def text(renderable) -> str:
    """Render a rich object to plain text."""
    from archdef.report.console import console

    made = console(width=WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    with made.capture() as captured:
        made.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()).rstrip("\n")
