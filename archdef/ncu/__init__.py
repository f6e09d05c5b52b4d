"""What Nsight Compute measured of a kernel on hardware, laid beside what archdef says of it, counter by counter.

`read` takes an export, a CSV file of ``ncu --csv`` or a report (``.ncu-rep``); `beside` finds the launches of it that are those of some runs.
"""
from archdef.ncu.beside import Beside, Compared, beside, matched
from archdef.ncu.launch import Launch, Measured, NcuError
from archdef.ncu.pairs import PAIRS, Pair
from archdef.ncu.reading import read

__all__ = ["PAIRS", "Beside", "Compared", "Launch", "Measured", "NcuError", "Pair", "beside", "matched", "read"]
