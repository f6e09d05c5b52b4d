"""A two-armed branch: even and odd threads, whole warps, and no branch at all."""
from collections.abc import Iterator

import numpy as np

from archdef.examples.workload import FOLDER, Case, Input, Output, Workload
from archdef.spec import Architecture

ROUNDS = 64


def _scramble(x: np.ndarray) -> np.ndarray:
    for _ in range(ROUNDS):
        x = x * np.uint32(1664525) + np.uint32(1013904223)
    return x


def _mix(x: np.ndarray) -> np.ndarray:
    for _ in range(ROUNDS):
        x = (x ^ x << np.uint32(13)) + (x >> np.uint32(7))
    return x


def _select(x: np.ndarray, even: np.ndarray) -> np.ndarray:
    for _ in range(ROUNDS):
        x = np.where(even, x + np.uint32(1013904223), x ^ np.uint32(1664525))
    return x


def cases(size: int, random: np.random.Generator, architecture: Architecture) -> Iterator[Case]:
    """Send `size` integers through the arms; who shares a warp depends on the architecture."""
    numbers = random.integers(0, 1 << 32, size, dtype="u4")
    thread = np.arange(size)
    first_arm = {"even_odd": thread % 2 == 0, "by_warp": thread // architecture.warp.size % 2 == 0}
    expected = {kernel: np.where(chosen, _scramble(numbers), _mix(numbers)) for kernel, chosen in first_arm.items()}
    expected["selected"] = _select(numbers, first_arm["even_odd"])
    for kernel, result in expected.items():
        yield Case(kernel, (size // 256,), (256,), (Output(result), Input(numbers), ROUNDS), 2 * numbers.nbytes)


WORKLOAD = Workload("divergence", "a two-armed branch by thread, by warp and without branching",
                    FOLDER / "divergence.cu", cases, size=1 << 16, multiple=256)
