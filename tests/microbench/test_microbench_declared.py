"""Does what is measured on a simulated machine come out as its description says? On every installed architecture."""
import functools

import archdef
import attrs
import numpy as np
import pytest

from archdef.microbench import Unsupported, as_machine, measure
from archdef.microbench.operations import STEPS
from archdef.testing.checks.check import at_hand
from archdef.testing.latency import declared_latency_cycles
import itertools

ARCHITECTURES = archdef.architectures()
TYPICAL = ("fma_f32", "add_s32", "mul_lo_s32", "lop3_b32", "shl_b32", "popc_b32", "rsqrt_approx_ftz_f32", "add_f64", "fma_f16x2", "shfl_idx")


@functools.cache
def machine(name):
    return as_machine(name)


def value(name, benchmark, **parameters):
    """Give the one quantity of a point; skip where the machine cannot run it."""
    try:
        (found,) = measure(benchmark, machine(name), **parameters).values()
    except Unsupported as reason:
        pytest.skip(str(reason))
    return found


def costs(architecture, step):
    """Give the declared costs of a step's instructions, by class and form; taking halves of a 64-bit register is free."""
    words = [statement.split()[0] for statement in step.body(architecture.isa.features, architecture.warp.size).replace("{{", "").split(";")
             if statement.strip(" {}")]
    counting = [word for word in words if word[0] != "." and not word.startswith("mov.")]
    assert len(counting) == len(step.classes)
    found = [architecture.isa.cost(operation, form) for operation, form in zip(step.classes, counting)]
    if getattr(architecture.isa.assembler, "splits_wide_mads", False) and any(form.startswith("mad.wide") for form in counting):
        found.append(architecture.isa.cost("int64_add"))        # the sum
    # a choice between pairs of registers is two
    return [attrs.evolve(cost, issues=2 * cost.issues) if form in ("selp.b64", "selp.f64") else cost for cost, form in zip(found, [*counting, ""])]


# ---------------------------------------------------------------------------------------------------------- arithmetic
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_chain_of_an_operation_takes_its_declared_latency(name):
    architecture = archdef.architecture(name)
    near = as_machine(at_hand(architecture))        # routines of many instructions may not fit the first cache
    wrong, tried = {}, 0
    for operation, step in STEPS.items():
        try:
            found = measure("latency", near, operation=operation)["cycles"]
        except Unsupported:
            continue
        # an operation of several instructions gives its result no sooner than its unit has taken them all
        declared = sum(max(cost.latency_cycles, cost.issues * architecture.interval_cycles(cost)) for cost in costs(architecture, step))
        tried += 1
        if found != declared / (step.operations if step.alike else 1):
            wrong[operation] = found, declared
    assert not wrong
    assert tried > 30


def declared_rate(architecture, step):
    """Results per cycle that units and issue slots allow."""
    units, slots = {}, 0.0
    for cost in costs(architecture, step):
        unit, schedulers = architecture.unit(cost.unit), architecture.schedulers
        copies = unit.copies * (schedulers.count if unit.scope == "scheduler" else 1)
        units[unit.name] = units.get(unit.name, 0) + cost.issues * architecture.interval_cycles(cost) / copies
        slots += cost.issues * schedulers.issue_interval_cycles / schedulers.count
    lanes = architecture.warp.size * step.operations
    return lanes / max(units.values()), lanes / slots


@pytest.mark.parametrize("operation", TYPICAL)
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_independent_chains_reach_the_declared_rate(name, operation):
    architecture = archdef.architecture(name)
    found = value(name, "throughput", operation=operation)
    by_units, by_slots = declared_rate(architecture, STEPS[operation])
    if architecture.schedulers.issue_width == 1:
        assert found == pytest.approx(min(by_units, by_slots), rel=0.01)
    else:  # how often two go together depends on the warps
        assert min(by_units, by_slots) * 0.99 <= found <= min(by_units, by_slots * architecture.schedulers.issue_width) * 1.01


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_one_warp_with_one_chain_shows_the_latency_as_a_rate(name):
    latency = value(name, "latency", operation="fma_f32")
    assert value(name, "latency_hiding", chains=1, warps=1) == pytest.approx(archdef.architecture(name).warp.size / latency)


