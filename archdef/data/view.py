"""What a view is: a table with named columns, each of which has a type, a unit and a meaning."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import attrs

Row: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = Callable[[Sequence[Any]], Iterable[Row]]
DTYPES = ("int64", "float64", "bool", "string")


@attrs.frozen
class Column:
    """One column of a view; any of them may lack a value in some rows."""

    name: str
    """Lower case with underscores; a quantity that has a unit has it in its name."""
    dtype: str
    """``int64``, ``float64``, ``bool`` or ``string``."""
    meaning: str
    """In one line."""
    unit: str = ""
    """``cycles``, ``bytes``, ``s``, ``%`` …; empty: a count, a name, or as another column says."""


@attrs.frozen
class View:
    """A kind of table, the same for every result of a kind."""

    name: str
    about: str
    """What a row is, in one line."""
    columns: tuple[Column, ...]
    rows: Rows = attrs.field(repr=False)
    """Gives the rows of a sequence of results."""


def text(name: str, meaning: str) -> Column:
    """Describe a column of texts; an empty one is missing."""
    return Column(name, "string", meaning)


def whole(name: str, meaning: str, unit: str = "") -> Column:
    """Describe a column of whole numbers."""
    return Column(name, "int64", meaning, unit)


def real(name: str, meaning: str, unit: str = "") -> Column:
    """Describe a column of numbers."""
    return Column(name, "float64", meaning, unit)


def flag(name: str, meaning: str) -> Column:
    """Describe a column of yes and no."""
    return Column(name, "bool", meaning)


def view(name: str, about: str, *columns: Column) -> Callable[[Rows], View]:
    """Make a `View` of the function that gives its rows."""
    return lambda rows: View(name, about, columns, rows)
