"""Which colour each piece of a line of code has, by Pygments."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def coloured(text: Sequence[str], language: str) -> list[tuple[str, str]]:
    """Give each line with its pieces: ``3k,1,2nf`` are three characters of class ``k``, one of none, two of class ``nf``."""
    lines = ["".join(c if _is_text(c) else "\N{REPLACEMENT CHARACTER}" for c in line) for line in text]
    pieces = _pieces("\n".join(lines), language)
    if len(pieces) != len(lines) or any(sum(n for n, _ in each) != _units(line) for line, each in zip(lines, pieces, strict=True)):
        return [(line, "") for line in lines]       # a lexer that adds or loses characters has nothing to say
    return [(line, ",".join(f"{n}{kind}" for n, kind in each) if any(kind for _, kind in each) else "") for line, each in zip(lines, pieces, strict=True)]


def rules() -> str:
    """Give the style sheet of the colours, for light and for dark."""
    from pygments.formatters import HtmlFormatter

    found = []
    for style, where in (("default", ""), ("github-dark", ":root[data-theme=dark] ")):
        found += [where + rule for rule in HtmlFormatter(style=style).get_style_defs(".k").splitlines() if rule.startswith(".k .")]
    return "\n" + "\n".join(found)


def _pieces(text: str, language: str) -> list[list[tuple[int, str]]]:
    """Give length and class of the pieces of each line."""
    from pygments.lexers import get_lexer_by_name
    from pygments.token import STANDARD_TYPES

    def short(kind: Any) -> str:
        while kind not in STANDARD_TYPES:
            kind = kind.parent
        return "" if STANDARD_TYPES[kind] in ("w", "err") else STANDARD_TYPES[kind]      # what the lexer does not know is no error of the code

    lines: list[list[tuple[int, str]]] = [[]]
    for kind, value in get_lexer_by_name(language, stripnl=False, ensurenl=False).get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                name, last = short(kind), lines[-1]
                if last and last[-1][1] == name:
                    last[-1] = (last[-1][0] + _units(part), name)
                else:
                    last.append((_units(part), name))
    return lines


def _units(text: str) -> int:
    """Count UTF-16 units, as scripts of pages do."""
    return len(text.encode("utf-16-le")) // 2


def _is_text(c: str) -> bool:
    return c == "\t" or ord(c) >= 32 and c not in "\x7f\x85\u2028\u2029" and not "\ud800" <= c <= "\udfff"
