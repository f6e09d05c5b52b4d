"""What `build` is told."""
from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from archdef import values
from archdef.errors import CompileError

DEVICE_SUFFIXES: Final = (".cu", ".maca")
HOST_SUFFIXES: Final = (".cpp", ".cc", ".cxx", ".c")
LINKED_SUFFIXES: Final = (".o", ".a", ".so")


def _texts(name: str):
    return lambda given: values.texts(given, name, CompileError)


@attrs.frozen
class BuildOptions:
    """Options of the compilers, the same whichever they are."""

    include: tuple[str, ...] = attrs.field(default=(), converter=_texts("include"))
    defines: tuple[str, ...] = attrs.field(default=(), converter=_texts("defines"))
    libraries: tuple[str, ...] = attrs.field(default=(), converter=_texts("libraries"))
    library_folders: tuple[str, ...] = attrs.field(default=(), converter=_texts("library_folders"))
    standard: str = "c++17"
    optimise: str = "2"
    debug: bool = False
    """Line numbers for a debugger of the host."""
    host_flags: tuple[str, ...] = attrs.field(default=(), converter=_texts("host_flags"))
    """For the host's compiler, as they are."""


def sources_of(given: Sequence[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """Check the files that a program is built of. Raises CompileError."""
    found = tuple(Path(each) for each in given)
    known = (*DEVICE_SUFFIXES, *HOST_SUFFIXES, *LINKED_SUFFIXES)
    for path in found:
        if path.suffix not in known:
            raise CompileError(f"{path}: a program is built of {', '.join(known)} files")
        if not path.is_file():
            raise CompileError(f"there is no file {path}")
    if not any(path.suffix in (*DEVICE_SUFFIXES, *HOST_SUFFIXES) for path in found):
        raise CompileError("nothing to build: no source file was given")
    return found
