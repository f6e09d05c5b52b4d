"""Consoles that show texts as they are: no markup in them is obeyed, what would control the terminal is an escape, and no line ends in blanks.

Names, titles, messages and source lines come from plugins, files and kernels: none of them may style, hide or break what is printed.
"""
from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from archdef.values import printable

UNLIMITED = 100_000
"""Columns of what goes to a pipe or a file: nothing has to be left out, wrapped or shortened there."""
_UNKNOWN = 80
"""Columns of a terminal that does not say how many it has."""


def width(stream: TextIO | None = None) -> int:
    """Give the columns there are: those of the variable ``COLUMNS``, else of the terminal that `stream` is; `UNLIMITED` if it is none.

    stream : standard output if None.
    """
    stream = sys.stdout if stream is None else stream
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    if not stream.isatty():
        return UNLIMITED
    try:
        return os.get_terminal_size(stream.fileno()).columns or _UNKNOWN
    except (OSError, ValueError):       # a stream that only says that it is a terminal
        return _UNKNOWN


class _Printable:
    """A renderable whose texts hold no control characters, and whose lines end in no blanks."""

    def __init__(self, inner: Any):
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return _stripped(segment if segment.control else Segment(printable(segment.text), segment.style) for segment in console.render(self.inner, options))


def _stripped(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Leave out blanks at the ends of lines."""
    blanks: list[Segment] = []
    for segment in segments:
        if segment.control:
            yield segment
            continue
        for line in segment.text.splitlines(keepends=True):
            text = line.rstrip(" \n")
            if text:
                yield from blanks
                blanks = []
                yield Segment(text, segment.style)
            if line.endswith("\n"):
                blanks = []
                yield Segment.line()
            elif len(text) < len(line):
                blanks.append(Segment(line[len(text):], segment.style))


class _Escape(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(renderable) for renderable in renderables]


def console(**options: Any) -> Console:
    """Make a console; `options` are those of `rich.console.Console`."""
    made = Console(markup=False, emoji=False, highlight=False, **options)
    made.push_render_hook(_Escape())
    return made


def text(renderable: Any, columns: int | None = None) -> str:
    """Render a rich object to plain text, for so many columns; if None, for those that `width` says standard output has."""
    made = console(width=columns or width(), color_system=None, force_terminal=False, legacy_windows=False)
    with made.capture() as captured:
        made.print(renderable)
    return captured.get().rstrip("\n")
