"""``archdef build``: a program from CUDA sources, with the toolkit or without."""
from __future__ import annotations

import importlib.metadata
from pathlib import Path

import click

import archdef
from archdef.cli.common import common_options, emit
from archdef.cli.nvcc_options import BuildCommand
from archdef.cli.output import will_write, write
from archdef.options import ArchitectureName

_OF_THE_COMMAND = ("files", "program", "arch", "as_json", "compiler", "ptx", "fatbin", "rule", "rule_file", "rule_target", "phony", "linker_flags")
_SUFFIXES = {"compile_only": ".o", "ptx": ".ptx", "fatbin": ".fatbin"}


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
@click.option("-dlink", "--device-link", "device_link", is_flag=True,
              help="Make the object by which the device code of OBJECTS (-dc) is one, for another linker; it gets these and this.")
@click.option("-lib", "--lib", "archive", is_flag=True, help="Make a library of objects.")
@click.option("-ptx", "--ptx", is_flag=True, help="Write the device's code of a source alone, as PTX: what cuModuleLoad reads.")
@click.option("-fatbin", "--fatbin", is_flag=True, help="The same as a fat binary.")
@click.option("-M", "--generate-dependencies", "rule", flag_value="M", default=None,
              help="Print a rule for make with all that a source includes; build nothing.")
@click.option("-MM", "--generate-nonsystem-dependencies", "rule", flag_value="MM", help="The same without headers of the system.")
@click.option("-MD", "--generate-dependencies-with-compile", "rule", flag_value="MD",
              help="Write the rule to -MF, or by the output's name with the suffix .d, too.")
@click.option("-MMD", "--generate-nonsystem-dependencies-with-compile", "rule", flag_value="MMD", help="The same without headers of the system.")
@click.option("-MF", "--dependency-output", "rule_file", type=click.Path(dir_okay=False), help="Where such a rule is written.")
@click.option("-MT", "-MQ", "--dependency-target-name", "rule_target", metavar="TARGET", help="What such a rule makes; else the output.")
@click.option("-MP", "--generate-dependency-targets", "phony", is_flag=True, help="Give each header a rule of its own, for make where it is gone.")
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
@click.option("-ftz", "--ftz", "flush_to_zero", type=bool, metavar="true|false", help="Whether subnormal numbers of single precision are zero in kernels.")
@click.option("-prec-div", "--prec-div", "precise_division", type=bool, metavar="true|false",
              help="Whether kernels round quotients of single precision as IEEE 754 has it.")
@click.option("-prec-sqrt", "--prec-sqrt", "precise_roots", type=bool, metavar="true|false", help="Whether they round square roots so.")
@click.option("-restrict", "--restrict", is_flag=True, help="No two pointers that a kernel is given lead to the same memory.")
@click.option("-maxrregcount", "--maxrregcount", "max_registers", type=click.IntRange(min=0), default=0, metavar="N",
              help="Registers that a thread may take at most, where the kernel does not say it itself.")
@click.option("-Xptxas", "assembler", multiple=True, metavar="FLAG",
              help="Option for who makes machine code of the PTX: -dlcm=cg and -dscm=wt say where memory is cached, -v what kernels take.")
@click.option("--resource-usage", is_flag=True, help="Say what registers and memory each kernel takes, by ptxas.")
@click.option("-rdc", "--rdc", "relocatable", type=bool, default=False, metavar="true|false",
              help="Whether code for devices may use functions and variables of other files, as with nvcc -rdc=true.")
@click.option("--host-option", "-Xcompiler", "host_flags", multiple=True, metavar="FLAG",
              help="Pass an option to the host's compiler, e.g. -Xcompiler -fopenmp.")
