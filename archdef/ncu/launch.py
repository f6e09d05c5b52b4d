"""A launch as Nsight Compute measured it."""
from __future__ import annotations

import re

import attrs

from archdef.errors import ArchdefError
from archdef.run.names import readable
from archdef.values import cut


class NcuError(ArchdefError):
    """An export that cannot be read, or that has nothing of what ran."""


@attrs.frozen
class Measured:
    """One metric of a launch."""

    value: float | None
    """In `unit`; None if it is no number, or was not measured."""
    unit: str
    """A unit without prefix: ``byte``, ``s``, ``hz``, ``inst``, ``byte/s``, ``%`` …; empty: none."""
    text: str
    """As the export has it."""


@attrs.frozen(eq=False, repr=False)
class Launch:
    """A launch of a kernel, and what was measured of it."""

    id: str
    """Number of the launch in the export."""
    kernel: str
    """Its name as the export has it: with parameters, mangled, or the name alone."""
    grid: tuple[int, int, int] | None
    """Blocks; None: an old export does not say."""
    block: tuple[int, int, int] | None
    """Threads of a block."""
    capability: str
    """Compute capability of the GPU, ``9.0``; empty: an old export does not say."""
    metrics: dict[str, Measured]
    """Name → what was measured; names of Nsight Compute's metrics, of the details page its labels where they stand for none that is known."""

    @property
    def name(self) -> str:
        """The kernel's name without parameters, arguments of a template, and namespaces that have no name."""
        return plain_name(self.kernel)[0]

    @property
    def shape(self) -> str:
        """Grid and block."""
        return f"{self.grid or '?'} x {self.block or '?'}"

    def __repr__(self) -> str:
        return f"<Launch {self.id} of {cut(self.kernel)} {self.shape}: {len(self.metrics):,} metrics>"


def plain_name(kernel: str) -> tuple[str, str | None]:
    """Give the name of a kernel, and the arguments of its template in one spelling; None if it has none, or does not show them."""
    name = readable(kernel) if kernel.startswith("_Z") else kernel.strip()
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", name)
    bare, arguments = _without_arguments(name)
    return bare.split()[-1] if bare.split() else name, arguments


def _without_arguments(name: str) -> tuple[str, str | None]:
    """Cut parameters off, ``<…>`` out."""
    depth, begin, found = 0, 0, None
    for place, character in enumerate(name):
        if character == "<":
            begin = place if not depth else begin
            depth += 1
        elif character == ">":
            depth -= 1
            if not depth:
                found = name[begin + 1:place]
        elif character == "(" and not depth:
            return (name[:begin] if found is not None else name[:place]), _spelled(found)
    return (name[:begin] if found is not None else name), _spelled(found)


def _spelled(arguments: str | None) -> str | None:
    """Spell arguments of a template alike: without casts such as ``(int)``, suffixes of numbers, and blanks."""
    if arguments is None:
        return None
    bare = re.sub(r"\((?:unsigned |signed )?(?:int|long|long long|short|char|bool|unsigned)\)", "", arguments)
    bare = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", re.sub(r"\s+", "", bare))
    return re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", bare))
