"""Consoles that show texts as they are: no markup in them is obeyed, and what would control the terminal is an escape.

Names, titles, messages and source lines come from plugins, files and kernels: none of them may style, hide or break what is printed.
"""
from __future__ import annotations

from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from archdef.values import printable

WIDTH = 120
"""Columns of text that goes to no terminal."""


class _Printable:
    """A renderable whose texts hold no control characters."""

    def __init__(self, inner: Any):
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.inner, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


class _Escape(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(renderable) for renderable in renderables]


def console(**options: Any) -> Console:
    """Make a console; `options` are those of `rich.console.Console`."""
    made = Console(markup=False, emoji=False, highlight=False, **options)
    made.push_render_hook(_Escape())
    return made


def text(renderable: Any) -> str:
    """Render a rich object to plain text."""
    made = console(width=WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    with made.capture() as captured:
        made.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()).rstrip("\n")
