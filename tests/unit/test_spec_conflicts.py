"""Does every change that is given to `evolve` and `derive` arrive, with the evidence that is its own?"""
import json

import attrs
import pytest
from archdef import files
from archdef.errors import SpecErrors, UnknownField
from archdef.spec import Cite, TwoLevel
from small_machine import gizmo

GIZMO = gizmo()
FIRST = GIZMO.units[0].name
WIDER = tuple(attrs.evolve(unit, lanes=unit.lanes * 2) if unit.name == FIRST else unit for unit in GIZMO.units)
TENSOR = attrs.evolve(GIZMO.units[0], name="tensor")
NEW = Cite("datasheet of the other", "table 1")


def changed(changes, **more):
    """Give the machine as both ways make it."""
    return GIZMO.evolve(changes), GIZMO.derive(changes, name="other", **more)


@pytest.mark.parametrize("changes, first, second", [
    ({f"units.{FIRST}.lanes": 2, "units": WIDER}, f"units.{FIRST}.lanes", "units"),
    ({"caches.l1.ways": 8, "caches": GIZMO.caches}, "caches.l1.ways", "caches"), ({"l1.ways": 8, "caches.l1": "none"}, "l1.ways", "caches.l1"),
    ({"l1.ways": 8, "caches.l1.ways": 4}, "l1.ways", "caches.l1.ways"), ({"caches.l1.ways": 8, "l1.ways": 8}, "caches.l1.ways", "l1.ways"),
    ({"policy.active_warps": 2, "schedulers.policy": "gto"}, "policy.active_warps", "schedulers.policy"),
    ({"units.tensor": TENSOR, "units": WIDER}, "units.tensor", "units"), ({"isa.operations.fp32_fma.latency_cycles": 9, "isa": GIZMO.isa}, "latency", "isa")])
def test_a_change_that_another_would_undo_is_refused_and_both_are_named(changes, first, second):
    start = GIZMO.evolve({"schedulers.policy": "two_level"})
    for change in (start.evolve, lambda changes: start.derive(changes, name="other")):
        with pytest.raises(SpecErrors) as caught:
            change(changes)
        assert first in str(caught.value) and second in str(caught.value) and "must be changed once, and as a whole before its fields" in str(caught.value)


def test_a_part_as_a_whole_and_then_its_fields_are_both_kept():
    for machine in changed({"units": WIDER, f"units.{FIRST}.copies" if hasattr(WIDER[0], "copies") else f"units.{FIRST}.lanes": 1}):
        assert {unit.name for unit in machine.units} == {unit.name for unit in GIZMO.units}
    for machine in changed({"schedulers.policy": "two_level", "schedulers.policy.active_warps": 4}):
        assert machine.schedulers.policy == TwoLevel(4)


def test_a_path_adds_an_entry_to_a_table():
    cost = GIZMO.isa.operations["fp32_fma"]
    for machine in changed({"units.tensor": TENSOR, "isa.operations.fp32_fma": attrs.evolve(cost, latency_cycles=99)}):
        assert machine.units == (*GIZMO.units, TENSOR) and machine.isa.operations["fp32_fma"].latency_cycles == 99
        assert machine.evidence_for("units.tensor.lanes").kind == "assumed"
    for machine in changed({"units.tensor": TENSOR, "units.tensor.lanes": 7}):
        assert machine.unit("tensor").lanes == 7


@pytest.mark.parametrize("nothing", [None, "none"])
def test_none_takes_an_entry_of_a_table_away(nothing):
    both = changed({"units.tensor": TENSOR, "caches.l1": None})[0]
    assert both.evolve({"units.tensor": nothing}).units == GIZMO.units and set(both.evolve({"units.tensor": nothing}).changes) == {"caches.l1"}
    for machine in changed({f"units.{FIRST}": nothing, **{f"isa.operations.{name}.unit": GIZMO.units[1].name for name, cost in GIZMO.isa.operations.items()
                                                         if cost.unit == FIRST}}):
        assert [unit.name for unit in machine.units] == [unit.name for unit in GIZMO.units[1:]]
        assert not any(path == f"units.{FIRST}" or path.startswith(f"units.{FIRST}.") for path in machine.evidence)
    with pytest.raises(SpecErrors) as caught:
        GIZMO.evolve({f"units.{FIRST}": nothing})
    assert "must name a unit" in str(caught.value) and FIRST in str(caught.value)


def test_none_takes_an_entry_away_in_a_file_as_in_python(tmp_path):
    whole = tmp_path / "whole.json"
    whole.write_text(files.dumps(GIZMO.derive({"units.tensor": TENSOR}, name="whole"), "json"))
    read = files.loads(json.dumps({"base": str(whole), "name": "less", "units": {"tensor": "none"}}), "json")
    assert read.units == GIZMO.units and not any(path.startswith("units.tensor") for path in read.evidence)
    with pytest.raises(SpecErrors) as caught:
        files.loads(json.dumps({"base": str(whole), "name": "less", "units": {"tenser": "none"}}), "json")
    assert "tenser" in str(caught.value)


