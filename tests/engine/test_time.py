"""Does time behave: same input, same cycles; every warp cycle has one cause; blocks go where they should?"""
import numpy as np
import pytest
from assembler import Assembler, ConstantKind, Kind, SpecialRegister


def copy(words_per_thread: int = 4, stride: int = 1) -> Assembler:
    """out[i * stride] = in[i * stride] for each thread of the grid, `words_per_thread` times a grid apart."""
    a = Assembler()
    tid, ctaid = a.special(SpecialRegister.TID_X), a.special(SpecialRegister.CTAID_X)
    index, offset, source, target, value = a.row(), a.pair(), a.pair(), a.pair(), a.row()
    a.alu("mad_lo_b32", index, ctaid, a.constant(SpecialRegister.NTID_X, 4, ConstantKind.SPECIAL), tid)
    a.alu("mul_lo_b32", index, index, a.constant(stride))
    a.alu("mul_wide_u32", offset, index, a.constant(4), width=8)
    a.alu("add_b64", source, offset, a.parameter(0), width=8)
    a.alu("add_b64", target, offset, a.parameter(8), width=8)
    for k in range(words_per_thread):
        a.op(Kind.LOAD, d=(value,), s=(source,), flags=2, offset=65536 * k)
        a.op(Kind.STORE, s=(target, value), flags=2, offset=65536 * k)
    a.exit()
    return a


@pytest.mark.parametrize("lookahead", [1, 7, 50, 0])
def test_results_do_not_depend_on_the_length_of_epochs(bench, lookahead):
    source = bench.array(np.arange(1 << 17, dtype=np.uint32))
    target = bench.array(np.zeros(1 << 17, np.uint32))
    program = copy(stride=3).program()
    first = bench.run(program, source, target, grid=40, block=128)
    again = bench.run(program, source, target, grid=40, block=128, lookahead_cycles=lookahead)
    assert first["cycles"] == again["cycles"]
    for part in ("statements", "multiprocessor", "partition"):
        assert (first[part] == again[part]).all(), part


def test_every_cycle_of_every_warp_has_one_cause(bench):
    source = bench.array(np.arange(1 << 17, dtype=np.uint32))
    target = bench.array(np.zeros(1 << 17, np.uint32))
    result = bench.run(copy(stride=5).program(), source, target, grid=50, block=96)
    stalls = result["statements"]["stall_cycles"]
    assert (stalls >= 0).all()
    assert stalls.sum() == result["multiprocessor"]["warp_cycles"].sum()


def test_bytes_and_transactions_are_conserved(bench):
    source = bench.array(np.arange(1 << 17, dtype=np.uint32))
    target = bench.array(np.zeros(1 << 17, np.uint32))
    result = bench.run(copy().program(), source, target, grid=32, block=256)
    s, p = result["statements"], result["partition"]
    assert s["global_load_bytes_asked"].sum() == s["global_store_bytes_asked"].sum() == 4 * 4 * 32 * 256
    assert s["global_load_bytes_moved"].sum() >= s["global_load_bytes_asked"].sum()
    assert s["thread_instructions"].sum() == 32 * 256 * len(s)
    assert s["instructions"].sum() == result["warps"] * len(s)
    if bench.arch.caches.l2 is None:
        assert p["bytes_read"].sum() == s["global_load_bytes_moved"].sum()
        assert p["bytes_written"].sum() == s["global_store_bytes_moved"].sum()
        assert p["row_hits"].sum() + p["row_misses"].sum() == p["reads"].sum() + p["writes"].sum()
    assert bench.read(target, 32 * 256).tolist() == list(range(32 * 256))


def test_two_blocks_keep_two_of_four_multiprocessors_busy_and_four_use_all(bench_of):
    from archdef import registry
    machine = bench_of(registry.get(registry.names()[0]))
    program = copy().program()
    source, target = machine.array(np.zeros(1 << 17, np.uint32)), machine.array(np.zeros(1 << 17, np.uint32))
    for blocks in (1, 2, 3, 4):
        result = machine.run(program, source, target, grid=blocks, tables={"chip": {"multiprocessors": 4}})
        assert (result["multiprocessor"]["blocks"] > 0).sum() == blocks


def test_partial_warps_count_their_hardware_lanes(bench):
    """40 x 2 threads are 80 threads; a machine of 32 lanes runs them as 3 warps, 96 lanes."""
    source, target = bench.array(np.zeros(1 << 17, np.uint32)), bench.array(np.zeros(1 << 17, np.uint32))
    result = bench.run(copy().program(), source, target, grid=1, block=(40, 2, 1))
    size = bench.arch.warp.size
    assert result["warps"] == -(-80 // size)
    assert result["lanes_launched"] == -(-80 // size) * size
    assert result["threads"] == 80


def test_a_longer_chain_takes_its_latency_longer(bench):
    def chain(length):
        a = Assembler(latency=20)
        row = a.row()
        for _ in range(length):
            a.alu("add_b32", row, row, a.constant(1))
        a.exit()
        return bench.run(a.program(), block=1, tables=bench.at_hand)["cycles"]

    assert chain(110) - chain(10) == 100 * 20


def test_more_warps_hide_latency_up_to_the_issue_rate(bench):
    def independent(warps):
        a = Assembler(latency=24)
        row = a.row()
        for _ in range(200):
            a.alu("add_b32", row, row, a.constant(1))
        a.exit()
        return bench.run(a.program(), block=warps * bench.arch.warp.size, resident=1, tables=bench.at_hand)["cycles"]

    interval = bench.arch.schedulers.issue_interval_cycles
    per_scheduler = 24 // interval
    hidden = independent(2 * bench.arch.schedulers.count)
    assert hidden == pytest.approx(independent(1), rel=0.05)
    saturated = independent(2 * per_scheduler * bench.arch.schedulers.count) if \
        2 * per_scheduler * bench.arch.schedulers.count <= 24 else None
    if saturated is not None:
        assert saturated == pytest.approx(2 * independent(1), rel=0.1)
