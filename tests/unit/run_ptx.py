"""Run PTX text on a small machine that has every feature, and give back what it left in memory."""
import numpy as np
from lowering import MATRIX, WARPGROUP
from small_machine import gizmo

from archdef.engine import core
from archdef.lower import lower
from archdef.pack import machine_tables
from archdef.ptx import parse
from archdef.spec.isa import FEATURES


def machine(**changes):
    """Make a machine with all features; keywords are paths with ``__`` for a dot."""
    return gizmo().evolve({"isa.features": frozenset(FEATURES), "isa.matrix": MATRIX, "isa.warpgroup": WARPGROUP} | {k.replace("__", "."): v for k, v in changes.items()})


def run(text: str, *buffers, arch=None, grid=1, block=32, scalars=b"", shared=0, entry="k", cooperative=False, **arguments):
    """Lower and run a kernel whose parameters are pointers to `buffers`, then raw bytes; give the buffers afterwards."""
    arch = arch or machine()
    program = lower(parse(text, "k.ptx"), entry, arch, **arguments)
    memory = core.DeviceMemory(1 << 24)
    places = []
    for buffer in buffers:
        raw = np.ascontiguousarray(buffer).view(np.uint8).reshape(-1)
        place = memory.allocate(raw.nbytes)
        memory.write(place, raw)
        places.append(place)
    parameters = b"".join(place.to_bytes(8, "little") for place in places) + scalars
    global_base = memory.allocate(len(program.global_image)) if program.global_image else 0
    if program.global_image:
        memory.write(global_base, np.frombuffer(bytes(program.global_image), np.uint8))
    simulation = core.Simulation(machine_tables(arch), program, memory, (grid, 1, 1), (block, 1, 1), parameters, shared, 1,
                                 max_instructions=10**7, max_cycles=10**9, global_base=global_base, cooperative=cooperative)
    while simulation.advance(1000):
        pass
    results = []
    for place, buffer in zip(places, buffers):
        raw = np.zeros(np.asarray(buffer).nbytes, np.uint8)
        memory.read(place, raw)
        results.append(raw.view(np.asarray(buffer).dtype))
    return results[0] if len(results) == 1 else results
