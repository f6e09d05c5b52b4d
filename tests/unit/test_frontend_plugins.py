"""A plugin can bring a front end of its own; a broken one harms nobody else."""
import sys
from importlib.metadata import EntryPoint

import pytest

from archdef import frontends
from archdef.errors import CompileError, PluginError, PluginWarning
from archdef.frontends import Compiled, FrontEnd, Interface, Options, builtin
from archdef.frontends.finder import Finder
from archdef.hookspecs import hookimpl

PTX = ".version 7.8\n.target sm_35\n.address_size 64\n.visible .entry nothing()\n{\n    ret;\n}\n"


class Recipe:
    """Turns ``.recipe`` files, and anything cooked, into one kernel that does nothing."""

    name, takes = "recipe", "a .recipe file"

    def accepts(self, source, options):
        return str(source).endswith(".recipe")

    def missing(self):
        return None

    def compile(self, source, options):
        options.check_settings(self.name, ("salt",))
        return Compiled(PTX, f"{source}.ptx", compiler="Recipe 1", interfaces={"nothing": Interface("supper")})


class Plugin:
    """What a plugin module is."""

    @hookimpl
    def archdef_frontends(self):
        return [Recipe()]


@pytest.fixture
def cooked():
    plugin = Plugin()
    frontends.register(plugin)
    yield
    frontends.unregister(plugin)


def test_a_registered_front_end_takes_its_sources(cooked):
    assert frontends.compile("stew.recipe").compiler == "Recipe 1"
    assert "recipe" in frontends.names()


def test_it_is_gone_once_unregistered():
    with pytest.raises(CompileError, match=r"cannot tell what 'stew\.recipe' is: give a \.ptx file"):
        frontends.compile("stew.recipe")


def test_a_kernel_has_the_name_that_its_front_end_gives_it(cooked):
    from archdef import Device, registry
    if not registry.names():
        pytest.skip("no architecture plugin is installed")
    module = Device(registry.names()[0]).compile("stew.recipe", salt=1)
    assert module.supper.name == "supper" and module["nothing"] is module.supper
    assert module.supper[1, 1]().cycles > 0


def test_its_own_options_reach_it_and_others_are_refused(cooked):
    assert frontends.compile("stew.recipe", Options().changed(salt=2))
    with pytest.raises(CompileError, match=r"recipe has no option 'sallt' \(did you mean salt\?\); it has salt"):
        frontends.compile("stew.recipe", Options().changed(sallt=2))


def test_archdefs_own_are_found_by_the_same_hook():
    assert Finder(builtin, ()).names() == ("ptx", "nvrtc", "shipped", "nvcc", "numba", "triton")
    assert all(isinstance(f, FrontEnd) for f in builtin.archdef_frontends())


def test_a_front_end_can_be_asked_for_by_name():
    assert frontends.compile(PTX, Options(compiler="ptx")).ptx == PTX
    with pytest.raises(CompileError, match=r"no front end is called 'nvc' \(did you mean nvcc\?\); there are ptx, nvrtc"):
        frontends.compile(PTX, Options(compiler="nvc"))
    with pytest.raises(CompileError, match=r"nvrtc does not take 'kernel\.ptx': give a \.cu file"):
        frontends.compile("kernel.ptx", Options(compiler="nvrtc"))


def test_a_taken_name_is_refused():
    class Twice:
        """Two of one name."""

        @hookimpl
        def archdef_frontends(self):
            return [Recipe(), Recipe()]

    finder = Finder(builtin, ())
    finder.register(Plugin())
    with pytest.raises(PluginError, match="plugin Plugin: the name 'recipe' is taken"):
        finder.register(Plugin())


@pytest.mark.parametrize("source, message", [
    ("", "implements no archdef_frontends hook"),
    ("import module_that_does_not_exist_anywhere", "ModuleNotFoundError"),
    ("from archdef import hookimpl\n@hookimpl\ndef archdef_frontends(): return [3]", "gave 3, which is no front end: it needs name"),
    ("from archdef import hookimpl\n@hookimpl\ndef archdef_frontends(oops): return []", "oops"),
    ("import sys; sys.exit(3)", "SystemExit")])
def test_a_broken_plugin_is_a_warning(source, message, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_front_end.py").write_text(source)
    finder = Finder(builtin, [EntryPoint("broken", "broken_front_end", "archdef.frontends")])
    assert finder.find(PTX, Options()).name == "ptx" and "broken_front_end" not in sys.modules
    try:
        with pytest.warns(PluginWarning, match=message), pytest.raises(CompileError, match="cannot tell what 'x.recipe' is"):
            finder.find("x.recipe", Options())
    finally:
        sys.modules.pop("broken_front_end", None)


def test_an_installed_plugin_is_imported_when_it_is_needed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "good_front_end.py").write_text(
        "from archdef import hookimpl\nfrom test_frontend_plugins import Recipe\n"
        "@hookimpl\ndef archdef_frontends(): return [Recipe()]\n")
    finder = Finder(builtin, [EntryPoint("recipe", "good_front_end", "archdef.frontends")])
    assert "recipe" in finder.names() and finder.find(PTX, Options()).name == "ptx"
    assert "good_front_end" not in sys.modules
    assert finder.find("stew.recipe", Options()).name == "recipe"
    sys.modules.pop("good_front_end", None)


def test_unknown_ways_to_count_registers_are_refused():
    with pytest.raises(CompileError, match=r"registers must be 'liveness' or 'ptxas', got 'ptxa' \(did you mean ptxas\?\)"):
        Options(registers="ptxa")
