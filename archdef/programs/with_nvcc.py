"""A program by CUDA's own compiler."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from archdef.frontends.nvcc import Toolchain
from archdef.programs import linking, maca, relocatable
from archdef.programs.options import BuildOptions


def build(chain: Toolchain, target: str, files: Sequence[Path], made: Path, options: BuildOptions, compiler: str) -> tuple[str, ...]:
    """Compile and link, with PTX and no machine code; gives warnings. Raises CompileError.

    compiler : of the host, which writes for the linker what stands for libraries: CUDA's need not be installed.
    """
    switches = {"-fmad=false": options.fused_multiply_add is False, "-rdc=true": options.relocatable, "-g": options.debug,
                "-c": options.compile_only, "-shared": options.shared, "-ptx": options.code == "ptx", "-fatbin": options.code == "fatbin",
                "-lib": options.archive, "-dlink": options.device_link}
    linked: list[str] = []
    if not (options.of_one or options.archive or options.device_link):
        names, with_parts = relocatable.libraries(options.libraries, options.library_folders)
        files = relocatable.opened([*files, *with_parts], made.parent)
        linked = [*(f"-L{each}" for each in options.library_folders), *_libraries(chain, made.parent, attrs.evolve(options, libraries=names), compiler)]
        if parts := [path for path in files if relocatable.is_part(path)]:      # of another compiler of devices
            files = [*files, relocatable.registration(compiler, parts, made.parent)]
    said = linking.call([str(chain.path), "-gencode", f"arch={target},code={target}", "-lineinfo", "--extended-lambda", f"-std={options.standard}",
                         f"-O{options.optimise}", *(each for each, asked in switches.items() if asked), *options.for_devices, *_for_ptxas(options),
                         *(["-ccbin", compiler] if options.host_compiler else []), *(["-x", options.language] if options.language else []),
                         *(f"-I{each}" for each in options.include), *(f"-D{each}" for each in options.defines),
                         *(part for each in _host_flags(options) for part in ("-Xcompiler", each)), "-o", str(made), *map(str, files), *linked],
                        "the program does not build by nvcc")
    return (said,) if said else ()


def _for_ptxas(options: BuildOptions) -> list[str]:
    limit = [f"-maxrregcount={options.max_registers}"] if options.max_registers else []
    return [*limit, *(part for each in options.assembler for part in ("-Xptxas", each))]


def _host_flags(options: BuildOptions) -> list[str]:
    flags = [*(["-fPIC"] if options.shared else []), *options.host_flags]
    return [flag.replace(",", "\\,") for flag in flags]      # at whose commas nvcc would make several of it


def _libraries(chain: Toolchain, folder: Path, options: BuildOptions, compiler: str) -> Iterator[str]:
    """Give the linker what archdef answers for by name alone, and the rest as it is."""
    if options.relocatable:
        yield "-lcudadevrt"
    major = int(chain.version.partition(".")[0])
    for library in filter(None, map(maca.library, options.libraries)):
        if library == "cuda":
            found: str | None = linking.driver(compiler, folder)
        else:       # nvcc links the runtime itself
            found = None if library in linking.OWN else linking.import_library(compiler, folder, major, library)
        yield from (f"-l{library}",) if found is None else ("-Xlinker", found)
