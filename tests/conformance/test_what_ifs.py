"""Do correct machines pass? Checks that measure choose their kernels by the description, so that no number of it makes them count something else."""
import pytest

from archdef import registry
from archdef.testing.checks import CHECKS, Subject

BY_NAME = {check.name: check for check in CHECKS}
WHAT_IFS = [
    ("v100", {"dram.partitions": 16, "dram.extra_latency_ns": 40}),             # its chain came back to rows that were open
    ("v100", {"dram.partitions": 7, "dram.partition_map": "interleaved"}),
    ("a100", {"dram.partitions": 16, "dram.partition_map": "interleaved", "dram.extra_latency_ns": 0}),    # half of them are on the far side
    ("h100", {"dram.partitions": 2, "dram.extra_latency_ns": 0}),               # refreshes fell into step with the loads
    ("g80", {"dram.partitions": 64, "dram.extra_latency_ns": 0}),               # whole half-warps bring 128 bytes
    ("gf100", {"dram.banks": 1}), ("gf100", {"dram.row_bytes": 512}), ("k40", {"dram.partitions": 1}), ("k40", {"dram.ecc_overhead_ratio": 1.2}),
    ("c500", {"dram.scheduling.page_policy": "close_adaptive", "dram.banks": 2})]


@pytest.mark.parametrize("name, changes", WHAT_IFS, ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_loads_take_the_declared_way_on_every_correct_machine(name, changes):
    if name not in registry.names():
        pytest.skip(f"needs {name}")
    check, subject = BY_NAME["loads_take_the_declared_way"], Subject(registry.get(name).evolve(changes))
    for case in check.cases_of(subject):
        check(subject, case)


@pytest.mark.parametrize("name, changes, case", [
    ("gf100", {"schedulers.policy": "oldest"}, "fp32_add"), ("k40", {"schedulers.policy": "oldest"}, "fp32_add"),
    ("k40", {"schedulers.issue_interval_cycles": 4}, "int_logic"), ("h100", {"warp.size": 16}, "fp64_add")])
def test_warps_reach_the_declared_rate_on_every_correct_machine(name, changes, case):
    if name not in registry.names():
        pytest.skip(f"needs {name}")
    BY_NAME["warps_reach_the_declared_rate"](Subject(registry.get(name).evolve(changes)), case)
