"""A plugin that does not fit this archdef is refused with both versions, and the others go on; what goes away warns first."""
import importlib
import sys
import warnings
from importlib.metadata import Distribution, EntryPoint, distribution

import pytest
from packaging.version import Version
from small_machine import gizmo

import archdef
from archdef import _deprecation
from archdef._deprecation import MARKED, MOVED, RENAMED, Deprecation, deprecated
from archdef._versions import misfit
from archdef.errors import ArchdefDeprecationWarning, PluginError, PluginWarning, UnknownField
from archdef.frontends.finder import Finder
from archdef.files import dumps, loads
from archdef.hookspecs import hookimpl
from archdef.registry import Registry

OTHER = "archdef>=9.1,<9.2"
SOURCE = """
from archdef import hookimpl
from small_machine import gizmo
@hookimpl
def archdef_architectures():
    return [gizmo(name="NAME", aliases=())]
"""


class Installed(Distribution):
    """A distribution that is on no disk."""

    def __init__(self, name, requires):
        self._text = "\n".join([f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.4", *(f"Requires-Dist: {line}" for line in requires), ""])

    def read_text(self, filename):
        return self._text if filename == "METADATA" else None

    def locate_file(self, path):
        return path


def point(name, requires, group="archdef"):
    return EntryPoint(name, f"plugin_{name}", group)._for(Installed(f"archdef-{name}", requires))


@pytest.fixture
def registry(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def make(**requirements):
        for name in requirements:
            (tmp_path / f"plugin_{name}.py").write_text(SOURCE.replace("NAME", name))
            made.append(f"plugin_{name}")
        return Registry([point(name, lines) for name, lines in requirements.items()])

    yield make
    for module in made:
        sys.modules.pop(module, None)


def test_a_plugin_for_another_version_is_refused_with_both_versions_and_never_imported(registry):
    found = registry(old=[OTHER], good=["archdef>=0.1"])
    with pytest.raises(PluginError) as caught:
        found.get("old")
    said = str(caught.value)
    assert "archdef-old 1.4 supports archdef" in said and "9.1" in said and f"this is archdef {archdef.__version__}" in said
    assert "plugin_old" not in sys.modules
    assert found.get("good").name == "good"
    assert list(found.problems()) == ["old"]


def test_the_others_go_on(registry):
    found = registry(a=[OTHER], b=[], c=["archdef"])
    with pytest.warns(PluginWarning, match="archdef-a 1.4 supports archdef"):
        assert list(found.all()) == ["b", "c"]


@pytest.mark.parametrize("requires, version, fits", [
    ([], "0.1.0", True), (["archdef"], "7", True), (["archdef>=0.1,<0.2"], "0.1.9", True), (["archdef>=0.1,<0.2"], "0.2", False),
    (["archdef>=0.2"], "0.1", False), (["Archdef >=0.2"], "0.1", False), (["archdef>=0.1,<0.2"], "0.1.5.dev3", True),
    (["archdef[test]>=9 ; extra == 'test'"], "0.1", True), (["archdef>=0.1,<0.2", "archdef[test]; extra == 'test'"], "0.1", True),
    (["numpy>=99"], "0.1", True), (["archdef-fermi>=9"], "0.1", True), (["archdef>=9 ; python_version < '3'"], "0.1", True),
    (["not a requirement at all!!"], "0.1", True), (["archdef~=0.1.2"], "0.1.1", False)])
def test_the_metadata_says_which_versions_fit(requires, version, fits):
    why = misfit([point("gizmo", requires)], version)
    assert (why is None) == fits and (fits or version in why)


def test_plugins_of_this_process_have_no_metadata_and_fit():
    assert misfit([EntryPoint("x", "x", "archdef")]) is None


def test_a_front_end_for_another_version_is_refused():
    class Own:
        @hookimpl
        def archdef_frontends(self):
            return []

    finder = Finder(Own(), [point("gizmoc", [OTHER], "archdef.frontends")])
    with pytest.warns(PluginWarning, match="archdef-gizmoc 1.4 supports archdef"):
        finder._load("gizmoc")


def test_the_version_of_the_package_is_that_of_the_distribution():
    try:
        installed = distribution("archdef")
    except Exception:  # noqa: BLE001  whatever it is, it is told
        pytest.skip("archdef is not installed, only on the path")
    assert installed.version == archdef.__version__


# --------------------------------------------------------------------------------------------------------- deprecations
def test_a_deprecated_function_warns_where_it_is_called():
    @deprecated(since="0.2", removed="0.3", instead="archdef.load")
    def old(x):
        """Double."""
        return 2 * x

    MARKED.pop()
    with pytest.warns(ArchdefDeprecationWarning, match="old is deprecated since archdef 0.2 and goes away in 0.3; use archdef.load") as seen:
        assert old(3) == 6
    assert seen[0].filename == __file__ and old.__doc__ == "Double."


def test_a_deprecated_class_warns_when_one_is_made():
    @deprecated(since="0.2", removed="1.0", instead="something else")
    class Old:
        def __init__(self, x):
            self.x = x

    MARKED.pop()
    with pytest.warns(ArchdefDeprecationWarning, match="Old is deprecated") as seen:
        assert Old(3).x == 3
    assert seen[0].filename == __file__


def test_a_name_that_has_moved_is_found_with_a_warning(monkeypatch):
    monkeypatch.setitem(MOVED, "archdef.read", Deprecation("archdef.read", "0.2", "0.3", "archdef.files.load"))
    with pytest.warns(ArchdefDeprecationWarning, match="use archdef.files.load"):
        assert archdef.read is archdef.load
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        archdef.nothing


@pytest.mark.parametrize("old", MOVED)
def test_what_has_moved_is_found_at_its_old_place(old):
    (module, _, name), (place, _, new) = old.rpartition("."), MOVED[old].instead.rpartition(".")
    with pytest.warns(ArchdefDeprecationWarning, match=f"use {place}.{new}"):
        assert getattr(importlib.import_module(module), name) is getattr(importlib.import_module(place), new)


def test_a_field_that_has_another_path_is_found_under_the_old_one(monkeypatch):
    monkeypatch.setitem(RENAMED, "memory.channels", Deprecation("memory.channels", "0.2", "0.3", "dram.partitions"))
    with pytest.warns(ArchdefDeprecationWarning, match="use dram.partitions") as seen:
        assert gizmo().evolve({"memory.channels": 7}).dram.partitions == 7
    with pytest.warns(ArchdefDeprecationWarning):
        assert gizmo()["memory.channels"] == 4
    text = dumps(gizmo(), "json").replace('"partitions": 4,', "", 1).replace('"format"', '"memory": {"channels": 4}, "format"', 1)
    with pytest.warns(ArchdefDeprecationWarning):
        assert loads(text, "json") == gizmo()
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gizmo().evolve({"dram.partitions": 7}).dram.partitions == 7
        with pytest.raises(UnknownField):
            gizmo().evolve({"memory.nothing": 7})


def test_nothing_can_go_away_in_the_release_that_deprecates_it():
    for removed in ("0.2", "0.2.7", "0.1"):
        with pytest.raises(ValueError, match="it can go away in a later minor release"):
            Deprecation("x", "0.2", removed, "y")


def test_nothing_is_here_longer_than_promised():
    from archdef.testing import Conformance, examine  # noqa: F401  what marks things when it is imported

    for notice in (*MARKED, *MOVED.values(), *RENAMED.values()):
        assert Version(archdef.__version__) < Version(notice.removed), f"{notice.what} was to go away in {notice.removed}"
    assert _deprecation.MOVED is MOVED
