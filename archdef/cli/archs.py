"""``archdef archs``: the installed architectures."""
from __future__ import annotations

import warnings

import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show
from archdef.cli.data import data_option


@click.command("archs")
@data_option("archdef.spec.arch.Architecture")
@common_options
def command(data, as_json):
    """List the installed architectures, and plugins that could not be loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", archdef.registry.PluginWarning)  # the list itself names them
        found = archdef.registry.all().values()
    problems = archdef.registry.problems()
    data.of(*found)
    if as_json:
        emit({"architectures": [report.described.facts(architecture) for architecture in found],
              "broken": {name: str(error) for name, error in problems.items()}})
    elif not found and not problems:
        click.echo("no architecture plugin is installed; each is a distribution of its own, "
                   "such as those in the folder plugins/ of the sources: pip install ./plugins/NAME")
    else:
        show(report.described.render_list(list(found), problems))
