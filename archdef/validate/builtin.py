"""Experiments that archdef brings: workloads, single kernels, occupancy, transactions of one access, passes over the banks."""
from __future__ import annotations

import atexit
import functools
import importlib.resources
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from archdef.device import Device
from archdef.errors import ReferenceCaseError
from archdef.examples.workload import FOLDER, Input, Output, Workload, load
from archdef.frontends import Options
from archdef.frontends.ptxtext import ShippedPtx
from archdef.lower import Options as Lowering
from archdef.occupancy import blocks_allowed
from archdef.run.result import Run
from archdef.run.written import parse_argument
from archdef.validate.experiments import experiment
from archdef.validate.load import FOLDER as DATA
from archdef.validate.load import evidence_of, evidence_package

GIGA = 1e9


@experiment
def workload(device: Device, *, workload: str, kernel: str, size: int | None = None) -> dict[str, float]:
    """Launch one kernel of a workload: a recipe in the folder of its evidence, or one that archdef ships.

    Gives the quantities of `kernel`. Raises ReferenceCaseError if the answer is wrong.
    """
    recipe = _recipe(workload, device.architecture.name)
    (case,) = recipe.launches(device.architecture, size, (kernel,))
    module = device.compile(recipe.source, **{**_as_shipped(recipe.source), **recipe.options})
    arguments: list[Any] = [
        device.to_device(a.array) if isinstance(a, Input) else device.zeros(a.expected.shape, a.expected.dtype) if isinstance(a, Output) else a
        for a in case.arguments]
    run = module[case.kernel][case.grid, case.block, case.shared_bytes].launch(*arguments, cooperative=case.cooperative)
    for given, array in zip(case.arguments, arguments, strict=True):
        if isinstance(given, Output) and not given.accepts(found := array.to_host()):
            raise ReferenceCaseError(f"{workload}, {kernel}: the result is wrong by {given.error(found):.3g} of the largest value")
    return of_run(run, case.bytes_moved)


@experiment
def speedup(device: Device, *, workload: str, kernel: str, over: str, size: int | None = None) -> dict[str, float]:
    """Launch two kernels of a workload, and give how much faster `kernel` is than `over`."""
    run = globals()["workload"]
    fast, slow = (run(device, workload=workload, kernel=name, size=size) for name in (kernel, over))
    return {"speedup": slow["elapsed_ms"] / fast["elapsed_ms"]}


@experiment
def kernel(device: Device, *, bytes_moved: int = 0, **parameters: Any) -> dict[str, float]:
    """Launch a kernel of a ``.cu`` or ``.ptx`` file in the folder of its evidence, as `launched` takes it.

    bytes_moved : bytes that the algorithm has to move, the numerator of ``gb_s``.
    """
    return of_run(launched(device, **parameters), bytes_moved)


def launched(device: Device, *, source: str, kernel: str, grid: Sequence[int], block: Sequence[int], arguments: Sequence[Any] = (),
             shared_bytes: int = 0, launches: int = 1, debug: bool = False) -> Run:
    """Launch a kernel of a file that a plugin ships; give the run.

    arguments : numbers, and arrays as ``archdef run --arg`` takes them: ``"f4[1024]=random"``.
    launches  : the last of so many is what counts; the ones before leave their results in memory, and nothing in the caches.
    debug : lower PTX that was compiled for debugging as it is written.
    """
    path = _file(source, device.architecture.name)
    module = device.compile(path, lowering=Lowering(debug=True) if debug else None, **_as_shipped(path))
    random = np.random.default_rng(2009)
    made = [parse_argument(str(argument)).make(random) for argument in arguments]
    values = [device.to_device(value) if isinstance(value, np.ndarray) else value for value in made]
    for _ in range(launches):
        run = module[kernel][tuple(grid), tuple(block), shared_bytes].launch(*values)
    return run