@click.option("-Xlinker", "linker_flags", multiple=True, metavar="FLAG", help="Pass an option to the linker.")
@click.option("-ccbin", "--compiler-bindir", "host_compiler", default="", metavar="PATH", help="The host's compiler, or its folder; else that of CXX, or g++.")
@click.option("--compiler", type=click.Choice(("nvcc", "clang", "nvrtc")), is_eager=True,
              help="nvcc, clang, or NVRTC with a compiler of the host; else the first of them that is there.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help="Say which compiler and which CUDA it is, and exit.")
@common_options(about="Print one JSON document about what was built.")
def command(files, program, arch, as_json, compiler, rule, rule_file, rule_target, phony, **given):
    """Build a program from CUDA FILES (.cu, .maca, C++, C, objects) that 'archdef exec' runs.

    nvcc translates all of CUDA, and clang nearly all. Without them, kernels are compiled by NVRTC and all else by g++ or clang++; what this
    cannot translate is refused by file, line and name. Only nvcc needs a CUDA toolkit. C++ that includes MXMACA's headers is compiled as
    MXMACA. Options of nvcc and mxcc may stay as they are: make NVCC="archdef build".

    \b
    archdef build main.cu kernels.cu -o program -a NAME && archdef exec -a NAME -- ./program
    """
    options = settings(given)
    if program and rule in ("M", "MM"):
        rule_file = rule_file or program
    made = []
    for sources, output in _outputs(files, program, options):
        if rule:
            _rule(sources, output, rule, (rule_file, rule_target, phony), arch, compiler, options)
        if rule not in ("M", "MM"):
            made.append(_build(sources, output, arch, compiler, options))
    _tell(made, arch, as_json, options)


def settings(given):
    """Give the fields of `BuildOptions` that the command's options stand for."""
    code = "ptx" if given["ptx"] else "fatbin" if given["fatbin"] else ""
    flags = (*given["host_flags"], *(f"-Wl,{flag}" for flag in given["linker_flags"]))
    return {name: value for name, value in given.items() if name not in _OF_THE_COMMAND} | {"code": code, "host_flags": flags}


def _tell(made, arch, as_json, options):
    """Say what was built."""
    if as_json:
        emit(made[0].to_dict() if len(made) == 1 else [each.to_dict() for each in made])
        return
    runs = not (options["compile_only"] or options["shared"] or options["code"] or options["archive"] or options["device_link"])
    for built in made:
        for note in built.notes:
            click.echo(note, err=True)
        how = "" if not runs else f"; run it by: archdef exec -a {arch or 'NAME'} -- {_started(built.program)}"
        click.echo(f"{built.program}: {built.compiler}{f', PTX for {built.target}' if built.target else ''}{how}")


def _outputs(files, program, options):
    """Give what is built of which files: one program of all, or an object, a PTX file or a fat binary of each."""
    suffix = _SUFFIXES.get(options["code"] or ("compile_only" if options["compile_only"] else ""))
    if suffix is None:
        return [(files, program or ("a_dlink.o" if options["device_link"] else "a.a" if options["archive"] else "a.out"))]
    if program and len(files) > 1:
        raise click.UsageError("-c, -ptx, -fatbin and -o make one object of one source; without -o each gets its own")
    return [((each,), program or f"{Path(each).stem}{suffix}") for each in files]


def _rule(files, output, kind, written, arch, compiler, options):
    """Print or write the rule for make."""
    file, target, phony = written
    plan = archdef.programs.plan(files, arch, compiler, **options)
    made = target or (output if "D" in kind or options["compile_only"] else f"{Path(files[0]).stem}.o")
    text = archdef.programs.rules(plan, made, "MM" not in kind, phony)
    if "D" in kind and not file:
        file = str(Path(output).with_suffix(".d"))
    will_write(file)
    write(file, text)


def _build(files, program, arch, compiler, options):
    will_write(program)
    try:
        return archdef.programs.build(files, program, arch, compiler, **options)
    except OSError as error:        # of the disk: what compilers say is a CompileError
        raise click.ClickException(f"cannot write {program}: {error.strerror or error}") from None


def _started(program):
    return program if "/" in program else f"./{program}"
