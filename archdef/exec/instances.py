"""Names of kernels that tell the instances of a template apart, and overloads, by what differs between them alone."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from archdef.frontends.demangling import demangled

_SAME = "…"
_OPEN, _CLOSE = "<([{", ">)]}"


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Give each kernel a name that no other has.

    names : symbol in PTX → readable name, without arguments of templates. A name that one kernel has alone stays as it is. Those of others get the arguments
            of their template, and where these are the same the types of their parameters; of arguments only what differs is shown, … for the rest.
    """
    found: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for symbol, name in names.items():
        groups.setdefault(name, []).append(symbol)
    for name, symbols in groups.items():
        found.update(_apart(name, symbols) if len(symbols) > 1 else {symbols[0]: name})
    return found


def _apart(name: str, symbols: Sequence[str]) -> dict[str, str]:
    texts = [demangled(symbol) or "" for symbol in symbols]
    arguments, parameters = zip(*map(_parts, texts), strict=True)
    for kind, lists in (("<>", arguments), ("()", parameters)):
        if len({*lists}) == len(symbols):
            return {symbol: f"{name}{kind[0]}{', '.join(each)}{kind[1]}" for symbol, each in zip(symbols, _shortened(lists), strict=True)}
    both = [f"{name}<{', '.join(one)}>({', '.join(other)})" for one, other in zip(_shortened(arguments), _shortened(parameters), strict=True)]
    return dict(zip(symbols, both if len({*both}) == len(symbols) else [f"{name} ({symbol})" for symbol in symbols], strict=True))


def _parts(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take a demangled name apart: the arguments of the template whose instance it is, and the types of its parameters."""
    front, parameters = _last(text.rstrip(), "(")
    _, arguments = _last(front.rstrip(), "<")
    return tuple(_split(arguments)), tuple(_split(parameters))


def _last(text: str, bracket: str) -> tuple[str, str]:
    """Give what stands before the brackets that end a text, and within them; all of it and nothing if it ends in none of the kind."""
    if text[-1:] != _CLOSE[_OPEN.index(bracket)]:
        return text, ""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in _CLOSE) - (text[at] in _OPEN)
        if not depth:
            return text[:at], text[at + 1:-1]
    return text, ""


def _split(text: str) -> list[str]:
    """Give what commas part, outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def _shortened(lists: Iterable[tuple[str, ...]]) -> list[list[str]]:
    """Leave out of lists of arguments what is the same in all, one … for each row of it."""
    lists = list(lists)
    if len({len(each) for each in lists}) > 1:
        return [list(each) for each in lists]
    columns = [_column(column) for column in zip(*lists, strict=True)]
    made = []
    for row in range(len(lists)):
        cells = [column[row] for column in columns]
        made.append([cell for at, cell in enumerate(cells) if cell != _SAME or at == 0 or cells[at - 1] != _SAME])
    return made


def _column(cells: tuple[str, ...]) -> list[str]:
    """Shorten one argument of all: … if it is the same; instances of one template by what differs in theirs."""
    if len({*cells}) == 1:
        return [_SAME] * len(cells)
    fronts, insides = zip(*(_last(cell, "<") for cell in cells), strict=True)
    if len({*fronts}) == 1 and all(insides):
        return [f"{fronts[0]}<{', '.join(each)}>" for each in _shortened(tuple(_split(inside)) for inside in insides)]
    return list(cells)
