"""``archdef page``: an architecture as a page with a block diagram."""
from __future__ import annotations

import click

import archdef
from archdef import _evidence
from archdef.cli.common import common_options, emit, task
from archdef.cli.output import will_write
from archdef.options import architecture, machine_option


@click.command("page")
@machine_option
@click.option("--output", "-o", required=True, type=click.Path(dir_okay=False),
              help="A .html file, a .md file (its diagram goes beside it as .svg), or an .svg file for the diagram alone.")
@click.option("--ladders", "-l", is_flag=True, help="Run the published curves among its reference cases, and draw them beside the model's; up to some minutes.")
@common_options
def command(arch, output, ladders, settings, as_json):
    """Write a page about ARCH: a block diagram drawn from the declaration, then every field, its meaning and its evidence."""
    will_write(output)
    chosen = architecture(arch, settings)
    try:
        files = archdef.page.save_page(chosen, output, _curves(chosen) if ladders else ())
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror or error}") from None
    if as_json:
        emit({"files": [str(path) for path in files]})
    else:
        click.echo("wrote " + " and ".join(map(str, files)))


def _curves(chosen):
    """Run the ladders among the reference cases of an architecture, and draw them."""
    named = sorted({case.id for case in archdef.validate.references(chosen.name).cases if case.ladder})
    if not named:
        raise click.ClickException(_evidence.hint(chosen.name) or f"no published curve of {chosen.name} is among its reference cases")
    with task(f"page {chosen.label}") as bar:
        (found,) = archdef.validate.validate([chosen], only=named, said=bar.counted)
    return archdef.page.curves(archdef.validate.ladders(found.outcomes))
