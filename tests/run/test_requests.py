"""Are single requests to memory recorded as they are counted, and does the reason why a warp waits name the one that holds it, and what is ahead of it?"""
import json

import numpy as np
import pytest
from click.testing import CliRunner

import archdef
from archdef import TimelineWindow, registry
from archdef.cli import main
from archdef.errors import LaunchError
from archdef.frontends import nvrtc
from archdef.host import Host
from archdef.metrics.counters import STALLS
from archdef.run.requests import KINDS, STAGES

MACHINES = [name for name in ("gt200", "h100") if name in registry.names()]
pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")]
SOURCE = """
extern "C" __global__ void crowd(float *out, const float *in, int steps, int loads, int apart)
{
    float v = 0;
    if (threadIdx.x >= 32 || blockIdx.x > 0) {
        for (int k = 0; k < loads; k++)
            v += in[((blockIdx.x * loads + k) * blockDim.x + threadIdx.x) * apart];
    } else {
        for (int i = 0; i < steps; i++)
            v = v * 1.5f + 2.0f;
        v += in[((gridDim.x * loads + blockIdx.x) * blockDim.x + threadIdx.x) * apart + (int)(v * 0.0f)];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

extern "C" __global__ void late(float *out, const float *in, int steps)
{
    __shared__ float s[64];
    float v = in[threadIdx.x];
    if (threadIdx.x >= 32)
        for (int i = 0; i < steps; i++)
            v = v * 1.5f + 2.0f;
    s[threadIdx.x] = v;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

extern "C" __global__ void conflict(float *out, const float *in)
{
    __shared__ float s[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += 32)
        s[i] = in[i];
    __syncthreads();
    float v = s[threadIdx.x * 32];
    out[threadIdx.x] = v + 1.0f;
}
"""
CROWD, VICTIM = 7, 11       # their lines
BLOCKS, CROWDED = {"gt200": 60, "h100": 132}, (4, 2, 32)
EVERYTHING = TimelineWindow("requests", records=1 << 18)


def launch(machine, kernel, threads, *numbers, timeline=EVERYTHING, blocks=1, size=1 << 20):
    device = archdef.Device(machine)
    out, values = device.zeros(blocks * threads, "f4"), device.to_device(np.ones(size, "f4"))
    return device.compile(SOURCE)[kernel][blocks, threads].launch(out, values, *numbers, timeline=timeline)


def wait(timeline, warp, cause):
    """The longest wait of a warp for a cause."""
    mine = timeline.issues[(timeline.issues["warp"] == warp) & (timeline.issues["cause"] == STALLS.index(cause))]
    return mine[np.argmax(mine["since"] - mine["begin"])]


@pytest.fixture(scope="module", params=MACHINES)
def machine(request):
    return request.param


@pytest.fixture(scope="module")
def crowd(machine):
    """All warps but one load from as many lines as they have lanes, and that one from its own a little later."""
    return launch(machine, "crowd", 256, *CROWDED, blocks=BLOCKS[machine], size=1 << 22)


# ------------------------------------------------------------------------------------------------------------ what is counted
def test_recorded_requests_are_those_that_partitions_count(crowd):
    requests = crowd.timeline().requests
    assert crowd.timeline().lost == 0 and len(requests) > 100
    own = requests[requests["gathered"] == 0]
    assert np.bincount(own["partition"], minlength=len(crowd.partition)).tolist() == crowd.partition["requests"].tolist()
    stores = own[own["kind"] == KINDS.index("write")]
    assert stores["bytes"].sum() == crowd.counters.partition["bytes_given"].sum()
    assert own["bytes"].sum() - stores["bytes"].sum() == crowd.counters.partition["bytes_asked"].sum()


def test_each_statement_has_the_requests_of_its_transactions():
    run = launch("gt200", "crowd", 256, *CROWDED) if "gt200" in MACHINES else pytest.skip("needs a machine without L1")
    requests, counted = run.timeline().requests, run.counters.statements
    for kind, field in (("read", "global_load_transactions"), ("write", "global_store_transactions")):
        of = requests[(requests["kind"] == KINDS.index(kind)) & (requests["warp"] >= 0)]
        assert np.bincount(of["statement"], minlength=len(counted)).tolist() == counted[field].tolist() and len(of)


