"""The compiler's options, which sub-commands share."""
from __future__ import annotations

import functools

import click

import archdef
from archdef.cli.completing import FRONT_END

debug_option = click.option("--device-debug", "-G", "debug", is_flag=True,
                            help="Compile for debugging: no optimisation, by the compiler or the assembler.")

_COMPILER = (
    click.option("--define", "-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Macro for the compiler."),
    click.option("--include", "-I", multiple=True, type=click.Path(exists=True, file_okay=False),
                 help="Directory of headers."),
    click.option("--target", help="Virtual architecture to compile for, e.g. compute_70; else what suits the machine."),
    click.option("--compiler", metavar="NAME", type=FRONT_END, help="Front end to use, e.g. nvcc; else the first that takes the file."),
    debug_option,
    click.option("--registers", type=click.Choice(("liveness", "ptxas")), default="liveness", show_default=True,
                 help="Who counts registers per thread."))


def compiler_options(command):
    """Give a command the compiler's options, as one `Options` in the parameter ``options``."""
    @functools.wraps(command)
    def wrapped(*args, defines, include, target, compiler, debug, registers, **rest):
        options = archdef.Options(target=target, defines=defines, include=include, compiler=compiler, debug=debug, registers=registers)
        return command(*args, options=options, **rest)

    for option in reversed(_COMPILER):
        wrapped = option(wrapped)
    return wrapped
