"""Whatever the register budget, a kernel computes the same: values without a register live in local memory."""
import random

import pytest

from archdef import registry
from archdef.lower import Options, lower
from archdef.ptx import parse
from archdef.spec import ConvergenceBarriers, IpdomStack
from archdef.testing import equals_reference, reference, with_warp_size
from archdef.testing.kernels import draw

SEEDS = range(12)
BUDGETS = (8, 12, 16, 24)


def budgeted(architecture, size, budget):
    reserved = architecture.limits.registers_reserved_per_thread
    return with_warp_size(architecture, size).evolve({"limits.registers_per_thread": budget + reserved})


def check(architecture, launch):
    """Compare with the reference; give the program that ran."""
    try:
        equals_reference(architecture, launch, max_steps=400_000)
    except reference.Wrong as error:
        if "too many steps" not in str(error):
            raise
    return lower(parse(launch.ptx, "k.ptx"), launch.entry, architecture)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels_with_few_registers(everything, seed):
    chosen = random.Random(seed)
    size, reconvergence = chosen.choice((1, 4, 32, 33, 64)), chosen.choice((IpdomStack(), ConvergenceBarriers()))
    machine = everything.evolve({"warp.reconvergence": reconvergence})
    launch = draw(chosen.randint, everything.isa.features, size, bool(seed % 3 == 0))
    program = check(budgeted(machine, size, BUDGETS[seed % len(BUDGETS)]), launch)
    assert program.spill_store_bytes and program.spill_load_bytes and program.uses_local


@pytest.mark.parametrize("name", registry.names())
def test_random_kernels_with_few_registers_on_installed_architectures(name):
    architecture = registry.get(name)
    for seed in range(3):
        launch = draw(random.Random(100 + seed).randint, architecture.isa.features, architecture.warp.size)
        program = check(budgeted(architecture, architecture.warp.size, 16), launch)
        assert program.spill_load_bytes and program.registers <= 16 + architecture.limits.registers_reserved_per_thread


@pytest.mark.parametrize("seed", range(6))
def test_a_kernel_that_fits_is_not_touched(everything, seed):
    launch = draw(random.Random(seed).randint, everything.isa.features, 32)
    roomy = everything.evolve({"limits.registers_per_thread": 255})
    module = parse(launch.ptx, "k.ptx")
    program, without = (lower(module, launch.entry, roomy, options=Options(spill=spill)) for spill in (True, False))
    assert program.ops.tobytes() == without.ops.tobytes() and program.local_bytes == without.local_bytes
    assert (program.spill_store_bytes, program.spill_load_bytes, program.spilled_registers) == (0, 0, 0)
