"""Records as columns, and each text once: what the page's script reads is a fraction of the same as rows of HTML."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SPARSE = 0.3
"""A column of which no larger part differs from its most frequent value is written as that value and the others' places."""
DIGITS = 4


class Strings:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Give the number of a text, a new one for a new text."""
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def all(self) -> list[str]:
        """Texts in the order of their numbers."""
        return list(self._numbers)


def column(values: Iterable[Any]) -> Any:
    """Pack values: a list, or of mostly equal ones ``{"of": the usual, "at": places of others, "is": their values}``; floats keep four digits, and
    whole numbers all."""
    short = [_short(value) for value in values]
    if not short:
        return []
    usual, often = Counter(short).most_common(1)[0]
    if len(short) - often > SPARSE * len(short):
        return short
    others = [k for k, value in enumerate(short) if value != usual]
    return {"of": usual, "at": others, "is": [short[k] for k in others]}


def columns(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, Any]:
    """Pack fields of records, those apart that are nothing everywhere."""
    found = {"rows": len(rows)}
    for name in names:
        values = [row[name] for row in rows]
        if any(value is not None for value in values):
            found[name] = column(values)
    return found


def packed(spec: Any) -> Any:
    """Give the specification of a chart with its values as columns."""
    if isinstance(spec, dict):
        if isinstance(spec.get("values"), list) and spec["values"] and isinstance(spec["values"][0], dict):
            names = dict.fromkeys(name for row in spec["values"] for name in row)
            return {"columns": columns([{name: row.get(name) for name in names} for row in spec["values"]], names)}
        return {key: packed(value) for key, value in spec.items()}
    return [packed(value) for value in spec] if isinstance(spec, list) else spec


def _short(value: Any) -> Any:
    if isinstance(value, float):
        value = float(f"{value:.{DIGITS}g}") if abs(value) < 10 ** DIGITS else round(value)
        return int(value) if value == int(value) else value
    return value
