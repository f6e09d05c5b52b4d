"""Is each cause of a launch's time given where a kernel shows it, with its number, and nowhere else?"""
import attrs
import numpy as np
import pytest
from bounded import KERNELS, PTX, launched

import archdef
from archdef import registry
from archdef.metrics.counters import STALLS
from archdef.run.causes import CAUSES, reasons
from archdef.run.explain import why

SPMV = """mov.u32 %y, 0; and.b32 %b, %t, 31; setp.ne.u32 %c, %b, 5; @%c bra SHORT;
LONG: ld.global.f32 %a1, [%q]; add.f32 %a0, %a0, %a1; add.u32 %y, %y, 1; setp.lt.u32 %c, %y, 40; @%c bra LONG;
SHORT:"""        # rows of a sparse matrix: one of 32 is long
KERNELS_HERE = {
    "rows": (SPMV, "", "st.global.f32 [%q], %a0;"),
    "spilled": ("st.local.f32 [loc], %a0; ld.local.f32 %a1, [loc+64]; st.local.f32 [loc+128], %a1; ld.local.f32 %a0, [loc+192];", ".local .b8 loc[256];", "st.global.f32 [%q], %a0;"),
    "dependent sums": ("add.f32 %a0, %a0, %a1;" * 64, "", "st.global.f32 [%q], %a0;"),
    "dependent reads of shared memory": ("ld.volatile.shared.u32 %y, [%y]; add.u32 %y, %y, %s;" * 16, "st.volatile.shared.u32 [%s], 0; mov.u32 %y, %s;", "st.global.u32 [%q], %y;"),
    "uneven": ("add.f32 %a0, %a0, %a1;" * 64, "setp.lt.u32 %c, %b, 16; selp.b32 %n, %n, 1, %c;", "st.global.f32 [%q], %a0;"),
}


@pytest.fixture(autouse=True, scope="module")
def _kernels():
    KERNELS.update(KERNELS_HERE)
    yield
    for name in (*KERNELS_HERE, "rows' beginnings"):
        KERNELS.pop(name, None)


def shares(run):
    """Give the part of every cause."""
    return {reason.cause: reason.share for reason in reasons(run, 0)}


SHOWN = [   # cause, machine, kernel, blocks, threads, trips; what its number says; where it is not: machine, kernel, blocks, threads, trips
    ("bound", "v100", "products and sums", 320, 256, 8, "is the least by fma", "v100", "reads past L1", 80, 64, 20),
    ("scattered accesses", "v100", "reads apart", 320, 256, 8, "32.0 transactions per load", "v100", "products and sums", 320, 256, 8),
    ("atomic operations", "gf100", "atomics on a word", 30, 256, 4, "30,720 operations of 960 instructions", "gf100", "stores", 30, 256, 4),
    ("local memory", "v100", "spilled", 320, 256, 20, "of the transactions are to local memory", "v100", "reads", 320, 256, 8),
    ("bank conflicts", "v100", "conflicts", 160, 256, 20, "32.0 passes over the banks where one would do", "v100", "wide shared memory", 160, 256, 20),
    ("inactive lanes", "v100", "rows", 320, 256, 4, "% of a warp's lanes are active", "v100", "reads", 320, 256, 4),
    ("few blocks", "v100", "products and sums", 20, 256, 20, "20 blocks for 80 SMs: 60 have no work", "v100", "products and sums", 320, 256, 8),
    ("uneven work", "v100", "uneven", 160, 64, 100, "of the time of the longest", "v100", "dependent sums", 160, 64, 20),
    ("start and end", "v100", "stores of one place", 80, 64, 1, "cycles before the first block and behind the last", "v100", "dependent sums", 80, 32, 100),
    ("few warps", "v100", "reads past L1", 80, 64, 20, "2.00 warps are resident on average", "v100", "products and sums", 640, 256, 8),
    ("memory latency", "v100", "reads past L1", 1280, 256, 1, "by Little's law DRAM needs", "v100", "dependent sums", 640, 256, 4),
    ("barriers", "v100", "barriers", 160, 1024, 20, "at a barrier", "v100", "shared memory", 160, 1024, 20),
    ("shared memory latency", "v100", "dependent reads of shared memory", 160, 160, 20, "waiting for shared memory", "v100", "reads", 640, 128, 4),
    ("arithmetic latency", "gtx680", "dependent sums", 16, 256, 20, "the result of arithmetic", "v100", "reads past L1", 320, 256, 4),
    ("instruction issue", "gt200", "products and sums", 240, 256, 4, "of the issue slots", "gt200", "stores apart", 60, 256, 4),
]
LARGEST = ("bound", "scattered accesses", "atomic operations", "local memory", "bank conflicts", "inactive lanes", "few blocks", "uneven work", "start and end",
           "few warps")
"""Causes of which the kernel above shows most of all."""


@pytest.mark.parametrize("cause, machine, kernel, blocks, threads, trips, number, other_machine, other, other_blocks, other_threads, other_trips", SHOWN,
                         ids=[row[0] for row in SHOWN])
def test_a_cause_is_given_where_a_kernel_shows_it_and_not_elsewhere(cause, machine, kernel, blocks, threads, trips, number, other_machine, other, other_blocks,
                                                                   other_threads, other_trips):
    run = launched(machine, kernel, blocks=blocks, threads=threads, trips=trips)
    found = {reason.cause: reason for reason in run.reasons}
    assert cause in found and number in found[cause].text, [str(reason) for reason in run.reasons]
    if cause in LARGEST:
        assert run.reasons[0].cause == cause, [str(reason) for reason in run.reasons]
    assert all(len(reason.short.replace(" %", "%").split()) <= 9 for reason in reasons(run, 0)), [reason.short for reason in reasons(run, 0)]
    sentence = why(run)
    assert len(sentence.replace(" %", "%").split()) <= 25 and sentence.count("transactions") <= 1 and run.reasons[0].short in sentence, sentence
    elsewhere = launched(other_machine, other, blocks=other_blocks, threads=other_threads, trips=other_trips)
    assert cause not in {reason.cause for reason in elsewhere.reasons}, [str(reason) for reason in elsewhere.reasons]


