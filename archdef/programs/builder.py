"""Builds a program: each source by the compilers there are, then one link."""
from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from archdef import registry
from archdef.errors import CompileError
from archdef.files.atomic import write_bytes
from archdef.frontends import nvcc, nvrtc
from archdef.frontends import options as front_end
from archdef.frontends import source as sources
from archdef.programs import linking, translating, with_nvcc
from archdef.programs import maca as language
from archdef.programs.options import DEVICE_SUFFIXES, HOST_SUFFIXES, BuildOptions, sources_of

if TYPE_CHECKING:
    from archdef.spec import Architecture

COMPILERS = ("nvcc", "nvrtc")
_FMA = "fp32_fma"


@attrs.frozen
class Built:
    """A program that was built."""

    program: str
    compiler: str
    """What made the device's code, and with which compiler of the host."""
    target: str
    """Virtual architecture of its PTX: ``compute_70``."""
    kernels: tuple[str, ...]
    """Names in PTX; empty where nvcc made them."""
    notes: tuple[str, ...]
    """What is worth knowing: a machine that is older than the oldest target, warnings."""

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as plain data."""
        return attrs.asdict(self)


@attrs.frozen
class Plan:
    """How a program is built: what is the same for two machines builds the same program."""

    files: tuple[Path, ...]
    chain: Any
    """The compiler of device code."""
    by_nvcc: bool
    target: str
    """Virtual architecture of the PTX."""
    settings: BuildOptions
    notes: tuple[str, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """What differs between plans for the same files and options."""
        return self.target, self.settings.fused_multiply_add is not False

    def build(self, program: str | os.PathLike[str]) -> Built:
        """Write the program. Raises CompileError, Unsupported."""
        notes = self.notes
        with tempfile.TemporaryDirectory(prefix="archdef-build-") as base:
            made = Path(base) / "program"
            if self.by_nvcc:
                host, kernels = "", tuple[str, ...]()
                notes += with_nvcc.build(self.chain, self.target, self.files, made, self.settings)
            else:
                host, kernels, warnings = _by_nvrtc(self.chain, self.target, self.files, made, self.settings)
                notes += warnings
            write_bytes(program, made.read_bytes(), executable=True)
        return Built(str(program), f"{self.chain}{host}", self.target, tuple(kernels), tuple(notes))


def build(files: Sequence[str | os.PathLike[str]], program: str | os.PathLike[str], architecture: str | Architecture | None = None,
          compiler: str | None = None, **options: Any) -> Built:
    """Build a program that `archdef.exec.run` runs.

    files        : ``.cu`` and ``.maca`` files, C++ and C files, objects and libraries.
    program      : the executable to write.
    architecture : a machine to compile for; None: the oldest that the compiler knows, whose PTX all others run.
    compiler     : ``nvcc``, or ``nvrtc`` with a compiler of the host; None: nvcc if it is on the PATH.
    options      : fields of `archdef.programs.options.BuildOptions`: include, defines, libraries …

    Raises CompileError, Unsupported for what only CUDA's own compiler translates, MissingExtra.
    """
    return plan(files, architecture, compiler, **options).build(program)


def plan(files: Sequence[str | os.PathLike[str]], architecture: str | Architecture | None = None, compiler: str | None = None, **options: Any) -> Plan:
    """Say how `build` would, without doing it; its parameters, and its errors as far as they can be known before."""
    found = sources_of(files)
    settings = _options(options)
    if compiler not in (None, *COMPILERS):
        raise CompileError(f"programs are built by {' or '.join(COMPILERS)}, got {compiler!r}")
    capability, label = "", ""
    if architecture is not None:
        described = registry.described(architecture)
        capability, label = described.compute_capability, described.label
        if settings.fused_multiply_add is None:
            settings = attrs.evolve(settings, fused_multiply_add=_FMA in described.isa.features)
    maca = any(path.suffix == ".maca" for path in found)
    chain: Any = nvcc.toolchain() if compiler == "nvcc" or (compiler is None and not maca) else None
    if compiler == "nvcc" and (chain is None or maca):
        raise CompileError("nvcc does not compile .maca files" if maca else nvcc.INSTALL)
    by_nvcc = chain is not None
    if chain is None:
        chain = nvrtc.toolchain()
    if chain is None:
        raise CompileError(nvrtc.absent())
    target = (language.target(str(chain), capability) if maca else
              sources.target(str(chain), chain.targets, front_end.Options(capability=capability)))
    return Plan(found, chain, by_nvcc, target, settings, _limit(label, capability, chain, maca))


def _options(given: dict[str, Any]) -> BuildOptions:
    known = attrs.fields_dict(BuildOptions)
    for name in given:
        if name not in known:
            raise CompileError(f"build has no option {name!r}; it has {', '.join(known)}")
    return BuildOptions(**given)


def _limit(label: str, capability: str, chain: Any, maca: bool) -> tuple[str, ...]:
    oldest = min(chain.targets)
    digits = capability.replace(".", "")
    if not label or (digits.isdigit() and int(digits) >= oldest) or (maca and not digits.isdigit()):
        return ()
    what = f"compute capability {capability}" if digits.isdigit() else "no compute capability"
    return (f"{label} has {what}, and {chain} compiles for compute_{oldest} at least: what the machine lacks is refused when a kernel is launched",)


def host_compiler() -> str:
    """Give the compiler of the host: the one named in CXX, or g++. Raises CompileError."""
    for name in (os.environ.get("CXX"), "g++"):
        if name and (path := shutil.which(name)):
            return path
    raise CompileError("there is no compiler for the host: install g++ (Debian, Ubuntu: apt install g++), or name one in the variable CXX")


def _by_nvrtc(chain: nvrtc.Toolchain, target: str, files: Sequence[Path], made: Path, options: BuildOptions) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    compiler, folder = host_compiler(), made.parent
    kernels: list[str] = []
    warnings: list[str] = []
    objects = []
    for number, path in enumerate(files):
        out = folder / f"{number}.o"
        if path.suffix in DEVICE_SUFFIXES:
            unit = translating.compile_unit(path, out, chain, target, compiler, options)
            kernels += unit.kernels
            warnings += unit.warnings
        elif path.suffix in HOST_SUFFIXES:
            translating.compile_host(path, out, chain, compiler, options)
        else:
            out = path
        objects.append(str(out))
    libraries = linking.import_libraries(compiler, folder, chain.version[0], [name for name in options.libraries if name not in linking.OWN],
                                         chain.library)
    folders = [f"-L{each}" for each in options.library_folders]
    linking.call([compiler, "-pie", "-o", str(made), *translating.common_flags(options), *objects, *folders, *libraries, "-lpthread", "-ldl"],
                 "the program does not link")
    return f" and {Path(compiler).name}", tuple(kernels), tuple(warnings)
