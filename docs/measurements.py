"""What the figures of the explanation pages show, measured by launches: ``python docs/measurements.py`` writes ``docs/measurements.json``.

The site draws from that file, so that it builds fast; ``tests/docs/test_figures.py`` launches again and compares. Each function gives the
values of one figure for one machine, over the x values that stand above it.
"""
from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import archdef
from archdef import registry
from archdef.files.atomic import write_text
from archdef.spec import Interleaved, XorHash

SHOWN = ("g80", "gt200", "gf100", "v100", "h100", "c500")
"""Architectures that figures compare."""
HERE = Path(__file__).parent
KERNELS, ATOMICS, FILE = HERE / "measurements.cu", HERE / "atomics.cu", HERE / "measurements.json"
MULTIPROCESSORS = 2
"""Of the machines, where a figure is not about the memory that all of them share: launches that fill two say the same and are short."""
STRIDES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
WIDTHS = [32, 33, 34, 35, 36, 37, 38, 39, 40]
WAYS = [1, 2, 4, 8, 16, 32]
ROW_LENGTHS = list(range(448, 577, 8))
WARPS = [1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32]
BLOCKS = [1, 2, 3, 4, 5, 6, 8, 12, 16]
WORDS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
UNROLLED = [1, 2, 4, 8]
Values = dict[str, list[float]]


def small(name: str) -> archdef.Device:
    """A device with few multiprocessors."""
    return archdef.Device(registry.get(name).evolve({"chip.multiprocessors": MULTIPROCESSORS}))


def over(runs: list[archdef.Run], best: archdef.Run) -> list[float]:
    """The time of each launch over that of one."""
    return [run.cycles / best.cycles for run in runs]


def coalescing(name: str) -> Values:
    """Reads, by stride: bytes moved per byte asked for, and time over that of stride 1."""
    device = small(name)
    grid, block = 4 * MULTIPROCESSORS, 256
    kernel, out, numbers = device.compile(KERNELS).strided, device.zeros(grid * block, "f4"), device.zeros(grid * block * max(STRIDES), "f4")
    runs = [kernel[grid, block](out, numbers, stride) for stride in STRIDES]
    return {"moved": [100 / run.metrics["gld_efficiency"] for run in runs], "time": over(runs, runs[0])}


def bank_conflicts(name: str) -> Values:
    """Reads of a column, by words per row: passes and time, each over those of rows of 33 words."""
    device = small(name)
    kernel, out = device.compile(KERNELS).columns, device.zeros(256 * MULTIPROCESSORS, "i4")
    runs = [kernel[MULTIPROCESSORS, 256, 4 * 64 * max(WIDTHS)](out, width) for width in WIDTHS]
    passes = [run.metrics["shared_load_transactions_per_request"] for run in runs]
    return {"passes": [count / passes[WIDTHS.index(33)] for count in passes], "time": over(runs, runs[WIDTHS.index(33)])}


def divergence(name: str) -> Values:
    """A loop that the lanes of a warp enter in so many ways: time over that of one way, and lanes at work."""
    device = small(name)
    kernel, numbers = device.compile(KERNELS).paths, device.zeros(4 * 256, "f4")
    runs = [kernel[4, 256](numbers, ways) for ways in WAYS]
    return {"time": over(runs, runs[0]), "lanes": [run.metrics["warp_execution_efficiency"] for run in runs]}


def partition_camping(name: str) -> Values:
    """Blocks that write one column of tiles, by words per row, on the whole machine: microseconds, and partitions with work at a time."""
    found = {}
    for label, rule in (("in turn", Interleaved()), ("hashed", XorHash())):
        device = archdef.Device(registry.get(name).evolve({"dram.partition_map": rule}))
        grid = 2 * device.architecture.chip.multiprocessors
        kernel = device.compile(KERNELS).column_of_tiles
        runs = [kernel[grid, (16, 16)](device.zeros(16 * grid * length, "f4"), length) for length in ROW_LENGTHS]
        found |= {f"time, {label}": [1e6 * run.elapsed_s for run in runs], f"in use, {label}": [run.metrics["partitions_in_use"] for run in runs]}
    return found


