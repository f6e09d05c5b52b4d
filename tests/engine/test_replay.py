"""Loads for which a set of L1 has no place: the load/store unit waits, or goes on and they are issued again."""
import numpy as np
import pytest
from assembler import Assembler, ConstantKind, Kind, SpecialRegister

from archdef import registry

MACHINES = [name for name in registry.names() if getattr(registry.get(name).caches.l1, "enabled", False)]
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has an L1")
LINE, LINES = 32, 8
"""Words of a line; lines that each thread reads, one after the other."""


def columns():
    """out[i] = the sum of `LINES` words, all of them in different lines that lie in one set of two."""
    a = Assembler()
    tid, ctaid = a.special(SpecialRegister.TID_X), a.special(SpecialRegister.CTAID_X)
    index, offset, source, target, total, value = a.row(), a.pair(), a.pair(), a.pair(), a.row(), [a.row() for _ in range(LINES)]
    a.alu("mad_lo_b32", index, ctaid, a.constant(SpecialRegister.NTID_X, 4, ConstantKind.SPECIAL), tid)
    a.alu("mul_wide_u32", offset, index, a.constant(4), width=8)
    a.alu("add_b64", target, offset, a.parameter(8), width=8)
    a.alu("mul_wide_u32", offset, index, a.constant(2 * LINES * LINE * 4), width=8)
    a.alu("add_b64", source, offset, a.parameter(0), width=8)
    for k in range(LINES):
        a.op(Kind.LOAD, d=(value[k],), s=(source,), flags=2, offset=2 * LINE * 4 * k)
    a.alu("mov_b32", total, a.constant(0))
    for k in range(LINES):
        a.alu("add_b32", total, total, value[k])
    a.op(Kind.STORE, s=(target, total), flags=2)
    a.exit()
    return a.program()


def run(bench, again, **options):
    threads = 128
    numbers = np.arange(threads * 2 * LINES * LINE, dtype=np.uint32)
    if not hasattr(bench, "arrays"):    # the same each time: addresses decide where lines lie
        bench.arrays = bench.array(numbers), bench.array(np.zeros(threads, np.uint32))
    source, target = bench.arrays
    small = {**bench.tables["caches"]["l1"], "sets": 2, "set_mask": 1, "ways": 2, "folds": 0}
    result = bench.run(columns(), source, target, grid=4, block=threads // 4, resident=2, tables={
        "caches": {"l1": small}, "load_store": {"replay_on_reservation_fail": again}, "chip": {"multiprocessors": 1}}, **options)
    assert (bench.read(target, threads) == numbers.reshape(threads, LINES, 2 * LINE)[:, :, 0].sum(axis=1)).all()
    return result


@pytest.fixture(params=MACHINES)
def machine(request, bench_of):
    return bench_of(registry.get(request.param))


@pytest.mark.parametrize("again", [0, 1])
def test_results_do_not_depend_on_the_length_of_epochs(machine, again):
    first = run(machine, again)
    for lookahead in (1, 7):
        other = run(machine, again, lookahead_cycles=lookahead)
        assert first["cycles"] == other["cycles"]
        for part in ("statements", "multiprocessor", "partition"):
            assert (first[part] == other[part]).all(), part


@pytest.mark.parametrize("again", [0, 1])
def test_every_cycle_of_every_warp_has_one_cause(machine, again):
    result = run(machine, again)
    stalls = result["statements"]["stall_cycles"]
    assert (stalls >= 0).all() and stalls.sum() == result["multiprocessor"]["warp_cycles"].sum()


def test_both_ways_issue_and_move_the_same(machine):
    held, again = run(machine, 0), run(machine, 1)
    for counter in ("instructions", "global_loads", "global_load_transactions", "global_load_bytes_moved"):
        assert (held["statements"][counter] == again["statements"][counter]).all(), counter


def others():
    """Every other warp reads lines of one set, the rest one line of the other set again and again."""
    a = Assembler()
    tid, index, column, offset, source, target = a.special(SpecialRegister.TID_X), a.row(), a.row(), a.pair(), a.pair(), a.pair()
    total, value = a.row(), [a.row() for _ in range(LINES)]
    a.alu("mul_wide_u32", offset, tid, a.constant(4), width=8)
    a.alu("add_b64", target, offset, a.parameter(8), width=8)
    a.alu("shr_u32", index, tid, a.constant(5))
    a.alu("and_b32", column, index, a.constant(1))
    a.alu("xor_b32", index, column, a.constant(1))      # 1: this warp reads columns
    a.alu("mul_lo_b32", index, index, tid)
    a.alu("mul_lo_b32", index, index, a.constant(2 * LINES * LINE))
    a.alu("mad_lo_b32", index, column, a.constant(LINE), index)
    a.alu("mul_wide_u32", offset, index, a.constant(4), width=8)
    a.alu("add_b64", source, offset, a.parameter(0), width=8)
    for k in range(LINES):
        a.op(Kind.LOAD, d=(value[k],), s=(source,), flags=2)
        a.alu("add_b32", total, value[k], value[k])
    a.op(Kind.STORE, s=(target, total), flags=2)
    a.exit()
    return a.program()


def test_others_go_on_while_a_load_waits_for_its_set(machine):
    """With one load/store unit that waits, warps that hit are held by those that do not."""
    source, target = machine.array(np.zeros(256 * 2 * LINES * LINE, np.uint32)), machine.array(np.zeros(256, np.uint32))
    waits = {}
    for again in (0, 1):
        small = {**machine.tables["caches"]["l1"], "sets": 2, "set_mask": 1, "ways": 2, "folds": 0}
        result = machine.run(others(), source, target, block=256, resident=1, tables={
            "caches": {"l1": small}, "load_store": {"replay_on_reservation_fail": again}, "chip": {"multiprocessors": 1}})
        waits[again] = result["multiprocessor"]["warp_cycles"].sum()
    assert waits[1] < 0.9 * waits[0], "those that hit are done early"
