"""Experiments by name.

archdef's own are in `archdef.validate.builtin`; a plugin brings others by the hook ``archdef_experiments``; ``microbench.NAME`` is
the microbenchmark NAME.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from archdef import registry
from archdef.errors import ReferenceCaseError, nearest
from archdef.microbench import measure
from archdef.validate import builtin  # noqa: F401  its functions are the entries of OWN
from archdef.validate.experiments import OWN, Experiment

_MICROBENCH = "microbench"


def find(name: str, arch: str) -> Experiment:
    """Give the experiment that cases of an architecture call `name`: its plugin's, or archdef's own.

    Raises ReferenceCaseError with the nearest name if there is none.
    """
    suite, dot, benchmark = name.partition(".")
    if dot and suite == _MICROBENCH:
        return _microbenchmark(benchmark)
    known: dict[str, Experiment] = OWN | {function.__name__: function for function in registry.REGISTRY.experiments(arch)}
    if name not in known:
        raise ReferenceCaseError(f"no experiment is called {name!r}{nearest(name, known)}; there are {', '.join(sorted(known))}")
    return known[name]


def _microbenchmark(name: str) -> Experiment:
    def run(device: Any, **parameters: Any) -> Mapping[str, float]:
        return measure(name, device, **parameters)

    return run
