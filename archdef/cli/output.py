"""Files that sub-commands write: refused before the work, written as a whole or not at all."""
from __future__ import annotations

import os
from pathlib import Path

import click

import archdef
from archdef import html, report

TRACES = (".json", ".json.gz", ".perfetto-trace")
"""How names of traces end."""


def write(path: str | None, text: str) -> None:
    """Write a file, as a whole or not at all; without a path, print."""
    if path is None or path == "-":
        click.echo(text, nl=False)
        return
    try:
        archdef.files.atomic.write_text(path, text)
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from None


def will_write(path: str | None) -> None:
    """Refuse a file that could not be written, before the work whose result it shall hold."""
    if path in (None, "-"):
        return
    place = Path(path)
    folder = place.parent
    try:
        why = (f"there is no folder {folder}" if not folder.is_dir() else "it is a folder" if place.is_dir()
               else f"the folder {folder} cannot be written" if not os.access(folder, os.W_OK)
               else "the file cannot be written" if place.exists() and not os.access(place, os.W_OK) else None)
    except OSError as error:        # a name that is too long
        why = error.strerror or str(error)
    if why:
        raise click.ClickException(f"cannot write {path}: {why}")


def destination(path: str, name: str, several: bool, endings: tuple[str, ...]) -> str:
    """Give the file for one of several machines, with its name in front of the ending; the path itself if there is one machine."""
    ending = next((ending for ending in endings if path.endswith(ending)), "")
    return f"{path.removesuffix(ending)}.{name.replace('/', '_')}{ending}" if several else path


def will_plot(path: str | None) -> None:
    """Refuse a plot that could not be made, before the work that it shall show. Raises MissingExtra without matplotlib."""
    if path is not None:
        report.picture.check_suffix(path)
        will_write(str(path))
        report.picture.figure_type()


def will_report(path: str | None) -> None:
    """Refuse a report that could not be written, before the launches that it shall show. Raises MissingExtra without its packages."""
    if path is not None:
        html.document.check(path)
        will_write(path)
