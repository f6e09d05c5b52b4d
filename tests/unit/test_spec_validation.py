"""A description that contradicts itself is refused, with all its faults at once."""
import pickle

import attrs
import pytest
from archdef.errors import SpecErrors
from archdef.spec import (BulkCopyUnit, CarveoutHeadroom, Form, FrozenMap, Lines, LooseRoundRobin, Operation, RegisterFilePartitions, Schedulers, Unit, forms,
                          operations)
from small_machine import MADE_UP, gizmo

GIZMO = gizmo()


def faults_of(**changed) -> list[str]:
    with pytest.raises(SpecErrors) as caught:
        gizmo(**changed)
    return [str(fault) for fault in caught.value.exceptions]


def evolved(part: str, **fields):
    return {part: attrs.evolve(getattr(GIZMO, part), **fields)}


def test_a_fault_names_path_rule_value_and_way_out():
    assert faults_of(**evolved("shared",
                               banks=24)) == ["gizmo.shared.banks must be a power of two, got 24 (did you mean 32?)"]


def test_a_fault_keeps_its_data():
    with pytest.raises(SpecErrors) as caught:
        gizmo(**evolved("shared", banks=24))
    fault, = caught.value.exceptions
    assert (fault.path, fault.value, fault.allowed, fault.hint) == ("gizmo.shared.banks", 24, "must be a power of two", "32")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_all_faults_of_all_parts_are_reported_together():
    found = faults_of(**evolved("warp", size=65), **evolved("clocks", core_mhz=-1),
                      **evolved("dram", banks=12, queue_entries=0))
    assert found == [
        "gizmo.warp.size must be at most 64, got 65",
        "gizmo.clocks.core_mhz must be more than 0, got -1",
        "gizmo.dram.banks must be a power of two, got 12 (did you mean 16?)",
        "gizmo.dram.queue_entries must be at least 1, got 0"]


