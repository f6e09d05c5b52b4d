"""The upper bound: everything that takes time, one after the other.

As long as a launch is not over, something of it is on its way: an op in its unit, a result, a request, a DRAM command, a block that is
being launched. What waits, waits for one of these. So the launch cannot take longer than all of them in a row.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from archdef.bounds.bound import LINKS, Bound
from archdef.lower.encoding import Kind
from archdef.parameters import number_of
from archdef.spec import Cache

if TYPE_CHECKING:
    from archdef.metrics import Counters
    from archdef.run.result import Run

_UNBOUNDED = (Kind.SYSTEM, Kind.BULK, Kind.COPY, Kind.PHASE)
"""Kinds of micro-ops whose time is not counted here: system calls may sleep, copies go on by themselves."""


def serial(run: Run, machine: dict[str, Any]) -> Bound | None:
    """Give the bound of one launch on a machine (the engine's table); None if there is none."""
    ops, issued, counters = run.program.ops, run.counters.issued, run.counters
    if run.launches or counters.launches != 1 or np.isin(ops["kind"], _UNBOUNDED).any():
        return None
    interval = ops["issues"].astype(np.int64) * machine["schedulers"]["issue_interval_cycles"]
    caches = sum(machine["caches"][name]["latency_cycles"] for name in ("l1", "constant", "constant_l2", "constant_l3", "texture_l1"))
    held = ops["interval"].astype(np.int64) + (ops["fraction"] > 0)
    alone = np.maximum(interval, machine["schedulers"]["instruction_gap_cycles"]) + held + ops["latency"] + machine["shared"]["latency_cycles"] + caches
    alone += np.where(ops["guard"] > 0, machine["isa"]["branch_costs"]["guard_latency_cycles"], 0)
    alone += np.where(ops["kind"] == Kind.MATCH, machine["warp"]["size"] * (machine["isa"]["serial_match"]["value_cycles"] + held), 0)     # a value a lane
    alone += ops["retry_cycles"].astype(np.int64) * machine["warp"]["size"]      # tries of a loop
    arithmetic = int((issued * alone).sum())
    passes = counters.shared_load_passes + counters.shared_store_passes + counters.shared_atomic_passes
    shared = passes * (machine["shared"]["pass_cycles"] + machine["shared"]["pass_latency_cycles"] + machine["shared"]["group_latency_cycles"])
    constant = counters.constant_passes * 2 * (
        int(ops["interval"].max(initial=1)) + sum(machine["caches"]["uniform_fill"].values()))
    memory = _requests(counters, machine) / machine["clocks"]["shader_period_fs"]
    sent = int(counters.partition["requests"].sum()) * machine["load_store"]["transaction_cycles"]
    pieces = (counters.global_load_transactions + counters.global_store_transactions + counters.local_load_transactions
              + counters.local_store_transactions + counters.atomic_transactions + counters.texture_transactions
              + counters.surface_store_transactions)
    sent += pieces * machine["load_store"]["replay_cycles"]
    waited = sum(int(rows["wait_fs"].sum()) for rows in counters.components.values() if "wait_fs" in (rows.dtype.names or ()))
    memory += waited / machine["clocks"]["shader_period_fs"]
    chip, start = machine["chip"], machine["chip"]["block_launch"]
    each = (chip["block_launch_64ths"] + start["setup_64ths"] + start["end_64ths"]) // 64 + chip["block_turnover_cycles"] + 2
    each += (start["warp_64ths"] + start["chip_warp_64ths"]) * machine["limits"]["warps_per_multiprocessor"] // 64
    blocks = int(counters.multiprocessor["blocks"].sum())
    blocks = blocks * each + min(blocks, machine["chip"]["multiprocessors"] * counters.launches) * start["first_cycles"]
    return Bound("serial", arithmetic + shared + constant + memory + sent + blocks + _fetches(ops, issued, machine),
                 "every op, pass, request, DRAM command and block launch on its own, one after the other")


def _fetches(ops: np.ndarray, issued: np.ndarray, m: dict[str, Any]) -> int:
    """Cycles of fetching instructions: what fits the first cache is fetched once by each of its owners, of anything else every line anew."""
    caches, schedulers = m["caches"], m["schedulers"]["count"]
    first = caches["instruction"]
    if first["sets"] == 0:
        return 0
    line: int = first["line_bytes"]
    ends = np.cumsum(ops["issues"].astype(np.int64)) * m["isa"]["instruction_bytes"]
    lines = int(-(-ends[-1] // line)) + 1
    wait: int = caches["instruction_memory_cycles"] + sum(caches[name]["latency_cycles"] for name in ("instruction", "instruction_l2", "instruction_l3"))
    if lines <= first["sets"] * first["ways"]:
        owners: int = m["chip"]["multiprocessors"] * (schedulers if first["scope"] == number_of(Cache, "scope", "scheduler") else 1)
        return lines * wait * owners
    asked = ends // line - (ends - ops["issues"] * m["isa"]["instruction_bytes"]) // line + 1
    return int((issued * asked).sum()) * wait


def _requests(counters: Counters, m: dict[str, Any]) -> float:
    """Femtoseconds of all requests and DRAM transactions, each alone in the memory system."""
    partition, core, links, dram, caches = counters.partition, m["clocks"]["core_period_fs"], m["interconnect"], m["dram"], m["caches"]
    parts, clusters = links["l2_partitions"], links["cluster_ports"]
    largest = links["header_bytes"] + links["mask_bytes"] + max(caches["l2"]["line_bytes"], dram["interleave_bytes"], 128)
    ports = sum(-(-largest // width) + 1 for width in (
        links["injection_bytes_per_cycle"], links["partition_request_bytes_per_cycle"], links["partition_response_bytes_per_cycle"],
        clusters["request_bytes_per_cycle"] or largest, clusters["response_bytes_per_cycle"] or largest))
    ports += 1 - (-largest * parts["links"] // (parts["link_bytes_per_cycle"] or largest))
    way = (links["request_latency_fs"] + links["response_latency_fs"] + parts["far_latency_fs"] + dram["extra_latency_fs"]
           + (ports + caches["l2"]["latency_cycles"] + caches["texture_l2"]["latency_cycles"]) * core + 2 * m["clocks"]["shader_period_fs"])
    command = sum(dram[f"t_{name}_fs"] for name in ("rcd", "rp", "ras", "rrd", "cl", "wl", "wtr", "rtw", "wr"))
    command += dram["t_rfc_fs"] if dram["refresh_banks"] else 0      # each may want banks that are being refreshed
    requests = float(partition["requests"].sum())
    requests += sum(int(counters.components[name][way].sum()) for name in LINKS if name in counters.components for way in ("reads", "writes"))
    commands = float((partition["reads"] + partition["writes"]).sum())
    # operations on one address one by one, floating-point ones and pairs of values for several
    atomics = float(counters.atomic_transactions) * 64 * (8 * m["load_store"]["atomic_fs"] + ports * core)
    whole: float = requests * way + commands * command + float(partition["busy_fs"].sum()) + atomics
    if dram["t_refi_fs"] and not dram["refresh_banks"]:
        whole *= 1 + dram["t_rfc_fs"] / max(dram["t_refi_fs"] - dram["t_rfc_fs"], 1)
    return whole
