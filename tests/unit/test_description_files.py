"""A description survives being written to a file and read back; a file that is wrong says where and what was meant."""
import json
import os
import sys
import tomllib
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner
from hypothesis import given, reject, settings, strategies as st
from small_machine import gizmo

import archdef
from archdef import registry
from archdef.cli import main
from archdef.errors import DescriptionFileError, MissingExtra, SpecErrors, UnknownArchitecture, UnknownField
from archdef.files import FORMATS, dumps, load, loads, save, schema
from archdef.files.convert import rule_at
from archdef.page import html
from archdef.spec import (Broadcast, Cite, CoalescingRule, DramScheduling, PartitionMap, Reconvergence, SchedulerPolicy,
                          WideAccess)

pytest.importorskip("tomlkit", reason="writing TOML needs archdef[kit]")
ROOT = Path(__file__).parents[2]
INSTALLED = registry.names()
MEASURED = Cite("a measurement", "table 1", "measured")


def same(one, other):
    """Equal in everything, types of numbers included."""
    assert one == other and one.evidence == other.evidence and one.changes == other.changes
    assert list(one.units) == list(other.units) and list(one.isa.operations) == list(other.isa.operations)
    assert [(path, type(value)) for path, value, _ in one.leaves()] == [(path, type(value)) for path, value, _ in other.leaves()]
    return True


@pytest.fixture
def gizmo_installed():
    class Plugin:
        @archdef.hookimpl
        def archdef_architectures(self):
            return [gizmo()]

    plugin = Plugin()
    registry.register(plugin)
    yield gizmo()
    registry.unregister(plugin)


# ----------------------------------------------------------------------------------------------------------- round trip
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", INSTALLED)
def test_an_installed_architecture_survives_a_file(name, format, tmp_path):
    path = tmp_path / f"{name}.{format}"
    save(registry.get(name), path)
    assert same(load(path), registry.get(name))
    assert dumps(load(path), format) == path.read_text(encoding="utf-8")


def policies(kind):
    """Any policy of a kind, with its default numbers."""
    return st.sampled_from([cls() for cls in kind.by_name().values()])


CHANGES = st.fixed_dictionaries({}, optional={
    "warp.size": st.sampled_from([1, 8, 16, 32, 64]), "warp.reconvergence": policies(Reconvergence),
    "schedulers.policy": policies(SchedulerPolicy), "dram.partition_map": policies(PartitionMap),
    "dram.scheduling": policies(DramScheduling), "shared.broadcast": policies(Broadcast), "shared.wide_access": policies(WideAccess),
    "coalescing.store": st.sampled_from([cls() for cls in CoalescingRule.by_name().values()]),
    "caches.l1": st.none(), "device_launches": st.none(), "host_link": st.none(), "shared.pass_latency_cycles": st.integers(1, 9),
    "clocks.memory_mhz": st.floats(1, 1e5, allow_nan=False), "limits.shared_carveouts": st.just((1024, 2048)),
    "limits.register_allocation_rules.unit_exceptions": st.just((((21, 22), 128),)),
    "schedulers.issue_width": st.just(2), "schedulers.dual_issue": st.just((frozenset({"alu", "lsu"}), frozenset({"alu"}))), "isa.operations.int_add.issues": st.integers(0, 9),
    "isa.operations.int_add.interval_cycles": st.none() | st.integers(1, 99), "chip.launch_overhead_us": st.integers(0, 5) | st.floats(0, 5)})


@settings(max_examples=30, deadline=None)
@given(changes=CHANGES, format=st.sampled_from(FORMATS))
def test_a_what_if_survives_text_with_its_history(changes, format):
    try:
        machine = gizmo().evolve(changes)
    except SpecErrors:
        reject()  # such as pairs for dual issue without a width of two
    assert same(loads(dumps(machine, format), format), machine)


@given(title=st.text(min_size=1, max_size=30).filter(lambda t: t.strip() and t.isprintable()), note=st.text(max_size=30).filter(str.isprintable))
@settings(max_examples=20, deadline=None)
def test_words_survive_whatever_is_in_them(title, note):
    machine = gizmo()
    machine = attrs.evolve(machine, title=title, evidence={**machine.evidence, "warp": Cite(title, title, "measured", note)})
    for format in FORMATS:
        assert same(loads(dumps(machine, format), format), machine)


def test_every_field_has_a_rule_at_its_path():
    machine = gizmo()
    for path, _value, rule in machine.walk():
        found = rule_at(path)
        assert found == rule or type(found) is type(rule), path
    assert rule_at("dram.nothing") is None and rule_at("name.more") is None