def test_stages_follow_each_other(crowd):
    requests = crowd.timeline().requests
    before = requests["begun"]
    for field, _ in STAGES:
        passed = requests[field] >= 0
        assert (requests[field] >= before)[passed & (before >= 0)].all(), field
        before = np.where(passed, requests[field], before)
    assert (requests["answered"] >= 0).all() and requests["answered"].max() <= crowd.cycles + 1
    refused = requests[requests["refused"] >= 0]
    assert ((refused["sent"] <= refused["refused"]) & (refused["refused"] <= refused["left"])).all()


def test_an_access_of_a_warp_has_begun_when_it_was_issued_or_later(crowd):
    timeline = crowd.timeline()
    for request in timeline.requests[timeline.requests["warp"] >= 0][:200]:
        issues = timeline.issues[(timeline.issues["warp"] == request["warp"]) & (timeline.issues["statement"] == request["statement"])]
        assert (issues["issue"] <= request["begun"]).any() and request["begun"] <= request["sent"]


def test_a_window_has_the_requests_that_were_sent_in_it(machine, crowd):
    every = crowd.timeline().requests
    first, last = int(np.quantile(every["sent"], 0.3)), int(np.quantile(every["sent"], 0.6))
    some = launch(machine, "crowd", 256, *CROWDED, timeline=TimelineWindow("requests", (first, last), records=50), blocks=BLOCKS[machine], size=1 << 22)
    timeline = some.timeline()
    inside = every[(every["sent"] >= first) & (every["sent"] < last)]
    assert len(timeline.requests) == min(50, len(inside)) and timeline.record.requests_lost == max(len(inside) - 50, 0)
    for field in ("sent", "left", "arrived", "answered", "warp", "address"):
        assert np.array_equal(timeline.requests[field], inside[field][:50]), field


# ---------------------------------------------------------------------------------------------------------------------- why
def test_a_load_waits_behind_the_requests_of_the_line_that_fills_the_queue(crowd):
    timeline, found = crowd.timeline(), []
    held = wait(timeline, 0, "memory_dependency")
    for cycle in np.linspace(int(held["begin"]), int(held["since"]) - 1, 40).astype(int):
        reason = crowd.why(0, int(cycle))
        if reason.request is not None and reason.request.fillers:
            assert reason.state == "memory_dependency" and reason.request.line.endswith(f":{VICTIM}")
            found.append(reason)
    assert found, "it is somewhere behind others"
    reason = max(found, key=lambda each: each.request.fillers[0].requests)
    most = reason.request.fillers[0]
    assert most.line.endswith(f":{CROWD}") and "ld.global" in most.statement and most.warp > 0 and most.requests > 1
    assert f":{CROWD} `ld.global" in str(reason) and "ahead of it in" in str(reason)
    assert reason.to_dict()["request"]["fillers"][0]["requests"] == most.requests


def test_a_load_of_long_latency_goes_from_stage_to_stage_until_its_answer(machine):
    run = launch(machine, "crowd", 32, 0, 1, 32)
    held = wait(run.timeline(), 0, "memory_dependency")
    cycle, stages, ends = int(held["begin"]), [], []
    while cycle < held["since"]:
        request = run.why(0, cycle).request
        if request is None or request.end < 0:
            break
        stages.append(request.stage)
        ends.append(request.end)
        cycle = max(request.end, cycle + 1)
    order = [stage for _, stage in STAGES]
    assert [order.index(stage) for stage in stages] == sorted(order.index(stage) for stage in stages)
    assert stages[-1] == "return" and {"network", "return"} <= set(stages)
    assert ends[-1] == run.timeline().requests["answered"][run.timeline().requests["kind"] == 0].max() <= held["since"]


