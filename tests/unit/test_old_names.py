"""Names that have changed: the old ones of fields, policies, values and passes are taken for one more release, each with a warning that says the new one."""
import json

import attrs
import pytest

import archdef.spec
from archdef import registry
from archdef._deprecation import ABSENT, ENTRIES, MOVED, RENAMED, WORDS
from archdef.errors import ArchdefDeprecationWarning, PluginError, SpecErrors, UnknownField
from archdef.files import dumps, loads
from archdef.lower import pipeline
from archdef.lower.target.usual import AS_WRITTEN, PASSES
from archdef.spec import (Assembler, BranchCosts, Cache, Chip, Cite, Form, FrozenMap, GpcRoundRobin, Isa, Limits, LoadStore, MemoryInstructionQueue, Operation,
                          PartOfUnit, RandomOfKLru, RegisterFilePartitions, Replay, RoundRobin, SharedAtomic, SlowPath, Unit)


def warned(new):
    return pytest.warns(ArchdefDeprecationWarning, match=f"use {new}$")


def machine(old):
    """A machine that declares the field of an old path, None: no installed one does."""
    return next((arch for arch in registry.all().values() if any(path == RENAMED[old].instead and value is not None for path, value, _ in arch.walk())), None)


FIELDS = [old for old in RENAMED if machine(old) is not None]


def test_some_machine_declares_most_fields_that_have_other_names():
    assert {old.rpartition(".")[2] for old in RENAMED} - {old.rpartition(".")[2] for old in FIELDS} == set()


@pytest.mark.parametrize("old", FIELDS)
def test_a_field_is_read_under_its_old_path_and_under_the_end_of_it(old):
    arch, now = machine(old), RENAMED[old].instead
    with warned(now):
        assert arch[old] == arch[now]
    end = old.rpartition(".")[2]
    if sum(path.endswith("." + end) for path in RENAMED) == 1 and not now.endswith("." + end):
        with warned(now):
            assert arch[end] == arch[now]


@pytest.mark.parametrize("old", [old for old in FIELDS if old.rpartition(".")[0] == RENAMED[old].instead.rpartition(".")[0]])
def test_a_description_file_may_name_a_field_as_before(old):
    arch, now = machine(old), RENAMED[old].instead
    with warned(now):
        assert arch.evolve({old: arch[now]})[now] == arch[now]
    last, name = now.rpartition(".")[2], old.rpartition(".")[2]
    text = dumps(arch, "json")
    assert f'"{last}"' in text
    with pytest.warns(ArchdefDeprecationWarning, match=f"use {now}"):
        assert loads(text.replace(f'"{last}"', f'"{name}"').replace(f".{last}\"", f".{name}\""), "json") == arch


@pytest.mark.parametrize("name", ["gf100", "k40", "c500"])
def test_a_description_file_that_says_by_old_fields_that_there_is_no_component_has_none(name):
    arch = registry.get(name)
    data = json.loads(dumps(arch, "json"))
    for old, value in ABSENT.items():
        part, field = old.split(".")
        if RENAMED[old].instead.rpartition(".")[0] not in data:
            data[part][field] = value
    assert loads(json.dumps(data), "json") == arch


@pytest.mark.parametrize("old, off", [("interconnect.sides", 1), ("interconnect.sides", "1"), ("interconnect.gathered_requests", 1),
                                      ("interconnect.slice_map", "none"), ("caches.instruction_fill_bytes", None), ("limits.shared_headroom", 1),
                                      ("limits.shared_headroom_ratio", "1"), ("interconnect.mask_bytes", 0), ("isa.match_value_cycles", "0"),
                                      ("load_store.store_bytes_in_flight_per_multiprocessor", None)])
def test_a_what_if_by_an_old_field_that_there_is_no_component_takes_it_away(old, off):
    with warned(RENAMED[old].instead):
        assert registry.get("h100").evolve({old: off})[RENAMED[old].instead.rpartition(".")[0]] is None


def test_an_old_field_of_a_file_that_derives_a_machine_is_not_left_out():
    with pytest.raises(SpecErrors) as caught:
        loads('format = "archdef-architecture/1"\nbase = "a100"\nname = "whole"\n[interconnect]\nsides = 1\n', "toml")
    assert "interconnect.l2_partitions.count must be" in str(caught.value.exceptions[0])


