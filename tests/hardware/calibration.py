"""The calibration kernels, which the plugin of the measured machine ships."""
from archdef_hopper_evidence.calibration import FNV_PRIME, FNV_START, WORD, cases, fnv1a64, run

__all__ = ["FNV_PRIME", "FNV_START", "WORD", "cases", "fnv1a64", "run"]
