"""Calls of the device runtime that failed in a kernel, and whose answer it did not look at."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from archdef.run.children import ERRORS, UNKNOWN

if TYPE_CHECKING:
    from archdef.lower.program import Program


@attrs.frozen
class IgnoredFailure:
    """Calls that failed alike."""

    error: int
    """CUDA's number."""
    name: str
    """Its name."""
    about: str
    """What it says."""
    count: int
    """How many calls failed so."""
    file: str
    line: int
    """Source line of the first, or of the PTX where the compiler left no line table."""

    def __str__(self) -> str:
        calls = "1 call" if self.count == 1 else f"{self.count:,} calls"
        return (f"{calls} of the device runtime failed with {self.name} ({self.about}) and the kernel did not look: first at "
                f"{self.file}:{self.line}")


def ignored(found: list[tuple[int, int, int, int]], programs: Sequence[Program]) -> tuple[IgnoredFailure, ...]:
    """Say where they were: of each ``(error, count, kernel, statement)``, as the engine gives them; `programs` are those of the kernels."""
    made = []
    for error, count, kernel, statement in found:
        name, about = ERRORS.get(error, UNKNOWN)
        program = programs[kernel]
        where = program.statements[statement]
        source = (where.file, where.source_line) if where.file and where.source_line is not None else (program.file, where.line)
        made.append(IgnoredFailure(error, name, about, count, *source))
    return tuple(made)