# --------------------------------------------------------------------------------------------------------------- chases
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_chase_in_a_footprint_below_l1_takes_its_hit_latency(name):
    l1 = archdef.architecture(name).caches.l1
    if l1 is None or not l1.enabled:
        pytest.skip(f"{name} has no L1 that loads use")
    assert value(name, "global_latency", footprint_bytes=4096, operator="ca") == declared_latency_cycles(archdef.architecture(name), "l1")


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_chase_past_l1_takes_the_hit_latency_of_l2(name):
    architecture = archdef.architecture(name)
    if architecture.caches.l2 is None:
        pytest.skip(f"{name} has no L2")
    sector = architecture.coalescing.load_uncached.largest_bytes
    declared = declared_latency_cycles(architecture, "l2", sector_bytes=sector)
    assert value(name, "global_latency", footprint_bytes=64 * 1024, operator="cg") == pytest.approx(declared, abs=1.5)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_longer_footprints_never_take_less(name):
    curve = [value(name, "global_latency", footprint_bytes=k * 1024) for k in (4, 64, 512)]
    assert all(later >= sooner * 0.999 for sooner, later in itertools.pairwise(curve))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_chase_through_cached_constants_takes_the_declared_latency(name):
    architecture = archdef.architecture(name)
    own, cache = architecture.isa.operations["load_constant"].latency_cycles, architecture.caches.constant
    assert value(name, "constant_latency", footprint_bytes=256) == own + cache.latency_cycles


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_constants_that_the_first_cache_cannot_hold_come_from_the_next_one_declared(name):
    architecture = archdef.architecture(name)
    own, levels = architecture.isa.operations["load_constant"].latency_cycles, [
        level for level in (getattr(architecture.caches, f"constant{suffix}") for suffix in ("", "_l2", "_l3")) if level is not None]
    if len(levels) < 2:
        pytest.skip("one cache of constants")
    for nearer, level in itertools.pairwise(levels):
        if 2 * nearer.size_bytes <= level.size_bytes:
            assert value(name, "constant_latency", footprint_bytes=2 * nearer.size_bytes) == own + level.latency_cycles


# -------------------------------------------------------------------------------------------------------- shared memory
@pytest.mark.parametrize("word_bytes", [4, 8, 16])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_conflict_costs_what_the_rule_of_the_banks_says(name, word_bytes):
    architecture = archdef.architecture(name)
    shared, lanes = architecture.shared, np.arange(architecture.warp.size)
    further = shared.pass_cycles if shared.pass_latency_cycles is None else shared.pass_latency_cycles
    one = architecture.isa.operations["load_shared"]
    for stride in (0, 1, 2, 3, 8, 33):
        if (architecture.warp.size * stride + 1) * word_bytes > shared_bytes(architecture):
            continue
        passes, stored = (shared.passes(lanes * stride * word_bytes, word_bytes, load=load) for load in (True, False))
        found = value(name, "shared_latency", stride_words=stride, word_bytes=word_bytes)
        groups = shared.groups(lanes * stride * word_bytes, word_bytes)
        assert found == one.latency_cycles + shared.latency_cycles + (passes - 1) * further + (groups - 1) * getattr(shared.wide_access, "group_latency_cycles", 0), stride
        rate = value(name, "shared_throughput", kind="store", stride_words=stride, word_bytes=word_bytes)
        assert rate == pytest.approx(max(stored * shared.pass_cycles, architecture.interval_cycles("store_shared")), rel=0.02), stride


