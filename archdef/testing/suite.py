"""The conformance suite as a test module: ``pytest --pyargs archdef.testing.suite --archdef-arch=NAME``."""
from __future__ import annotations

from archdef.testing.conformance import Conformance


class TestConformance(Conformance):
    """Every architecture that ``--archdef-arch`` chooses; all that are installed, if it does not."""
