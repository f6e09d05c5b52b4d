"""Programs for hosts and devices, built from CUDA or MXMACA sources with no toolkit: `archdef.exec` runs them."""
from archdef.programs.builder import Built, Plan, build, plan
from archdef.programs.dependencies import rules
from archdef.programs.syntax import Unsupported

__all__ = ["Built", "Plan", "Unsupported", "build", "plan", "rules"]
