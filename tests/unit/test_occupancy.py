"""How many blocks a multiprocessor holds: the vendors' figures, and the smallest change that makes it more."""
import tomllib
from pathlib import Path

import pytest
from archdef import registry
from archdef.errors import LaunchError, UnknownArchitecture
from archdef.occupancy import Change, blocks_allowed, occupancy, occupancy_of
from archdef.spec import KiB, Limits, RegisterAllocationRules, RegisterFilePartitions
from hypothesis import assume, given
from hypothesis import strategies as st

DATA = Path(__file__).parents[1] / "data"
CASES = tomllib.loads((DATA / "occupancy_cases.toml").read_text())["occupancy_case"]
TABLES = tomllib.loads((DATA / "limits.toml").read_text())["cc"]
INSTALLED = list(registry.all().values())


def limits_of(capability: str) -> tuple[Limits, int]:
    """The limits of a compute capability out of the copied tables, and its warp size."""
    t = {key: value for kind in ("recalled", "assumed", "derived", "seen") for key,
         value in TABLES[capability].get(kind, {}).items()}
    rest = dict(block_dimensions=(1024, 1024, 64), grid_dimensions=(65535, 65535, 65535), kernel_instructions=1,
                local_bytes_per_thread=0, parameter_bytes=1, constant_bytes=1)
    if capability == "mx.c500":
        return Limits(
            threads_per_block=t["max_threads_per_block"], threads_per_multiprocessor=t["max_threads_per_ap"],
            warps_per_multiprocessor=t["max_waves_per_ap"], blocks_per_multiprocessor=t["max_blocks_per_ap"],
            registers_per_multiprocessor=t["registers_per_ap"], registers_per_block=t["registers_per_block"],
            registers_per_thread=t["max_regs_per_thread"], register_allocation_unit=t["register_alloc_unit"],
            register_allocation_scope="warp", register_file_partitions=RegisterFilePartitions(
                count=t["peus_per_ap"], warps_per_partition=t["max_waves_per_peu"]),
            shared_bytes_per_multiprocessor=t["shared_bytes_per_ap"],
            shared_bytes_per_block=t["max_shared_per_block"], shared_allocation_unit_bytes=t["shared_alloc_unit"],
            **rest), t["wave_size"]
    exceptions = t.get("register_alloc_unit_exceptions")
    return Limits(
        threads_per_block=t["max_threads_per_block"], threads_per_multiprocessor=t["max_threads_per_sm"],
        warps_per_multiprocessor=t["max_warps_per_sm"], blocks_per_multiprocessor=t["max_blocks_per_sm"],
        registers_per_multiprocessor=t["registers_per_sm"], registers_per_thread=t["max_regs_per_thread"],
        registers_per_block=t.get("registers_per_block_max", t["registers_per_sm"]),
        register_allocation_unit=t["register_alloc_unit"], register_allocation_scope=t["register_alloc_granularity"],
        register_allocation_rules=RegisterAllocationRules(
            unit_exceptions=((tuple(exceptions["regs_per_thread"]), exceptions["unit"]), )) if exceptions else None,
        warp_allocation_granularity=t["warp_alloc_granularity"],
        shared_bytes_per_multiprocessor=t["shared_bytes_per_sm"],
        shared_bytes_per_block=t["shared_bytes_per_sm"], shared_allocation_unit_bytes=t["shared_alloc_unit"],
        shared_reserved_bytes_per_block=t.get("shared_reserved_per_block", 0), **rest), t["warp_size"]


ALL_LIMITS = {capability: limits_of(capability) for capability in TABLES}
machines = st.sampled_from(sorted(ALL_LIMITS)).map(ALL_LIMITS.get)
loads = st.fixed_dictionaries({"threads": st.integers(1, 1024), "registers": st.integers(1, 255),
                               "shared_bytes": st.integers(0, 100_000)})


def of(machine, load):
    try:
        return occupancy_of(*machine, **load)
    except LaunchError:
        assume(False)