def shared_bytes(architecture):
    """What a block has left beside the kernel's parameters."""
    return architecture.limits.shared_bytes_per_block - architecture.limits.parameter_bytes


# ------------------------------------------------------------------------------------------------------------ bandwidth
@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_bandwidth_comes_near_the_declared_peak_and_never_above(name, kind):
    architecture = archdef.architecture(name)
    if kind == "write" and architecture.l2_bytes > 8 << 20:
        pytest.skip("writing more than this L2 holds takes too long here")
    found = value(name, "dram_bandwidth", kind=kind)
    more = 1.01 if kind == "read" else 1.03      # the two launches whose difference this is leave not quite as much in the L2
    assert 0.4 * architecture.dram_bandwidth_gb_s < found <= more * architecture.dram_bandwidth_gb_s


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_more_warps_and_more_loads_under_way_never_give_less_bandwidth(name):
    by_warps = [value(name, "dram_bandwidth", word_bytes=4, warps=warps) for warps in (1, 4, 16)]
    assert by_warps == sorted(by_warps)
    assert value(name, "dram_bandwidth", word_bytes=4, warps=1, loads=4) > by_warps[0]


@pytest.mark.parametrize("kind", ["fill", "scale", "add"])
@pytest.mark.parametrize("name", [name for name in ARCHITECTURES if archdef.architecture(name).chip.multiprocessors <= 32])
def test_streams_of_one_two_and_three_arrays_count_all_their_bytes(name, kind):
    """Those that write are bound by memory where a machine is full of warps, so none is a half or a third of another."""
    architecture = archdef.architecture(name)
    found = value(name, "element_stream", kind=kind)
    assert 0.4 * architecture.dram_bandwidth_gb_s < found <= 1.06 * architecture.dram_bandwidth_gb_s


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_rounds_of_what_fits_l1_are_no_faster_than_l1_and_faster_than_rounds_of_what_does_not(name):
    architecture = archdef.architecture(name)
    l1 = architecture.caches.l1
    if l1 is None or not l1.enabled or not architecture.caches.l1_global_loads:
        pytest.skip(f"loads of {name} do not stay in L1")
    near, far = value(name, "round_bandwidth", footprint_bytes=8192), value(name, "round_bandwidth", footprint_bytes=1 << 19)
    most = value(name, "l1_throughput") * architecture.chip.multiprocessors * architecture.clocks.shader_mhz / 1000
    assert far < near <= 1.01 * most


# ------------------------------------------------------------------------------------------------------------ residency
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_as_many_blocks_are_resident_as_the_occupancy_rule_says(name):
    architecture = archdef.architecture(name)
    for warps, shared in ((1, 0), (4, 0), (1, 4096)):
        threads = warps * architecture.warp.size
        found = value(name, "residency", threads=threads, shared_bytes=shared)
        launch = architecture.limits.shared_parameters
        beside = 0 if launch is None else launch.launch_bytes + 2 * 8  # two pointers
        rule = archdef.occupancy(architecture, threads=threads, registers=8, shared_bytes=shared + beside)
        assert found == rule.active_blocks, (warps, shared)


# ------------------------------------------------------------------------------------------------------------- launches
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_one_more_kernel_in_a_row_takes_what_the_first_took_at_most_and_copies_no_faster_than_it_can_start(name):
    alone, more = (value(name, benchmark, blocks=4, threads=64) for benchmark in ("launch", "launch_series"))
    assert 0 < more <= 1.001 * alone
    copied = value(name, "small_kernels", elements=256, threads=64)
    assert copied < 2 * 8 * 256 / (more * 1000)


# --------------------------------------------------------------------------------------------------------------- always
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_same_point_gives_the_same_number(name):
    for benchmark, parameters in (("global_latency", {"footprint_bytes": 16384}), ("throughput", {"operation": "add_s32", "warps": 3})):
        assert measure(benchmark, name, **parameters) == measure(benchmark, name, **parameters)