@pytest.mark.parametrize("changed, fault", [
    (evolved("warp", size="32"), "gizmo.warp.size must be a whole number, got '32'"),
    (evolved("warp", size=True), "gizmo.warp.size must be a whole number, got True"),
    (evolved("clocks", core_mhz=float("nan")), "gizmo.clocks.core_mhz must be a number, got nan"),
    (evolved("warp", size=None), "gizmo.warp.size must be given, got None"),
    (evolved("isa", fuse_multiply_add=1), "gizmo.isa.fuse_multiply_add must be True or False, got 1"),
    (evolved("isa", float_mad="fuse"),
     "gizmo.isa.float_mad must be one of 'fused', 'truncated', 'separate', got 'fuse' (did you mean fused?)"),
    (evolved("isa", features="vote clok"),
     "gizmo.isa.features must hold known features, got 'clok' (did you mean clock?)"),
    (evolved("isa", features="clock vote_ballot"), "gizmo.isa.features must come with vote, got 'vote_ballot'"),
    (evolved("limits", grid_dimensions=(1, 1)),
     "gizmo.limits.grid_dimensions must be a tuple of 3 numbers, got (1, 1)"),
    (evolved("limits", threads_per_block=2048, block_dimensions=(512, 512, 64)),
     "gizmo.limits.threads_per_block must be at most threads_per_multiprocessor = 1024, got 2048"),
    (evolved("limits", threads_per_multiprocessor=768),
     "gizmo.limits.threads_per_multiprocessor must be warps_per_multiprocessor x warp.size = 1024, got 768"),
    (evolved("limits", warps_per_multiprocessor=256, threads_per_multiprocessor=8192),
     "gizmo.limits.warps_per_multiprocessor must be at most 64 for each of schedulers.count = 2, got 256"),
    (evolved("limits", block_dimensions=(1024, 1, 1)),
     "gizmo.limits.block_dimensions must be at most threads_per_block = 512 along x, got (1024, 1, 1)"),
    (evolved("limits", registers_per_block=65536),
     "gizmo.limits.registers_per_block must be at most registers_per_multiprocessor = 32768, got 65536"),
    (evolved("limits", register_file_partitions=RegisterFilePartitions(count=3)),
     "gizmo.limits.register_file_partitions.count must divide registers_per_multiprocessor = 32768, "
                                               "got 3"),
    (evolved("limits", register_file_partitions=RegisterFilePartitions(count=2, warps_per_partition=8)),
     "gizmo.limits.register_file_partitions.warps_per_partition must be warps_per_multiprocessor / count = 16, got 8"),
    (evolved("limits", shared_bytes_per_block=65536),
     "gizmo.limits.shared_bytes_per_block must be at most shared_bytes_per_multiprocessor = 32768, got 65536"),
    (evolved("limits", shared_carveouts=(16384, 49152)),
     "gizmo.limits.shared_bytes_per_multiprocessor must be one of shared_carveouts = 16384, 49152, got 32768"),
    (evolved("shared", banks=16), "gizmo.shared.conflict_lanes must be at most shared.banks = 16, got 32"),
    (evolved("schedulers", dual_issue=(frozenset({"alu", "fpu"}),), issue_width=2),
     "gizmo.schedulers.dual_issue must name units (alu, lsu), got 'fpu'"),
    (evolved("schedulers", dual_issue=(frozenset({"alu", "lsu"}),)),
     "gizmo.schedulers.issue_width must be at least 2 where dual_issue pairs units, got 1"), (evolved("schedulers", issue_width=2),
     "gizmo.schedulers.dual_issue must pair units where issue_width is 2, got ()"), (evolved("schedulers", policy="gta"), None),
    (evolved("coalescing", load=Lines(32, 512, 512)), None),
    (evolved("dram", interleave_bytes=64), None),
    (evolved("dram", write_drain_high=65), "gizmo.dram.write_drain_high must be at most queue_entries = 64, got 65"),
    (evolved("dram", write_drain_low=24), "gizmo.dram.write_drain_low must be less than write_drain_high = 24, got 24"),
    (evolved("dram", row_bytes=16), "gizmo.dram.row_bytes must be at least burst_bytes = 32, got 16"),
    (evolved("dram", t_ras_ns=10), "gizmo.dram.t_ras_ns must be at least t_rcd_ns = 12, got 10"),
    (evolved("dram", partitions=7), "gizmo.dram.bus_bits must give each of 7 partitions whole bytes, got 256"),
    (evolved("caches", l1=attrs.evolve(GIZMO.caches.l1, ways=3)),
     "gizmo.caches.l1.size_bytes must be a multiple of line_bytes x ways = 384, got 16384"),
    (evolved("load_store", bulk_copies=BulkCopyUnit(read_bytes_per_cycle=64)),
     "gizmo.load_store.bulk_copies must be None unless isa.features has bulk_copies, got BulkCopyUnit(read_bytes_per_cycle=64, write_bytes_per_cycle=None)"),
    (evolved("dram", t_rfc_ns=9.0), "gizmo.dram.t_rfc_ns must be 0 unless dram.t_refi_ns is given, got 9.0"),
    (evolved("limits", carveout_headroom=CarveoutHeadroom(ratio=2, most_bytes=64)),
     "gizmo.limits.carveout_headroom must be None unless caches.unified_l1_shared, got CarveoutHeadroom(ratio=2, most_bytes=64)"),
    (evolved("coalescing", load=attrs.evolve(GIZMO.coalescing.load, line_bytes=2048)),       # more sectors than a tag has overran it
     "gizmo.coalescing.load.line_bytes must be 1 to 4 times sector_bytes = 128, got 2048"),
    (evolved("coalescing", store=attrs.evolve(GIZMO.coalescing.store, line_bytes=16)),
     "gizmo.coalescing.store.line_bytes must be 1 to 4 times sector_bytes = 32, got 16"),
    (evolved("caches", l1=attrs.evolve(GIZMO.caches.l1, scope="cluster")),
     "gizmo.caches.l1.scope must be multiprocessor: no other sharing of it is modelled, got 'cluster'"),
    (evolved("caches", l1=attrs.evolve(GIZMO.caches.l1, write="back")),
     "gizmo.caches.l1.write must be evict or through: no other way of storing is modelled, got 'back'"),
    (evolved("caches", l2=attrs.evolve(GIZMO.caches.l2, scope="cluster")),
     "gizmo.caches.l2.scope must be partition or chip: no other sharing of it is modelled, got 'cluster'"),
    (evolved("caches", constant=attrs.evolve(GIZMO.caches.l1, scope="chip")),
     "gizmo.caches.constant.scope must be multiprocessor: no other sharing of it is modelled, got 'chip'"),
    (evolved("caches", constant=attrs.evolve(GIZMO.caches.l1, write="through")),
     "gizmo.caches.constant.write must be evict: it is only read, got 'through'"),
    (evolved("caches", l1=attrs.evolve(GIZMO.caches.l1, dirty_ways=2)), "gizmo.caches.l1.dirty_ways must be None: it is of l2 alone, got 2"),
    (evolved("caches", constant_l3=GIZMO.caches.l1), "gizmo.caches.constant_l2 must be given where caches.constant_l3 is, got None"),
    (evolved("caches", constant=GIZMO.caches.l1, constant_l2=attrs.evolve(GIZMO.caches.l1, sector_bytes=32)),
     "gizmo.caches.constant_l2.sector_bytes must be at least caches.constant.line_bytes = 128, got 32"),
    (evolved("caches", l1=attrs.evolve(GIZMO.caches.l1, sector_bytes=256)),
     "gizmo.caches.l1.sector_bytes must be at most line_bytes = 128, got 256"),
    (dict(units=(Unit("alu", 16), Unit("alu", 16), Unit("lsu", 16))), "gizmo.units.alu must be declared once, got 2"),
    (evolved("schedulers", count=9), "gizmo.schedulers.count must be at most 8, got 9"),
    (dict(units=()), "gizmo.units must be a tuple of Unit, at least one, got ()"),
    (dict(warp=32), "gizmo.warp must be a Warp, got 32"),
    (dict(name=""), "architecture.name must be a text that is not empty, got ''"),
])
def test_each_rule_refuses_what_breaks_it(changed, fault):
    found = faults_of(**changed)
    assert fault in found if fault else found


