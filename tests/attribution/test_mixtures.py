"""Machines between two others have the rules of some groups of the one, and the rest of the other."""
import itertools

import attrs
import pytest
from small_machine import MADE_UP, gizmo

from archdef import registry
from archdef.attribution import MEANINGS, RULES, AttributionError
from archdef.attribution.groups import OTHER, WORDS, Grouping, grouping
from archdef.attribution.mixture import differing_groups, mixture
from archdef.errors import SpecErrors
from archdef.spec import Architecture, Operation, Unit, XorHash, forms

NAMES = registry.names()
PAIRS = [*itertools.pairwise(NAMES), *((NAMES[-1], NAMES[0]),)] if NAMES else []
GROUPS, ABSENT = Grouping(RULES), object()


def words_of(machine):
    return {name: getattr(machine, name) for name in WORDS if "." not in name}


def other(**changes):
    """A machine of which some things differ from the gizmo."""
    return gizmo().derive({path.replace("__", "."): value for path, value in changes.items()}, name="other")


@pytest.mark.parametrize("field", [field.name for field in attrs.fields(Architecture) if field.name not in ("evidence", "changes", *WORDS)])
def test_every_part_of_a_description_belongs_to_a_group(field):
    assert GROUPS.of(field) != OTHER or all(GROUPS.of(f"{field}.{name}") != OTHER for name in attrs.fields_dict(type(getattr(gizmo(), field))))


@pytest.mark.parametrize("name", NAMES)
def test_every_value_of_a_machine_belongs_to_a_group(name):
    unnamed = [path for path, _, _ in registry.get(name).leaves() if GROUPS.of(path) == OTHER and path.partition(".")[0] not in WORDS]
    assert not unnamed


def test_every_group_says_what_it_is():
    assert [*RULES, OTHER] == [*MEANINGS]


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_all_groups_together_make_the_other_machine_and_none_makes_the_first(names):
    a, b = map(registry.get, names)
    differing = differing_groups(a, b, GROUPS)
    whole, nothing = (mixture(a, b, moved, GROUPS) for moved in (differing, ()))
    if whole.host_link is not None:
        whole = attrs.evolve(whole, host_link=attrs.evolve(whole.host_link, name=b.host_link.name))
    assert whole == attrs.evolve(b, **words_of(a)) and nothing == a
    assert {path for path, _, _ in whole.leaves()} == {path for path, _, _ in attrs.evolve(b, **words_of(a)).leaves()}


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_groups_name_every_difference_once(names):
    a, b = map(registry.get, names)
    values = [{path: value for path, value, _ in one.leaves() if path.partition(".")[0] not in WORDS and path not in WORDS} for one in (a, b)]
    paths = [path for found in differing_groups(a, b, GROUPS).values() for path in found]
    different = {path for path in {**values[0], **values[1]} if values[0].get(path, ABSENT) != values[1].get(path, ABSENT)}
    assert len(paths) == len(set(paths)) and set(paths) <= different
    for path in different - set(paths):     # a policy that both have, of which numbers differ
        assert type(values[0][path]) is type(values[1][path]) and any(below.startswith(f"{path}.") for below in paths)


@pytest.mark.parametrize("group", [name for name in RULES if name not in ("issue", "latencies", "instructions")])
def test_a_group_alone_changes_its_own_paths_only(group):
    a, b = registry.get("v100") if "v100" in NAMES else gizmo(), other(chip__multiprocessors=3, dram__t_cl_ns=14, clocks__core_mhz=400)
    if group not in differing_groups(a, b, GROUPS):
        pytest.skip("the machines do not differ there")
    try:
        mixed = mixture(a, b, [group], GROUPS)
    except SpecErrors:
        pytest.skip("it cannot move alone between these machines")
    before, after = ({path: value for path, value, _ in one.leaves()} for one in (a, mixed))
    changed = [path for path in {**before, **after} if before.get(path, ABSENT) != after.get(path, ABSENT)]
    assert changed and all(GROUPS.of(path) == group for path in changed)


def test_an_operation_that_only_one_machine_has_comes_with_its_unit():
    a = gizmo()
    without = {name: cost for name, cost in a.isa.operations.items() if not name.startswith("fp64_")}
    a = gizmo(isa=attrs.evolve(a.isa, operations=without))
    double = {name: Operation("dp", 40) for name in gizmo().isa.operations if name.startswith("fp64_")}
    b = gizmo(name="double", units=(*a.units, Unit("dp", 2)), isa=attrs.evolve(a.isa, features=frozenset({"vote", "clock", "fp64"}), operations=without | double))
    mixed = mixture(a, b, ["instructions"], GROUPS)
    assert mixed.isa.operations["fp64_add"] == Operation("dp", 40) and [unit.name for unit in mixed.units] == ["alu", "lsu", "dp"]
    assert mixture(a, b, ["issue"], GROUPS).isa.operations == a.isa.operations
    assert [unit.name for unit in mixture(b, a, ["issue"], GROUPS).units] == ["alu", "lsu", "dp"]       # what needs it has not moved


def test_what_both_machines_charge_is_mixed_field_by_field():
    b = other(isa__operations__fp32_add__latency_cycles=30, isa__operations__fp32_add__interval_cycles=7, isa__operations__fp32_add__issues=2)
    found = {group: mixture(gizmo(), b, [group], GROUPS).isa.operations["fp32_add"] for group in ("latencies", "issue", "instructions")}
    assert found == {"latencies": Operation("alu", 30), "issue": Operation("alu", 8, interval_cycles=7), "instructions": Operation("alu", 8, issues=2)}