@pytest.mark.parametrize("base, table", [
    ("gf100", {"limits": {"shared_headroom_ratio": 1, "shared_headroom_bytes": 0, "register_partitions": 1}}), ("gt200", {"shared": {"group_latency_cycles": 0}}),
    ("gf100", {"interconnect": {"mask_bytes": 0, "sector_mask_bytes": 0, "partial_write_cycles": 0.0}}), ("gf100", {"clocks": {"core_parts": []}}),
    ("gf100", {"units": {"lsu": {"exclusive": False}}}), ("gf100", {"isa": {"operations": {"int_add": {"slow_paths": "none"}}, "match_value_cycles": 0}})])
def test_a_file_may_say_by_old_fields_that_there_is_no_component_where_its_base_has_none(base, table):
    arch = registry.get(base)
    text = json.dumps({"format": "archdef-architecture/1", "base": base, "name": "mine", **table})
    assert {path: value for path, value, _ in loads(text, "json").walk() if path not in ("name", "aliases")} == {
        path: value for path, value, _ in arch.walk() if path not in ("name", "aliases")}


@pytest.mark.parametrize("name, old, value", [("gt200", "shared.group_latency_cycles", 0), ("gt200", "shared.group_latency_cycles", "0"),
                                              ("gf100", "units.lsu.exclusive", "False"), ("gf100", "interconnect.partial_write_cycles", 0)])
def test_a_what_if_that_says_by_an_old_field_that_there_is_no_component_changes_no_machine_without_it(name, old, value):
    arch = registry.get(name)
    with pytest.warns(ArchdefDeprecationWarning):
        assert arch.evolve({old: value}) == arch


@pytest.mark.parametrize("old, off, part", [("limits.shared_headroom_bytes", 0, "limits.carveout_headroom"), ("clocks.core_parts", [], "clocks.core_domain")])
def test_what_said_that_there_is_no_component_takes_it_from_a_machine_that_has_it(old, off, part):
    arch = next(one for one in registry.all().values() if one[part] is not None)
    with pytest.warns(ArchdefDeprecationWarning):
        assert arch.evolve({old: off})[part] is None


def test_an_exclusive_unit_that_is_neither_is_refused_by_value():
    with pytest.warns(ArchdefDeprecationWarning):
        unit = Unit("dp", 16, exclusive="maybe")
    arch = registry.get("gf100")
    with pytest.raises(SpecErrors) as caught:
        attrs.evolve(arch, units=tuple(unit if one.name == "dp" else one for one in arch.units))
    assert "units.dp.scope must be one of" in str(caught.value.exceptions[0])


@pytest.mark.parametrize("name, path, choice", [("gt200", "shared.wide_access.group_latency_cycles", "shared.wide_access=split_lanes"),
                                                ("gt200", "shared.group_latency_cycles", "shared.wide_access=split_lanes"),
                                                ("gf100", "isa.assembler.shared_operands", "isa.assembler=tesla")])
@pytest.mark.filterwarnings("ignore::archdef.errors.ArchdefDeprecationWarning")
def test_a_field_that_only_another_policy_has_is_refused_naming_that_policy(name, path, choice):
    with pytest.raises(UnknownField, match=f"{choice} has it, set that first"):
        registry.get(name).evolve({path: 3})


@pytest.mark.parametrize("data", [{"interconnect": {"l2_partitions": "none", "far_latency_ns": 5}}, {"caches": 5, "isa": {"code_tail_instructions": 2}}])
def test_an_old_field_beside_what_is_no_table_is_refused_by_name(data):
    with pytest.raises((SpecErrors, UnknownField)):
        loads(json.dumps({"format": "archdef-architecture/1", "base": "h100", "name": "odd", **data}), "json")


def test_evidence_may_be_given_for_an_old_path():
    arch = registry.get("gf100")
    cite = Cite("a book", "page 3")
    sources = FrozenMap({path: source for path, source in arch.evidence.items() if path != "load_store.replay.on_reservation_fail"}
                        | {"load_store.replay_refused": cite})
    with warned("load_store.replay.on_reservation_fail"):
        assert attrs.evolve(arch, evidence=sources).evidence["load_store.replay.on_reservation_fail"] == cite


def test_evidence_may_say_by_an_old_path_that_there_is_no_component():
    arch = registry.get("gf100")
    with warned("limits.register_file_partitions.count"):
        attrs.evolve(arch, evidence=FrozenMap({**arch.evidence, "limits.register_partitions": Cite("a book", "page 3")}))


