"""Set up one launch of a workload, and run it again and again on fresh results."""
from __future__ import annotations

import resource
from pathlib import Path

import archdef
from archdef import registry
from archdef.examples import workload
from archdef.examples.workload import Input, Output

HERE = Path(__file__).parent
MACHINES = {"gt200": ("gt200", {}), "gf100": ("gf100", {}), "100 SMs": ("gf100", {"chip.multiprocessors": 100})}
"""Name in tables → architecture and changes."""
KERNELS = {  # name in tables → workload, kernel, size
    "matmul tiled 512": ("matmul", "tiled", 512),
    "reduction 4Mi": ("reduction", "interleaved", 1 << 22),
    "vector add 4Mi": ("vector_add", None, 1 << 22),
    "copy 1024": ("transpose", "copy", 1024),
    "padded transpose 1024": ("transpose", "padded", 1024),
    "naive transpose 1024": ("transpose", "naive", 1024),
    "gather 1Mi": (str(HERE / "gather.py"), "gather", 1 << 20),
}


def machine(name: str):
    """Give one of `MACHINES`."""
    base, changes = MACHINES[name]
    return registry.get(base).evolve(changes)


class Prepared:
    """A kernel with its arguments on a device; calling it launches it once."""

    def __init__(self, architecture, name: str, kernel: str | None, size: int):
        recipe = workload.load(name)
        case = next(c for c in recipe.launches(architecture, size) if kernel in (None, c.kernel))
        self.device = archdef.Device(architecture)
        self.launcher = self.device.compile(str(recipe.source))[case.kernel][case.grid, case.block, case.shared_bytes]
        self.results, self.arguments = [], []
        for argument in case.arguments:
            if isinstance(argument, Input):
                self.arguments.append(self.device.to_device(argument.array))
            elif isinstance(argument, Output):
                self.arguments.append(self.device.empty_like(argument.expected))
                self.results.append((argument, self.arguments[-1]))
            else:
                self.arguments.append(argument)

    def __call__(self):
        return self.launcher(*self.arguments)

    def correct(self) -> bool:
        """Whether the last launch gave what numpy expects."""
        return all(expected.accepts(array.copy_to_host()) for expected, array in self.results)


def transactions(run) -> int:
    """Requests that reached a partition."""
    return int(run.partition["requests"].sum())


def peak_mib() -> float:
    """Peak resident memory of this process, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
