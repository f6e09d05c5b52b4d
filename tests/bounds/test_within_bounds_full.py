"""Does no launch that keeps all of a machine busy do more than its bounds and the machine's ceilings allow?"""
import pytest
from bounded import KERNELS, exceeded, launched

from archdef import registry
from archdef.examples import comparison, workloads

LARGE = {"divergence": 1 << 16, "matmul": 160, "reduction": 1 << 18, "transpose": 448, "vector_add": 1 << 18}


@pytest.mark.parametrize("machine", sorted(registry.names()))
@pytest.mark.parametrize("name", KERNELS)
def test_no_kernel_exceeds_a_bound_where_all_multiprocessors_work(name, machine):
    multiprocessors = registry.get(machine).chip.multiprocessors
    run = launched(machine, name, blocks=4 * multiprocessors, threads=256, trips=8)
    assert run is None or list(exceeded(run)) == []


@pytest.mark.parametrize("machine", sorted(registry.names()))
def test_no_kernel_exceeds_a_bound_in_many_blocks_of_a_warp(machine):
    runs = {name: launched(machine, name, blocks=1500, threads=32, trips=1) for name in ("nothing", "copy", "stores apart", "atomics on a word")}
    assert {name: found for name, run in runs.items() if run and (found := list(exceeded(run)))} == {}


@pytest.mark.parametrize("machine", sorted(registry.names()))
@pytest.mark.parametrize("workload", workloads(), ids=lambda workload: workload.name)
def test_no_shipped_workload_exceeds_a_bound(workload, machine):
    compared = comparison.compare(workload, [registry.get(machine)], LARGE[workload.name])
    assert {row.run.kernel: found for row in compared.rows if row.run and (found := list(exceeded(row.run)))} == {}
