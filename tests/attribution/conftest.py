"""Machines of the unit tests are at hand here, too."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
