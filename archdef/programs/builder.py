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

from archdef import registry, values
from archdef.errors import CompileError
from archdef.files.atomic import write_bytes
from archdef.exec import fatbin
from archdef.frontends import nvcc, nvrtc
from archdef.frontends import options as front_end
from archdef.frontends import source as sources
from archdef.programs import languages, linking, relocatable, translating, usage, with_clang, with_nvcc
from archdef.programs import maca as mxmaca
from archdef.programs.options import BuildOptions, sources_of
from archdef.programs.translating import Unit

if TYPE_CHECKING:
    from archdef.spec import Architecture

COMPILERS = ("nvcc", "clang", "nvrtc")
_FMA = "fp32_fma"
_OF_CXX = {"gcc": "g++", "clang": "clang++"}
"""Compilers of C → those of C++ beside them, which nvcc makes of them by options."""


@attrs.frozen
class Built:
    """A program that was built."""

    program: str
    compiler: str
    """What made the device's code, and with which compiler of the host."""
    target: str
    """Virtual architecture of its PTX: ``compute_70``; empty where no source had code for devices, as when objects are linked."""
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
                notes += with_nvcc.build(self.chain, self.target, self.files, made, self.settings, host_compiler(self.settings))
            else:
                way = _by_clang if isinstance(self.chain, with_clang.Toolchain) else _by_nvrtc
                compiler, unit = way(self.chain, self.target, self.files, made, self.settings)
                kernels, notes = unit.kernels, notes + unit.warnings
                if self.settings.code:
                    made.write_bytes(self._code(unit))
            write_bytes(program, made.read_bytes(), executable=self.settings.is_program or self.settings.shared)
        return Built(str(program), compiler, self.target if _of_devices(self.files, self.settings) else "", tuple(kernels), tuple(notes))

    def _code(self, unit: Unit) -> bytes:
        """Give the device's code as it is written by itself."""
        number = int(re.sub(r"\D", "", self.target))
        return unit.ptx.encode() if self.settings.code == "ptx" else fatbin.packed(unit.ptx, number, self.settings.for_ptxas)


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
    maca = any(languages.language(path, settings.language) == "maca" for path in found)
    of_maca = maca or any(path.suffix in languages.SUFFIXES and languages.is_maca(path) for path in found)
    chain, settings = _beside_toolkits(_toolchain(compiler, of_maca), settings)
    targets = _targets(chain, capability)
    if settings.of_one and (len(found) > 1 or not languages.language(found[0], settings.language)):
        raise CompileError(f"{settings.of_one}: it is made of one source")
    if settings.code and languages.language(found[0], settings.language) not in languages.OF_DEVICES:
        raise CompileError(f"{found[0]} has no code for devices by its suffix; -x cu says that it has")
    notes: tuple[str, ...] = ()
    if maca:
        target = mxmaca.target(str(chain), capability)
    elif settings.gpu_targets and architecture is None:
        target, notes = _asked_for(settings.gpu_targets, targets, str(chain))
    else:
        target = sources.target(str(chain), targets, front_end.Options(capability=capability))
    notes += _limit(label, capability, str(chain), min(targets), maca)
    return Plan(found, chain, target, settings, notes if _of_devices(found, settings) else ())


def _of_devices(files: Sequence[Path], settings: BuildOptions) -> bool:
    return any(languages.language(path, settings.language) in languages.OF_DEVICES for path in files)


def compiler_of_devices(compiler: str | None = None) -> tuple[str, str]:
    """Give what compiles device code, and the CUDA that it is of: ``11.8``; `compiler` as for `build`. Raises CompileError."""
    chain = _toolchain(compiler, False)
    return str(chain), _cuda(chain)


def _cuda(chain: Any) -> str:
    if isinstance(chain, nvcc.Toolchain):
        return chain.version
    return "{}.{}".format(*(chain.cuda if isinstance(chain, with_clang.Toolchain) else chain).version)


