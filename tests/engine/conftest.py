"""Engine tests run hand-made programs on small declared machines."""
import sys
from pathlib import Path

import numpy as np
import pytest

from archdef import registry
from archdef.engine import core
from archdef.pack import machine_tables

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "unit")]


class Bench:
    """A machine, its memory, and a way to run a hand-made program on it."""

    def __init__(self, arch):
        self.arch, self.tables = arch, machine_tables(arch)
        self.memory = core.DeviceMemory(1 << 26)

    @property
    def at_hand(self) -> dict:
        """What is different where no instruction has to be fetched."""
        return {"caches": {"instruction": self.tables["caches"]["instruction"] | {"sets": 0}}}

    def array(self, values) -> int:
        values = np.ascontiguousarray(values)
        address = self.memory.allocate(values.nbytes)
        self.memory.write(address, values.view(np.uint8).reshape(-1))
        return address

    def read(self, address, count, dtype=np.uint32):
        out = np.zeros(count, dtype)
        self.memory.read(address, out.view(np.uint8))
        return out

    def run(self, program, *addresses, grid=1, block=32, resident=2, tables=(), **options):
        grid = (grid, 1, 1) if isinstance(grid, int) else grid
        block = (block, 1, 1) if isinstance(block, int) else block
        parameters = b"".join(int(a).to_bytes(8, "little") for a in addresses)
        changed = {name: self.tables[name] | value if isinstance(value, dict) else value for name, value in dict(tables).items()}
        simulation = core.Simulation(self.tables | changed, program, self.memory, grid, block, parameters, 0, resident,
                                     **({"max_instructions": 10**7} | options))
        while simulation.advance(1000):
            pass
        return simulation.result()


@pytest.fixture(params=registry.names())
def bench(request):
    """One of the installed machines."""
    return Bench(registry.get(request.param))


@pytest.fixture
def bench_of():
    """Make a bench from an architecture."""
    return Bench
