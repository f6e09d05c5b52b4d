"""``python -m archdef.triton -a h100 program.py``: a program that launches Triton kernels, not changed, on simulated devices."""
from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from archdef.console import text
from archdef.exec.tally import KernelTotal
from archdef.formatting import count, percent, seconds
from archdef.options import arch_option, architectures, set_option
from archdef.spec import Architecture
from archdef.tables import Column, Kind, Table
from archdef.triton import use


def table(kernels: Sequence[KernelTotal]) -> Table:
    """Lay out what each kernel took in all."""
    whole = sum(each.seconds for each in kernels)
    rows = Table(Column("", Kind.PROSE, least=16, called="what"), Column("times", Kind.NUMBER), Column("time", Kind.NUMBER), Column("share", Kind.NUMBER),
                 Column("each", Kind.NUMBER, 2), Column("cycles\neach", Kind.NUMBER, 3))
    for each in kernels:
        rows.add(each.kernel, count(each.launches), seconds(each.seconds), percent(100 * each.seconds / whole if whole else 0),
                 seconds(each.seconds / each.launches), count(round(each.cycles / each.launches)))
    return rows


def run(program: Path, arguments: Sequence[str], architecture: Architecture, target: int | None) -> int:
    """Run a program on one machine as ``python program`` would, print what its kernels took, and give its exit code."""
    before = sys.argv[:], sys.path[:]
    sys.argv[:], sys.path[:0] = [str(program), *arguments], [str(program.resolve().parent)]
    code: Any = 0
    with use(architecture, target=target) as simulated:
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit as ended:
            code = ended.code
            if isinstance(code, str):
                click.echo(code, err=True)
        finally:
            sys.argv[:], sys.path[:] = before
            launches = simulated.driver.launches
            click.echo(f"{program.name} on {architecture.label}: {count(launches)} launch{'es' * (launches != 1)}")
            if simulated.kernels:
                click.echo(text(table(simulated.kernels)))
    return code if isinstance(code, int) else int(code is not None)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@arch_option
@set_option
@click.option("--target", type=int, metavar="CAPABILITY", help="Compute capability to compile for, such as 80, where it is not to be the machine's own.")
@click.argument("program", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def main(context: click.Context, names: tuple[str, ...], settings: dict[str, str], target: int | None, program: Path, arguments: tuple[str, ...]) -> None:
    """Run PROGRAM, a Python file, with its Triton kernels on simulated devices, and say what each kernel took.

    Several --arch: it runs once on each, and finds modules that it imports as the run before has left them. Exit code: that of the program.

    \b
    python -m archdef.triton -a v100 -a h100 program.py --size 1024
    """
    if not names:
        raise click.UsageError("Missing option '--arch' / '-a'.")
    codes = [run(program, arguments, architecture, target) for architecture in architectures(names, settings)]
    context.exit(next((code for code in codes if code), 0))


if __name__ == "__main__":
    main(prog_name="python -m archdef.triton")