def test_a_warp_at_a_barrier_waits_for_the_one_that_comes_last(machine):
    run = launch(machine, "late", 64, 60)
    held = wait(run.timeline(), 0, "barrier")
    reason = run.why(0, (int(held["begin"]) + int(held["end"])) // 2)
    assert reason.state == "barrier" and "warp 1 of block 0" in reason.because[0]
    assert reason.behind is not None and reason.behind.warp == 1 and ":21" in reason.behind.line


def test_a_value_in_shared_memory_comes_late_because_of_bank_conflicts(machine):
    run = launch(machine, "conflict", 32)
    held = wait(run.timeline(), 0, "shared_dependency")
    reason = run.why(0, int(held["begin"]))
    of = run.counters.statements
    loads = of[of["shared_loads"] > 0]
    passes = int(loads["shared_load_passes"].sum())
    assert passes > loads["shared_load_groups"].sum()
    assert "ld.shared" in reason.because[0] and f"{passes:.1f} passes over the banks" in reason.because[0]


def test_what_is_not_recorded_says_how_to_record_it(machine):
    run = launch(machine, "conflict", 32, timeline=None)
    with pytest.raises(LaunchError, match=r"timeline=archdef.TimelineWindow\('requests', cycles=\(0, 16484\)"):
        run.why(0, 100)
    with pytest.raises(LaunchError, match="'requests'"):
        launch(machine, "conflict", 32, timeline=True).why(0, 100)


@pytest.mark.skipif("h100" not in MACHINES, reason="needs a machine that runs kernels of two streams together")
def test_requests_of_two_launches_at_a_time_are_refused():
    device = archdef.Device("h100", host=Host())
    kernel, arrays = device.compile(SOURCE).late, [device.zeros(64, "f4") for _ in range(4)]
    with pytest.raises(LaunchError, match="one launch at a time"):
        for k in range(2):
            kernel[1, 64, 0, device.stream()].launch(arrays[2 * k], arrays[2 * k + 1], 20000, timeline=EVERYTHING)
        device.synchronize()


# -------------------------------------------------------------------------------------------------------------- heat maps
def test_the_activity_of_partitions_is_what_their_buses_were_busy(crowd):
    timeline = crowd.timeline()
    cycles, busy, unit = timeline.partition_activity()
    assert busy.shape == (len(cycles), len(crowd.partition)) and np.array_equal(cycles, timeline.begins) and "%" in unit
    period_fs = crowd.counters.elapsed_s * 1e15 / crowd.cycles
    assert np.allclose((busy / 100 * timeline.lengths[:, None] * period_fs).sum(axis=0), crowd.counters.partition["busy_fs"])


def test_banks_serve_the_words_that_lanes_ask_for(machine):
    run = launch(machine, "conflict", 32, timeline=TimelineWindow("units"))
    timeline = run.timeline()
    cycles, words, unit = timeline.bank_activity()
    banks = run.architecture.shared.banks
    assert words.shape == (len(cycles), banks) and "words" in unit
    served = (words * timeline.lengths[:, None]).sum(axis=0)
    every = np.bincount(np.concatenate([np.arange(32 * 33), np.arange(32) * 32]) % banks, minlength=banks)
    assert np.allclose(served, every)
    with pytest.raises(LaunchError, match="'units'"):
        launch(machine, "conflict", 32, timeline=True).timeline().bank_activity()


# ----------------------------------------------------------------------------------------------------------------- command
def test_the_command_makes_the_launch_and_says_why(machine, crowd, tmp_path):
    source = tmp_path / "k.cu"
    source.write_text(SOURCE)
    words = ["why", str(source), "conflict", "-a", machine, "-g", "1", "-b", "32", "--arg", "f4[32]", "--arg", "f4[2048]=ones"]
    run = launch(machine, "conflict", 32, size=2048)
    cycle = int(wait(run.timeline(), 0, "memory_dependency")["begin"]) + 1
    done = CliRunner().invoke(main, [*words, "--warp", "0", "--cycle", str(cycle), "--json"])
    assert done.exit_code == 0, done.output
    (answer,) = json.loads(done.stdout)
    assert answer["reason"]["state"] == "memory_dependency" and answer["reason"]["cycle"] == cycle and answer["reason"]["request"]["kind"] == "read"
    told = CliRunner().invoke(main, [*words, "--warp", "0:0", "--cycle", str(cycle)])
    assert told.exit_code == 0 and "waits (memory dependency)" in told.output and "under way" in told.output
    over = CliRunner().invoke(main, [*words, "--warp", "0", "--cycle", str(10**9)])
    assert over.exit_code == 2 and "is over after" in over.output
    absent = CliRunner().invoke(main, [*words, "--warp", "7", "--cycle", "10"])
    assert absent.exit_code == 2 and "there is no warp 7" in absent.output
