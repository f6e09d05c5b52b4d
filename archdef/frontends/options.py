"""What a caller may ask of a front end, and what a front end gives back."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from archdef.errors import CompileError, nearest

REGISTERS = ("liveness", "ptxas")
"""Where the registers of a kernel can be counted."""


def _known_count(options: Options, field: attrs.Attribute, value: str) -> None:
    if value not in REGISTERS:
        raise CompileError(f"registers must be 'liveness' or 'ptxas', got {value!r}{nearest(str(value), REGISTERS)}")


@attrs.frozen
class Options:
    """Compiler options, the same for every front end that has a use for them."""

    target: str | None = None
    """Virtual architecture to compile for (``compute_70``); None for the newest that suits `capability`."""
    capability: str = ""
    """Compute capability of the machine (``9.0``); what is older than every target, or no number, means the oldest target."""
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
    compiler: str | None = None
    """Name of the front end to use (``nvrtc``, ``nvcc`` …); None for the first that takes the source and is installed."""
    signature: Any = None
    """Types of a Python kernel's parameters, in the words of its own language; see the front end."""
    constants: Mapping[str, Any] = attrs.field(factory=dict, converter=dict)
    """Values of parameters that are fixed at compile time (Triton's ``constexpr``)."""
    settings: Mapping[str, Any] = attrs.field(factory=dict, converter=dict)
    """What only one front end knows, by name: ``num_warps`` for Triton, ``fastmath`` for Numba."""
    debug: bool = False
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
            known["settings"] = {**self.settings, **known.get("settings", {}), **settings}
        return attrs.evolve(self, **known)

    def check_settings(self, front_end: str, known: Sequence[str]) -> None:
        """Refuse settings that a front end does not know. Raises CompileError."""
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
    warp_size: int | None = None
    """Lanes of a warp that the code was generated for; None if it asks the machine, or does not care."""


@attrs.frozen
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
