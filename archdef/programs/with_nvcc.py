"""A program by CUDA's own compiler."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from archdef.frontends.nvcc import Toolchain
from archdef.programs.linking import call
from archdef.programs.options import BuildOptions


def build(chain: Toolchain, target: str, files: Sequence[Path], made: Path, options: BuildOptions) -> tuple[str, ...]:
    """Compile and link, with PTX and no machine code; gives warnings. Raises CompileError."""
    fused = ["-fmad=false"] if options.fused_multiply_add is False else []
    linked = ["-rdc=true", "-lcudadevrt"] if options.relocatable else []
    said = call([str(chain.path), "-gencode", f"arch={target},code={target}", "-lineinfo", f"-std={options.standard}", f"-O{options.optimise}", *fused, *linked,
                 *(["-g"] if options.debug else []), *(f"-I{each}" for each in options.include), *(f"-D{each}" for each in options.defines),
                 *(part for each in options.host_flags for part in ("-Xcompiler", each)), "-o", str(made), *map(str, files),
                 *(f"-L{each}" for each in options.library_folders), *(f"-l{each}" for each in options.libraries)], "the program does not build by nvcc")
    return (said,) if said else ()
