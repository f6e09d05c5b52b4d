"""Does the engine keep to what only some machines have: rows of bank words, several units of a kind, an L1 for local memory?"""
import attrs
import numpy as np
import pytest
from lowering import MATRIX, WARPGROUP, kernel, lowered
from lowering import machine as standin
from run_ptx import machine
from small_machine import gizmo

import archdef
from archdef.engine import core
from archdef.errors import SpecErrors
from archdef.lower.encoding import Flag, Kind
from archdef.spec import BankRows, Cache, Caches, FEATURES, KiB, Operation, PartOfUnit, Schedulers, LooseRoundRobin, Unit, XorHash, operations
from archdef.spec.isa import OPERATION_CLASSES

SHARED = gizmo().shared


# ----------------------------------------------------------------------------------------------------------- shared memory
@pytest.mark.parametrize("shape, differ", [(dict(bank_rows=BankRows(words=2)), True), (dict(bank_width_bytes=8), False), (dict(), False)])
def test_passes_are_counted_anew_where_a_pattern_starts_at_another_place_of_its_row(shape, differ):
    """One load in a loop, 32 words further each time: its lanes are 32 words apart, which are of one row from every other start."""
    declared = attrs.evolve(SHARED, **shape)
    text = """.version 7.5
.target sm_75
.address_size 64
.visible .entry k()
{
    .shared .align 256 .b8 sh[4096];
    .reg .pred %p<3>; .reg .b32 %r<9>;
    mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2;
    setp.ge.u32 %p1, %r1, 64; @%p1 add.u32 %r1, %r1, 64;
    mov.u32 %r2, sh; add.u32 %r1, %r1, %r2; mov.u32 %r3, 0;
L:  ld.volatile.shared.u32 %r4, [%r1]; add.u32 %r1, %r1, 128;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 10; @%p2 bra L;
    ret;
}"""
    run = archdef.Device(gizmo(shared=declared)).compile(text).k[(1,), (32,)]()
    lanes = [lane + 16 * (lane >= 16) for lane in range(32)]
    expected = [declared.passes([4 * (start + lane) for lane in lanes]) for start in range(0, 320, 32)]
    assert len(set(expected)) == 1 + differ
    assert run.counters.shared_load_passes == sum(expected)


