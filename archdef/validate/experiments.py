"""The table of archdef's own experiments: functions ``(device, **parameters)`` that give quantities by name."""
from __future__ import annotations

from collections.abc import Callable, Mapping

Experiment = Callable[..., Mapping[str, float]]
"""What runs: ``(device, **parameters)``; gives its quantities by name."""
OWN: dict[str, Experiment] = {}
"""archdef's own, by name; filled by `archdef.validate.builtin`."""


def experiment(function: Experiment) -> Experiment:
    """Add a function to archdef's own experiments, by its name."""
    OWN[function.__name__] = function
    return function