def test_classes_take_the_old_names_of_fields_and_have_them():
    load_store = dict(reads_in_flight_per_multiprocessor=4, stores_in_flight_per_multiprocessor=4, transaction_cycles=1, atomic_cycles=1)
    with warned("LoadStore.replay.on_reservation_fail"):
        unit = LoadStore(replay_refused=True, **load_store)
    assert unit == LoadStore(replay=Replay(on_reservation_fail=True), **load_store)
    with warned("LoadStore.replay.on_reservation_fail"):
        assert unit.replay_refused
    with warned("Cache.prefetch_degree"):
        assert Cache(size_bytes=1024, line_bytes=64, sector_bytes=64, ways=2, latency_cycles=0, misses_in_flight=1, write="evict", scope="multiprocessor",
                     lines_ahead=3).prefetch_degree == 3
    with pytest.warns(ArchdefDeprecationWarning):
        assert GpcRoundRobin((8, 8), first_after=3, beside=2) == GpcRoundRobin((8, 8), first_gpc_interval_turns=3, multiprocessors_per_tpc=2)
    with pytest.raises(TypeError, match="unexpected keyword"):
        LoadStore(replay_never=True, **load_store)
    with pytest.raises(AttributeError, match="'LoadStore' object has no attribute 'replay_never'"):
        unit.replay_never
    with warned("Assembler.predication_global_load_instructions"):
        assert Assembler(predication_global_load=2).predication_global_load_instructions == 2


def test_classes_take_old_fields_that_are_of_a_component_now_and_have_them():
    fixed = dict(multiprocessors=4, block_launch_cycles=1, block_turnover_cycles=0, launch_overhead_us=1)
    with pytest.warns(ArchdefDeprecationWarning):
        assert Unit("lsu", 16, within="alu", first_copy=1) == Unit("lsu", 16, part_of=PartOfUnit(unit="alu", first_copy=1))
    with pytest.warns(ArchdefDeprecationWarning):
        assert Unit("dp", 16, exclusive=True) == Unit("dp", 16, "exclusive") and Unit("dp", 16, exclusive=False, within=None) == Unit("dp", 16)
    with pytest.warns(ArchdefDeprecationWarning):
        assert Unit("dp", 16, "exclusive").exclusive and not Unit("dp", 16).exclusive and Unit("dp", 16).within is None
    with pytest.warns(ArchdefDeprecationWarning):
        assert Operation("fma", 9, slow_paths=1, slow_issues=5) == Operation("fma", 9, slow_path=SlowPath(paths=1, issues=5))
    with pytest.warns(ArchdefDeprecationWarning):
        assert Form(unit="lsu", latency_cycles=1, operation="atomic_shared", pattern="*", bank_passes=2, lanes_merged=False, operands=1) == Form(
            unit="lsu", latency_cycles=1, operation="atomic_shared", pattern="*", shared_atomic=SharedAtomic(bank_passes=2))
    with warned("Chip.block_launch.dispatch"):
        assert Chip(block_dispatch=GpcRoundRobin((2, 2)), **fixed).dispatch == GpcRoundRobin((2, 2))
    with warned("Chip.block_launch.dispatch"):
        assert Chip(**fixed).block_dispatch == "round_robin" and Chip(**fixed).dispatch == RoundRobin()


def test_limits_and_branch_costs_of_before_make_components():
    c500, h100 = registry.get("c500"), registry.get("h100")
    limits = {field.name: getattr(c500.limits, field.name) for field in attrs.fields(Limits) if field.name != "register_file_partitions"}
    with pytest.warns(ArchdefDeprecationWarning):
        made = Limits(**limits, register_partitions=4, warps_per_register_partition=8)
    assert made == c500.limits and made.register_file_partitions == RegisterFilePartitions(count=4, warps_per_partition=8)
    isa = {field.name: getattr(h100.isa, field.name) for field in attrs.fields(Isa) if field.name not in ("branch_costs", "serial_match")}
    with pytest.warns(ArchdefDeprecationWarning):
        found = Isa(**isa, guard_latency_cycles=9, match_value_cycles=0)
    assert found.branch_costs == BranchCosts(guard_latency_cycles=9) and found.serial_match is None


@pytest.mark.parametrize("name, old, value, now", [
    ("h100", "isa.operations.fp64_div.slow_issues", 70, "isa.operations.fp64_div.slow_path.issues"), ("h100", "fp64_div.slow_issues", 70, "fp64_div.slow_path.issues"),
    ("h100", "isa.operations.fp32_div.rare_issues", 2, "isa.operations.fp32_div.slow_path.guarded_issues"),
    ("h100", "isa.forms.shared_cas.bank_passes", 3, "isa.forms.shared_cas.shared_atomic.bank_passes"),
    ("gf100", "units.int.within", None, "units.int.part_of"), ("gf104", "units.int.first_copy", 1, "units.int.part_of.first_copy")])
