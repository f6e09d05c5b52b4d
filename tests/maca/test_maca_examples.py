"""Do the MXMACA examples of the documentation give numpy's answer, and show what their page says, on 64 lanes and on 32?"""
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from archdef import registry
from archdef.errors import LaunchError
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif("c500" not in registry.names(), reason="archdef-xiyun is not installed")]
FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "maca"
MACHINES = [name for name in ("c500", "h100", "v100", "gf100") if name in registry.names()]


def script(name):
    """Import one of the examples."""
    spec = importlib.util.spec_from_file_location(f"maca_example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("machine", [name for name in MACHINES if name != "gf100"])
def test_a_block_wide_sum_takes_one_atomic_per_block(machine):
    example = script("block_sum")
    right, found = example.example(machine)
    assert {total for total, _ in found.values()} == {right}
    run = found["sum"][1]
    assert run.counters.atomic_operations == example.BLOCKS
    assert any(s.opcode == "ld" and ".v4" in s.text for s in run.program.statements)
    assert run.metrics["gld_efficiency"] == 100 and not run.warnings


def test_groups_are_refused_where_lanes_cannot_exchange():
    """Fermi has votes and barriers, so the block-wide sum runs; it has no shuffles, so the sum by waves is an error that says so."""
    if "gf100" not in registry.names():
        pytest.skip("archdef-fermi is not installed")
    from archdef.errors import MissingFeature

    with pytest.raises(MissingFeature, match=r"`mx\.shfl.*from block_sum\.maca:\d+\) needs the feature shuffle, which gf100 does not have"):
        script("block_sum").example("gf100")


@pytest.mark.parametrize("machine", MACHINES)
def test_occupancy_counts_waves_of_the_machine(machine):
    for threads, answer in script("occupancy").example(machine).items():
        if isinstance(answer, LaunchError):
            assert threads > registry.get(machine).limits.threads_per_block or "registers" in str(answer)
            continue
        lanes, limits = registry.get(machine).warp.size, registry.get(machine).limits
        assert answer.warps_per_block == -(-threads // lanes)
        assert answer.occupancy == answer.active_warps / limits.warps_per_multiprocessor


@pytest.mark.parametrize("machine", MACHINES)
def test_32_of_64_lanes_diverge_where_waves_have_64(machine):
    example = script("divergence")
    found = example.example(machine)
    for out, right, _ in found.values():
        assert np.array_equal(out, right)
    split, whole = found["half_and_half"][2].metrics, found["by_wave"][2].metrics
    waves = example.BLOCKS * example.THREADS // registry.get(machine).warp.size
    wide = registry.get(machine).warp.size == 64
    assert split["divergent_branch"] == (waves if wide else 0) and whole["divergent_branch"] == 0
    assert (split["branch_efficiency"] < 100) == wide and whole["branch_efficiency"] == 100
    assert (split["warp_execution_efficiency"] < 65) == wide and whole["warp_execution_efficiency"] == 100
    parted, together = (found[name][2] for name in ("half_and_half", "by_wave"))
    assert parted.cycles > 1.1 * together.cycles if wide else parted.counters.instructions == together.counters.instructions


@pytest.mark.parametrize("machine", [name for name in MACHINES if name != "gf100"])
def test_tight_bounds_move_values_to_private_memory(machine):
    right, found = script("private_memory").example(machine)
    for out, _ in found.values():
        assert np.array_equal(out, right)
    roomy, tight = found["roomy"][1], found["tight"][1]
    assert roomy.spilled_registers == 0 and roomy.memory_map.private_bytes == 0 and roomy.metrics["local_load_requests"] == 0
    assert tight.spilled_registers > 0 and tight.memory_map.private_bytes > 0 and tight.metrics["local_load_requests"] > 0
    assert tight.cycles > roomy.cycles and tight.registers < roomy.registers
    assert tight.occupancy.occupancy == 1 > roomy.occupancy.occupancy
    assert tight.warp_contents.private_bytes >= tight.program.local_bytes * registry.get(machine).warp.size
