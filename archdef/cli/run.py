"""``archdef run``: one launch of a kernel from a file."""
from __future__ import annotations

import functools
import importlib
import io
from typing import TYPE_CHECKING

import click
import numpy as np
from click.core import ParameterSource

import archdef.run
from archdef._views import LANES, TIMELINE
from archdef.cli.common import common_options, emit, show
from archdef.cli.completing import KERNEL
from archdef.cli.data import data_option
from archdef.cli.measured import Laid, ncu_option, refuse_views
from archdef.cli.launching import launch_options, prepare, require
from archdef.cli.output import TRACES, destination, will_report, will_write
from archdef.errors import Interrupted
from archdef.options import architectures, machine_options
from archdef.run.levels import DETAILS, FOREVER, reported
from archdef.values import printable

if TYPE_CHECKING:
    from archdef.run.result import Run
    from archdef.run.timeline import TimelineWindow


def traced_warps(context, parameter, texts) -> tuple[tuple[int, int], ...]:
    """Read warps to trace: ``WARP`` or ``BLOCK:WARP`` each."""
    try:
        pairs = [tuple(map(int, text.split(":"))) for text in texts]
        if all(len(pair) in (1, 2) and min(pair) >= 0 for pair in pairs):
            return tuple((pair[0] if len(pair) == 2 else 0, pair[-1]) for pair in pairs)
    except ValueError:
        pass
    raise click.BadParameter("a warp is WARP of block 0, or BLOCK:WARP")


def traced_window(context, parameter, text) -> tuple[int, int]:
    """Read the cycles to trace: ``FIRST:LAST``."""
    first, _, last = text.partition(":")
    try:
        window = int(first or 0), int(last)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form FIRST:LAST") from None
    if not 0 <= window[0] < window[1] < 1 << 63:
        raise click.BadParameter(f"{printable(text)[:60]!r} are no cycles to trace: FIRST is at least 0 and less than LAST, LAST less than 2^63")
    return window


def _trace(context, parameter, path) -> str | None:
    if path is not None and not path.endswith(TRACES):
        raise click.BadParameter(f"{printable(path)!r} does not end in {' or '.join(TRACES)}")
    if path is not None and path.endswith(TRACES[-1]):
        importlib.import_module("archdef.files.perfetto").definitions()       # before anything is launched
    return path


def _timeline_cycles(context, parameter, text) -> tuple[int, int | None]:
    if text is None:
        return 0, None
    first, colon, last = text.partition(":")
    try:
        window = int(first or 0), int(last) if last else None
    except ValueError:
        colon = ""
    if not colon or not 0 <= window[0] < (FOREVER if window[1] is None else min(window[1], FOREVER)):
        raise click.BadParameter(f"{printable(text)[:60]!r} is not of the form FIRST:LAST or FIRST:, FIRST at least 0 and less than LAST")
    return window