@experiment
def occupancy(device: Device, *, threads: int, registers: int, shared_bytes: int = 0) -> dict[str, float]:
    """Ask the occupancy rule; 0 blocks where one does not fit."""
    limits, warp = device.architecture.limits, device.architecture.warp.size
    allowed = blocks_allowed(limits, warp, threads=threads, registers=registers, shared_bytes=shared_bytes)
    too_much = (threads > limits.threads_per_block or registers > limits.registers_per_thread or shared_bytes > limits.shared_bytes_per_block
                or registers * warp * -(-threads // warp) > limits.registers_per_block)
    blocks = 0 if too_much else min(allowed.values())
    warps = blocks * -(-threads // warp)
    return {"blocks": blocks, "warps": warps, "occupancy": warps / limits.warps_per_multiprocessor,
            "limit_warps_or_blocks": min(allowed["warps"], allowed["blocks"]), "limit_blocks": allowed["blocks"],
            "limit_warps": allowed["warps"], "limit_registers": allowed["registers"], "limit_shared": allowed["shared"]}


@experiment
def coalescing(device: Device, *, direction: str = "load", base: int = 0, stride: int = 1, width: int = 4, swap: bool = False) -> dict[str, float]:
    """Count the transactions of one warp: lane k accesses `width` bytes at ``base + k * stride * width``.

    direction : load, store, or load_uncached.
    swap      : lanes 2k and 2k + 1 exchange their addresses.
    """
    lanes = np.arange(device.architecture.warp.size, dtype=np.int64)
    moved = getattr(device.architecture.coalescing, direction).transactions(base + (lanes ^ swap) * stride * width, width)
    return {"transactions": len(moved), "bytes": sum(part.bytes for part in moved)}


@experiment
def bank_passes(device: Device, *, stride: int, width: int = 4) -> dict[str, float]:
    """Count the passes over the banks that one warp's access takes at a stride of so many elements of `width` bytes."""
    lanes = np.arange(device.architecture.warp.size, dtype=np.int64)
    return {"passes": device.architecture.shared.passes((lanes * stride * width).tolist())}


@experiment
def partitions(device: Device, *, addresses: int, stride_bytes: int) -> dict[str, float]:
    """Count the DRAM partitions that so many addresses, `stride_bytes` apart, lie in."""
    dram = device.architecture.dram
    return {"partitions": len({dram.partition_map.partition(k * stride_bytes, dram.interleave_bytes, dram.partitions) for k in range(addresses)})}


def of_run(run: Run, bytes_moved: int = 0) -> dict[str, float]:
    """Give the quantities of a launch: cycles, times, effective bandwidth, every metric by its name and aliases.

    ``in_a_row_us`` is the time from one launch to the next where many follow each other in a stream: each starts with empty caches, like the first.
    """
    quantities = {"cycles": run.cycles, "elapsed_us": run.elapsed_s * 1e6, "elapsed_ms": run.elapsed_s * 1e3, "registers": run.registers}
    link = run.architecture.host_link
    if link is not None:
        quantities["in_a_row_us"] = quantities["elapsed_us"] + link.dependency_us
    if bytes_moved:
        quantities["gb_s"] = bytes_moved / run.elapsed_s / GIGA
    metrics: Mapping[str, float | None] = run.metrics
    return quantities | {name: float(value) for name, value in metrics.items() if value is not None}


# ----------------------------------------------------------------------------------------------------------------- files
def _recipe(name: str, arch: str) -> Workload:
    folder = plugin_data(arch)
    own = folder / f"{name}.py" if folder else None
    return load(str(own)) if own is not None and own.is_file() else load(name)


def _file(name: str, arch: str) -> Path:
    """Find a file by its name; PACKAGE:FILE is one in the data folder of another package, which several distributions of evidence share."""
    package, colon, file = name.rpartition(":")
    if colon:
        return _shared(package, file)
    folder = plugin_data(arch)
    for path in ([folder / name] if folder else []) + [FOLDER / name]:
        if path.is_file():
            return path
    raise ReferenceCaseError(f"neither the evidence of {arch} nor archdef ships a file {name}")


def _shared(package: str, file: str) -> Path:
    try:
        folder = _data_of(package)
    except ModuleNotFoundError as error:
        raise ReferenceCaseError(f"the file {file} is in the package {package}, which is not installed: {error}") from error
    if not (folder / file).is_file():
        raise ReferenceCaseError(f"the package {package} ships no file {file}")
    return folder / file


def _as_shipped(source: Path) -> dict[str, Any]:
    """Prefer PTX that is shipped beside a file to a compiler, so that figures are the same with any compiler or none."""
    name = ShippedPtx.name
    accepted = any(ShippedPtx().accepts(source, Options(compiler=name, fused_multiply_add=fused)) for fused in (True, False))
    return {"compiler": name} if accepted else {}


def plugin_data(arch: str) -> Path | None:
    """Give the folder of an architecture's reference data as a folder of the file system, unpacked if its package is zipped."""
    root, package = evidence_of(arch), evidence_package(arch)
    return _data_of(package) if root is not None and package is not None and (root / DATA).is_dir() else None


def _data_of(package: str) -> Path:
    folder = importlib.resources.files(package) / DATA
    return folder if isinstance(folder, Path) else _unpacked(package)


@functools.cache
def _unpacked(package: str) -> Path:
    folder = importlib.resources.files(package) / DATA
    target = Path(tempfile.mkdtemp(prefix="archdef-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    _unpack(folder, target)
    return target


def _unpack(folder: Traversable, target: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            (target / entry.name).mkdir()
            _unpack(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())


