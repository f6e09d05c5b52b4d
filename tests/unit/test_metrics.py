"""Metrics are functions of counters and description; here the counters are made by hand."""
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from archdef.engine.records import MULTIPROCESSOR_DTYPE, PARTITION_DTYPE
from archdef.metrics import BUILT_IN, LANE_STATES, STALLS, Counters, Measurement, Metrics, UnknownMetric
from archdef.metrics.stalls import cpi_stack

PXD = Path(__file__).parents[2] / "ext" / "archdef" / "engine" / "counters.pxd"
FIELDS = re.findall(r"int64_t (\w+)", PXD.read_text())
GROUPS = {"stall_cycles": (len(STALLS),), "lane_cycles": (4,), "lane_slots": (4,)}
STATEMENT = np.dtype([(name, "i8", GROUPS.get(name, ())) for name in FIELDS])
SM, PARTITION = MULTIPROCESSOR_DTYPE, PARTITION_DTYPE


def table(dtype, *rows):
    """Make a structured array; what is left out is zero."""
    array = np.zeros(len(rows), dtype)
    for row, values in zip(array, rows, strict=True):
        for name, value in values.items():
            row[name] = value
    return array


def counters(*statements, sm=({"active_cycles": 100},), partition=({},), cycles=200, elapsed_fs=10**9, warps=4,
             lanes=128, threads=100, in_use=2.0):
    """Make the result of a launch."""
    return Counters.of({"cycles": cycles, "elapsed_fs": elapsed_fs, "statements": table(STATEMENT, *statements),
                        "multiprocessor": table(SM, *sm), "partition": table(PARTITION, *partition), "warps": warps,
                        "lanes_launched": lanes, "threads": threads, "max_resident_blocks": 1, "partitions_in_use": in_use,
                        "issued": np.zeros(0, np.int64), "launches": 2})


def metrics(*statements, warp_size=32, **more):
    """Give the metrics of hand-made counters."""
    architecture = SimpleNamespace(warp=SimpleNamespace(size=warp_size),
                                   limits=SimpleNamespace(warps_per_multiprocessor=32),
                                   schedulers=SimpleNamespace(count=2))
    return Metrics(Measurement(counters(*statements, **more), architecture, SimpleNamespace(occupancy=0.5)))


@pytest.mark.parametrize("name, statement, value", [
    ("branch_efficiency", {"branches": 12, "divergent_branches": 2}, 83.333),
    ("branch_efficiency", {}, 100),
    ("gld_efficiency", {"global_load_bytes_asked": 128, "global_load_bytes_moved": 1024}, 12.5),
    ("gld_efficiency", {}, None),
    ("gst_efficiency", {"global_store_bytes_asked": 64, "global_store_bytes_moved": 64}, 100),
    ("gld_transactions_per_request", {"global_loads": 2, "global_load_transactions": 32}, 16),
    ("gst_transactions_per_request", {"global_stores": 4, "global_store_transactions": 8}, 2),
    ("gld_throughput", {"global_load_bytes_moved": 3000}, 3),
    ("gld_requested_throughput", {"global_load_bytes_asked": 1500}, 1.5),
    ("shared_load_transactions_per_request", {"shared_loads": 2, "shared_load_passes": 64}, 32),
    ("shared_bank_conflicts", {"shared_load_passes": 64, "shared_load_groups": 4, "shared_store_passes": 3,
                               "shared_store_groups": 2}, 61),
    ("shared_efficiency", {"shared_load_passes": 64, "shared_load_groups": 4}, 6.25),
    ("shared_replay_overhead", {"instructions": 10, "shared_store_passes": 8, "shared_store_groups": 4}, 0.4),
    ("global_replay_overhead", {"instructions": 10, "global_load_transactions": 32, "global_load_bytes_asked": 128,
                                "global_load_bytes_moved": 4096, "global_store_transactions": 4, "global_store_bytes_asked": 128,
                                "global_store_bytes_moved": 128}, 3.1),
    ("global_replay_overhead", {"instructions": 10, "global_load_transactions": 1, "global_load_bytes_asked": 128,
                                "global_load_bytes_moved": 32}, 0),
    ("atomic_replay_overhead", {"instructions": 10, "atomics": 2, "atomic_transactions": 8}, 0.6),
    ("constant_replay_overhead", {"instructions": 10, "constant_loads": 2, "constant_passes": 4}, 0.2),
    ("inst_replay_overhead", {"instructions": 10, "atomics": 2, "atomic_transactions": 8, "constant_loads": 2, "constant_passes": 4,
                              "shared_load_passes": 5, "shared_load_groups": 4}, 0.9),
    ("inst_replay_overhead", {}, None),
    ("gld_request", {"global_loads": 5}, 5), ("gst_request", {"global_stores": 6}, 6),
    ("shared_load", {"shared_loads": 7}, 7), ("shared_store", {"shared_stores": 8}, 8),
    ("global_atomic_requests", {"atomics": 3}, 3), ("atomic_transactions", {"atomic_transactions": 9}, 9),
    ("warps_launched", {}, 4), ("threads_launched", {}, 100), ("active_cycles", {}, 100),
    ("inst_per_warp", {"instructions": 10}, 2.5),
    ("ipc", {"instructions": 10}, 0.1),
    ("warp_execution_efficiency", {"instructions": 2, "thread_instructions": 40, "predicated_off": 8}, 75),
    ("warp_nonpred_execution_efficiency", {"instructions": 2, "thread_instructions": 40, "predicated_off": 8}, 62.5),
    ("lane_utilization", {}, 78.125),
    ("l1_hit_rate", {"l1_hits": 3, "l1_misses": 1}, 75),
    ("theoretical_occupancy", {}, 0.5),
    ("stall_sync", {"stall_cycles": [90, 0, 20, 0, 0, 60, 0, 0, 0, 20, 0, 0, 0]}, 60),
    ("eligible_warps_per_cycle", {"stall_cycles": [30, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0]}, 0.5)])
