"""``archdef page``: an architecture as a page with a block diagram."""
from __future__ import annotations

import click

from archdef import _evidence
from archdef.cli.common import architecture, emit, json_option, set_option, will_write


@click.command("page")
@click.argument("arch")
@click.option("--output", "-o", required=True, type=click.Path(dir_okay=False),
              help="A .html file, a .md file (its diagram goes beside it as .svg), or an .svg file for the diagram alone.")
@click.option("--ladders", "-l", is_flag=True, help="Run the published curves among its reference cases, and draw them beside the model's; up to some minutes.")
@set_option
@json_option
def command(arch, output, ladders, settings, as_json):
    """Write a page about ARCH: a block diagram drawn from the declaration, then every field, its meaning and its evidence."""
    from archdef.page import save_page

    will_write(output)
    chosen = architecture(arch, settings)
    try:
        files = save_page(chosen, output, _curves(chosen) if ladders else ())
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror or error}") from None
    if as_json:
        emit({"files": [str(path) for path in files]})
    else:
        click.echo("wrote " + " and ".join(map(str, files)))


def _curves(chosen):
    """Run the ladders among the reference cases of an architecture, and draw them."""
    from archdef.page import curves
    from archdef.report.validated import Live
    from archdef.validate import ladders, references, validate

    named = sorted({case.id for case in references(chosen.name).cases if case.ladder})
    if not named:
        raise click.ClickException(_evidence.hint(chosen.name) or f"no published curve of {chosen.name} is among its reference cases")
    with Live() as live:
        (report,) = validate([chosen], only=named, said=live.update)
    return curves(ladders(report.outcomes))
