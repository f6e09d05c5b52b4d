"""What holds for every program of streams: engines, order, bounds, and data that do not depend on who waits when."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stage import Stage
import itertools

STEP = st.tuples(st.sampled_from(["in", "out", "run", "zero", "record", "wait"]), st.integers(0, 3), st.integers(1, 40))
MACHINES = [dict(copy_engines=0, work_queues=1, concurrent_grids=1), dict(copy_engines=1, work_queues=1, concurrent_grids=16),
            dict(copy_engines=2, work_queues=1, concurrent_grids=16), dict(copy_engines=3, work_queues=32, concurrent_grids=128)]


def play(program, machine, waits=()):
    """Run a program; each stream has arrays of its own, so it has no races. Gives the stage, what the host got, and the streams."""
    stage = Stage(**machine)
    streams = [*stage.streams(3), stage.context.default]
    arrays, hosts, outs = ([make(64 << 10) for _ in streams] for make in (stage.array, stage.pinned, stage.pinned))
    for n, host in enumerate(hosts):
        host[:] = n + 1
    events, memory = [], stage.memory

    def scale(array):
        data = np.empty(array.nbytes, "u1")
        memory.read(array.address, data)
        memory.write(array.address, data * np.uint8(3) + np.uint8(1))

    for place, (what, n, size) in enumerate(program):
        stream, array = streams[n], arrays[n]
        if what == "in":
            array.copy_from(hosts[n], stream)
        elif what == "out":
            array.copy_to(outs[n], stream)
        elif what == "run":
            stage.run(size, stream, effect=lambda array=array: scale(array))
        elif what == "zero":
            array.zero(stream)
        elif what == "record":
            events.append(stream.record())
        elif events:
            stream.wait_event(events[size % len(events)])
        if place in waits:
            stream.synchronize()
    stage.context.synchronize()
    return stage, np.concatenate(outs + [a.to_host() for a in arrays]), streams


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: f"{m['copy_engines']} engines, {m['work_queues']} queues")
@settings(max_examples=25, deadline=None)
@given(program=st.lists(STEP, min_size=1, max_size=25))
def test_engines_do_one_thing_at_a_time_and_streams_keep_their_order(program, machine):
    stage, _, streams = play(program, machine)
    spans = stage.spans()
    for row in {s.row for s in spans} - {"kernels", "events"}:
        mine = sorted((s for s in spans if s.row == row), key=lambda s: s.start)
        assert all(a.end <= b.start for a, b in itertools.pairwise(mine))
    kernels = [s for s in spans if s.row == "kernels"]
    assert all(sum(s.start <= t.start < s.end for s in kernels) <= machine["concurrent_grids"] for t in kernels)
    for stream in streams:
        mine = [s for s in spans if s.stream == stream.label]
        assert all(a.end <= b.start for a, b in itertools.pairwise(mine))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: f"{m['copy_engines']} engines, {m['work_queues']} queues")
@settings(max_examples=25, deadline=None)
@given(program=st.lists(STEP, min_size=1, max_size=25), waits=st.sets(st.integers(0, 24)))
def test_what_comes_out_does_not_depend_on_who_waits_when(program, machine, waits):
    _, without, _ = play(program, machine)
    _, with_waits, _ = play(program, machine, waits)
    assert np.array_equal(without, with_waits)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: f"{m['copy_engines']} engines, {m['work_queues']} queues")
@settings(max_examples=25, deadline=None)
@given(program=st.lists(STEP, min_size=1, max_size=25))
def test_the_whole_takes_at_least_the_longest_stream_and_at_most_the_sum(program, machine):
    stage, _, streams = play(program, machine)
    line = stage.host.timeline()
    if not line.work:
        return
    chains = [sum(s.duration_us for s in line.of(stage.context.label, stream=stream.label)) for stream in streams]
    gaps = (len(program) + 8) * (stage.context.dependency_fs + stage.context.submit_fs + 2 * stage.context.launch_fs) / 1e9
    total = sum(s.duration_us for s in line.work) + sum(s.duration_us for s in line if s.place == "host")
    assert max(chains) <= stage.host.time_s * 1e6 + 1e-6
    assert line.makespan_us <= total + gaps


@settings(max_examples=25, deadline=None)
@given(program=st.lists(STEP, min_size=1, max_size=25))
def test_a_program_gives_the_same_times_again(program):
    (one, _, _), (two, _, _) = play(program, MACHINES[2]), play(program, MACHINES[2])
    assert one.host.timeline().to_dict() == two.host.timeline().to_dict()
