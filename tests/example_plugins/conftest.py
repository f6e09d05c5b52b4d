"""Plugins are installed elsewhere, as third parties would."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from elsewhere import elsewhere  # noqa: F401
