"""Values as callers give them: checked once, where they enter, and shown in messages whatever they hold.

Each check gives the value in the form that the rest relies on, or raises the error class that the caller names.
"""
from __future__ import annotations

import numbers
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

MOST_SHOWN = 200
"""Characters of a value that a message shows."""
MOST_WHOLE = 1 << 63
"""No number that a user gives is as large."""


def shown(value: object) -> str:
    """Give a value's repr for a message: of bounded length, also of numbers that Python does not print."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 512:
        return f"{'-' * (value < 0)}2^{value.bit_length() - 1} and more"
    try:
        said = repr(value)
    except Exception as error:  # noqa: BLE001  the repr is the caller's code, or holds a number of too many digits
        said = f"a {type(value).__name__} ({type(error).__name__} from its repr)"
    return printable(said if len(said) <= MOST_SHOWN else f"{said[:MOST_SHOWN - 1]}…")


def cut(text: str, most: int = 60) -> str:
    """Give a text, or as much of it as there is room for, for a line that says what something is."""
    return printable(text if len(text) <= most else f"{text[:most - 1]}…")


def printable(text: str) -> str:
    """Give a text with characters that control a terminal, or that no encoding has, shown as escapes; lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or not _hidden(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def _hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def as_whole(value: Any) -> int | None:
    """Give a whole number of at most 64 bits as an int, None for anything else.

    numpy's and floats such as ``1e9`` are taken, yes and no are not.
    """
    if type(value) is int and -MOST_WHOLE < value < MOST_WHOLE:
        return value
    if getattr(value, "shape", None) == ():
        value = value[()]
    fits = _is_real(value) and -MOST_WHOLE < value < MOST_WHOLE
    return int(value) if fits and value == int(value) else None


def _is_real(value: Any) -> bool:
    """Whether it is a number, of Python or of numpy, that is not complex; yes and no are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def whole(value: Any, what: str, error: type[Exception], *, at_least: int = 0, at_most: int | None = None) -> int:
    """Give a whole number between bounds as an int; `as_whole` says what is one."""
    number = as_whole(value)
    if number is None or number < at_least or (at_most is not None and number > at_most):
        large = " and less than 2^63" if isinstance(value, int) and value >= MOST_WHOLE else ""
        bounds = f"of at least {at_least:,}{large}" if at_most is None else f"from {at_least:,} to {at_most:,}"
        raise error(f"{what} must be a whole number {bounds}, got {shown(value)}")
    return number


def seconds(value: Any, what: str, error: type[Exception]) -> float:
    """Give a span of time as a float."""
    if not _is_real(value) or not 0 <= value <= 1e9:
        raise error(f"{what} must be a number of seconds from 0 to 1e9, got {shown(value)}")
    return float(value)


def flag(value: Any, what: str, error: type[Exception]) -> bool:
    """Give a yes or no as a bool; numpy's, 0 and 1 are taken."""
    if value is True or value is False:
        return value
    if isinstance(value, (numbers.Integral, bool)) or type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy":
        if value in (0, 1):
            return bool(value)
    raise error(f"{what} must be True or False, got {shown(value)}")


def one_of(value: Any, what: str, choices: tuple[str, ...], error: type[Exception]) -> str:
    """Take one of some words. Raises `error`, which says which there are."""
    if not isinstance(value, str) or value not in choices:
        raise error(f"{what} is one of {', '.join(choices)}, got {shown(value)}")
    return value


def text(value: Any, what: str, error: type[Exception]) -> str:
    """Give a text that every file and compiler takes: no NUL, and no half of a surrogate pair."""
    if not isinstance(value, str):
        raise error(f"{what} must be a text, got {shown(value)}")
    if (bad := unencodable(value)) is not None:
        raise error(f"{what} must hold no {bad}, got {shown(value)}")
    return value


def texts(value: Any, what: str, error: type[Exception]) -> tuple[str, ...]:
    """Give a list of texts as a tuple."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable) or hasattr(value, "shape"):
        raise error(f"{what} must be a list of texts, got {shown(value)}")
    return tuple(text(one, f"each of {what}", error) for one in value)


def mapping(value: Any, what: str, error: type[Exception]) -> dict[str, Any]:
    """Give a mapping from names as a dict."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise error(f"{what} must map names to values, got {shown(value)}")
    return dict(value)


def unencodable(text: str) -> str | None:
    """Say which character of a text no file can hold; None: there is none."""
    if "\0" in text:
        return "NUL character"
    return "lone surrogate" if any("\ud800" <= c <= "\udfff" for c in text) else None
