"""The record of what ran: complete, readable, and a trace that other tools take."""
import json

import attrs
import pytest
from stage import Stage

from archdef import registry
from archdef.host import Host
from archdef.host.link import link_of
from archdef.host.context import Context
from archdef.run.memory import Memory
from archdef.spec import TYPICAL_LINK
import itertools


@pytest.fixture
def stage():
    stage = Stage("m2070")
    for stream in stage.streams(2):
        array, host = stage.array(1 << 20), stage.pinned(1 << 20)
        array.copy_from(host, stream)
        stage.run(200, stream, name="work")
        array.copy_to(host, stream)
        stream.record()
    stage.context.synchronize()
    return stage


def test_every_operation_is_there_once(stage):
    line = stage.host.timeline()
    assert [len(line.of(kind=kind)) for kind in ("copy", "kernel", "record")] == [4, 2, 2]
    assert line.of("host", "host")


def test_it_prints_a_row_per_engine_and_per_stream(stage):
    text = str(stage.host.timeline())
    for row in ("copies to device", "copies to host", "kernels", "kernels 2", "stream 1", "stream 2"):
        assert row in text
    assert ">" in text and "K" in text and "<" in text
    assert max(map(len, text.splitlines())) <= 120


def test_the_chrome_trace_has_a_process_per_device_and_a_thread_per_row(stage, tmp_path):
    stage.host.timeline().save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {(e["name"], e["args"]["name"]) for e in events if e["ph"] == "M" and "name" in e["args"]}
    assert ("process_name", "m2070") in names and ("thread_name", "copies to device") in names
    complete = [e for e in events if e["ph"] == "X"]
    assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in complete)
    for thread in {(e["pid"], e["tid"]) for e in complete}:       # a viewer needs spans of a thread not to overlap
        mine = sorted((e["ts"], e["dur"]) for e in complete if (e["pid"], e["tid"]) == thread)
        assert all(a + d <= b + 1e-6 for (a, d), (b, _) in itertools.pairwise(mine))


def test_plain_data_hold_what_the_spans_hold(stage):
    data = stage.host.timeline().to_dict()
    assert json.loads(json.dumps(data)) == data
    assert len(data["spans"]) == len(stage.host.timeline())
    assert data["makespan_us"] == stage.host.timeline().makespan_us


def test_recording_takes_what_happens_in_its_block(stage):
    (stream,) = stage.streams(1)
    with stage.host.recording() as line:
        stage.run(10, stream, name="inside")
    assert [s.name for s in line.work] == ["inside"]


def test_busy_time_counts_overlapping_work_once(stage):
    line = stage.host.timeline()
    spans = line.of("m2070", "kernels")
    assert line.busy_us("m2070", "kernels") < sum(s.duration_us for s in spans)


def test_a_machine_without_a_declared_link_gets_a_typical_one_and_the_timeline_says_so():
    architecture = registry.get("k40")
    bare = attrs.evolve(architecture, host_link=None, changes={"host_link": (architecture.host_link, None)})
    host = Host()
    context = Context(bare, Memory(1 << 20), host)
    context.stream().record()
    context.synchronize()
    assert link_of(bare) is TYPICAL_LINK
    assert "k40 declares no host_link" in str(host.timeline())


@pytest.mark.parametrize("name", registry.names())
def test_every_installed_machine_says_where_its_links_figures_come_from(name):
    architecture = registry.get(name)
    fields = [a.name for a in attrs.fields(type(architecture.host_link)) if getattr(architecture.host_link, a.name) is not None]
    assert all(architecture.evidence_for(f"host_link.{field}") for field in fields if field != "name")
    assert architecture.evidence_for("host_link.copy_engines").kind != "assumed" or name == "c500"
