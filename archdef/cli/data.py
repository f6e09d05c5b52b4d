"""The option ``--data``: views of what a command prints, as files for other programs."""
from __future__ import annotations

import click

import archdef
from archdef._views import OF
from archdef.cli.output import will_write
from archdef.errors import nearest


class Written:
    """Files that were asked for, by view."""

    def __init__(self, paths: dict[str, str]):
        self.paths = paths

    def __bool__(self) -> bool:
        return bool(self.paths)

    def among(self, names) -> list[str]:
        """Say which of some views were asked for."""
        return [name for name in self.paths if name in names]

    def beside(self, names) -> list[str]:
        """Say which others were asked for."""
        return [name for name in self.paths if name not in names]

    def refuse(self) -> None:
        """Refuse to write anything where a list is printed."""
        if self.paths:
            raise click.UsageError("--data writes what a command finds out, --list finds out nothing; the list is JSON with --json")

    def of(self, *results) -> None:
        """Write those of results of one kind."""
        if results:
            self.write(archdef.views(*results))

    def write(self, views) -> None:
        """Write those that are among some views."""
        for name, path in self.paths.items():
            if name in views:
                try:
                    views[name].save(path)
                except OSError as error:
                    raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from None


def data_option(*kinds: str, only: tuple[str, ...] = ()):
    """Give a command ``--data``, as ``data``.

    kinds : types of results, as `archdef._views.OF` has them, that of the most interest first.
    only  : the views that the command has, if not all of those.
    """
    known = list(only or dict.fromkeys(name for kind in kinds for name in OF[kind]))

    def parse(context: click.Context, parameter: click.Parameter, texts) -> Written:
        paths: dict[str, str] = {}
        for text in texts:
            before, equals, behind = text.partition("=")
            name, path = (before, behind) if equals and before.isidentifier() else (known[0], text)
            if name not in known:
                raise click.BadParameter(f"no view is called {name!r}{nearest(name, known)}; there are {', '.join(known)}")
            if name in paths:
                raise click.BadParameter(f"the view {name} is written twice")
            archdef.data.formats.checked(path)
            will_write(path)
            paths[name] = path
        return Written(paths)

    others = f", {', '.join(known[1:])}" if known[1:] else ""
    return click.option("--data", multiple=True, callback=parse, metavar="[VIEW=]FILE",
                        help=f"Write a view to a .csv, .json, .arrow or .parquet file; may be repeated. Views: {known[0]} (if none is named){others}.")
