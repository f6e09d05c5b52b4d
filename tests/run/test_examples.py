"""Every example gives numpy's answer on every installed architecture, and shows the effect that it is there for."""
import functools

import pytest

from archdef import registry
from archdef.examples import load, workloads
from archdef.examples.comparison import compare

SMALL = {"transpose": 128, "matmul": 64, "reduction": 1 << 13, "divergence": 1 << 12, "vector_add": 10_000}

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")


@functools.cache
def rows(workload, name, **settings):
    """Run an example small; kernel → row."""
    comparison = compare(load(workload), [registry.get(name)], SMALL[workload])
    return {row.case.kernel: row for row in comparison.rows}


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("workload", [w.name for w in workloads()])
def test_an_example_gives_numpys_answer(workload, name):
    for kernel, row in rows(workload, name).items():
        assert row.correct, f"{kernel}: {row.failure or row.error}"


@pytest.mark.parametrize("name", registry.names())
def test_only_the_unpadded_tile_has_bank_conflicts(name):
    conflicts = {kernel: row.run.metrics["shared_bank_conflicts"] for kernel, row in rows("transpose", name).items()}
    assert conflicts.pop("tiled") > 0
    assert set(conflicts.values()) == {0}


@pytest.mark.parametrize("name", registry.names())
def test_only_the_naive_transpose_stores_out_of_line(name):
    efficiency = {kernel: row.run.metrics["gst_efficiency"] for kernel, row in rows("transpose", name).items()}
    assert 4 * efficiency.pop("naive") <= min(efficiency.values())
    assert len(set(efficiency.values())) == 1


@pytest.mark.parametrize("name", registry.names())
def test_even_and_odd_threads_diverge_and_whole_warps_do_not(name):
    result = rows("divergence", name)
    assert result["even_odd"].run.counters.divergent_branches > 0
    assert result["by_warp"].run.counters.divergent_branches == result["selected"].run.counters.divergent_branches == 0
    assert result["even_odd"].run.counters.instructions > 1.5 * result["by_warp"].run.counters.instructions
    assert result["even_odd"].run.metrics["warp_execution_efficiency"] < 75
    assert result["by_warp"].run.metrics["warp_execution_efficiency"] == 100


@pytest.mark.parametrize("name", registry.names())
def test_interleaving_the_reduction_is_fastest_because_only_compacting_makes_conflicts(name):
    result = {kernel: row.run for kernel, row in rows("reduction", name).items()}
    conflicts = {kernel: run.metrics["shared_bank_conflicts"] for kernel, run in result.items()}
    assert conflicts["neighbored_compact"] > conflicts["interleaved"] == conflicts["neighbored"] == 0
    assert min(result, key=lambda kernel: result[kernel].cycles) == "interleaved"
    assert result["neighbored"].metrics["warp_nonpred_execution_efficiency"] < 75


@pytest.mark.parametrize("name", registry.names())
def test_tiles_save_global_loads(name):
    result = {kernel: row.run for kernel, row in rows("matmul", name).items()}
    assert result["tiled"].counters.global_load_bytes_asked * 16 == result["naive"].counters.global_load_bytes_asked
    assert result["tiled"].cycles < result["naive"].cycles
