"""Experiments by name: functions ``(device, **parameters)`` that give quantities by name.

archdef's own are in `archdef.validate.builtin`; a plugin brings others by the hook ``archdef_experiments``; ``microbench.NAME`` is
the microbenchmark NAME.
"""
from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

from archdef import registry
from archdef.errors import ReferenceCaseError, nearest

Experiment = Callable[..., Mapping[str, float]]
"""What runs: ``(device, **parameters)``; gives its quantities by name."""
OWN: dict[str, Experiment] = {}
"""archdef's own, by name."""
_MICROBENCH = "microbench"


def experiment(function: Experiment) -> Experiment:
    """Add a function to archdef's own experiments, by its name."""
    OWN[function.__name__] = function
    return function


def find(name: str, arch: str) -> Experiment:
    """Give the experiment that cases of an architecture call `name`: its plugin's, or archdef's own.

    Raises ReferenceCaseError with the nearest name if there is none.
    """
    from archdef.validate import builtin  # noqa: F401  its functions are the entries of OWN

    suite, dot, benchmark = name.partition(".")
    if dot and suite == _MICROBENCH:
        return _microbenchmark(benchmark)
    known = OWN | {function.__name__: function for function in registry.REGISTRY.experiments(arch)}
    if name not in known:
        raise ReferenceCaseError(f"no experiment is called {name!r}{nearest(name, known)}; there are {', '.join(sorted(known))}")
    return known[name]


def _microbenchmark(name: str) -> Experiment:
    if importlib.util.find_spec("archdef.microbench") is None:
        raise ReferenceCaseError(f"microbench.{name}: this version of archdef has no microbenchmarks")
    from archdef.microbench import measure

    def run(device: Any, **parameters: Any) -> Mapping[str, float]:
        return measure(name, device, **parameters)

    return run
