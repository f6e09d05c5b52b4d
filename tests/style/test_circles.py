"""Do the modules of lowering, and those of the engine, stand on each other in one direction? Imports within functions count; those for type checkers alone do not."""
import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BELOW = {"archdef.lower.passes": ("archdef.lower.pack", "archdef.lower.program", "archdef.lower.listing"),
         "archdef.lower.select": ("archdef.lower.passes", "archdef.lower.pack", "archdef.lower.program", "archdef.lower.listing")}
"""Package of lowering → what it must not know, for that stands on it."""


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in (ROOT / "archdef" / "lower").rglob("*.py")}


def imported(node: ast.AST, modules) -> Iterator[str]:
    """The modules that a piece of source imports."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            yield name if name in modules else node.module
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imported(child, modules)


def graph(modules: dict[str, str]) -> dict[str, set[str]]:
    """Module → those that it imports, of some modules with their sources."""
    return {name: {one for one in imported(ast.parse(source), modules) if one in modules and one != name} for name, source in modules.items()}


@pytest.fixture(scope="module")
def imports():
    return graph({name: path.read_text(encoding="utf-8") for name, path in MODULES.items()})


def test_no_circle_is_among_the_modules_of_lowering(imports):
    assert len(imports) > 50
    order = tuple(TopologicalSorter(imports).static_order())
    assert order[-1] == "archdef.lower"


ENGINE = ROOT / "ext" / "archdef" / "engine"
CIMPORT = re.compile(r"^from archdef\.engine\.(\w+) c?import", re.MULTILINE)


def test_no_circle_is_among_the_modules_of_the_engine():
    """What a `.pxd` cimports counts as well as what its `.pyx` does."""
    if not ENGINE.is_dir():
        pytest.skip("an installation without the engine's sources")
    theirs = {}
    for path in sorted(ENGINE.glob("*.p[yx][xdi]")):
        theirs.setdefault(path.stem, set()).update(CIMPORT.findall(path.read_text(encoding="utf-8")))
    theirs = {name: {one for one in imported if one in theirs and one != name} for name, imported in theirs.items()}
    assert len(theirs) > 80
    order = tuple(TopologicalSorter(theirs).static_order())       # raises CycleError with the circle
    assert order.index("types") < order.index("launch") < order.index("state") < order.index("session")


def test_a_circle_through_a_function_is_found_and_one_for_type_checkers_is_none():
    with pytest.raises(CycleError):
        tuple(TopologicalSorter(graph({"a": "import b", "b": "def f():\n    from a import x"})).static_order())
    tuple(TopologicalSorter(graph({"a": "import b", "b": "if TYPE_CHECKING:\n    import a"})).static_order())


@pytest.mark.parametrize("package", BELOW)
def test_a_package_of_lowering_imports_nothing_that_stands_on_it(imports, package):
    found = [(name, one) for name, theirs in imports.items() if name.startswith(package) for one in theirs if one.startswith(BELOW[package])]
    assert not found


def test_passes_are_known_to_what_puts_them_together_alone(imports):
    known = {name for name, theirs in imports.items() if not name.startswith("archdef.lower.passes") and any("lower.passes." in one for one in theirs)}
    assert known == {"archdef.lower.kernel", "archdef.lower.target.usual"}
