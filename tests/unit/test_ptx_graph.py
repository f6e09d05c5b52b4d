"""Do post-dominators and live sets agree with their definitions?"""


import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptx_text import kernel

from archdef.ptx import Lives, basic_blocks, parse, post_dominators, reachable, register_demand, successors
from archdef.ptx.liveness import read_and_written


@st.composite
def graphs(draw, largest=9):
    count = draw(st.integers(1, largest))
    node = st.integers(0, count - 1)
    return [
        draw(st.one_of(st.just((i + 1,)) if i + 1 < count else st.just(()), st.lists(node, max_size=3, unique=True)))
        for i in range(count)
    ]


# ------------------------------------------------------------------------------------------------------ post-dominators
def exits_without(graph, start, removed):
    """Tell whether the exit can be reached from `start` on a path that avoids `removed`."""
    seen, waiting = {removed}, [start]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if not graph[node]:
            return True
        waiting.extend(graph[node])
    return False


def brute_force(graph):
    """By definition: no path from n to the exit avoids a post-dominator p; the nearest has all others behind it."""
    nodes = range(len(graph))
    dominators = [{p for p in nodes if p != n and not exits_without(graph, n, p)} for n in nodes]
    return [next((p for p in dominators[n] if dominators[n] - {p} == dominators[p]), -1) for n in nodes]


@settings(max_examples=500, deadline=None)
@given(graphs())
def test_post_dominators_meet_the_definition(graph):
    expected, found = brute_force(graph), post_dominators(graph)
    for node in range(len(graph)):
        if exits_without(graph, node, None):
            assert found[node] == expected[node]
        else:
            assert -1 <= found[node] < len(graph)


@pytest.mark.parametrize(
    "graph, expected",
    [
        ([(1, 2), (3,), (3,), ()], [3, 3, 3, -1]),  # if … else …
        ([(1,), (0, 2), ()], [1, 2, -1]),  # do … while
        ([(1, 3), (2,), (0,), ()], [3, 2, 0, -1]),  # while
        ([(1, 2), (), ()], [-1, -1, -1]),  # two exits
        ([(1, 2), (3,), (3,), (0,)], [3, 3, 3, 0]),  # while (true) { if … else … }
        ([(1,), (2, 3), (1,), (1,)], [1, 1, 1, 1]),  # the same where each side goes back by itself
        ([(1, 2), (1,), ()], [2, 1, -1]),  # one side never returns
        ([(0,)], [0]),
        ([], []),
    ],
)
def test_branches_meet_where_expected(graph, expected):
    assert post_dominators(graph) == expected


