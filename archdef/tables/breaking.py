"""Where texts may be broken or shortened: never within a number."""
from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

WORD = re.compile(r"\s*\S+(?:(?<=\d) (?:%|B|[KMG]i?B(?:/s)?|[mun]?s)(?!\w)\S*)?")
"""A word with the blanks before it; a number and its unit are one."""
_BREAK = re.compile(r"(?<=[,;:/_=\-(|.>])(?![\d,;:/_=\-(|.>)\]])|(?<=[a-z])(?=[A-Z])")
"""Where a word that has no room may be broken: behind punctuation, unless a digit follows, and before the capitals of a ``NameLikeThis``."""
_PLACE = re.compile(r"(.*?)((?::\d+)+)\Z", re.DOTALL)
ELLIPSIS = "…"


def pieces(word: str) -> list[str]:
    """Split a word where it may be broken; what belongs to a number stays together."""
    return [piece for piece in _BREAK.split(word) if piece]


def wrap(text: Text, width: int) -> list[Text]:
    """Break a text into lines; a line that is indented goes on with the same indentation."""
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        indent = " " * min(len(line.plain) - len(line.plain.lstrip()), width // 2)
        parts = line.divide(_offsets(line.plain, width, len(indent)))
        for number, part in enumerate(parts):
            part.rstrip()
            if number:
                part = Text.assemble(indent, part[len(part.plain) - len(part.plain.lstrip()):])
            lines.append(part)
    return lines


def _offsets(line: str, width: int, indent: int) -> Iterator[int]:
    """Give the places at which new lines begin."""
    used = 0
    for found in WORD.finditer(line):
        word, at = found[0], found.start()
        bare = word.lstrip()
        if used + cell_len(word) <= width:
            used += cell_len(word)
            continue
        if used and at:
            yield at
            used = indent
            word, at = bare, found.end() - len(bare)
        for piece in _fitting(word, width - indent):
            if used > indent and used + cell_len(piece) > width:
                yield at
                used = indent
            used += cell_len(piece)
            at += len(piece)


def _fitting(word: str, width: int) -> Iterator[str]:
    """Split a word into parts that fit, each as long as can be."""
    if cell_len(word) <= width:
        yield word
        return
    for piece in pieces(word):
        while cell_len(piece) > width:
            head = _head(piece, width)
            yield head
            piece = piece[len(head):]
        if piece:
            yield piece


def _head(text: str, width: int) -> str:
    """Give as much of a text as fits, and no part of a number, unless it is all number."""
    end = len(text)
    while end > 1 and cell_len(text[:end]) > width:
        end -= 1
    whole = end
    while whole and whole < len(text) and _number(text[whole]) and _number(text[whole - 1]):
        whole -= 1
    return text[:whole or end]


def _number(character: str) -> bool:
    return character.isdigit() or character in ".,"


def shorten(text: Text, width: int) -> Text:
    """Cut a text off at its end, and say so; what is left of a number at the cut goes, too."""
    if cell_len(text.plain) <= width:
        return text
    head = _head(text.plain, width - 1)
    kept = text[:len(head)] if cell_len(head) < width else Text()
    kept.rstrip()
    return kept.append(ELLIPSIS)


def shorten_place(place: Text, width: int) -> Text:
    """Shorten ``file:line``: only the file's name is cut."""
    if cell_len(place.plain) <= width or not (parts := _PLACE.match(place.plain)):
        return shorten(place, width)
    return Text.assemble(shorten(place[:len(parts[1])], max(1, width - len(parts[2]))), place[len(parts[1]):])


def fold(text: Text, width: int, step: int) -> list[Text]:
    """Break a text, whose characters have a place each, after as many steps as fit."""
    long = max(1, width // step) * step if len(text) > width else width
    return list(text.divide(range(long, len(text), long)))
