"""Does no launch do more than its bounds and the machine's ceilings allow, whatever it asks of the machine?"""
import pytest
from bounded import KERNELS, exceeded, launched

from archdef import registry
from archdef.examples import comparison, workloads

MACHINES = sorted(registry.names())
SMALL = {"divergence": 1 << 12, "matmul": 64, "reduction": 1 << 13, "transpose": 96, "vector_add": 1 << 12}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("workload", workloads(), ids=lambda workload: workload.name)
def test_no_shipped_workload_exceeds_a_bound(workload, machine):
    compared = comparison.compare(workload, [registry.get(machine)], SMALL[workload.name])
    assert {row.run.kernel: found for row in compared.rows if row.run and (found := list(exceeded(row.run)))} == {}
    assert any(row.run for row in compared.rows)


@pytest.mark.parametrize("machine", MACHINES)
def test_no_kernel_exceeds_a_bound_in_few_blocks(machine):
    runs = {name: run for name in KERNELS if (run := launched(machine, name, blocks=6, threads=64, trips=12))}
    assert {name: found for name, run in runs.items() if (found := list(exceeded(run)))} == {}
    assert len(runs) > len(KERNELS) // 2


def test_a_rate_above_a_ceiling_is_found(monkeypatch):
    run = launched(MACHINES[0], "reads", blocks=6, threads=64, trips=12)
    monkeypatch.setitem(run.__dict__, "bounds", None)
    run.partition["response_bytes"] *= 1_000_000
    assert any("by L2 reads" in found or "by network reads" in found for found in exceeded(run))


@pytest.mark.parametrize("machine, kernel, least", [("g80", "products and sums", 0.9), ("gt200", "products and sums", 0.85), ("p100", "products and sums", 0.85)])
def test_instructions_that_do_not_pair_are_not_counted_as_pairs(machine, kernel, least):
    """A launch that does nothing but issue is close to its bound; half of it was claimed where a unit is not issued to twice in a slot."""
    if machine not in MACHINES:
        pytest.skip(f"{machine} is not installed")
    run = launched(machine, kernel, blocks=6 * registry.get(machine).chip.multiprocessors, threads=256, trips=4)
    (issue,) = [bound for bound in run.bounds.lower if bound.name == "issue"]
    assert least * run.cycles < issue.cycles <= run.cycles and "paired as far as their units allow" in issue.about
