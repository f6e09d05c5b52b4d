"""Run conformance kernels on the engine."""
from __future__ import annotations

import numpy as np
from kernel import THREADS, Form, module
from operands import TUPLES
from outputs import BYTES, filled, trim

from archdef.engine import core
from archdef.lower import lower
from archdef.pack import machine_tables
from archdef.ptx import parse
from archdef.run.images import Images
from archdef.run.memory import Memory

BATCH = 64
"""Forms parsed as one module."""
VALUE = (np.arange(16, dtype=np.uint8) * 17).tobytes()
"""The 16 bytes passed by value."""


def run(forms: list[Form], architecture) -> dict[str, bytes | str]:
    """Outputs by name; for a form that the engine does not run, the error's text."""
    tables, got = machine_tables(architecture), {}
    for start in range(0, len(forms), BATCH):
        batch = forms[start:start + BATCH]
        parsed = parse(module(batch), "forms.ptx")
        for k, form in enumerate(batch):
            try:
                got[form.name] = _launch(parsed, lower(parsed, f"k{k}", architecture), form, tables)
            except Exception as error:  # noqa: BLE001  whatever it is, the form did not run
                got[form.name] = f"{type(error).__name__}: {error}"
    return got


def _launch(parsed, program, form: Form, tables) -> bytes:
    owner = Memory(1 << 20)
    memory, images = owner.engine, Images(parsed, owner)    # which gives its memory back when it goes
    variables = images.placed
    places = [memory.allocate(BYTES), memory.allocate(BYTES)]
    memory.write(places[0], filled(form))
    memory.fill(places[1], BYTES, 0)
    parameters = b"".join(place.to_bytes(8, "little") for place in places) + VALUE
    simulation = core.Simulation(tables, program, memory, (TUPLES // THREADS, 1, 1), (THREADS, 1, 1), parameters, 0, 1,
                                 max_instructions=10**7, max_cycles=10**8, global_base=variables.global_base,
                                 const_base=variables.const_base)
    while simulation.advance(1000):
        pass
    raw = np.zeros(BYTES, np.uint8)
    memory.read(places[1], raw)
    return trim(form, raw)


def machine():
    """The measured architecture with few multiprocessors and partitions, which changes no value and saves time."""
    from archdef.registry import get
    return get("h100").evolve({"chip.multiprocessors": 2, "dram.partitions": 4})