def _asked_for(asked: Sequence[str], targets: Sequence[int], chain: str) -> tuple[str, tuple[str, ...]]:
    """Give the lowest of the targets asked for, or the oldest there is where they are older; and a note of that. Raises CompileError."""
    if wrong := [each for each in asked if not re.fullmatch(r"\d+[af]?", each)]:
        raise CompileError(f"gpu_targets are compute capabilities such as 70, got {values.shown(wrong[0])}")
    lowest = min(asked, key=lambda each: int(each.rstrip("af")))
    number, oldest = int(lowest.rstrip("af")), min(targets)
    if number < oldest:
        return f"compute_{oldest}", (f"compiled for compute_{oldest}, the oldest target of {chain}, and not for compute_{number}",)
    if number in targets:
        return f"compute_{lowest}", ()
    return f"compute_{max(each for each in targets if each <= number)}", ()


def _toolchain(compiler: str | None, maca: bool) -> Any:
    """Give the compiler of device code that was asked for, or the first there is. Raises CompileError."""
    ways = {"nvcc": nvcc, "clang": with_clang, "nvrtc": nvrtc}
    if maca and compiler not in (None, "nvrtc"):
        raise CompileError(f"{compiler} does not compile .maca files, or what includes MXMACA's headers")
    for name in (compiler,) if compiler else ("nvrtc",) if maca else COMPILERS:
        if chain := ways[name].toolchain():
            return chain
    raise CompileError(nvrtc.absent() if compiler in (None, "nvrtc") else ways[compiler].INSTALL)


def _beside_toolkits(chain: Any, settings: BuildOptions) -> tuple[Any, BuildOptions]:
    """Take a toolkit's headers out of the folders that makefiles name: those of the compiler come first, and what they have not is looked for there."""
    toolkits = tuple(Path(each) for each in settings.include if (Path(each) / "cuda_runtime_api.h").is_file())
    settings = attrs.evolve(settings, include=[each for each in settings.include if Path(each) not in toolkits])
    if not toolkits or isinstance(chain, nvcc.Toolchain):
        return chain, settings
    if isinstance(chain, with_clang.Toolchain):
        return attrs.evolve(chain, cuda=attrs.evolve(chain.cuda, include=(*chain.cuda.include, *toolkits))), settings
    return attrs.evolve(chain, include=(*chain.include, *toolkits)), settings


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


def host_compiler(options: BuildOptions) -> str:
    """Give the compiler of the host: the one that is asked for, the one named in CXX, or g++. Raises CompileError."""
    if options.host_compiler:
        path = Path(options.host_compiler)
        name = str(path / "g++") if path.is_dir() else str(path.with_name(re.sub(r"\b(gcc|clang)\b(?!\+)", lambda it: _OF_CXX[it[1]], path.name)))
        if there := shutil.which(name):
            return there
        raise CompileError(f"there is no compiler {name} for the host")
    for name in (os.environ.get("CXX") or "", "g++"):
        if name and (there := shutil.which(name)):
            return there
    raise CompileError("there is no compiler for the host: install g++ (Debian, Ubuntu: apt install g++), or name one in the variable CXX")


def _by_nvrtc(chain: nvrtc.Toolchain, target: str, files: Sequence[Path], made: Path, options: BuildOptions) -> tuple[str, Unit]:
    compiler = host_compiler(options)

    def unit(path: Path, out: Path) -> Unit:
        return translating.compile_unit(path, out, chain, target, compiler, options)
    return f"{chain} and {Path(compiler).name}", _linked(unit, compiler, chain, files, made, options)


def _by_clang(chain: with_clang.Toolchain, target: str, files: Sequence[Path], made: Path, options: BuildOptions) -> tuple[str, Unit]:
    toolkit = chain.toolkit(made.parent)

    def unit(path: Path, out: Path) -> Unit:
        try:
            return with_clang.compile_unit(path, out, chain, target, toolkit, options)
        except CompileError as error:
            if not with_clang.nvrtc_helps(error) or (options.relocatable and with_clang.UNMANAGED in str(error)):
                raise
            return _beside_clang(path, out, chain, target, options, error)
    try:
        return str(chain), _linked(unit, str(chain.path), chain.cuda, files, made, options)
    except CompileError as error:
        if not options.relocatable or with_clang.UNMANAGED not in str(error):
            raise with_clang.advised(error) from None
        refused = error     # managed variables are placed before clang's parts of a program are there: none may be clang's
    compiler, made_by_nvrtc = _by_nvrtc(chain.cuda, _near(target, chain), files, made, options)
    return compiler, attrs.evolve(made_by_nvrtc, warnings=(_instead("all", chain, refused), *made_by_nvrtc.warnings))


