"""The event model against an H100: every row of tests/data/h100/host.csv that the model has a number for."""
import csv
from pathlib import Path

import pytest
from stage import Stage

DATA = Path(__file__).parents[1] / "data" / "h100" / "host.csv"
with DATA.open() as _file:
    ROWS = [(r["section"], r["name"], int(r["parameter"]), float(r["value"])) for r in csv.DictReader(x for x in _file if x[0] != "#")
            if r["section"] != "section"]


def measured(section):
    return [(name, parameter, value) for s, name, parameter, value in ROWS if s == section]


def with_connections(connections):
    from archdef.host import Host

    return Stage("h100", Host(connections=connections))


@pytest.mark.parametrize("prefix, connections", [("connections_1_", 1), ("connections_2_", 2), ("", 8), ("connections_32_", 32)])
@pytest.mark.parametrize("each, us", [("one_2ms_kernel", 2000), ("two_1ms_kernels", 1000)])
def test_streams_share_work_queues_as_they_do_there(prefix, connections, each, us):
    for _, streams, expected in measured(f"{prefix}streams_of_{each}"):
        stage = with_connections(connections)
        for stream in stage.streams(streams, blocking=False):
            for _ in range(2000 // us):
                stage.run(us, stream)
        stage.context.synchronize()
        assert stage.host.time_s * 1e6 == pytest.approx(expected, rel=0.04), streams


@pytest.mark.parametrize("name, streams, expected", measured("overlap_64MiB_1600us_64MiB"))
def test_copies_and_kernels_overlap_as_they_do_there(name, streams, expected):
    stage, part = with_connections(8), (64 << 20) // streams
    lanes = stage.streams(streams, blocking=False)
    arrays, host = [stage.array(part) for _ in lanes], stage.pinned(part)
    steps = [lambda i: arrays[i].copy_from(host, lanes[i]), lambda i: stage.run(1600 / streams, lanes[i]),
             lambda i: arrays[i].copy_to(host, lanes[i])]
    order = [(s, i) for s in steps for i in range(streams)] if name == "breadth_first" else [(s, i) for i in range(streams) for s in steps]
    for step, i in order:
        step(i)
    stage.context.synchronize()
    assert stage.host.time_s * 1e6 == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("name, nbytes, expected", [row for row in measured("copy_in_a_row") if row[1] < 256 << 20])
def test_copies_in_a_row_take_as_long_as_there(name, nbytes, expected):
    stage = with_connections(8)
    (stream,) = stage.streams(1)
    array, host = stage.array(nbytes), stage.pinned(nbytes)
    stage.run(300, stream)
    for _ in range(16):
        (array.copy_from if name.endswith("h2d") else array.copy_to)(host, stream)
    stream.synchronize()
    spans = stage.spans("copy")
    each = (spans[-1].end_us - spans[0].start_us) / 16
    assert each == pytest.approx(expected, rel=0.1, abs=0.9)


def test_both_directions_share_the_link_as_they_do_there():
    expected = {name: value for name, _, value in measured("both_ways")}
    for name in ("h2d", "d2h", "h2d+d2h", "h2d+h2d"):
        stage = with_connections(8)
        host = stage.pinned(128 << 20)
        for stream, way in zip(stage.streams(2), name.split("+")):
            array = stage.array(128 << 20)
            (array.copy_from if way == "h2d" else array.copy_to)(host, stream)
        stage.context.synchronize()
        assert stage.host.timeline().makespan_us == pytest.approx(expected[name], rel=0.02), name


def test_a_launch_and_its_end_reach_the_host_as_late_as_there():
    expected = {name: value for name, _, value in measured("launch_latency")}
    stage = with_connections(8)
    (stream,) = stage.streams(1)
    stage.run(300, stream)
    stream.synchronize()
    (span,) = stage.spans("kernel")
    assert span.start_us == pytest.approx(expected["call_to_flag"], abs=1)
    assert stage.host.time_s * 1e6 - 300 == pytest.approx(expected["call_to_synchronise_less_kernel"], abs=1)


def test_kernels_follow_each_other_as_fast_as_there():
    expected = {(name, n): value for name, n, value in measured("turnaround")}
    stage = with_connections(8)
    a, b = stage.streams(2)
    for step in ("kernel", "kernel", "copy", "kernel", "event", "kernel"):
        if step == "kernel":
            stage.run(100, a)
        elif step == "copy":
            stage.array(64).copy_from(stage.pinned(64), a)
        else:
            b.wait_event(a.record())
            a = b
    stage.context.synchronize()
    one, two, three, four = stage.spans("kernel")
    assert two.start_us - one.end_us == pytest.approx(expected["kernel_kernel", 0], abs=0.3)
    assert three.start_us - two.end_us == pytest.approx(expected["kernel_copy64_kernel", 64], abs=0.3)
    assert four.start_us - three.end_us == pytest.approx(expected["kernel_event_kernel", 0], abs=0.3)


@pytest.mark.parametrize("name, nbytes, expected", [row for row in measured("async_call_behind_5ms") if row[1] > 1024])
def test_asynchronous_calls_block_the_host_where_they_do_there(name, nbytes, expected):
    import numpy as np

    stage = with_connections(8)
    (stream,) = stage.streams(1)
    array = stage.array(nbytes)
    host = stage.pinned(nbytes) if name.startswith("pinned") else np.zeros(nbytes, "u1")
    stage.run(5000, stream)
    before = stage.host.time_s
    (array.copy_from if name.endswith("h2d") else array.copy_to)(host, stream)
    took = (stage.host.time_s - before) * 1e6
    if expected > 5000:
        assert took == pytest.approx(expected, rel=0.35) and took > 5000
    else:
        assert took < 40
