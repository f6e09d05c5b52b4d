"""What plugin authors and tests import: the conformance suite, the reference interpreter, and comparisons of an architecture with it.

``class TestMine(Conformance): architecture = "mine"`` runs every check under pytest, ``examine("mine")`` without it.
``equals_reference(architecture, launch)`` runs one kernel on an architecture and in the reference. `forms` makes a kernel per instruction
form, `kernels` random ones.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from archdef.run import record as record
    from archdef.testing import choosing as choosing
    from archdef.testing.compare import Launch, Mismatch, Seen, equals_reference, with_warp_size
    from archdef.testing.conformance import Conformance, examine

__all__ = ["Conformance", "Launch", "Mismatch", "Seen", "equals_reference", "examine", "with_warp_size"]

_MODULES = {"choosing": "archdef.testing.choosing", "conformance": "archdef.testing.conformance", "record": "archdef.run.record"}
"""What the pytest plugin and the command line take from here."""


def __getattr__(name: str):
    """Import a name at its first use: the pytest plugin lies in this package, and must load nothing else."""
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "conformance" if name in ("Conformance", "examine") else "compare"
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    return value
