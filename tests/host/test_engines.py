"""Copy engines, work queues and concurrent grids, by how many of them the description declares."""
import pytest
from stage import Stage
import itertools

MB = 1 << 20


def pipeline(stage, parts, breadth_first, us=400, nbytes=8 * MB, kinds=("in", "run", "out")):
    """Copy in, run, copy out, cut into parts of a stream each; gives the makespan in microseconds."""
    streams = stage.streams(parts)
    part = nbytes // parts
    arrays, hosts = [stage.array(part) for _ in streams], [stage.pinned(part) for _ in streams]
    steps = {"in": lambda i: arrays[i].copy_from(hosts[i], streams[i]), "run": lambda i: stage.run(us / parts, streams[i]),
             "out": lambda i: arrays[i].copy_to(hosts[i], streams[i])}
    order = [(k, i) for k in kinds for i in range(parts)] if breadth_first else [(k, i) for i in range(parts) for k in kinds]
    for kind, i in order:
        steps[kind](i)
    stage.context.synchronize()
    return stage.host.timeline().makespan_us


def overlap(spans):
    spans = sorted(spans, key=lambda s: s.start)
    return any(b.start < a.end for a, b in itertools.pairwise(spans))


def of(stage, direction):
    return [s for s in stage.spans("copy") if s.name.startswith(f"copy to {direction}")]


@pytest.mark.parametrize("grids, queues", [(1, 1), (16, 32)])
def test_without_copy_engines_copies_and_kernels_take_turns(grids, queues):
    stage = Stage(copy_engines=0, concurrent_grids=grids, work_queues=queues)
    pipeline(stage, 4, breadth_first=True)
    copies, kernels = stage.spans("copy"), stage.spans("kernel")
    assert not overlap(copies)
    assert not any(k.start < c.end and c.start < k.end for c in copies for k in kernels)


def test_with_one_engine_copies_run_beside_kernels_but_not_beside_copies():
    stage = Stage(copy_engines=1, concurrent_grids=1, work_queues=1)
    pipeline(stage, 4, breadth_first=True)
    assert not overlap(stage.spans("copy"))
    assert overlap(stage.spans("copy") + stage.spans("kernel"))


def test_with_two_engines_both_directions_run_at_a_time_and_each_alone():
    stage = Stage(copy_engines=2)
    pipeline(stage, 4, breadth_first=False)
    assert not overlap(of(stage, "device")) and not overlap(of(stage, "host"))
    assert overlap(stage.spans("copy"))


def test_depth_first_issue_gains_nothing_on_one_copy_engine_and_one_work_queue():
    serial = pipeline(Stage(copy_engines=1, work_queues=1, concurrent_grids=1), 1, False)
    depth = pipeline(Stage(copy_engines=1, work_queues=1, concurrent_grids=1), 4, False)
    breadth = pipeline(Stage(copy_engines=1, work_queues=1, concurrent_grids=1), 4, True)
    assert depth > 0.95 * serial
    assert breadth < 0.85 * serial


def test_with_a_work_queue_per_stream_the_order_of_issue_matters_little():
    depth = pipeline(Stage(copy_engines=2, work_queues=32), 4, False)
    breadth = pipeline(Stage(copy_engines=2, work_queues=32), 4, True)
    assert depth == pytest.approx(breadth, rel=0.05)


def test_copies_of_opposite_directions_slow_each_other_down_as_declared():
    stage = Stage(copy_engines=2, duplex_ratio=0.5, latency_us=0, pinned_h2d_gb_s=8, pinned_d2h_gb_s=8)
    a, b = stage.streams(2)
    x, y, hx, hy = stage.array(8 * MB), stage.array(8 * MB), stage.pinned(8 * MB), stage.pinned(8 * MB)
    x.copy_from(hx, a)
    y.copy_to(hy, b)
    stage.context.synchronize()
    alone = 8 * MB / 8e3
    for span in stage.spans("copy"):
        assert span.duration_us == pytest.approx(2 * alone, rel=0.01)


