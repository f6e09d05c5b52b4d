"""A view of results: columns of plain values, which become a table of pandas or Arrow, or a file."""
from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from archdef.data import formats
from archdef.data.view import Column, Row, View
from archdef.errors import MissingExtra

if TYPE_CHECKING:
    import pandas
    import pyarrow

_PANDAS = {"int64": "Int64", "float64": "Float64", "bool": "boolean", "string": "string"}
"""Types of pandas that tell a missing value from every other."""


@attrs.frozen(eq=False, repr=False)
class Frame:
    """The rows of a view. What is missing is None, in files null or, in CSV, nothing."""

    view: View
    values: dict[str, list[Any]]
    """Column → its values."""
    about: dict[str, str]
    """What the table is of: archdef's version, architecture, kernel, launch … Arrow, Parquet and JSON files keep it."""

    @classmethod
    def of(cls, view: View, rows: Iterable[Row], about: Mapping[str, str]) -> Frame:
        """Take the rows of a view."""
        taken = list(rows)
        assert all(len(row) == len(view.columns) for row in taken), f"a row of the view {view.name} has {len(view.columns)} columns"
        values = {column.name: [_plain(row[k], column) for row in taken] for k, column in enumerate(view.columns)}
        return cls(view, values, {"archdef.view": view.name, "archdef.about": view.about, **about})

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type, unit and meaning of each column."""
        return self.view.columns

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    def __repr__(self) -> str:
        return f"<Frame {self.view.name}: {len(self):,} rows of {len(self.columns)} columns>"

    def rows(self) -> Iterable[Row]:
        """Give the rows as tuples."""
        return zip(*self.values.values(), strict=True)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON: what the table is of, its columns, and a list for each row."""
        return {"format": "archdef.data", "version": 1, "about": self.about, "columns": [attrs.asdict(column) for column in self.columns],
                "rows": [list(row) for row in self.rows()]}

    def to_arrow(self) -> pyarrow.Table:
        """Give a table of Arrow; units and meanings are metadata of its fields, `about` that of its schema.

        Raises MissingExtra without pyarrow.
        """
        arrow = formats.arrow()
        types = {"int64": arrow.int64(), "float64": arrow.float64(), "bool": arrow.bool_(), "string": arrow.string()}
        fields = [arrow.field(column.name, types[column.dtype], metadata={"unit": column.unit, "description": column.meaning}) for column in self.columns]
        return arrow.table(list(self.values.values()), schema=arrow.schema(fields, metadata=self.about))

    def to_pandas(self) -> pandas.DataFrame:
        """Give a DataFrame of nullable types; `attrs` of it has `about`.

        Raises MissingExtra without pandas.
        """
        try:
            import pandas
        except ImportError:
            raise MissingExtra("a DataFrame", "pandas", "pandas") from None
        found = pandas.DataFrame({column.name: pandas.array(self.values[column.name], dtype=_PANDAS[column.dtype]) for column in self.columns})
        found.attrs.update(self.about)
        return found

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write a CSV file, as a whole or not at all: a line of names, then the rows."""
        return formats.write(self, path, ".csv")

    def to_json(self, path: str | os.PathLike[str]) -> Path:
        """Write what `to_dict` gives, as a whole or not at all."""
        return formats.write(self, path, ".json")

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Write a Parquet file, as a whole or not at all. Raises MissingExtra without pyarrow."""
        return formats.write(self, path, ".parquet")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file of the kind that its name says: ``.csv``, ``.json``, ``.arrow`` (Arrow's IPC format) or ``.parquet``.

        Raises DataError for another kind, MissingExtra without pyarrow.
        """
        return formats.write(self, path, formats.checked(path))


def _plain(value: Any, column: Column) -> Any:
    """Give a value of the column's type, or None where it is missing."""
    if hasattr(value, "item"):
        value = value.item()
    if value is None or value == "":
        return None
    if column.dtype == "float64":
        number = float(value)
        return None if math.isnan(number) else number
    if column.dtype == "string":
        return str(value).encode(errors="replace").decode()
    assert type(value) is (int if column.dtype == "int64" else bool), f"{column.name} is {column.dtype}, got {value!r}"
    return value