def test_a_list_does_as_well_as_a_tuple():
    for machine in changed({"limits.grid_dimensions": [7, 8, 9], "units": list(WIDER)}):
        assert machine.limits.grid_dimensions == (7, 8, 9) and machine.units == WIDER


def test_a_path_in_python_does_what_it_does_in_a_file():
    fields = dict(json.loads(files.dumps(GIZMO.derive({"units.tensor": TENSOR}, name="x"), "json"))["units"]["tensor"].items())
    document = json.loads(files.dumps(GIZMO, "json"))
    document["name"], document["units"]["tensor"] = "other", fields
    document["evidence"].append({"document": "d", "place": "p", "covers": ["units.tensor"]})
    del document["aliases"]
    read = files.loads(json.dumps(document), "json")
    assert read.units == GIZMO.derive({"units.tensor": TENSOR}, name="other").units


@pytest.mark.parametrize("changes, error", [
    ({"units.tensor": 3}, UnknownField), ({"units.tensor.lanes": 3}, UnknownField), ({"units.wrong": TENSOR}, SpecErrors),
    ({"isa.operations.no_such": GIZMO.isa.operations["fp32_fma"]}, SpecErrors), ({"warp.more": TENSOR}, UnknownField), ({"tensor": TENSOR}, UnknownField)])
def test_what_is_no_entry_is_refused(changes, error):
    with pytest.raises(error):
        GIZMO.evolve(changes)


# --------------------------------------------------------------------------------------------------------------- evidence
def test_a_part_given_as_a_whole_changes_the_fields_that_differ():
    what_if, other = changed({"units": WIDER}, evidence={"units": NEW})
    assert set(what_if.changes) == {f"units.{FIRST}.lanes"} and what_if.evidence_for(f"units.{FIRST}.lanes").kind == "assumed"
    assert other.evidence_for(f"units.{FIRST}.lanes") == NEW
    for path, value, _ in GIZMO.leaves():
        if path.startswith("units.") and path != f"units.{FIRST}.lanes" and value is not None:
            try:
                own = GIZMO.evidence_for(path)
            except UnknownField:
                continue
            assert what_if.evidence_for(path) == own == other.evidence_for(path), path


def test_new_evidence_of_a_part_covers_what_has_changed_below_it():
    other = GIZMO.derive({"dram.banks": GIZMO.dram.banks * 2}, name="other", evidence={"dram": NEW})
    assert other.evidence_for("dram.banks") == NEW and other.evidence_for("dram.row_bytes") == GIZMO.evidence_for("dram.row_bytes")


def test_a_field_that_did_not_change_can_be_documented_anew():
    other = GIZMO.derive({}, name="other", evidence={"dram.banks": NEW})
    assert other.evidence_for("dram.banks") == NEW and other.evidence_for("dram.row_bytes") == GIZMO.evidence_for("dram.row_bytes")


@pytest.mark.parametrize("evidence", [None, {"isa.operations.vote": NEW}, {"isa.operations.vote.unit": NEW}])
def test_what_refers_to_another_field_can_be_derived_and_cited(evidence):
    other = next(unit.name for unit in GIZMO.units if unit.name != GIZMO.isa.operations["vote"].unit)
    made = GIZMO.derive({"isa.operations.vote.unit": other}, name="other", evidence=evidence)
    assert made.isa.operations["vote"].unit == other
    assert made.evidence_for("isa.operations.vote.unit") == NEW if evidence else made.evidence_for("isa.operations.vote.unit").kind == "assumed"
    assert made.evidence_for("isa.operations.vote.latency_cycles") == GIZMO.evidence_for("isa.operations.vote.latency_cycles")
    document = json.dumps({"base": "gf100", "name": "other", "isa": {"operations": {"vote": {"unit": "sfu"}}}})
    assert files.loads(document, "json").isa.operations["vote"].unit == "sfu"


def test_evidence_that_covers_nothing_new_is_refused():
    with pytest.raises(SpecErrors) as caught:
        GIZMO.derive({"warp.size": GIZMO.warp.size}, name="other", evidence={"dram": NEW})
    assert "must cover something that differs from gizmo, or name a single field, got 'dram'" in str(caught.value)


def test_changes_are_told_once_and_forgotten_when_undone():
    added = GIZMO.evolve({"units.tensor": TENSOR})
    more = added.evolve({"units.tensor.lanes": 7})
    assert set(more.changes) == {"units.tensor"} and more.changes["units.tensor"][0] is None and more.changes["units.tensor"][1].lanes == 7
    assert not more.evolve({"units": GIZMO.units}).changes and more.evolve({"units": GIZMO.units}) == GIZMO
    assert files.loads(files.dumps(more, "json"), "json").changes == more.changes
    wide = GIZMO.evolve({f"units.{FIRST}.lanes": 1}).evolve({"units": WIDER})
    assert wide.changes == {f"units.{FIRST}.lanes": (GIZMO.units[0].lanes, WIDER[0].lanes)}
