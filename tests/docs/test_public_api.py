"""The public interface is listed, documented, and all that plugins, examples and pages use."""
import ast
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from api_page import PAGE, ROOT, page, said

import archdef
from archdef._public import GIVEN, MODULES
from archdef.scaffold import new_plugin

EACH = pytest.mark.parametrize("module", MODULES)


def defined(module):
    """The names without underscore that a module defines itself."""
    for node in ast.parse(Path(inspect.getsourcefile(module)).read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (element.id for target in targets for element in getattr(target, "elts", [target]) if isinstance(element, ast.Name))


def imported(tree):
    """(module, name) of everything of archdef that code imports; name is None for the module itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "archdef":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if alias.name.partition(".")[0] == "archdef")


def is_public(module, name):
    if name is None:
        return module in MODULES or any(public.startswith(module + ".") for public in MODULES)
    return (module in MODULES and name in importlib.import_module(module).__all__) or f"{module}.{name}" in GIVEN or f"{module}.{name}" in MODULES


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "refresh it with: python tests/docs/api_page.py"


@EACH
def test_every_public_name_exists(module):
    public = importlib.import_module(module)
    assert len(set(public.__all__)) == len(public.__all__) > 0
    for name in public.__all__:
        assert not name.startswith("_") and getattr(public, name) is not None


@EACH
def test_every_public_function_and_class_says_what_it_is(module):
    public = importlib.import_module(module)
    silent = [name for name in public.__all__ if not said(module, name)
              and not isinstance(getattr(public, name), (int, str)) and not module.startswith("archdef.runtime.")]
    assert not silent


@EACH
def test_what_a_public_module_defines_is_public_or_has_an_underscore(module):
    public = importlib.import_module(module)
    assert not [name for name in defined(public) if not name.startswith("_") and name not in public.__all__ and name != "annotations"]


def test_single_names_are_there_and_documented():
    for path in GIVEN:
        module, _, name = path.rpartition(".")
        assert said(module, name), path


def test_every_error_that_archdef_raises_is_public():
    for module in pkgutil.walk_packages(archdef.__path__, "archdef."):
        if module.name.rpartition(".")[2] == "__main__" or ".engine" in module.name or module.name == "archdef.policies.jit" or module.name.startswith("archdef.testing"):
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(thing) and issubclass(thing, archdef.ArchdefError) and thing.__module__ == module.name and not name.startswith("_"):
                if f"{module.name}.{name}" == "archdef.runtime.status.Refusal":
                    continue  # users see it as a RuntimeApiError
                assert is_public(module.name, name) or any(getattr(importlib.import_module(public), name, None) is thing
                                                           and name in importlib.import_module(public).__all__ for public in MODULES), thing


EXCUSED = {  # they live in this repository, and change with what they use
    "plugins/archdef-xiyun/src/archdef_xiyun/maca.py": {"archdef.frontends.nvrtc", "archdef.frontends.source"},
    "docs/examples/transfer_overlap.py": {"archdef.options.arch_option", "archdef.options.architectures", "archdef.options.set_option",
                                          "archdef.host.link.link_of"}}
INSIDE = {"plugins/archdef-sass/": ("archdef.lower.", "archdef.ptx."), "plugins/archdef-tesla/src/archdef_tesla/target.py": ("archdef.lower.",),
          "plugins/archdef-tesla/src/archdef_tesla/shared_operands.py": ("archdef.lower.",)}
"""Where a distribution that is part of something of archdef's lives → what it is part of: its passes are made of the same things as archdef's own."""
SOURCES = [*ROOT.glob("plugins/*/src/**/*.py"), *ROOT.glob("docs/examples/**/*.py")]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_plugins_and_examples_use_only_public_names(source):
    private = {f"{module}.{name}" for module, name in imported(ast.parse(source.read_text(encoding="utf-8"))) if not is_public(module, name)}
    path = str(source.relative_to(ROOT))
    private -= {name for name in private for where, of in INSIDE.items() if path.startswith(where) and name.startswith(of)}
    assert private == EXCUSED.get(path, set())


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted(ROOT.glob("docs/howto/*.md")), *sorted(ROOT.glob("docs/reference/*.md"))],
                         ids=lambda path: path.name)
def test_pages_for_users_show_only_public_names(path):
    for block in re.findall(r"```py(?:thon)?\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        try:
            tree = ast.parse(block)
        except SyntaxError:
            continue  # an excerpt
        assert not [f"{module}.{name}" for module, name in imported(tree) if not is_public(module, name)]


@pytest.mark.parametrize("base", [None, "gf100"])
def test_new_plugins_use_only_public_names(base, tmp_path):
    if base is not None and base not in archdef.architectures():
        pytest.skip(f"{base} is not installed")
    made = new_plugin("gizmo", base=base, folder=tmp_path)
    for source in made.rglob("*.py"):
        assert not [f"{module}.{name}" for module, name in imported(ast.parse(source.read_text())) if not is_public(module, name)]


def test_the_package_shows_its_public_names_and_no_helpers():
    shown = {name for name in dir(archdef) if not name.startswith("_")}
    modules = {module.name for module in pkgutil.iter_modules(archdef.__path__)}
    assert shown - modules == set(archdef.__all__) - modules


def test_a_public_module_is_an_attribute_of_the_package():
    code = "import archdef, sys; assert 'numpy' not in sys.modules; assert archdef.registry.names() is not None; assert archdef.spec.Architecture"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))})
    with pytest.raises(AttributeError, match="no_such_thing"):
        archdef.no_such_thing