# ------------------------------------------------------------------------------------------------------------- variants
def test_a_file_with_a_base_needs_only_what_differs(gizmo_installed):
    made = loads("""
        base = "gizmo"
        name = "gizmo-5"
        caches.l2 = "none"
        units.lsu.lanes = 8
        isa.operations.int_add = {latency_cycles = 9}
        [dram]
        partitions = 8
        row_bytes = "4 KiB"
        scheduling.window = 3
        partition_map = {type = "xor_hash", shifts = [4]}
        [[evidence]]
        document = "a measurement"
        place = "table 1"
        kind = "measured"
        covers = ["dram.row_bytes"]
        """)
    expected = gizmo_installed.derive(
        {"caches.l2": None, "units.lsu.lanes": 8, "isa.operations.int_add.latency_cycles": 9, "dram.partitions": 8, "dram.row_bytes": 4096,
         "dram.scheduling.window": 3, "dram.partition_map": PartitionMap.by_name()["xor_hash"](shifts=(4,))},
        name="gizmo-5", evidence={"dram.row_bytes": MEASURED})
    assert made == expected and made.name == "gizmo-5" and made.title == gizmo_installed.title and not made.aliases and not made.changes
    assert made.evidence_for("dram.row_bytes") == expected.evidence_for("dram.row_bytes") == MEASURED
    for machine in (made, expected):
        assert machine.evidence_for("dram.partitions").kind == "assumed" and "gizmo: 4" in machine.evidence_for("dram.partitions").note
        assert machine.evidence_for("dram.banks") == gizmo_installed.evidence_for("dram.banks")


@pytest.mark.parametrize("name", INSTALLED)
def test_a_base_without_changes_is_the_same_machine_by_another_name(name):
    base = registry.get(name)
    made = loads(f'base = "{name}"\nname = "other"')
    assert attrs.evolve(made, name=base.name, aliases=base.aliases) == base
    assert dict(made.evidence) == {path: cite.elsewhere() for path, cite in base.evidence.items()}


def test_a_base_may_be_a_file_beside_it(tmp_path):
    save(gizmo(), tmp_path / "one.toml")
    (tmp_path / "two.json").write_text('{"base": "one.toml", "name": "two", "chip": {"multiprocessors": 2}}')
    (tmp_path / "three.toml").write_text('base = "two.json"\nname = "three"\nchip.multiprocessors_per_cluster = 2')
    three = load(tmp_path / "three.toml")
    assert (three.name, three.chip.multiprocessors, three.chip.multiprocessors_per_cluster) == ("three", 2, 2)


def test_bases_that_go_in_circles_are_refused(tmp_path):
    (tmp_path / "one.toml").write_text('base = "two.toml"\nname = "one"')
    (tmp_path / "two.toml").write_text('base = "one.toml"\nname = "two"')
    with pytest.raises(DescriptionFileError, match="is its own base: one.toml → two.toml → one.toml"):
        load(tmp_path / "one.toml")


def test_a_variant_must_have_a_name_of_its_own(gizmo_installed):
    for line in ("", 'name = "gizmo"', "name = 3"):
        with pytest.raises(SpecErrors) as caught:
            loads(f'base = "gizmo"\n{line}')
        assert "name must be given, and differ" in str(caught.value)


def test_a_variant_must_be_a_sound_declaration(gizmo_installed):
    with pytest.raises(SpecErrors) as caught:
        loads('base = "gizmo"\nname = "small"\nwarp.size = 16')
    assert "small.limits.threads_per_multiprocessor must be warps_per_multiprocessor x warp.size = 512, got 1024" in str(caught.value)


# --------------------------------------------------------------------------------------------------------------- errors
def test_every_unknown_key_is_named_with_its_path_and_the_nearest():
    data = tomllib.loads(dumps(gizmo()))
    data["dram"]["partitons"] = 4
    data["caches"]["l1"]["sized"] = 8
    data["isa"]["operations"]["int_add"]["latncy_cycles"] = 4
    data["drm"] = {}
    with pytest.raises(SpecErrors) as caught:
        loads(json.dumps(data), "json", source="mine.json")
    assert str(caught.value).startswith("mine.json is not a usable description")
    assert all(isinstance(fault, UnknownField) for fault in caught.value.exceptions)
    said = str(caught.value)
    assert "gizmo.dram.partitons is no field of Dram (did you mean partitions?)" in said
    assert "gizmo.caches.l1.sized is no field of Cache (did you mean size_bytes?)" in said
    assert "gizmo.isa.operations.int_add.latncy_cycles is no field of Operation (did you mean latency_cycles?)" in said
    assert "gizmo.drm is no field of Architecture (did you mean dram?)" in said


