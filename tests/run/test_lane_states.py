"""Is every cycle of every lane that lives coherent, on the first path, on the second path or stalled, and the right one of them?"""
import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import archdef
from archdef import LaneWindow, registry
from archdef.cli import main
from archdef.errors import LaunchError
from archdef.frontends import nvrtc
from archdef.lower import Options
from archdef.run.lanes import LaneState
from archdef.spec import ConvergenceBarriers, IpdomStack

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

A, C, F, S, W = LaneState
KERNELS = """
#define KERNEL(name) extern "C" __global__ void name(int *m, int n)
#define LANE int i = threadIdx.x % warpSize, a = m[threadIdx.x];
#define END m[threadIdx.x] = a;

KERNEL(straight) { LANE a = a * n + 1; END }
KERNEL(one_arm) { LANE if (i % 4 == 0) { a = m[i + 1] / n; } END }
KERNEL(two_arms) { LANE if (i % 4 == 0) a = m[i + 1] / n; else a = m[i + 2] % n; END }
KERNEL(nested) { LANE if (i % 2) { if (i % 4 == 1) a = m[i + 1] / n; else a = m[i + 2] % n; a += m[i + 3] / (n + 1); } END }
KERNEL(loop) { LANE for (int j = 0; j < i % 5; j++) a = a * 3 + m[a & 31]; END }
KERNEL(early) { LANE if (i % 3 == 0) return; a = a / n; END }
KERNEL(cases) { LANE switch (i & 3) { case 0: a = m[i + 1] / n; break; case 1: a = m[i + 2] % n; break; case 2: a = a / (n + 3); break;
                                      default: a = m[i + 4] * n / 7; } END }
__device__ __noinline__ int down(int *m, int d) { if (d <= 0) return m[1]; return down(m, d - 1 - (threadIdx.x & 1)) + m[2] * d; }
KERNEL(deep) { LANE a = down(m, 3 + i % 3); END }
KERNEL(block_barrier) { __shared__ int s[256]; LANE if (i % 2) a = a / n; s[threadIdx.x] = a; __syncthreads(); a = s[threadIdx.x ^ 1]; END }
KERNEL(lock) { LANE bool done = false;
    while (!done) { if (atomicCAS(m + 300, 0, 1) == 0) { ((volatile int *)m)[301] += 1; __threadfence(); atomicExch(m + 300, 0); done = true; } }
    END }
"""
STACK, SPLITS = IpdomStack(), ConvergenceBarriers()
EVERY = ("straight", "one_arm", "two_arms", "nested", "loop", "early", "cases", "deep", "block_barrier")
NO_PREDICATES = Options(predicate=False, unroll=False)


def launch(architecture, kernel, threads=None, grid=2, **options):
    device = archdef.Device(architecture)
    threads = threads or 3 * architecture.warp.size
    memory = device.to_device(np.where(np.arange(512) < 300, np.arange(1, 513), 0).astype("i4"))
    module = device.compile(KERNELS, lowering=NO_PREDICATES)
    return getattr(module, kernel)[grid, threads].launch(memory, 5, **options)


