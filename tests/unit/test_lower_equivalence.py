"""Whatever passes run and whatever the machine's width, a kernel computes the same."""
import numpy as np
import pytest
import random_ptx
from lowering import kernel
from run_ptx import machine, run

from archdef.lower import Options, lower
from archdef.lower.encoding import Kind
from archdef.ptx import parse

SWITCHES = [name for name, kind in Options.__annotations__.items() if kind == "bool"]
NONE = Options(**dict.fromkeys(SWITCHES, False))
THREADS = 96
PARAMETERS = ".param .u64 scratch, .param .u64 results"


def compute(body, **arguments):
    scratch = (np.arange(THREADS * random_ptx.SCRATCH) % 251).astype(np.uint8)
    results = np.zeros(THREADS * random_ptx.RESULTS, np.uint8)
    return np.concatenate(run(kernel(body, PARAMETERS), scratch, results, grid=2, block=48, **arguments))


VARIANTS = {
    "all passes": dict(),
    "32-bit pointers": dict(arch=machine(isa__pointer_bits=32)),
    "long predication": dict(arch=machine(isa__predication_max_instructions=60)),
    "no fusion": dict(arch=machine(isa__fuse_multiply_add=False)),
    "16 lanes": dict(arch=machine(warp__size=16)),
    "64 lanes": dict(arch=machine(warp__size=64)),
    "1 lane": dict(arch=machine(warp__size=1), options=NONE),
}


@pytest.mark.parametrize("seed", range(40))
def test_random_kernels_compute_the_same_under_every_option(seed):
    body = random_ptx.body(seed, length=10 + seed * 2)
    expected = compute(body, options=NONE)
    variant = list(VARIANTS)[seed % len(VARIANTS)]
    for name in ("all passes", "32-bit pointers", variant):
        assert np.array_equal(compute(body, **VARIANTS[name]), expected), name


@pytest.mark.parametrize("name", SWITCHES)
def test_each_pass_can_be_left_out_alone(name):
    body = random_ptx.body(1000, length=40)
    assert np.array_equal(compute(body, options=Options(**{name: False})), compute(body, options=NONE))


@pytest.mark.parametrize("seed", range(8))
def test_no_row_holds_lanes_of_two_widths(seed):
    """Lanes of 4 and of 8 bytes lie at different bytes: one that loops would write over what another keeps behind the loop."""
    program = lower(parse(kernel(random_ptx.body(seed, length=60), PARAMETERS), "k.ptx"), "k", machine(), options=NONE)
    wide, narrow = set(), set()
    for op in program.ops:
        if op["kind"] in (Kind.ALU, Kind.LOAD) and op["d"][0] >= 0:
            row = int(op["d"][0])
            (wide if op["width"] == 8 else narrow).update((row, row + 1) if op["width"] == 8 else (row,))
    assert wide and narrow and not wide & narrow
