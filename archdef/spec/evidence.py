"""Where a number comes from."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import attrs

Kind = Literal["documented", "measured", "inferred", "assumed"]
KINDS: tuple[str, ...] = get_args(Kind)
"""What evidence can be, the surest first."""


@attrs.frozen
class Cite:
    """The source of one or more numbers of a description.

    `documented`: the vendor, or a publication about the machine, states it. `measured`: somebody measured it on the machine.
    `inferred`: it follows from documented or measured figures by arithmetic or by fitting a model. `assumed`: nobody says;
    an answer that depends on it says so.
    """

    document: str
    """Title of the document, or what stands in for one."""
    place: str
    """Section, table, figure or entry in it."""
    kind: Kind = attrs.field(default="documented", validator=attrs.validators.in_(KINDS))
    """``documented``, ``measured``, ``inferred`` or ``assumed``."""
    note: str = ""
    """What a reader needs to know before relying on it."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.document}, {self.place}" + (f" ({self.note})" if self.note else "")


def covering(evidence: Mapping[str, Cite], path: str) -> Cite | None:
    """Find the source of the number at `path`: the entry of the longest prefix, taken in whole path segments."""
    segments = path.split(".")
    for length in range(len(segments), 0, -1):
        if (found := evidence.get(".".join(segments[:length]))) is not None:
            return found
    return None
