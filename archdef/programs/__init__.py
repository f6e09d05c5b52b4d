"""Programs for hosts and devices, built from CUDA or MXMACA sources with no toolkit: `archdef.exec` runs them."""
from archdef.programs.builder import COMPILERS, Built, Plan, build, plan
from archdef.programs.syntax import Unsupported

__all__ = ["COMPILERS", "Built", "Plan", "Unsupported", "build", "plan"]
