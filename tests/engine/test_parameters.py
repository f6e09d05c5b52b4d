"""What the engine is told of a component is made of the class that describes it."""
import re

import attrs
import pytest
from parameters_header import HEADER

from archdef import parameters, registry
from archdef.parameters import COMPONENTS, PLACES, classes, component_tables, header, members, number_of
from archdef.engine.machine import SchedulerPolicy, SumRule
from archdef.spec import (
    AlignedSum, Architecture, Cache, ChainedSum, FirstReady, GreedyThenOldest, GreedyThenRoundRobin, LooseRoundRobin, MatrixArithmetic, OldestFirst,
    PairedSum, TwoLevel, WeightedPriority)
from archdef.spec.fields import integer, real

ENGINE = HEADER.parent


def test_the_header_is_what_the_classes_say():
    assert HEADER.read_text(encoding="utf-8") == header(), "refresh it with: python tests/engine/parameters_header.py"


@pytest.mark.parametrize("cls", COMPONENTS, ids=lambda cls: cls.__name__)
def test_every_name_of_the_table_is_one_of_the_class(cls):
    assert cls in classes()
    component, fields = COMPONENTS[cls], {attribute.name for attribute in attrs.fields(cls)}
    assert {*component.left_out, *component.core_cycles, *(component.alone or ())} <= fields
    assert component.absent.keys() <= {one.name for one in members(cls)}


def test_the_engine_reads_every_member():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in ENGINE.glob("*.p[yx][xdi]") if path != HEADER)
    named = {one.name for cls in classes() for one in members(cls) if not one.name.endswith("_count") and not one.of}
    assert [name for name in sorted(named) if not re.search(rf"\.{name}\b", sources)] == []


def test_a_new_field_is_a_member_in_the_engines_units_without_further_ado(monkeypatch):
    @attrs.frozen(kw_only=True)
    class Prefetcher:
        lines: int = integer()
        idle_cycles: float = real()
        wait_ns: float = real()
        distance_cycles: float = real()
    monkeypatch.setitem(COMPONENTS, Prefetcher, parameters.Component(core_cycles=("distance_cycles",)))
    arch = registry.get(registry.names()[0])
    made = parameters.values(Prefetcher, Prefetcher(lines=3, idle_cycles=1.5, wait_ns=2.5, distance_cycles=2), arch)
    assert made == {"lines": 3, "idle_64ths": 96, "wait_fs": 2_500_000, "distance_fs": round(2 * parameters.period_fs(arch.clocks.core_mhz))}
    assert parameters.values(Prefetcher, None, arch) == dict.fromkeys(made, 0)


def test_a_field_that_nobody_says_how_to_tell_is_refused_by_name(monkeypatch):
    @attrs.frozen(kw_only=True)
    class Prefetcher:
        share: float = real()
    monkeypatch.setitem(COMPONENTS, Prefetcher, parameters.Component())
    with pytest.raises(TypeError, match="share"):
        list(members(Prefetcher))


@pytest.mark.parametrize("name", registry.names())
def test_a_machine_has_a_number_for_every_member(name):
    tables = component_tables(registry.get(name))
    assert tuple(tables) == PLACES

    def check(cls, table):
        assert table.keys() == {one.name for one in members(cls)}
        for one in members(cls):
            if one.of:
                check(one.of, table[one.name])
            else:
                numbers = table[one.name] if one.count else [table[one.name]]
                assert len(numbers) == (one.count or 1) and all(type(n) is int and abs(n) < 1 << 63 for n in numbers), one.name
    for place in PLACES:
        cls = attrs.fields_dict(Architecture)[place].metadata["archdef.rule"].of
        for table in tables[place] if isinstance(tables[place], list) else [tables[place]]:
            check(cls, table)


def test_words_have_numbers_from_one_on_so_that_nothing_is_none_of_them():
    assert number_of(Cache, "scope", "scheduler") == number_of(FirstReady, "page_policy", "open") == 1


def test_rules_of_sums_have_the_numbers_of_the_engine():
    @attrs.frozen
    class Matrix:
        f16 = bf16 = AlignedSum(products=4, fraction_bits=24)
        tf32 = ChainedSum()
        groups = groups_f16 = PairedSum()
        fp8 = None
    assert parameters.values(MatrixArithmetic, Matrix(), None)["sum"] == [
        SumRule.SUM_ALIGNED, SumRule.SUM_ALIGNED, SumRule.SUM_CHAINED, SumRule.SUM_PAIRED, SumRule.SUM_PAIRED, SumRule.SUM_NONE]


@pytest.mark.parametrize("policy, number, a, b", [
    (LooseRoundRobin(), SchedulerPolicy.SCH_ROUND_ROBIN, 0, 0), (GreedyThenOldest(), SchedulerPolicy.SCH_GREEDY_OLDEST, 0, 0),
    (GreedyThenRoundRobin(), SchedulerPolicy.SCH_GREEDY_ROUND_ROBIN, 0, 0),
    (GreedyThenRoundRobin(oldest_block_first=True), SchedulerPolicy.SCH_GREEDY_ROUND_ROBIN, 1, 0), (OldestFirst(), SchedulerPolicy.SCH_OLDEST, 0, 0),
    (TwoLevel(active_warps=5), SchedulerPolicy.SCH_TWO_LEVEL, 5, 0), (WeightedPriority(memory_weight=7, age_weight=3), SchedulerPolicy.SCH_WEIGHTED, 7, 3)])
def test_the_engine_is_told_the_schedulers_policy(policy, number, a, b):
    tables = component_tables(registry.get(registry.names()[0]).evolve({"schedulers.policy": policy}))["schedulers"]
    assert (tables["policy"], tables["policy_a"], tables["policy_b"]) == (number, a, b)
    assert len(parameters.SCHEDULER_POLICIES) == SchedulerPolicy.SCH_ASKED == max(SchedulerPolicy)


def test_each_unit_is_told_apart_and_the_rest_of_the_array_is_empty():
    arch = registry.get(registry.names()[0])
    told = component_tables(arch)["units"]
    assert len(told) == parameters.MOST_UNITS
    assert [(one["copies"], one["per_scheduler"], one["exclusive"]) for one in told[:len(arch.units)]] == [
        (unit.copies, unit.scope == "scheduler", unit.scope == "exclusive") for unit in arch.units]
    assert all(one == {"copies": 1, "per_scheduler": 0, "exclusive": 0, "within": 0, "first": 0} for one in told[len(arch.units):])


def test_what_a_machine_without_launches_by_kernels_has_follows_from_the_machine():
    name = next((name for name in registry.names() if registry.get(name).device_launches is None), None)
    if name is None:
        pytest.skip("kernels of all installed machines launch others")
    arch = registry.get(name).evolve({"chip.block_turnover_cycles": 77})
    assert component_tables(arch)["device_launches"]["next_cycles"] == 77
