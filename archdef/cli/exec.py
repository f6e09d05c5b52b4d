"""``archdef exec``: a program that was compiled for CUDA, on simulated devices."""
from __future__ import annotations

import contextlib
import shlex
import signal
import tempfile
from pathlib import Path
from typing import Final

import attrs
import click

import archdef
from archdef.cli import build
from archdef.cli.common import common_options, emit, show
from archdef.cli.data import data_option
from archdef.cli.output import TRACES, destination, will_report, will_write
from archdef.options import architectures, needed_arch_option, set_option

STANDARD_ERROR: Final = 2
"""What the program gets for its standard output."""
ENDING: Final = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL})
"""Signals by which somebody ends a program."""
SOURCES: Final = (".cu", ".maca", ".cpp", ".cc", ".cxx", ".c")
"""Suffixes of what is built before it is run."""


@click.command("exec", context_settings={"ignore_unknown_options": True})
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
@needed_arch_option
@set_option
@click.option("--devices", type=click.IntRange(1, 64), default=1, show_default=True, help="How many devices the program sees.")
@click.option("--build", "build_options", default="", metavar="OPTIONS",
              help="For a PROGRAM that is a source: options of 'archdef build', and files besides, e.g. --build '-I include kernels.cu -lcublas'.")
@click.option("--max-launches", type=click.IntRange(0), metavar="N",
              help="Time the first N launches of the program, in the order in which they begin, whatever their kernels; execute all others without timing, "
                   "which is faster.")
@click.option("--functional", is_flag=True, help="Time no launch, or with --max-launches none but those.")
@click.option("--max-instructions", type=click.IntRange(min=1),
              help="Budget of warp instructions of each launch, which ends a kernel that never ends; launches that a device can run at once share theirs.")
@click.option("--max-cycles", type=click.IntRange(min=1), help="Budget of SM cycles of each launch.")
@click.option("--report", "page", type=click.Path(dir_okay=False), help="Write an .html report about the longest launch of each kernel.")
@click.option("--timeline", "trace", type=click.Path(dir_okay=False),
              help="Write a .json or .json.gz trace of copies, kernels and streams, for Perfetto; of several machines one each, with the machine in its name.")
@data_option("archdef.exec.account.Account")
@common_options(about="Print one JSON document; what the program prints goes to the error stream.")
@click.pass_context
def command(context, program, names, settings, devices, build_options, max_launches, functional, max_instructions, max_cycles, page, trace, data, as_json):
    """Run PROGRAM, compiled for CUDA and not changed, against simulated devices, and say where its time goes.

    Write -- before it. Its kernels run from the PTX that it holds, so compile it with -gencode arch=compute_XX,code=compute_XX for an XX that the
    machine has. CUDA's runtime may be linked into it or be a shared library, which need not be installed. Several --arch: it runs once on each.
    A source (.cu, .maca, C++ or C) is built first, as 'archdef build' does, for each machine, and the program is not kept.

    Exit code: that of the program, 128 and the signal if one ended it. Ctrl-C is the program's; what it did so far is told, and
    so it is after SIGTERM, which is passed on to it. The second kills it.

    \b
    archdef exec -a NAME -a OTHER -- ./program --size 1024
    archdef exec -a NAME -a OTHER -- main.cu --size 1024
    archdef exec -a NAME --max-launches 20 -- ./program
    """
    if not names:
        raise click.UsageError("Missing option '--arch' / '-a'.")
    will_report(page)
    machines = list(architectures(names, settings))
    traces = [destination(trace, each.name, len(machines) > 1, TRACES) for each in machines] if trace else []
    for path in traces:
        will_write(path)
    budgets = {name: most for name, most in (("max_instructions", max_instructions), ("max_cycles", max_cycles)) if most is not None}
    codes, found = [], []
    with _programs(context, program, machines, build_options) as started:
        for architecture, command_line in zip(machines, started, strict=True):
            done = archdef.exec.run(command_line, architecture, devices, STANDARD_ERROR if as_json else None,
                                    max_launches=max_launches, functional=functional, **budgets)
            done = attrs.evolve(archdef.exec.with_sources(done, Path(command_line[0]), (Path(program[0]).parent,)), command=tuple(program))
            codes.append(done.exit_code if done.exit_code >= 0 else 128 - done.exit_code)
            found.append(done)
            if not as_json:
                show(done)
            if -done.exit_code in ENDING:      # who ends it wants none of the others either
                break
    if len(found) > 1 and not as_json:
        show(archdef.exec.Beside(found))
    data.of(*found)
    if page:
        runs = [each.longest for done in found for each in done.kernels if each.longest is not None]
        archdef.run.html_report.save(runs, page)
    for done, path in zip(found, traces, strict=False):      # one that was interrupted has run on fewer
        if done.timelines:
            done.timeline.save(path)
    if as_json:
        emit([done.to_dict() for done in found])
    context.exit(next((code for code in codes if code), 0))


@contextlib.contextmanager
def _programs(context, program, machines, options):
    """Give what to start on each machine. Of a source a program is built for each, those that need the same once."""
    source = Path(program[0])
    if source.suffix not in SOURCES:
        if options:
            raise click.UsageError(f"--build is for a program that is a {', '.join(SOURCES[:-1])} or {SOURCES[-1]} file, got {source}")
        yield [program] * len(machines)
        return
    if not source.is_file():
        raise click.UsageError(f"there is no file {source}")
    with tempfile.TemporaryDirectory(prefix="archdef-exec-") as folder:
        given = build.command.make_context("build", [str(source), *_words(options), "-o", str(Path(folder) / source.stem)], context.parent).params
        files, arch, compiler, wanted = given["files"], given["arch"], given["compiler"], build.settings(given)
        if given["rule"] or any(wanted[each] for each in ("compile_only", "shared", "archive", "device_link", "code")):
            raise click.UsageError("--build is for what makes a program: -c, -shared, -lib, -dlink, -ptx, -fatbin and rules for make do not")
        built, started = {}, []
        for machine in machines:
            plan = archdef.programs.plan(files, arch or machine, compiler, **wanted)
            if plan.key not in built:
                place = Path(folder) / str(len(built)) / source.stem
                place.parent.mkdir()
                made = plan.build(place)
                built[plan.key] = str(place)
                click.echo("".join(f"{note}\n" for note in made.notes), nl=False, err=True)
            started.append([built[plan.key], *program[1:]])
        yield started


def _words(options):
    try:
        return shlex.split(options)
    except ValueError as error:
        raise click.UsageError(f"--build {options!r}: {error}") from None