WRONG = [
    ("dram.banks = 12", "gizmo2.dram.banks must be a power of two, got 12"), ("dram.banks = 8.0", "must be a whole number, got 8.0"),
    ('dram.banks = "eight"', "must be a whole number, got 'eight'"), ('dram.row_bytes = "4 KB"', "must be a whole number, got '4 KB'"),
    ("dram = 4", "gizmo2.dram must be a Dram, got 4"), ("dram.scheduling = {type = 'first_redy'}", "did you mean first_ready"),
    ("dram.scheduling = 'fifo'", "must be a DramScheduling"), ("dram.scheduling = {window = 0}", "must be at least 1, got 0"),
    ("dram.scheduling = {type = 'first_ready', windw = 4}", "gizmo2.dram.scheduling.windw is no field of FirstReady (did you mean window?)"),
    ("units = [1]", "gizmo2.units must map names to Unit"), ("units.alu = 3", "gizmo2.units must map names to Unit"),
    ("units.fpu.lanes = true", "must be a whole number"), ("isa.operations = 3", "gizmo2.isa.operations must map names to Operation"),
    ("isa.operations.int_add = 3", "gizmo2.isa.operations.int_add must be an Operation, got 3"), ("isa.features = 3", "gizmo2.isa.features must be a list of features"),
    ("isa.features = ['vot']", "must hold known features, got 'vot'"), ("fuse = 1", "gizmo2.fuse is no field"),
    ("warp.size = [1]", "must be a whole number"), ("schedulers.dual_issue = ['alu']", "must be a tuple of frozensets"),
    ("limits.register_allocation_rules.unit_exceptions = [3]", "pairs"), ("limits.block_dimensions = [1, 2]", "3 numbers"),
    ("evidence = 3", "evidence must be a list of sources"), ("[[evidence]]\ncovers = ['dram']", "evidence.document must be given"),
    ("[[evidence]]\ndocument='d'\nplace='p'\nkind='guess'\ncovers=['dram']", "guess"),
    ("[[evidence]]\ndocument='d'\nplace='p'\ncovers=['dram', 'dram']", "must cover each path once"),
    ("[[evidence]]\ndocument='d'\nplace='p'\ncovers=['drm']", "must name fields of the description"),
    ("vocabulary.warp = ''", "must be a text that is not empty"), ("name = ''", "name must be"), ("title = 3", "must be a text"),
]


@pytest.mark.parametrize("lines, said", WRONG, ids=[lines for lines, _ in WRONG])
def test_a_wrong_value_is_refused_with_its_path(gizmo_installed, lines, said):
    name = "" if lines.startswith("name") else 'name = "gizmo2"\n'
    with pytest.raises(SpecErrors) as caught:
        loads(f'base = "gizmo"\n{name}{lines}')
    assert said in str(caught.value)


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_whatever_stands_in_a_file_is_a_description_or_a_clear_error(data):
    plain = json.loads(dumps(gizmo(), "json"))
    rubbish = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
                           lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3))
    at = plain
    for _ in range(data.draw(st.integers(0, 3))):
        nested = [key for key, value in at.items() if isinstance(value, dict) and value]
        if not nested:
            break
        at = at[data.draw(st.sampled_from(nested))]
    at[data.draw(st.sampled_from(list(at)))] = data.draw(rubbish)
    try:
        loads(json.dumps(plain), "json")
    except (SpecErrors, DescriptionFileError, UnknownArchitecture) as error:
        assert str(error)


@pytest.mark.parametrize("text, format, said", [
    ("a = ", "toml", "is not well formed TOML"), ("{", "json", "is not well formed JSON"), ("[]", "json", "one table"),
    ('format = "archdef-architecture/9"', "toml", "this archdef reads"), ("base = 3", "toml", "base must be the name"), ("", "yaml", "no format is called 'yaml'"),
    ("[" * 100_000, "json", "is not well formed JSON")])
def test_text_that_is_no_description_is_refused(text, format, said):
    with pytest.raises(DescriptionFileError, match=said):
        loads(text, format)


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path):
    for name, said in (("none.toml", "No such file"), ("folder.toml", "directory"), ("some.yaml", "are .toml or .json files")):
        (tmp_path / "folder.toml").mkdir(exist_ok=True)
        with pytest.raises(DescriptionFileError, match=said):
            load(tmp_path / name)


