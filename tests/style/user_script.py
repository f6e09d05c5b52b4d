"""A small program of a user, for mypy --strict: test_user_script.py; it is not run."""
from typing import assert_type

import numpy as np

import archdef
from archdef.host import Launched
from archdef.occupancy import Occupancy
from archdef.run.array import DeviceArray
from archdef.run.module import Module
from archdef.run.result import Run
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
