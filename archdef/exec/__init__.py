"""Foreign programs, compiled for CUDA, run against simulated devices: a stand-in for the driver and the runtime inside them, and who answers it."""
from archdef.exec.account import Account, CopyTotal
from archdef.exec.beside import Beside
from archdef.exec.fatbin import FatbinError
from archdef.exec.listings import with_sources
from archdef.exec.server import NotHere, run
from archdef.exec.tally import KernelTotal

__all__ = ["Account", "Beside", "CopyTotal", "FatbinError", "KernelTotal", "NotHere", "run", "with_sources"]
