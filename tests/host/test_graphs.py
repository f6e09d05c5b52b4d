"""Graphs and stream capture: does a launch keep every dependency, and overlap what has none?"""
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stage import Grid, Stage, ends, starts

from archdef.errors import CaptureError, GraphError
from archdef.host import Executable, Graph
from archdef.host.graph import EMPTY, GRAPH, KERNEL, Work


def work(stage, name, us=50, effect=None):
    """A grid as the work of a node."""
    return Work(KERNEL, name, stage.context, lambda branch: stage.context.launch(Grid(us, effect, name), branch))


def kind_of(error, kind):
    assert error.value.kind == kind, str(error.value)


# ----------------------------------------------------------------------------------------------------------------- graphs
def test_nodes_run_behind_what_they_wait_for_and_beside_what_they_do_not():
    stage, graph = Stage(), Graph()
    first = graph.add(work(stage, "first"))
    left, right = graph.add(work(stage, "left", 100), [first]), graph.add(work(stage, "right", 100), [first])
    graph.add(work(stage, "last"), [left, right])
    (stream,) = stage.streams(1)
    launched = Executable(graph).launch(stream)
    stream.synchronize()
    assert len(launched) == 4 and all(each.done for each in launched)
    assert min(starts(stage, "left"), starts(stage, "right")) >= ends(stage, "first")
    assert starts(stage, "right") < ends(stage, "left")
    assert starts(stage, "last") >= max(ends(stage, "left"), ends(stage, "right"))


