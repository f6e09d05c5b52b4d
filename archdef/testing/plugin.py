"""pytest plugin: fixtures ``arch`` and ``device`` make a test a matrix over the installed architectures.

Nothing of archdef is imported before a test asks for one of them: every pytest session of an environment loads this module. `archdef` and
`archdef.testing` import what they are asked for at its first use.
"""
from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import archdef
from archdef import testing

_SUITE = Path(__file__).with_name("suite.py")
_CHOSEN = pytest.StashKey()
_RUNS = pytest.StashKey()
_MARK = """arch(requires=..., names=..., when=..., **fields): run only on architectures that declare the features or parts in `requires` \
(a name or a list), that are called one of `names` (globs will do), for which the function `when` holds, and whose fields have the \
values given: warp_size=64, or a path of the description such as fields={"shared.banks": 32}."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("archdef", "GPU architectures (archdef)")
    group.addoption("--archdef-arch", action="append", metavar="NAME", default=[], dest="archdef_arch",
                    help="Architecture to test on: a name, an alias, or a glob such as 'gt*'; may be repeated. All installed ones if left out. "
                         "Without paths, the conformance suite of these architectures is run, too.")
    group.addoption("--archdef-quick", action="store_true", default=False, dest="archdef_quick",
                    help="Run only the quick part of conformance suites.")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; choose the architectures if some are named; without paths, add the conformance suite."""
    config.addinivalue_line("markers", _MARK)
    if config.getoption("archdef_arch"):
        chosen(config)
        if config.args_source is not pytest.Config.ArgsSource.ARGS:
            config.args.append(str(_SUITE))


def chosen(config: pytest.Config) -> tuple[str, ...]:
    """Give the names of the architectures to test on, in alphabetical order, the same in every process.

    Raises pytest.UsageError if an option matches none.
    """
    if _CHOSEN not in config.stash:
        config.stash[_CHOSEN] = testing.choosing.choose(config.getoption("archdef_arch"))
    return config.stash[_CHOSEN]


# ------------------------------------------------------------------------------------------------------------- fixtures
@pytest.fixture(scope="session")
def arch(request: pytest.FixtureRequest):
    """An installed architecture: an `archdef.Architecture`. The test runs once for each that is chosen and that its marks allow."""
    return archdef.registry.get(request.param)


@pytest.fixture
def device(arch):
    """A fresh `archdef.Device` of the architecture, with memory of its own; kernels that never end are stopped within seconds."""
    return archdef.Device(arch, max_instructions=200_000_000, max_cycles=100_000_000_000)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make tests that use our ``arch`` a matrix over the architectures that their marks allow."""
    if "arch" not in metafunc.fixturenames or not _is_ours(metafunc):
        return
    names, refused = testing.choosing.allowed(chosen(metafunc.config), list(metafunc.definition.iter_markers("arch")))
    if names:
        metafunc.parametrize("arch", names, indirect=True, scope="session")
    elif metafunc.config.getoption("archdef_arch"):
        metafunc.parametrize("arch", [pytest.param("", id="none", marks=pytest.mark.skip(reason=refused))], indirect=True)
    else:
        pytest.fail(f"{metafunc.definition.nodeid}: {refused}", pytrace=False)


def _is_ours(metafunc: pytest.Metafunc) -> bool:
    """Tell whether ``arch`` is the fixture of this plugin: neither one of the user's own nor a parameter."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
        if "arch" in (names.replace(" ", "").split(",") if isinstance(names, str) else names):
            return False
    found = getattr(metafunc, "_arg2fixturedefs", {}).get("arch")
    return not found or found[-1].func.__module__ == __name__


# ------------------------------------------------------------------------------------------------------------- reports
@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem) -> Iterator:
    """Keep the launches of a test that uses an architecture, for its report."""
    if "arch" not in getattr(item, "fixturenames", ()):
        return (yield)
    with testing.record.recorded(most=5) as runs:
        item.stash[_RUNS] = runs
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator:
    """Show the architecture of a failed test, and the counters of its launches."""
    report = yield
    if report.failed and _RUNS in item.stash:
        architecture = getattr(item, "funcargs", {}).get("arch")
        report.sections.append(("archdef", testing.choosing.described(architecture, item.stash[_RUNS])))
    return report


# --------------------------------------------------------------------------------------------------- conformance suites
def pytest_pycollect_makemodule(module_path: Path, parent) -> pytest.Module | None:
    """Give the shipped suite a name of its own, wherever it is installed."""
    if module_path == _SUITE:
        return pytest.Module.from_parent(parent, path=module_path, nodeid="archdef.testing.suite")
    return None


def pytest_pycollect_makeitem(collector, name: str, obj):
    """Make of a `Conformance` class that names no architecture one class for each that is chosen."""
    if not (inspect.isclass(obj) and getattr(obj, "is_conformance", False) and obj.architecture is None and name.startswith("Test")):
        return None
    made = []
    for architecture in chosen(collector.config):
        single = type(f"{name}_{architecture}", (obj,), {"architecture": architecture, "__module__": obj.__module__, "__doc__": obj.__doc__})
        setattr(collector.obj, single.__name__, single)
        made.append(pytest.Class.from_parent(collector, name=single.__name__))
    return made


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out conformance classes of other architectures, and those of the suite that the collected tests have themselves."""
    suites = [(item, item.cls) for item in items if getattr(getattr(item, "cls", None), "is_conformance", False)]
    if not suites or not config.getoption("archdef_arch"):
        return
    names = chosen(config)
    own = {_called(cls) for item, cls in suites if item.path != _SUITE}
    gone = {item for item, cls in suites if _called(cls) not in names or (item.path == _SUITE and _called(cls) in own)}
    if gone:
        config.hook.pytest_deselected(items=[item for item in items if item in gone])
        items[:] = [item for item in items if item not in gone]


def _called(cls: type) -> str:
    """Give the name of the architecture that a conformance class is about."""
    return cls.subject().architecture.name
