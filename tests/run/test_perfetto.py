"""Has the file that is written for Perfetto all that the timeline has, by the messages that Google publishes? (Its own trace processor: tests/html.)"""
import json
import sys
from collections import Counter, defaultdict

import pytest
from sessions import alone, session

from archdef import registry
from archdef.errors import MissingExtra
from archdef.files import perfetto
from archdef.files.trace_events import TraceEvents, save
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]


@pytest.fixture(scope="module", params=[session, alone], ids=["session", "launch"])
def timeline(request):
    return request.param()


def as_json(timeline):
    return timeline.to_chrome() if hasattr(timeline, "to_chrome") else timeline.to_dict()


def test_a_session_has_kernels_copies_streams_and_what_happened_in_the_kernels_in_one_file(tmp_path):
    session().save(tmp_path / "s.json")
    events = json.loads((tmp_path / "s.json").read_text())["traceEvents"]
    categories = {each.get("cat") for each in events}
    assert {"copy", "kernel", "block", "record"} <= categories
    names = {each["args"]["name"] for each in events if each["name"] in ("thread_name", "process_name")}
    assert {"stream 1", "stream 2"} <= names and any("memory partition" in name for name in names)


def test_the_messages_that_google_publishes_have_every_span_and_value(timeline, tmp_path):
    messages = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="pip install archdef[perfetto]")
    path = tmp_path / "x.perfetto-trace"
    timeline.save(path)
    trace, events = messages.Trace.FromString(path.read_bytes()), as_json(timeline)["traceEvents"]
    tracks = {packet.track_descriptor.uuid: packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")}
    assert all(track.parent_uuid in tracks for track in tracks.values() if not track.HasField("process"))
    assert {t.process.process_name for t in tracks.values() if t.HasField("process")} == {e["args"]["name"] for e in events if e["name"] == "process_name"}
    kinds, spans, open_, values = messages.TrackEvent, [], defaultdict(list), Counter()
    at = 0
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        assert packet.timestamp >= at
        at, event = packet.timestamp, packet.track_event
        assert event.track_uuid in tracks
        if event.type == kinds.TYPE_SLICE_BEGIN:
            open_[event.track_uuid].append((at, event.name))
        elif event.type == kinds.TYPE_SLICE_END:
            begin, name = open_[event.track_uuid].pop()
            spans.append((tracks[event.track_uuid].name, name, begin, at))
        elif event.type == kinds.TYPE_COUNTER:
            assert tracks[event.track_uuid].HasField("counter")
            values[tracks[event.track_uuid].name.partition(":")[0]] += 1
    assert not any(open_.values())
    threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    expected = [(threads[e["tid"]], e["name"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)) for e in events if e["ph"] == "X"]
    assert len(spans) == len(expected) > 0
    assert Counter(span[:3] for span in spans) == Counter(span[:3] for span in expected)
    assert max(abs(a[3] - b[3]) for a, b in zip(sorted(spans), sorted(expected), strict=True)) <= 1
    assert sum(values.values()) == sum(len(e["args"]) for e in events if e["ph"] == "C")
    timeline.save(tmp_path / "again.perfetto-trace")
    assert (tmp_path / "again.perfetto-trace").read_bytes() == path.read_bytes()


def test_spans_that_touch_end_before_others_begin():
    messages = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="pip install archdef[perfetto]")
    trace = TraceEvents()
    for name, start, duration in (("outer", 0, 10), ("a", 0, 4), ("b", 4, 6), ("next", 10, 0), ("last", 10, 1)):
        trace.span("p", "t", name, start, duration, "c", number=3, share=0.5, right=True, text="x")
    made = messages.Trace.FromString(perfetto.encoded(trace.to_dict()))
    kinds = messages.TrackEvent
    order = [(p.track_event.name or "end") for p in made.packet if p.HasField("track_event")]
    assert order == ["outer", "a", "end", "b", "end", "end", "last", "next", "end", "end"]
    first = next(p.track_event for p in made.packet if p.track_event.type == kinds.TYPE_SLICE_BEGIN)
    assert [(note.name, note.WhichOneof("value")) for note in first.debug_annotations] == [
        ("number", "int_value"), ("share", "double_value"), ("right", "bool_value"), ("text", "string_value")]


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "perfetto.protos.perfetto.trace", None)
    with pytest.raises(MissingExtra, match=r"archdef\[perfetto\]"):
        save(tmp_path / "x.perfetto-trace", TraceEvents().to_dict())
    assert not list(tmp_path.iterdir())
