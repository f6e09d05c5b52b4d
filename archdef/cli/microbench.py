"""``archdef microbench``: latencies, rates and bandwidths of machines, simulated or real, measured by the same kernels."""
from __future__ import annotations

import json

import click

import archdef
from archdef import _evidence, report
from archdef.cli.common import common_options, emit, show, task
from archdef.cli.completing import POINT, BenchmarkOrArchitecture
from archdef.cli.data import data_option
from archdef.cli.output import will_plot, will_write, write
from archdef.console import UNLIMITED
from archdef.errors import nearest
from archdef.options import arch_option, architectures, parse_settings, set_option

BYTES = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@click.command("microbench")
@click.argument("words", nargs=-1, metavar="[ARCH | NAME]...", type=BenchmarkOrArchitecture())
@arch_option
@click.option("--hardware", is_flag=True, help="Also, or only, the first NVIDIA GPU of this computer, by its driver.")
@click.option("--parameter", "-p", "parameters", multiple=True, callback=parse_settings, metavar="NAME=VALUE", type=POINT,
              help="Measure one point instead of the sweep: a parameter of the benchmark. May be repeated.")
@click.option("--against", metavar="measured|FILE", help="Beside each machine, what its evidence holds as measured, or a file of results: with "
              "signed errors, largest last.")
@click.option("--list", "listed", is_flag=True, help="List the benchmarks and their parameters.")
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Draw the sweeps as curves into a .svg, .png or .pdf file (needs matplotlib).")
@click.option("--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write to a file.")
@data_option("archdef.microbench.results.Results")
@set_option
@common_options(about="Print one JSON document instead of tables: what --against FILE reads, for one machine.")
@click.pass_context
def command(context, words, names, hardware, parameters, against, listed, as_json, plot, output, data, settings):
    """Measure machines by microbenchmarks: chains of instructions, pointer chases, conflicts, atomics, bandwidth.

    Words that name a benchmark choose it (all, if none does); the others are architectures, or .toml or .json files of them
    (all installed ones, if there is none and no --hardware). Every kernel is PTX that runs unchanged on real hardware.
    """
    known = archdef.microbench.suite.load()
    chosen = [known[word] for word in words if word in known] or list(known.values())
    if listed:
        data.refuse()
    if listed and as_json:
        return emit([{"name": one.name, "measures": one.measures, "units": one.units, "parameters": one.parameters, "choices": one.choices}
                     for one in chosen])
    if listed:
        return show(report.microbenched.listing(chosen))
    if parameters and len(chosen) > 1:
        raise click.UsageError("--parameter chooses a point of one benchmark; name the benchmark, too")
    point = {name: _value(chosen[0], name, text) for name, text in parameters.items()} or None
    will_plot(plot)
    will_write(output)
    machines = _machines([*(word for word in words if word not in known), *names], settings, hardware)
    measured = _measured(against, machines) if against else ()
    _compares_something(against, measured, chosen)
    found = []
    for machine in map(archdef.microbench.as_machine, machines):
        with task(f"microbench {machine.label}") as bar:
            found.append(archdef.microbench.results.run(machine, chosen, point, bar.counted))
    if plot:
        report.curves.save_curves((*found, *measured), plot)
    data.of(*found, *measured)
    if as_json:
        documents = [one.to_dict() for one in (*found, *measured)]
        if output:
            return write(output, found[0].to_json() if len(documents) == 1 else json.dumps(documents, indent=1) + "\n")
        return emit(documents[0] if len(documents) == 1 else documents)
    if output:
        return write(output, report.terminal.text(report.microbenched.render(found, measured), UNLIMITED) + "\n")
    show(report.microbenched.render(found, measured))
    return None


def _machines(names, settings, hardware: bool) -> list:
    machines = list(architectures(tuple(names), settings)) if names or not hardware else []
    if hardware:
        machines.append(archdef.microbench.hardware.Hardware())
    return machines


def _measured(against: str, machines) -> list:
    found = []
    for machine in machines:
        name = getattr(machine, "name", None)
        if against != "measured":
            found.append(archdef.microbench.results.read(against))
        elif name is None:
            raise click.UsageError("--against measured compares simulated machines with what their plugins ship; for --hardware name a file")
        else:
            shipped = archdef.microbench.results.shipped(name)
            if shipped is None:
                raise click.ClickException(_evidence.hint(name) or f"the evidence of {name} has no measured microbenchmarks (data/microbench_{name}.json)")
            found.append(shipped)
    return found


def _compares_something(against, measured, chosen) -> None:
    """Refuse, before anything is measured, results of which none is of a benchmark that will be."""
    held, names = {row.benchmark for one in measured for row in one.rows}, [benchmark.name for benchmark in chosen]
    if measured and held.isdisjoint(names):
        raise click.UsageError(f"--against {against} holds no results of {', '.join(names)}; it has {', '.join(sorted(map(str, held))) or 'none'}")


def _value(benchmark, name: str, text: str):
    """Read a parameter the way its default is written: a number (of bytes: perhaps with a unit), yes or no, or a word."""
    if name not in benchmark.parameters:
        raise click.BadParameter(f"{benchmark.name} has no parameter {name!r}{nearest(name, benchmark.parameters)}; it has "
                                 f"{', '.join(benchmark.parameters) or 'none'}")
    default = benchmark.parameters[name]
    if isinstance(default, bool):
        if text not in ("yes", "no", "true", "false"):
            raise click.BadParameter(f"{name} must be yes or no, got {text!r}")
        return text in ("yes", "true")
    if isinstance(default, int):
        number, _, unit = text.partition(" ")
        try:
            return int(number) * BYTES[unit]
        except (ValueError, KeyError):
            raise click.BadParameter(f"{name} must be a whole number{', such as 48 KiB' if name.endswith('_bytes') else ''}, got {text!r}") from None
    return text