# ------------------------------------------------------------------------------------------------------------------- units
def busy(units, interval, warps=32, schedulers=4, width=1, steps=256, superscalar=False, chains=16, additions=0, issue_interval=1):
    """Cycles per instruction of many warps that do nothing but multiplies on the unit ``mul``, and `additions` behind each of them."""
    others = " ".join(set(OPERATION_CLASSES) - {"fp32_mul"})
    names = [unit.name for unit in units]
    pairs = tuple(frozenset({"mul", other}) for other in names) if width > 1 else ()
    arch = gizmo(
        units=tuple(units) if "rest" in names else (*units, Unit("rest", 32, "scheduler")),
        schedulers=Schedulers(count=schedulers, policy=LooseRoundRobin(), issue_interval_cycles=issue_interval, instruction_gap_cycles=1,
                              issue_width=width, dual_issue=pairs, superscalar=superscalar),
        isa=attrs.evolve(gizmo().isa, features=frozenset(FEATURES), matrix=MATRIX, warpgroup=WARPGROUP,
                         operations=operations([(Operation("mul", 4, interval), "fp32_mul"), (Operation("rest", 1), others)])))
    def cycles(steps):
        body = "\n".join(f"{'add' if k % (1 + additions) else 'mul'}.f32 %f{k % chains + 1}, %f{k % chains + 1}, %f0;" for k in range(steps))
        ends = "\n".join(f"st.global.f32 [%rd1+{4 * k}], %f{k};" for k in range(1, 17))
        text = kernel("ld.param.u64 %rd1, [out];\nld.global.f32 %f0, [%rd1];\n"
                      + "\n".join(f"ld.global.f32 %f{k}, [%rd1+{4 * k}];" for k in range(1, 17)) + f"\n{body}\n{ends}")
        device = archdef.Device(arch)
        return device.compile(text).k[(1,), (32 * warps // 2,)](device.zeros((64,), "f4")).cycles
    return (cycles(2 * steps) - cycles(steps)) / (steps * warps // 2)


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("interval", [1, 2, 5])
def test_a_shared_kind_of_unit_starts_as_many_instructions_at_a_time_as_it_has_units(copies, interval):
    assert busy([Unit("mul", 32, copies=copies)], interval) == pytest.approx(interval / copies, rel=0.05)


def test_four_schedulers_start_no_more_than_four_even_on_six_units_and_six_if_two_warps_of_each_may_issue():
    assert busy([Unit("mul", 32, copies=6)], 1) == pytest.approx(1 / 4, rel=0.05)
    assert busy([Unit("mul", 32, copies=6)], 1, width=2) == pytest.approx(1 / 6, rel=0.05)


@pytest.mark.parametrize("chains, superscalar, cycles", [(16, False, 1), (16, True, 1 / 2), (1, True, 4)])
def test_a_superscalar_slot_takes_independent_instructions_of_one_warp(chains, superscalar, cycles):
    """A chain of one takes the latency of 4 cycles, slot or not."""
    units = [Unit("mul", 32, copies=2)]
    assert busy(units, 1, warps=2, schedulers=1, width=2, superscalar=superscalar, chains=chains) == pytest.approx(cycles, rel=0.05)


def test_warps_of_a_superscalar_scheduler_take_turns_as_whole_slots():
    units = [Unit("mul", 32, copies=2)]
    assert busy(units, 1, schedulers=1, width=2, superscalar=True, issue_interval=2) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("exclusive, cycles", [(False, 1 / 4), (True, 1)])
def test_an_instruction_for_an_exclusive_unit_takes_a_slot_of_every_scheduler(exclusive, cycles):
    assert busy([Unit("mul", 32, copies=4, scope="exclusive" if exclusive else "multiprocessor")], 1) == pytest.approx(cycles, rel=0.05)


@pytest.mark.parametrize("within, additions, cycles", [(None, 3, 1 / 4), ("rest", 3, 1 / 3), ("rest", 1, 1 / 2), ("rest", 0, 1)])
def test_units_within_others_share_their_copies(within, additions, cycles):
    """Four schedulers, one unit that multiplies: of three groups of lanes, or beside them."""
    units = [Unit("mul", 32, part_of=within and PartOfUnit(unit=within)), Unit("rest", 32, copies=3)]
    assert busy(units, 1, additions=additions) == pytest.approx(cycles, rel=0.05)


@pytest.mark.parametrize("rest, interval, additions, cycles", [
    (Unit("rest", 32), 3, 1, 3 / 2), (Unit("rest", 32, part_of=PartOfUnit(unit="mul")), 3, 1, (3 + 1) / 2), (Unit("rest", 32, part_of=PartOfUnit(unit="mul")), 3, 0, 3)])
def test_two_units_that_are_one_take_turns(rest, interval, additions, cycles):
    assert busy([Unit("mul", 32), rest], interval, additions=additions) == pytest.approx(cycles, rel=0.05)


@pytest.mark.parametrize("first, additions, cycles", [(0, 0, 1), (1, 0, 1), (0, 1, 1 / 2 + 1 / 4), (1, 3, 5 / 8)])
def test_a_unit_that_stands_for_two_takes_whichever_is_free(first, additions, cycles):
    """Products take 2 cycles of either of two units, sums 1 of that with the number `first`."""
    assert busy([Unit("mul", 32, copies=2), Unit("rest", 32, part_of=PartOfUnit(unit="mul", first_copy=first))], 2, additions=additions) == pytest.approx(
        cycles, rel=0.25 if additions else 0.05)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("held, asked", [("mul", "add"), ("add", "mul")])
def test_a_kernel_waits_for_a_unit_that_was_held_when_it_came_in(held, asked, known):
    """One unit multiplies and adds; no program had ops for what the later kernel does, or one had."""
    others = " ".join(set(OPERATION_CLASSES) - {"fp32_mul", "fp32_add"})
    cycles = {held: 20_000, asked: 1}
    arch = gizmo(chip=attrs.evolve(gizmo().chip, multiprocessors=1),
                 units=(Unit("mul", 32), Unit("add", 32, part_of=PartOfUnit(unit="mul")), Unit("rest", 32, "scheduler")),
                 isa=attrs.evolve(gizmo().isa, features=frozenset(FEATURES), matrix=MATRIX, warpgroup=WARPGROUP, operations=operations(
                     [*((Operation(unit, 4, cycles[unit]), f"fp32_{unit}") for unit in cycles), (Operation("rest", 1), others)])))
    device = archdef.Device(arch)
    session = core.Session(device.machine, device.memory.engine, 1 << 40, 1 << 40)

    def started(operation):
        twice = 2 * f"{operation}.f32 %f0, %f0, %f0; "
        text = kernel(f"ld.param.u64 %rd1, [out]; ld.global.f32 %f0, [%rd1]; {twice} st.global.f32 [%rd1], %f0;")
        return device.compile(text).k[1, 32].prepare(device.zeros(64, "f4")).start(session)

    if known:
        started(asked)
    first = started(held)
    session.advance(1000, until_cycle=10_000)
    second = started(asked)
    while session.advance(1000):
        pass
    session.finished()
    assert session.result(first)["cycles"] > 20_000
    assert 20_000 < session.result(second)["cycles"] < 40_000


@pytest.mark.parametrize("units, fault", [
    ((Unit("alu", 32), Unit("lsu", 16, part_of=PartOfUnit(unit="alux"))), "units.lsu.part_of.unit must name another unit that is not part of one itself, got 'alux'"),
    ((Unit("alu", 32, "scheduler"), Unit("lsu", 16, part_of=PartOfUnit(unit="alu"))), "units.lsu.part_of.unit must join units that all schedulers share, got 'alu'"),
    ((Unit("alu", 16), Unit("lsu", 16, copies=2, part_of=PartOfUnit(unit="alu"))), "units.lsu.copies must be at most those of alu from number 0 on = 1, got 2"),
    ((Unit("alu", 16, copies=2), Unit("lsu", 16, part_of=PartOfUnit(unit="alu", first_copy=2))),
     "units.lsu.copies must be at most those of alu from number 2 on = 0, got 1"),
    ((Unit("alu", 32, "exclusives"), Unit("lsu", 16)),
     "units.alu.scope must be one of 'scheduler', 'multiprocessor', 'exclusive', got 'exclusives' (did you mean exclusive?)")])
def test_shared_and_exclusive_units_must_make_sense(units, fault):
    with pytest.raises(SpecErrors) as caught:
        gizmo(units=units)
    assert [str(error) for error in caught.value.exceptions] == [f"gizmo.{fault}"]


def test_a_unit_of_each_scheduler_is_one():
    assert busy([Unit("mul", 32, "scheduler")], 2) == pytest.approx(2 / 4, rel=0.05)
    with pytest.raises(SpecErrors) as caught:
        gizmo(units=(Unit("alu", 32, "scheduler", copies=2), Unit("lsu", 16)))
    assert [str(fault) for fault in caught.value.exceptions] == [
        "gizmo.units.alu.copies must be 1 where each scheduler has a unit of its own, got 2"]


# ------------------------------------------------------------------------------------------------------------------ caches
def loads(body, architecture):
    """Flags of the loads of a kernel."""
    ops = lowered(kernel(f"ld.param.u64 %rd1, [out];\n{body}\nst.global.v2.u32 [%rd1], {{%r1, %r2}};"), architecture).ops
    return [Flag(int(f)) for f in ops["flags"][ops["kind"] == Kind.LOAD]]


@pytest.mark.parametrize("load, past", [
    ("ld.global.u32 %r1, [%rd1]", True), ("ld.global.ca.u32 %r1, [%rd1]", False), ("ld.global.cg.u32 %r1, [%rd1]", True),
    ("ld.u32 %r1, [%rd1]", True), ("ld.local.u32 %r1, [%rd1]", False)])
def test_an_l1_for_local_memory_serves_global_loads_that_ask_for_it(load, past):
    arch = standin()
    arch.caches = Caches(l1_global_loads=False)
    assert [bool(f & Flag.BYPASS_L1) for f in loads(load + ";", arch)] == [past]
    assert [bool(f & Flag.BYPASS_L1) for f in loads(load + ";", standin())] == [".cg" in load]


def test_read_only_loads_go_past_l1_where_they_have_a_cache_of_their_own():
    texture = Cache(size_bytes=16 * KiB, line_bytes=128, sector_bytes=32, ways=4, latency_cycles=9, misses_in_flight=8, write="evict",
                    scope="multiprocessor")
    arch = standin()
    arch.caches = Caches(texture_l1=texture)
    load = "ld.global.nc.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1];"
    assert [bool(f & Flag.BYPASS_L1) for f in loads(load, arch)] == [True, False]
    assert not any(f & Flag.BYPASS_L1 for f in loads(load, standin()))


def test_global_loads_leave_an_l1_for_local_memory_alone_and_find_it_if_they_ask():
    def seconds(operator, arch):
        text = kernel(f"""ld.param.u64 %rd1, [out]; mov.u32 %r1, 0;
L: ld.global{operator}.u32 %r2, [%rd1]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 50; @%p1 bra L;
st.global.u32 [%rd1+4], %r1;""")
        device = archdef.Device(arch)
        return device.compile(text).k[(1,), (32,)](device.zeros((64,), "u4")).cycles
    plain, local = machine(), machine(caches__l1_global_loads=False)
    assert seconds("", plain) == seconds(".ca", plain) == seconds(".ca", local) < seconds("", local) / 2


# --------------------------------------------------------------------------------------------------------------- partitions
@pytest.mark.parametrize("partitions", [3, 4, 5, 6, 8])
def test_a_stream_finds_nothing_in_a_hashed_l2_that_it_did_not_load(partitions):
    arch = machine(dram__partitions=partitions, dram__partition_map=XorHash())
    device = archdef.Device(arch)
    words = 1 << 14
    text = kernel("""ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; ld.global.u32 %r4, [%rd1];
setp.eq.u32 %p1, %r4, 7; @%p1 trap;""")
    run = device.compile(text).k[(words // 256,), (256,)](device.zeros((words,), "u4"))
    assert run.counters.partition["bytes_read"].sum() == 4 * words
    assert np.ptp(run.counters.partition["bytes_read"]) <= 2 * arch.dram.interleave_bytes


@pytest.mark.parametrize("partitions", range(1, 81))
def test_every_round_of_a_hash_uses_every_partition_once(partitions):
    for first in (0, 17 * partitions, 4099 * partitions):
        chunks = [XorHash().partition(256 * (first + k), 256, partitions) for k in range(partitions)]
        assert sorted(chunks) == list(range(partitions))
