"""What a timeline can hold: words and bounds that the command line shows before anything else is imported."""
from __future__ import annotations

from typing import Any

DETAILS = ("kernels", "blocks", "units", "warps", "requests")
"""Levels of detail, each with what those before it have, in the order of the engine's ``TimelineDetail``."""
FOREVER = 1 << 60
"""Cycle that no launch reaches."""


def reported() -> dict[str, Any]:
    """Give what a `TimelineWindow` has of a launch that is to be reported: as much as a page shows."""
    return {"detail": "units", "buckets": 64, "records": 1 << 12}