def test_a_wrong_policy_lists_the_known_ones_and_the_nearest():
    fault, = faults_of(**evolved("schedulers", policy="gta"))
    assert "LooseRoundRobin() = 'lrr'" in fault and fault.endswith("got 'gta' (did you mean gto?)")


def test_a_transaction_may_not_span_partitions_or_lines():
    assert faults_of(**evolved("coalescing", load=Lines(32, 512, 512))) == [
        "gizmo.coalescing.load must make transactions of at most dram.interleave_bytes = 256, got 512",
        "gizmo.coalescing.load must make transactions of at most caches.l1.line_bytes = 128, got 512",
        "gizmo.coalescing.load must make transactions of at most caches.l2.line_bytes = 128, got 512"]


def test_one_mistake_gives_one_fault():
    assert len(faults_of(**evolved("limits", threads_per_multiprocessor=0))) == 1


def test_missing_classes_of_operation_are_named():
    fewer = FrozenMap({k: v for k, v in GIZMO.isa.operations.items() if k not in ("int_add", "fp32_fma")})
    fault, = faults_of(**evolved("isa", operations=fewer))
    assert "must declare every class of operation; missing: int_add, fp32_fma" in fault


def test_classes_of_absent_features_may_be_left_out_and_others_not():
    without = {k: v for k, v in GIZMO.isa.operations.items() if not k.startswith("fp64_") and k != "shuffle"}
    assert "fp64_add" not in gizmo(**evolved("isa", operations=without)).isa.operations
    fault, = faults_of(**evolved("isa", operations=without, features="clock vote shuffle"))
    assert fault.startswith("gizmo.isa.operations must declare every class of operation; missing: shuffle")


def test_an_unknown_class_and_an_unknown_unit_are_named_with_the_nearest():
    table = dict(GIZMO.isa.operations) | {"fp32_mull": Operation("alu", 8), "int_add": Operation("al", 8)}
    assert faults_of(**evolved("isa", operations=table)) == [
        "gizmo.isa.operations.int_add.unit must name a unit (alu, lsu), got 'al' (did you mean alu?)",
        "gizmo.isa.operations must name classes of OPERATION_CLASSES, got 'fp32_mull' (did you mean fp32_mul?)"]