def test_a_what_if_may_name_a_field_of_an_entry_as_before(name, old, value, now):
    with pytest.warns(ArchdefDeprecationWarning):
        assert registry.get(name).evolve({old: value})[now] == value


@pytest.mark.parametrize("given, scope", [(True, "exclusive"), ("false", "multiprocessor")])
def test_exclusive_units_are_a_scope(given, scope):
    with warned("units.dp.scope"):
        assert registry.get("gf100").evolve({"units.dp.exclusive": given}).unit("dp").scope == scope


@pytest.mark.parametrize("name", ["gf100", "gt200", "h100"])
def test_a_description_file_may_have_the_fields_of_entries_as_before(name):
    arch = registry.get(name)
    data = json.loads(dumps(arch, "json"))
    moved = 0
    for table, names in ENTRIES.items():
        entries = data
        for segment in table.split("."):
            entries = entries.get(segment, {})
        for entry in entries.values():
            for old, new in names.items():
                component, _, field = new.rpartition(".")
                if component and field in entry.get(component, {}):
                    entry[old], moved = entry[component].pop(field), moved + 1
            for component in {new.rpartition(".")[0] for new in names.values()} - {""}:
                if entry.get(component) == {}:
                    del entry[component]
            if table == "units" and entry["scope"] == "exclusive":
                entry.update(scope="multiprocessor", exclusive=True)
    assert moved
    with pytest.warns(ArchdefDeprecationWarning):
        assert loads(json.dumps(data), "json") == arch


def test_a_description_file_may_have_the_fields_of_policies_and_of_an_assembler_as_before():
    arch = registry.get("h100")
    data = json.loads(dumps(arch, "json"))
    data["shared"]["wide_access"], data["shared"]["group_latency_cycles"] = "merged_lanes", data["shared"]["wide_access"]["group_latency_cycles"]
    data["dram"]["page_policy"] = data["dram"]["scheduling"].pop("page_policy")
    data["isa"]["assembler"]["shared_operands"] = False
    with pytest.warns(ArchdefDeprecationWarning):
        assert loads(json.dumps(data), "json") == arch


@pytest.mark.parametrize("old, new", [("AmongOldest", RandomOfKLru), ("GroupByGroup", GpcRoundRobin), ("InstructionQueue", MemoryInstructionQueue)])
def test_classes_are_found_under_their_old_names(old, new):
    assert f"archdef.spec.{old}" in MOVED
    with warned(f"archdef.spec.{new.__name__}"):
        assert getattr(archdef.spec, old) is new
    with pytest.raises(AttributeError, match="no attribute 'AmongYoungest'"):
        archdef.spec.AmongYoungest


def test_policies_and_values_are_chosen_by_their_old_words():
    arch = registry.get("gf100")
    with warned("random_of_k_lru"):
        assert arch.evolve({"caches.l1.replacement": "among_oldest"}).caches.l1.replacement == RandomOfKLru()
    text = dumps(arch.evolve({"caches.l1.replacement": RandomOfKLru(2), "load_store.pipeline.arbitration": "random"}), "json")
    assert '"random_of_k_lru"' in text
    with warned("random_of_k_lru"):
        assert loads(text.replace('"random_of_k_lru"', '"among_oldest"'), "json").caches.l1.replacement == RandomOfKLru(2)
    with warned("random"):
        assert loads(text.replace('"random"', '"chance"'), "json").load_store.pipeline.arbitration == "random"
    with pytest.warns(ArchdefDeprecationWarning) as said:
        assert arch.evolve({"load_store.after_load": "chance"}).load_store.pipeline.arbitration == "random"
    assert {str(one.message).rpartition(" ")[2] for one in said} == {"load_store.pipeline.arbitration", "random"}


def test_passes_of_lowering_are_found_under_their_old_names():
    for old in ("meet_again", "join_ways"):
        with warned(WORDS[old].instead):
            assert [one.name for one in pipeline.changed(PASSES, old, declared="joins_by_branch")] == [one.name for one in PASSES]
    with warned("reconverge_by_branch"):
        pipeline.changed(AS_WRITTEN, "leave_by_joining")
    with pytest.raises(PluginError, match="no pass 'meet_never'"):
        pipeline.changed(PASSES, "meet_never")
