"""Little's law: what must be on its way = latency x throughput. Warps for arithmetic, bytes for memory, each measured by a sweep.

A chain of dependent additions needs as many warps as hide its latency; two and four chains side by side need a half and a quarter.
Two textbook machines are made by changes: 5 cycles x 6 warps a cycle = 30 warps, where any six issue; Fermi, 20 cycles x 32 lanes = 640 threads.
"""
import json
from fractions import Fraction
from pathlib import Path

import numpy as np

from archdef import Device
from archdef.examples import Case, Input, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.formatting import NOTHING, count, percent, three
from archdef.testing.latency import load_latency_cycles

CHAINS = {"chains_1": 1, "chains_2": 2, "chains_4": 4}
LOADS = {"loads_1": 1, "loads_4": 4}
ADDITIONS = 256
"""Of one round."""
OPERATION = "fp32_add"
TEXTBOOK = (("k40", {f"isa.operations.{OPERATION}.latency_cycles": 5, "schedulers.superscalar": False}),
            ("gf100", {f"isa.operations.{OPERATION}.latency_cycles": 20}))
"""What texts take for an example: the machine, and what to change."""
SOURCE = Path(__file__).with_name("latency_hiding.cu")
HARDWARE = json.loads(Path(__file__).with_name("hardware.json").read_text(encoding="utf-8"))["latency_hiding"]
"""What hardware took: machine → kernel → resident warps → time."""


# ------------------------------------------------------------------------------------------------ what the description says
def adder(architecture):
    """Give the unit that adds."""
    (unit,) = (unit for unit in architecture.units if unit.name == architecture.isa.operations[OPERATION].unit)
    return unit


