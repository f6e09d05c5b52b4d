"""Modules of a package as its attributes that are imported at their first use (PEP 562), for what starts often and seldom needs them."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType


def submodules(package: str, *names: str) -> Callable[[str], ModuleType]:
    """Make the ``__getattr__`` of a package that imports those of its modules that are named."""
    def found(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")
    return found
