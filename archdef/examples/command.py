"""What makes an example a command: machines to choose, tables of figures to print, an answer that must be numpy's.

An example is a Python file with a function that yields tables, ``tables(architectures)``, and ``main = command(tables, …)``.
"""
from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs
import click
from rich.console import Group
from rich.text import Text

from archdef import registry
from archdef.console import text
from archdef.errors import ArchdefError
from archdef.examples.comparison import Row, compare
from archdef.examples.workload import Workload
from archdef.options import arch_option, architectures, set_option
from archdef.spec import Architecture
from archdef.tables import Column, Kind
from archdef.tables import Table as Layout

__all__ = ["Table", "WrongAnswer", "command", "launches", "printed"]


class WrongAnswer(ArchdefError):
    """An example computed something else than numpy."""


def _texts(rows: Iterable[Iterable[object]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, row)) for row in rows)


@attrs.frozen
class Table:
    """Figures in columns; the first column is text, the others are numbers as text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = attrs.field(converter=_texts)
    notes: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    """What stands below the table: launches that were refused, and why."""

    def __rich__(self) -> Group:
        first, *others = self.columns
        table = Layout(Column(first, Kind.PROSE), *(Column(heading, Kind.NUMBER, part=number) for number, heading in enumerate(others)), rule=False)
        for row in self.rows:
            table.add(*row)
        below = Layout(Column("", Kind.PROSE), header=False)
        for note in self.notes:
            below.add(f"  {note}")
        return Group(Text(self.title), *([table] if self.rows else []), *([below] if self.notes else []))

    def __str__(self) -> str:
        return text(self)


def launches(workload: Workload, architecture: Architecture, size: int | None = None, kernels: Iterable[str] = (),
             **options: Any) -> tuple[list[Row], list[str]]:
    """Run a workload on one machine; give the rows that ran, and a line for each launch that was refused.

    options : further ones for `Device.compile`.

    Raises WrongAnswer if an output is not numpy's.
    """
    if options:
        workload = attrs.evolve(workload, options={**workload.options, **options})
    comparison = compare(workload, [architecture], size, kernels)
    for row in comparison.rows:
        if row.run and not row.correct:
            raise WrongAnswer(f"{row.case.kernel} on {architecture.label} is wrong by {row.error:.3g} of the largest value")
    return ([row for row in comparison.rows if row.run],
            [f"{row.case.kernel} refused: {_first_line(row.failure)}" for row in comparison.rows if not row.run])


def _first_line(failure: str) -> str:
    """Leave out the line of PTX below it, and the folders of files."""
    return re.sub(r"\S*/(?=[^/\s]+:\d)", "", failure.partition("\n")[0])


def printed(tables: Iterable[Any]) -> Iterator[str]:
    """Give the text of tables, with an empty line between two."""
    for k, table in enumerate(tables):
        yield f"\n{table}" if k else str(table)


def command(tables: Callable[[list[Any]], Iterable[Any]], machines: tuple[str, ...]) -> click.Command:
    """Make a command that prints `tables` (or whatever else prints) of the machines asked for, or of those of `machines` that are installed.

    Its help is the first paragraph of the docstring of the module that defines `tables`.
    """
    @click.command(help=(inspect.getmodule(tables).__doc__ or "").partition("\n\n")[0])
    @arch_option
    @set_option
    def run(names: tuple[str, ...], settings: dict[str, str]) -> None:
        chosen = names or tuple(name for name in machines if name in registry.names())
        try:
            for text in printed(tables(architectures(chosen, settings))):
                click.echo(text)
        except ArchdefError as error:
            raise click.ClickException(str(error)) from error

    return run
