"""Launches of kernels that were measured on an H100: arguments by formula, what the hardware computed and counted."""
from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Callable, Mapping
from functools import cache

import attrs
import numpy as np
from archdef.errors import ReferenceCaseError

from archdef_hopper_evidence import calibration
from archdef_hopper_evidence.calibration import DATA, floats, fnv1a64, mixed, profiled

Value = np.ndarray | np.generic


@attrs.frozen
class Launch:
    """One launch: its shape and its arguments in order; arrays are buffers, scalars are passed by value."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: Mapping[str, Value]
    output: str
    """Name of the buffer that is compared with the hardware's."""
    near: bool = False
    """Its numbers come out of approximations of which no two machines agree on the last bits: their sum is compared."""
    ordered: bool = True
    """Whether its words come in one order."""
    shared_bytes: int = 0

    def summary(self, data: np.ndarray) -> str:
        """What is kept of an output: a hash of its bytes, or the sum of its magnitudes."""
        if self.near:
            return repr(float(np.abs((data if data.dtype in (np.float16, np.float64) else data.view(np.float32)).astype(np.float64)).sum()))
        return f"{fnv1a64(data if self.ordered else np.sort(data)):016x}"

    def agrees(self, kept: str, data: np.ndarray) -> bool:
        """Whether an output is the one that `kept` was made of."""
        return abs(float(self.summary(data)) / float(kept) - 1) < 1e-5 if self.near else self.summary(data) == kept


def doubles(n: int, seed: int) -> np.ndarray:
    """Float64 in [0, 1), multiples of 2**-24."""
    return (mixed(n, seed) >> np.uint32(8)) * 2.0**-24


def ints(n: int, seed: int, below: int) -> np.ndarray:
    """Int32 in [0, below)."""
    return (mixed(n, seed) % np.uint32(below)).astype(np.int32)


def starts(rows: int, seed: int, most: int) -> np.ndarray:
    """Where rows of up to `most` elements begin: most of them are short."""
    u = floats(rows, seed)
    return np.concatenate(([0], np.cumsum((u * u * u * most).astype(np.int32) + 1))).astype(np.int32)


def flat(n: int, threads: int = 256) -> dict:
    """Shape of a launch of at least `n` threads in a row."""
    return {"grid": (-(-n // threads), 1), "block": (threads, 1)}


def plane(width: int, height: int, x: int, y: int) -> dict:
    """Shape of a launch over a plane, in blocks of `x` by `y` threads."""
    return {"grid": (-(-width // x), -(-height // y)), "block": (x, y)}


def permutation(n: int, seed: int) -> np.ndarray:
    """The indices below `n` in some order."""
    return np.argsort(mixed(n, seed), kind="stable").astype(np.uint32)


def octets(n: int, seed: int) -> np.ndarray:
    """Any bytes."""
    return (mixed(n, seed) >> np.uint32(24)).astype(np.uint8)


@attrs.frozen(eq=False)
class Kernels:
    """Kernels that were measured together."""

    name: str
    """What their files in ``data/`` begin with: ``NAME_kernels.cu``, ``NAME_kernels.csv``, ``NAME_ptx.tar.xz``."""
    launches: Mapping[str, Callable[..., Launch]]
    """Kernel → its launch at a size."""
    sizes: Mapping[str, tuple[str, ...]]

    @property
    def cases(self) -> list[tuple[str, str]]:
        """Kernels and sizes in the order in which they are measured."""
        return [(kernel, size) for kernel in self.launches for size in self.sizes[kernel]]

    def launch(self, kernel: str, size: str) -> Launch:
        """Arguments and shape of a case."""
        return self.launches[kernel](**{name: int(value) for name, value in (word.split("=") for word in size.split())})

    def sources(self) -> dict[str, str]:
        """Kernel → CUDA C++ of its part of ``NAME_kernels.cu``."""
        parts = (DATA / f"{self.name}_kernels.cu").read_text().split("//: ")[1:]
        return {name.strip(): text for name, _, text in (part.partition("\n") for part in parts)}

    def ptx(self, kernel: str) -> str:
        """PTX of a kernel for compute_90; what is not of this set is a calibration kernel."""
        with tarfile.open(fileobj=io.BytesIO(_bytes_of(f"{self.name}_ptx.tar.xz"))) as archive:
            if f"{kernel}.ptx" not in archive.getnames():
                return calibration.ptx(kernel, "ptx90")
            return archive.extractfile(f"{kernel}.ptx").read().decode()

    def rows(self) -> dict[str, dict[str, str]]:
        """Case → its line of ``NAME_kernels.csv``."""
        return _rows_of(f"{self.name}_kernels.csv")

    def run(self, kernel: str, size: str, device):
        """Launch a kernel; give its output, the run, and the launch."""
        launch = self.launch(kernel, size)
        arguments = {k: device.to_device(v) if isinstance(v, np.ndarray) else v for k, v in launch.arguments.items()}
        result = device.compile(self.ptx(kernel))[kernel][launch.grid, launch.block, launch.shared_bytes].launch(*arguments.values())
        return arguments[launch.output].to_host(), result, launch

    def measured(self, device, case: str, launch_cycles: int) -> dict[str, float]:
        """Run a case; give its quantities by the names of the table, as the experiment ``calibration`` does."""
        row = self.rows().get(case)
        if row is None:
            raise ReferenceCaseError(f"no kernel of {self.name}_kernels.csv is called {case}")
        output, result, launch = self.run(row["kernel"], row["size"], device)
        if not launch.agrees(row["output"], output):
            raise ReferenceCaseError(f"{case}: the output is not the hardware's")
        return profiled(result, launch_cycles)


@cache
def _bytes_of(name: str) -> bytes:
    return (DATA / name).read_bytes()


@cache
def _rows_of(name: str) -> dict[str, dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        return {row["case"]: row for row in csv.DictReader(file)}


def name_of(kernel: str, size: str) -> str:
    """Name of a case."""
    return "-".join([kernel, *size.replace("=", "").split()])
