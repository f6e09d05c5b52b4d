"""``archdef validate``: the model's figures beside hardware's."""
from __future__ import annotations

import json

import attrs
import click

import archdef
from archdef import report
from archdef.cli.common import emit, json_option, show
from archdef.cli.output import will_write, write
from archdef.errors import ReferenceCaseError
from archdef.options import architectures, parse_settings


@click.command("validate")
@click.argument("archs", nargs=-1, metavar="[ARCH]...")
@click.option("--only", "-k", "only", multiple=True, metavar="PATTERN", help="Only these cases: a group, GROUP/CASE, or a glob. May be repeated.")
@click.option("--quick", is_flag=True, help="Leave out the cases that take more than a few seconds.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Processes to run experiments in.")
@click.option("--all", "everything", is_flag=True, help="List exact cases that are equal, too, however many there are.")
@click.option("--list", "listed", is_flag=True, help="List the cases, and run nothing.")
@click.option("--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write the JSON document to a file, as a whole or not at all.")
@click.option("--html", "page", type=click.Path(dir_okay=False), metavar="FILE", help="Write a page that needs no other file.")
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Plot model against hardware: a .svg, .png or .pdf file.")
@click.option("--draft-gaps", is_flag=True, help="Print what the plugin's gaps.toml should hold today, in place of the tables.")
@click.option("--set", "settings", multiple=True, callback=parse_settings, metavar="PATH=VALUE",
              help="Change a field of the architectures, to see what it does to the errors. May be repeated.")
@json_option
@click.pass_context
def command(context, archs, only, quick, jobs, everything, listed, output, page, plot, draft_gaps, settings, as_json):
    """Run the reference cases that plugins ship, and print the model's figures beside published and measured ones.

    Of the architectures named, or of all that are installed. A miss that is listed as known is no fault; exit code 1 if a new one
    has opened or a known one has closed, 2 if something cannot be loaded.
    """
    chosen = architectures(archs, settings)
    if listed:
        click.echo(report.validated.listing(_only(archdef.validate.references(architecture.name), only) for architecture in chosen))
        return
    will_write(output)
    _check(page, plot)
    with report.validated.Live(hidden=as_json) as live:
        reports = archdef.validate.validate(chosen, only=only, quick=quick, jobs=jobs, said=live.update)
    _write(reports, output, page, plot)
    if draft_gaps:
        click.echo(archdef.validate.draft.draft_gaps(reports), nl=False)
    elif as_json:
        emit(archdef.validate.document(reports))
    else:
        show(report.validated.render(reports, everything))
    context.exit(0 if all(each.good for each in reports) else 1)


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
