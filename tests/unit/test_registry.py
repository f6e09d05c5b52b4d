"""Architectures are found by name; nothing is imported too early, and a broken plugin harms nobody else."""
import subprocess
import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from archdef import frontends, registry
from archdef._plugins import installed
from archdef.errors import PluginError, UnknownArchitecture
from archdef.hookspecs import hookimpl
from archdef.registry import PluginWarning, Registry
from small_machine import gizmo


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    """Write plugin modules into a folder on the path; gives a function ``(name → source, point → module) →
    Registry``."""
    monkeypatch.syspath_prepend(str(tmp_path))
    written = []

    def write(sources: dict[str, str], points: dict[str, str]) -> Registry:
        for module, source in sources.items():
            (tmp_path / f"{module}.py").write_text(source)
            written.append(module)
        return Registry(EntryPoint(point, module, "archdef") for point, module in points.items())

    yield write
    for module in written:
        sys.modules.pop(module, None)


GOOD = """
from archdef.hookspecs import hookimpl
from small_machine import gizmo
@hookimpl
def archdef_architectures():
    return [gizmo()]
"""
BROKEN = {
    "absent_module": "import module_that_does_not_exist_anywhere",
    "no_hook": "",
    "not_marked": "def archdef_architectures(): return []",
    "wrong_signature": "from archdef.hookspecs import hookimpl\n@hookimpl\ndef archdef_architectures(oops): return []",
    "not_an_architecture": "from archdef.hookspecs import hookimpl\n@hookimpl\ndef archdef_architectures(): return ['gizmo']",
    "raises": "from archdef.hookspecs import hookimpl\n@hookimpl\ndef archdef_architectures(): raise RuntimeError('boom')",
    "exits": "import sys; sys.exit(3)",
    "stops": "class Stop(BaseException): pass\nraise Stop('no more')",
    "interrupts": "class Mine(KeyboardInterrupt): pass\nraise Mine('now')",
    "cannot_be_told": "class Dumb(Exception):\n    def __str__(self): raise RuntimeError('x')\nraise Dumb",
    "stops_in_the_hook": "from archdef.hookspecs import hookimpl\n@hookimpl\ndef archdef_architectures(): raise GeneratorExit('x')",
    "stops_late": "from archdef.hookspecs import hookimpl\n@hookimpl\ndef archdef_architectures():\n    yield 1\n    raise SystemExit(2)",
    "a_number": "from archdef.hookspecs import hookimpl\n@hookimpl\ndef archdef_architectures(): return 3",
    "bad_description": "from archdef.hookspecs import hookimpl\nfrom small_machine import gizmo\nfrom archdef.spec import Warp\n"
                       "@hookimpl\ndef archdef_architectures(): return [gizmo(warp=Warp(size=99))]",
    "other_name": GOOD,
}


def test_names_are_listed_without_importing_a_plugin():
    code = ("import sys; from archdef import registry; names = registry.names(); assert 'gt200' in names, names; "
            "assert not [m for m in sys.modules if m.startswith('archdef_')]")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_asking_for_one_imports_only_its_plugin():
    code = ("import sys; from archdef import registry; registry.get('gt200'); "
            "loaded = {m.partition('.')[0] for m in sys.modules if m.startswith('archdef_')}; assert loaded == {'archdef_tesla'}, loaded")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_upper_case_and_aliases_are_understood():
    assert registry.get("GT200") is registry.get("gt200") is registry.get("GTX280")


def test_an_unknown_name_is_answered_with_the_nearest_and_the_list():
    with pytest.raises(UnknownArchitecture, match=r"'gt20' \(did you mean gt200\?\); installed: .*g80.*gt200"):
        registry.get("gt20")


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_is_named_and_skipped(plugins, kind):
    found = plugins({"good_plugin": GOOD, "bad_plugin": BROKEN[kind]}, {"bad": "bad_plugin", "gizmo": "good_plugin"})
    assert found.names() == ("bad", "gizmo")
    assert found.get("gizmo").name == "gizmo"
    with pytest.warns(PluginWarning, match="bad_plugin|'bad'"):
        assert list(found.all()) == ["gizmo"]
    assert list(found.problems()) == ["bad"]
    with pytest.raises(PluginError) as caught:
        found.get("bad")
    assert "bad" in str(caught.value)
    assert found.all() and found.get("widget").name == "gizmo"  # warned once, and the rest goes on


def test_the_cause_of_a_broken_plugin_is_kept(plugins):
    found = plugins({"bad_plugin": BROKEN["absent_module"]}, {"bad": "bad_plugin"})
    with pytest.raises(PluginError, match="module_that_does_not_exist_anywhere") as caught:
        found.get("bad")
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