def test_a_metric_follows_from_counters(name, statement, value):
    assert metrics(statement)[name] == (value if value is None else pytest.approx(value, rel=1e-4))


@pytest.mark.parametrize("name, value", [
    ("active_cycles", 150), ("active_warps", 400), ("sm_cta_launched", 7),
    ("achieved_occupancy", 400 / 150 / 32), ("sm_efficiency", 37.5), ("issue_slot_utilization", 10)])
def test_multiprocessor_metrics_are_sums_or_averages_over_the_chip(name, value):
    sm = ({"blocks": 5, "active_cycles": 100, "warp_cycles": 300, "issue_cycles": 20},
          {"blocks": 2, "active_cycles": 50, "warp_cycles": 100, "issue_cycles": 10})
    assert metrics({}, sm=sm)[name] == pytest.approx(value)


@pytest.mark.parametrize("name, value", [
    ("dram_read_throughput", 0.3), ("dram_write_throughput", 0.1), ("dram_read_transactions", 12),
    ("dram_utilization", 40),
    ("dram_row_hit_rate", 75), ("partition_busiest", 75), ("partition_idlest", 25), ("l2_hit_rate", 50)])
def test_partition_metrics(name, value):
    partition = ({"bytes_read": 200, "bytes_written": 100, "reads": 10, "busy_fs": 6 * 10**8, "row_hits": 3,
                  "row_misses": 1, "l2_hits": 1},
                 {"bytes_read": 100, "reads": 2, "busy_fs": 2 * 10**8, "l2_misses": 1})
    assert metrics({}, partition=partition)[name] == pytest.approx(value)


def test_the_cpi_stack_is_every_warp_cycle_over_the_instructions():
    made = counters({"instructions": 10, "stall_cycles": range(len(STALLS))}, {"instructions": 5, "stall_cycles": range(len(STALLS))})
    stack = cpi_stack(made)
    assert tuple(stack) == STALLS
    assert sum(stack.values()) == pytest.approx(len(STALLS) * (len(STALLS) - 1) / 15)


def test_stall_shares_sum_to_a_hundred():
    m = metrics({"stall_cycles": range(3, 3 + len(STALLS))})
    assert sum(value for name, value in m.items() if name.startswith("stall_")) == pytest.approx(100)


@pytest.mark.parametrize("kind, whole", [("lane_cycles", "stall_cycles"), ("lane_slots", "instructions")])
def test_lanes_that_the_engine_counts_nowhere_are_coherent_and_those_that_ended_are_nothing(kind, whole):
    m = metrics({whole: [10] + [0] * (len(STALLS) - 1) if whole == "stall_cycles" else 10, kind: [30, 20, 50, 100]}, warps=4, lanes=128)
    assert [m[f"{kind}_{state}"] for state in LANE_STATES] == [120, 30, 20, 50]
    assert [m[f"{kind}_{state}_pct"] for state in LANE_STATES] == pytest.approx([100 * n / 220 for n in (120, 30, 20, 50)])
    assert metrics({}, warps=0, lanes=0)[f"{kind}_coherent_pct"] is None


def test_the_stall_names_follow_the_engines_order():
    engine = re.findall(r"^    ST_(\w+) = \d+", PXD.read_text(), re.MULTILINE)
    assert tuple(name.lower() for name in engine) == STALLS


def test_a_launch_that_did_nothing_has_metrics_without_meaning_but_no_errors():
    m = metrics({}, sm=({},), cycles=0, elapsed_fs=0, warps=0, lanes=0, threads=0)
    assert m["ipc"] is None and m["dram_utilization"] is None and m["inst_executed"] == 0
    assert len(dict(m)) == len(BUILT_IN)


def test_aliases_give_the_same_value():
    m = metrics({"instructions": 7})
    assert m["smsp__inst_executed.sum"] == m["inst_executed"] == 7
    assert "smsp__inst_executed.sum" in m and "smsp__inst_executed.sum" not in list(m)


def test_an_unknown_metric_gets_the_nearest_name():
    with pytest.raises(UnknownMetric, match=r"unknown metric 'branch_eficiency' \(did you mean branch_efficiency\?\)"):
        metrics({})["branch_eficiency"]


def test_every_name_and_alias_is_used_once_and_every_metric_is_documented():
    names = [name for m in BUILT_IN for name in (m.name, *m.aliases)]
    assert len(names) == len(set(names))
    assert all(m.about.endswith(".") and m.formula and m.unit for m in BUILT_IN)


def test_a_part_of_the_statements_has_its_own_sums():
    made = counters({"branches": 1}, {"branches": 2}, {"branches": 4})
    assert made.branches == 7 and made.only([0, 2]).branches == 5


def test_an_unknown_counter_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no counter 'branchez'"):
        _ = counters({}).branchez
