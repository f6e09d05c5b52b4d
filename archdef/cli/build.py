"""``archdef build``: a program from CUDA sources, with the toolkit or without."""
from __future__ import annotations

import click

import archdef
from archdef.cli.common import common_options, emit
from archdef.cli.nvcc_options import BuildCommand
from archdef.cli.output import will_write
from archdef.options import ArchitectureName


@click.command("build", cls=BuildCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--output", "-o", "program", required=True, type=click.Path(dir_okay=False), help="The executable to write.")
@click.option("--arch", "-a", "arch", metavar="ARCH", type=ArchitectureName(),
              help="Architecture, or a .toml or .json file of one, to compile for; else the oldest target that the compiler knows, which suits all.")
@click.option("--include", "-I", multiple=True, type=click.Path(exists=True, file_okay=False), help="Directory of headers.")
@click.option("--define", "-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro for the compilers.")
@click.option("--library", "-l", "libraries", multiple=True, metavar="NAME", help="Library to link with.")
@click.option("--library-path", "-L", "library_folders", multiple=True, type=click.Path(exists=True, file_okay=False), help="Directory of libraries.")
@click.option("--optimise", "-O", default="2", show_default=True, metavar="LEVEL", help="How much the host's compiler optimises.")
@click.option("-std", "--std", "standard", default="c++17", show_default=True, help="C++ standard.")
@click.option("--debug", "-g", is_flag=True, help="Line numbers of the host's code, for a debugger.")
@click.option("-fmad", "--fmad", "fused_multiply_add", type=bool, metavar="true|false",
              help="Whether a * b + c may become one instruction; else true unless ARCH has none, as machines before 2.0.")
@click.option("-rdc", "--rdc", "relocatable", type=bool, default=False, metavar="true|false",
              help="Whether code for devices may use functions and variables of other files, as with nvcc -rdc=true.")
@click.option("--host-option", "-Xcompiler", "host_flags", multiple=True, metavar="FLAG",
              help="Pass an option to the host's compiler, e.g. -Xcompiler -fopenmp.")
@click.option("--compiler", type=click.Choice(("nvcc", "clang", "nvrtc")),
              help="nvcc, clang, or NVRTC with a compiler of the host; else the first of them that is there.")
@common_options(about="Print one JSON document about what was built.")
def command(files, program, arch, as_json, compiler, **options):
    """Build a program from CUDA FILES (.cu, .maca, C++, C, objects) that 'archdef exec' runs.

    nvcc translates all of CUDA, and clang nearly all. Without them, kernels are compiled by NVRTC and all else by g++ or clang++; what this
    cannot translate is refused by file, line and name. Only nvcc needs a CUDA toolkit.

    \b
    archdef build main.cu kernels.cu -o program -a NAME && archdef exec -a NAME -- ./program
    """
    will_write(program)
    built = archdef.programs.build(files, program, arch, compiler, **options)
    if as_json:
        emit(built.to_dict())
        return
    for note in built.notes:
        click.echo(note, err=True)
    click.echo(f"{built.program}: {built.compiler}, PTX for {built.target}; run it by: archdef exec -a {arch or 'NAME'} -- {_started(built.program)}")


def _started(program):
    return program if "/" in program else f"./{program}"
