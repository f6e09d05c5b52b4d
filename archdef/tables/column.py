"""What a table must know of a column to lay it out."""
from __future__ import annotations

import enum

import attrs


class Kind(enum.Enum):
    """What a column holds, which says how it may be narrowed."""

    NUMBER = enum.auto()
    """Figures, to the right; as wide as they are."""
    NAME = enum.auto()
    """Words that are looked up or copied, such as names of fields; as wide as they are, unless the table would become a list of records."""
    PLACE = enum.auto()
    """``file:line``; the file's name may be shortened, the line never."""
    SOURCE = enum.auto()
    """A line of a program; shortened at its end."""
    PROSE = enum.auto()
    """Words that may stand on several lines; broken at blanks, long ones behind punctuation, numbers never."""
    PICTURE = enum.auto()
    """Characters with a place each; broken after so many as `Column.least` says."""


@attrs.frozen
class Column:
    """One column of a table."""

    heading: str
    kind: Kind = Kind.NAME
    priority: int = 0
    """0: never left out. The others are taken in the order of this number, those of one number together, as far as they have room."""
    least: int = 12
    """Characters below which a column that can be narrowed is not."""
    part: int | None = None
    """Columns of equal standing, such as machines: where they do not fit beside each other, the table goes on below with others of them, and none
    is left out. Those of one number stay together."""
    called: str = ""
    """What the line below the table calls the column if it is left out; the heading if empty."""
    to_right: bool = False
    """Whether what is no number stands to the right, too."""

    @property
    def name(self) -> str:
        """What the column is called in a sentence."""
        return self.called or " ".join(self.heading.split())

    @property
    def right(self) -> bool:
        """Whether cells stand to the right."""
        return self.to_right or self.kind is Kind.NUMBER