@pytest.mark.parametrize("case", CASES, ids=lambda c: "-".join(str(v) for v in list(c.values())[:5]))
def test_the_published_cases_are_reproduced(case):
    result = occupancy_of(*ALL_LIMITS[case["compute_capability"]], threads=case["threads_per_block"],
                          registers=case["regs_per_thread"], shared_bytes=case["shared_bytes_per_block"])
    assert (result.active_blocks, result.active_warps) == (case["active_blocks"], case["active_warps"])
    assert round(result.occupancy, 4) == case["occupancy"]
    assert min(result.limits["warps"], result.limits["blocks"]) == case["limit_warps_blocks"]
    assert (result.limits["registers"], result.limits["shared"]) == (case["limit_registers"], case["limit_shared"])
    names = {"warps": "warps_or_blocks", "blocks": "warps_or_blocks", "registers": "registers", "shared": "shared_memory"}
    assert "+".join(dict.fromkeys(names[key] for key in result.limiter)) == case["limiter"]


def test_all_cases_are_there():
    assert len(CASES) == 32


@pytest.mark.parametrize("arch", INSTALLED, ids=lambda a: a.name)
def test_installed_machines_agree_with_the_tables_of_their_capability(arch):
    tabled, warp_size = ALL_LIMITS[arch.compute_capability]
    assert arch.warp.size == warp_size
    for name in ("threads_per_multiprocessor warps_per_multiprocessor blocks_per_multiprocessor registers_per_multiprocessor "
                 "registers_per_block registers_per_thread register_allocation_unit register_allocation_scope "
                 "register_file_partitions warp_allocation_granularity threads_per_block "
                 "shared_bytes_per_multiprocessor shared_allocation_unit_bytes shared_reserved_bytes_per_block").split():
        assert getattr(arch.limits, name) == getattr(tabled, name), name
    exceptions = [() if limits.register_allocation_rules is None else limits.register_allocation_rules.unit_exceptions for limits in (arch.limits, tabled)]
    assert exceptions[0] == exceptions[1]


@pytest.mark.parametrize("capability, blocks, warps, registers", [("1.0", 2, 3, 2), ("1.1", 2, 3, 2), ("1.2", 4, 4, 4),
                                                                  ("1.3", 4, 4, 4)])
def test_the_textbook_example_of_early_machines(capability, blocks, warps, registers):
    result = occupancy_of(*ALL_LIMITS[capability], threads=256, registers=16, shared_bytes=3 * KiB)
    assert result.active_blocks == blocks
    assert result.limits == {"warps": warps, "blocks": 8, "registers": registers, "shared": 5}


def test_two_hundred_threads_make_four_waves_of_sixty_four():
    assert occupancy("c500", threads=200, registers=16).warps_per_block == 4
    assert occupancy("gt200", threads=80, registers=16).warps_per_block == 3


# ------------------------------------------------------------------------------------------------------------ properties
@given(machines, loads)
def test_residents_fit_and_one_more_block_does_not(machine, load):
    result = of(machine, load)
    assert result.active_blocks == min(result.limits.values()) >= 1 and 0 < result.occupancy <= 1
    assert result.limiter and all(result.limits[key] == result.active_blocks for key in result.limiter)


