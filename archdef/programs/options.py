"""What `build` is told."""
from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from archdef import values
from archdef.errors import CompileError
from archdef.programs import languages

LINKED_SUFFIXES: Final = (".o", ".a", ".so")


def _are_texts(options: BuildOptions, field: attrs.Attribute[Any], given: Any) -> None:
    values.texts(given, field.name, CompileError)


def _is_a_choice(options: BuildOptions, field: attrs.Attribute[Any], given: Any) -> None:
    if given is not None and not isinstance(given, bool):
        raise CompileError(f"{field.name} must be True, False or None, got {values.shown(given)}")


def _matches(pattern: str, allowed: str) -> Callable[[Any, attrs.Attribute[Any], Any], None]:
    def check(options: BuildOptions, field: attrs.Attribute[Any], given: Any) -> None:
        if not isinstance(given, str) or not re.fullmatch(pattern, given):
            raise CompileError(f"{field.name} must be {allowed}, got {values.shown(given)}")
    return check


@attrs.frozen
class BuildOptions:
    """Options of the compilers, the same whichever they are."""

    include: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    defines: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    libraries: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    library_folders: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    standard: str = attrs.field(default="c++17", validator=_matches(r"(?:c|gnu)\+\+\w+", "a standard of C++ such as c++17"))
    optimise: str = attrs.field(default="2", validator=_matches(r"[0-3sg]|fast", "0 to 3, s, g or fast"))
    debug: bool = False
    """Line numbers for a debugger of the host."""
    fused_multiply_add: bool | None = attrs.field(default=None, validator=_is_a_choice)
    """Whether the compiler may make one instruction of ``a * b + c``; None: unless it is compiled for a machine that has none in single precision."""
    relocatable: bool = False
    """Whether functions and variables of the device may lie in other files."""
    compile_only: bool = False
    """Whether an object is made of one source, and nothing is linked."""
    shared: bool = False
    """Whether a shared library is made, and no program."""
    fast_math: bool = False
    """Whether devices may compute faster and less exactly, as by nvcc -use_fast_math."""
    host_flags: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    """For the host's compiler, as they are."""
    gpu_targets: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    """Compute capabilities to compile for where no machine is named: ``70``, ``90a``; of several the lowest that the compiler knows."""
    language: str = attrs.field(default="", converter=languages.known, validator=attrs.validators.instance_of(str))
    """Of all sources, whatever their suffixes; empty: as their suffixes and the headers say that they include."""


def sources_of(given: Sequence[str | os.PathLike[str]]) -> tuple[Path, ...]:
    """Check the files that a program is built of. Raises CompileError."""
    found = tuple(Path(each) for each in given)
    known = (*languages.SUFFIXES, *LINKED_SUFFIXES)
    for path in found:
        if path.suffix not in known:
            raise CompileError(f"{path}: a program is built of {', '.join(known)} files")
        if not path.is_file():
            raise CompileError(f"there is no file {path}")
    if not any(path.suffix in (*languages.SUFFIXES, ".o") for path in found):
        raise CompileError("nothing to build: no source file was given, and no object")
    return found
