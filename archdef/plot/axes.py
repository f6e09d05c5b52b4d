"""Axes to draw in, and what all plots have alike."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from archdef.errors import MissingExtra

NARROW_INCHES = 4.2
"""Axes that have no more than this are taken to stand in a column of a paper."""
_WIDTH_INCHES = 7.0
SERIES = ("#3b82c4", "#e0a526", "#8a63b8", "#2e9e5b", "#d1495b")
"""Colours of lines and areas that have no colour of their own."""
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\")


def begin(ax: Any, height: float) -> Any:
    """Give `ax`, or the axes of a new figure of so many inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtra("a plot", "matplotlib", "plot") from None
    return pyplot.subplots(figsize=(_WIDTH_INCHES, height), layout="constrained")[1]


def inches(ax: Any) -> float:
    """Give the width that the axes have, with their labels."""
    width: float = ax.figure.get_figwidth()
    places = ax.get_subplotspec()
    part: float = ax.get_position().width if places is None else len(places.colspan) / places.get_gridspec().ncols
    return width * part


def narrow(ax: Any) -> bool:
    """Tell whether there is little room."""
    return inches(ax) <= NARROW_INCHES


def points(ax: Any) -> float:
    """Give the size of letters."""
    return 7.0 if narrow(ax) else 9.0


def ink(ax: Any) -> Any:
    """Give the colour of the text around the axes: light where the page is dark."""
    return ax.xaxis.label.get_color()


def finish(ax: Any, x: str, y: str) -> Any:
    """Name the axes and put the legend, if anything has a label, above them, where no data are; over long names of rows there is room for it too."""
    size = points(ax)
    ax.set_xlabel(x, fontsize=size)
    ax.set_ylabel(y, fontsize=size)
    ax.tick_params(labelsize=size)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        longest = max(map(len, labels))
        columns = int(inches(ax) * 72 / (size * (0.6 * longest + 4.2)))
        ax.legend(handles, labels, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.3, ncols=max(1, min(columns, len(labels))),
                  frameon=False, fontsize=size, handlelength=1.6, columnspacing=1.0, labelcolor=ink(ax))
    return ax


def grid(ax: Any, axis: str = "both") -> None:
    """Draw light lines behind the data."""
    ax.grid(True, axis=axis, alpha=0.3, linewidth=0.5)
    ax.set_axisbelow(True)


def filling(name: str, colours: Mapping[str, str]) -> dict[str, Any]:
    """Give how an area is filled: neighbours in the table differ by hatching too, for those who do not see their colours apart."""
    place = list(colours).index(name)
    return {"facecolor": colours[name], "hatch": HATCHES[place % len(HATCHES)], "edgecolor": "white", "linewidth": 0.4}


def thousands(ax: Any) -> None:
    """Write large numbers of the horizontal axis with separators."""
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.locator_params(axis="x", nbins=4 if narrow(ax) else 8)


def words(name: str) -> str:
    """Give a name as words."""
    return name.replace("_", " ")


def stacked(ax: Any, places: Sequence[float], parts: Mapping[str, Sequence[float]], colours: Mapping[str, str], height: float = 0.7) -> None:
    """Draw horizontal bars of parts end to end, in the order of the colours; parts of which there is nothing get no label."""
    begins = [0.0] * len(places)
    for name in colours:
        values = parts.get(name)
        if values is not None and any(values):
            ax.barh(places, values, height, begins, label=words(name), **filling(name, colours))
            begins = [begin + value for begin, value in zip(begins, values, strict=True)]
