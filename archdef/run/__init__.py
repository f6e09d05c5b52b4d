"""Running kernels: device arrays, modules, launches, results."""
from archdef._lazy import submodules

__getattr__ = submodules(__name__, "footprint", "table")