@given(st.lists(st.sets(st.integers(0, 11), max_size=4), min_size=1, max_size=12), st.integers(1, 3), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_any_graph_keeps_every_dependency_in_every_launch(waits, launches, connections):
    """Few work queues, many branches: nothing stands still and nothing comes too early."""
    stage, graph, order = Stage(work_queues=connections, concurrent_grids=2), Graph(), []
    nodes = []
    for number, after in enumerate(waits):
        after = sorted(k for k in after if k < number)
        nodes.append(graph.add(work(stage, str(number), 10 + number, lambda number=number: order.append(number)), [nodes[k] for k in after]))
    (stream,) = stage.streams(1)
    executable = Executable(graph)
    for _ in range(launches):
        executable.launch(stream)
    stream.synchronize()
    assert len(order) == launches * len(waits)
    for launch in range(launches):
        part = order[launch * len(waits):(launch + 1) * len(waits)]
        assert sorted(part) == list(range(len(waits)))
        for number, after in enumerate(waits):
            assert all(part.index(k) < part.index(number) for k in after if k < number)


def test_the_stream_goes_on_behind_the_whole_graph_and_the_graph_begins_behind_the_stream():
    stage, graph = Stage(), Graph()
    for name in ("one", "two"):
        graph.add(work(stage, name))
    (stream,) = stage.streams(1)
    stage.run(30, stream, name="before")
    Executable(graph).launch(stream)
    stage.run(30, stream, name="behind")
    stream.synchronize()
    assert min(starts(stage, "one"), starts(stage, "two")) >= ends(stage, "before")
    assert starts(stage, "behind") >= max(ends(stage, "one"), ends(stage, "two"))


def test_a_graph_in_a_blocking_stream_and_the_legacy_default_stream_wait_for_each_other():
    stage, graph = Stage(), Graph()
    graph.add(work(stage, "node"))
    (stream,) = stage.streams(1)
    Executable(graph).launch(stream)
    stage.run(10, None, name="legacy")
    stage.context.synchronize()
    assert starts(stage, "legacy") >= ends(stage, "node")


def test_launches_of_one_executable_graph_do_not_overlap_and_of_two_do():
    stage, graph = Stage(), Graph()
    graph.add(work(stage, "node", 100))
    one, two, three = stage.streams(3, blocking=False)
    executable = Executable(graph)
    executable.launch(one)
    executable.launch(two)
    Executable(graph).launch(three)
    stage.context.synchronize()
    same = [span.start for span in stage.spans("kernel")]
    assert len(same) == 3 and same[1] < min(span.end for span in stage.spans("kernel")) <= same[2]


def test_a_launch_costs_the_host_one_call_however_many_nodes_there_are():
    def cost(nodes):
        stage, graph = Stage(), Graph()
        for number in range(nodes):
            graph.add(work(stage, str(number)))
        executable, before = Executable(graph), stage.host.now
        executable.launch(stage.streams(1)[0])
        return stage.host.now - before
    assert cost(50) == cost(1) > 0


def test_graphs_in_a_graph_run_as_part_of_it():
    stage, inner, outer = Stage(), Graph(), Graph()
    inner.add(work(stage, "inner 1"))
    inner.add(work(stage, "inner 2"))
    first = outer.add(work(stage, "first"))
    child = outer.add(Work(GRAPH, "graph", child=inner), [first])
    empty = outer.add(Work(EMPTY, "empty"), [child])
    outer.add(work(stage, "last"), [empty])
    (stream,) = stage.streams(1)
    Executable(outer).launch(stream)
    stream.synchronize()
    assert min(starts(stage, "inner 1"), starts(stage, "inner 2")) >= ends(stage, "first")
    assert starts(stage, "last") >= max(ends(stage, "inner 1"), ends(stage, "inner 2"))


def test_a_graph_in_a_graph_stays_as_it_was_when_it_was_added():
    stage, inner, outer = Stage(), Graph(), Graph()
    inner.add(work(stage, "inner"))
    outer.add(Work(GRAPH, "graph", child=inner))
    inner.add(work(stage, "later"))
    assert len(Executable(outer).launch(stage.streams(1)[0])) == 1


def test_graphs_in_graphs_do_not_double_without_end(monkeypatch):
    monkeypatch.setattr("archdef.host.graph.MOST_NODES", 64)
    graph = Graph()
    graph.add(Work(EMPTY, "empty"))
    with pytest.raises(GraphError, match="a graph of 93 nodes, those of the graphs in it included: the most are 64"):
        for _ in range(10):
            twice = Graph()
            for _ in range(2):
                twice.add(Work(GRAPH, "graph", child=graph))
            graph = twice
    assert graph.size == 46
    inside = next(iter(graph)).work.child
    inside.remove(inside.add(Work(EMPTY, "empty")))
    inside.add(Work(EMPTY, "empty"))
    assert graph.size == 47 == graph.clone().size and inside.size == 23
    with pytest.raises(GraphError, match="a graph of 94 nodes"):
        inside.add(Work(GRAPH, "graph", child=graph))


def test_a_launch_copies_no_graph(monkeypatch):
    stage, graph = Stage(), Graph()
    graph.add(work(stage, "one"))
    executable = Executable(graph)
    monkeypatch.setattr(Graph, "clone", lambda self: pytest.fail("it is launched as it is"))
    assert len(executable.launch(stage.streams(1)[0])) == 1


def test_circles_and_dependencies_that_cannot_be_are_refused():
    stage, graph, other = Stage(), Graph(), Graph()
    one, two = graph.add(work(stage, "one")), graph.add(work(stage, "two"))
    stranger = other.add(work(stage, "stranger"))
    graph.connect([one], [two])
    for earlier, later in (([one], [two]), ([one], [one]), ([stranger], [two]), ([two, two], [one, one])):
        with pytest.raises(GraphError):
            graph.connect(earlier, later)
    with pytest.raises(GraphError):
        graph.disconnect([two], [one])
    with pytest.raises(GraphError):
        graph.add(work(stage, "three"), [one, one])
    graph.connect([two], [one])
    with pytest.raises(GraphError, match="circle"):
        Executable(graph)
    graph.disconnect([two], [one])
    assert len(Executable(graph).graph) == 2


def test_what_is_changed_in_an_executable_graph_counts_from_the_next_launch_on():
    stage, graph, ran = Stage(), Graph(), []
    node = graph.add(work(stage, "node", effect=lambda: ran.append("old")))
    executable, (stream,) = Executable(graph), stage.streams(1)
    executable.launch(stream)
    stream.synchronize()
    executable.node(node).change(work(stage, "node", effect=lambda: ran.append("new")))
    executable.launch(stream)
    Executable(graph).launch(stream)        # the graph itself is as it was
    stream.synchronize()
    assert ran == ["old", "new", "old"]
    with pytest.raises(GraphError):
        executable.node(node).change(Work(EMPTY, "empty"))
    executable.node(node).enabled = False
    executable.launch(stream)
    stream.synchronize()
    assert ran == ["old", "new", "old"]


def test_an_update_takes_another_graph_of_the_same_shape_and_nothing_of_one_that_is_not():
    stage, ran = Stage(), []

    def graph(tag, joined=True):
        made = Graph()
        one = made.add(work(stage, tag, effect=lambda: ran.append(tag)))
        made.add(work(stage, tag, effect=lambda: ran.append(tag)), [one] if joined else [])
        return made
    executable, (stream,) = Executable(graph("a")), stage.streams(1)
    assert executable.update(graph("b")) == (True, None)
    executable.launch(stream)
    other = graph("c", joined=False)
    assert executable.update(other) == (False, list(other)[1]) and executable.update(Graph()) == (False, None)
    larger = graph("d")
    assert executable.update(larger.clone())[0] and executable.update(graph("b"))[0]
    extra = larger.add(Work(EMPTY, "empty"))
    assert executable.update(larger) == (False, extra)
    executable.launch(stream)
    stream.synchronize()
    assert ran == ["b"] * 4


def test_an_error_in_a_graph_comes_to_who_waits_and_the_next_launch_goes_on():
    stage, graph, ran = Stage(), Graph(), []
    (stream,) = stage.streams(1)
    stream.begin_capture()
    stream.call(lambda: 1 / 0 if not ran else None)
    stage.run(10, stream, effect=lambda: ran.append(1))
    graph = stream.end_capture()
    executable = Executable(graph)
    executable.launch(stream)
    with pytest.raises(ZeroDivisionError):
        stream.synchronize()
    assert ran == []
    ran.append(0)
    executable.launch(stream)
    stream.synchronize()
    assert ran == [0, 1]


# ---------------------------------------------------------------------------------------------------------------- capture
def test_nothing_is_done_while_a_stream_is_captured_and_the_graph_does_it_as_often_as_it_is_launched():
    stage = Stage()
    (stream,) = stage.streams(1)
    there, here, back = stage.array(16), stage.pinned(16), np.zeros(16, "u1")
    calls = []
    stream.begin_capture()
    here[:] = 1
    there.copy_from(here, stream)
    there.copy_to(back, stream)
    there.fill_bytes(9, stream)
    stream.call(calls.append, "called")
    graph = stream.end_capture()
    assert stage.spans() == [] and calls == [] and [node.kind for node in graph] == ["copy", "copy", "memset", "function"]
    executable = Executable(graph)
    for value in (3, 4):
        here[:] = value                 # what the copy finds when it runs
        executable.launch(stream)
        stream.synchronize()
        assert back.tolist() == [value] * 16 and there.copy_to_host().tolist() == [9] * 16
    assert calls == ["called"] * 2


def test_events_take_other_streams_into_a_capture_and_lead_back():
    stage = Stage()
    one, two = stage.streams(2)
    one.begin_capture()
    stage.run(10, one, name="first")
    two.wait_event(one.record())
    stage.run(100, two, name="side")
    stage.run(100, one, name="main")
    one.wait_event(two.record())
    stage.run(10, one, name="last")
    graph = one.end_capture()
    assert one.capture is None is two.capture
    assert {(a.work.name, b.work.name) for a, b in graph.edges} == {("first", "side"), ("first", "main"), ("main", "last"), ("side", "last")}
    stage.run(5, two, name="ordinary")          # the stream is free again
    stage.context.synchronize()
    assert [span.name for span in stage.spans("kernel")] == ["ordinary"]


def test_work_that_the_first_stream_does_not_wait_for_makes_the_end_fail():
    stage = Stage()
    one, two = stage.streams(2)
    one.begin_capture()
    two.wait_event(one.record())
    stage.run(10, two)
    with pytest.raises(CaptureError, match="does not wait for") as error:
        one.end_capture()
    kind_of(error, "Unjoined")
    stage.run(10, two)
    stage.context.synchronize()


@pytest.mark.parametrize("call, kind", [
    (lambda stage, one, two: one.synchronize(), "Unsupported"), (lambda stage, one, two: one.done, "Unsupported"),
    (lambda stage, one, two: stage.context.synchronize(), "Unsupported"), (lambda stage, one, two: stage.run(1, None), "Implicit"),
    (lambda stage, one, two: stage.context.default.record(), "Implicit"), (lambda stage, one, two: one.record().synchronize(), "CapturedEvent"),
    (lambda stage, one, two: one.record().done, "CapturedEvent"), (lambda stage, one, two: one.wait_event(two.record()), "Isolation"),
    (lambda stage, one, two: two.begin_capture() or two.wait_event(one.record()), "Merge"),
    (lambda stage, one, two: two.wait_event(one.record()) or two.end_capture(), "Unmatched")])
def test_what_a_capture_does_not_allow_ends_it_and_says_why(call, kind):
    stage = Stage()
    one, two = stage.streams(2)
    one.begin_capture()
    with pytest.raises(CaptureError) as error:
        call(stage, one, two)
    kind_of(error, kind)
    with pytest.raises(CaptureError) as error:
        stage.run(1, one)
    kind_of(error, "Invalidated")
    with pytest.raises(CaptureError) as error:
        one.end_capture()
    kind_of(error, "Invalidated")
    one.synchronize()                   # ordinary again


def test_a_capture_begins_once_in_a_stream_that_can_be_captured_and_ends_in_its_thread():
    stage = Stage()
    (one,) = stage.streams(1)
    for stream, kind in ((stage.context.default, "Unsupported"), (one, None)):
        if kind is None:
            stream.begin_capture()
            kind = "IllegalState"
        with pytest.raises(CaptureError) as error:
            stream.begin_capture()
        kind_of(error, kind)
    found = []

    def elsewhere():
        with pytest.raises(CaptureError) as error:
            one.end_capture()
        found.append(error.value.kind)
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == ["WrongThread"]
    assert len(one.end_capture()) == 0
    with pytest.raises(CaptureError) as error:
        one.end_capture()
    kind_of(error, "IllegalState")


def test_a_stream_that_does_not_block_the_legacy_stream_is_captured_beside_it():
    stage = Stage()
    (one,) = stage.streams(1, blocking=False)
    one.begin_capture()
    stage.run(10, one)
    stage.run(10, None, name="legacy")
    stage.context.default.synchronize()
    assert len(one.end_capture()) == 1 and [span.name for span in stage.spans("kernel")] == ["legacy"]


def test_a_graph_launched_into_a_captured_stream_becomes_part_of_the_new_graph():
    stage, inner, ran = Stage(), Graph(), []
    inner.add(work(stage, "inner", effect=lambda: ran.append("inner")))
    (stream,) = stage.streams(1)
    stream.begin_capture()
    assert Executable(inner).launch(stream) == []
    stage.run(10, stream, effect=lambda: ran.append("outer"))
    graph = stream.end_capture()
    Executable(graph).launch(stream)
    stream.synchronize()
    assert ran == ["inner", "outer"]


def test_what_cannot_be_part_of_a_graph_is_refused_by_its_name():
    import archdef

    device = archdef.Device("v100", host=archdef.host.Host())
    array, stream = device.managed(64), device.stream()
    stream.begin_capture()
    with pytest.raises(CaptureError, match="cannot be part of a graph"):
        array.prefetch(stream)
