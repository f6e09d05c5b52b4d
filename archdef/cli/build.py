"""``archdef build``: a program from CUDA sources, with the toolkit or without."""
from __future__ import annotations

import importlib.metadata
from pathlib import Path

import click

import archdef
from archdef.cli.common import common_options, emit
from archdef.cli.nvcc_options import BuildCommand
from archdef.cli.output import will_write
from archdef.options import ArchitectureName


def _say_version(context, parameter, asked):
    """Say which CUDA it is, in the words of nvcc, which makefiles look for."""
    if asked and not context.resilient_parsing:
        compiler, cuda = archdef.programs.builder.compiler_of_devices(context.params.get("compiler"))
        click.echo(f"archdef build {importlib.metadata.version('archdef')}: {compiler}\nCuda compilation tools, release {cuda}, V{cuda}")
        context.exit()


@click.command("build", cls=BuildCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--output", "-o", "program", type=click.Path(dir_okay=False),
              help="What to write; else a.out, or for each source with -c its name with the suffix .o.")
@click.option("--arch", "-a", "arch", metavar="ARCH", type=ArchitectureName(),
              help="Architecture, or a .toml or .json file of one, to compile for; else the oldest target that the compiler knows, which suits all.")
@click.option("--gpu-target", "gpu_targets", multiple=True, metavar="NUMBER",
              help="Compute capability to compile for without --arch, such as 70; also as nvcc has it: -arch=sm_70, -gencode arch=compute_70,code=sm_70. "
                   "Of several it is the lowest.")
@click.option("-x", "language", default="", type=click.Choice(("", "c", "c++", "cu", "cuda", "maca")), metavar="LANGUAGE",
              help="Language of all sources, whatever their suffixes: c, c++, cu or maca.")
@click.option("-c", "compile_only", is_flag=True, help="Compile to objects, and do not link.")
@click.option("-shared", "--shared", is_flag=True, help="Make a shared library.")
@click.option("--fast-math", is_flag=True, help="Let kernels compute faster and less exactly, as nvcc -use_fast_math does.")
@click.option("--include", "-I", multiple=True, type=click.Path(), help="Directory of headers.")
@click.option("--define", "-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro for the compilers.")
@click.option("--library", "-l", "libraries", multiple=True, metavar="NAME", help="Library to link with.")
@click.option("--library-path", "-L", "library_folders", multiple=True, type=click.Path(), help="Directory of libraries.")
@click.option("--optimise", "-O", default="2", show_default=True, metavar="LEVEL", help="How much the host's compiler optimises.")
@click.option("-std", "--std", "standard", default="c++17", show_default=True, help="C++ standard.")
@click.option("--debug", "-g", is_flag=True, help="Line numbers of the host's code, for a debugger.")
@click.option("-fmad", "--fmad", "fused_multiply_add", type=bool, metavar="true|false",
              help="Whether a * b + c may become one instruction; else true unless ARCH has none, as machines before 2.0.")
@click.option("-rdc", "--rdc", "relocatable", type=bool, default=False, metavar="true|false",
              help="Whether code for devices may use functions and variables of other files, as with nvcc -rdc=true.")
@click.option("--host-option", "-Xcompiler", "host_flags", multiple=True, metavar="FLAG",
              help="Pass an option to the host's compiler, e.g. -Xcompiler -fopenmp.")
@click.option("--compiler", type=click.Choice(("nvcc", "clang", "nvrtc")), is_eager=True,
              help="nvcc, clang, or NVRTC with a compiler of the host; else the first of them that is there.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help="Say which compiler and which CUDA it is, and exit.")
@common_options(about="Print one JSON document about what was built.")
def command(files, program, arch, as_json, compiler, **options):
    """Build a program from CUDA FILES (.cu, .maca, C++, C, objects) that 'archdef exec' runs.

    nvcc translates all of CUDA, and clang nearly all. Without them, kernels are compiled by NVRTC and all else by g++ or clang++; what this
    cannot translate is refused by file, line and name. Only nvcc needs a CUDA toolkit. C++ that includes MXMACA's headers is compiled as
    MXMACA. Options of nvcc and mxcc may stay as they are: make NVCC="archdef build".

    \b
    archdef build main.cu kernels.cu -o program -a NAME && archdef exec -a NAME -- ./program
    """
    made = [_build(sources, output, arch, compiler, options) for sources, output in _outputs(files, program, options["compile_only"])]
    if as_json:
        emit(made[0].to_dict() if len(made) == 1 else [each.to_dict() for each in made])
        return
    for built in made:
        for note in built.notes:
            click.echo(note, err=True)
        how = "" if options["compile_only"] or options["shared"] else f"; run it by: archdef exec -a {arch or 'NAME'} -- {_started(built.program)}"
        click.echo(f"{built.program}: {built.compiler}{f', PTX for {built.target}' if built.target else ''}{how}")


def _outputs(files, program, compile_only):
    """Give what is built of which files: one program of all, or an object of each."""
    if not compile_only:
        return [(files, program or "a.out")]
    if program and len(files) > 1:
        raise click.UsageError("-c and -o make one object of one source; without -o each gets its own")
    return [((each,), program or f"{Path(each).stem}.o") for each in files]


def _build(files, program, arch, compiler, options):
    will_write(program)
    try:
        return archdef.programs.build(files, program, arch, compiler, **options)
    except OSError as error:        # of the disk: what compilers say is a CompileError
        raise click.ClickException(f"cannot write {program}: {error.strerror or error}") from None


def _started(program):
    return program if "/" in program else f"./{program}"
