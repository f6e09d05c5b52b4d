"""Builds a program: each source by the compilers there are, then one link."""
from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from archdef import registry
from archdef.errors import CompileError
from archdef.files.atomic import write_bytes
from archdef.frontends import nvcc, nvrtc
from archdef.frontends import options as front_end
from archdef.frontends import source as sources
from archdef.programs import linking, relocatable, translating, with_clang, with_nvcc
from archdef.programs import maca as language
from archdef.programs.options import DEVICE_SUFFIXES, HOST_SUFFIXES, BuildOptions, sources_of
from archdef.programs.translating import Unit

if TYPE_CHECKING:
    from archdef.spec import Architecture

COMPILERS = ("nvcc", "clang", "nvrtc")
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
            if isinstance(self.chain, nvcc.Toolchain):
                compiler, kernels = str(self.chain), tuple[str, ...]()
                notes += with_nvcc.build(self.chain, self.target, self.files, made, self.settings)
            else:
                way = _by_clang if isinstance(self.chain, with_clang.Toolchain) else _by_nvrtc
                compiler, unit = way(self.chain, self.target, self.files, made, self.settings)
                kernels, notes = unit.kernels, notes + unit.warnings
            write_bytes(program, made.read_bytes(), executable=True)
        return Built(str(program), compiler, self.target, tuple(kernels), tuple(notes))


def build(files: Sequence[str | os.PathLike[str]], program: str | os.PathLike[str], architecture: str | Architecture | None = None,
          compiler: str | None = None, **options: Any) -> Built:
    """Build a program that `archdef.exec.run` runs.

    files        : ``.cu`` and ``.maca`` files, C++ and C files, objects and libraries.
    program      : the executable to write.
    architecture : a machine to compile for; None: the oldest that the compiler knows, whose PTX all others run.
    compiler     : ``nvcc``, ``clang``, or ``nvrtc`` with a compiler of the host; None: the first of them that is there.
    options      : fields of `archdef.programs.options.BuildOptions`: include, defines, libraries …

    Raises CompileError, Unsupported for what this way of building does not translate, MissingExtra.
    """
    return plan(files, architecture, compiler, **options).build(program)


def plan(files: Sequence[str | os.PathLike[str]], architecture: str | Architecture | None = None, compiler: str | None = None, **options: Any) -> Plan:
    """Say how `build` would, without doing it; its parameters, and its errors as far as they can be known before."""
    found = sources_of(files)
    settings = _options(options)
    if compiler not in (None, *COMPILERS):
        raise CompileError(f"programs are built by {', '.join(COMPILERS[:-1])} or {COMPILERS[-1]}, got {compiler!r}")
    capability, label = "", ""
    if architecture is not None:
        described = registry.described(architecture)
        capability, label = described.compute_capability, described.label
        if settings.fused_multiply_add is None:
            settings = attrs.evolve(settings, fused_multiply_add=_FMA in described.isa.features)
    maca = any(path.suffix == ".maca" for path in found)
    chain = _toolchain(compiler, maca)
    targets = _targets(chain, capability)
    target = (language.target(str(chain), capability) if maca else
              sources.target(str(chain), targets, front_end.Options(capability=capability)))
    return Plan(found, chain, target, settings, _limit(label, capability, str(chain), min(targets), maca))


def _toolchain(compiler: str | None, maca: bool) -> Any:
    """Give the compiler of device code that was asked for, or the first there is. Raises CompileError."""
    ways = {"nvcc": nvcc, "clang": with_clang, "nvrtc": nvrtc}
    if maca and compiler not in (None, "nvrtc"):
        raise CompileError(f"{compiler} does not compile .maca files")
    for name in (compiler,) if compiler else ("nvrtc",) if maca else COMPILERS:
        if chain := ways[name].toolchain():
            return chain
    raise CompileError(nvrtc.absent() if compiler in (None, "nvrtc") else ways[compiler].INSTALL)


def _targets(chain: Any, capability: str) -> Sequence[int]:
    """List what a compiler may be told: what is for no machine in particular, is not for one that is older than the headers either."""
    return chain.usual_targets if isinstance(chain, with_clang.Toolchain) and not re.match(r"\d", capability) else chain.targets


def _options(given: dict[str, Any]) -> BuildOptions:
    known = attrs.fields_dict(BuildOptions)
    for name in given:
        if name not in known:
            raise CompileError(f"build has no option {name!r}; it has {', '.join(known)}")
    return BuildOptions(**given)


def _limit(label: str, capability: str, chain: str, oldest: int, maca: bool) -> tuple[str, ...]:
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


def _by_nvrtc(chain: nvrtc.Toolchain, target: str, files: Sequence[Path], made: Path, options: BuildOptions) -> tuple[str, Unit]:
    compiler = host_compiler()

    def unit(path: Path, out: Path) -> Unit:
        return translating.compile_unit(path, out, chain, target, compiler, options)
    return f"{chain} and {Path(compiler).name}", _linked(unit, compiler, chain, files, made, options)


def _by_clang(chain: with_clang.Toolchain, target: str, files: Sequence[Path], made: Path, options: BuildOptions) -> tuple[str, Unit]:
    toolkit = chain.toolkit(made.parent)

    def unit(path: Path, out: Path) -> Unit:
        return with_clang.compile_unit(path, out, chain, target, toolkit, options)
    try:
        return str(chain), _linked(unit, str(chain.path), chain.cuda, files, made, options)
    except CompileError as error:
        raise with_clang.advised(error) from None


def _linked(compile_unit: Callable[[Path, Path], Unit], compiler: str, cuda: nvrtc.Toolchain, files: Sequence[Path], made: Path,
            options: BuildOptions) -> Unit:
    """Compile file by file, and link. Raises CompileError, Unsupported."""
    folder = made.parent
    kernels: list[str] = []
    warnings: list[str] = []
    objects = []
    for number, path in enumerate(files):
        out = folder / f"{number}.o"
        if path.suffix in DEVICE_SUFFIXES:
            unit = compile_unit(path, out)
            kernels += unit.kernels
            warnings += unit.warnings
        elif path.suffix in HOST_SUFFIXES:
            translating.compile_host(path, out, cuda, compiler, options)
        else:
            out = path
        objects.append(str(out))
    if options.relocatable:
        parts = [Path(each) for each, path in zip(objects, files, strict=True) if path.suffix in DEVICE_SUFFIXES]
        objects.append(str(relocatable.registration(compiler, parts, folder)))
    libraries = linking.import_libraries(compiler, folder, cuda.version[0], [name for name in options.libraries if name not in linking.OWN],
                                         cuda.library)
    folders = [f"-L{each}" for each in options.library_folders]
    linking.call([compiler, "-pie", "-o", str(made), *translating.common_flags(options), *objects, *folders, *libraries, "-lpthread", "-ldl"],
                 "the program does not link")
    return Unit(tuple(kernels), tuple(warnings))
