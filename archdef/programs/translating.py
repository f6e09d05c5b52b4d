"""One translation unit without CUDA's own compiler: the host's half by a compiler of the host, the device's by NVRTC, both in one object."""
from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from archdef import frontends
from archdef.errors import CompileError
from archdef.exec import fatbin, vocabulary
from archdef.frontends import nvrtc
from archdef.frontends.options import Compiled, Options
from archdef.programs import assembly, device_code, host_code, languages, maca, unsupported
from archdef.programs.linking import call, version_of
from archdef.programs.options import BuildOptions
from archdef.programs.preprocess import Preprocessed, Preprocessor, missing_header, write_headers
from archdef.programs.syntax import Source, Unsupported

_FLAGS: Final = ("-fno-lto", "-fPIE", "-w")
_NO_UNUSED: Final = "--diag-suppress=177"
"""No warnings of functions and variables that nothing uses: what the host uses is not there."""
_NO_CARETS: Final = {True: "-fno-caret-diagnostics", False: "-fno-diagnostics-show-caret"}
"""Whether it is clang → the option by which a compiler shows no columns: what is compiled is not what the user's file has there."""


@attrs.frozen
class Unit:
    """What a source has become."""

    kernels: tuple[str, ...]
    warnings: tuple[str, ...]
    ptx: str = ""
    """Of its code for devices, if it is a single source."""


def common_flags(options: BuildOptions) -> list[str]:
    """Give the host compiler's options, for every file."""
    return [f"-O{options.optimise}", *(["-g"] if options.debug else []), *(["-fPIC"] if options.shared else []), *options.host_flags]


def compile_host(path: Path, out: Path, chain: nvrtc.Toolchain, compiler: str, options: BuildOptions) -> None:
    """Compile a file that has no code for devices. Raises CompileError."""
    try:
        call([compiler, "-c", *_FLAGS, *common_flags(options), *host_flags(path, chain, compiler, out.parent, options), "-o", str(out), str(path)],
             f"{path} does not compile")
    except CompileError as error:
        if (missing := missing_header(str(error), chain.version[0])) is None:
            raise
        raise CompileError(f"{path}: {missing}\n{error}") from None


def host_flags(path: Path, chain: nvrtc.Toolchain, compiler: str, folder: Path, options: BuildOptions) -> list[str]:
    """Give the options for the language, macros and headers that the host's half of a source has; what is written for that goes into a folder."""
    language = languages.language(path, options.language)
    if language in languages.OF_DEVICES:
        return ["-x", "c++", f"-std={options.standard}", *_preprocessor(language == "maca", folder, chain, compiler, options).seen_by(None)]
    flags = ["-x", "c"] if language == "c" else ["-x", "c++", f"-std={options.standard}"]
    flags += [f"-I{each}" for each in options.include]
    if languages.is_maca(path):
        names = maca.write_headers(folder, _folders(chain, options))
        flags += [f"-I{names}", "-include", maca.HEADER, "-include", maca.MARK, *(f"-D{each}" for each in maca.MACROS)]
    return [*flags, *_system(chain, folder), *(f"-D{each}" for each in options.defines)]


def compile_unit(path: Path, out: Path, chain: nvrtc.Toolchain, target: str, compiler: str, options: BuildOptions) -> Unit:
    """Compile a file with code for devices. Raises CompileError, Unsupported."""
    of_maca = languages.language(path, options.language) == "maca"
    if of_maca and options.relocatable:
        raise Unsupported(f"{path}: device code of several .maca files is not linked (-rdc=true)")
    number = int(re.sub(r"\D", "", target))
    folder = out.parent
    preprocessor = _preprocessor(of_maca, folder, chain, compiler, options)
    host, device = preprocessor.run(path, None), preprocessor.run(path, number)
    source = Source(host.text)
    unsupported.check(source, chain.version[0])
    made = host_code.host_code(source, options.relocatable)
    try:
        listing = _to_assembly(path, host, made, folder / f"{out.stem}.cpp", chain, compiler, options)
    except CompileError:    # what is wrong in a kernel misleads the host's compiler, which is not to see it
        _to_ptx(path, device, (), (), chain, target, options)
        raise
    stubs, instances = assembly.stubs(listing), assembly.instances(listing, made.templates)
    compiled = _to_ptx(path, device, stubs, [*made.variables, *made.referring, *(each.name for each in instances)], chain, target, options)
    kernels = assembly.kernels_of(compiled.ptx)
    assembly.check_alone(path, compiled.ptx, options.relocatable)
    if lost := [stub.name for stub in stubs if stub.name not in kernels]:
        raise CompileError(f"{path}: NVRTC made no kernel of the name {', '.join(lost)}, which the host calls so; it made {', '.join(kernels) or 'none'}")
    names = [*(compiled.instances[f"&{name}"] for name in made.variables), *assembly.managed(path, compiled.ptx, made.managed),
             *(compiled.instances[f"&{name}"] for name in made.referring)]
    named = [(each, compiled.instances[f"&{each.name}"]) for each in instances]
    text = listing + assembly.tables(stubs, kernels, names, named, fatbin.packed(compiled.ptx, number, options.for_ptxas))
    if of_maca:
        text += f'\t.section {vocabulary.SECTION},"",@progbits\n\t.string "MXMACA"\n'
    listed = folder / f"{out.stem}.s"
    listed.write_text(text, encoding="utf-8")
    call([compiler, "-c", *_FLAGS, *common_flags(options), "-o", str(out), str(listed)], f"{path} does not assemble")
    return Unit(tuple(kernels.values()), (compiled.log,) if compiled.log else (), compiled.ptx)


