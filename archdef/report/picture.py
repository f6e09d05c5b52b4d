"""Pictures by matplotlib: a figure for a file, and the file as a whole or not at all."""
from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from archdef.errors import ArchdefError, MissingExtra
from archdef.files.atomic import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png", ".pdf")


def check_suffix(path: str | os.PathLike[str], refuse: type[ArchdefError] = ArchdefError) -> Path:
    """Give the path of a picture. Raises `refuse` unless it names one of `SUFFIXES`."""
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise refuse(f"{path}: plots are {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} files")
    return path


def figure_type() -> type[Figure]:
    """Give matplotlib's figure. Raises MissingExtra without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("a plot", "matplotlib", "plot") from None
    figure: type[Figure] = Figure
    return figure


@contextmanager
def picture(path: Path, inches: tuple[float, float]) -> Iterator[Figure]:
    """Give an empty figure to draw in; it is written when the block ends well. Raises MissingExtra without matplotlib."""
    figure = figure_type()(figsize=inches, layout="constrained")
    yield figure
    data = io.BytesIO()
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}        # left out: the same picture is the same file
    figure.savefig(data, format=path.suffix[1:], dpi=120, metadata=dated.get(path.suffix))
    write_bytes(path, data.getvalue())