def test_the_parts_of_all_causes_add_up_to_the_whole():
    for machine in ("gf100", "g80", "v100", "h100"):
        for name in KERNELS:
            run = launched(machine, name, blocks=12, threads=96, trips=2)
            if run is not None:
                assert sum(shares(run).values()) == pytest.approx(1), (machine, name)
                assert all(0 < share <= 1 for share in shares(run).values()), (machine, name)


def test_a_sparse_product_of_few_blocks_is_slow_for_its_inactive_lanes_and_for_idle_multiprocessors():
    run = launched("v100", "rows", blocks=64, threads=128, trips=4)
    causes = [reason.cause for reason in run.reasons]
    assert causes[0] == "inactive lanes" and "few blocks" in causes
    assert "occupancy" not in causes and "partition camping" not in causes


# ------------------------------------------------------------------------------------------------------------ partition camping
@pytest.mark.parametrize("row, camps", [(512, True), (512 + 64, False)], ids=["a row as long as all partitions", "a padded row"])
def test_requests_camp_where_rows_are_as_long_as_all_partitions(row, camps):
    """Blocks of a GTX 280 read the first words of rows: 512 words are eight partitions of 256 bytes."""
    KERNELS["rows' beginnings"] = (f"mad.lo.u32 %y, %i, 240, %b; mad.lo.u32 %y, %y, {row}, %t; and.b32 %y, %y, %m; mul.wide.u32 %o, %y, 4; add.u64 %o, %p, %o; "
                                   "ld.global.f32 %a0, [%o]; add.f32 %a1, %a1, %a0;", "", "st.global.f32 [%q], %a1;")
    run = launched("gt200", "rows' beginnings", blocks=240, threads=64, trips=16)
    found = {reason.cause: reason for reason in run.reasons}
    assert (run.reasons[0].cause == "partition camping") == camps, [str(reason) for reason in run.reasons]
    if camps:
        assert f"{run.counters.partitions_in_use:.2f} of 8 partitions have work at a time" in found["partition camping"].text


def test_nothing_camps_where_dram_idles():
    """Reads that the L2 answers ask DRAM for so little that few partitions have work at a time."""
    run = launched("v100", "reads apart", blocks=160, threads=256, trips=8)
    assert run.metrics["dram_utilization"] < 10
    assert shares(run).get("partition camping", 0) < 0.05


# -------------------------------------------------------------------------------------------------------------------- occupancy
def test_occupancy_is_a_cause_only_where_the_rule_keeps_warps_out():
    device = archdef.Device("v100")
    body, setup, last = KERNELS["reads past L1"]
    kernel = device.compile(PTX.format(body=body, setup=setup, last=last)).k
    array = device.to_device(np.ones(1 << 18, "f4"))
    held_back, full = (kernel[640, 128, shared](array, 4, (1 << 18) - 1) for shared in (24 << 10, 0))
    assert held_back.occupancy.occupancy < 0.25 and held_back.reasons[0].cause == "occupancy"
    assert "warps may be resident, limited by shared" in held_back.reasons[0].text
    assert full.occupancy.occupancy == 1.0 or "occupancy" not in [reason.cause for reason in full.reasons]
    assert shares(full).get("occupancy", 0) < shares(held_back)["occupancy"] / 2


# ----------------------------------------------------------------------------------------------------------- causes by their stall
@pytest.mark.parametrize("stall, cause", [
    ("barrier", "barriers"), ("branch", "branches"), ("fetch", "instruction fetch"), ("constant_dependency", "constants"), ("launch", "launches"),
    ("registers", "register pool"), ("pipe_busy", "busy units"), ("memory_throttle", "memory queues"), ("alu_dependency", "arithmetic latency")])
def test_what_warps_wait_for_is_the_cause(stall, cause):
    """All stalls of a launch that keeps every multiprocessor full are of one kind."""
    run = launched("v100", "dependent sums", blocks=1280, threads=128, trips=4)
    counters = run.counters
    counters.statements["stall_cycles"][:, [k for k, name in enumerate(STALLS) if name not in ("selected", "not_selected")]] = 0
    counters.statements["stall_cycles"][:, STALLS.index(stall)] = 1000
    counters.multiprocessor["issue_cycles"] //= 50
    counters.issued[:] //= 50
    fresh = attrs.evolve(run, counters=attrs.evolve(counters))
    assert fresh.reasons[0].cause == cause, [str(reason) for reason in fresh.reasons]


def test_the_list_of_causes_is_the_one_of_the_page(request):
    page = (request.config.rootpath / "docs" / "explanation" / "reasons.md").read_text(encoding="utf-8")
    assert [cause.name for cause in CAUSES] == [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ") and "---" not in line][1:]


@pytest.mark.parametrize("machine", sorted(registry.names()))
def test_a_kernel_that_computes_alone_is_said_to_be_at_its_bound(machine):
    """Of issue, that is, where it binds in turns with the units: slots of several instructions count as if all were full."""
    run = launched(machine, "products and sums", blocks=registry.get(machine).chip.multiprocessors * 4, threads=256, trips=6)
    assert sum(reason.share for reason in run.reasons if reason.cause in ("bound", "instruction issue")) > 0.8, [str(reason) for reason in run.reasons]
    assert run.reasons[0].cause in ("bound", "instruction issue")