def _preprocessor(of_maca: bool, folder: Path, chain: nvrtc.Toolchain, compiler: str, options: BuildOptions) -> Preprocessor:
    lacking, empty = write_headers(folder, chain.include)
    made = Preprocessor(compiler, options.standard, tuple(options.include), (empty, lacking, *chain.include), tuple(options.defines), chain.version, (),
                        tuple(options.host_flags))
    if not of_maca:
        return made
    names = maca.write_headers(folder, _folders(chain, options))
    return attrs.evolve(made, include=(*made.include, str(names)), system=(maca.write_halves(folder), *made.system),
                        first=(maca.HEADER,), no_macros_of=maca.HEADER, macros=maca.MACROS, device_macros=maca.DEVICE_MACROS)


def _others(chain: nvrtc.Toolchain) -> list[Path]:
    """List folders of headers that the compiler of kernels has not by itself."""
    own = nvrtc.toolchain()
    return [each for each in chain.include if own is None or each not in own.include]


def _folders(chain: nvrtc.Toolchain, options: BuildOptions) -> tuple[Path, ...]:
    return (*chain.include, *map(Path, options.include))


def _system(chain: nvrtc.Toolchain, folder: Path) -> list[str]:
    lacking, _ = write_headers(folder, chain.include)
    return [part for each in (maca.write_halves(folder), lacking, *chain.include) for part in ("-isystem", str(each))]


def _to_assembly(path: Path, host: Preprocessed, made: host_code.HostCode, file: Path, chain: nvrtc.Toolchain, compiler: str, options: BuildOptions) -> str:
    """Compile the host's half to the assembler's text."""
    texts = {number: host_code.include(each, chain.include) for number, each in enumerate(host.includes) if not host_code.left_out(each.name)}
    unsupported.check_host(Source(made.text))
    whole = attrs.evolve(host, text=made.text).with_includes(texts)
    file.write_text(host_code.prologue(_defined(made.text)) + whole, encoding="utf-8")
    listing = file.with_suffix(".host.s")
    flags = [*_FLAGS, "-fno-show-column", _NO_CARETS["clang" in version_of(compiler)], *common_flags(options), f"-I{path.parent}",
             *(f"-I{each}" for each in options.include), *_system(chain, file.parent), *(f"-D{each}" for each in options.defines)]
    call([compiler, "-S", "-x", "c++", f"-std={options.standard}", *flags, "-o", str(listing), str(file)], f"{path} does not compile for the host")
    return listing.read_text(encoding="utf-8", errors="replace")


def _defined(text: str) -> frozenset[bytes]:
    """List the functions that a text defines outside of classes and namespaces; templates with ``<>``."""
    return frozenset(name + b"<>" * (item.node.type == "template_declaration") for item in Source(text).items
                     if item.kind == "function" and not item.scope for name in item.names)


def _to_ptx(path: Path, device: Preprocessed, stubs: Sequence[assembly.Stub], variables: Sequence[str], chain: nvrtc.Toolchain, target: str,
            options: BuildOptions) -> Compiled:
    """Compile the device's half."""
    texts = {}
    for number, each in enumerate(device.includes):
        if directive := device_code.header(each.name, chain.include):
            texts[number] = attrs.evolve(each, name=directive.partition(" ")[2]).text()
    instances = assembly.instantiations(stubs, str(path))
    text = attrs.evolve(device, text=device_code.device_code(Source(device.text), instances)).with_includes(texts)
    absolute = re.sub(r'^# (\d+) "([^"<]+)"$', lambda match: f'#line {match[1]} "{Path(match[2]).absolute()}"', text, flags=re.MULTILINE)
    try:
        settings = Options(target=target, standard=options.standard, name_expressions=tuple(f"&{name}" for name in variables),
                           fused_multiply_add=options.fused_multiply_add is not False,
                           extra=(_NO_UNUSED, *(["--relocatable-device-code=true"] if options.relocatable else []),
                                  *options.for_devices, *(f"--include-path={each}" for each in _others(chain))))
        if languages.language(path, options.language) == "maca":
            return frontends.compile(absolute, attrs.evolve(settings, compiler=maca.FRONT_END))
        return nvrtc.compile(absolute, path.name, None, settings, device_code.headers(chain.include))
    except CompileError as error:
        raise CompileError(str(error).replace(f"{Path.cwd()}/", "")) from None
