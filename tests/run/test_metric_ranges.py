"""Does any run leave the range that a metric declares?"""
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.examples.workload import SHIPPED, Workload, load
from archdef.frontends import nvrtc
from archdef.metrics import BUILT_IN
from archdef.examples.comparison import compare

SIZES = {"divergence": 4096, "matmul": 64, "reduction": 1 << 14, "transpose": 128, "vector_add": 1 << 14,
         "latency_hiding.MEMORY": 4, "latency_hiding.WORKLOAD": 1, "occupancy.BLOCK_SIZES": 1 << 13, "reduction.WORKLOAD": 1 << 14}
MACHINES = ("g80", "gt200", "gf100", "gtx680", "k20", "k40", "titan_x", "p2000", "v100", "rtx2080ti", "a100", "h100", "c500")
WAITING = [name for name in registry.names() if (n := registry.get(name).device_launches) is not None and n.synchronization_depth]
NESTED = r"""
__global__ void leaf(int *out) { for (int i = 0; i < 200; i++) atomicAdd(out + threadIdx.x, 1); }
__global__ void waits(int *out, int *seen) {
    __shared__ int code;
    if (threadIdx.x == 0) { leaf<<<1, 32>>>(out); code = cudaDeviceSynchronize(); }
    __syncthreads();
    seen[blockIdx.x * blockDim.x + threadIdx.x] = code;
}
"""


def outside(run):
    """Metrics of a run that leave their range."""
    measurement = run.metrics.measurement
    found = {}
    for metric in BUILT_IN:
        least, most = metric.range(measurement)
        value = metric(measurement)
        if value is not None and not least <= value <= most * (1 + 1e-9):
            found[metric.name] = (value, least, most)
    return found


@pytest.mark.parametrize("workload", SHIPPED)
def test_workloads_stay_inside(workload):
    made = compare(load(workload), [registry.get(name) for name in MACHINES if name in registry.names()], SIZES[workload])
    ran = [row.run for row in made.rows if row.run is not None]
    assert ran and not [(run.architecture.name, run.kernel, found) for run in ran if (found := outside(run))]


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def workloads_of_examples():
    """Give the workloads of the examples, by name."""
    found = {}
    for path in sorted(EXAMPLES.glob("*.py")):
        if "Workload(" not in path.read_text(encoding="utf-8"):
            continue
        spec = importlib.util.spec_from_file_location(f"ranges_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= {f"{path.stem}.{name}": value for name, value in vars(module).items() if isinstance(value, Workload)}
    return found


WORKLOADS = workloads_of_examples()


@pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")
@pytest.mark.parametrize("workload", WORKLOADS)
def test_workloads_of_the_examples_stay_inside(workload):
    machines = [registry.get(name) for name in ("gf100", "k40", "p2000", "h100", "c500") if name in registry.names()]
    few = [machine.evolve({"chip.multiprocessors": 2 * machine.chip.multiprocessors_per_cluster}) for machine in machines]
    made = compare(WORKLOADS[workload], few, SIZES.get(workload))
    ran = [row.run for row in made.rows if row.run is not None]
    assert ran and not [(run.architecture.name, run.kernel, found) for run in ran if (found := outside(run))]


@pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")
@pytest.mark.parametrize("name", WAITING)
@pytest.mark.parametrize("multiprocessors", [None, 2])
def test_blocks_that_give_their_place_away_stay_inside(name, multiprocessors):
    """While it is away a block is not resident: neither its warps nor its time count."""
    machine = registry.get(name)
    if multiprocessors:
        machine = machine.evolve({"chip.multiprocessors": multiprocessors, "limits.blocks_per_multiprocessor": 3})
    device = archdef.Device(machine)
    module = device.compile(NESTED, target="compute_60")
    blocks = 320 if multiprocessors else 2 * machine.chip.multiprocessors
    seen = device.to_device(np.full(64 * blocks, -1, np.int32))
    run = module.waits[blocks, 64](device.zeros((32,), "i4"), seen)
    assert not seen.to_host().any() and not outside(run)
    counters = run.counters
    assert sum(counters.stalls.values()) == int(counters.multiprocessor["warp_cycles"].sum())
