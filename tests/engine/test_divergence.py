"""Do the lanes of a warp take their own ways, and meet again where they should?"""
import numpy as np
import pytest
from assembler import Assembler, Kind, SpecialRegister


def thread_store(a: Assembler, value: int) -> None:
    """out[thread] = value; out is parameter 0, one block."""
    offset, address = a.pair(), a.pair()
    tid = a.special(SpecialRegister.TID_X)
    a.alu("mul_wide_u32", offset, tid, a.constant(4), width=8)
    a.alu("add_b64", address, offset, a.parameter(0), width=8)
    a.op(Kind.STORE, s=(address, value), flags=2)


def odd_even(granularity: int) -> Assembler:
    """Odd groups of `granularity` threads take 3, even ones 5, by a branch."""
    a = Assembler()
    tid, bit, value, p = a.special(SpecialRegister.TID_X), a.row(), a.row(), a.predicate()
    a.alu("and_b32", bit, tid, a.constant(granularity))
    a.setp("ne_u32", p, bit, a.constant(0))
    a.op(Kind.BRANCH, target="odd", reconverge="join", guard_predicate=p)
    a.alu("mov_b32", value, a.constant(5))
    a.op(Kind.BRANCH, target="join")
    a.label("odd")
    a.alu("mov_b32", value, a.constant(3))
    a.label("join")
    thread_store(a, value)
    a.exit()
    return a


def test_a_branch_on_thread_parity_splits_every_warp_and_runs_both_ways(bench):
    threads = 2 * bench.arch.warp.size
    out = bench.array(np.zeros(threads, np.uint32))
    result = bench.run(odd_even(1).program(), out, block=threads)
    assert (bench.read(out, threads) == np.where(np.arange(threads) & 1, 3, 5)).all()
    statements = result["statements"]
    assert statements["divergent_branches"].sum() == 2
    assert statements["instructions"][[3, 5]].tolist() == [2, 2]          # both ways, one after the other
    assert statements["thread_instructions"][[3, 5]].tolist() == [threads // 2, threads // 2]
    assert statements["thread_instructions"][-1] == threads               # together again


def test_a_branch_at_warp_granularity_splits_none(bench):
    threads = 2 * bench.arch.warp.size
    out = bench.array(np.zeros(threads, np.uint32))
    result = bench.run(odd_even(bench.arch.warp.size).program(), out, block=threads)
    assert (bench.read(out, threads) == np.where(np.arange(threads) & bench.arch.warp.size, 3, 5)).all()
    assert result["statements"]["divergent_branches"].sum() == 0
    assert result["statements"]["instructions"][[3, 5]].tolist() == [1, 1]


def test_predicated_code_does_not_diverge(bench):
    a = Assembler()
    tid, bit, value, p = a.special(SpecialRegister.TID_X), a.row(), a.row(), a.predicate()
    a.alu("and_b32", bit, tid, a.constant(1))
    a.setp("ne_u32", p, bit, a.constant(0))
    a.alu("mov_b32", value, a.constant(5), guard_predicate=p | 1)
    a.alu("mov_b32", value, a.constant(3), guard_predicate=p)
    thread_store(a, value)
    a.exit()
    threads = bench.arch.warp.size
    out = bench.array(np.zeros(threads, np.uint32))
    result = bench.run(a.program(), out, block=threads)
    assert (bench.read(out, threads) == np.where(np.arange(threads) & 1, 3, 5)).all()
    assert result["statements"]["branches"].sum() == 0
    assert result["statements"]["predicated_off"][2:4].tolist() == [threads // 2, threads // 2]


@pytest.mark.parametrize("trips", ["tid", "tid % 7"])
def test_a_loop_runs_as_often_as_each_lane_asks(bench, trips):
    a = Assembler()
    tid, count, left, p = a.special(SpecialRegister.TID_X), a.row(), a.row(), a.predicate()
    if trips == "tid":
        a.alu("mov_b32", left, tid)
    else:
        a.alu("rem_u32", left, tid, a.constant(7))
    a.label("head")
    a.setp("eq_u32", p, left, a.constant(0))
    a.op(Kind.BRANCH, target="done", reconverge="done", guard_predicate=p)
    a.alu("add_b32", left, left, a.constant(-1))
    a.alu("add_b32", count, count, a.constant(1))
    a.op(Kind.BRANCH, target="head")
    a.label("done")
    thread_store(a, count)
    a.exit()
    threads = bench.arch.warp.size
    out = bench.array(np.zeros(threads, np.uint32))
    bench.run(a.program(), out, block=threads)
    lanes = np.arange(threads)
    assert (bench.read(out, threads) == (lanes if trips == "tid" else lanes % 7)).all()


def test_lanes_that_exit_early_leave_the_others_alone(bench):
    a = Assembler()
    tid, p = a.special(SpecialRegister.TID_X), a.predicate()
    a.setp("lt_u32", p, tid, a.constant(5))
    a.exit(guard_predicate=p)
    thread_store(a, tid)
    a.exit()
    threads = bench.arch.warp.size
    out = bench.array(np.full(threads, 99, np.uint32))
    bench.run(a.program(), out, block=threads)
    assert (bench.read(out, threads) == np.where(np.arange(threads) < 5, 99, np.arange(threads))).all()


def test_a_call_in_divergent_code_returns_to_its_callers(bench):
    a = Assembler()
    tid, bit, value, p = a.special(SpecialRegister.TID_X), a.row(), a.row(), a.predicate()
    a.alu("and_b32", bit, tid, a.constant(1))
    a.alu("mov_b32", value, tid)
    a.setp("ne_u32", p, bit, a.constant(0))
    a.op(Kind.CALL, target="double", guard_predicate=p)
    thread_store(a, value)
    a.exit()
    a.label("double")
    q = a.predicate()
    a.alu("add_b32", value, value, value)
    a.setp("gt_u32", q, value, a.constant(20))
    a.op(Kind.RETURN, guard_predicate=q)          # some lanes return early
    a.alu("add_b32", value, value, a.constant(1000))
    a.op(Kind.RETURN)
    threads = bench.arch.warp.size
    out = bench.array(np.zeros(threads, np.uint32))
    bench.run(a.program(), out, block=threads)
    lanes = np.arange(threads)
    twice = np.where(2 * lanes > 20, 2 * lanes, 2 * lanes + 1000)
    assert (bench.read(out, threads) == np.where(lanes & 1, twice, lanes)).all()


def test_an_indexed_branch_sends_each_lane_its_own_way(bench):
    a = Assembler()
    tid, which, value = a.special(SpecialRegister.TID_X), a.row(), a.row()
    a.alu("and_b32", which, tid, a.constant(3))
    a.targets = ["w0", "w1", "w2", "w3"]
    a.op(Kind.BRANCH_INDEXED, s=(which,), target=0, count=4, reconverge="join")
    for k in range(4):
        a.label(f"w{k}")
        a.alu("mov_b32", value, a.constant(10 * k + 1))
        a.op(Kind.BRANCH, target="join")
    a.label("join")
    thread_store(a, value)
    a.exit()
    threads = bench.arch.warp.size
    out = bench.array(np.zeros(threads, np.uint32))
    result = bench.run(a.program(), out, block=threads)
    assert (bench.read(out, threads) == 10 * (np.arange(threads) & 3) + 1).all()
    assert result["statements"]["thread_instructions"][-1] == threads
