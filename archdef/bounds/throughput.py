"""Lower bounds by throughput: each thing that is held for a time, over how many of it there are."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from archdef.bounds.bound import LINKS, Bound
from archdef.bounds.ceilings import ways_back, ways_there
from archdef.lower.encoding import GroupOp, Kind, Space

if TYPE_CHECKING:
    from archdef.metrics import Counters
    from archdef.run.result import Run
    from archdef.spec import Architecture

_HOLDING = (Kind.ALU, Kind.LOAD, Kind.STORE, Kind.ATOM, Kind.BRANCH, Kind.EXIT, Kind.RETURN)
"""Kinds of micro-ops that hold their unit whenever they are issued. Others may be issued again while they wait for lanes."""


def _ceil(x: int, y: int) -> int:
    return -(-x // y)


def throughput(run: Run, machine: dict[str, Any], units: tuple[str, ...]) -> Iterator[Bound]:
    """Give the bounds of one launch on a machine (the engine's table); `units` names the kinds of units."""
    ops, issued, counters = run.program.ops, run.counters.issued, run.counters
    multiprocessors, schedulers = machine["chip"]["multiprocessors"], machine["schedulers"]["count"]
    yield _issue(ops, issued, counters, machine, _slots(run, units))
    holding = np.isin(ops["kind"], _HOLDING) & (ops["space"] != Space.MATRIX)
    products = _products(run)
    for unit in np.unique(ops["unit"][holding | (products > 0)]).tolist():
        its = holding & (ops["unit"] == unit)
        held = int((issued[its] * ops["interval"][its].astype(np.int64)).sum())
        held += int((products * ops["interval"])[ops["unit"] == unit].sum())
        many = multiprocessors * (schedulers if machine["units"][unit]["per_scheduler"] else machine["units"][unit]["copies"])
        shared = its & (ops["space"] == Space.SHARED)
        if shared.any() and not machine["units"][unit]["per_scheduler"]:
            passes = counters.shared_load_passes + counters.shared_store_passes + counters.shared_atomic_passes
            yield Bound("shared", passes * machine["shared"]["pass_cycles"] / many,
                        f"{passes:,} passes of {machine['shared']['pass_cycles']} cycles, over {many} multiprocessors")
        if held:
            yield Bound(units[unit], held / many, f"held for {held:,} cycles, over {many} units")
    blocks = int(counters.multiprocessor["blocks"].sum())
    chip, warps = machine["chip"], _ceil(math.prod(run.block), machine["warp"]["size"])
    launch = chip["block_launch_64ths"] + warps * chip["block_launch"]["chip_warp_64ths"]
    cycles = max(launch, chip["block_launch"]["end_64ths"]) / 64
    yield Bound("dispatch", (blocks - 1) * cycles, f"{blocks:,} blocks, {cycles:.3g} cycles at least from one launch or end to the next")
    if counters.launches == 1 and not run.launches:
        yield from _memory(counters.partition, machine, run.architecture)
        yield from _links(counters, machine)


def _products(run: Run) -> np.ndarray:
    """Count products of matrices by micro-op. Parts of a warp issue one each, and hold the unit once they have met; those of four warps are queued in
    it, and have been worked off when somebody has waited for them."""
    ops, c = run.program.ops, run.counters
    instructions = c.statements["instructions"].astype(float)
    whole = np.divide(c.statements["thread_instructions"], instructions * run.architecture.warp.size, out=np.zeros_like(instructions), where=instructions > 0)
    waited = (c.issued[(ops["kind"] == Kind.GROUP) & (ops["fn"] == GroupOp.WAIT)] > 0).any()
    counted = (ops["kind"] == Kind.MATRIX) | (ops["kind"] == Kind.GROUP_PRODUCT) & waited
    done: np.ndarray = np.where(counted, np.floor(c.issued * whole[ops["statement"]]), 0)
    return done


def _slots(run: Run, units: tuple[str, ...]) -> float:
    """Count the fewest slots that instructions fit into where several may go together: of a unit that pairs with no other, and of each kind that does not
    pair with itself, there is one in a slot."""
    schedulers, ops = run.architecture.schedulers, run.program.ops
    by_unit = np.bincount(ops["unit"], run.counters.issued * np.minimum(ops["issues"], 1), len(units))
    width = schedulers.issue_width
    if schedulers.superscalar and width > 2:         # each pairs with the one before it: the first and the third need not
        return float(by_unit.sum()) / width
    pairing = {name for pair in schedulers.dual_issue for name in pair}
    alone = sum(n for name, n in zip(units, by_unit, strict=True) if name not in pairing)
    once = [n for name, n in zip(units, by_unit, strict=True) if name in pairing and frozenset({name}) not in schedulers.dual_issue]
    return float(alone + max([*once, (by_unit.sum() - alone) / width]))


def _issue(ops: np.ndarray, issued: np.ndarray, counters: Counters, machine: dict[str, Any], together: float) -> Bound:
    """A scheduler issues an instruction, or so many that go together, in one interval."""
    interval, width = machine["schedulers"]["issue_interval_cycles"], machine["schedulers"]["issue_width"]
    slots = machine["chip"]["multiprocessors"] * machine["schedulers"]["count"]
    count = int((issued * ops["issues"]).sum()) if width == 1 else together
    busiest = 1.0
    if (cycles := counters.multiprocessor["issue_cycles"]).any():
        busiest = float(cycles.max() / cycles.mean()) if width == 1 else 1.0
    return Bound("issue", count * interval / slots * busiest,
                 f"{count:,.0f} slots of {interval} cycles{', paired as far as their units allow' if width > 1 else ''}, over {slots} schedulers; "
                 f"the busiest multiprocessor has {busiest:.2f} of the mean")


def _links(counters: Counters, machine: dict[str, Any]) -> Iterator[Bound]:
    """What occupies each direction of the links to the host and to other devices."""
    for name, place in LINKS.items():
        if name in counters.components:
            used, accesses = counters.components[name][0], machine["host_link"][place]
            read, written = (int(used[f"bytes_{way}"] + used[requests] * accesses["header_bytes"])
                             for way, requests in (("read", "reads"), ("written", "writes")))
            held_fs = max(read * accesses["read_byte_fs"], written * accesses["write_byte_fs"])
            yield Bound(name.replace("_", " "), held_fs / machine["clocks"]["shader_period_fs"],
                        f"{read:,} bytes come over it, heads among them, and {written:,} leave")


def _memory(partition: np.ndarray, machine: dict[str, Any], arch: Architecture) -> Iterator[Bound]:
    """Ports that every request passes, and data buses."""
    core, shader, links = machine["clocks"]["core_period_fs"], machine["clocks"]["shader_period_fs"], machine["interconnect"]
    requests = int(partition["requests"].sum())
    if requests == 0:
        return
    sent, back = (partition[f"{way}_fs"] / shader for way in ("request", "response"))
    yield Bound("partitions", float(max(sent.max(), back.max())),
                f"packets hold the ports of the busiest of {len(partition)} partitions for {sent.max():,.0f} cycles in, {back.max():,.0f} out")
    for direction, ways in (("response", ways_back(arch)), ("request", ways_there(arch))):
        moved = int(partition[f"{direction}_bytes"].sum())
        for way in ways[1:]:        # behind that of the partitions
            yield Bound(way.of, moved / way.bytes_per_cycle * core / shader,
                        f"{moved:,} bytes of packets, {way.bytes_per_cycle:,} a core cycle {way.where}")
    if partition["reads"].any():
        yield Bound("memory trip", (links["request_latency_fs"] + links["response_latency_fs"] + machine["dram"]["t_cl_fs"]
                                    + machine["dram"]["extra_latency_fs"]) / shader, "one read, there and back")
    busy = partition["busy_fs"]
    moved = partition["bytes_read"] + partition["bytes_written"]
    yield Bound("DRAM", float(busy.max() / shader),
                f"the busiest of {len(partition)} data buses moves {int(moved[busy.argmax()]):,} of {int(moved.sum()):,} bytes")
