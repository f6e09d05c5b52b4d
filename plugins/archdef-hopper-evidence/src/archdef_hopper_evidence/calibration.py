"""The 73 launches of 23 kernels that were measured on an H100: arguments by formula, hash of the output, cycles."""
from __future__ import annotations

import csv
import importlib.resources
import re
import tarfile
from functools import cache
from typing import NamedTuple

import numpy as np
from archdef.errors import ReferenceCaseError

DATA = importlib.resources.files("archdef_hopper_evidence") / "data"
SECTOR = 32
FNV_PRIME, FNV_START, WORD = 1099511628211, 1469598103934665603, (1 << 64) - 1
"""The start is the measuring program's own."""


class Case(NamedTuple):
    """One launch."""

    kernel: str
    size: dict[str, int]
    grid: tuple[int, int]
    block: tuple[int, int]
    hashed: str
    """Name of the buffer that `hash` is of."""
    hash: int
    cycles: int
    """On the H100, launch overhead included."""
    instructions: int
    """Warp instructions on the H100."""

    @property
    def name(self) -> str:
        return "-".join([self.kernel, *(f"{k}{v}" for k, v in self.size.items())])

    def arguments(self) -> dict[str, np.ndarray | np.generic]:
        """Arguments in order: arrays are buffers, scalars are passed by value."""
        size, n = self.size, self.size.get("n", 0)
        family = self.kernel.partition("_")[0]
        if family == "vectorAdd":
            return {"a": floats(n, 1), "b": floats(n, 2), "c": unset(n), "n": np.int32(n)}
        if family == "saxpy":
            return {"n": np.int32(n), "alpha": np.float32(2.5), "x": floats(n, 3), "y": floats(n, 4)}
        if family == "transpose":
            return {"in": floats(n * n, 5), "out": unset(n * n), "n": np.int32(n)}
        if family == "matmul":
            return {"a": floats(n * n, 7), "b": floats(n * n, 8), "c": unset(n * n), "n": np.int32(n)}
        if family == "reduce":
            return {"g": mixed(n, 6) % np.uint32(256), "o": unset(self.grid[0]), "n": np.int32(n)}
        trips = np.int32(32 if "paths" in size else n)
        return {"o": unset(size["threads"]), "n": trips} | ({"paths": np.int32(size["paths"])} if "paths" in size else {})


def mixed(n: int, seed: int) -> np.ndarray:
    """Well mixed uint32 of the indices below `n` and a seed."""
    x = np.arange(n, dtype=np.uint32) * np.uint32(2654435761) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ x >> np.uint32(shift)) * np.uint32(factor)
    return x ^ x >> np.uint32(16)


def floats(n: int, seed: int) -> np.ndarray:
    """Float32 in [0, 1), multiples of 2**-24."""
    return (mixed(n, seed) >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)


def unset(n: int) -> np.ndarray:
    """Words of a buffer that nobody has written."""
    return np.full(n, 0xCDCDCDCD, np.uint32)


def fnv1a64(data: np.ndarray) -> int:
    """FNV-1a of an array's bytes.

    Notes: ``h = (h ^ byte) * prime`` needs every byte after the other, except that the exclusive or touches the low byte of h only, and
    that byte depends on nothing above it. The prime's low byte is odd, so bit k of a new low byte is bit k of the old one and of the data,
    changed by what lower bits decide: eight running exclusive ors give all of them. The difference that the exclusive or makes is then
    known, and h is linear in it.
    """
    h = FNV_START
    for chunk in np.array_split(np.ascontiguousarray(data).view(np.uint8).reshape(-1), max(1, data.nbytes >> 18)):
        low = np.full(chunk.size + 1, h & 255, np.uint8)  # low byte of h before each byte; after pass k its bits 0 to k are right
        for bit in range(8):
            mask = np.uint8((1 << bit) - 1)
            known = (low[:-1] ^ chunk) & mask
            change = (known * np.uint8(FNV_PRIME & 255) ^ chunk) >> np.uint8(bit) & np.uint8(1)
            values = np.bitwise_xor.accumulate(np.concatenate(([np.uint8(h >> bit & 1)], change)))
            low = low & ~np.uint8(1 << bit) | values << np.uint8(bit)
        delta = (low[:-1] ^ chunk).astype(np.int64) - low[:-1]
        powers = np.multiply.accumulate(np.full(chunk.size, FNV_PRIME, np.uint64))
        h = (h * int(powers[-1]) + int((delta.view(np.uint64) * powers[::-1]).sum(dtype=np.uint64))) & WORD
    return h


