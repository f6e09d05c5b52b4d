"""archdef: a GPU simulator in which an architecture is data.

The public names are `Device`, `LaneWindow`, `TimelineWindow`, `Options`, `occupancy`, `advise`, `attribute`, `Architecture`, `hookimpl`, `architecture`,
`architectures`, `load`, `save`, `views` and the errors. Each is imported at its first use, so that ``import archdef`` costs nothing to those who only pass
by, such as pytest's plugin.
"""
from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from archdef.advice.advise import advise
    from archdef.attribution import attribute
    from archdef.data import views
    from archdef.device import Device
    from archdef.errors import ArchdefError
    from archdef.files import load, save
    from archdef.frontends import Options
    from archdef.hookspecs import hookimpl
    from archdef.occupancy import occupancy
    from archdef.registry import get as architecture
    from archdef.registry import names as architectures
    from archdef.run.lanes import LaneWindow
    from archdef.run.timeline import TimelineWindow
    from archdef.spec import Architecture

__version__ = "0.1.0"
__all__ = ["Architecture", "ArchdefError", "Device", "LaneWindow", "Options", "TimelineWindow", "advise", "architecture", "architectures", "attribute",
           "hookimpl", "load", "occupancy", "save", "views"]

_PLACES = {"Architecture": ("archdef.spec", "Architecture"), "ArchdefError": ("archdef.errors", "ArchdefError"),
           "Device": ("archdef.device", "Device"), "LaneWindow": ("archdef.run.lanes", "LaneWindow"), "Options": ("archdef.frontends", "Options"),
           "TimelineWindow": ("archdef.run.timeline", "TimelineWindow"),
           "advise": ("archdef.advice", "advise"), "architecture": ("archdef.registry", "get"), "architectures": ("archdef.registry", "names"),
           "attribute": ("archdef.attribution", "attribute"), "hookimpl": ("archdef.hookspecs", "hookimpl"), "load": ("archdef.files", "load"),
           "save": ("archdef.files", "save"), "views": ("archdef.data", "views")}


class _Package(types.ModuleType):
    """The package itself; `occupancy` is the function, also after the import of the module of that name has set the attribute."""

    @property
    def occupancy(self) -> Any:
        return importlib.import_module("archdef.occupancy").occupancy

    @occupancy.setter
    def occupancy(self, module: object) -> None:
        pass


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        if f"archdef.{name}" in importlib.import_module("archdef._public").MODULES:
            return importlib.import_module(f"archdef.{name}")
        if importlib.util.find_spec(f"archdef.{name}") is not None:
            raise AttributeError(f"module 'archdef' has no attribute {name!r}")     # ``from archdef import name`` goes on to import it
        return importlib.import_module("archdef._deprecation").moved("archdef", name)
    module, attribute = _PLACES[name]
    value = globals()[name] = getattr(importlib.import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
