"""The lines of sources that a program's line tables name, where the sources are at hand."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from archdef.exec.account import Account
    from archdef.run.result import Run

SUFFIXES: Final = frozenset((".cu", ".cuh", ".maca", ".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".inc", ".ipp", ".tcc", ".py"))
"""Of files that are read: a program may name any."""
MOST_BYTES: Final = 1 << 22


def with_sources(found: Account, program: Path, folders: Iterable[Path]) -> Account:
    """Give an account whose launches have the lines of their sources, for listings and reports.

    program : what was run; a source that is newer than it is not what it was made of, and left out.
    folders : where names without a folder are looked up.
    """
    try:
        made = program.stat().st_mtime
    except OSError:         # found on the PATH, or gone since
        return found
    places = tuple(dict.fromkeys(folders))
    kernels = tuple(each if each.longest is None else attrs.evolve(each, longest=_listed(each.longest, made, places)) for each in found.kernels)
    return attrs.evolve(found, kernels=kernels)


def _listed(run: Run, made: float, folders: Sequence[Path]) -> Run:
    names = {run.place(statement)[0] for statement in run.program.statements} - run.sources.keys()
    texts = {name: lines for name in names if Path(name).suffix in SUFFIXES and (lines := _lines(name, made, folders)) is not None}
    return attrs.evolve(run, sources=run.sources | texts) if texts else run


def _lines(name: str, made: float, folders: Sequence[Path]) -> tuple[str, ...] | None:
    for path in ([Path(name)] if Path(name).is_absolute() else [folder / name for folder in folders]):
        try:
            about = path.stat()
            if path.is_file() and about.st_mtime <= made and about.st_size <= MOST_BYTES:
                return tuple(path.read_text(encoding="utf-8").splitlines())
        except (OSError, ValueError):       # not there, not to be read, no text
            continue
    return None
