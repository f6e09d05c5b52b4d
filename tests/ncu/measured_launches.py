"""The launches whose counters are in tests/data/h100/ncu_*.csv, made again on a simulated machine in the same order."""
from pathlib import Path

import attrs
import numpy as np

import archdef

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "h100"
EXAMPLES, PAGES = ROOT / "archdef" / "examples", ROOT / "docs" / "examples"


@attrs.frozen
class Launched:
    """Kernels of one file that were launched one after the other, in one shape, with arguments of one kind."""

    source: Path
    kernels: tuple[str, ...]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple
    """Numbers; of an array, what fills it and how many bytes it has."""

    def runs(self, architecture):
        """Launch them, each on a device of its own: ncu empties caches, too."""
        for kernel in self.kernels:
            device = archdef.Device(architecture)
            made = [device.to_device(_array(*each)) if isinstance(each, tuple) else each for each in self.arguments]
            yield device.compile(self.source)[kernel][self.grid, self.block].launch(*made, progress=False)


def _array(kind, nbytes):
    random = np.random.default_rng(2009)
    if kind == "zeros":
        return np.zeros(nbytes, "u1")
    return random.random(nbytes // 4, "f4").view("u1") if kind == "floats" else random.integers(0, 256, nbytes, "u1")


def _launches():
    for n in (512, 2048):
        yield Launched(EXAMPLES / "transpose.cu", ("copy", "naive", "tiled", "padded", "diagonal"), (n // 32, n // 32, 1), (32, 8, 1),
                       (("zeros", 4 * n * n), ("floats", 4 * n * n), n, n))
    for n in (128, 512):
        yield Launched(EXAMPLES / "matmul.cu", ("naive", "tiled"), (n // 16, n // 16, 1), (16, 16, 1), (("zeros", 4 * n * n), *[("floats", 4 * n * n)] * 2, n))
    for n in (1 << 17, 1 << 20):
        yield Launched(EXAMPLES / "reduction.cu", ("neighbored", "neighbored_compact", "interleaved"), (n // 256, 1, 1), (256, 1, 1),
                       (("zeros", n // 64), ("bytes", 4 * n)))
    for n in (1 << 18, 1 << 22):
        yield Launched(EXAMPLES / "vector_add.cu", ("vector_add",), (n // 256, 1, 1), (256, 1, 1), (("zeros", 4 * n), *[("floats", 4 * n)] * 2, n))
    for n in (1 << 16, 1 << 20):
        yield Launched(EXAMPLES / "divergence.cu", ("even_odd", "by_warp", "selected"), (n // 256, 1, 1), (256, 1, 1),
                       (("zeros", 4 * n), ("bytes", 4 * n), 64))
    yield Launched(PAGES / "unrolling.cu", ("by_1", "by_2", "by_4", "by_8"), (264, 1, 1), (128, 1, 1),
                   (("zeros", 4 * 264 * 128), ("bytes", 4 * 264 * 128 * 64), 64, 264 * 128))
    yield Launched(PAGES / "constant_memory.cu", ("constant_same", "constant_apart", "global_same", "global_apart"), (4096, 1, 1), (256, 1, 1),
                   (("zeros", 4 << 20), ("floats", (4 << 20) + 64), ("floats", 68)))
    yield Launched(PAGES / "latency_hiding.cu", ("chains_1", "chains_2", "chains_4"), (132, 1, 1), (256, 1, 1), (("zeros", 4 * 132 * 256), 4))
    yield Launched(PAGES / "latency_hiding.cu", ("loads_1", "loads_4"), (132, 1, 1), (256, 1, 1),
                   (("zeros", 4 * 132 * 256), ("bytes", 4 * 132 * 256 * 64), 64, 132 * 256))
    yield Launched(DATA / "ncu_histogram.cu", ("global_atomics", "shared_atomics"), (4096, 1, 1), (256, 1, 1), (("zeros", 1024), ("bytes", 1 << 20), 1 << 20))


LAUNCHES = tuple(_launches())


def measured():
    """The launches that were measured; counters of the second file, which took other passes, are added to those of the first."""
    raw, more = (archdef.ncu.read(DATA / f"ncu_{name}.csv") for name in ("raw", "metrics"))
    return tuple(attrs.evolve(one, metrics=other.metrics | one.metrics) for one, other in zip(raw, more, strict=True))


def beside(architecture, launches=LAUNCHES):
    """Lay them beside what was measured."""
    return archdef.ncu.beside(measured(), *(run for each in launches for run in each.runs(architecture)))
