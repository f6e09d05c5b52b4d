"""What waits for what: streams, the default streams, events, the host."""
import pytest
from stage import Stage, ends, starts

from archdef.errors import HostError
from archdef.host import Event


def test_work_of_one_stream_runs_in_order():
    stage = Stage()
    (stream,) = stage.streams(1)
    stage.run(50, stream, name="first")
    stage.run(10, stream, name="second")
    stream.synchronize()
    assert starts(stage, "second") >= ends(stage, "first")


def test_work_of_two_streams_overlaps():
    stage = Stage()
    for number, stream in enumerate(stage.streams(2)):
        stage.run(50, stream, name=f"grid {number}")
    stage.context.synchronize()
    assert starts(stage, "grid 1") < ends(stage, "grid 0")


@pytest.mark.parametrize("default_first", [True, False])
def test_the_legacy_default_stream_and_blocking_streams_wait_for_each_other(default_first):
    stage = Stage()
    (stream,) = stage.streams(1)
    order = [None, stream] if default_first else [stream, None]
    for name, where in zip(("first", "second"), order, strict=True):
        stage.run(50, where, name=name)
    stage.context.synchronize()
    assert starts(stage, "second") >= ends(stage, "first")


@pytest.mark.parametrize("default_first", [True, False])
def test_a_stream_that_is_not_blocking_runs_beside_the_default_stream(default_first):
    stage = Stage()
    (stream,) = stage.streams(1, blocking=False)
    for name, where in zip(("first", "second"), [None, stream] if default_first else [stream, None], strict=True):
        stage.run(50, where, name=name)
    stage.context.synchronize()
    assert starts(stage, "second") < ends(stage, "first")


def test_the_default_stream_waits_for_every_blocking_stream():
    stage = Stage()
    for number, stream in enumerate(stage.streams(3)):
        stage.run(10 * (number + 1), stream, name=f"grid {number}")
    stage.run(5, None, name="default")
    stage.context.synchronize()
    assert starts(stage, "default") >= max(ends(stage, f"grid {n}") for n in range(3))


def test_the_threads_own_default_stream_is_a_blocking_stream():
    stage = Stage()
    mine = stage.context.per_thread()
    assert mine is stage.context.per_thread() and mine is not stage.context.default
    (other,) = stage.streams(1)
    stage.run(50, mine, name="mine")
    stage.run(50, other, name="other")
    stage.run(50, None, name="legacy")
    stage.context.synchronize()
    assert starts(stage, "other") < ends(stage, "mine")
    assert starts(stage, "legacy") >= ends(stage, "mine")


def test_each_thread_has_a_default_stream_of_its_own():
    from threading import Thread

    stage, found = Stage(), []
    for _ in range(2):
        thread = Thread(target=lambda: found.append(stage.context.per_thread()))
        thread.start()
        thread.join()
    assert found[0] is not found[1]


def test_a_stream_waits_for_an_event_of_another():
    stage = Stage()
    a, b = stage.streams(2)
    stage.run(80, a, name="before")
    event = a.record()
    stage.run(80, a, name="behind")
    b.wait_event(event)
    stage.run(10, b, name="waited")
    stage.context.synchronize()
    assert ends(stage, "before") <= starts(stage, "waited") < ends(stage, "behind")


def test_waiting_for_an_event_that_was_never_recorded_is_nothing():
    from archdef.host import Event

    stage = Stage()
    (stream,) = stage.streams(1)
    stream.wait_event(Event())
    stage.run(5, stream)
    stream.synchronize()
    assert len(stage.spans("kernel")) == 1


def test_a_stream_waits_for_the_record_that_was_last_when_it_asked():
    stage = Stage()
    a, b = stage.streams(2)
    stage.run(10, a, name="before")
    event = a.record()
    b.wait_event(event)
    stage.run(500, a)
    a.record(event)
    stage.run(5, b, name="waited")
    stage.context.synchronize()
    assert starts(stage, "waited") < 500


def test_events_measure_what_lies_between_them():
    stage = Stage()
    (stream,) = stage.streams(1)
    begin = stream.record()
    stage.run(100, stream)
    end = stream.record()
    with pytest.raises(HostError, match="not been reached"):
        end.elapsed_since(begin)
    end.synchronize()
    assert 100e-6 <= end.elapsed_since(begin) <= 110e-6


def test_an_event_without_timing_refuses_to_tell_the_time():
    from archdef.host import Event

    stage = Stage()
    (stream,) = stage.streams(1)
    event = stream.record(Event(timing=False))
    event.synchronize()
    with pytest.raises(HostError, match="without timing"):
        event.elapsed_since(event)


def test_the_host_goes_on_after_a_launch_and_waits_at_a_synchronise():
    stage = Stage()
    (stream,) = stage.streams(1)
    stage.run(1000, stream)
    assert stage.host.time_s < 20e-6
    assert not stream.done
    stream.synchronize()
    assert 1000e-6 < stage.host.time_s < 1020e-6
    assert stream.done


def test_polling_a_stream_comes_to_an_end():
    stage = Stage()
    (stream,) = stage.streams(1)
    stage.run(200, stream)
    polls = 0
    while not stream.done:
        polls += 1
    assert 50 < polls < 300
    assert len(stage.host.timeline().of("host")) < 5        # one span for the loop


def test_work_of_the_host_passes_while_the_device_runs():
    stage = Stage()
    (stream,) = stage.streams(1)
    stage.run(100, stream)
    stage.host.spend(300e-6, "prepare")
    before = stage.host.time_s
    stream.synchronize()
    assert stage.host.time_s - before < 5e-6


def test_host_functions_run_at_their_place_in_the_stream_and_must_not_call_back():
    stage = Stage()
    (stream,) = stage.streams(1)
    seen = []
    stage.run(10, stream, effect=lambda: seen.append("grid"))
    stream.call(seen.append, "function", seconds=20e-6)
    stage.run(10, stream, effect=lambda: seen.append("second"), name="second")
    assert seen == []
    stream.synchronize()
    assert seen == ["grid", "function", "second"]
    assert starts(stage, "second") > 30
    stream.call(lambda: stage.run(1, stream))
    with pytest.raises(HostError, match="must not call"):
        stream.synchronize()


def test_host_functions_may_ask_for_events_alone():
    """As on an H100: cudaEventQuery is 0 or 600 in one, cudaStreamQuery 800."""
    stage = Stage()
    (stream,) = stage.streams(1)
    first, last = stream.record(), Event("last")
    seen = []
    stream.call(lambda: seen.extend([first.done, last.done]))
    stream.record(last)
    now = stage.host.time_s
    stream.synchronize()
    assert seen == [True, False] and last.done and stage.host.time_s > now
    stream.call(lambda: stream.done)
    with pytest.raises(HostError, match="must not call"):
        stream.synchronize()


def test_a_stream_of_one_device_is_refused_by_another():
    one = Stage()
    two = Stage(host=one.host)
    with pytest.raises(HostError, match="h100"):
        one.run(5, two.streams(1)[0])
