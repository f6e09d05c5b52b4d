"""``archdef page``: an architecture as a page with a block diagram."""
from __future__ import annotations

import click

from archdef.cli.common import architecture, emit, json_option, set_option, will_write


@click.command("page")
@click.argument("arch")
@click.option("--output", "-o", required=True, type=click.Path(dir_okay=False),
              help="A .html file, a .md file (its diagram goes beside it as .svg), or an .svg file for the diagram alone.")
@set_option
@json_option
def command(arch, output, settings, as_json):
    """Write a page about ARCH: a block diagram drawn from the declaration, then every field, its meaning and its evidence."""
    from archdef.page import save_page

    will_write(output)
    try:
        files = save_page(architecture(arch, settings), output)
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror or error}") from None
    if as_json:
        emit({"files": [str(path) for path in files]})
    else:
        click.echo("wrote " + " and ".join(map(str, files)))