def every_warp(architecture, threads, grid=2):
    return [(block, warp) for block in range(grid) for warp in range(-(-threads // architecture.warp.size))]


def supported(architecture, kernel):
    try:
        return launch(architecture, kernel)
    except archdef.ArchdefError as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.parametrize("kernel", EVERY)
@pytest.mark.parametrize("name", registry.names())
def test_the_states_of_a_launch_add_up_to_its_living_lanes_times_cycles_and_instructions(name, kernel):
    architecture = registry.get(name)
    run = supported(architecture, kernel)
    counters = run.counters
    cycles, slots = counters.lane_cycles, counters.lane_slots
    assert min(*cycles.values(), *slots.values()) >= 0
    assert slots["coherent"] + slots["first_path"] + slots["second_path"] == counters.thread_instructions + counters.predicated_off
    if kernel not in ("early", "deep"):     # all lanes live as long as their warp
        assert sum(cycles.values()) == architecture.warp.size * int(counters.multiprocessor["warp_cycles"].sum())
        assert sum(slots.values()) == architecture.warp.size * counters.instructions
    for field in ("lane_cycles", "lane_slots"):
        of_lines = [getattr(line.counters, field) for line in run.lines]
        assert {state: sum(each[state] for each in of_lines) for state in cycles} == getattr(counters, field)


@pytest.mark.parametrize("kernel", EVERY)
@pytest.mark.parametrize("name", registry.names())
def test_a_trace_of_every_warp_adds_up_to_the_counters_of_the_launch(name, kernel):
    architecture = registry.get(name)
    reference = supported(architecture, kernel)
    threads = 2 * architecture.warp.size + 5
    warps = every_warp(architecture, threads)
    run = launch(architecture, kernel, threads, lanes=LaneWindow(warps, (0, 1 << 17)))
    plain = launch(architecture, kernel, threads)
    assert run.counters.lane_cycles == plain.counters.lane_cycles and run.cycles == plain.cycles
    assert run.lane_trace.lost == 0
    sums = dict.fromkeys(reference.counters.lane_cycles, 0)
    for block, warp in warps:
        for state, cycles in run.lane_trace.lane_cycles(warp, block).items():
            sums[state] += cycles
    assert sums == run.counters.lane_cycles


def steps(run, warp=0):
    """States of each lane, one row for each change."""
    rows = [step.states.tolist() for step in run.lane_trace.steps(warp)]
    return [row for k, row in enumerate(rows) if k == 0 or row != rows[k - 1]]


def pattern(size, state_of):
    return [int(state_of(lane)) for lane in range(size)]


BOTH = pytest.mark.parametrize("reconvergence", [STACK, SPLITS], ids=lambda policy: policy.short_name)
SIZES = pytest.mark.parametrize("size", [8, 32, 64])


def machine(reconvergence, size):
    """An installed machine with that policy and warp size."""
    for name in registry.names():
        architecture = registry.get(name)
        if architecture.warp.reconvergence == reconvergence:
            return architecture.evolve({"warp.size": size}) if architecture.warp.size != size else architecture
    pytest.skip("no such machine is installed")


@SIZES
@BOTH
def test_one_arm_is_the_first_path_and_those_who_skip_it_wait(reconvergence, size):
    run = launch(machine(reconvergence, size), "one_arm", size, lanes=LaneWindow())
    together, arm = pattern(size, lambda _: C), pattern(size, lambda lane: F if lane % 4 == 0 else W)
    assert steps(run) == [together, arm, together]


@SIZES
@BOTH
def test_the_arm_that_runs_first_is_the_first_path_and_the_other_the_second(reconvergence, size):
    run = launch(machine(reconvergence, size), "two_arms", size, lanes=LaneWindow())
    before, first, second, after = steps(run)
    assert before == after == pattern(size, lambda _: C)
    lanes_of_first = {lane for lane in range(size) if first[lane] == F}
    assert lanes_of_first in ({*range(0, size, 4)}, {*range(size)} - {*range(0, size, 4)})
    assert first == pattern(size, lambda lane: F if lane in lanes_of_first else W)
    assert second == pattern(size, lambda lane: W if lane in lanes_of_first else S)


@SIZES
@BOTH
def test_within_an_arm_the_innermost_branch_counts_and_behind_it_the_outer_one_again(reconvergence, size):
    run = launch(machine(reconvergence, size), "nested", size, lanes=LaneWindow())
    rows = steps(run)
    inside = pattern(size, lambda lane: F if lane % 2 else W)
    assert rows[0] == rows[-1] == pattern(size, lambda _: C)
    inner = [row for row in rows[1:-1] if row != inside]
    assert inside in rows[1:-1] and len(inner) == 2
    assert sorted(set(row) - {int(W)} for row in inner) == [{int(F)}, {int(S)}]
    assert [[lane for lane in range(size) if row[lane] != W] for row in inner] in (
        [[*range(1, size, 4)], [*range(3, size, 4)]], [[*range(3, size, 4)], [*range(1, size, 4)]])


@SIZES
@BOTH
def test_lanes_that_leave_a_loop_early_wait_for_those_on_the_first_path(reconvergence, size):
    run = launch(machine(reconvergence, size), "loop", size, lanes=LaneWindow(cycles=(0, 1 << 16)))
    rows = steps(run)
    turns = [pattern(size, lambda lane: F if lane % 5 > turn else W) for turn in range(4)]
    assert rows == [pattern(size, lambda _: C), *turns, pattern(size, lambda _: C)]


@SIZES
@BOTH
def test_lanes_that_are_left_when_the_others_have_ended_are_coherent(reconvergence, size):
    rows = steps(launch(machine(reconvergence, size), "early", size, lanes=LaneWindow()))
    assert rows[-1] == pattern(size, lambda lane: A if lane % 3 == 0 else C)
    assert rows[0] == pattern(size, lambda _: C)


@BOTH
def test_a_warp_that_waits_at_a_barrier_with_all_its_lanes_stays_coherent(reconvergence):
    architecture = machine(reconvergence, 32)
    run = launch(architecture, "block_barrier", 256, lanes=LaneWindow([0], (0, 1 << 16)))
    (line,) = (line for line in run.statements if line.text.startswith("bar.sync") or "barrier.sync" in line.text)
    states = line.counters.lane_cycles
    assert line.counters.stalls["barrier"] and states["coherent"] == sum(states.values())


def test_a_lane_that_leaves_a_spin_lock_goes_on_while_others_spin():
    """They have yielded: those who are past the meeting point are on the second path, those still inside on the first."""
    architecture = machine(SPLITS, 32)
    trace = launch(architecture, "lock", 32, 1, lanes=LaneWindow(cycles=(0, 1 << 18))).lane_trace
    seen = {state for row in trace.steps() for state in row.states.tolist()}
    assert trace.lost == 0 and {int(F), int(W)} <= seen
    running = [sum(state in (C, F, S) for state in step.states) for step in trace.steps()]
    assert all(running[:-1])


@settings(deadline=None, max_examples=25, derandomize=True, suppress_health_check=list(HealthCheck))
@given(size=st.integers(1, 64), threads=st.integers(1, 130), kernel=st.sampled_from([k for k in EVERY if k != "deep"]),
       reconvergence=st.sampled_from([STACK, SPLITS]))
def test_any_warp_size_conserves_lanes(size, threads, kernel, reconvergence):
    architecture = registry.get(registry.names()[0]).evolve({"warp.size": size, "warp.reconvergence": reconvergence})
    try:
        run = launch(architecture, kernel, threads, 1)
    except LaunchError:
        return
    warps = every_warp(architecture, threads, 1)
    run = launch(architecture, kernel, threads, 1, lanes=LaneWindow(warps, (0, 1 << 17)))
    states = np.concatenate([run.lane_trace.states(warp, block).ravel() for block, warp in warps])
    assert np.bincount(states, minlength=5)[1:].tolist() == list(run.counters.lane_cycles.values())
    slots = run.counters.lane_slots
    assert sum(slots.values()) - slots["stalled"] == run.counters.thread_instructions + run.counters.predicated_off


# ------------------------------------------------------------------------------------------------------- windows and output
def a_machine():
    return registry.get(registry.names()[0])


def test_a_window_shows_the_same_cycles_as_the_whole():
    architecture = a_machine()
    whole = launch(architecture, "two_arms", lanes=LaneWindow([1], (0, 1 << 14))).lane_trace
    part = launch(architecture, "two_arms", lanes=LaneWindow([1], (150, 700))).lane_trace
    for of in ("states", "issuing", "statements"):
        assert np.array_equal(getattr(part, of)(1), getattr(whole, of)(1)[150:700])
    assert part.steps(1)[0].begin >= 150 and part.steps(1)[-1].end <= 700
    assert sum(part.lane_cycles(1).values()) == int((part.states(1) != A).sum())


def test_cycles_that_issue_are_those_that_the_launch_counts_as_selected():
    architecture = a_machine()
    threads = 2 * architecture.warp.size
    run = launch(architecture, "nested", threads, lanes=LaneWindow(every_warp(architecture, threads), (0, 1 << 16)))
    issuing = sum(int(run.lane_trace.issuing(warp, block).sum()) for block, warp in run.lane_trace.window.warps)
    assert issuing == run.counters.stalls["selected"]


def test_records_beyond_the_budget_are_counted_and_cost_no_answer():
    architecture = a_machine()
    whole = launch(architecture, "loop", lanes=LaneWindow(0, (0, 1 << 16)))
    few = launch(architecture, "loop", lanes=LaneWindow(0, (0, 1 << 16), records=5))
    assert len(few.lane_trace.records) == 5 and few.lane_trace.lost == len(whole.lane_trace.records) - 5
    assert few.counters.lane_cycles == whole.counters.lane_cycles
    assert "found no room" in str(few.lane_trace)


@pytest.mark.parametrize("given, message", [
    ({"warps": [(2, 0)]}, "warp 0 of block 2 of straight: it has 2 blocks of 3 warps"), ({"warps": [3]}, "warp 3 of block 0"),
    ({"warps": [-1]}, "its number in block 0"), ({"cycles": (5, 5)}, "cycles to trace"), ({"cycles": (0, 1 << 40)}, "cycles to trace"),
    ({"records": 0}, "records of a trace"), ({"records": 1 << 40}, "records of a trace")])
def test_a_window_that_cannot_be_is_refused(given, message):
    with pytest.raises(LaunchError, match=message):
        launch(a_machine(), "straight", lanes=LaneWindow(**given))


def test_warps_that_nobody_chose_are_no_part_of_a_trace():
    trace = launch(a_machine(), "straight", lanes=LaneWindow([0, 2])).lane_trace
    assert {int(warp) for warp in trace.records["warp"]} == {0, 2}
    with pytest.raises(KeyError, match="warp 1 of block 0 was not traced"):
        trace.states(1)


def test_a_launch_in_a_stream_counts_cycles_from_its_own_begin():
    device = archdef.Device(a_machine())
    module, memory, stream = device.compile(KERNELS, lowering=NO_PREDICATES), device.to_device(np.arange(512, dtype="i4")), device.stream()
    alone = launch(a_machine(), "one_arm", device.architecture.warp.size, 1, lanes=LaneWindow())
    for _ in range(2):
        last = module.one_arm[1, device.architecture.warp.size, 0, stream].launch(memory, 5, lanes=LaneWindow())
    assert steps(last.result()) == steps(alone)


def test_the_command_line_charts_lanes_and_gives_them_as_json(tmp_path):
    source = tmp_path / "kernels.cu"
    source.write_text(KERNELS)
    architecture = a_machine()
    size = architecture.warp.size
    arguments = ["run", str(source), "two_arms", "-a", architecture.name, "-g", "1", "-b", str(size), "--arg", "m:i4[512]=range", "--arg", "5",
                 "--set", "isa.predication_max_instructions=0", "--lanes", "0", "--lane-cycles", "0:9000"]
    chart = CliRunner().invoke(main, arguments).output
    assert "C" * size in chart and ("2..." * (size // 4) in chart or "1..." * (size // 4) in chart)
    assert "lane cycles: coherent" in chart and "1 first path" in chart
    (found,) = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).output)
    (warp,) = found["lane_trace"]["warps"]
    assert warp["lane_cycles"] == found["lane_cycles"] and {len(step["lanes"]) for step in warp["steps"]} == {size}
    for wrong in (["--lanes", "x"], ["--lanes", "1:2:3"], ["--lane-cycles", "5"]):
        assert CliRunner().invoke(main, [*arguments, *wrong]).exit_code == 2
