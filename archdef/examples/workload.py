"""What a workload is: a CUDA or PTX file and, for a problem size, the launches to make and the results to expect."""
from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from archdef.errors import ArchdefError, nearest
from archdef.spec import Architecture
from archdef.values import cut

FOLDER = Path(__file__).parent
SHIPPED = ("divergence", "matmul", "reduction", "transpose", "vector_add")


class WorkloadError(ArchdefError):
    """A workload that does not exist, does not load, or does not take the size asked for."""


def _array(array: np.ndarray) -> str:
    return f"<{array.dtype} {array.shape}>"


@attrs.frozen(eq=False)
class Input:
    """An array that the kernel reads."""

    array: np.ndarray = attrs.field(repr=_array)


@attrs.frozen(eq=False)
class Output:
    """An array that the kernel fills, and what numpy expects in it."""

    expected: np.ndarray = attrs.field(repr=_array)
    tolerance: float = 0.0
    """Largest accepted relative error; 0 asks for equality."""

    def error(self, actual: np.ndarray) -> float:
        """Give the largest error of `actual`, relative to the largest expected magnitude; 0.0 if equal."""
        if np.array_equal(actual, self.expected):
            return 0.0
        difference = np.abs(actual.astype("f8") - self.expected.astype("f8"))
        scale = float(np.max(np.abs(self.expected.astype("f8")), initial=0.0)) or 1.0
        return float(np.max(difference)) / scale if np.isfinite(difference).all() else float("inf")

    def accepts(self, actual: np.ndarray) -> bool:
        """Say whether `actual` is right."""
        return self.error(actual) <= self.tolerance


@attrs.frozen(eq=False, repr=False)
class Case:
    """One launch of a workload."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: tuple[Input | Output | int | float, ...]
    bytes_moved: int
    """Bytes that the algorithm has to move, the numerator of GB/s."""
    shared_bytes: int = 0
    """Dynamic shared memory per block."""
    cooperative: bool = False
    """The grid may synchronise: all blocks must be resident at once."""
    symbols: Mapping[str, np.ndarray | int | float] = attrs.field(factory=dict, converter=dict)
    """Variables of the module, ``__constant__`` or ``__device__``, and what each holds at the launch."""

    def __repr__(self) -> str:
        return f"<Case {cut(self.kernel)} {self.grid} x {self.block}, {len(self.arguments)} arguments, {self.bytes_moved:,} bytes to move>"


@attrs.frozen(repr=False)
class Workload:
    """A source file with the recipe to launch its kernels."""

    name: str
    about: str
    source: Path
    cases: Callable[[int, np.random.Generator, Architecture], Iterable[Case]]
    """Gives the launches for a problem size on an architecture, with a seeded generator for the data."""
    size: int
    """Size if the user names none."""
    multiple: int = 1
    """The size must be a multiple of this."""
    size_means: str = "elements"
    options: Mapping[str, Any] = attrs.field(factory=dict, converter=dict)
    """How to compile, as `Device.compile` takes it: ``target``, ``extra``, ``lowering`` …"""

    def __repr__(self) -> str:
        return f"<Workload {cut(self.name)}: {cut(self.about)}, {self.size:,} {self.size_means}, from {cut(self.source.name)}>"

    def launches(self, architecture: Architecture, size: int | None = None, kernels: Iterable[str] = ()) -> tuple[Case, ...]:
        """List the launches for `size` on an architecture, restricted to `kernels` if there are any.

        Raises WorkloadError if the size does not fit or a kernel is unknown.
        """
        size = self.size if size is None else size
        if size <= 0 or size % self.multiple:
            raise WorkloadError(f"size of {self.name} must be a positive multiple of {self.multiple}, got {size}")
        try:
            cases = tuple(self.cases(size, np.random.default_rng(2009), architecture))
        except (MemoryError, OverflowError, ValueError) as error:       # numpy says ValueError where no computer has so much memory
            raise WorkloadError(f"{self.name} cannot make its data for the size {size}: {error}") from error
        names = [case.kernel for case in cases]
        for kernel in kernels:
            if kernel not in names:
                raise WorkloadError(f"workload {self.name} has no kernel {kernel!r}{nearest(kernel, names)}; "
                                    f"it has {', '.join(names)}")
        return tuple(case for case in cases if not kernels or case.kernel in set(kernels))


def workloads() -> tuple[Workload, ...]:
    """List the shipped workloads."""
    return tuple(_shipped(name) for name in SHIPPED)


def load(name: str) -> Workload:
    """Find a workload: a shipped one by name, or one's own by its Python file or the CUDA file beside it.

    Raises WorkloadError with the nearest name if there is none.
    """
    if name in SHIPPED:
        return _shipped(name)
    path = Path(name)
    if path.suffix in (".cu", ".ptx", ".py"):
        if path.resolve().parent == FOLDER and path.stem in SHIPPED:
            return _shipped(path.stem)
        recipe = path.with_suffix(".py")
        if recipe.is_file():
            return _from_file(recipe)
        what = "no such file" if not path.exists() else (
            f"it has no recipe {recipe.name} beside it that says how to launch it; for one launch use 'archdef run'")
        raise WorkloadError(f"cannot use {name} as a workload: {what}")
    raise WorkloadError(f"unknown workload {name!r}{nearest(name, SHIPPED)}; shipped are {', '.join(SHIPPED)}")


def _shipped(name: str) -> Workload:
    workload: Workload = importlib.import_module(f"archdef.examples.{name}").WORKLOAD
    return workload


def _from_file(recipe: Path) -> Workload:
    spec = importlib.util.spec_from_file_location(f"archdef_workload_{recipe.stem}", recipe)
    if spec is None or spec.loader is None:
        raise WorkloadError(f"{recipe} does not load: it is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise WorkloadError(f"{recipe} does not load: {type(error).__name__}: {error}") from error
    workload = getattr(module, "WORKLOAD", None)
    if not isinstance(workload, Workload):
        raise WorkloadError(f"{recipe} must define WORKLOAD, an archdef.examples.Workload")
    return workload
