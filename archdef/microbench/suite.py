"""What a microbenchmark is, the table of all, and how one is measured."""
from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import attrs

from archdef import registry, values
from archdef.device import Device
from archdef.errors import ArchdefError, CompileError, DeviceMemoryError, LaunchError, PluginWarning, PtxError, nearest
from archdef.microbench.machine import Machine
from archdef.microbench.simulated import as_machine
from archdef.spec import FEATURES, Architecture

FAMILIES = ("arithmetic", "instruction_fetch", "memory_latency", "shared_memory", "atomics", "synchronization", "bandwidth", "coalescing", "residency",
            "launching")
"""Modules of this package that declare benchmarks, in the order of tables."""

MOST = {"warps": 1 << 16, "threads": 1 << 20, "blocks": (1 << 31) - 1, "lanes": 1 << 16, "loads": 1 << 16, "chains": 1 << 16, "instructions": 1 << 20,
        "stride_bytes": 1 << 40, "elements": 1 << 26}
"""Parameters of which there is at least one, unless 0 is the default → the most that is tried."""


class Unsupported(ArchdefError):
    """A machine cannot run a benchmark: it lacks a feature, or is too small."""


class UnfitParameter(Unsupported):
    """A parameter has a value that it can have on no machine."""


class UnknownBenchmark(ArchdefError):
    """No benchmark has this name, or it has no such parameter."""


@attrs.frozen(eq=False)
class Benchmark:
    """One microbenchmark: a quantity of the machine as a function of a few parameters."""

    name: str
    """By which everything finds it."""
    family: str
    """The module that declares it."""
    measures: str
    """What is measured and how, in a sentence or two."""
    units: Mapping[str, str]
    """Quantity → unit; the quantities are the keys of what `measure` gives."""
    parameters: Mapping[str, Any]
    """Parameter → value that `measure` takes if it is not given."""
    points: Callable[[Machine], Iterable[Mapping[str, Any]]]
    """Gives the points of the default sweep on a machine, as parameters that differ from the defaults."""
    point: Callable[..., dict[str, float]]
    """Measures one point: ``point(machine, **parameters)``."""
    features: tuple[str, ...] = ()
    """Features that a machine needs whatever the parameters."""
    choices: Mapping[str, tuple[Any, ...]] = attrs.field(factory=dict)
    """Parameter → all values that it can have, of those that have only some."""


Point = TypeVar("Point", bound=Callable[..., dict[str, float]])

BENCHMARKS: dict[str, Benchmark] = {}
"""archdef's own benchmarks by name; filled by `own`."""


def benchmark(name: str, units: Mapping[str, str], points: Callable[[Machine], Iterable[Mapping[str, Any]]], *,
              features: Iterable[str] = (), choices: Mapping[str, Iterable[Any]] | None = None) -> Callable[[Point], Point]:
    """Declare a benchmark by the function that measures one point; its docstring says what it measures, its keywords are the parameters.

    choices : parameter → all values that it can have; others are refused before the function is called.

    A plugin returns such functions from its hook ``archdef_benchmarks``.
    """
    def declare(function: Point) -> Point:
        parameters = {p.name: p.default for p in inspect.signature(function).parameters.values() if p.kind == p.KEYWORD_ONLY}
        declared = Benchmark(name, function.__module__.rpartition(".")[2], " ".join((function.__doc__ or "").split()), units, parameters,
                             points, function, tuple(features), {name: tuple(values) for name, values in (choices or {}).items()})
        setattr(function, "benchmark", declared)  # noqa: B010  functions have no such attribute by themselves
        if function.__module__.startswith(f"{__package__}."):
            BENCHMARKS[name] = declared
        return function
    return declare


def own() -> dict[str, Benchmark]:
    """Import all families of archdef's own; give their benchmarks by name, in the order of tables."""
    for family in FAMILIES:
        importlib.import_module(f"archdef.microbench.{family}")
    order = {family: place for place, family in enumerate(FAMILIES)}        # not that of imports: somebody may have had one before the others
    return dict(sorted(BENCHMARKS.items(), key=lambda one: order[one[1].family]))


