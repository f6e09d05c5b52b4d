"""What shells complete besides names of commands, options and architectures."""
from __future__ import annotations

import re
from pathlib import Path

import click
from click.shell_completion import CompletionItem

import archdef
from archdef.options import ArchitectureName
from archdef.run.names import readable

_KERNELS = re.compile(r"\.entry\s+([\w$]+)|__global__\b[^;{}()]*(?:\([^()]*\)[^;{}()]*)?\b(\w+)\s*\(")
_MOST_BYTES = 4 << 20
"""Of a file that is looked at while somebody waits for an answer to a key."""


class Word(click.ParamType):
    """A text, of which shells complete those that a function lists."""

    def __init__(self, name, listed):
        self.name, self._listed = name, listed

    def shell_complete(self, context, parameter, incomplete):
        return [CompletionItem(word) for word in self._listed(context) if word.startswith(incomplete)]


def _given(context, name):
    """Give the first word of the command, which parsing leaves among others where an option still waits for its value."""
    return context.params.get(name) or next(iter(context.args), "")


def kernels_in(path: str) -> list[str]:
    """Name the kernels of a .cu or .ptx file, as far as its text shows them; none if it cannot be read."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_BYTES)
    except (OSError, ValueError):
        return []
    names = [readable(ptx) if ptx else cuda for ptx, cuda in _KERNELS.findall(text)]
    return list(dict.fromkeys(name for name in names if name != "__launch_bounds__"))


def _metrics(context):
    return [name for metric in archdef.metrics.BUILT_IN for name in (metric.name, *metric.aliases)]


def _points(context):
    """``NAME=`` of the parameters of the benchmarks that were named; with the choices of those that have some."""
    known = archdef.microbench.suite.load()
    return [word for name in (context.params.get("words") or context.args) if name in known for parameter, default in known[name].parameters.items()
            for word in ([f"{parameter}={choice}" for choice in known[name].choices.get(parameter, ())] or [f"{parameter}="])]


class Workload(click.ParamType):
    """A shipped workload, or a recipe file."""

    name = "workload"

    def shell_complete(self, context, parameter, incomplete):
        found = [CompletionItem(name) for name in archdef.examples.workload.SHIPPED if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


class KernelOrArchitecture(ArchitectureName):
    """A word of ``archdef report``."""

    def shell_complete(self, context, parameter, incomplete):
        found = WORKLOAD_KERNEL.shell_complete(context, parameter, incomplete)
        return found + [item for item in super().shell_complete(context, parameter, incomplete) if item.type == "plain" or not found]


class BenchmarkOrArchitecture(ArchitectureName):
    """A word of ``archdef microbench``."""

    def shell_complete(self, context, parameter, incomplete):
        found = [CompletionItem(name) for name in archdef.microbench.suite.load() if name.startswith(incomplete)]
        return found + [item for item in super().shell_complete(context, parameter, incomplete) if item.type == "plain" or not found]


KERNEL = Word("kernel", lambda context: kernels_in(_given(context, "file")))
WORKLOAD_KERNEL = Word("kernel", lambda context: kernels_in(str(archdef.examples.load(name).source)) if (
    name := _given(context, "workload")) in archdef.examples.workload.SHIPPED else [])
METRIC = Word("metric", _metrics)
POINT = Word("name=value", _points)
CHECK = Word("check", lambda context: [f"test_{check.name}" for check in archdef.testing.conformance.CHECKS])
FRONT_END = Word("name", lambda context: archdef.frontends.names())
