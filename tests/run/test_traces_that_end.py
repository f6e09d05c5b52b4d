"""Does what is recorded of one launch end with it, though the machine goes on with others, and stays what it was when the machine is gone?"""
import gc

import numpy as np
import pytest

import archdef
from archdef import TimelineWindow, registry
from archdef.frontends import nvrtc
from archdef.run.requests import STAGES

MACHINES = [name for name in ("gt200", "h100") if name in registry.names()]
pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")]
SOURCE = """
extern "C" __global__ void stream(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i * 32];
}
"""
REQUESTS = TimelineWindow("requests", records=1 << 14)


@pytest.fixture(params=MACHINES)
def grid(request):
    """Give what prepares a launch of so many blocks over so many numbers."""
    device = archdef.Device(request.param)
    kernel, values = device.compile(SOURCE)["stream"], device.zeros(1 << 22, "f4")
    return lambda blocks, count, timeline=None: kernel[blocks, 128].prepare(device.zeros(count, "f4"), values, count, timeline=timeline)


def test_requests_that_are_under_way_when_a_trace_ends_are_in_no_later_one(grid):
    crowd, first, second = grid(60, 1 << 17), grid(1, 128, REQUESTS), grid(1, 128, REQUESTS)
    session = crowd.session(launches=3)
    running = crowd.start(session)
    for short in (first, second):
        mine = short.start(session)
        while not mine.complete:
            session.advance(until_cycle=session.cycle + 20)
        assert mine in session.finished() and not running.complete
        session.advance(until_cycle=session.cycle + 100)        # nothing is recorded meanwhile
        requests = short.recorder.memory_requests()
        assert len(requests) > 8 and (requests["sent"] >= 0).all()
        assert {*np.unique(requests["serial"])} > {mine.number + 1}, "requests of the crowd are among them"
        before = np.zeros(len(requests), np.int64)
        for field, _ in STAGES:
            passed = requests[field] >= 0
            assert (requests[field] >= before)[passed].all(), field
            before = np.where(passed, requests[field], before)
    while session.advance():
        pass
    assert running in session.finished()


def test_a_timeline_can_be_read_when_the_machine_is_gone(grid):
    alone = grid(4, 1 << 12, TimelineWindow("units"))
    session = alone.session()
    running = alone.start(session)
    while session.advance():
        pass
    session.finished()
    recorder, cycles = alone.recorder, session.result(running)["cycles"]
    sums = recorder.sums()
    assert cycles > 0
    alone.engine = alone.running = None
    del session, running
    gc.collect()
    grid(30, 1 << 14).run()         # its machine may be where the other one was
    for then, now in zip(sums, recorder.sums(), strict=True):
        assert np.array_equal(then, now)


def test_what_comes_after_a_launch_is_not_in_its_timeline(grid):
    first, second = grid(4, 1 << 12, TimelineWindow("units")), grid(30, 1 << 14)
    session = first.session(launches=2)
    running = first.start(session)
    while not running.complete:
        session.advance(until_cycle=session.cycle + 20)
    session.finished()
    issued = session.issued
    second.start(session)
    while session.advance():
        pass
    assert session.issued > issued == first.recorder.sums()[0]["issued"].sum()
