"""How sub-commands print: JSON, the console."""
from __future__ import annotations

import json
import math
from collections.abc import Mapping

import click

from archdef import report

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables.")


def show(renderable) -> None:
    """Print a rich object in the columns there are; what goes to a pipe or a file is as wide as it is."""
    report.terminal.show(renderable)


def emit(data) -> None:
    """Print one JSON document; what JSON has no word for (infinite, not a number) becomes null."""
    click.echo(json.dumps(_plain(data), indent=2, default=str))


def _plain(value):
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value
