"""A small program of a user, for mypy --strict: test_user_script.py; it is not run."""
from typing import assert_type

import numpy as np

import archdef
from archdef.errors import DeviceMemoryError, GuestFault, SpecErrors
from archdef.host import Launched
from archdef.metrics import BUILT_IN, Measurement, Metric, metric
from archdef.occupancy import Occupancy
from archdef.run.array import DeviceArray
from archdef.run.managed import ManagedArray
from archdef.run.module import Module
from archdef.run.result import Run
from archdef.run.symbols import Symbol
from archdef.run.texture import Handle
from archdef.spec import Cite, FrozenMap, SharedMemory
from archdef.spec.fields import integer
from archdef.spec.policy import Replacement, named
from archdef.validate import Report, references, validate

machine = assert_type(archdef.architecture("gizmo"), archdef.Architecture)
wider = assert_type(machine.evolve({"warp.size": 64}), archdef.Architecture)
names = assert_type(archdef.architectures(), tuple[str, ...])
archdef.save(wider, "wider.toml")
device = archdef.Device(archdef.load("wider.toml"), max_cycles=1_000_000)
array = assert_type(device.to_device(np.ones(128, "f4")), DeviceArray)
module = assert_type(device.compile("scale.cu", archdef.Options(defines=("N=128",))), Module)
run = assert_type(module["scale"][1, 128](array, 2.0, 128), Run)
again = assert_type(module["scale"][(1, 1), 128, 0].launch(array, 2.0, 128, lanes=archdef.LaneWindow()), Run)
later = assert_type(module["scale"][1, 128, 0, device.stream()](array, 2.0, 128), Launched)
cycles: int = run.cycles
ipc: float | None = run.metrics["ipc"]
shares: list[tuple[int, float]] = [(cost.line, cost.share) for cost in run.lines]
result: np.ndarray = array.copy_to_host()
occupancy = assert_type(archdef.occupancy(machine, threads=128, registers=16), Occupancy)
blocks: int = occupancy.active_blocks
reports = assert_type(validate([machine], only=[case.id for case in references(machine).cases]), tuple[Report, ...])
taps = assert_type(module.symbols["taps"], Symbol).copy_from_host([1.0, 2.0, 3.0])
perhaps = assert_type(module.symbols.get("none"), Symbol | None)
managed = assert_type(device.managed(1024, "f8").prefetch(), ManagedArray)
image = assert_type(device.texture(device.zeros((32, 32)), filter="linear"), Handle)
bytes_left: int = device.memory_map.free_bytes
where: list[tuple[str, Cite]] = list(machine.evidence.items())
numbers = assert_type(FrozenMap({"a": 1}), FrozenMap[str, int])
passes: int = assert_type(machine.shared, SharedMemory).passes(range(0, 128, 4))
lower = run.bounds.lower[0].cycles if run.bounds is not None else 0.0


@metric("ratio", "loads / warps")
def loads_per_warp(m: Measurement) -> float | None:
    """Loads of the average warp."""
    return m.counters.global_loads / m.counters.warps if m.counters.warps else None


@named("newest")
class Newest(Replacement):
    """The line that was used last."""

    among: int = integer(default=2)

    def victim(self, view: object) -> int:
        """Give the way that is replaced."""
        return self.among


own = assert_type(loads_per_warp, Metric)
value: float | None = own(Measurement(run.counters, machine, occupancy))
try:
    machine.evolve({"caches.l2.replacement": Newest(among=3)})
except SpecErrors as errors:
    said = [str(error) for error in errors.exceptions]
except (DeviceMemoryError, GuestFault) as error:
    kind: str = error.kind
known = assert_type(BUILT_IN, tuple[Metric, ...])
