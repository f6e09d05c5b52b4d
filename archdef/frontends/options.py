"""What a caller may ask of a front end, and what a front end gives back."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from archdef import values
from archdef.errors import CompileError, nearest
from archdef.frontends.cxxtypes import CxxType
from archdef.frontends.signatures import Declared

REGISTERS = ("liveness", "ptxas")
"""Where the registers of a kernel can be counted."""


def _known_count(options: Options, field: attrs.Attribute, value: str) -> None:
    if not isinstance(value, str) or value not in REGISTERS:
        raise CompileError(f"registers must be 'liveness' or 'ptxas', got {values.shown(value)}{nearest(value, REGISTERS)}")


def _text(options: Options, field: attrs.Attribute, value: str) -> None:
    values.text(value, field.name, CompileError)


def _text_or_none(options: Options, field: attrs.Attribute, value: str | None) -> None:
    if value is not None:
        _text(options, field, value)


def _texts(name: str) -> Callable[[Any], tuple[str, ...]]:
    return lambda given: values.texts(given, name, CompileError)


def _named(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda given: values.mapping(given, name, CompileError)


def _folders(given: Any) -> tuple[str, ...]:
    if isinstance(given, (list, tuple)):
        given = tuple(str(path) if isinstance(path, os.PathLike) else path for path in given)
    return tuple(str(Path(path)) for path in values.texts(given, "include", CompileError))


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return values.texts((names,) if isinstance(names, str) else names, "name_expressions", CompileError)


@attrs.frozen
class Options:
    """Compiler options, the same for every front end that has a use for them."""

    target: str | None = attrs.field(default=None, validator=_text_or_none)
    """Virtual architecture to compile for (``compute_70``); None for the newest that suits `capability`."""
    capability: str = attrs.field(default="", validator=_text)
    """Compute capability of the machine (``9.0``); what is older than every target, or no number, means the oldest target."""
    defines: tuple[str, ...] = attrs.field(default=(), converter=_texts("defines"))
    """Macros, ``NAME`` or ``NAME=VALUE``."""
    include: tuple[str, ...] = attrs.field(default=(), converter=_folders)
    """Directories to search for headers, before the toolkit's own."""
    fused_multiply_add: bool = attrs.field(default=True, converter=lambda given: values.flag(given, "fused_multiply_add", CompileError))
    """False keeps ``a * b + c`` apart, for machines that have no fused form."""
    standard: str = attrs.field(default="c++17", validator=_text)
    """C++ standard."""
    extra: tuple[str, ...] = attrs.field(default=(), converter=_texts("extra"))
    """Further flags, passed on as they are."""
    compiler: str | None = attrs.field(default=None, validator=_text_or_none)
    """Name of the front end to use (``nvrtc``, ``nvcc`` …); None for the first that takes the source and is installed."""
    signature: Any = None
    """Types of a Python kernel's parameters, in the words of its own language; see the front end."""
    constants: Mapping[str, Any] = attrs.field(factory=dict, converter=_named("constants"))
    """Values of parameters that are fixed at compile time (Triton's ``constexpr``)."""
    settings: Mapping[str, Any] = attrs.field(factory=dict, converter=_named("settings"))
    """What only one front end knows, by name: ``num_warps`` for Triton, ``fastmath`` for Numba."""
    name_expressions: tuple[str, ...] = attrs.field(default=(), converter=_listed)
    """Instances of templates to make kernels of, besides those that the source makes: ``("reduce<512>", "ns::copy<float, 4>")``."""
    debug: bool = attrs.field(default=False, converter=lambda given: values.flag(given, "debug", CompileError))
    """Compile for debugging, as ``-G`` does: the front end's code without optimisation, lowered as it is written."""
    registers: str = attrs.field(default="liveness", validator=_known_count)
    """Who counts registers per thread: ``liveness``, which needs nothing, or ``ptxas``, which must be installed."""

    @property
    def plain(self) -> bool:
        """Whether the caller asked for nothing that could change the PTX; what the machine asks for does not count."""
        return attrs.evolve(self, registers="liveness", capability="") == Options(fused_multiply_add=self.fused_multiply_add)

    def changed(self, **changed) -> Options:
        """Change fields by name; a name that is no field becomes one of `settings`, which the front end judges."""
        fields = attrs.fields_dict(Options)
        settings = {name: value for name, value in changed.items() if name not in fields}
        known = {name: value for name, value in changed.items() if name in fields}
        if settings:
            known["settings"] = {**self.settings, **values.mapping(known.get("settings", {}), "settings", CompileError), **settings}
        return attrs.evolve(self, **known)

    def check_settings(self, front_end: str, known: Sequence[str], instances: bool = False) -> None:
        """Refuse settings that a front end does not know, and name expressions unless it makes `instances` of templates.

        Raises CompileError.
        """
        if self.name_expressions and not instances:
            raise CompileError(f"{front_end} makes no instances of templates by name, got name_expressions="
                               f"{list(self.name_expressions)!r}; instantiate them in the source")
        for name in self.settings:
            if name not in known:
                listed = f"it has {', '.join(known)}" if known else "it has none of its own"
                raise CompileError(f"{front_end} has no option {name!r}"
                                   f"{nearest(name, [*known, *attrs.fields_dict(Options)])}; {listed}")


@attrs.frozen
class Interface:
    """How to call a kernel whose PTX parameters are not the arguments that its author wrote."""

    name: str
    """The kernel's name as its author wrote it."""
    arguments: Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]] | None = None
    """``(arguments, PTX parameters) → one value for each parameter``; None: they are the same.
    Raises LaunchError if the arguments do not fit."""
    block: tuple[int, int, int] | None = None
    """The block, where compilation has fixed it; the kernel is then launched with a grid alone."""
    shared_bytes: int = 0
    """Dynamic shared memory that the kernel wants at every launch."""
    scratch_bytes: tuple[int, ...] = ()
    """Global memory for each block, which a launch gives to the PTX parameters behind those that its author wrote; 0 for a null pointer."""
    warp_size: int | None = None
    """Lanes of a warp that the code was generated for; None if it asks the machine, or does not care."""
    declared: tuple[Declared, ...] = ()
    """What its author declared the first PTX parameters as, where PTX and source do not say it."""


@attrs.frozen(repr=False)
class Compiled:
    """PTX text and where it is from."""

    ptx: str
    file: str
    """Name for messages: the PTX file, or the source file with ``.ptx``."""
    source: Path | None = None
    """The source file on disk, if there is one."""
    source_text: str | None = None
    """The source, to print lines of."""
    compiler: str = "PTX text"
    """Compiler and version, or how else the PTX was had."""
    log: str = ""
    """Warnings of the compiler."""
    interfaces: Mapping[str, Interface] = attrs.field(factory=dict)
    """Kernel symbol → how to call it, for kernels that are not called by their PTX parameters."""
    types: Callable[[Sequence[str]], Mapping[str, CxxType]] | None = attrs.field(default=None, eq=False, repr=False)
    """``names → types`` of variables as the source has them, where the compiler can be asked; it may leave names out."""
    instances: Mapping[str, str] = attrs.field(factory=dict)
    """Name expression → symbol, for `Options.name_expressions`."""
    again: Callable[[tuple[str, ...]], Compiled] | None = None
    """Compiles the same source once more, with these name expressions; None if the front end makes no instances of templates."""

    def __repr__(self) -> str:
        return f"<Compiled {values.cut(self.file)}: {len(self.ptx):,} characters of PTX from {values.cut(self.compiler, 100)}>"