def _beside_clang(path: Path, out: Path, chain: with_clang.Toolchain, target: str, options: BuildOptions, refused: CompileError) -> Unit:
    """Compile a file by NVRTC that clang refuses for what NVRTC translates. Raises what clang has said where neither takes it."""
    try:
        unit = translating.compile_unit(path, out, chain.cuda, _near(target, chain), host_compiler(options), options)
    except CompileError:
        raise refused from None
    return attrs.evolve(unit, warnings=(_instead(str(path), chain, refused), *unit.warnings))


def _near(target: str, chain: with_clang.Toolchain) -> str:
    """Give the target of NVRTC that is next to one of clang's."""
    number, known = int(target.removeprefix("compute_")), chain.cuda.targets
    return f"compute_{max((each for each in known if each <= number), default=min(known))}"


def _instead(what: str, chain: with_clang.Toolchain, refused: CompileError) -> str:
    found = re.search(r"error: (.+)", str(refused))
    return f"{what}: compiled by {chain.cuda}, since clang refuses it: {found[1] if found else refused}"


def _linked(compile_unit: Callable[[Path, Path], Unit], compiler: str, cuda: nvrtc.Toolchain, files: Sequence[Path], made: Path,
            options: BuildOptions) -> Unit:
    """Compile file by file, and link, unless one object is all that is wanted. Raises CompileError, Unsupported."""
    kernels: list[str] = []
    warnings: list[str] = []
    objects = []
    ptx = ""
    for number, path in enumerate(files):
        out = made if options.of_one else made.parent / f"{number}.o"
        language = languages.language(path, options.language)
        if language in languages.OF_DEVICES:
            unit = compile_unit(path, out)
            kernels += unit.kernels
            warnings += unit.warnings
            ptx = unit.ptx
            if options.resource_usage:
                warnings += usage.notes(path, ptx, options.max_registers)
        elif language:
            translating.compile_host(path, out, cuda, compiler, options)
        else:
            out = path
        objects.append(out)
    if options.archive:
        linking.call(["ar", "rcs", str(made), *map(str, objects)], "the library is not made")
    elif options.device_link:
        made.write_bytes(relocatable.registration(compiler, [each for each in objects if relocatable.is_part(each)], made.parent).read_bytes())
    elif not options.of_one:
        _link(compiler, cuda, objects, made, options)
    return Unit(tuple(kernels), tuple(warnings), ptx)


def _link(compiler: str, cuda: nvrtc.Toolchain, objects: Sequence[Path], made: Path, options: BuildOptions) -> None:
    """Link a program, or a library. Raises CompileError."""
    folder = made.parent
    names, with_parts = relocatable.libraries(options.libraries, options.library_folders)
    objects = relocatable.opened([*objects, *with_parts], folder)
    parts = [each for each in objects if relocatable.is_part(each)]
    if parts and not relocatable.is_registered(objects, parts):
        objects = [*objects, relocatable.registration(compiler, parts, folder)]
    named = [other for name in names if (other := mxmaca.library(name)) and other not in linking.OWN]
    libraries = linking.import_libraries(compiler, folder, cuda.version[0], named, cuda.library)
    folders = [f"-L{each}" for each in options.library_folders]
    try:
        linking.call([compiler, "-shared" if options.shared else "-pie", "-o", str(made), *translating.common_flags(options), *map(str, objects), *folders,
                      *libraries, "-lpthread", "-ldl"], "the program does not link")
    except CompileError as error:
        raise CompileError(linking.advised(str(error), named)) from None