@cache
def cases() -> tuple[Case, ...]:
    """Read the list."""
    with (DATA / "kernels.csv").open(newline="") as file:
        return tuple(Case(r["kernel"], {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", r["size"])}, (int(r["grid_x"]), int(r["grid_y"])),
                          (int(r["block_x"]), int(r["block_y"])), r["hashed_buffer"], int(r["output_fnv1a64"], 16),
                          int(float(r["cycles"])), int(float(r["instructions"]))) for r in csv.DictReader(file))


@cache
def ptx(kernel: str, version: str) -> str:
    """PTX of a kernel for compute_75 (``ptx75``) or compute_90 (``ptx90``)."""
    with (DATA / "ptx.tar.xz").open("rb") as file, tarfile.open(fileobj=file) as archive:
        return archive.extractfile(f"{version}/{kernel}.ptx").read().decode()


def run(case: Case, version: str, device):
    """Launch a case; give the hash of its output and the run."""
    module = device.compile(ptx(case.kernel, version))
    arguments = {k: device.to_device(v) if isinstance(v, np.ndarray) else v for k, v in case.arguments().items()}
    result = getattr(module, case.kernel)[case.grid, case.block](*arguments.values())
    return fnv1a64(arguments[case.hashed].to_host()), result


def calibration(device, *, case: str, version: str = "ptx90", launch_cycles: int = 0) -> dict[str, float]:
    """Run a case of the list; give its quantities by the names of ``kernels.csv``, and all that `archdef.validate` gives of a launch.

    launch_cycles : what the profiler counts with every launch beside the kernel's own cycles; added to ``profiled_cycles``.
    """
    launch = next((known for known in cases() if known.name == case), None)
    if launch is None:
        raise ReferenceCaseError(f"no calibration kernel is called {case}")
    hashed, result = run(launch, version, device)
    if hashed != launch.hash:
        raise ReferenceCaseError(f"{case}: the output is not the hardware's")
    return profiled(result, launch_cycles)


def profiled_kernel(device, *, launch_cycles: int = 0, **parameters) -> dict[str, float]:
    """Launch a kernel as the experiment ``kernel`` does; give what Nsight Compute counts, too."""
    from archdef.validate import launched

    return profiled(launched(device, **parameters), launch_cycles)


def profiled(result, launch_cycles: int) -> dict[str, float]:
    """Give the quantities of a run, and those that Nsight Compute counts differently."""
    from archdef.validate import of_run

    counters, partition = result.counters, result.counters.partition
    return of_run(result) | {
        "profiled_cycles": result.cycles + launch_cycles,
        "global_load_sectors": counters.global_load_bytes_moved // SECTOR, "global_store_sectors": counters.global_store_bytes_moved // SECTOR,
        "l1_sector_misses": counters.l1_misses,
        "l2_sectors": int((partition["bytes_asked"] + partition["bytes_given"]).sum()) // SECTOR,
        "profiled_dram_read_sectors": (int(partition["bytes_read"].sum()) + result.launch_bytes_read) // SECTOR,
        "dram_write_sectors": int(partition["bytes_written"].sum()) // SECTOR,
        "blocks_per_multiprocessor": result.occupancy.active_blocks}
