"""The roofs of a machine and the points of a launch under them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archdef.bounds import ceilings

if TYPE_CHECKING:
    from archdef.run.result import Run

_SPAN = (1 / 64, 1024.0)
"""Operations per byte that are shown at least."""


def roof(run: Run) -> dict[str, Any] | None:
    """Give roofs as lines and the launch as a point for each level of memory; None without floating-point arithmetic."""
    found = run.roofline
    if found is None:
        return None
    rates = {ceiling.name: ceiling for ceiling in ceilings(run.architecture)}
    places = [point.intensity for point in found.points]
    low, high = min([_SPAN[0], *places]), max([_SPAN[1], *places])
    levels = {}
    for level, ceiling in rates.items():
        if ceiling.unit == "GB/s" and ceiling.rate > 0:
            ridge = found.peak / ceiling.rate
            levels[level] = [[x, min(found.peak, x * ceiling.rate)] for x in sorted({low, ridge, high}) if low <= x <= high]
    tops = [{"name": c.name, "rate": c.rate, "about": c.about} for c in rates.values() if c.unit == "GFLOP/s" and c.rate > 0]
    return found.to_dict() | {"levels": levels, "tops": tops, "span": [low, high]}
