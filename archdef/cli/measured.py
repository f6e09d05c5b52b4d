"""The option ``--ncu``: an export of Nsight Compute, laid beside launches."""
from __future__ import annotations

import click

import archdef
from archdef._views import NCU
from archdef.errors import ArchdefError


def _read(context: click.Context, parameter: click.Parameter, path):
    return None if path is None else archdef.ncu.read(path)


ncu_option = click.option("--ncu", "measured", callback=_read, metavar="FILE",
                          help="Lay beside the launches what Nsight Compute measured of these kernels on hardware: CSV of 'ncu --csv', or a .ncu-rep report.")


def laid_beside(measured, runs):
    """Lay an export, if there is one, beside runs; say of which it has nothing. Gives what was laid, and the error if that is nothing at all."""
    found = list(archdef.ncu.matched(measured, runs)) if measured is not None else []
    errors = [one for one in found if isinstance(one, ArchdefError)]
    beside = [one for one in found if not isinstance(one, ArchdefError)]
    for error in errors if beside else ():
        click.echo(f"warning: {error}", err=True)
    return beside, errors[0] if errors and not beside else None


def refuse_views(measured, data) -> None:
    """Refuse views of an export where there is none."""
    if measured is None and (asked := data.among(NCU)):
        raise click.UsageError(f"{', '.join(asked)} needs --ncu, an export of Nsight Compute")
