"""What all sub-commands have: JSON, the console, what is logged."""
from __future__ import annotations

import importlib
import json
import math
from collections.abc import Mapping

import click

from archdef import report
from archdef.cli import verbosity_options


def common_options(command=None, *, about="Print one JSON document instead of tables."):
    """Give a command ``--json``, as ``as_json``, and ``-v`` and ``-q``; `about` is what ``--json`` does."""
    if command is None:
        return lambda found: common_options(found, about=about)
    return click.option("--json", "as_json", is_flag=True, help=about)(verbosity_options(command))


def task(label):
    """Give an `archdef.progress.Task`, which help does without."""
    return importlib.import_module("archdef.progress").Task(label)


def show(renderable) -> None:
    """Print a rich object in the columns there are; what goes to a pipe or a file is as wide as it is."""
    report.terminal.show(renderable)


def emit(data) -> None:
    """Print one JSON document; what JSON has no word for (infinite, not a number) becomes null."""
    click.echo(document(data))


def document(data) -> str:
    """Give one JSON document as `emit` prints it."""
    return json.dumps(_plain(data), indent=2, default=str)


def _plain(value):
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if hasattr(value, "item") else value
