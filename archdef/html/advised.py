"""What to change in a kernel, each piece of advice with the line that it is about."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from archdef.html.code import Code


class Advised(Protocol):
    """A piece of advice, whoever gives it."""

    rule: str
    file: str
    line: int
    """0: the whole kernel."""
    text: str
    said: str
    """The evidence, in a line."""
    remedy: str
    supposed: str
    """Under what it was run again, behind "if"."""
    cycles: int
    cycles_if: int
    """Of the launch under the supposition."""


def advised(given: Iterable[Advised], code: Code) -> list[dict[str, Any]]:
    """Give advice with the places that it leads to, the greatest gain first."""
    shown = {line["place"] for line in code.lines}
    found = []
    for each in given:
        place = code.place(each.file, each.line) if each.line and each.file in code.numbers else ""
        found.append({"rule": each.rule, "to": place if place in shown else None, "line": each.line, "text": each.text, "said": each.said,
                      "remedy": each.remedy, "supposed": each.supposed,
                      "cycles": each.cycles, "cycles_if": each.cycles_if, "gain": each.cycles / each.cycles_if})
    return sorted(found, key=lambda each: -each["gain"])