def test_only_memory_operations_may_have_no_latency_of_their_own():
    table = dict(GIZMO.isa.operations) | {"load_shared": Operation("lsu", 0)}
    gizmo(**evolved("isa", operations=table))
    fault, = faults_of(**evolved("isa", operations=table | {"move": Operation("alu", 0)}))
    assert fault == "gizmo.isa.operations.move.latency_cycles must be at least 1, got 0"


def test_a_class_with_two_costs_is_refused():
    with pytest.raises(SpecErrors) as caught:
        operations([(Operation("alu", 8), "move"), (Operation("alu", 9), "move")])
    assert [str(fault) for fault in caught.value.exceptions] == [
        "isa.operations.move must be declared once, not for Operation(unit='alu', latency_cycles=8) and for Operation(unit='alu', latency_cycles=9), "
        "got 'move'"]


@pytest.mark.parametrize("make, path", [(operations, "isa.operations"), (forms, "isa.forms")])
def test_two_rows_of_one_cost_are_refused_in_a_table_but_not_in_two(make, path):
    first, second = (Operation("alu", 8), "fp32_rcp:rcp.*"), (Operation("alu", 8, issues=1), "fp32_div:div.*")
    with pytest.raises(SpecErrors) as caught:
        make([first, second])
    assert [str(fault) for fault in caught.value.exceptions] == [
        f"{path} must have one row for Operation(unit='alu', latency_cycles=8) in a table, got ['fp32_rcp:rcp.*', 'fp32_div:div.*']"]
    assert len(make([first], [second])) == 2


@pytest.mark.parametrize("make", [operations, forms])
@pytest.mark.parametrize("table", [{Operation("alu", 8): "move"}, {}, 5, [Operation("alu", 8)], [("alu", "move")], [(Operation("alu", 8), ["move"])], ["ab"],
                                   [(Form("alu", 8, operation="move", pattern="*"), "move")]])
def test_a_table_of_costs_is_made_of_rows_and_no_dict_that_drops_some(make, table):
    with pytest.raises(SpecErrors) as caught:
        make(table)
    assert {fault.allowed for fault in caught.value.exceptions} == {"must be made of rows (cost, names)"}


def test_numbers_without_a_source_are_faults():
    evidence = {key: cite for key, cite in GIZMO.evidence.items() if key != "clocks"}
    assert faults_of(evidence=evidence) == [
        f"gizmo.clocks.{domain}_mhz must have a source: add its path, or the beginning of it, to evidence, got {mhz}"
        for domain, mhz in (("core", 500), ("shader", 1000), ("memory", 1000))]


def test_a_source_for_something_that_does_not_exist_is_a_fault():
    assert faults_of(evidence={**GIZMO.evidence, "dram.bank": MADE_UP}) == [
        "gizmo.evidence must name fields of the description, got 'dram.bank' (did you mean dram.banks?)"]


def test_a_policy_of_ones_own_is_a_policy():
    from archdef.spec import SchedulerPolicy, named
    from archdef.spec.fields import integer

    @named("youngest_of_this_test")
    class Youngest(SchedulerPolicy):
        """The ready warp that came last."""

        patience: int = integer(default=3)
        """Cycles."""

    try:
        machine = gizmo(schedulers=Schedulers(count=2, policy=Youngest(), issue_interval_cycles=2, instruction_gap_cycles=2))
        assert machine["schedulers.policy.patience"] == 3
        assert GIZMO.evolve({"schedulers.policy": "youngest_of_this_test"}) == machine
        assert [str(f) for f in pytest.raises(SpecErrors, machine.evolve, {"policy.patience": 0}).value.exceptions] == [  # noqa: RUF061  a test in a line
            "gizmo.schedulers.policy.patience must be at least 1, got 0"]
    finally:
        SchedulerPolicy._choices.pop("youngest_of_this_test")
    assert GIZMO.schedulers.policy == LooseRoundRobin()
