"""Reference pages and figures that archdef makes of itself: ``python docs/generate.py`` writes them into ``docs/_generated``."""
from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click
import figures
import interactive
import notebook

from archdef import hookspecs, registry
from archdef.cli import COMMANDS, main as command_line
from archdef.metrics import BUILT_IN
from archdef.page import save_page


def architectures(folder: Path) -> str:
    """A page for each installed architecture, with its block diagram; gives the index."""
    rows = ["# Architectures", "", "Drawn and listed from the installed declarations.", "", "```{toctree}", ":maxdepth: 1", ""]
    for name in registry.names():
        save_page(registry.get(name), folder / f"arch-{name}.md")
        rows.append(f"arch-{name}")
    return "\n".join([*rows, "```", ""])


def metrics() -> str:
    """Every metric: what it means, how it follows from counters, what other tools call it."""
    rows = ["# Metrics", "", "`archdef metrics NAME` prints the same.", ""]
    for metric in BUILT_IN:
        other = f" Elsewhere: {', '.join(f'`{alias}`' for alias in metric.aliases)}." if metric.aliases else ""
        rows += [f"`{metric.name}` ({metric.unit})", f": {metric.about} `{metric.formula}`.{other}", ""]
    return "\n".join(rows)


def hooks() -> str:
    """Every hook with its signature and contract."""
    rows = ["# Hooks", "", inspect.cleandoc(hookspecs.__doc__).replace("::\n", ":\n"), ""]
    for name, function in inspect.getmembers(hookspecs, inspect.isfunction):
        if name.startswith("archdef_"):
            rows += [f"## `{name}{inspect.signature(function)}`", "", inspect.cleandoc(function.__doc__), ""]
    return "\n".join(rows)


def commands() -> str:
    """Every command with its options, as its help prints them."""
    rows = ["# Command line", "", "`python -m archdef` does the same as `archdef`.", ""]
    for name in COMMANDS:
        command = command_line.get_command(click.Context(command_line), name)
        text = command.get_help(click.Context(command, info_name=f"archdef {name}", max_content_width=100))
        rows += [f"## archdef {name}", "", "```text", text, "```", ""]
    return "\n".join(rows)


def main(folder: Path) -> None:
    """Write all pages and figures."""
    folder.mkdir(exist_ok=True)
    for name, text in (("architectures", architectures(folder)), ("metrics", metrics()), ("hooks", hooks()), ("commands", commands()),
                       ("notebook", notebook.page(notebook.PATH, folder))):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    static = folder / "static"
    static.mkdir(exist_ok=True)
    for figure in figures.FIGURES:
        figures.draw(figure(), static / f"{figure.__name__}.svg")
    interactive.write(folder)


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent / "_generated"))
