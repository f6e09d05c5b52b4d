"""The small machine that the engine's tests use, with every feature."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))


@pytest.fixture(scope="session")
def everything():
    """A machine that no plugin offers, with all features."""
    from lowering import MATRIX, WARPGROUP
    from small_machine import gizmo

    from archdef.spec.isa import FEATURES

    return gizmo().evolve({"isa.features": frozenset(FEATURES), "isa.matrix": MATRIX, "isa.warpgroup": WARPGROUP})