def test_all_faults_of_a_bad_description_are_in_the_message(plugins):
    found = plugins({"bad_plugin": BROKEN["bad_description"]}, {"bad": "bad_plugin"})
    with pytest.raises(PluginError, match="gizmo.warp.size must be at most 64, got 99"):
        found.get("bad")


def test_a_plugin_that_does_not_declare_what_it_promises_is_refused(plugins):
    found = plugins({"good_plugin": GOOD}, {"gadget": "good_plugin"})
    with pytest.raises(PluginError, match="promises the architecture 'gadget' but declares: gizmo"):
        found.get("gadget")


def test_a_name_of_two_distributions_is_refused_and_can_be_chosen(plugins):
    """Whatever was loaded before; the other names of both go on."""
    points = [EntryPoint("gizmo", "good_plugin", "archdef"), EntryPoint("gizmo", "other_plugin", "archdef"),
              EntryPoint("gadget", "other_plugin", "archdef")]
    plugins({"good_plugin": GOOD, "other_plugin": GOOD.replace("[gizmo()]", "[gizmo(title='Another'), gizmo(name='gadget', aliases=())]")}, {})
    for order in (points, points[::-1]):
        for asked_before in ((), ("gadget",), ("other_plugin:gizmo",)):
            found = Registry(order)
            for name in asked_before:
                found.get(name)
            with pytest.warns(PluginWarning, match="good_plugin, other_plugin"):
                assert list(found.all()) == ["gadget"]
            with pytest.raises(PluginError, match="'gizmo' is declared by several distributions: good_plugin, other_plugin; "
                                                  "choose one as 'good_plugin:gizmo' or 'other_plugin:gizmo', or uninstall"):
                found.get("gizmo")
            assert found.names() == ("gadget", "gizmo") and found.get("gadget").name == "gadget"
            assert found.get("good_plugin:gizmo").title != "Another" and found.get("Other_Plugin:GIZMO").title == "Another"


def test_a_plugin_cannot_replace_what_another_declares(plugins):
    thief = GOOD.replace("[gizmo()]", "[gizmo(title='Stolen'), gizmo(name='a_thief', aliases=())]")
    for first in (("a_thief",), ()):
        found = plugins({"good_plugin": GOOD, "thief_plugin": thief}, {"gizmo": "good_plugin", "a_thief": "thief_plugin"})
        with pytest.warns(PluginWarning, match="plugin thief_plugin also gives the architecture 'gizmo', which good_plugin declares"):
            for name in first:
                found.get(name)
            assert list(found.all()) == ["a_thief", "gizmo"]
        assert found.get("gizmo").title != "Stolen"


def test_an_alias_of_two_is_refused(plugins):
    other = GOOD.replace("[gizmo()]", "[gizmo(name='gadget')]")
    found = plugins({"good_plugin": GOOD, "other_plugin": other}, {"gizmo": "good_plugin", "gadget": "other_plugin"})
    with pytest.raises(UnknownArchitecture, match="'widget' is an alias of several: gadget, gizmo; use the name of one"):
        found.get("widget")


def test_the_users_own_interrupt_goes_on(plugins):
    found = plugins({"bad_plugin": "raise KeyboardInterrupt"}, {"bad": "bad_plugin"})
    with pytest.raises(KeyboardInterrupt):
        found.get("bad")
    assert not found.problems()


def test_what_a_plugin_says_cannot_control_the_terminal(plugins):
    found = plugins({"bad_plugin": "raise ValueError('\\x1b[2J[/x] \\u202e')"}, {"bad": "bad_plugin"})
    with pytest.raises(PluginError) as caught:
        found.get("bad")
    assert r"\x1b[2J[/x] \u202e" in str(caught.value)


@pytest.mark.parametrize("experiments", ["raise SystemExit", "return [3]", "return 3", "yield 1; raise RuntimeError"])
def test_broken_experiments_are_the_plugins_own(plugins, experiments):
    source = GOOD + "@hookimpl\ndef archdef_experiments():\n    " + experiments + "\n"
    found = plugins({"good_plugin": source}, {"gizmo": "good_plugin"})
    with pytest.raises(PluginError, match="good_plugin"):
        found.experiments("gizmo")


@pytest.mark.parametrize("benchmarks", ["raise SystemExit", "return 3", "yield 1; raise GeneratorExit", "raise ValueError('\\x1b[2J')"])
def test_broken_benchmarks_are_the_plugins_own(plugins, benchmarks):
    hook = "@hookimpl\ndef archdef_benchmarks():\n    "
    other = GOOD.replace("gizmo()", "gizmo(name='gadget', aliases=())") + hook + benchmarks + "\n"
    found = plugins({"good_plugin": GOOD + hook + "return [gizmo]\n", "other_plugin": other}, {"gizmo": "good_plugin", "gadget": "other_plugin"})
    with pytest.warns(PluginWarning, match="plugin other_plugin: archdef_benchmarks cannot be loaded") as warned:
        assert ("good_plugin", gizmo) in [(name, function) for name, function in found.benchmarks()]
    assert all("\x1b" not in str(warning.message) for warning in warned)


