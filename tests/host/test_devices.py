"""Several devices of one host, also of different architectures."""
import numpy as np
import pytest
from stage import Stage

from archdef.errors import HostError
from archdef.host import Host

MB = 1 << 20


def pair(one="v100", other="v100", **link):
    host = Host()
    return Stage(one, host, **link), Stage(other, host)


def copied(source, target, nbytes=32 * MB, direct=False):
    """Copy between two stages; gives microseconds."""
    if direct:
        target.context.enable_peer(source.context)
    a, b = source.array(nbytes), target.array(nbytes)
    a.copy_from_host(np.arange(nbytes, dtype="u1"))
    source.host.clear()
    (stream,) = target.streams(1)
    b.copy_from(a, stream)
    stream.synchronize()
    line = source.host.timeline()
    assert np.array_equal(b.to_host(), np.arange(nbytes, dtype="u1"))
    return line


def test_devices_work_at_the_same_time():
    one, two = pair()
    for stage in (one, two):
        stage.run(500, stage.streams(1)[0])
    one.host.synchronize()
    (a,), (b,) = one.spans("kernel"), two.spans("kernel")
    assert a.place != b.place and b.start < a.end


def test_a_device_waits_for_an_event_of_another_architecture():
    one, two = pair("k40", "c500")
    (a,), (b,) = one.streams(1), two.streams(1)
    one.run(300, a)
    b.wait_event(a.record())
    two.run(10, b)
    b.synchronize()
    (first,), (second,) = one.spans("kernel"), two.spans("kernel")
    assert second.start >= first.end


def test_peer_copies_go_directly_where_access_is_enabled():
    one, two = pair()
    line = copied(one, two, direct=True)
    (span,) = line.of(kind="copy")
    assert span.row == "copies to peers" and span.place == one.context.label
    assert span.duration_us == pytest.approx(32 * MB / 50e3, rel=0.05)


def test_peer_copies_go_by_way_of_the_host_where_it_is_not():
    one, two = pair()
    line = copied(one, two)
    out, into = line.of(one.context.label, kind="copy"), line.of(two.context.label, kind="copy")
    assert len(out) == len(into) == 8
    assert all(a.end <= b.start for a, b in zip(out, into, strict=True))
    assert into[0].start < out[-1].start                     # the two links work at a time
    assert line.makespan_us < 1.4 * 32 * MB / 12e3


@pytest.mark.parametrize("one, other", [("v100", "c500"), ("gt200", "gt200")])
def test_devices_without_a_common_fabric_refuse_peer_access_and_still_copy(one, other):
    a, b = pair(one, other)
    with pytest.raises(HostError, match="no peer access"):
        a.context.enable_peer(b.context)
    assert len(copied(a, b, nbytes=MB).of(kind="copy")) == 2


def test_a_device_is_no_peer_of_itself():
    stage = Stage("v100")
    with pytest.raises(HostError, match="one device"):
        stage.context.enable_peer(stage.context)


def test_a_copy_within_a_device_takes_its_memorys_time():
    stage = Stage("v100")
    a, b = stage.array(64 * MB), stage.array(64 * MB)
    a.copy_from_host(np.full(64 * MB, 9, "u1"))
    (stream,) = stage.streams(1)
    b.copy_from(a, stream)
    stream.synchronize()
    (span,) = [s for s in stage.spans("copy") if s.name == "copy within device"]
    assert span.duration_us == pytest.approx(2 * 64 * MB / stage.context.architecture.dram_bandwidth_gb_s / 1e3, rel=0.1)
    assert (b.to_host() == 9).all()


def test_an_error_of_one_device_leaves_the_other_alone():
    one, two = pair()
    (a,), (b,) = one.streams(1), two.streams(1)

    def fail():
        raise ValueError("a host function failed")
    a.call(fail)
    two.run(5, b)
    b.synchronize()
    two.context.synchronize()
    with pytest.raises(ValueError, match="a host function failed"):
        one.context.synchronize()


def test_an_array_stays_until_another_devices_stream_has_copied_it():
    one, two = pair()
    source, target = one.array(MB), two.array(MB)
    source.copy_from_host(np.full(MB, 5, "u1"))
    used = one.memory.engine.used_bytes
    (stream,) = two.streams(1)
    target.copy_from(source, stream)
    del source
    assert one.memory.engine.used_bytes == used
    stream.synchronize()
    one.array(1)
    assert one.memory.engine.used_bytes < used and (target.to_host() == 5).all()


def test_work_of_another_device_goes_on_behind_what_an_error_dropped():
    one, two = pair(work_queues=1, copy_engines=1)
    one.context.connections = two.context.connections = 1
    (a,), (b,) = one.streams(1), two.streams(1)
    source, target, host = one.array(MB), two.array(MB), one.pinned(MB)
    source.copy_from_host(np.full(MB, 3, "u1"))

    def fail():
        raise ValueError("failed")
    one.run(500, a)
    a.call(fail)
    source.copy_to(host, a)                 # is dropped
    target.copy_from(source, b)             # behind it, in the same queue of the same engine
    b.synchronize()
    assert (target.to_host() == 3).all() and not host.any()
    with pytest.raises(ValueError):
        a.synchronize()


def test_late_signals_do_not_make_a_kernel_wait_for_itself():
    one, two = pair("m2070", "m2070")
    (stream,) = one.streams(1)
    array, other = one.array(MB), two.array(MB)
    one.context.enable_peer(two.context)
    one.run(10, stream, name="first")
    array.copy_from(other, stream)          # of the other device's engine, then into this one
    one.run(10, stream, name="second")
    stream.synchronize()
    assert [s.name for s in one.spans("kernel")] == ["first", "second"]


def test_devices_of_two_hosts_do_not_mix():
    one, two = Stage("v100"), Stage("v100")
    with pytest.raises(HostError, match="different hosts"):
        two.array(64).copy_from(one.array(64), two.streams(1)[0])
