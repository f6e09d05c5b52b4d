"""What an architecture was measured by may come with a distribution of its own: it is found by entry point, and what is missing or broken is said."""
import json
import sys

import pytest
from click.testing import CliRunner
from small_machine import gizmo

from archdef import registry
from archdef.cli import main
from archdef.errors import PluginError
from archdef.hookspecs import hookimpl
from archdef.validate import document, references, schema, validate

CASES = """
[sources.book]
title = "A book of small machines"
year = 2009
[groups.g]
about = "numbers"
tolerance = "exact"
[[set]]
group = "g"
arch = "gizmo"
source = "book"
confidence = "seen"
cases = [
    { name = "a", experiment = "tripled", parameters = { number = 4 }, quantity = "thrice", value = 12 },
    { name = "b", experiment = "kernel", quantity = "warps_launched", value = 2, parameters = { source = "evidence_shared_of_this_test:k.ptx", kernel = "k", grid = [2], block = [32] } },
]
"""
HOOK = """
from archdef.hookspecs import hookimpl
@hookimpl
def archdef_experiments():
    return [tripled]
def tripled(device, *, number):
    return {"thrice": 3 * number}
"""
PTX = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k() { ret; }\n"


class Plugin:
    def __init__(self):
        self.machines = [gizmo()]

    @hookimpl
    def archdef_architectures(self):
        return self.machines


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder on the path with a machine of this process; gives a function that puts a distribution of evidence there."""
    monkeypatch.syspath_prepend(str(tmp_path))
    plugin, modules = Plugin(), ["evidence_shared_of_this_test"]
    registry.register(plugin)

    def install(distribution, module, source=HOOK, cases=CASES, points=None):
        package = tmp_path / module
        package.mkdir()
        (package / "__init__.py").write_text(source)
        if cases:
            (package / "data").mkdir()
            (package / "data" / "cases.toml").write_text(cases)
        info = tmp_path / f"{distribution.replace('-', '_')}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(points or f"[archdef.evidence]\ngizmo = {module}\n")
        modules.append(module)

    yield install
    registry.unregister(plugin)
    for module in modules:
        sys.modules.pop(module, None)


@pytest.fixture
def shared(tmp_path):
    folder = tmp_path / "evidence_shared_of_this_test" / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "k.ptx").write_text(PTX)


def test_a_distribution_brings_cases_experiments_and_kernels_that_others_share(place, shared):
    place("gizmo-evidence", "gizmo_evidence_1")
    (report,) = validate([registry.get("gizmo")])
    assert [(outcome.case.id, outcome.model, outcome.message) for outcome in report.outcomes] == [("g/a", 12, ""), ("g/b", 2, "")] and report.good


def test_a_shared_package_that_is_not_there_is_named(place):
    place("gizmo-evidence", "gizmo_evidence_2")
    (report,) = validate([registry.get("gizmo")], only=["g/b"])
    assert "evidence_shared_of_this_test, which is not installed" in report.outcomes[0].message


def test_of_several_distributions_the_user_chooses(place, monkeypatch):
    place("gizmo-evidence", "gizmo_evidence_3")
    place("other-evidence", "other_evidence_3", cases=CASES.replace("value = 12", "value = 11"))
    with pytest.raises(PluginError, match=r"gizmo-evidence, other-evidence; choose one by ARCHDEF_EVIDENCE=gizmo-evidence:gizmo or .*other-evidence:gizmo"):
        references("gizmo")
    monkeypatch.setenv("ARCHDEF_EVIDENCE", "another:gt9000, Other-Evidence:gizmo")
    assert references("gizmo").cases[0].value == 11
    monkeypatch.setenv("ARCHDEF_EVIDENCE", "absent:gizmo")
    with pytest.raises(PluginError, match="names absent for gizmo, which declares no evidence of it; there is that of gizmo-evidence, other-evidence"):
        references("gizmo")


BROKEN = {"raises": ("raise RuntimeError('boom')", CASES, None, "boom"), "exits": ("import sys; sys.exit(3)", CASES, None, "SystemExit"),
          "no data": ("", "", None, "has no folder data"), "no package": ("", CASES, "[archdef.evidence]\ngizmo = json.decoder\n", "must be a package"),
          "absent": ("", CASES, "[archdef.evidence]\ngizmo = package_that_does_not_exist\n", "package_that_does_not_exist")}


@pytest.mark.parametrize("kind", BROKEN)
def test_evidence_that_cannot_be_used_harms_no_other_machine(place, kind):
    source, cases, points, message = BROKEN[kind]
    place("gizmo-evidence", "gizmo_evidence_4", source, cases, points)
    other = gizmo(name="widget", aliases=())
    registry.register(plugin := type("Other", (), {"archdef_architectures": hookimpl(lambda self: [other])})())
    try:
        broken, good = validate([registry.get("gizmo"), other])
    finally:
        registry.unregister(plugin)
    assert not broken.good and message in broken.faults[0] and good.good and registry.get("gizmo").name == "gizmo"
    sys.modules.pop("gizmo_evidence_4", None)


def test_a_hook_that_fails_is_the_cases_fault_alone(place):
    place("gizmo-evidence", "gizmo_evidence_5", HOOK.replace("return [tripled]", "raise ValueError('no')"))
    (report,) = validate([registry.get("gizmo")], only=["g/a"])
    assert "archdef_experiments cannot be loaded: ValueError: no" in report.outcomes[0].message


@pytest.fixture
def without(tmp_path, monkeypatch):
    """A plugin whose metadata say where its evidence is, which is not installed."""
    info = tmp_path / "archdef_gadget-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: archdef-gadget\nVersion: 1\nProvides-Extra: evidence\nRequires-Dist: numpy\n"
                                   'Requires-Dist: archdef-gadget-evidence>=1 ; extra == "evidence"\n')
    (info / "entry_points.txt").write_text("[archdef]\ngadget = archdef_gadget_of_this_test\n")
    (tmp_path / "archdef_gadget_of_this_test.py").write_text(
        "from archdef.hookspecs import hookimpl\nfrom small_machine import gizmo\n@hookimpl\ndef archdef_architectures():\n"
        "    return [gizmo(name='gadget', aliases=())]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "REGISTRY", own := registry.Registry())
    monkeypatch.setattr(registry, "get", own.get)
    monkeypatch.setattr(registry, "all", own.all)
    yield
    sys.modules.pop("archdef_gadget_of_this_test", None)


def test_what_is_not_installed_is_named_with_the_command_that_installs_it(without):
    how = "the evidence of gadget is not installed: pip install archdef-gadget-evidence"
    for options in ([], ["-k", "any"], ["--list"], ["--json"]):
        result = CliRunner().invoke(main, ["validate", "gadget", *options])
        assert result.exit_code == 2 and how in " ".join(result.output.split()), options
    result = CliRunner().invoke(main, ["microbench", "gadget", "barrier", "--against", "measured"])
    assert result.exit_code and how in result.output


def test_the_document_names_what_is_not_installed(without):
    written = document(validate([registry.get("gadget")]))
    assert not written["good"] and written["architectures"][0]["not_installed"] == ["archdef-gadget-evidence"]
    pytest.importorskip("jsonschema").Draft202012Validator(schema()).validate(json.loads(json.dumps(written)))
