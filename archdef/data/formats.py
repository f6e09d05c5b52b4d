"""Files of frames: CSV, JSON, Arrow and Parquet."""
from __future__ import annotations

import csv
import importlib
import io
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from archdef.errors import ArchdefError, MissingExtra
from archdef.files.atomic import write_bytes
from archdef.values import printable

if TYPE_CHECKING:
    from archdef.data.frame import Frame


class DataError(ArchdefError):
    """A view, or a kind of file, that there is not."""


def arrow(module: str = "") -> Any:
    """Give pyarrow, or a module of it. Raises MissingExtra without."""
    try:
        return importlib.import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError:
        raise MissingExtra("Arrow or Parquet", "pyarrow", "arrow") from None


def checked(path: str | os.PathLike[str]) -> str:
    """Give the kind of a file that is to be written. Raises DataError for another, MissingExtra if it needs pyarrow and that is not there."""
    kind = Path(path).suffix
    if kind not in FORMATS:
        *most, last = FORMATS
        raise DataError(f"{printable(str(path))}: data are {', '.join(most)} or {last} files")
    if kind in (".arrow", ".parquet"):
        arrow()
    return kind


def write(frame: Frame, path: str | os.PathLike[str], kind: str) -> Path:
    """Write a frame as a kind of file, as a whole or not at all."""
    write_bytes(path, FORMATS[kind](frame))
    return Path(path)


def _csv(frame: Frame) -> bytes:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(frame.values)
    flags = {True: "true", False: "false"}
    writer.writerows([flags[value] if isinstance(value, bool) else value for value in row] for row in frame.rows())
    return lines.getvalue().encode()


def _json(frame: Frame) -> bytes:
    found = frame.to_dict()
    found["rows"] = [[None if isinstance(value, float) and math.isinf(value) else value for value in row] for row in found["rows"]]
    return (json.dumps(found, indent=1, allow_nan=False) + "\n").encode()


def _arrow(frame: Frame) -> bytes:
    table, sink = frame.to_arrow(), io.BytesIO()
    with arrow("ipc").new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _parquet(frame: Frame) -> bytes:
    sink = io.BytesIO()
    arrow("parquet").write_table(frame.to_arrow(), sink)
    return sink.getvalue()


FORMATS: dict[str, Callable[[Frame], bytes]] = {".csv": _csv, ".json": _json, ".arrow": _arrow, ".parquet": _parquet}
"""How the name of a file ends → what makes it."""