@click.command("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("kernel", required=False, type=KERNEL)
@functools.partial(machine_options, needed=True)
@click.option("--list", "listed", is_flag=True, help="List the kernels of FILE, or KERNEL alone, with their parameters, and run nothing.")
@launch_options
@click.option("--save", multiple=True, metavar="NAME=FILE.npy", help="Write an array to a file after the launch.")
@click.option("--lines", type=click.IntRange(min=1), default=8, show_default=True,
              help="Costliest source lines to list.")
@click.option("--max-instructions", type=click.IntRange(min=1), help="Budget of warp instructions.")
@click.option("--max-cycles", type=click.IntRange(min=1), help="Budget of SM cycles.")
@click.option("--lanes", "traced", multiple=True, callback=traced_warps, metavar="[BLOCK:]WARP",
              help="Chart what the lanes of a warp do, cycle by cycle; may be repeated.")
@click.option("--lane-cycles", "window", default="0:4096", show_default=True, callback=traced_window, metavar="FIRST:LAST",
              help="Cycles of the launch to chart.")
@click.option("--timeline", metavar="FILE", callback=_trace,
              help="Write what happened when as a trace, which Perfetto (ui.perfetto.dev) opens: .json, .json.gz or .perfetto-trace.")
@click.option("--timeline-detail", "detail", type=click.Choice(DETAILS), default="blocks", show_default=True,
              help="What the trace has: sums over time, also every block, also what warps wait for and use, also every issue, also every request to memory.")
@click.option("--timeline-cycles", "cycles", callback=_timeline_cycles, metavar="FIRST:[LAST]", help="Cycles of the launch that the trace is of.")
@click.option("--report", "report_to", type=click.Path(dir_okay=False), metavar="FILE.html", help="Write an HTML file that shows the launches, too.")
@ncu_option
@data_option("archdef.run.result.Run", "archdef.ncu.beside.Beside", "archdef.ncu.launch.Launch")
@common_options
@click.pass_context
def command(context, file, kernel, names, listed, grid, block, cluster, shared, arguments, symbols, save, cooperative, options, lines, max_instructions,
            max_cycles, traced, window, timeline, detail, cycles, report_to, measured, data, settings, as_json):
    """Launch KERNEL of FILE (.cu or .ptx) and print what it cost. An instance of a template is a kernel too: 'reduce<512>'.

    \b
    archdef run saxpy.cu saxpy --arch NAME --grid 64 --block 256 \\
        --arg y:f4[16384]=random --arg x:f4[16384]=random --arg 2.5 --arg 16384 --save y=y.npy
    """
    if listed:
        data.refuse()
        return _list(file, kernel, options, names, settings, as_json)
    require(context, kernel=kernel, names=names, grid=grid, block=block)
    destinations = _destinations(save, arguments, symbols, names)
    refuse_views(measured, data)
    recorded = _recorded(timeline, detail, cycles, names, data) or (archdef.TimelineWindow(**reported()) if report_to else None)
    will_report(report_to)
    _refuse_unrecorded(data, traced, detail)
    results, lanes, ready = [], archdef.LaneWindow(traced or (0,), window) if traced or report_to else None, []
    for architecture in architectures(names, settings):  # all of them, before the first one is launched
        prepared = prepare(architecture, file, kernel, grid, block, shared, arguments, symbols, options)
        budgets = dict(max_instructions=max_instructions, max_cycles=max_cycles, cooperative=cooperative, lanes=lanes, cluster=cluster,
                       timeline=recorded)
        prepared.launcher.prepare(*prepared.given, **budgets)
        ready.append((prepared, budgets))
    stopped = None
    for prepared, budgets in ready:
        architecture = prepared.architecture
        try:
            run = prepared.launch(**budgets)
        except Interrupted as error:
            if error.run is None:
                raise
            run, stopped = error.run, error
        outputs = {str(name): value.to_host() for name, value in prepared.values.items() if hasattr(value, "to_host")}
        results.append((run, outputs))
        if timeline:
            _save_trace(_destination(timeline, architecture.name, names), run)
        for name, path in destinations.items():
            _save(_destination(path, architecture.name, names), outputs[name])
        if stopped is not None:
            break
    runs = [run for run, _ in results]
    data.of(*runs)
    if report_to is not None:
        runs[0].report(report_to, *runs[1:])
    laid = Laid(measured, runs, data)
    _print(results, lines, bool(traced), as_json, laid)
    if stopped is not None:
        raise stopped
    laid.finish()
    return None


def _print(results, lines, lanes, as_json, laid) -> None:
    if as_json:
        emit([run.to_dict() | ({"lane_trace": run.lane_trace.to_dict()} if lanes else {})
              | {"arrays": {name: _digest(array) for name, array in outputs.items()}} | laid.of(run) for run, outputs in results])
        return
    for run, outputs in results:
        if run.printed:
            click.echo(printable(run.printed), nl=not run.printed.endswith("\n"))
        show(archdef.run.table.render(run, lines))
        if lanes:
            show(run.lane_trace)
        for name, array in outputs.items():
            show(_described(name, array))
    laid.show()


def _list(file, kernel, options, names, settings, as_json) -> None:
    """Print the kernels of a file, or one, and what each takes."""
    module = archdef.Device(architectures(names, settings)[0]).compile(file, options)
    found = [(each.name, each.declared) for each in map(module.__getitem__, (kernel,) if kernel else module.kernels)]
    if as_json:
        emit([{"kernel": name, "parameters": [{"name": one.name, "type": one.type} for one in parameters]} for name, parameters in found])
    else:
        for name, parameters in found:
            click.echo(f"{name}({', '.join(map(str, parameters))})")


def _destination(path: str, name: str, names) -> str:
    return destination(path, name, len(names) > 1, (".npy", *TRACES))


def _refuse_unrecorded(data, traced, detail) -> None:
    """Refuse views of what the launch would not record."""
    if data.among(LANES) and not traced:
        raise click.UsageError(f"{', '.join(LANES)} needs --lanes, which says of which warps")
    for name, details in (("timeline_waits", ("units", "warps")), ("timeline_issues", ("warps",)), ("timeline_blocks", ("blocks", "units", "warps"))):
        if data.among((name,)) and detail not in details:
            raise click.UsageError(f"{name} needs --timeline-detail {' or '.join(details)}")


def _recorded(path, detail, cycles, names, data) -> TimelineWindow | None:
    if path is None and not data.among(TIMELINE):
        source = click.get_current_context().get_parameter_source
        if any(source(option) != ParameterSource.DEFAULT for option in ("detail", "cycles")):
            raise click.UsageError("--timeline-detail and --timeline-cycles say what is in the file of --timeline, or a view of it by --data, which is missing")
        return None
    for each in names if path else ():
        will_write(_destination(path, each, names))
    return archdef.TimelineWindow(detail, cycles)


def _save_trace(path: str, run: Run) -> None:
    try:
        run.timeline().save(path)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from None


def _save(path: str, array) -> None:
    data = io.BytesIO()
    np.save(data, array)
    try:
        archdef.files.atomic.write_bytes(path, data.getvalue())
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from None


def _destinations(save, arguments, symbols, names) -> dict[str, str]:
    known = [str(a.name or position) for position, a in enumerate(arguments, start=1) if a.is_array]
    if twice := set(symbols) & {a.name for a in arguments}:
        raise click.BadParameter(f"{min(twice)!r} names an argument and a variable", param_hint="--symbol")
    known += symbols
    destinations = {}
    for text in save:
        name, equals, path = text.partition("=")
        if not equals or not path.endswith(".npy"):
            raise click.BadParameter(f"{text!r} is not of the form NAME=FILE.npy", param_hint="--save")
        if name not in known:
            raise click.BadParameter(f"no array argument or variable is called {name!r}; there are {', '.join(known) or 'none'}",
                                     param_hint="--save")
        for each in names:
            will_write(_destination(path, each, names))
        destinations[name] = path
    return destinations


def _digest(array) -> dict:
    digest = {"shape": array.shape, "dtype": str(array.dtype), "first": array.reshape(-1)[:8].tolist()}
    if array.size:
        digest |= {"min": array.min().item(), "max": array.max().item(), "sum": array.sum(dtype="f8").item()}
    return digest


def _described(name, array):
    digest = _digest(array)
    first = ", ".join(f"{value:.6g}" for value in digest["first"])
    shown = f"{name}: {array.dtype}[{', '.join(map(str, array.shape))}] = {first}{' …' if array.size > 8 else ''}"
    if array.size:
        shown += "   (" + ", ".join(f"{what} {digest[what]:.6g}" for what in ("min", "max", "sum")) + ")"
    return shown
