"""A picture in SVG: boxes and words, on the standard library's ElementTree."""
from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_WIDE, _NARROW = set("mwMWQO@%"), set("iljtfrI.,:;|'!() ")


class Words(NamedTuple):
    """A piece of a label; what is assumed is set apart."""

    text: str
    assumed: bool = False


def width_of(text: str, size: float) -> float:
    """Estimate how wide a text comes out in the widest of the fonts, in the units of `size`: SVG has no way to ask."""
    return size * sum(0.92 if c in _WIDE else 0.37 if c in _NARROW else 0.70 if c.isupper() else 0.61 for c in text)


class Drawing:
    """An SVG picture that grows as things are put on it; all lengths in pixels."""

    def __init__(self, title: str, description: str):
        self._root = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
        ElementTree.SubElement(self._root, "title").text = title
        ElementTree.SubElement(self._root, "desc").text = description
        self._back = ElementTree.SubElement(self._root, "g")
        self._here = ElementTree.SubElement(self._root, "g", {"font-family": FONT})

    def box(self, x: float, y: float, width: float, height: float, *, fill: str, line: str = "none", round: float = 3,
            dashes: str | None = None, thick: float = 1, back: bool = False) -> None:
        """Draw a rectangle."""
        self._add("rect", back, x=x, y=y, width=width, height=height, rx=round, fill=fill, stroke=line,
                  **{"stroke-width": thick}, **({"stroke-dasharray": dashes} if dashes else {}))

    def path(self, points: Iterable[tuple[float, float]], *, line: str, fill: str = "none", thick: float = 1, dashes: str | None = None,
             back: bool = False) -> None:
        """Draw a line through points, or the area inside if it is filled."""
        d = "M" + " L".join(f"{_number(x)} {_number(y)}" for x, y in points) + (" Z" if fill != "none" else "")
        self._add("path", back, d=d, fill=fill, stroke=line, **{"stroke-width": thick}, **({"stroke-dasharray": dashes} if dashes else {}))

    def text(self, x: float, y: float, label: str | Iterable[str | Words], *, size: float = 12, bold: bool = False, color: str = "#1e293b",
             anchor: str = "start", room: float | None = None, assumed: str = "#b45309") -> None:
        """Write a label whose base line is at `y`; smaller, if it would need more than `room`.

        A label of several pieces starts at `x`: not every viewer centres it as a whole.
        """
        pieces = [piece if isinstance(piece, Words) else Words(piece) for piece in ([label] if isinstance(label, str) else label) if piece]
        assert anchor == "start" or len(pieces) == 1
        if room is not None and (needed := width_of("".join(p.text for p in pieces), size * (1.07 if bold else 1))) > room:
            size = max(size * room / needed, 5.0)
        font: dict[str, str | float] = {"font-size": size, "text-anchor": anchor, "font-weight": "bold" if bold else "normal"}
        element = self._add("text", False, x=x, y=y, fill=color, **font)
        element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        for piece in pieces:
            span = ElementTree.SubElement(element, "tspan", {"fill": assumed, "font-style": "italic"} if piece.assumed else {})
            span.text = piece.text

    def svg(self, width: float, height: float) -> str:
        """Give the picture as text, on a white ground of this size."""
        self._root.set("viewBox", f"0 0 {_number(width)} {_number(height)}")
        self._root.set("width", _number(width))
        self._root.set("height", _number(height))
        ground = ElementTree.Element("rect", width="100%", height="100%", fill="#ffffff")
        self._root.insert(2, ground)
        text = ElementTree.tostring(self._root, encoding="unicode") + "\n"
        self._root.remove(ground)
        return text

    def _add(self, tag: str, back: bool, **attributes: str | float) -> ElementTree.Element:
        return ElementTree.SubElement(self._back if back else self._here, tag,
                                      {key: value if isinstance(value, str) else _number(value) for key, value in attributes.items()})


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
