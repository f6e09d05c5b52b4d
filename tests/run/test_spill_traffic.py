"""Does private memory cost what its accesses cost, on every machine?"""
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import ptxas, registry
from archdef.frontends import nvrtc
from archdef.lower.encoding import Kind, Space

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]
SOURCE = Path(__file__).with_name("many_values.cu")


@pytest.mark.parametrize("name", registry.names())
def test_fewer_registers_cost_more_time_and_change_no_result(name):
    machine = registry.get(name)
    numbers = np.random.default_rng(5).standard_normal(32 * 64, "f4")
    results, cycles, loads = [], [], []
    for budget in (machine.limits.registers_per_thread, 20):
        device = archdef.Device(machine.evolve({"limits.registers_per_thread": budget}))
        out = device.zeros(64 * 32, "f4")
        run = device.compile(SOURCE).stencil[1, 64](out, device.to_device(numbers), 64)
        results.append(out.to_host())
        cycles.append(run.cycles)
        loads.append(run.counters.local_loads)
    assert np.array_equal(results[0].view("u4"), results[1].view("u4"))
    assert cycles[1] > cycles[0] and loads[0] == 0
    ops = run.program.ops
    assert loads[1] == ((ops["kind"] == Kind.LOAD) & (ops["space"] == Space.LOCAL)).sum() * run.counters.warps > 0
    assert run.program.registers <= 20 and run.program.spill_slot_bytes == run.program.local_bytes


@pytest.mark.skipif(not any(90 in a.targets for a in ptxas.assemblers()), reason="no ptxas for sm_90: pip install archdef[ptxas]")
@pytest.mark.skipif(not any(a.compute_capability == "9.0" for a in registry.all().values()), reason="no machine of capability 9.0")
def test_spills_are_of_ptxas_size():
    from spill_differences import differences

    for row in differences():
        ours, theirs = sum(row.ours[1:]), sum(row.theirs[1:])
        assert (ours > 0) == (theirs > 0) and ours <= 1.5 * theirs, row
