"""Random programs on several devices of several architectures, with peer copies and functions that fail: they end, and leave nothing behind."""
import random

import numpy as np
import pytest
from stage import Stage

from archdef.errors import HostError
from archdef.host import Host
import contextlib
import itertools

SIZE = 1 << 16


def play(seed):
    """Run one program to its end; gives its timeline as data, and the stages."""
    draw = random.Random(seed)
    host = Host(connections=draw.choice([1, 2, 8]))
    stages = [Stage(draw.choice(["g80", "gt200", "m2070", "k40", "v100", "c500"]), host) for _ in range(draw.randint(1, 3))]
    streams = [(i, stream) for i, stage in enumerate(stages)
               for stream in [*stage.streams(draw.randint(1, 3)), *stage.streams(1, blocking=False), stage.context.default, stage.context.per_thread()]]
    arrays = [[stage.array(SIZE) for _ in range(3)] for stage in stages]
    pinned = [[stage.pinned(SIZE) for _ in range(3)] for stage in stages]
    events = []

    def step():
        i, stream = draw.choice(streams)
        k, what = draw.randrange(3), draw.randrange(13)
        stage, array = stages[i], arrays[i][k]
        if what <= 1:
            array.copy_from(pinned[i][k], stream)
        elif what == 2:
            array.copy_to(pinned[i][k], stream)
        elif what <= 4:
            stage.run(100 * draw.random(), stream)
        elif what == 5:
            array.zero(stream)
        elif what == 6:
            events.append(stream.record())
        elif what == 7 and events:
            stream.wait_event(draw.choice(events))
        elif what == 8:
            array.copy_from(arrays[draw.randrange(len(stages))][(k + 1) % 3], stream)
        elif what == 9 and draw.random() < 0.3:
            stream.call(lambda: 1 / 0)
        elif what == 10:
            stream.synchronize()
        elif what == 11:
            array.copy_from(np.ones(SIZE, "u1"), stream)
        elif what == 12:
            stage.context.enable_peer(stages[draw.randrange(len(stages))].context)

    for _ in range(60):
        with contextlib.suppress(ZeroDivisionError, HostError):
            step()
    while True:
        try:
            host.synchronize()
            return host.timeline(), stages
        except ZeroDivisionError:       # one for each device at most
            pass


@pytest.mark.parametrize("seed", range(40))
def test_a_program_ends_and_leaves_nothing_behind(seed):
    _, stages = play(seed)
    for stage in stages:
        context = stage.context
        assert not context.pending and not context.holding and not context.tails and not context.flowing
        assert not any(engine.running or any(engine.queues.values()) for engine in {context.compute, *context.engines.values()})


@pytest.mark.parametrize("seed", range(40))
def test_streams_keep_their_order_and_engines_do_one_thing_at_a_time_whatever_fails(seed):
    line, stages = play(seed)
    for place in {s.place for s in line} - {"host"}:
        for row in {s.row for s in line.of(place)} - {"kernels", "events"}:
            mine = line.of(place, row)
            assert all(a.end <= b.start for a, b in itertools.pairwise(mine))
    for stage in stages:
        for stream in {s.stream for s in line.of(stage.context.label)}:
            mine = [s for s in line.of(stage.context.label, stream=stream) if "staged" not in s.name and "copy to" not in s.name]
            assert all(a.end <= b.start for a, b in itertools.pairwise(mine))


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_a_program_of_several_devices_gives_the_same_times_again(seed):
    assert play(seed)[0].to_dict() == play(seed)[0].to_dict()
