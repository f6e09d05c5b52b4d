"""Numbers and units as exports have them: separators of thousands, decimal commas, prefixes of units."""
from __future__ import annotations

import re
from collections.abc import Iterable

from archdef.ncu.launch import NcuError

_PREFIXES = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
             "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_BASES = {"byte": "byte", "bytes": "byte", "B": "byte", "second": "s", "s": "s", "hz": "hz", "Hz": "hz", "bit": "bit"}
_SAME = {"sectors": "sector", "cycles": "cycle", "branches": "branch", "registers": "register", "warps": "warp", "threads": "thread", "blocks": "block"}
_UNIT = re.compile(rf"({'|'.join(sorted(_PREFIXES, key=len, reverse=True))})?({'|'.join(sorted(_BASES, key=len, reverse=True))})")
_THOUSANDS = re.compile("[ '\u2019\u00a0\u202f\u2009]")
"""What may part thousands besides comma and point."""
_NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?%?")


def scaled(unit: str) -> tuple[float, str]:
    """Give what a unit is times one without prefixes, and that: ``Kbyte/s`` is 1000 of ``byte/s``, ``usecond`` a millionth of ``s``."""
    scale, parts = 1.0, []
    for place, part in enumerate(unit.strip().split("/")):
        found = _UNIT.fullmatch(part)
        factor = _PREFIXES[found[1]] if found and found[1] else 1.0
        scale = scale / factor if place else scale * factor
        parts.append(_BASES[found[2]] if found else _SAME.get(part, part))
    if parts[-1:] == ["s"] and parts[:-1] == ["cycle"]:
        return scale, "hz"
    return scale, "/".join(parts)


def is_number(text: str) -> bool:
    """Tell whether a value looks like a number, however it is written."""
    return _NUMBER.fullmatch(_THOUSANDS.sub("", text)) is not None


def decimal_comma(texts: Iterable[str], source: str) -> bool:
    """Tell from all values of an export whether its decimal sign is the comma.

    Raises NcuError where some can only be read so, and others only the other way.
    """
    comma, point = "", ""
    for text in texts:
        bare = _THOUSANDS.sub("", text.strip().rstrip("%"))
        if "," not in bare and "." not in bare:
            continue
        last = max(bare.rfind(","), bare.rfind("."))
        sign, other = bare[last], ",."[bare[last] == ","]
        decimal = other in bare or (bare.count(sign) == 1 and not _grouped(bare, sign))
        if not decimal and bare.count(sign) > 1:        # 1,234,567: it parts thousands
            sign, decimal = other, True
        if decimal and sign == ",":
            comma = comma or text
        elif decimal:
            point = point or text
    if comma and point:
        raise NcuError(f"{source}: {comma!r} has a decimal comma, {point!r} a decimal point: export all of it with one locale, such as LC_ALL=C")
    return bool(comma)


def _grouped(bare: str, sign: str) -> bool:
    """Tell whether a single sign may part thousands."""
    head, tail = bare.lstrip("+-").split(sign)
    return 1 <= len(head) <= 3 and len(tail) == 3 and tail.isdigit() and head.isdigit() and head != "0"


def number(text: str, comma: bool) -> float | None:
    """Read a number; None for what is none."""
    bare = _THOUSANDS.sub("", text.strip().rstrip("%"))
    bare = bare.replace(".", "").replace(",", ".") if comma else bare.replace(",", "")
    try:
        return float(bare)
    except ValueError:
        return None
