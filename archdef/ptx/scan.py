"""Cut PTX text into tokens, each tied to its line and column."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

from archdef.errors import PtxError, nearest

# One match is a gap, then one token, or (group 2) everything from the first junk character on: taking the rest in one
# bite keeps the scan linear when a comment is never closed. Nothing here ever backtracks: groups are atomic and quantifiers of
# single characters possessive. Those of groups go wrong before Python 3.11.5 (python/cpython#106052).
_TOKEN = re.compile(
    r"""
    (?> (?: \s++ | //[^\n]*+ | /\*(?s:.*?)\*/ | (?<![^\n])(?:\#|@@DWARF)[^\n]*+ )* )
    (?: ( (?:[A-Za-z_$]|%(?=[A-Za-z_$]))[\w$]*+ (?> (?: (?:\.|::)[\w$]++ )* )  # add.s32, %tid.x, $L__BB0_1
        | \d++ (?:\.\d*+)? [eE][+-]?\d++ (?![\w$])                 # 1.5e-3
        | \d[\w.]*+                                                # 12, 0x1F, 0f3F800000, 7.8
        | \.\d++ (?:[eE][+-]?\d++)? (?![\w$])                      # .5
        | \.[\w$]++ (?> (?: ::[\w$]++ )* )                              # .reg, .shared::cta
        | "(?> (?:[^"\\\n]|\\.)* )"
        | <<|>>|<=|>=|==|!=|&&|\|\|
        | (?!/\*)[][(){}<>,;:@+\-*/%~!&|^?=]
        )
      | ((?s:.+))
      | \Z
    )""",
    re.VERBOSE | re.ASCII,
)

_SHOWN_LINE = 400
"""Longest line shown under an error: a longer one is not written by people, and hides the message."""
_SUGGEST_FROM = 4000
"""Most names compared for ``did you mean``: the comparison is slow, and hostile input may declare millions."""


class Source:
    """PTX text that can say where an offset lies."""

    __slots__ = ("file", "line_starts", "lines", "text")

    def __init__(self, text: str, file: str):
        self.text, self.file = text, file
        lines = text.split(
            "\n"
        )  # not splitlines(): that breaks lines at form feeds too, and counts differ from editors'
        self.line_starts = starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        self.lines = tuple(line.rstrip("\r") for line in lines)

    def place(self, offset: int) -> tuple[int, int]:
        """Give the 1-based line and column of an offset."""
        line = min(bisect_right(self.line_starts, offset), len(self.lines))
        return line, offset - self.line_starts[line - 1] + 1

    def error(self, message: str, offset: int, kind: type[PtxError] = PtxError) -> PtxError:
        """Build, for the caller to raise, the error that points at `offset`."""
        line, column = self.place(offset)
        shown = self.lines[line - 1]
        return kind(message, file=self.file, line=line, column=column, text=shown if len(shown) <= _SHOWN_LINE else "")


class Cursor:
    """The tokens of a source, and a position among them.

    `texts` ends in a few empty strings, the tokens of the end of the file, so that looking a little ahead never runs
    off the list.
    """

    __slots__ = ("at", "source", "starts", "texts")

    def __init__(self, source: Source):
        self.texts: list[str] = []
        self.starts = array("q")
        for match in _TOKEN.finditer(source.text):
            if match[1] is None:
                if match[2] is not None:
                    raise _junk(source, match.start(2))
                break
            self.texts.append(match[1])
            self.starts.append(match.start(1))
        self.texts += [""] * 4
        self.starts.extend([len(source.text)] * 4)
        self.source, self.at = source, 0

    def fail(self, message: str, at: int | None = None, kind: type[PtxError] = PtxError) -> PtxError:
        """Build the error that points at token `at`, the present one if not said."""
        return self.source.error(message, self.starts[self.at if at is None else at], kind)

    def shown(self, at: int | None = None) -> str:
        """Name a token in a message."""
        text = self.texts[self.at if at is None else at]
        return f"`{clip(text)}`" if text else "the end of the file"

    def next_is(self, text: str) -> bool:
        """Step over the present token if it is `text`."""
        if self.texts[self.at] != text:
            return False
        self.at += 1
        return True

    def expect(self, text: str, after: str) -> None:
        """Step over `text`, or point right behind the token that it should have followed."""
        if self.texts[self.at] == text:
            self.at += 1
            return
        raise self.missing(text, after)

    def missing(self, text: str, after: str) -> PtxError:
        """Build the error for a `text` that should stand behind the previous token."""
        before = max(self.at - 1, 0)
        offset = self.starts[before] + len(self.texts[before])
        return self.source.error(f"expected `{text}` after {after}, got {self.shown()}", offset)

    def word(self, what: str) -> str:
        """Take an identifier."""
        text = self.texts[self.at]
        if not is_name(text):
            raise self.fail(f"expected {what}, got {self.shown()}")
        self.at += 1
        return text


def is_name(text: str) -> bool:
    """Tell whether a token is one identifier without dotted parts."""
    return bool(text) and (text[0].isalpha() or text[0] in "_$%") and "." not in text and ":" not in text


def words(text: str) -> frozenset[str]:
    """Make a set of the blank-separated words of a table."""
    return frozenset(text.split())


def clip(text: str) -> str:
    """Shorten a token for a message."""
    return text if len(text) <= 60 else text[:57] + "..."


def suggest(word: str, known) -> str:
    """Give `` (did you mean …?)`` unless comparing would take long."""
    known = list(known)
    return nearest(word, known) if len(word) <= 60 and len(known) <= _SUGGEST_FROM else ""


def _junk(source: Source, offset: int) -> PtxError:
    character = source.text[offset]
    if source.text.startswith("/*", offset):
        return source.error("comment without its `*/`", offset)
    if character == '"':
        return source.error("string without its closing quote", offset)
    return source.error(f"character {character!r} has no place in PTX", offset)
