"""Results as people and programs read them: rich tables and plain data. Each module is imported at its first use."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef._lazy import submodules

if TYPE_CHECKING:
    from archdef.report import checked as checked
    from archdef.report import compared as compared
    from archdef.report import curves as curves
    from archdef.report import described as described
    from archdef.report import differing as differing
    from archdef.report import lowered as lowered
    from archdef.report import measures as measures
    from archdef.report import microbenched as microbenched
    from archdef.report import occupied as occupied
    from archdef.report import picture as picture
    from archdef.report import resources as resources
    from archdef.report import roofs as roofs
    from archdef.report import scatter as scatter
    from archdef.report import terminal as terminal
    from archdef.report import validated as validated

__getattr__ = submodules(__name__, "checked", "compared", "curves", "described", "differing", "lowered", "measures", "microbenched", "occupied", "picture",
                         "resources", "roofs", "scatter", "terminal", "validated")
