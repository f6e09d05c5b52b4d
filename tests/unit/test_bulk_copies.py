"""Bulk copies bring their bytes, tell an mbarrier or a group when these have arrived, and cost lines of memory, not lanes."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lowering import kernel, lowered
from lowering import machine as standin
from run_ptx import machine, run

import archdef
from archdef.errors import GuestFault, MissingFeature, PtxError

HEAD = ".shared .align 16 .b8 tile[8192]; .shared .align 8 .b64 bar[2];"
ONE = "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, tile; mov.u32 %r3, bar; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];"
"""Thread 0 has %p1 false."""
INIT = "@%p1 bra READY; mbarrier.init.shared::cta.b64 [%r3], 1; READY: bar.sync 0;"
WAIT = "SPIN: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0; @!%p2 bra SPIN;"
BACK = """mov.u32 %r20, %r1; BACK: shl.b32 %r21, %r20, 2; add.u32 %r22, %r2, %r21; ld.shared.u32 %r23, [%r22]; cvt.u64.u32 %rd20, %r21;
    add.u64 %rd21, %rd1, %rd20; st.global.u32 [%rd21], %r23; add.u32 %r20, %r20, %ntid.x; setp.lt.u32 %p9, %r20, 2048; @%p9 bra BACK;"""
FILL = """mov.u32 %r20, %r1; FILL: shl.b32 %r21, %r20, 2; add.u32 %r22, %r2, %r21; cvt.u64.u32 %rd20, %r21; add.u64 %rd21, %rd2, %rd20;
    ld.global.u32 %r23, [%rd21]; st.shared.u32 [%r22], %r23; add.u32 %r20, %r20, %ntid.x; setp.lt.u32 %p9, %r20, 2048; @%p9 bra FILL; bar.sync 0;"""
IN = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
OUT = "cp.async.bulk.global.shared::cta.bulk_group"
DATA = np.random.default_rng(7).integers(0, 2**32, 2048, "u4")
DONE = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"


def text(body):
    return kernel(ONE + body, ".param .u64 out, .param .u64 in", head=HEAD)


def moved(body, out=None, data=DATA, block=64, **arguments):
    """What `out` holds afterwards."""
    return run(text(body), np.zeros(2048, "u4") if out is None else out, data, block=block, **arguments)[0]


def fetch(to, start, size, expect=None):
    """Thread 0 fetches `size` bytes from byte `start` of the input to byte `to` of the tile; all threads wait."""
    return (f"{INIT} @%p1 bra ISSUED; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], {size if expect is None else expect};"
            f"{IN} [%r2+{to}], [%rd2+{start}], {size}, [%r3]; ISSUED: {WAIT}")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 511), st.integers(0, 511), st.integers(0, 512))
def test_a_fetch_brings_exactly_its_bytes(to, start, pieces):
    pieces = min(pieces, 512 - to, 512 - start)
    found = moved(fetch(16 * to, 16 * start, 16 * pieces) + BACK)
    expected = np.zeros(2048, "u4")
    expected[4 * to:4 * (to + pieces)] = DATA[4 * start:4 * (start + pieces)]
    assert np.array_equal(found, expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 511), st.integers(0, 511), st.integers(0, 512), st.booleans())
def test_a_write_brings_exactly_its_bytes(to, start, pieces, read):
    pieces = min(pieces, 512 - to, 512 - start)
    done = DONE.replace("wait_group", "wait_group.read") if read else DONE
    found = moved(f"{FILL} @%p1 bra END; {OUT} [%rd1+{16 * to}], [%r2+{16 * start}], {16 * pieces}; {done} END: mov.u32 %r9, 0;")
    expected = np.zeros(2048, "u4")
    expected[4 * to:4 * (to + pieces)] = DATA[4 * start:4 * (start + pieces)]
    assert np.array_equal(found, expected)


def test_every_lane_that_gets_there_copies_its_own():
    body = (f"{INIT} @%p1 bra ARMED; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 8192; ARMED: bar.sync 0;"
            f"shl.b32 %r4, %r1, 7; add.u32 %r5, %r2, %r4; xor.b32 %r6, %r4, 8064; cvt.u64.u32 %rd4, %r6; add.u64 %rd5, %rd2, %rd4;"
            f"{IN} [%r5], [%rd5], 128, [%r3]; {WAIT} {BACK}")
    assert np.array_equal(moved(body), DATA.reshape(64, 32)[::-1].reshape(-1))


def test_inside_the_cluster_that_is_one_block():
    body = (f"{FILL} {INIT} @%p1 bra ISSUED; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;"
            "mapa.shared::cluster.u32 %r7, %r2, 0; add.u32 %r8, %r7, 4096;"
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r2], 1024, [%r3];"
            f"ISSUED: {WAIT} {BACK}")
    expected = DATA.copy()
    expected[1024:1280] = DATA[:256]
    assert np.array_equal(moved(body), expected)


INTEGERS = [(op, type) for op in ("add", "min", "max") for type in ("u32", "s32", "u64", "s64")]
REDUCTIONS = [x for x in INTEGERS if x != ("add", "s64")] + [("inc", "u32"), ("dec", "u32")] + [
    (op, type) for op in ("and", "or", "xor") for type in ("b32", "b64")]
WITHIN = [(op, type) for op, type in REDUCTIONS if not type.endswith("64") or (op, type) == ("add", "u64")]


def combined(op, type, old, new):
    dtype = {"b": "u", "u": "u", "s": "i"}[type[0]] + str(int(type[1:]) // 8)
    old, new = old.view(dtype), new.view(dtype)
    if op == "inc":
        found = np.where(old >= new, 0, old + 1)
    elif op == "dec":
        found = np.where((old == 0) | (old > new), new, old - 1)
    else:
        found = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
                 "xor": np.bitwise_xor}[op](old, new)
    return found.astype(dtype).view("u4")


@pytest.mark.parametrize("op, type", REDUCTIONS)
def test_reductions_in_global_memory(op, type):
    old = np.random.default_rng(1).integers(0, 2**32, 2048, "u4")
    old[:1024] = DATA[:1024] + np.arange(1024, dtype="u4") % 3 - 1
    body = f"{FILL} @%p1 bra END; cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{type} [%rd1], [%r2], 8192; {DONE} END: mov.u32 %r9, 0;"
    assert np.array_equal(moved(body, old), combined(op, type, old, DATA))


@pytest.mark.parametrize("op, type", WITHIN)
def test_reductions_in_shared_memory(op, type):
    body = (f"{FILL} {INIT} @%p1 bra ISSUED; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 4096;"
            f"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{type} [%r2], [%r2+4096], 4096, [%r3];"
            f"ISSUED: {WAIT} {BACK}")
    assert np.array_equal(moved(body), np.concatenate([combined(op, type, DATA[:1024], DATA[1024:]), DATA[1024:]]))


@pytest.mark.parametrize("type, dtype, form", [("f32", "f4", "add.f32"), ("f64", "f8", "add.f64"), ("f16", "f2", "add.noftz.f16"),
                                               ("f16", "f2", "min.f16"), ("f16", "f2", "max.f16")])
def test_reductions_of_floats(type, dtype, form):
    rng = np.random.default_rng(2)
    a, b = (rng.standard_normal(8192 // np.dtype(dtype).itemsize).astype(dtype) for _ in range(2))
    body = f"{FILL} @%p1 bra END; cp.reduce.async.bulk.global.shared::cta.bulk_group.{form} [%rd1], [%r2], 8192; {DONE} END: mov.u32 %r9, 0;"
    found = moved(body, a.view("u4"), b.view("u4")).view(dtype)
    assert np.array_equal(found, {"add": a + b, "min": np.minimum(a, b), "max": np.maximum(a, b)}[form[:3]])


def test_what_is_asynchronous_in_the_cluster_counts_its_bytes():
    body = (f"{INIT} @%p1 bra ISSUED; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 24; mov.u32 %r5, 5; mov.u32 %r6, 6;"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r2], {%r5, %r6, %r5, %r6}, [%r3];"
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2+16], %r6, [%r3];"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r2+4], %r5, [%r3];"
            f"ISSUED: {WAIT} {BACK}")
    assert list(moved(body)[:6]) == [5, 11, 5, 6, 6, 0]


# ------------------------------------------------------------------------------------------------------------- what it costs
def timed(body, arch=None, block=64):
    device = archdef.Device(arch or machine())
    found = device.compile(text(body)).k[1, block](device.zeros(2048, "u4"), device.to_device(DATA))
    return found, {s.text.split()[0]: s.counters for s in found.statements}


def test_a_fetch_moves_lines_whoever_asks_for_it():
    found, lines = timed(fetch(0, 0, 4096))
    counted = lines[IN]
    assert counted.global_loads == 1 and counted.global_load_transactions == 4096 // 32
    assert counted.global_load_bytes_asked == counted.global_load_bytes_moved == 4096
    assert found.counters.partition["requests"].sum() >= 32
    assert found.counters.partition["bytes_read"].sum() >= 4096
    counted = timed(fetch(0, 16, 4096))[1][IN]
    assert counted.global_load_bytes_moved == 4096 + 32


def test_writes_reach_memory_and_reductions_its_atomic_units():
    for form, counter in ((OUT, "global_stores"), ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "atomics")):
        found, lines = timed(f"@%p1 bra END; {form} [%rd1], [%r2], 2048; {DONE} END: mov.u32 %r9, 0;")
        assert getattr(lines[form], counter) == 1
        assert found.counters.partition["requests"].sum() == 2048 // 128


def test_the_barrier_opens_when_the_last_byte_is_there():
    spins = [timed(fetch(0, 0, size))[1]["mbarrier.try_wait.parity.shared::cta.b64"].instructions for size in (16, 2048, 8192)]
    assert spins[0] < spins[1] < spins[2]
    assert timed(fetch(0, 0, 0))[1]["mbarrier.try_wait.parity.shared::cta.b64"].instructions <= 6


def test_stores_are_posted_and_reductions_are_waited_for():
    def waited(form, wait):
        body = f"@%p1 bra END; {form} [%rd1], [%r2], 8192; cp.async.bulk.commit_group; {wait} 0; END: mov.u32 %r9, 0;"
        return timed(body)[1][wait].stalls["memory_dependency"]
    added = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"
    read, whole = "cp.async.bulk.wait_group.read", "cp.async.bulk.wait_group"
    assert 50 < waited(OUT, read) == waited(OUT, whole)
    assert 50 < waited(added, read) < waited(added, whole) - 50


def test_the_unit_moves_bytes_at_its_own_rate():
    def waited(bytes, **rates):
        body = f"@%p1 bra END; {OUT} [%rd1], [%r2], {bytes}; {DONE} END: mov.u32 %r9, 0;"
        arch = machine(load_store__stores_in_flight_per_multiprocessor=1024, **rates)
        return timed(body, arch)[1]["cp.async.bulk.wait_group"].stalls["memory_dependency"]
    assert waited(8192, load_store__bulk_write_bytes_per_cycle=24) - waited(4096, load_store__bulk_write_bytes_per_cycle=24) == 4096 // 24 + 1
    assert waited(8192) - waited(4096) == 4096 // 128 * machine().load_store.transaction_cycles


def test_a_group_that_may_be_pending_is_not_waited_for():
    body = f"@%p1 bra END; {OUT} [%rd1], [%r2], 4096; cp.async.bulk.commit_group; cp.async.bulk.wait_group {{0}}; END: mov.u32 %r9, 0;"
    assert timed(body.format(1))[1]["cp.async.bulk.wait_group"].stalls["memory_dependency"] == 0
    assert timed(body.format(0))[1]["cp.async.bulk.wait_group"].stalls["memory_dependency"] > 50


def test_more_copies_than_the_unit_queues_hold_the_memory_instructions_up():
    three = f"{OUT} [%rd1], [%r4], 1024; {OUT} [%rd1], [%r4], 1024; {OUT} [%rd1], [%r4], 1024;"
    body = f"shl.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r2; {three} ld.global.u32 %r9, [%rd2]; {DONE}"
    _found, lines = timed(body)
    assert sum(c.stalls["memory_throttle"] for c in lines.values()) > 100
    assert lines[OUT].global_store_bytes_asked == 64 * 1024


@pytest.mark.parametrize("operands, stores", [("[%rd1], [%r2], 16", 1), ("[%rd9], [%r2], 16", 8), ("[%rd1], [%r8], 16", 8),
                                              ("[%rd1], [%r2], %r7", 8), ("[%rd9], [%r8], %r7", 8)])
def test_lanes_that_store_the_same_store_it_once(operands, stores):
    """As assembled code does: one UBLKCP for all lanes that agree, a loop over the different ones (ptxas 13.0 for sm_90)."""
    own = "and.b32 %r4, %r1, 7; shl.b32 %r7, %r4, 4; add.u32 %r8, %r2, %r7; cvt.u64.u32 %rd8, %r7; add.u64 %rd9, %rd1, %rd8;"
    _found, lines = timed(f"{own} {OUT} {operands}; {DONE}", block=32)
    _, of_one = timed(f"{own} setp.ge.u32 %p1, %r1, 8; @%p1 bra END; {OUT} {operands}; {DONE} END: mov.u32 %r9, 0;", block=8 if stores == 8 else 1)
    assert lines[OUT].global_store_bytes_asked == of_one[OUT].global_store_bytes_asked == (16 * stores if "%r7" not in operands else 16 * sum(range(8)))


@pytest.mark.parametrize("form, counter", [("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 64;", "atomic_transactions"),
                                           (f"{IN} [%r2], [%rd2], 64, [%r3];", "global_load_transactions")])
def test_reductions_and_loads_count_lane_by_lane(form, counter):
    """ptxas 13.0 makes a loop over the lanes of them (ELECT), whatever their operands are."""
    before = "@%p1 bra READY; mbarrier.init.shared::cta.b64 [%r3], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 2048; READY: bar.warp.sync -1;"
    counts = [getattr(timed(f"{before} {form} {DONE}", block=lanes)[1][form.split()[0]], counter) for lanes in (1, 32)]
    assert counts[1] == 32 * counts[0] > 0


def test_results_do_not_depend_on_the_length_of_epochs():
    from archdef.engine import core
    from archdef.lower import lower
    from archdef.pack import machine_tables
    from archdef.ptx import parse

    program = lower(parse(text(f"{fetch(0, 0, 8192)} bar.sync 0; @%p1 bra END; {OUT} [%rd1+16], [%r2], 6144; {DONE} END: mov.u32 %r9, 0;"),
                          "k.ptx"), "k", machine())

    def cycles(epoch):
        memory = core.DeviceMemory(1 << 24)
        places = [memory.allocate(8192), memory.allocate(8192)]
        simulation = core.Simulation(machine_tables(machine()), program, memory, (6, 1, 1), (64, 1, 1),
                                     b"".join(p.to_bytes(8, "little") for p in places), 0, 1, max_instructions=10**6, max_cycles=10**7,
                                     lookahead_cycles=epoch)
        while simulation.advance(1000):
            pass
        return simulation.result()["cycles"]
    assert cycles(1) == cycles(7) == cycles(0)


# -------------------------------------------------------------------------------------------------------------------- faults
@pytest.mark.parametrize("body, message", [
    (f"{IN} [%r2], [%rd2], 24, [%r3];", "the size of a bulk copy must be a multiple of 16, got 24"),
    (f"{IN} [%r2], [%rd2], %r4, [%r3];", "multiple of 16, got 4294967295"),
    (f"{IN} [%r2+8], [%rd2], 16, [%r3];", "not a multiple of the 16 bytes"),
    (f"{IN} [%r2], [%rd2+4], 16, [%r3];", "not a multiple of the 16 bytes"),
    (f"{IN} [%r2], [%rd2], 16, [%r3+4];", "not a multiple of the 8 bytes"),
    (f"{IN} [%r2], [%rd2], 0xfffffff0, [%r3];", "4294967280 bytes at address .* outside memory"),
    (f"{IN} [%r2], [%rd2+8176], 32, [%r3];", "32 bytes at address .* outside memory"),
    (f"{IN} [%r2+8192], [%rd2], 4096, [%r3];", "4096 bytes at address .* outside memory"),
    (f"{IN} [%r2], [%rd2], 16, [%r2+16777216];", "8 bytes at address .* outside memory"),
    (f"mov.u64 %rd2, 0x01000000; {IN} [%r2], [%rd2], 16, [%r3];", "outside memory"),
    (f"mov.u64 %rd2, 0xfffffffffffffff0; {IN} [%r2], [%rd2], 16, [%r3];", "outside memory"),
    (f"{OUT} [%rd1+8176], [%r2], 32;", "outside memory"), (f"{OUT} [%rd1], [%r2+8208], 32;", "outside memory"),
    (f"mov.u64 %rd1, out; {OUT} [%rd1], [%r2], 16;", "store to constant memory|outside memory")])
def test_what_is_out_of_bounds_or_crooked_is_a_fault(body, message):
    with pytest.raises(GuestFault, match=message):
        moved("mov.u32 %r4, -1; " + body)


def test_a_kernel_may_end_with_copies_on_their_way():
    moved(f"{INIT} {IN} [%r2], [%rd2], 4096, [%r3]; {OUT} [%rd1], [%r2], 4096;", grid=9)


@pytest.mark.parametrize("instruction, message", [
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], 16, [%r4];", "a mask of blocks is wanted"),
    ("cp.async.bulk.wait_group %r1;", "must be a constant")])
def test_what_is_not_there_is_refused_with_a_reason(instruction, message):
    with pytest.raises(PtxError, match=message):
        lowered(kernel(instruction))


@pytest.mark.parametrize("instruction, feature", [(f"{OUT} [%rd1], [%r1], 16;", "bulk_copies"), (f"{IN} [%r1], [%rd1], 16, [%r2];", "mbarrier_tx"),
                                                  ("cp.async.bulk.commit_group;", "bulk_copies"), ("barrier.cluster.arrive;", "clusters"),
                                                  ("mapa.u64 %rd1, %rd2, %r1;", "clusters")])
def test_a_machine_without_them_refuses(instruction, feature):
    lowered(kernel(instruction))
    with pytest.raises(MissingFeature, match=feature):
        lowered(kernel(instruction), standin(without=[feature]))


def test_sums_in_single_precision_keep_subnormals():
    """As on an H100; those of ``red`` on global memory flush them."""
    old, new = np.full(2048, 0x1, "u4"), np.full(2048, 0x7F, "u4")
    body = f"{FILL} @%p1 bra END; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r2], 8192; {DONE} END: mov.u32 %r9, 0;"
    assert (moved(body, old, new) == 0x80).all()