def test_a_copy_regains_its_rate_when_the_other_ends():
    stage = Stage(copy_engines=2, duplex_ratio=0.5, latency_us=0, pinned_h2d_gb_s=8, pinned_d2h_gb_s=8)
    a, b = stage.streams(2)
    x, y, hx, hy = stage.array(8 * MB), stage.array(2 * MB), stage.pinned(8 * MB), stage.pinned(2 * MB)
    x.copy_from(hx, a)
    y.copy_to(hy, b)
    stage.context.synchronize()
    (long,) = of(stage, "device")
    assert long.duration_us == pytest.approx(10 * MB / 8e3, rel=0.01)      # 2 MB of it at half the rate


@pytest.mark.parametrize("most", [1, 4, 16])
def test_no_more_grids_run_at_a_time_than_are_declared(most):
    stage = Stage(concurrent_grids=most, work_queues=32)
    stage.host.connections = stage.context.connections = 32
    for stream in stage.streams(20):
        stage.run(1000, stream)
    stage.context.synchronize()
    spans = stage.spans("kernel")
    running = max(sum(s.start <= t.start < s.end for s in spans) for t in spans)
    assert running == most


def test_streams_that_share_a_work_queue_wait_for_each_other():
    lone, shared = Stage(work_queues=2), Stage(work_queues=1)
    for stage in (lone, shared):
        a, b = stage.streams(2)
        stage.run(1000, a)
        stage.run(1000, a)      # waits, and holds up what is behind it in the queue
        stage.run(1000, b)
        stage.run(1000, b)
        stage.context.synchronize()
    assert lone.host.timeline().makespan_us < 2100 < 2900 < shared.host.timeline().makespan_us


@pytest.mark.parametrize("late", [True, False])
def test_the_end_of_a_kernel_is_known_late_where_kernels_follow_it_directly(late):
    stage = Stage(copy_engines=2, work_queues=1, late_kernel_signals=late)
    pipeline(stage, 4, breadth_first=True, us=400, nbytes=8 * MB)
    kernels, out = stage.spans("kernel"), of(stage, "host")
    assert (min(s.start for s in out) >= max(s.end for s in kernels)) is late


def test_an_event_between_kernels_parts_them():
    stage = Stage(copy_engines=2, work_queues=1, late_kernel_signals=True)
    a, b = stage.streams(2)
    array, host = stage.array(MB), stage.pinned(MB)
    stage.run(100, a)
    a.record()
    stage.run(1000, b)
    array.copy_to(host, a)
    stage.context.synchronize()
    assert of(stage, "host")[0].end < max(s.end for s in stage.spans("kernel"))


def test_a_copy_from_ordinary_memory_makes_the_host_wait_unless_it_is_small():
    import numpy as np

    stage = Stage(staging_bytes=64 << 10)
    (stream,) = stage.streams(1)
    for nbytes, waits in ((64 << 10, False), (1 << 20, True)):
        array, data = stage.array(nbytes), np.full(nbytes, 7, "u1")
        stage.run(5000, stream)
        before = stage.host.time_s
        array.copy_from(data, stream)
        assert (stage.host.time_s - before > 4e-3) is waits
        data[:] = 0             # staged, or done: the buffer is free again
        stream.synchronize()
        assert (array.to_host() == 7).all()


def test_bytes_of_a_pinned_copy_move_when_it_ends():
    stage = Stage()
    (stream,) = stage.streams(1)
    array, out, data = stage.array(64), stage.pinned(64), stage.pinned(64)
    data[:] = 1
    array.copy_from(data, stream)
    array.copy_to(out, stream)
    data[:] = 2                 # a race on hardware; here the bytes are those of the end
    assert (out == 0).all()
    stream.synchronize()
    assert (out == 2).all()


def test_views_of_pinned_memory_are_pinned_and_copies_of_it_are_not():
    from archdef.host.pinned import is_pinned

    stage = Stage()
    data = stage.pinned(4096)
    assert is_pinned(data) and is_pinned(data[100:200]) and is_pinned(data.view("f4").reshape(32, 32))
    assert not is_pinned(data.copy()) and not is_pinned(data + 1)


def test_pinned_memory_is_forgotten_when_nobody_holds_it():
    import gc

    from archdef.host import pinned

    data = Stage().pinned(1 << 20)
    address = data.ctypes.data
    assert address in pinned._ends
    view = data[10:]
    del data
    gc.collect()
    assert address in pinned._ends
    del view
    gc.collect()
    assert address not in pinned._ends
