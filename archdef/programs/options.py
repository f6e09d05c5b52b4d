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
from archdef.exec import recorded
from archdef.programs import languages

_OF_PTXAS: Final = re.compile(
    r"--?(?:maxrregcount|dlcm|dscm|def-load-cache|def-store-cache|v|verbose|O|opt-level|O[0-4]|allow-expensive-optimizations|(?:disable|suppress)-\w[\w-]*|"
    r"w|disable-warnings|warn-\w[\w-]*|Werror|warning-as-error|g|device-debug|lineinfo|generate-line-info|preserve-relocs|c|compile-only|split-compile)")
"""Those that have an effect here, and those that do not change what a program computes, and not how its memory is used."""
LINKED_SUFFIXES: Final = (".o", ".a", ".so")


def _are_texts(options: BuildOptions, field: attrs.Attribute[Any], given: Any) -> None:
    values.texts(given, field.name, CompileError)


def _is_a_choice(options: BuildOptions, field: attrs.Attribute[Any], given: Any) -> None:
    if given is not None and not isinstance(given, bool):
        raise CompileError(f"{field.name} must be True, False or None, got {values.shown(given)}")


def _is_a_limit(options: BuildOptions, field: attrs.Attribute[Any], given: Any) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise CompileError(f"{field.name} must be a number of registers, got {values.shown(given)}")


def _are_for_ptxas(options: BuildOptions, field: attrs.Attribute[Any], given: Any) -> None:
    values.texts(given, field.name, CompileError)
    for name, value in recorded.effective(list(given)).items():
        known = recorded.CACHED.get(name, ())
        if value not in known and (known or not value.isdecimal()):
            raise CompileError(f"ptxas takes -{name}={' or '.join(known) or 'NUMBER'}, got {values.shown(value)}")
    words = (word.partition("=")[0] for word in given)
    if strange := [word for word in words if word.startswith("-") and not _OF_PTXAS.fullmatch(word)]:
        raise CompileError(f"{strange[0]}: what this option of ptxas's changes is not known here; -maxrregcount, -dlcm and -dscm have an effect, and "
                           "those that say how hard it tries and what it tells have none")


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
    """Whether devices may compute faster and less exactly, as by nvcc -use_fast_math; the next three, and `fused_multiply_add`, are said apart."""
    flush_to_zero: bool | None = attrs.field(default=None, validator=_is_a_choice)
    """Whether subnormal numbers of single precision are zero; None: if `fast_math`."""
    precise_division: bool | None = attrs.field(default=None, validator=_is_a_choice)
    """Whether quotients and reciprocals of single precision are rounded as IEEE 754 has it; None: unless `fast_math`."""
    precise_roots: bool | None = attrs.field(default=None, validator=_is_a_choice)
    """Whether square roots of single precision are; None: unless `fast_math`."""
    restrict: bool = False
    """Whether no two pointers among a kernel's parameters lead to the same memory."""
    max_registers: int = attrs.field(default=0, validator=_is_a_limit)
    """Registers that a thread may take at most, where kernels do not say it themselves (``__launch_bounds__``); 0: as many as the machine has."""
    assembler: Sequence[str] = attrs.field(default=(), validator=_are_for_ptxas)
    """Options of ptxas, which makes machine code; of those that nvcc's users give, caches of loads and stores have an effect (``-dlcm=cg``)."""
    archive: bool = False
    """Whether a library of objects is made, and nothing is linked."""
    device_link: bool = False
    """Whether the object is made by which device code of several objects is one, for whoever links them (nvcc -dlink)."""
    resource_usage: bool = False
    """Whether notes say what kernels take of the machine, as ptxas -v does."""
    code: str = attrs.field(default="", validator=_matches(r"|ptx|fatbin", "ptx or fatbin"))
    """What is written of one source in place of a program: the device's code alone, as PTX or as a fat binary."""
    host_flags: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    """For the host's compiler, as they are."""
    gpu_targets: Sequence[str] = attrs.field(default=(), validator=_are_texts)
    """Compute capabilities to compile for where no machine is named: ``70``, ``90a``; of several the lowest that the compiler knows."""
    host_compiler: str = ""
    """A compiler of the host, or its folder; empty: the one that the variable CXX names, or g++."""
    language: str = attrs.field(default="", converter=languages.known, validator=attrs.validators.instance_of(str))
    """Of all sources, whatever their suffixes; empty: as their suffixes and the headers say that they include."""

    @property
    def of_one(self) -> str:
        """What is made of a single source; empty for what is made of any number."""
        return {"": "object" if self.compile_only else "", "ptx": "PTX file", "fatbin": "fat binary"}[self.code]

    @property
    def is_program(self) -> bool:
        """Whether it is one that can be started."""
        return not (self.of_one or self.shared or self.archive or self.device_link)

    @property
    def for_devices(self) -> list[str]:
        """Options of nvcc and NVRTC about the numbers that devices compute; what is said of one thing alone comes last, since it counts."""
        apart = {"ftz": self.flush_to_zero, "prec-div": self.precise_division, "prec-sqrt": self.precise_roots}
        return [*(["--use_fast_math"] if self.fast_math else []), *(["--restrict"] if self.restrict else []),
                *(f"--{name}={str(asked).lower()}" for name, asked in apart.items() if asked is not None)]

    @property
    def for_ptxas(self) -> str:
        """Options that the program records for who makes machine code of its PTX, as nvcc writes them."""
        words = [f"-{name}={value}" for name, value in recorded.effective(list(self.assembler)).items()]
        return " ".join([*words, *([f"-maxrregcount={self.max_registers}"] if self.max_registers else [])])


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
