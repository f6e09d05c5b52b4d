"""Which architectures a test runs on, and what its report says of them: the part of the pytest plugin that imports archdef."""
from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from archdef import registry
from archdef.errors import ArchdefError, UnknownField, nearest
from archdef.spec import FEATURES, Architecture

if TYPE_CHECKING:
    from archdef.run.result import Run

INSTALL = "no architecture is installed: install a plugin, such as those in the folder plugins/ of archdef's sources"
_OWN = {"warp_size": "warp.size"}
"""Fields with a word of their own among the mark's arguments."""


def choose(patterns: Iterable[str]) -> tuple[str, ...]:
    """Find the architectures that names, aliases and globs mean, in alphabetical order; all that can be loaded for no pattern.

    Raises pytest.UsageError if there is none for a pattern.
    """
    words = [word.strip() for pattern in patterns for word in pattern.split(",") if word.strip()]
    if not words:
        return tuple(registry.all())
    found = set()
    for word in words:
        if any(c in word for c in "*?["):
            matching = fnmatch.filter(registry.names(), word.lower())
            if not matching:
                raise pytest.UsageError(f"--archdef-arch={word} matches no architecture; installed: {', '.join(registry.names()) or 'none'}")
            found.update(matching)
        else:
            try:
                found.add(registry.get(word).name)
            except ArchdefError as error:
                raise pytest.UsageError(f"--archdef-arch={word}: {error}") from None
    return tuple(sorted(found))


def allowed(names: Sequence[str], marks: Sequence[pytest.Mark]) -> tuple[list[str], str]:
    """Choose the architectures that satisfy all marks of a test; give their names, and why there is none.

    Fails the test's collection if a mark asks for what no architecture can have.
    """
    if not names:
        return [], INSTALL
    left, why = list(names), ""
    for mark in marks:
        before = left
        conditions = _conditions(mark)
        left = [name for name in left if all(holds(registry.get(name)) for _, holds in conditions)]
        if not left:
            asked = ", ".join(text for text, _ in conditions)
            why = f"no architecture satisfies the mark arch({asked}); there were {', '.join(before)}"
            break
    return left, why


def _conditions(mark: pytest.Mark) -> list[tuple[str, Callable[[Architecture], bool]]]:
    """Read a mark: what each condition says, and a function that tells whether it holds."""
    given, conditions = dict(mark.kwargs), []
    if mark.args:
        pytest.fail(f"the mark arch takes keywords only, such as requires=\"shuffle\", got {mark.args[0]!r}", pytrace=False)
    for word in _words(given.pop("requires", ())):
        conditions.append((f"requires={word!r}", _requirement(word)))
    if names := _words(given.pop("names", ())):
        conditions.append((f"names={list(names)!r}", lambda a: any(fnmatch.fnmatch(a.name, name.lower()) or name.lower() in a.aliases
                                                                   for name in names)))
    if (when := given.pop("when", None)) is not None:
        conditions.append((f"when={getattr(when, '__name__', when)}", when))
    fields: dict[str, Any] = dict(given.pop("fields", {}))
    for word in [word for word in given if word in _OWN]:
        fields[_OWN[word]] = given.pop(word)
    if given:
        known = ("requires", "names", "when", "fields", *_OWN)
        word = next(iter(given))
        pytest.fail(f"the mark arch has no argument {word!r}{nearest(word, known)}; it has {', '.join(known)}", pytrace=False)
    for path, value in fields.items():
        conditions.append((f"{path}={value!r}", _field(path, value)))
    return conditions


def _words(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _requirement(word: str) -> Callable[[Architecture], bool]:
    """Read a requirement: a feature, also as ``warp.vote``, or a path of the description that must hold something."""
    feature = word.rpartition(".")[2]
    if word in FEATURES:
        return lambda a: word in a.isa.features

    def holds(architecture: Architecture) -> bool:
        try:
            return bool(architecture[word])
        except UnknownField as error:
            if feature in FEATURES:
                return feature in architecture.isa.features
            if " is None" in str(error):        # a part of one that is left out
                return False
            known = (*FEATURES, *(path for path, _, _ in architecture.walk()))
            raise pytest.fail.Exception(f"the mark arch requires {word!r}, which is neither a feature nor a field{nearest(word, known)}",
                                        pytrace=False) from None
    return holds


def _field(path: str, value: object) -> Callable[[Architecture], bool]:
    def holds(architecture: Architecture) -> bool:
        try:
            has = architecture[path]
        except UnknownField as error:
            if " is None" in str(error):
                return False
            raise pytest.fail.Exception(f"the mark arch asks for a field that there is not: {error}", pytrace=False) from None
        if isinstance(value, (set, frozenset, range, list, tuple)):
            return has in value
        return bool(value(has)) if callable(value) else has == value or getattr(has, "short_name", None) == value
    return holds


# -------------------------------------------------------------------------------------------------------------- reports
def described(architecture: Architecture | None, runs: Sequence[Run]) -> str:
    """Say on which architecture a test ran, and what its launches counted."""
    lines = [str(architecture)] if architecture is not None else []
    total = getattr(runs, "total", len(runs))
    if not runs:
        lines.append("no kernel was launched to its end")
    for number, run in enumerate(runs, start=total - len(runs) + 1):
        shape = " x ".join(str(tuple(size)) for size in (run.grid, run.block))
        lines.append(f"launch {number} of {total}: {run.kernel} {shape}, {run.cycles:,} cycles, {run.registers} registers, occupancy "
                     f"{run.occupancy.occupancy:.0%}" + (f", on {run.architecture.label}" if run.architecture is not architecture else ""))
        lines += _columns({"warps": run.counters.warps, "threads": run.counters.threads, **run.counters.totals()})
        lines += ["  warp cycles by cause:", *_columns(run.counters.stalls, "    ")]
    return "\n".join(lines)


def _columns(counters: Mapping[str, int], indent: str = "  ") -> list[str]:
    """Lay counters that are not zero out, two to a line."""
    shown = [f"{name} {value:,}" for name, value in counters.items() if value]
    return [indent + "".join(f"{text:<44}" for text in shown[k:k + 2]).rstrip() for k in range(0, len(shown), 2)]