@pytest.mark.parametrize("name", ["none.toml", "gizmo"])
def test_a_base_that_is_not_there_is_a_clear_error(tmp_path, name):
    (tmp_path / "mine.toml").write_text(f'base = "{name}"\nname = "mine"')
    with pytest.raises((DescriptionFileError, UnknownArchitecture), match=name):
        load(tmp_path / "mine.toml")


# --------------------------------------------------------------------------------------------------------------- schema
def test_the_published_schema_is_that_of_the_classes():
    published = ROOT / "docs" / "reference" / "architecture.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == schema(), f"refresh it with: archdef schema -o {published.relative_to(ROOT)}"


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


@pytest.mark.parametrize("name", INSTALLED)
def test_every_exported_architecture_satisfies_the_schema(name, validator):
    architecture = registry.get(name)
    validator.validate(json.loads(dumps(architecture, "json")))
    validator.validate(tomllib.loads(dumps(architecture, "toml")))
    validator.validate(json.loads(dumps(architecture.evolve({"chip.multiprocessors": 1}), "json")))


NOT_IN_A_SCHEMA = ("power of two", "got 8.0", "first_ready", "at least 1, got 0", "cover each", "name fields", "name must be")
"""JSON knows one kind of number; policies may be a plugin's; without a type the policy is the base's; the rest is about several fields."""


@pytest.mark.parametrize("lines, said", [row for row in WRONG if not any(words in row[1] for words in NOT_IN_A_SCHEMA)],
                         ids=lambda text: text[:30])
def test_the_schema_refuses_what_archdef_refuses(lines, said, validator):
    assert not validator.is_valid(tomllib.loads(f'base = "gizmo"\nname = "gizmo2"\n{lines}'))


def test_the_schema_takes_what_the_page_shows(validator):
    page = (ROOT / "docs" / "reference" / "description-files.md").read_text(encoding="utf-8")
    (example,) = [block.partition("```")[0] for block in page.split("```toml\n")[1:]]
    validator.validate(tomllib.loads(example))
    if "gf100" in INSTALLED:
        assert loads(example).evidence_for("caches.l1.size_bytes").document == "My measurements"


def test_the_schema_explains_every_field():
    told = schema()["$defs"]["Architecture"]["properties"]
    assert told["dram"]["description"] == "Device memory." and "description" in schema()["$defs"]["Dram"]["properties"]["t_cl_ns"]


# --------------------------------------------------------------------------------------------------------- writing files
def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "machine.toml"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save(gizmo(), path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["machine.toml"]


# --------------------------------------------------------------------------------------------------------- command line
def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.mark.skipif(not INSTALLED, reason="no architecture plugin is installed")
def test_a_file_stands_wherever_an_architecture_is_named(tmp_path):
    path = tmp_path / "mine.toml"
    assert run("export", INSTALLED[0], "--output", path, "--set", "chip.multiprocessors=1").exit_code == 0
    assert load(path).chip.multiprocessors == 1 and load(path).changes
    assert "mine.toml" not in run("occupancy", "-a", path, "-t", 64).output and run("occupancy", "-a", path, "-t", 64).exit_code == 0
    assert run("show", path, "--only", "chip").exit_code == 0
    shown = json.loads(run("diff", INSTALLED[0], path, "--json").output)
    assert [row["path"] for row in shown["differences"]] == ["chip.multiprocessors"]
    assert loads(run("export", path, "--json").output, "json") == load(path)


def test_a_wrong_file_is_an_error_of_the_command_line(tmp_path):
    (tmp_path / "bad.toml").write_text('title = "x"\n')
    result = run("show", tmp_path / "bad.toml")
    assert result.exit_code == 2 and "warp must be given" in result.output and "Traceback" not in result.output


def test_the_schema_is_printed():
    assert json.loads(run("schema").output) == schema()


def test_policies_of_plugins_are_read_and_written_by_their_short_name():
    from archdef.spec import named
    from archdef.spec.fields import integer

    @named("test_only")
    class Mine(SchedulerPolicy):
        patience: int = integer(default=3)

    try:
        machine = gizmo().evolve({"schedulers.policy": Mine(patience=7)})
        assert same(loads(dumps(machine)), machine)
        jsonschema = pytest.importorskip("jsonschema")
        jsonschema.Draft202012Validator(schema()).validate(json.loads(dumps(machine, "json")))
    finally:
        SchedulerPolicy._choices.pop("test_only")


@pytest.mark.parametrize("package, use", [("tomlkit", lambda: dumps(gizmo())), ("jinja2", lambda: html(gizmo()))], ids=["tomlkit", "jinja2"])
def test_what_needs_an_extra_says_which(package, use, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"needs {package}: pip install 'archdef\[kit\]'"):
        use()
