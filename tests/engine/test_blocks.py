"""Do the threads of a block share what they should: barriers and shared memory?"""
import numpy as np
import pytest
from assembler import Assembler, Kind, SpecialRegister
from test_divergence import thread_store


def reverse(threads: int) -> Assembler:
    """out[thread] = 7 * (threads - 1 - thread), through shared memory."""
    a = Assembler()
    tid, mine, other, value = a.special(SpecialRegister.TID_X), a.row(), a.row(), a.row()
    a.alu("mul_lo_b32", value, tid, a.constant(7))
    a.alu("mul_lo_b32", mine, tid, a.constant(4))
    a.op(Kind.STORE, s=(mine, value), space=1)
    a.op(Kind.BARRIER, s=(a.constant(0),))
    a.alu("sub_b32", other, a.constant(4 * threads - 4), mine)
    a.op(Kind.LOAD, d=(value,), s=(other,), space=1)
    thread_store(a, value)
    a.exit()
    return a


@pytest.mark.parametrize("threads", [1, 31, 32, 33, 64, 200, 256])
def test_a_barrier_makes_shared_memory_of_all_warps_visible(bench, threads):
    out = bench.array(np.zeros(threads, np.uint32))
    result = bench.run(reverse(threads).program(shared_bytes=4 * threads), out, block=threads)
    assert (bench.read(out, threads) == 7 * (threads - 1 - np.arange(threads))).all()
    assert result["statements"]["barriers"].sum() == result["warps"]


def test_threads_that_have_ended_are_not_waited_for(bench):
    threads = 4 * bench.arch.warp.size
    a = Assembler()
    tid, p = a.special(SpecialRegister.TID_X), a.predicate()
    a.setp("lt_u32", p, tid, a.constant(bench.arch.warp.size))
    a.exit(guard_predicate=p)
    a.op(Kind.BARRIER, s=(a.constant(0),))
    thread_store(a, tid)
    a.exit()
    out = bench.array(np.zeros(threads, np.uint32))
    bench.run(a.program(), out, block=threads)
    assert (bench.read(out, threads)[bench.arch.warp.size:] == np.arange(bench.arch.warp.size, threads)).all()


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64])
def test_any_warp_size_gives_the_same_answer(bench, bench_of, size):
    machine = bench_of(bench.arch.evolve({"warp.size": size}))
    threads = 64
    out = machine.array(np.zeros(threads, np.uint32))
    result = machine.run(reverse(threads).program(shared_bytes=4 * threads), out, block=threads)
    assert (machine.read(out, threads) == 7 * (threads - 1 - np.arange(threads))).all()
    assert result["warps"] == -(-threads // size)


def test_atomics_on_one_address_add_up(bench):
    from assembler import ATOMIC
    a = Assembler()
    tid = a.special(SpecialRegister.TID_X)
    old = a.row()
    a.op(Kind.ATOM, fn=ATOMIC["add_u32"] if "add_u32" in ATOMIC else ATOMIC["add_b32"], d=(old,),
         s=(a.parameter(0), tid), flags=2)
    a.exit()
    total = bench.array(np.zeros(1, np.uint32))
    bench.run(a.program(), total, grid=10, block=128)
    assert bench.read(total, 1)[0] == 10 * sum(range(128))
