"""Benchmarks of plugins: found by name beside archdef's own, and never in their way."""
from types import ModuleType

import pytest

from archdef import registry
from archdef.errors import PluginWarning
from archdef.hookspecs import hookimpl
from archdef.microbench import UnknownBenchmark, benchmark, measure, suite, sweep
from archdef.validate import find

pytestmark = pytest.mark.skipif("gf100" not in registry.names(), reason="needs a plugin of this repository")


@benchmark("lanes", {"lanes": "lanes"}, lambda machine: [{"times": 1}, {"times": 2}])
def lanes(machine, *, times=1):
    """Lanes of a warp."""
    return {"lanes": float(times * machine.properties.warp_lanes)}


@benchmark("latency", {"lanes": "lanes"}, lambda machine: [])
def taken(machine):
    """A name that archdef has."""
    return {}


@pytest.fixture
def plugin(monkeypatch):
    """Let a plugin bring something: gives a function that takes what its hook answers."""
    made = []

    def bring(answer):
        def archdef_benchmarks():
            return answer() if callable(answer) else answer

        one = ModuleType("archdef_somebodys")
        one.archdef_benchmarks = hookimpl(archdef_benchmarks)
        registry.REGISTRY._plugins.register(one)
        made.append(one)

    yield bring
    for one in made:
        registry.REGISTRY._plugins.unregister(one)


def test_it_is_measured_swept_listed_and_an_experiment(plugin):
    plugin([lanes])
    assert measure("lanes", "gf100", times=3) == {"lanes": 96.0}
    assert [found for _, found in sweep("lanes", "gf100")] == [{"lanes": 32.0}, {"lanes": 64.0}]
    assert list(suite.load())[-1] == "lanes" and suite.load()["lanes"].measures == "Lanes of a warp."
    assert find("microbench.lanes", "gf100")(registry.get("gf100"), times=2) == {"lanes": 64.0}


def test_without_the_plugin_it_is_unknown():
    with pytest.raises(UnknownBenchmark):
        measure("lanes", "gf100")


@pytest.mark.parametrize("answer, message", [
    ([taken], "the name 'latency' is taken"), ([len], "is not declared by archdef.microbench.benchmark"), (lambda: 1 / 0, "ZeroDivisionError")])
def test_what_a_plugin_does_wrong_costs_a_warning_and_nothing_else(plugin, answer, message):
    plugin(answer)
    with pytest.warns(PluginWarning, match=message):
        known = suite.load()
    assert known["latency"].family == "arithmetic" and known == suite.own()
