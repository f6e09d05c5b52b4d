"""The option ``--ncu``: an export of Nsight Compute, laid beside launches."""
from __future__ import annotations

import click

import archdef
from archdef._views import NCU
from archdef.cli.common import show
from archdef.errors import ArchdefError


def _read(context: click.Context, parameter: click.Parameter, path):
    return None if path is None else archdef.ncu.read(path)


ncu_option = click.option("--ncu", "measured", callback=_read, metavar="FILE",
                          help="Lay beside the launches what Nsight Compute measured of these kernels on hardware: CSV of 'ncu --csv', or a .ncu-rep report.")


def refuse_views(measured, data) -> None:
    """Refuse views of an export where there is none."""
    if measured is None and (asked := data.among(NCU)):
        raise click.UsageError(f"{', '.join(asked)} needs --ncu, an export of Nsight Compute")


class Laid:
    """An export, if there is one, beside runs; what it lacks is a warning, an error if that is all of them."""

    def __init__(self, measured, runs, data):
        found = list(archdef.ncu.matched(measured, runs)) if measured is not None else []
        self.beside = [one for one in found if not isinstance(one, ArchdefError)]
        self.errors = [one for one in found if isinstance(one, ArchdefError)]
        data.of(*self.beside)
        data.of(*measured or ())

    def of(self, run) -> dict:
        """Give what a run's JSON has of it."""
        return next(({"ncu": one.to_dict()} for one in self.beside if one.run is run), {})

    def all(self) -> dict:
        """Give what the JSON of all runs has of it."""
        return {"ncu": [one.to_dict() for one in self.beside]} if self.beside else {}

    def show(self) -> None:
        """Print the tables."""
        for one in self.beside:
            show(one)

    def finish(self) -> None:
        """Say what the export lacks, once all else is said. Raises NcuError if that is everything."""
        if self.errors and not self.beside:
            raise self.errors[0]
        for error in self.errors:
            click.echo(f"warning: {error}", err=True)
