"""Published curves and the model's, as pictures: one for all ladders of a group that differ along the same parameter."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import attrs

from archdef.page.drawing import Drawing
from archdef.formatting import size, three
from archdef.validate.statistics import Ladder

COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#db2777", "#65a30d", "#475569", "#92400e")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 900, 380, 74, 560, 16, 330
"""Of a picture, and the frame in it, in pixels; beside the frame is the legend."""
WIDE = 12
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""


@attrs.frozen
class Curves:
    """One picture of curves."""

    title: str
    svg: str
    sources: tuple[str, ...]
    """Where hardware's curves are from."""


@attrs.frozen
class _Axis:
    """Where values lie along an axis."""

    low: float
    high: float
    logarithmic: bool
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """Give the place of a value, from 0 to 1."""
        low, high, value = map(math.log, (self.low, self.high, value)) if self.logarithmic else (self.low, self.high, value)
        return (value - low) / (high - low)


def curves(ladders: Iterable[Ladder]) -> tuple[Curves, ...]:
    """Draw ladders: hardware's points as rings on a dashed line, the model's as a line."""
    together: dict[tuple[str, str, str], list[Ladder]] = {}
    for ladder in ladders:
        together.setdefault((ladder.name.partition("/")[0], ladder.along, ladder.unit), []).append(ladder)
    return tuple(Curves(f"{group}, by {along.replace('_', ' ')}", _picture(f"{group}, by {along.replace('_', ' ')}", own),
                        tuple(dict.fromkeys(f"{ladder.source}; {ladder.source.where}" for ladder in own)))
                 for (group, along, _), own in together.items())


def _picture(title: str, ladders: Sequence[Ladder]) -> str:
    """Draw some ladders into one frame."""
    drawing = Drawing(title, "curves of hardware, dashed, and of the model")
    places = [point[0] for ladder in ladders for point in ladder.points]
    values = [value for ladder in ladders for point in ladder.points for value in point[1:]]
    in_bytes = ladders[0].along.endswith("_bytes")
    across, up = _axis(places, 2 if in_bytes else 10), _axis([*values, *([] if _is_wide(values) else [0])], 10)

    def at(place: float, value: float) -> tuple[float, float]:
        return LEFT + across.share(place) * (RIGHT - LEFT), BOTTOM - up.share(value) * (BOTTOM - TOP)

    _frame(drawing, across, up, _bytes if in_bytes else _number, ladders[0].along.replace("_", " ").removesuffix(" bytes"),
           ladders[0].unit or ladders[0].quantity)
    for ladder, colour in zip(ladders, _colours(len(ladders)), strict=True):
        drawing.path([at(place, model) for place, _, model in ladder.points], line=colour, thick=2)
        drawing.path([at(place, hardware) for place, hardware, _ in ladder.points], line=colour, dashes="3 4")
        for place, hardware, _ in ladder.points:
            x, y = at(place, hardware)
            drawing.box(x - 3.5, y - 3.5, 7, 7, fill="#ffffff", line=colour, round=3.5, thick=1.5)
    _legend(drawing, ladders)
    return drawing.svg(WIDTH, HEIGHT)


def _colours(number: int) -> list[str]:
    return [COLOURS[k % len(COLOURS)] for k in range(number)]


def _is_wide(values: Sequence[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) > WIDE


def _axis(values: Sequence[float], base: int) -> _Axis:
    """Choose an axis for values: logarithmic if they span much, and some eight ticks."""
    low, high = min(values), max(values)
    if not _is_wide(values):
        step = _step((high - low or abs(high) or 1) / 6)
        low, high = math.floor(low / step) * step, max(math.ceil(high / step), math.floor(low / step) + 1) * step
        return _Axis(low, high, False, tuple(low + step * k for k in range(round((high - low) / step) + 1)))
    first, last = math.floor(math.log(low, base) + 1e-9), math.ceil(math.log(high, base) - 1e-9)
    every = max(1, math.ceil((last - first) / 7))
    fine = (1, 2, 5) if base == 10 and last - first <= 3 else (1,)
    ticks = [factor * base ** power for power in range(first, last + every, every) for factor in fine]
    ticks = ticks[max(k for k, tick in enumerate(ticks) if tick <= low * (1 + 1e-9)):]
    ticks = ticks[:1 + next(k for k, tick in enumerate(ticks) if tick >= high * (1 - 1e-9))]
    return _Axis(ticks[0], ticks[-1], True, tuple(ticks))


def _step(rough: float) -> float:
    """Give the next larger of 1, 2, 5 and 10 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))


def _bytes(value: float) -> str:
    return size(int(value)) if float(value).is_integer() else _number(value)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or float(value).is_integer() else three(value)


def _frame(drawing: Drawing, across: _Axis, up: _Axis, place: Callable[[float], str], below: str, beside: str) -> None:
    """Draw the axes with their ticks, and what they are."""
    for tick in across.ticks:
        x = LEFT + across.share(tick) * (RIGHT - LEFT)
        drawing.path([(x, TOP), (x, BOTTOM)], line="#e2e8f0", back=True)
        drawing.text(x, BOTTOM + 16, place(tick), size=11, color="#64748b", anchor="middle")
    for tick in up.ticks:
        y = BOTTOM - up.share(tick) * (BOTTOM - TOP)
        drawing.path([(LEFT, y), (RIGHT, y)], line="#e2e8f0", back=True)
        drawing.text(LEFT - 7, y + 4, _number(tick), size=11, color="#64748b", anchor="end")
    drawing.path([(LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM)], line="#64748b")
    drawing.text((LEFT + RIGHT) / 2, BOTTOM + 36, below, anchor="middle")
    drawing.text(LEFT + 6, TOP + 12, beside)


def _legend(drawing: Drawing, ladders: Sequence[Ladder]) -> None:
    """Say which colour is which ladder, how far off it is, and which line is whose."""
    x, y = RIGHT + 22, TOP + 12
    drawing.path([(x, y - 4), (x + 24, y - 4)], line="#1e293b", thick=2)
    drawing.text(x + 32, y, "model")
    drawing.path([(x + 100, y - 4), (x + 124, y - 4)], line="#1e293b", dashes="3 4")
    drawing.box(x + 108.5, y - 7.5, 7, 7, fill="#ffffff", line="#1e293b", round=3.5, thick=1.5)
    drawing.text(x + 132, y, "hardware")
    room = min(17, (BOTTOM - TOP - 20) / len(ladders))
    for k, (ladder, colour) in enumerate(zip(ladders, _colours(len(ladders)), strict=True)):
        place = y + 22 + room * k
        drawing.box(x, place - 9, 10, 10, fill=colour)
        said = f"{ladder.name.partition('/')[2]}: {ladder.error:.1%}, {'fitted' if ladder.fitted else 'unfitted'}{'' if ladder.usable else ', in doubt'}"
        drawing.text(x + 18, place, said, size=min(12, room - 2), room=WIDTH - x - 26)