@given(machines, loads, st.sampled_from(["registers", "shared_bytes"]))
def test_asking_for_less_never_lowers_occupancy(machine, load, resource):
    result = of(machine, load)
    less = dict(load, **{resource: load[resource] * 2 // 3})
    assume(less["registers"] >= 1)
    assert occupancy_of(*machine, **less).active_blocks >= result.active_blocks


@given(machines, loads)
def test_a_suggestion_keeps_its_promise(machine, load):
    result = of(machine, load)
    if (suggestion := result.suggestion) is not None:
        changed = occupancy_of(*machine, **load | {c.resource: c.value for c in suggestion.changes})
        assert (changed.active_blocks, changed.active_warps) == (suggestion.active_blocks, suggestion.active_warps)
        assert changed.active_warps > result.active_warps
        assert all(load[c.resource] + c.change == c.value for c in suggestion.changes)


@given(machines, loads)
def test_no_smaller_change_of_the_same_resource_helps(machine, load):
    result = of(machine, load)
    if result.suggestion is not None and len(result.suggestion.changes) == 1:
        change, = result.suggestion.changes
        if change.resource in ("registers", "shared_bytes") and change.value + 1 < load[change.resource]:
            nearly = occupancy_of(*machine, **load | {change.resource: change.value + 1})
            assert nearly.active_warps <= result.active_warps


# ----------------------------------------------------------------------------------------------------------- suggestions
def test_one_register_too_many_is_found():
    result = occupancy("gf100", threads=512, registers=21)
    assert result.limiter == ("registers",) and result.active_blocks == 2
    assert result.suggestion.changes == (Change("registers", 20, -1),)
    assert str(result.suggestion) == "20 registers per thread (−1) give 3 blocks and 48 warps"


def test_shared_memory_that_just_does_not_fit_is_found():
    result = occupancy("gt200", threads=64, registers=8, shared_bytes=8193)
    assert result.limiter == ("shared",) and result.suggestion.changes == (Change("shared_bytes", 8192, -1),)


def test_two_resources_that_bind_together_are_both_named():
    result = occupancy("gt200", threads=512, registers=17, shared_bytes=8193)
    assert result.limiter == ("registers", "shared")
    assert result.suggestion.changes == (Change("registers", 16, -1), Change("shared_bytes", 8192, -1))


def test_blocks_too_small_to_fill_the_machine_should_grow():
    assert occupancy("gf100", threads=96, registers=20).suggestion.changes == (Change("threads", 128, 32),)


def test_a_full_machine_needs_no_suggestion():
    assert occupancy("gt200", threads=256, registers=16).suggestion is None


# ---------------------------------------------------------------------------------------------------------------- errors
@pytest.mark.parametrize("load, message", [
    (dict(threads=513, registers=1), "gt200: limits.threads_per_block is 512, the launch needs 513"),
    (dict(threads=32, registers=125), "gt200: limits.registers_per_thread is 124, the launch needs 125"),
    (dict(threads=32, registers=1, shared_bytes=16385), "gt200: limits.shared_bytes_per_block is 16384, the launch needs 16385"),
    (dict(threads=512, registers=33), "gt200: limits.registers_per_block is 16384, the launch needs 16896"),
    (dict(threads=0, registers=1), "threads of a block must be a whole number of at least 1, got 0")])
def test_a_block_that_cannot_run_is_refused_with_the_limit(load, message):
    with pytest.raises(LaunchError, match=message):
        occupancy("gt200", **load)


def test_a_block_of_more_warps_than_fit_is_refused():
    narrow = registry.get("gt200").evolve({"warp.size": 4})
    with pytest.raises(LaunchError, match="limits.warps_per_multiprocessor is 32 .* needs 64 warps"):
        occupancy(narrow, threads=256, registers=4)


def test_an_unknown_machine_is_refused_with_the_nearest():
    with pytest.raises(UnknownArchitecture, match=r"no architecture is called 'gt2000' \(did you mean gt200\?\)"):
        occupancy("gt2000", threads=32, registers=4)


def test_a_launch_gets_no_fewer_registers_than_the_machine_allocates():
    machine = registry.get("h100")
    allowed = [occupancy(machine, threads=32, registers=registers).limits["registers"] for registers in (1, 16, 24)]
    assert machine.limits.register_allocation_rules.minimum_per_thread == 16 and allowed[0] == allowed[1] == 128 > allowed[2]


# -------------------------------------------------------------------------------------------------------------- printing
def test_it_prints_what_one_block_uses_and_what_limits():
    shown = str(occupancy("g80", threads=256, registers=16, shared_bytes=3072))
    assert shown.startswith("g80: 2 blocks of 256 threads, 16 of 24 warps per SM (66.7%)")
    registers = next(line for line in shown.splitlines() if "registers" in line)
    assert "16 per thread" in registers and "2" in registers and "limits" in registers
    assert shown.endswith("to hold more: 10 registers per thread (−6) give 3 blocks and 24 warps")


def test_it_prints_in_the_vendors_words():
    shown = str(occupancy("c500", threads=256, registers=142))
    assert "12 of 32 waves per AP" in shown and "WSM" in shown


def test_shared_memory_is_not_blamed_where_none_is_used():
    line = next(line for line in str(occupancy("gf100", threads=96, registers=20)).splitlines() if "shared memory" in line)
    assert "limits" not in line


def test_the_bare_formula_gives_zero_where_a_block_is_too_much():
    limits, warp_size = ALL_LIMITS["1.0"]
    assert blocks_allowed(limits, warp_size, threads=512, registers=124, shared_bytes=0)["registers"] == 0
