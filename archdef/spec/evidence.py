"""Where a number comes from."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

import attrs

Kind = Literal["documented", "measured", "inferred", "fitted", "recalled", "assumed"]
KINDS: tuple[str, ...] = get_args(Kind)
"""What evidence can be, the surest first."""


@attrs.frozen
class Cite:
    """The source of one or more numbers of a description.

    `documented`: the vendor, or a publication about the machine, states it, and it was read there. `measured`: somebody
    measured it on this very card, which `card` names, and the figure was read where it is published. `inferred`: it follows from
    such figures by arithmetic, or was measured on another card, be it one with the same chip. `fitted`: chosen so that the model gives the figures of named
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
    card: str = ""
    """What was `measured`: the card, by the title of the description, by the beginning of it, or by one of the other names."""

    def __str__(self) -> str:
        return self.kind + (f" ({self.card})" if self.card else "") + f": {self.document}, {self.place}" + (f" ({self.note})" if self.note else "")

    def elsewhere(self) -> Cite:
        """Give this source as one of another machine, for which what was measured is inferred."""
        if self.kind != "measured":
            return self
        return attrs.evolve(self, kind="inferred", card="", note="; ".join(filter(None, (f"measured on {self.card or 'another machine'}", self.note))))

    def of_card(self, names: Iterable[str]) -> bool:
        """Whether `card` is one of `names`, or what the first of them begins with; case, blanks and hyphens do not count."""
        title, *others = map(_letters, names)
        card = _letters(self.card)
        return bool(card) and (title.startswith(card) or card in others)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


UNSTATED = Cite("not modelled", "left at the default of the description, of which nothing is claimed", "assumed")
"""The source of a field that a description leaves as it is, and whose own path has none: that of the part above it states what is declared."""


def covering(evidence: Mapping[str, Cite], path: str) -> Cite | None:
    """Find the source of the number at `path`: the entry of the longest prefix, taken in whole path segments."""
    segments = path.split(".")
    for length in range(len(segments), 0, -1):
        if (found := evidence.get(".".join(segments[:length]))) is not None:
            return found
    return None