def throughput(architecture, chains: int = 1) -> Fraction:
    """Give the additions (of warps) per cycle that a multiprocessor can start, by its units and by its schedulers: those that issue several
    instructions of one warp at a time find no two in a single chain."""
    schedulers, operation, unit = architecture.schedulers, architecture.isa.operations[OPERATION], adder(architecture)
    instances = unit.copies * (schedulers.count if unit.scope == "scheduler" else 1)
    interval = operation.interval_cycles or -(-architecture.warp.size // unit.lanes)
    width = schedulers.issue_width if frozenset({unit.name}) in schedulers.dual_issue else 1
    width = min(width, chains) if schedulers.superscalar else width
    return min(Fraction(instances, interval), Fraction(schedulers.count * width, schedulers.issue_interval_cycles))


def latency(architecture) -> int:
    """Give the cycles from an addition to the next one of its chain."""
    return max(architecture.isa.operations[OPERATION].latency_cycles, architecture.schedulers.instruction_gap_cycles)


def needed_warps(architecture, chains: int = 1) -> int:
    """Give the warps that keep a multiprocessor's units busy, by Little's law; whole warps for each scheduler that has its own unit."""
    shares = architecture.schedulers.count if adder(architecture).scope == "scheduler" else 1
    return -(-latency(architecture) * throughput(architecture, chains) / shares // chains) * shares


# ------------------------------------------------------------------------------------------------------------ the launches
def shapes(architecture):
    """List ``(blocks per multiprocessor, warps per block)`` for 1, 2, 3 … resident warps, in as few equal blocks as it takes."""
    limits = architecture.limits
    most = limits.threads_per_block // architecture.warp.size
    for warps in range(1, limits.warps_per_multiprocessor + 1):
        blocks = -(-warps // most)
        if warps % blocks == 0 and blocks <= limits.blocks_per_multiprocessor:
            yield blocks, warps // blocks


def chain_cases(size, random, architecture):
    """Launch the chains with every number of resident warps, for `size` rounds."""
    for kernel, chains in CHAINS.items():
        for blocks, warps in shapes(architecture):
            grid, threads = blocks * architecture.chip.multiprocessors, warps * architecture.warp.size
            sums = np.arange(threads, dtype="f4") * ADDITIONS * size + sum(range(chains))
            yield Case(kernel, (grid,), (threads,), (Output(np.tile(sums, grid)), size), 4 * grid * threads)


def load_cases(size, random, architecture):
    """Launch the loads with some numbers of resident warps, each thread reading `size` words."""
    for kernel in LOADS:
        for blocks, warps in shapes(architecture):
            if (resident := blocks * warps) & (resident - 1) and resident % 24 and resident != architecture.limits.warps_per_multiprocessor:
                continue
            grid, threads = blocks * architecture.chip.multiprocessors, warps * architecture.warp.size
            numbers = random.integers(-1000, 1000, (size, grid * threads), dtype="i4")
            yield Case(kernel, (grid,), (threads,), (Output(numbers.sum(axis=0, dtype="i4")), Input(numbers), size, grid * threads),
                       numbers.nbytes)


WORKLOAD = Workload("latency_hiding", "chains of dependent additions", SOURCE, chain_cases, size=2, size_means="rounds")
MEMORY = Workload("bytes_in_flight", "loads that wait for each other", SOURCE, load_cases, size=16, multiple=4,
                  size_means="words of a thread")


# ---------------------------------------------------------------------------------------------------------- what is measured
def rates(architecture, kernel: str) -> dict[int, float]:
    """Measure resident warps → additions per cycle of one multiprocessor, all others being alike.

    The difference of two lengths leaves out the beginning and the end of the kernel.
    """
    one = architecture.evolve({"chip.multiprocessors": 1, "chip.multiprocessors_per_cluster": 1})
    short, long = ({row.run.counters.warps: row.run.cycles for row in launches(WORKLOAD, one, rounds, (kernel,))[0]} for rounds in (2, 6))
    return {warps: 4 * ADDITIONS * warps / (long[warps] - short[warps]) for warps in long}


def hardware_rates(architecture, kernel: str) -> dict[int, float]:
    """Give what hardware did, resident warps → additions per cycle of one multiprocessor; one warp of one chain does one per latency."""
    measured = {} if architecture.changes else HARDWARE.get(architecture.name, {})
    if not measured:
        return {}
    alone = measured["chains_1"]["1"] / latency(architecture)
    return {int(warps): int(warps) * alone / time for warps, time in measured[kernel].items()}


def saturation(measured: dict[int, float], share: float = 0.95) -> int:
    """Give the fewest warps that reach `share` of the best rate."""
    best = max(measured.values())
    return min(warps for warps, rate in measured.items() if rate >= share * best)


def arithmetic(architectures):
    """The rule and the sweep for additions."""
    changed = [architecture.evolve(change) for name, change in TEXTBOOK for architecture in architectures if architecture.name == name]
    rows, sweeps = [], []
    for architecture in (*architectures, *changed):
        name = f"{architecture.name}, latency changed" if architecture.changes else architecture.name
        peak = float(throughput(architecture, max(CHAINS.values())))
        for kernel, chains in CHAINS.items():
            measured, needed = rates(architecture, kernel), needed_warps(architecture, chains)
            hardware = hardware_rates(architecture, kernel)
            rows.append((f"{name}, {kernel}", latency(architecture), three(peak), needed, needed * architecture.warp.size,
                         saturation(measured), saturation(hardware) if hardware else NOTHING, percent(100 * max(measured.values()) / peak)))
            if chains == 1:
                picked = sorted({1, 2, 4, 8, 16, 17, 24, 32, 48, 64, needed} & measured.keys())
                sweeps.append(Table(f"{name}: additions per cycle of one multiprocessor, {kernel}", ("resident warps", *map(str, picked)),
                                    [("measured", *(three(measured[warps]) for warps in picked)),
                                     ("warps / latency, at most throughput",
                                      *(three(min(warps / latency(architecture), peak)) for warps in picked)),
                                     *([("hardware", *(three(hardware[warps]) for warps in picked))] if hardware else ())]))
    yield Table("Warps that hide the latency of an addition",
                ("machine, kernel", "latency", "warps/cycle", "needed", "threads", "measured", "hardware", "of peak"), rows)
    yield from sweeps


def memory(architectures):
    """The rule and the sweep for loads."""
    rows = []
    for architecture in architectures:
        cycles = load_latency_cycles(Device(architecture), warm=False, places=64, stride_bytes=4096)
        bandwidth = architecture.dram_bandwidth_gb_s * 1e9 / (architecture.clocks.shader_mhz * 1e6) / architecture.chip.multiprocessors
        needed = cycles * bandwidth
        for kernel, loads in LOADS.items():
            ran, _refused = launches(MEMORY, architecture, kernels=(kernel,))
            measured = {row.run.counters.warps // architecture.chip.multiprocessors: row.run.metrics["gld_requested_throughput"]
                        for row in ran}
            picked = {warps: three(rate) for warps, rate in measured.items() if warps in (1, 4, 8, 16)}
            rows.append((f"{architecture.name}, {kernel}", count(cycles), three(bandwidth), count(needed),
                         -(-needed // (4 * architecture.warp.size * loads)).__trunc__(), *picked.values(),
                         three(max(measured.values())), three(architecture.dram_bandwidth_gb_s)))
    yield Table("Bytes on their way that hide the latency of DRAM, per multiprocessor; GB/s with 1, 4, 8 and 16 resident warps",
                ("machine, kernel", "latency", "B/cycle", "bytes needed", "warps", "1", "4", "8", "16", "best", "peak"), rows)


def tables(architectures):
    """Arithmetic, then memory."""
    yield from arithmetic(architectures)
    yield from memory(architectures)


main = command(tables, machines=("g80", "gf100", "k40", "h100", "c500"))

if __name__ == "__main__":
    main()
