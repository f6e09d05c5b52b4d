"""Numbers as tables show them."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from archdef.occupancy import Occupancy

__all__ = ["NOTHING", "count", "limiter", "metric", "percent", "seconds", "shortest", "size", "three"]

NOTHING = "-"
"""What stands where there is no number."""
_DIGITS = 6


def count(value: float | None) -> str:
    """``12,345``."""
    return NOTHING if value is None else f"{value:,.0f}"


def seconds(value: float | None) -> str:
    """Three digits and a unit: ``12.3 us``."""
    if value is None:
        return NOTHING
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{three(value * scale)} {unit}"
    return f"{three(value * 1e9)} ns"


def size(value: int | None) -> str:
    """``48 KiB``, or bytes where that is not exact."""
    if value is None:
        return NOTHING
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= scale and value % scale == 0:
            return f"{value // scale} {unit}"
    return f"{value:,} B"


def three(value: float | None) -> str:
    """Three significant digits, without exponent."""
    if value is None:
        return NOTHING
    return f"{value:.2f}" if abs(value) < 9.995 else f"{value:.1f}" if abs(value) < 99.95 else f"{value:,.0f}"


def shortest(value: float) -> str:
    """As it was written, or where that has more than six digits, as it came of a division, with six: ``1.33333``."""
    written = repr(value)
    if "e" not in written and "n" not in written and len(written.strip("-").replace(".", "").strip("0")) <= _DIGITS:
        return written
    return f"{value:,.0f}" if 10 ** _DIGITS <= abs(value) < 1e15 else f"{value:.{_DIGITS}g}"


def percent(value: float | None) -> str:
    """``71 %``, or ``71.4 %`` where the fraction shows."""
    if value is None:
        return NOTHING
    return f"{value:.0f} %" if abs(value - round(value)) < 0.05 else f"{value:.1f} %"


def limiter(occupancy: Occupancy) -> str:
    """What keeps more blocks from being resident: ``registers``, ``warps, shared`` …"""
    if occupancy.active_warps == occupancy.max_warps and "warps" in occupancy.limiter:
        return "warps"  # the machine is full: what allows just as many does not limit
    return ", ".join(key for key in occupancy.limiter if key != "shared" or occupancy.shared_bytes) or NOTHING


def metric(value: float | None, unit: str) -> str:
    """A metric's value with its unit."""
    if value is None:
        return NOTHING
    if unit == "%":
        return percent(value)
    if unit == "count":
        return count(value)
    return three(value) if unit == "ratio" else f"{three(value)} {unit}"