def test_post_dominators_of_a_long_kernel_take_no_time():
    count = 40_000
    ladder = [(i + 1, min(i + 7, count - 1)) if i % 3 == 0 else (i + 1,) for i in range(count - 1)] + [()]
    ladder[count // 2] = (count // 2 + 1, 0)
    post_dominators(ladder)


# --------------------------------------------------------------------------------------------------------- control flow
def test_successors_of_every_kind_of_jump():
    text = """
    T: .branchtargets A, END;
    @%p1 bra B;
    bra A;
    A: brx.idx %r1, T;
    B: @%p1 ret;
    @%p1 bra END;
    mov.b32 %r1, 1;
    exit;
    mov.b32 %r1, 1;
    END:"""
    assert successors(parse(kernel(text)).functions["k"]) == [(3, 1), (2,), (2,), (4,), (5,), (6,), (), ()]


def test_blocks_start_where_control_arrives():
    text = "mov.b32 %r1, 1; L: mov.b32 %r1, 2; @%p1 bra L; UNUSED: mov.b32 %r1, 3; mov.b32 %r1, 4; ret;"
    assert basic_blocks(parse(kernel(text)).functions["k"]) == [range(1), range(1, 3), range(3, 6)]


def test_reachable_follows_every_edge():
    assert reachable([(2,), (3,), (0,), ()]) == [True, False, True, False]
    assert reachable([]) == []


# ------------------------------------------------------------------------------------------------------------- liveness
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_live_sets_meet_the_definition(data):
    graph = data.draw(graphs(7))
    values = st.sets(st.integers(0, 2)).map(tuple)
    uses = data.draw(st.lists(values, min_size=len(graph), max_size=len(graph)))
    defs = data.draw(st.lists(values, min_size=len(graph), max_size=len(graph)))
    found = Lives(graph, uses, defs)
    walked = {node: set(alive) for node, alive in found.walk()}
    counts = found.sums([1, 2, 4], [()] * len(graph))
    for node in range(len(graph)):
        assert found.behind(node) == walked[node]
        assert counts[node] == sum(1 << value for value in walked[node])
        for value in range(3):
            # Alive behind a node: some path from it reads the value before anything overwrites it.
            seen, waiting, alive = set(), list(graph[node]), False
            while waiting:
                at = waiting.pop()
                if at in seen:
                    continue
                seen.add(at)
                if value in uses[at]:
                    alive = True
                    break
                if value not in defs[at]:
                    waiting.extend(graph[at])
            assert (value in walked[node]) == alive == found.is_alive(value, node)


@pytest.mark.parametrize(
    "text, reads, writes",
    [
        ("add.s32 %r1, %r2, %r3;", ["%r2", "%r3"], ["%r1"]),
        ("@%p1 st.global.u32 [%rd1], %r1;", ["%p1", "%rd1", "%r1"], []),
        ("ld.global.v2.u32 {%r1, %r2}, [%rd1];", ["%rd1"], ["%r1", "%r2"]),
        ("setp.eq.s32 %p1|%p2, %r1, 0;", ["%r1"], ["%p1", "%p2"]),
        ("bar.sync %r1, %r2;", ["%r1", "%r2"], []),
        ("bar.red.popc.u32 %r1, 0, %p1;", ["%p1"], ["%r1"]),
        ("atom.global.add.u32 %r1, [%rd1], %r2;", ["%rd1", "%r2"], ["%r1"]),
        ("red.global.add.u32 [%rd1], %r2;", ["%rd1", "%r2"], []),
        ("call (%r1), g, (%r2, a);", ["%r2"], ["%r1"]),
        ("nanosleep.u32 %r1;", ["%r1"], []),
    ],
)
def test_reads_and_writes_of_an_instruction(text, reads, writes):
    module = parse(kernel(text, before=".extern .func g();\n"))
    assert read_and_written(module.functions["k"].body[0]) == (reads, writes)


@pytest.mark.parametrize(
    "text, values",
    [
        ("mov.b32 %r1, 1; mov.b32 %r2, 2; add.s32 %r3, %r1, %r2; st.global.u32 [0], %r3;", 2),
        ("mov.b64 %rd1, 1; mov.b32 %r2, 2; st.global.u32 [%rd1], %r2;", 3),
        ("setp.eq.s32 %p1, 1, 0; @%p1 mov.b32 %r1, 1; ret;", 1),
        ("mov.b32 %r1, 1; @%p1 mov.b32 %r1, 2; mov.b32 %r2, 3; add.s32 %r1, %r1, %r2;", 2),
        ("mov.b16 %h1, 1; mov.b16 %h2, 1; add.s16 %h1, %h1, %h2;", 2),
    ],
)
def test_register_demand_counts_what_is_alive_at_once(text, values):
    assert register_demand(parse(kernel(text)).functions["k"]) == values + 1  # and the stack pointer


def test_a_guarded_write_keeps_the_old_value_alive():
    guarded = "mov.b32 %r1, 1; mov.b32 %r2, 2; {0} mov.b32 %r1, %r2; st.global.u32 [0], %r1;"
    assert register_demand(parse(kernel(guarded.format("@%p1"))).functions["k"]) == 3
    assert register_demand(parse(kernel("ret;")).functions["k"]) == 1
