"""What a caller may ask of a front end's compiler."""
from __future__ import annotations

from pathlib import Path

import attrs


@attrs.frozen
class Options:
    """Compiler options, the same for every front end that has a use for them."""

    target: str | None = None
    """Virtual architecture to compile for (``compute_70``); None for the oldest that the compiler knows."""
    defines: tuple[str, ...] = ()
    """Macros, ``NAME`` or ``NAME=VALUE``."""
    include: tuple[str, ...] = attrs.field(default=(), converter=lambda paths: tuple(str(Path(p)) for p in paths))
    """Directories to search for headers, before the toolkit's own."""
    fused_multiply_add: bool = True
    """False keeps ``a * b + c`` apart, for machines that have no fused form."""
    standard: str = "c++17"
    """C++ standard."""
    extra: tuple[str, ...] = ()
    """Further flags, passed on as they are."""

    @property
    def plain(self) -> bool:
        """Whether nothing but `fused_multiply_add` differs from the defaults."""
        return self == Options(fused_multiply_add=self.fused_multiply_add)


@attrs.frozen
class Compiled:
    """PTX text and where it is from."""

    ptx: str
    file: str
    """Name for messages: the PTX file, or the source file with ``.ptx``."""
    source: Path | None = None
    """The CUDA source file on disk, if there is one."""
    source_text: str | None = None
    """The CUDA source, to print lines of."""
    compiler: str = "PTX text"
    """Compiler and version, or how else the PTX was had."""
    log: str = ""
    """Warnings of the compiler."""
