"""Does the answer to why a warp waits name what really holds it?"""
import numpy as np
import pytest

import archdef
from archdef import TimelineWindow, registry
from archdef.errors import LaunchError
from archdef.frontends import nvrtc
from archdef.metrics.counters import STALLS

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif("gf100" not in registry.names(), reason="needs the plugin archdef-fermi")]

SOURCE = """
extern "C" __global__ void late(float *out, const float *in, int steps)
{
    __shared__ float s[64];
    float v = in[threadIdx.x];
    if (threadIdx.x >= 32)
        for (int i = 0; i < steps; i++)
            v = v * 1.5f + 2.0f;
    s[threadIdx.x] = v;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 32];
}
"""
STEPS = 40


def launch(timeline, blocks=6):
    device = archdef.Device(registry.get("gf100").evolve({"chip.multiprocessors": 1, "limits.blocks_per_multiprocessor": 2}))
    out = device.zeros(64 * blocks, "f4")
    return device.compile(SOURCE).late[blocks, 64].launch(out, device.to_device(np.ones(64, "f4")), STEPS, timeline=timeline)


@pytest.fixture(scope="module")
def run():
    return launch(TimelineWindow("warps"))


@pytest.fixture(scope="module")
def timeline(run):
    return run.timeline()


def of(timeline, block, warp, cause):
    """The first wait of a warp for a cause."""
    mine = timeline.issues[(timeline.issues["warp"] == 2 * block + warp) & (timeline.issues["cause"] == STALLS.index(cause))]
    return mine[mine["since"] > mine["begin"]][0]


def test_a_warp_that_waits_for_a_value_waits_for_the_load_that_brings_it(timeline):
    wait = of(timeline, 0, 0, "memory_dependency")
    reason = timeline.why(0, int(wait["begin"]) + 1)
    assert (reason.state, reason.begin, reason.end) == ("memory_dependency", wait["begin"], wait["since"])
    assert "ld.global" in reason.because[0] and "warp 0 of block 0" in reason.because[0] and ":5 " in reason.because[0]
    assert any("queue of memory partition" in text for text in reason.because)


def test_arithmetic_is_waited_for_where_it_takes_longest(timeline):
    wait = of(timeline, 0, 1, "alu_dependency")
    (because,) = timeline.why(1, int(wait["begin"])).because
    assert "warp 1 of block 0" in because


def test_a_warp_at_a_barrier_waits_for_the_last_to_come_and_for_what_that_waits_for(timeline):
    barrier = of(timeline, 0, 0, "barrier")
    middle = int(barrier["begin"] + barrier["since"]) // 2
    reason = timeline.why(0, middle)
    assert reason.state == "barrier" and "bar.sync" in reason.statement
    assert "warp 1 of block 0" in reason.because[0] and f"issued at {reason.end:,}" not in reason.because[0]
    assert reason.behind is not None and (reason.behind.warp, reason.behind.block, reason.behind.cycle) == (1, 0, middle)
    assert reason.behind == timeline.why(1, middle)
    assert str(reason).count("\n") >= 2 and [r.warp for r in reason.chain()][:2] == [0, 1]
    assert reason.to_dict()["behind"]["warp"] == 1


def test_a_warp_that_is_not_selected_knows_who_was(timeline):
    issues = timeline.issues
    rest = issues["issue"] - issues["since"] - issues["throttled"] - issues["unit_busy"]
    found = 0
    for wait in issues[(rest > 0) & (issues["unit"] >= 0)][:20]:
        cycle = int(wait["issue"]) - 1
        reason = timeline.why(int(wait["warp"]) % 2, cycle, int(wait["warp"]) // 2)
        assert reason.state == "not_selected"
        (because,) = reason.because
        if "no other" in because:
            continue
        issued = int(because.rpartition("issued at ")[2].replace(",", ""))
        chosen = issues[(issues["issue"] == issued) & (issues["slot"] % 2 == wait["slot"] % 2)]
        assert len(chosen) and issued < wait["issue"] and chosen["end"].max() > wait["since"]
        found += 1
    assert found


def test_a_block_that_finds_no_place_waits_for_one_that_leaves(timeline):
    first = timeline.blocks[timeline.blocks["block"] == 5][0]
    reason = timeline.why(0, 0, block=5)
    assert (reason.state, reason.end) == ("not_started", first["begin"])
    assert f"at {first['begin']:,}" in reason.because[0] and "left that multiprocessor" in reason.because[1]
    last = timeline.blocks["end"].max()
    assert timeline.why(0, int(last) + 1, block=5).state == "ended"


def test_every_cycle_of_every_warp_has_the_reason_that_is_counted():
    run = launch(TimelineWindow("warps"), blocks=2)
    timeline, counted = run.timeline(), dict.fromkeys(STALLS, 0)
    for block in range(2):
        for warp in range(2):
            issues = timeline.issues[timeline.issues["warp"] == 2 * block + warp]
            cycle, last = int(issues["begin"].min()), int(issues["end"].max())
            while cycle < last:
                reason = timeline.why(warp, cycle, block)
                assert reason.begin <= cycle < reason.end
                counted[reason.state] += reason.end - cycle
                cycle = reason.end
    assert counted == run.counters.stalls


def test_what_was_not_recorded_is_not_guessed(run):
    window = launch(TimelineWindow("warps", cycles=(100, 200))).timeline()
    with pytest.raises(LaunchError, match="not recorded"):
        window.why(0, 2000)
    with pytest.raises(LaunchError, match="'warps'"):
        launch(True).timeline().why(0, 10)
    for wrong in ({"warp": 2, "cycle": 0}, {"warp": 0, "cycle": 0, "block": 6}, {"warp": -1, "cycle": 0}, {"warp": 0, "cycle": "x"}):
        with pytest.raises(LaunchError):
            run.timeline().why(**wrong)