METADATA = {
    "entry points that are no text": (b"Name: bad\nVersion: 1\n", b"[archdef]\nx = \xff\xfe"), "an entry point without a value": (b"Name: bad\nVersion: 1\n",
    b"[archdef]\nfoo\n"),
    "a name that is no text": (b"\xff\xfe", b"[archdef]\nfoo = os\n"), "no name": (b"", b"[archdef]\ngt200 = os\n"), "no metadata": (None,
    b"[archdef]\ngt200 = os\n"),
    "escapes for a name": (b"Name: \x1b[2J[/x]\n", b"[archdef]\ngt200 = os\n"), "no section": (b"Name: bad\n", b"foo = bar\n[archdef]\n = x\n[[")}


@pytest.mark.parametrize("kind", METADATA)
def test_a_distribution_that_cannot_be_read_leaves_the_others_alone(tmp_path, monkeypatch, kind):
    """Of whatever project it is: importlib reads the entry points of all of them."""
    metadata, points = METADATA[kind]
    (info := tmp_path / "bad-1.dist-info").mkdir()
    if metadata is not None:
        (info / "METADATA").write_bytes(metadata)
    (info / "entry_points.txt").write_bytes(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    fresh = Registry()
    with pytest.warns(PluginWarning, match="bad-1|bad|plugin os|declared by several distributions") as warned:
        others = set(registry.names()) - {"gt200", "foo"}
        assert others <= set(fresh.names()) and others <= set(fresh.all())
        assert frontends.Finder(frontends.builtin).names()
    assert all("\x1b" not in str(warning.message) for warning in warned)


def test_a_plugin_of_this_process_can_be_registered_and_taken_away():
    class Plugin:
        @hookimpl
        def archdef_architectures(self):
            return [MACHINE]

    MACHINE, plugin, found = gizmo(), Plugin(), Registry(())
    assert found.register(plugin) == (MACHINE,) and found.get("gizmo") is MACHINE is found.get("Widget")
    found.unregister(plugin)
    with pytest.raises(UnknownArchitecture, match="installed: none"):
        found.get("gizmo")


def test_a_taken_name_is_refused_and_the_first_stays():
    class Plugin:
        def __init__(self, machine):
            self.machine = machine

        @hookimpl
        def archdef_architectures(self):
            return [self.machine]

    found, first = Registry(()), gizmo()
    found.register(Plugin(first))
    with pytest.raises(PluginError, match="the name 'gizmo' is taken"):
        found.register(Plugin(first.evolve({"warp.size": 16})))
    assert found.get("gizmo") is first


class Raises:
    @hookimpl
    def archdef_architectures(self):
        raise ValueError("no time")


class Misnamed:
    @hookimpl
    def archdef_architectures(self, color):
        return [gizmo()]

    @hookimpl
    def archdef_experiments(self):
        raise ValueError("asked although it was refused")


@pytest.mark.parametrize("plugin", [[], {}, set(), np.zeros(2), 3, "gizmo", None, object(), Raises(), Misnamed()],
                         ids=lambda plugin: type(plugin).__name__)
def test_what_is_refused_as_a_plugin_leaves_the_others_as_they_were(plugin):
    """An object that cannot be hashed stayed registered once, and every later question to any plugin failed."""
    class Plugin:
        @hookimpl
        def archdef_architectures(self):
            return [MACHINE]

        @hookimpl
        def archdef_experiments(self):
            return [gizmo]

    MACHINE, found = gizmo(), Registry(())
    found.register(Plugin())
    for _ in range(2):
        with pytest.raises(PluginError, match="plugin"):
            found.register(plugin)
    assert found.get("gizmo") is MACHINE and found.experiments("gizmo") == (gizmo,) and found.benchmarks() == []


def test_a_plugin_installed_later_is_seen(tmp_path, monkeypatch):
    fresh = Registry()
    assert "gizmo" not in fresh.names()
    info = tmp_path / "archdef_gizmo-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: archdef-gizmo\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[archdef]\ngizmo = archdef_gizmo_of_this_test\n")
    (tmp_path / "archdef_gizmo_of_this_test.py").write_text(GOOD)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert fresh.get("gizmo").title == "Gizmo 1"


def test_what_is_installed_is_read_once_for_a_question(monkeypatch):
    asked = []
    monkeypatch.setattr(registry, "installed", lambda group: asked.append(group) or found)
    found = registry.REGISTRY._given or installed("archdef")
    fresh = Registry()
    assert len(fresh.all()) > 1 and len(asked) == 1
    fresh.get(next(iter(fresh.all())))
    assert len(asked) == 3
