"""Where a number comes from."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import attrs

Kind = Literal["documented", "measured", "inferred", "fitted", "recalled", "assumed"]
KINDS: tuple[str, ...] = get_args(Kind)
"""What evidence can be, the surest first."""


@attrs.frozen
class Cite:
    """The source of one or more numbers of a description.

    `documented`: the vendor, or a publication about the machine, states it, and it was read there. `measured`: somebody
    measured it on the machine, and the figure was read where it is published. `inferred`: it follows from such figures by
    arithmetic, or was measured on a machine that is alike. `fitted`: chosen so that the model gives the figures of named
    cases. `recalled`: a document is said to state it, but was not at hand to be read. `assumed`: nobody says; an answer that
    depends on it says so.
    """

    document: str
    """Title of the document, or what stands in for one."""
    place: str
    """Section, table, figure or entry in it."""
    kind: Kind = attrs.field(default="documented", validator=attrs.validators.in_(KINDS))
    """``documented``, ``measured``, ``inferred``, ``fitted``, ``recalled`` or ``assumed``."""
    note: str = ""
    """What a reader needs to know before relying on it."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.document}, {self.place}" + (f" ({self.note})" if self.note else "")


UNSTATED = Cite("not modelled", "left at the default of the description, of which nothing is claimed", "assumed")
"""The source of a field that a description leaves as it is, and whose own path has none: that of the part above it states what is declared."""


def covering(evidence: Mapping[str, Cite], path: str) -> Cite | None:
    """Find the source of the number at `path`: the entry of the longest prefix, taken in whole path segments."""
    segments = path.split(".")
    for length in range(len(segments), 0, -1):
        if (found := evidence.get(".".join(segments[:length]))) is not None:
            return found
    return None