def occupancy(name: str) -> Values:
    """Sums of words from memory, by resident blocks of 128 threads (shared memory keeps others out): occupancy, words per cycle and multiprocessor."""
    device = small(name)
    machine, module, found = device.architecture, device.compile(KERNELS), {}
    count, block, waves = 16, 128, 3
    most = waves * max(BLOCKS) * MULTIPROCESSORS * block
    out, numbers = device.zeros(most, "i4"), device.zeros(most * count, "i4")
    for loads in (1, 4):
        kernel = module[f"sum_{loads}"]
        registers = kernel[1, block](out, numbers, count, most).registers
        percent, rates = [], []
        for resident, shared_bytes in shares(machine, registers, block):
            grid = waves * resident * MULTIPROCESSORS
            run = kernel[grid, block, shared_bytes](out, numbers, count, most)
            percent.append(100 * resident * -(-block // machine.warp.size) / machine.limits.warps_per_multiprocessor)
            rates.append(grid * block * count / run.cycles / MULTIPROCESSORS)
        found |= {f"percent, {loads}": percent, f"rate, {loads}": rates}
    return found


def shares(machine: archdef.spec.Architecture, registers: int, threads: int) -> Iterator[tuple[int, int]]:
    """Give numbers of blocks that can be resident, with the least bytes of shared memory per block that let no more be."""
    for resident in BLOCKS:
        for size in range(0, machine.limits.shared_bytes_per_block + 1, 256):
            blocks = archdef.occupancy(machine, threads=threads, registers=registers, shared_bytes=size).active_blocks
            if blocks <= resident:
                break
        if blocks == resident:
            yield resident, size


def latency_hiding(name: str) -> Values:
    """Additions per cycle of a multiprocessor, by resident warps, in one dependent chain per thread and in four."""
    device = small(name)
    machine, module, found = device.architecture, device.compile(KERNELS), {}
    for chains in (1, 4):
        rates = []
        for warps in WARPS:
            blocks = next(n for n in range(1, warps + 1) if warps % n == 0 and warps // n * machine.warp.size <= machine.limits.threads_per_block)
            if warps > machine.limits.warps_per_multiprocessor or blocks > machine.limits.blocks_per_multiprocessor:
                break
            grid, threads = blocks * MULTIPROCESSORS, warps // blocks * machine.warp.size
            run = module[f"chains_{chains}"][grid, threads](device.zeros(grid * threads, "f4"), 8)
            rates.append(8 * 256 * warps / run.cycles)
        found[f"rate, {chains}"] = rates
    return found


def atomics(name: str) -> Values:
    """Atomic additions of 256 threads per block, by the words that they share: cycles per warp's addition."""
    device = small(name)
    module, grid, block = device.compile(ATOMICS), 4 * MULTIPROCESSORS, 256
    warps = grid * block // device.architecture.warp.size * 8
    found = {}
    for space in ("global", "shared"):
        runs = [module[f"{space}_words"][grid, block](device.zeros(grid * block, "u4"), words) for words in WORDS]
        found[space] = [run.cycles / warps * MULTIPROCESSORS for run in runs]
    return found


def unrolling(name: str) -> Values:
    """Sums of 64 words per thread, by loads per turn of the loop: speed-up over one, and instructions over those of one."""
    device = small(name)
    module, grid, block, count = device.compile(KERNELS), 2 * MULTIPROCESSORS, 128, 64
    out, numbers = device.zeros(grid * block, "i4"), device.zeros(grid * block * count, "i4")
    runs = [module[f"sum_{loads}"][grid, block](out, numbers, count, grid * block) for loads in UNROLLED]
    return {"speed-up": [runs[0].cycles / run.cycles for run in runs], "instructions": [run.metrics["inst_per_warp"] for run in runs],
            "registers": [run.registers for run in runs]}


MEASURED: dict[Callable[[str], Values], tuple[str, ...]] = {
    coalescing: SHOWN, bank_conflicts: SHOWN, divergence: SHOWN, partition_camping: ("gt200",), occupancy: SHOWN,
    latency_hiding: SHOWN, atomics: SHOWN[1:], unrolling: SHOWN}
"""Each figure with the machines that it shows; compute capability 1.0 has no atomic operations."""


def measured(figures: Iterable[Callable[[str], Values]] = MEASURED) -> Iterator[tuple[str, str, Values]]:
    """Launch for some figures: figure, machine, values with four digits."""
    for figure in figures:
        for name in MEASURED[figure]:
            yield figure.__name__, name, {key: [float(f"{value:.4g}") for value in values] for key, values in figure(name).items()}


def main() -> None:
    """Write the file."""
    found: dict[str, dict[str, Values]] = {}
    for figure, name, values in measured():
        found.setdefault(figure, {})[name] = values
    lines = [f"  {json.dumps(figure)}: {{\n" + ",\n".join(f"    {json.dumps(name)}: {json.dumps(values)}" for name, values in machines.items()) + "\n  }"
             for figure, machines in found.items()]
    write_text(FILE, "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    sys.exit(main())
