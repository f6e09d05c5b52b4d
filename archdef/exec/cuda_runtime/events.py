"""Streams and events."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread, UInt, answers, float_bits
from archdef.host import Event, Stream
from archdef.runtime.status import STATUS, Refusal


def _done(done: bool) -> int:
    return 0 if done else STATUS["NotReady"][0]


@answers("cudaStreamCreate")
def create_stream(thread: Thread, out: int) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.StreamCreate()))


@answers("cudaStreamCreateWithFlags")
def create_stream_with_flags(thread: Thread, out: int, flags: UInt) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.StreamCreateWithFlags(flags)))


@answers("cudaStreamCreateWithPriority")
def create_stream_with_priority(thread: Thread, out: int, flags: UInt, priority: Int) -> None:
    """Make one. Devices say that they have one priority only, as cudaDeviceGetStreamPriorityRange does."""
    thread.memory.put_word(out, thread.session.handle(thread.runtime.StreamCreateWithPriority(flags, priority)))


@answers("cudaStreamGetPriority", "cudaStreamGetPriority_ptsz")
def get_priority(thread: Thread, stream: int, out: int) -> None:
    """Give its priority."""
    thread.memory.put_word(out, thread.runtime.StreamGetPriority(thread.session.stream(stream)), 4)


@answers("cudaStreamGetFlags", "cudaStreamGetFlags_ptsz")
def get_flags(thread: Thread, stream: int, out: int) -> None:
    """Give the flags that it was made with."""
    thread.memory.put_word(out, thread.runtime.StreamGetFlags(thread.session.stream(stream)), 4)


@answers("cudaStreamGetId", "cudaStreamGetId_ptsz")
def get_id(thread: Thread, stream: int, out: int) -> None:
    """Give a number that no other stream has."""
    thread.memory.put_word(out, thread.runtime.StreamGetId(thread.session.stream(stream)))


@answers("cudaStreamGetDevice", "cudaStreamGetDevice_ptsz")
def get_device(thread: Thread, stream: int, out: int) -> None:
    """Give the number of its device."""
    thread.memory.put_word(out, thread.runtime.StreamGetDevice(thread.session.stream(stream)), 4)


@answers("cudaStreamAttachMemAsync", "cudaStreamAttachMemAsync_ptsz")
def attach(thread: Thread, stream: int, address: int, nbytes: int, flags: UInt) -> None:
    """Check it. Both the program and the kernels of all streams see managed memory at any time, so that nothing has to be attached."""
    thread.session.stream(stream)
    if not thread.session.is_managed(address):
        raise Refusal("InvalidValue", f"{address:#x} is no managed memory")


@answers("cudaDeviceGetStreamPriorityRange")
def priority_range(thread: Thread, least: int, greatest: int) -> None:
    """Say that there is one priority."""
    for out in (least, greatest):
        if out:
            thread.memory.put_word(out, thread.runtime.DeviceGetStreamPriorityRange()[0], 4)


@answers("cudaStreamDestroy")
def destroy_stream(thread: Thread, stream: int) -> None:
    """Give one up."""
    thread.runtime.StreamDestroy(thread.session.thing(stream, Stream))
    thread.session.forget(stream)


@answers("cudaStreamSynchronize", "cudaStreamSynchronize_ptsz")
def synchronize_stream(thread: Thread, stream: int) -> None:
    """Wait for one."""
    thread.runtime.StreamSynchronize(thread.session.stream(stream))


@answers("cudaStreamQuery", "cudaStreamQuery_ptsz")
def query_stream(thread: Thread, stream: int) -> int:
    """Say whether it has done all its work."""
    return _done(thread.runtime.StreamQuery(thread.session.stream(stream)))


@answers("cudaStreamWaitEvent", "cudaStreamWaitEvent_ptsz")
def wait_event(thread: Thread, stream: int, event: int, flags: UInt) -> None:
    """Let a stream wait for an event."""
    thread.runtime.StreamWaitEvent(thread.session.stream(stream), thread.session.thing(event, Event), flags)


@answers("cudaLaunchHostFunc", "cudaLaunchHostFunc_ptsz")
def launch_host_function(thread: Thread, stream: int, function: int, data: int) -> None:
    """Call a function of the program when the stream is there."""
    _call_back(thread, stream, function, data)


@answers("cudaLaunchHostFunc_v2", "cudaLaunchHostFunc_v2_ptsz")
def launch_host_function_waiting(thread: Thread, stream: int, function: int, data: int, waiting: UInt) -> None:
    """The same, and how the host waits for the stream, which changes nothing here."""
    _call_back(thread, stream, function, data)


@answers("cudaStreamAddCallback", "cudaStreamAddCallback_ptsz")
def add_callback(thread: Thread, stream: int, function: int, data: int, flags: UInt) -> None:
    """Call a function of the program with the stream and a status when the stream is there."""
    _call_back(thread, stream, function, stream, 0, data)


def _call_back(thread: Thread, stream: int, function: int, *arguments: int) -> None:
    if not function:
        raise Refusal("InvalidValue", "no function to call")
    called, issued = thread.session.serve(thread).expected(function, *arguments)
    thread.runtime.LaunchHostFunc(thread.session.stream(stream), called, issued=issued)


@answers("cudaEventCreate")
def create_event(thread: Thread, out: int) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.EventCreate()))


@answers("cudaEventCreateWithFlags")
def create_event_with_flags(thread: Thread, out: int, flags: UInt) -> None:
    """Make one."""
    thread.memory.put_word(out, thread.session.handle_of(thread.runtime.EventCreateWithFlags(flags)))


@answers("cudaEventDestroy")
def destroy_event(thread: Thread, event: int) -> None:
    """Give one up."""
    found = thread.session.thing(event, Event)
    thread.runtime.EventDestroy(found)
    thread.session.forget_thing(found)


@answers("cudaEventRecordWithFlags", "cudaEventRecordWithFlags_ptsz")
def record_with_flags(thread: Thread, event: int, stream: int, flags: UInt) -> None:
    """Record one in a stream, or in the graph that it becomes."""
    thread.runtime.EventRecordWithFlags(thread.session.thing(event, Event), thread.session.stream(stream), flags)


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


