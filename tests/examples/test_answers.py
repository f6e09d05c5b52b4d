"""Does every example give numpy's answer on every installed machine that has what it needs, and say what is missing elsewhere?"""
import re

import attrs
import pytest
from click.testing import CliRunner
from documented import EXAMPLES, example

from archdef import registry
from archdef.examples import Workload
from archdef.frontends import nvrtc
from archdef.examples.comparison import compare

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

SMALL = {"simple_divergence": 3, "reduction_family": 1 << 14, "unrolling": 16, "latency_hiding": 1, "bytes_in_flight": 4,
         "block_sizes": 5000, "grid_sizes": 1, "cooperative_groups": 1 << 11, "constant_memory": 1}
WORKLOADS = {value.name: value for name in EXAMPLES for value in vars(example(name)).values() if isinstance(value, Workload)}
REFUSAL = re.compile(r"needs the feature (\w+)|does not declare the feature (\w+)|needs \d+ warps, \d+ threads per block"
                     r"|limits\.threads_per_block is")


def small(workload, architecture):
    """Few multiprocessors: all do the same."""
    groups = architecture.chip.multiprocessors_per_cluster
    return compare(workload, [architecture.evolve({"chip.multiprocessors": 2 * groups})], SMALL.get(workload.name))


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_launch_is_right_or_refused_for_a_feature_that_the_machine_lacks(workload, name):
    architecture = registry.get(name)
    for row in small(WORKLOADS[workload], architecture).rows:
        if row.run:
            assert row.correct, f"{row.case.kernel} with {row.case.block}: {row.error}"
            continue
        refusal = REFUSAL.search(row.failure)
        assert refusal, row.failure
        feature = refusal[1] or refusal[2]
        assert feature is None or feature not in architecture.isa.features, row.failure


@pytest.mark.parametrize("name", registry.names())
def test_a_machine_that_has_everything_refuses_nothing(name):
    architecture = registry.get(name)
    needed = {"atomics_global", "vote_ballot", "shuffle", "cooperative_launch", "unified_addressing"}
    if architecture.warp.size != 32 or not needed <= set(architecture.isa.features):
        pytest.skip("lacks something that cooperative groups are made of")
    assert all(row.run for row in small(WORKLOADS["cooperative_groups"], architecture).rows)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_command_that_explains_itself(name):
    result = CliRunner().invoke(example(name).main, ["--help"])
    assert result.exit_code == 0 and "--arch" in result.output and "--set" in result.output


def test_a_wrong_answer_ends_the_command():
    """A warp of 16 does not keep the step that 32 threads without a barrier need, least where one runs ahead of the other."""
    if "m2070" not in registry.names():
        pytest.skip("needs the M2070")
    module = example("reduction")
    small = attrs.evolve(module.WORKLOAD, size=SMALL["reduction_family"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WORKLOAD", small)
        result = CliRunner().invoke(module.main, ["-a", "m2070", "--set", "warp.size=16", "--set", "schedulers.policy=gto"])
    assert result.exit_code == 1 and "unrolled_warp_8 on m2070 with warp.size=16" in result.output and "is wrong" in result.output
