"""archdef: a GPU simulator in which an architecture is data.

The public names are `Device`, `LaneWindow`, `Options`, `occupancy`, `Architecture`, `hookimpl`, `architectures` and the errors.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from archdef.hookspecs import hookimpl
# At once, because the first import of the module of this name would put itself in the function's place.
from archdef.occupancy import occupancy

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.errors import ArchdefError
    from archdef.frontends import Options
    from archdef.registry import names as architectures
    from archdef.run.lanes import LaneWindow
    from archdef.spec import Architecture

__version__ = "0.1.0"
__all__ = ["Architecture", "ArchdefError", "Device", "LaneWindow", "Options", "architectures", "hookimpl", "occupancy"]

_PLACES = {"Architecture": ("archdef.spec", "Architecture"), "ArchdefError": ("archdef.errors", "ArchdefError"),
           "Device": ("archdef.device", "Device"), "LaneWindow": ("archdef.run.lanes", "LaneWindow"), "Options": ("archdef.frontends", "Options"),
           "architectures": ("archdef.registry", "names")}


def __getattr__(name: str):
    if name not in _PLACES:
        raise AttributeError(f"module 'archdef' has no attribute {name!r}")
    module, attribute = _PLACES[name]
    value = globals()[name] = getattr(importlib.import_module(module), attribute)
    return value


def __dir__():
    return sorted({*globals(), *__all__})
