"""Streams and events."""
from __future__ import annotations

from archdef.exec.calls import Thread, answers, float_bits
from archdef.host import Event, Stream
from archdef.runtime.status import STATUS


def _done(done: bool) -> int:
    return 0 if done else STATUS["NotReady"][0]


@answers("cudaStreamCreate")
def create_stream(thread: Thread, out: int) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.StreamCreate()))


@answers("cudaStreamCreateWithFlags")
def create_stream_with_flags(thread: Thread, out: int, flags: int) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.StreamCreateWithFlags(flags & 0xFFFFFFFF)))


@answers("cudaStreamCreateWithPriority")
def create_stream_with_priority(thread: Thread, out: int, flags: int, priority: int) -> None:
    """Make one. Devices say that they have one priority only, as cudaDeviceGetStreamPriorityRange does."""
    create_stream_with_flags(thread, out, flags)


@answers("cudaDeviceGetStreamPriorityRange")
def priority_range(thread: Thread, least: int, greatest: int) -> None:
    """Say that there is one priority."""
    for out in (least, greatest):
        if out:
            thread.memory.put_word(out, 0, 4)


@answers("cudaStreamDestroy")
def destroy_stream(thread: Thread, stream: int) -> None:
    """Give one up."""
    thread.runtime.StreamDestroy(thread.session.thing(stream, Stream))
    thread.session.forget(stream)


@answers("cudaStreamSynchronize", "cudaStreamSynchronize_ptsz")
def synchronize_stream(thread: Thread, stream: int) -> None:
    """Wait for one."""
    thread.runtime.StreamSynchronize(thread.session.stream(stream))


@answers("cudaStreamQuery")
def query_stream(thread: Thread, stream: int) -> int:
    """Say whether it has done all its work."""
    return _done(thread.runtime.StreamQuery(thread.session.stream(stream)))


@answers("cudaStreamIsCapturing", "cudaStreamIsCapturing_ptsz")
def is_capturing(thread: Thread, stream: int, out: int) -> None:
    """Say that it does not: nothing can be captured."""
    thread.session.stream(stream)
    thread.memory.put_word(out, 0, 4)


@answers("cudaStreamWaitEvent")
def wait_event(thread: Thread, stream: int, event: int, flags: int) -> None:
    """Let a stream wait for an event."""
    thread.runtime.StreamWaitEvent(thread.session.stream(stream), thread.session.thing(event, Event), flags & 0xFFFFFFFF)


@answers("cudaLaunchHostFunc", "cudaLaunchHostFunc_ptsz")
def launch_host_function(thread: Thread, stream: int, function: int, data: int) -> None:
    """Call a function of the program when the stream is there."""
    _call_back(thread, stream, function, data)


@answers("cudaStreamAddCallback", "cudaStreamAddCallback_ptsz")
def add_callback(thread: Thread, stream: int, function: int, data: int, flags: int) -> None:
    """Call a function of the program with the stream and a status when the stream is there."""
    _call_back(thread, stream, function, stream, 0, data)


def _call_back(thread: Thread, stream: int, function: int, *arguments: int) -> None:
    helper = thread.session.serve(thread)
    thread.runtime.LaunchHostFunc(thread.session.stream(stream), helper.expect(lambda: helper.call(function, *arguments)))


@answers("cudaEventCreate")
def create_event(thread: Thread, out: int) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.EventCreate()))


@answers("cudaEventCreateWithFlags")
def create_event_with_flags(thread: Thread, out: int, flags: int) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.EventCreateWithFlags(flags & 0xFFFFFFFF)))


@answers("cudaEventDestroy")
def destroy_event(thread: Thread, event: int) -> None:
    """Give one up."""
    thread.runtime.EventDestroy(thread.session.thing(event, Event))
    thread.session.forget(event)


@answers("cudaEventRecord", "cudaEventRecord_ptsz")
def record(thread: Thread, event: int, stream: int) -> None:
    """Record one in a stream."""
    thread.runtime.EventRecord(thread.session.thing(event, Event), thread.session.stream(stream))


@answers("cudaEventSynchronize")
def synchronize_event(thread: Thread, event: int) -> None:
    """Wait for one."""
    thread.runtime.EventSynchronize(thread.session.thing(event, Event))


@answers("cudaEventQuery")
def query_event(thread: Thread, event: int) -> int:
    """Say whether it was reached."""
    return _done(thread.runtime.EventQuery(thread.session.thing(event, Event)))


@answers("cudaEventElapsedTime", "cudaEventElapsedTime_v2")
def elapsed(thread: Thread, out: int, start: int, end: int) -> None:
    """Give the milliseconds between two."""
    thread.memory.put(out, float_bits(thread.runtime.EventElapsedTime(thread.session.thing(start, Event), thread.session.thing(end, Event))))