def test_a_form_has_what_each_machine_charges_for_it():
    isa = gizmo().isa
    b = gizmo(name="b", isa=attrs.evolve(isa, forms=forms([(Operation("lsu", 50, interval_cycles=9, issues=3), "fp32_transcendental:ex2.*")])))
    assert "ex2" in next(iter(b.isa.forms))
    found = {group: mixture(gizmo(), b, [group], GROUPS).isa.cost("fp32_transcendental", "ex2.approx.f32") for group in ("latencies", "issue", "instructions")}
    charged = {group: (cost.unit, cost.latency_cycles, cost.interval_cycles, cost.issues) for group, cost in found.items()}
    assert charged == {"latencies": ("alu", 50, None, 1), "issue": ("lsu", 8, 9, 1), "instructions": ("alu", 8, None, 3)}
    assert mixture(b, gizmo(), ["latencies", "issue", "instructions"], GROUPS).isa.forms == {}


def test_forms_of_one_name_stay_apart():
    isa = gizmo().isa
    a, b = (gizmo(name=name, isa=attrs.evolve(isa, forms=forms([(Operation("alu", latency), f"{form}")])))
            for name, latency, form in (("a", 20, "convert:cvt.f32"), ("b", 30, "fp32_add:cvt.f32")))
    mixed = mixture(a, b, ["latencies"], GROUPS).isa
    assert (mixed.cost("convert", "cvt.f32").latency_cycles, mixed.cost("fp32_add", "cvt.f32").latency_cycles) == (8, 30)
    assert set(mixed.forms) == {"cvt_f32", "cvt_f32_of_b"}


def test_patterns_with_alternatives_are_looked_up_on_the_machine_that_lacks_them():
    isa = gizmo().isa
    a = gizmo(name="a", isa=attrs.evolve(isa, forms=forms([(Operation("alu", 20), "convert:cvt.*[su]32.f32")])))
    b = gizmo(name="b", isa=attrs.evolve(isa, forms=forms([(Operation("alu", 30), "convert:cvt.*32.f32")])))
    assert mixture(a, b, ["latencies"], GROUPS).isa.cost("convert", "cvt.rni.s32.f32").latency_cycles == 30


def test_a_part_that_only_one_machine_has_goes_with_the_group_that_names_it():
    b = other(caches__l1=None)
    asked = grouping(["caches", "caches.l1.size_bytes"], gizmo(), b)
    assert mixture(gizmo(), b, ["caches.l1.size_bytes"], asked).caches.l1 == gizmo().caches.l1
    assert mixture(gizmo(), b, ["caches"], asked).caches.l1 is None
    assert mixture(b, gizmo(), ["caches"], asked).caches.l1 == gizmo().caches.l1


def test_numbers_of_one_policy_can_move_apart():
    a, b = (gizmo().derive({"dram.partition_map": XorHash(shifts=shifts)}, name=name) for name, shifts in (("a", (11,)), ("b", (11, 13))))
    asked = grouping(["dram.partition_map.shifts"], a, b)
    assert differing_groups(a, b, asked) == {"dram.partition_map.shifts": ("dram.partition_map.shifts",)}
    assert mixture(a, b, ["dram.partition_map.shifts"], asked).dram == b.dram


def test_shared_memory_leaves_something_of_an_l1():
    unified = other(caches__unified_l1_shared=True, limits__shared_carveouts=(0, 8192), limits__shared_bytes_per_multiprocessor=8192,
                    limits__shared_bytes_per_block=8192)
    with pytest.raises(SpecErrors) as refused:
        mixture(gizmo(), unified, ["caches"], GROUPS)
    assert "must be more than the 32768 bytes that shared memory can take of it" in str(refused.value)
    assert mixture(gizmo(), unified, ["caches", "occupancy"], GROUPS).caches.unified_l1_shared


@pytest.mark.parametrize("asked, message", [
    (["cashes"], r"no group of rules and no path 'cashes' \(did you mean caches"), (["caches+drum"], "no path 'drum'"), ([], "no group is named"),
    (["caches.l7"], r"no path 'caches.l7'"), (["isa.operations.*.latency"], "no path"), ({"mine": ["caches", "nothing.at.all"]}, "nothing.at.all")])
def test_groups_that_do_not_exist_are_refused(asked, message):
    with pytest.raises(AttributionError, match=message):
        grouping(asked, gizmo(), gizmo())


def test_groups_are_joined_and_divided_as_asked():
    asked = grouping(["caches+coalescing", "caches.l1", "dram"], gizmo(), gizmo())
    assert [asked.of(path) for path in ("caches.l2.ways", "coalescing.load", "caches.l1.ways", "dram.banks", "clocks.memory_mhz", "warp.size")] == [
        "caches+coalescing", "caches+coalescing", "caches.l1", "dram", "dram", OTHER]
    named = grouping({"everything": list(RULES), "hits": ["caches.*.latency_cycles"]}, gizmo(), gizmo())
    assert [named.of(path) for path in ("caches.l2.latency_cycles", "caches.l2.ways", "warp.size")] == ["hits", "everything", "everything"]


def test_mixtures_have_evidence_for_each_value():
    mixed = mixture(gizmo(), other(chip__multiprocessors=3), ["multiprocessors"], GROUPS)
    assert mixed.assumed() and MADE_UP not in mixed.sources().values()