def load() -> dict[str, Benchmark]:
    """Give every benchmark by name: archdef's own in the order of tables, then those of plugins (hook ``archdef_benchmarks``)."""
    known = dict(own())
    for plugin, function in registry.REGISTRY.benchmarks():
        made = getattr(function, "benchmark", None)
        if not isinstance(made, Benchmark):
            why = f"{function!r} is not declared by archdef.microbench.benchmark"
        elif known.get(made.name, made) is not made:
            why = f"the name {made.name!r} is taken"
        else:
            known[made.name] = made
            continue
        warnings.warn(f"benchmarks of plugin {plugin}: {why}", PluginWarning, stacklevel=2)
    return known


def find(name: str) -> Benchmark:
    """Give a benchmark by name. Raises UnknownBenchmark."""
    if name in own():
        return BENCHMARKS[name]
    known = load()
    if name not in known:
        raise UnknownBenchmark(f"no microbenchmark is called {name!r}{nearest(name, known)}; there are {', '.join(known)}")
    return known[name]


def measure(name: str, machine: Device | Architecture | str | Machine, **parameters: Any) -> dict[str, float]:
    """Measure one point of a benchmark.

    machine    : an `archdef.Device`, an architecture's name or description, or a `Machine` such as `hardware.Hardware`.
    parameters : those of the benchmark; the others have their default.

    Gives quantity → number, in the benchmark's `units`. Raises UnknownBenchmark; Unsupported, saying what the machine lacks.
    """
    chosen = find(name)
    for parameter in parameters:
        if parameter not in chosen.parameters:
            raise UnknownBenchmark(f"{name} has no parameter {parameter!r}{nearest(parameter, chosen.parameters)}; it has "
                                   f"{', '.join(chosen.parameters) or 'none'}")
    _fit(chosen, parameters)
    machine = as_machine(machine)
    for feature in chosen.features:
        require(machine, feature, name)
    try:
        return chosen.point(machine, **{**chosen.parameters, **parameters})
    except (PtxError, CompileError, LaunchError, DeviceMemoryError) as error:
        reason = getattr(error, "reason", str(error))
        raise Unsupported(f"{name} does not run on {machine.label}: {reason}") from error


def _fit(chosen: Benchmark, parameters: Mapping[str, Any]) -> None:
    for name, value in parameters.items():
        default = chosen.parameters[name]
        if isinstance(default, int) and not isinstance(default, bool):
            values.whole(value, f"{name} of {chosen.name}", UnfitParameter, at_least=int(name in MOST and default > 0), at_most=MOST.get(name))
        elif default is not None and not isinstance(value, type(default)):
            raise UnfitParameter(f"{name} of {chosen.name} must be {'True or False' if isinstance(default, bool) else 'a word'}, got {values.shown(value)}")
        if (possible := chosen.choices.get(name)) and value not in possible:
            listed = ", ".join(str(one) for one in possible)
            raise UnfitParameter(f"{name} of {chosen.name} must be one of {listed}, got {values.shown(value)}{nearest(value, map(str, possible))}")


def require(machine: Machine, feature: str, what: str) -> None:
    """Refuse a machine without a feature. Raises Unsupported."""
    if feature not in machine.features:
        raise Unsupported(f"{what} needs the feature {feature}, which {machine.label} does not have: {FEATURES[feature]}")


def sweep(name: str, machine: Device | Architecture | str | Machine) -> Iterator[tuple[dict[str, Any], dict[str, float] | Unsupported]]:
    """Measure the default sweep of a benchmark: yield ``(parameters, quantities)``; for a point that cannot be measured, the reason."""
    chosen, machine = find(name), as_machine(machine)
    for given in chosen.points(machine):
        found: dict[str, float] | Unsupported
        try:
            found = measure(name, machine, **given)
        except Unsupported as reason:
            found = reason
        yield dict(given), found
