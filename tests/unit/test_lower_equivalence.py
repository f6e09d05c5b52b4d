"""Whatever passes run and whatever the machine's width, a kernel computes the same."""
import numpy as np
import pytest
import random_ptx
from lowering import kernel
from run_ptx import machine, run

from archdef.lower import Options

NONE = Options(**{name: False for name in Options.__annotations__})
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


@pytest.mark.parametrize("name", [n for n in Options.__annotations__])
def test_each_pass_can_be_left_out_alone(name):
    body = random_ptx.body(1000, length=40)
    assert np.array_equal(compute(body, options=Options(**{name: False})), compute(body, options=NONE))
