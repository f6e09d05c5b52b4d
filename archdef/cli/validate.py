"""``archdef validate``: the model's figures beside hardware's."""
from __future__ import annotations

import json

import attrs
import click

import archdef
from archdef import _evidence, report
from archdef.cli.common import common_options, emit, show, task
from archdef.cli.data import data_option
from archdef.cli.output import will_write, write
from archdef.errors import ReferenceCaseError
from archdef.options import architectures, machine_options


@click.command("validate")
@machine_options
@click.option("--only", "-k", "only", multiple=True, metavar="PATTERN", help="Only these cases: a group, GROUP/CASE, or a glob. May be repeated.")
@click.option("--quick", is_flag=True, help="Leave out the cases that take more than a few seconds.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Processes to run experiments in.")
@click.option("--all", "everything", is_flag=True, help="List exact cases that are equal, too, however many there are.")
@click.option("--list", "listed", is_flag=True, help="List the cases, and run nothing.")
@click.option("--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write the JSON document to a file, as a whole or not at all.")
@click.option("--html", "page", type=click.Path(dir_okay=False), metavar="FILE", help="Write a page that needs no other file.")
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Plot model against hardware: a .svg, .png or .pdf file.")
@click.option("--draft-gaps", is_flag=True, help="Print what the plugin's gaps.toml should hold today, in place of the tables.")
@data_option("archdef.validate.run.Report")
@common_options
@click.pass_context
def command(context, names, only, quick, jobs, everything, listed, output, page, plot, draft_gaps, data, settings, as_json):
    """Run reference cases, and print the model's figures beside published and measured ones.

    Of the architectures named, or of all whose evidence is installed. A miss that is listed as known is no fault; exit code 1 if a new one
    has opened or a known one has closed, 2 if something is not installed or cannot be loaded.
    """
    chosen = architectures(names, settings)
    if not names:
        chosen = _with_evidence([(archdef.validate.run.available(architecture.name), architecture) for architecture in chosen])
    if listed:
        data.refuse()
        found = [archdef.validate.run.available(architecture.name) for architecture in chosen]
        wanted = [_only(one, only) for one in found]
        if as_json:
            emit([{"architecture": case.arch, "id": case.id, "long": case.long, "quantity": case.quantity, "experiment": case.experiment,
                   "parameters": case.parameters} for one in wanted for case in one.cases])
        else:
            show(report.validated.listing(wanted))
        context.exit(2 if any([_unusable(one) for one in found]) else 0)  # noqa: C419  each says what it is
    will_write(output)
    _check(page, plot)
    with task("validate") as bar:
        reports = archdef.validate.validate(chosen, only=only, quick=quick, jobs=jobs, said=bar.counted)
    _write(reports, output, page, plot)
    data.of(*reports)
    if draft_gaps and as_json:
        emit({"gaps": archdef.validate.draft.draft_gaps(reports)})
    elif draft_gaps:
        click.echo(archdef.validate.draft.draft_gaps(reports), nl=False)
    elif as_json:
        emit(archdef.validate.document(reports))
    else:
        show(report.validated.render(reports, everything))
    unusable = [_unusable(each.references, said=as_json or draft_gaps) for each in reports]
    context.exit(2 if any(unusable) else 0 if all(each.good for each in reports) else 1)


def _unusable(found, said=True):
    """Whether evidence is not there though its distribution is known, or cannot be used; `said`: say so on the error stream."""
    why = found.problem or (_evidence.hint(found.arch, found.not_installed) if found.not_installed else "")
    if why and said:
        click.echo(f"Error: {why}", err=True)
    return bool(why)


def _with_evidence(chosen):
    """Leave out architectures whose evidence is not installed, and say so, unless that leaves none."""
    there = [architecture for found, architecture in chosen if not found.not_installed]
    for found, _ in chosen:
        if there and found.not_installed:
            click.echo(f"left out: {_evidence.hint(found.arch, found.not_installed)}", err=True)
    return there or [architecture for _, architecture in chosen]


def _only(found, patterns):
    return attrs.evolve(found, cases=found.only(patterns))


def _check(page, plot):
    """Refuse what could not be written, before the cases run."""
    if page:
        archdef.page.validated.html(())
        will_write(page)
    if plot:
        will_write(plot)
        report.picture.check_suffix(plot, ReferenceCaseError)
        report.picture.figure_type()


def _write(reports, output, page, plot):
    """Write the files asked for."""
    if output:
        write(output, json.dumps(archdef.validate.document(reports), indent=1, allow_nan=False) + "\n")
    if page:
        write(page, archdef.page.validated.html(reports))
    if plot:
        try:
            report.scatter.save_plot(reports, plot)
        except OSError as error:
            raise click.ClickException(f"cannot write {plot}: {error.strerror or error}") from None
