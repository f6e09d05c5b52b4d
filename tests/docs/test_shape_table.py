"""The code gets no more tangled: CONTRIBUTING.md shows what the script counts, and no count is above its limit."""
from collections import Counter

import pytest
from shape_table import PAGE, ROOT, ROWS, counts, page, setters_of

from archdef import registry

LIMITS = {
    "fields": (336, "each is something that an author of a machine must understand"),
    "one_plugin": (96, "what only one machine needs belongs in an optional component of its own"),
    "one_plugin_outside": (0, "what only one machine has is an optional component, or does not come in"),
    "at_default": (43, "a field that no machine sets has nobody who needs it"),
    "machine_table": (3, "a component's parameters belong in a struct of its own"),
    "header_modules": (14, "what cimports the header of all state can touch all of it, and is compiled again with every change of it"),
    "circles": (0, "modules in a circle can only be understood, compiled and changed together"),
    "pxd_lines": (332, "a component's state belongs in its own header"),
    "pyx_lines": (792, "a module holds one stage of an access"),
    "engine_long_functions": (0, "a function fits on a screen"),
    "archdef_imports": (0, "an import within a function hides a circle of packages"),
    "package_imports": (0, "only optional packages need it; a slow one belongs behind the command that uses it"),
    "long_functions": (5, "a function fits on a screen"),
}
"""Count → its most, as it was when this was written or later lowered, and why less is better. How many modules the engine has, is free."""

pytestmark = pytest.mark.skipif(not {path.name.removeprefix("archdef-") for path in (ROOT / "plugins").iterdir()
                                     if "entry-points.archdef]" in (path / "pyproject.toml").read_text()}
                                <= {str(registry.REGISTRY.package(name)).removeprefix("archdef_") for name in registry.names()},
                                reason="needs all plugins of this repository")


@pytest.fixture(scope="module")
def now():
    return counts()


def test_the_table_of_shape_is_what_the_code_says():
    assert PAGE.read_text(encoding="utf-8") == page(), "refresh it with: python tests/docs/shape_table.py"


def test_every_count_but_that_of_modules_has_a_limit(now):
    assert set(ROWS) == set(now) == {*LIMITS, "modules"}


@pytest.mark.parametrize("name", LIMITS)
def test_a_count_is_within_its_limit(name, now):
    most, why = LIMITS[name]
    assert now[name] <= most, f"{ROWS[name]}: {why}"


def test_no_component_has_more_than_seven_fields_that_only_one_plugin_sets():
    """One that has more is several."""
    alone = Counter(cls for (cls, _), plugins in setters_of(ROOT).items() if len(plugins) == 1)
    assert {cls: count for cls, count in alone.items() if count > 7} == {}
