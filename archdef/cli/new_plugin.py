"""``archdef new-plugin``: the files of a new plugin."""
from __future__ import annotations

import click

import archdef
from archdef.cli.common import common_options, emit
from archdef.options import ArchitectureName


@click.command("new-plugin")
@click.argument("name")
@click.option("--from", "base", metavar="ARCH", type=ArchitectureName(), help="Installed architecture of which the new one is a variant.")
@click.option("--in", "folder", type=click.Path(exists=True, file_okay=False), default=".", help="Where to put the new folder; here, if left out.")
@common_options
def command(name, base, folder, as_json):
    """Write a complete plugin that declares the architecture NAME, into the new folder archdef-NAME.

    It installs and passes its tests as it is. Without --from it declares a small machine, everything spelled out and commented.
    """
    made = archdef.scaffold.new_plugin(name, base=base, folder=folder)
    if as_json:
        emit({"folder": str(made), "files": sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())})
        return
    click.echo(f"wrote {made}; now:\n  cd {made}\n  pip install -e '.[test]'\n  pytest\n"
               f"  archdef {f'diff {base}' if base else 'show'} {name}\nthe declaration is src/archdef_{name}/__init__.py")
