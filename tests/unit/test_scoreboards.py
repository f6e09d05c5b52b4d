"""Which results are waited for together, where scoreboards are few."""
import pytest
from archdef.lower.encoding import Kind, Space
from archdef.lower.graph import Block, Graph
from archdef.lower.scoreboards import shared_waits
from archdef.lower.virtual import Op
from hypothesis import given
from hypothesis import strategies as st


def load(v: int) -> Op:
    return Op(Kind.LOAD, d=[v], s=[0], operation="load_global", space=Space.GLOBAL)


def graph(*text: Op | Block) -> Graph:
    made = Graph()
    made.write(text)
    return made


def use(*read: int) -> Op:
    return Op(Kind.ALU, "add_b32", d=[99], s=[*read, 98], operation="int_add")


def test_as_many_loads_as_scoreboards_wait_for_nobody():
    assert shared_waits(graph(*map(load, range(1, 5)), *map(use, range(1, 5))), 4) == {}


def test_each_has_its_own_where_scoreboards_are_not_declared():
    assert shared_waits(graph(*map(load, range(1, 9)), *map(use, range(1, 9))), 0) == {}


def test_those_wanted_together_share_one():
    """Four pairs fit four scoreboards; nobody waits for more than its own pair."""
    assert shared_waits(graph(*map(load, range(1, 9)), *(use(v, v + 1) for v in (1, 3, 5, 7))), 4) == {}


def test_further_ones_share_with_the_one_that_is_wanted_next_to_them():
    waits = shared_waits(graph(*map(load, range(1, 9)), *map(use, range(1, 9))), 4)
    assert waits == {11: [5, 6, 7, 8]}      # who uses the fourth waits for all behind it, and nobody any more after that


def test_straight_code_ends_where_a_block_begins():
    assert shared_waits(graph(*map(load, range(1, 9)), Block("next"), *map(use, range(1, 9))), 4) == {}


def test_a_call_waits_for_all_results_that_are_under_way():
    call = Op(Kind.SETP, "lt_u32", d=[97], s=[90, 91], operation="fp32_div_exact", slow=True)
    given = graph(*map(load, (1, 2, 3)), use(2), Block("next"), call, use(1), use(3))
    assert shared_waits(given, 4) == {4: [1, 3]} and shared_waits(given, 0) == {}


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 12)), max_size=60), st.integers(1, 6))
def test_only_what_is_on_its_way_is_waited_for(steps, scoreboards):
    ops = [(load if loads else use)(v) for loads, v in steps]
    waits = shared_waits(graph(*ops), scoreboards)
    under_way: set[int] = set()
    for k, op in enumerate(ops):
        touched = {*op.reads(), *op.writes()}
        also = set(waits.get(k, ()))
        assert also <= under_way - touched and (not also or touched & under_way)
        under_way -= touched | also
        if op.kind == Kind.LOAD:
            under_way.add(op.d[0])


@pytest.mark.parametrize("scoreboards", [1, 2, 4])
def test_more_scoreboards_wait_for_less(scoreboards):
    ops = [*map(load, range(1, 17)), *map(use, range(1, 17))]
    few, more = (sum(map(len, shared_waits(graph(*ops), n).values())) for n in (scoreboards, scoreboards + 1))
    assert few > more
