"""What archdef logs, on the error stream, above the bars that may be there."""
from __future__ import annotations

import logging
import warnings
from collections.abc import Callable

import click

from archdef.console import console
from archdef.progress import DISPLAY

LEVELS = (logging.ERROR, logging.INFO, logging.DEBUG)
"""By how often -v was given."""


class Handler(logging.Handler):
    """Writes a line for each record."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write it where the bars are drawn."""
        shown = DISPLAY.console() if DISPLAY.busy else console(stderr=True)
        shown.print(self.format(record), soft_wrap=True)


def begin(context: click.Context, verbose: int, quiet: bool) -> None:
    """Log as much as was asked for until the command ends; `quiet`: nothing but errors, no bars, no warnings."""
    root, log = context.find_root(), logging.getLogger("archdef")
    if __name__ not in root.meta:       # else asked for before and behind the name of the command
        root.meta[__name__] = True
        root.call_on_close(_restored(log, log.level, DISPLAY.quiet))
    log.setLevel(logging.CRITICAL if quiet else LEVELS[min(verbose, len(LEVELS) - 1)])
    if quiet:
        DISPLAY.quiet = True
        warnings.simplefilter("ignore")


def _restored(log: logging.Logger, level: int, quiet: bool) -> Callable[[], None]:
    """Write what is logged; give what ends that."""
    handler, filters = Handler(), warnings.catch_warnings()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    log.addHandler(handler)
    filters.__enter__()

    def end() -> None:
        filters.__exit__(None, None, None)
        log.removeHandler(handler)
        log.setLevel(level)
        DISPLAY.quiet = quiet

    return end
