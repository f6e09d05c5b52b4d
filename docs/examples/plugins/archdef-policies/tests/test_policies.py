"""Do the compiled policies say what their readable definitions say, and do they help where they should?"""
import numpy as np
import pytest
from archdef_policies.capped import CappedFirstReady
from archdef_policies.ccws import CacheConscious
from archdef_policies.critical import Critical
from archdef_policies.delta import DeltaCorrelation
from archdef_policies.few_blocks import FewBlocks
from archdef_policies.few_requests import FewRequestsFirst
from archdef_policies.first_touch import FirstTouch, PagesInTurn
from archdef_policies.parity import Parity
from archdef_policies.reuse import Reuse
from archdef_policies.ring import Ring
from archdef_policies.rrip import ReReferenceInterval
from archdef_policies.victims import Victims
from archdef_policies.wave_lines import WaveLines

import archdef
from archdef import registry
from archdef.errors import PolicyError
from archdef.spec import FirstReady, Lines, NocDistances, StridePrefetcher

UNEVEN = """
__global__ void phases(float *x, int heavy, int light, int rounds)
{
    float a = x[threadIdx.x], b = 0.5f, c = 0.25f, d = 0.125f;
    for (int r = 0; r < rounds; r++) {
        int steps = threadIdx.x / warpSize % 8 == 7 ? heavy : light;
        for (int i = 0; i < steps; i++) { a = a * 0.99f + b; b = b * 0.98f + c; c = c * 0.97f + d; d = d * 0.96f + a; }
        __syncthreads();
    }
    x[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
"""
COLUMNS = """
__global__ void columns(float *out, const float *in, int width)
{
    int row = blockIdx.y * blockDim.x + threadIdx.x;
    out[row * width + blockIdx.x] = in[row * width + blockIdx.x] + 1.0f;
}
"""
ROWS = """
__global__ void rows(float *sum, const float *in, int width)
{
    const float *row = in + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * width;
    float total = 0;
    for (int i = 0; i < width; i++) total += row[i];
    sum[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
"""
MIXED = """
__global__ void mixed(float *sum, const float *often, const float *once, int lines, int scanned, int rounds)
{
    float total = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 2 * lines; i++) total += often[i % lines * 32 + threadIdx.x];
        for (int i = 0; i < scanned; i++) total += once[(round * scanned + i) * 32 + threadIdx.x];
    }
    sum[threadIdx.x] = total;
}
"""
WALK = """
__global__ void walk(float *sum, const float *in, const int *lines, int steps)
{
    float total = 0;
    #pragma unroll 1
    for (int i = 0; i < steps; i++) total += in[(__ldcg(lines + i) + (total < 0)) * 32 + threadIdx.x];
    sum[threadIdx.x] = total;
}
"""
BESIDE = """
__global__ void beside(long long *took, float *out, const float *stream, const unsigned *chain, int steps, int words)
{
    if (blockIdx.x == 0) {          // waits for one row after another
        long long begin = clock64();
        unsigned at = 0;
        for (int i = 0; i < steps; i++) at = chain[at];
        took[0] = clock64() - begin;
        took[1] = at;
        return;
    }
    float total = 0;                // streams through rows that are open
    for (int i = (blockIdx.x - 1) * blockDim.x + threadIdx.x; i < words; i += (gridDim.x - 1) * blockDim.x) total += stream[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
"""
SLICES = """
__global__ void slices(float *x, int words)
{
    for (int i = threadIdx.x; i < words; i += blockDim.x) x[blockIdx.x * words + i] += 1.0f;
}
"""
PAPER = {"chip.multiprocessors": 2, "caches.l1.size_bytes": 32 << 10, "caches.l1.ways": 8, "limits.warps_per_multiprocessor": 32,
         "limits.threads_per_multiprocessor": 1024, "load_store.replay.cycles": 0}
"""The multiprocessor of Rogers et al., table 1, out of a GTX 480: 32 warps, 32 KB of L1 in 8 ways, no replays."""
needs = {name: pytest.mark.skipif(name not in registry.names(), reason=f"the plugin of {name} is not installed")
         for name in ("gt200", "gf100", "k40", "c500", "h100")}


class Readable:
    """A policy without its compiled form."""

    def __init__(self, policy):
        self.made = type("Readable", (type(policy),), {"__slots__": (), "compiled": lambda self: None})
        self.policy = self.made(**{name: getattr(policy, name) for name in getattr(policy, "__match_args__", ())})


def run(name, source, grid, block, arrays, *scalars, chip__multiprocessors=2, **changes):
    changes["chip__multiprocessors"] = chip__multiprocessors
    device = archdef.Device(registry.get(name).evolve({k.replace("__", "."): v for k, v in changes.items()}))
    given = [device.to_device(a) for a in arrays]
    kernel, = (getattr(device.compile(source), n) for n in ("phases", "columns") if n in source)
    return kernel[grid, block](*given, *scalars)


def uneven(name, policy, blocks=24, heavy=200, light=40):
    return run(name, UNEVEN, blocks, 256, [np.ones(blocks * 256, "f4")], heavy, light, 6, schedulers__policy=policy)


@needs["gt200"]
@pytest.mark.parametrize("blocks, heavy, light", [(24, 200, 40), (16, 200, 40), (32, 200, 20)])
def test_critical_warps_first_end_uneven_blocks_sooner(blocks, heavy, light):
    cycles = {name: uneven("gt200", policy, blocks, heavy, light).cycles for name, policy in (("critical", Critical()), ("gto", "gto"), ("lrr", "lrr"))}
    assert all(0.86 < cycles["critical"] / cycles[other] < 0.93 for other in ("gto", "lrr"))       # docs/howto/policy.md says a tenth


@needs["k40"]
def test_the_compiled_scheduler_issues_what_the_readable_one_does():
    assert uneven("k40", Critical()).cycles == uneven("k40", Readable(Critical()).policy).cycles


@needs["gt200"]
def test_parities_end_camping():
    """A column of a matrix whose rows are as long as all partitions together lies in one of them."""
    a = np.zeros((512, 512), "f4")
    found = {name: run("gt200", COLUMNS, (64, 8), 64, [a, a], 512, dram__partition_map=policy, chip__multiprocessors=30)
             for name, policy in (("parity", Parity()), ("interleaved", "interleaved"))}
    assert found["interleaved"].counters.partitions_in_use < 3 < found["parity"].counters.partitions_in_use
    assert 1 / 7 < found["parity"].cycles / found["interleaved"].cycles < 1 / 5.5        # docs/howto/policy.md says a sixth


@pytest.mark.parametrize("partitions", [1, 2, 6, 8, 32, 40])
def test_every_partition_holds_as_much_as_every_other(partitions):
    held = np.bincount([Parity().partition(address, 256, partitions) for address in range(0, 256 * partitions * 64, 256)], minlength=partitions)
    assert len(held) == partitions and set(held) == {64}


@needs["gt200"]
def test_the_compiled_map_is_the_readable_one():
    a = np.zeros((512, 512), "f4")
    one, other = (run("gt200", COLUMNS, (8, 8), 64, [a, a], 512, dram__partition_map=p) for p in (Parity(), Readable(Parity()).policy))
    assert one.cycles == other.cycles


@needs["c500"]
@pytest.mark.parametrize("stride", [1, 2, 3, 16, 64])
def test_the_compiled_rule_sends_what_the_readable_one_does(stride):
    source = f"__global__ void columns(float *x) {{ x[threadIdx.x * {stride}] = threadIdx.x; }}"
    mine, readable = (run("c500", source, 1, 256, [np.zeros(1 << 16, "f4")], coalescing__store=p) for p in (WaveLines(), Readable(WaveLines()).policy))
    assert mine.cycles == readable.cycles and mine.counters.totals() == readable.counters.totals()
    rule = WaveLines()
    sent = [len(rule.transactions([4 * stride * (64 * wave + lane) for lane in range(64)], 4)) for wave in range(4)]
    assert mine.counters.totals()["global_store_transactions"] >= sum(sent)


def test_scattered_pairs_need_fewer_transactions_than_by_quarters():
    addresses = [4 * (lane % 16 * 4 + lane // 16) for lane in range(64)]     # four lanes of different quarters side by side
    assert len(WaveLines().transactions(addresses, 4)) == 2 < len(Lines(group_lanes=16, line_bytes=128, sector_bytes=64).transactions(addresses, 4))


def sum_rows(policy, throttle, width=64, threads=2048):
    device = archdef.Device(registry.get("gf100").evolve({**PAPER, "schedulers.policy": policy, "schedulers.throttle": throttle}))
    out, given = device.zeros(threads, "f4"), device.to_device(np.ones((threads, width), "f4"))
    found = device.compile(ROWS).rows[threads // 256, 256](out, given, width)
    assert (out.to_host() == width).all()
    return found


@needs["gf100"]
def test_a_cache_conscious_throttle_keeps_rows_in_l1():
    """Each lane walks along a line of its own: four warps fill L1, 32 in turn find nothing there. Rogers et al., MICRO 2012: fewer misses, sooner done."""
    free, held = sum_rows("lrr", None), sum_rows("lrr", CacheConscious())
    assert held.counters.l1_misses < 0.2 * free.counters.l1_misses
    assert held.cycles < 0.4 * free.cycles


@needs["gf100"]
def test_a_cache_conscious_throttle_leaves_streams_alone():
    free, held = (sum_rows("lrr", throttle, width=1) for throttle in (None, CacheConscious()))
    assert held.cycles == free.cycles


@needs["gf100"]
def test_the_compiled_throttle_holds_back_whom_the_readable_one_does():
    given, readable = (sum_rows("lrr", throttle, 32, 1024) for throttle in (CacheConscious(), Readable(CacheConscious()).policy))
    assert (given.cycles, given.counters.l1_misses) == (readable.cycles, readable.counters.l1_misses)
    assert given.cycles != sum_rows("lrr", None, 32, 1024).cycles


@needs["gf100"]
def test_the_throttle_refuses_an_l1_that_it_has_no_room_for():
    machine = registry.get("gf100").evolve({**PAPER, "caches.l1.size_bytes": 2 << 20, "schedulers.throttle": CacheConscious()})
    device = archdef.Device(machine)
    with pytest.raises(PolicyError, match="schedulers.throttle"):
        device.compile(ROWS).rows[1, 32](device.zeros(32, "f4"), device.zeros((32, 4), "f4"), 4)


def mixed(lines, scanned, rounds=6, **changes):
    """Let one warp read lines twice in each round, and others once. Gives the run; the sums are right."""
    device = archdef.Device(registry.get("gf100").evolve({**PAPER, **{k.replace("__", "."): v for k, v in changes.items()}}))
    out, often, once = device.zeros(32, "f4"), device.to_device(np.ones(32 * lines, "f4")), device.to_device(np.ones(32 * max(scanned, 1) * rounds, "f4"))
    found = device.compile(MIXED).mixed[1, 32](out, often, once, lines, scanned, rounds)
    assert (out.to_host() == rounds * (2 * lines + scanned)).all()
    return found


@needs["gf100"]
def test_predicted_re_reference_keeps_what_is_read_again_through_a_scan():
    """Half of L1 is read twice a round, then a whole L1 is scanned. Jaleel et al., ISCA 2010, table 3: by last use the scan displaces what is read again."""
    by_use, predicted = (mixed(128, 256, caches__l1__replacement=policy) for policy in ("lru", ReReferenceInterval(duel_sets=0)))
    assert by_use.counters.l1_misses == 6 * (128 + 256) and predicted.counters.l1_misses == 128 + 6 * 256
    assert predicted.cycles < 0.96 * by_use.cycles


@needs["gf100"]
def test_duelling_sets_find_the_rule_that_keeps_a_part_of_a_loop_that_does_not_fit():
    """A loop over one and a half times L1. Jaleel et al., ISCA 2010: by last use, and by static predictions, every access misses."""
    by_use, static, duelling = (mixed(384, 0, caches__l1__replacement=policy) for policy in ("lru", ReReferenceInterval(duel_sets=0), ReReferenceInterval()))
    assert by_use.counters.l1_hits == static.counters.l1_hits == 0
    assert duelling.counters.l1_misses < 0.6 * by_use.counters.l1_misses and duelling.cycles < 0.92 * by_use.cycles


@needs["gf100"]
def test_the_compiled_replacement_predicts_what_the_readable_one_does():
    one, other = (mixed(384, 100, 2, caches__l1__replacement=policy) for policy in (ReReferenceInterval(), Readable(ReReferenceInterval()).policy))
    assert (one.cycles, one.counters.l1_misses) == (other.cycles, other.counters.l1_misses)
    assert one.cycles != mixed(384, 100, 2).cycles


# ----------------------------------------------------------------------------------------------------------------- what L1 does with loads
@needs["gf100"]
def test_loads_whose_lines_go_unread_pass_l1_by_and_leave_it_to_others():
    """Half of L1 is read twice a round, another instruction scans a whole L1. Tian et al., GPGPU 2015: once it is known, the scan displaces nothing."""
    all_, some = mixed(128, 256, 12), mixed(128, 256, 12, caches__l1_admission=Reuse())
    assert some.counters.l1_misses < 0.8 * all_.counters.l1_misses and some.cycles < 0.96 * all_.cycles


@needs["gf100"]
def test_what_is_read_again_is_admitted_as_if_nobody_asked():
    asked, free = mixed(128, 0, caches__l1_admission=Reuse()), mixed(128, 0)
    assert asked.cycles == free.cycles and np.array_equal(asked.counters.statements, free.counters.statements)


def walk(lines, **changes):
    """Let one warp read lines one after the other, each when the one before has come. Gives the run; the sum is right."""
    device = archdef.Device(registry.get("gf100").evolve({**PAPER, **{k.replace("__", "."): v for k, v in changes.items()}}))
    out, given = device.zeros(32, "f4"), device.to_device(np.ones(32 * (max(lines) + 1), "f4"))
    found = device.compile(WALK).walk[1, 32](out, given, device.to_device(np.array(lines, "i4")), len(lines))
    assert (out.to_host() == len(lines)).all()
    return found


@needs["gf100"]
def test_steps_that_come_again_are_fetched_ahead_where_a_stride_prefetcher_finds_none():
    """Nesbit and Smith, HPCA 2004: delta correlation follows patterns of steps that are not one step over and over."""
    lines = np.cumsum([(1, 3, 7)[k % 3] for k in range(60)]).tolist()
    stride = StridePrefetcher(entries=256, degree=4, page_bytes=1 << 20)
    none, even, pattern = (walk(lines, **changes) for changes in ({}, {"caches__l1_prefetcher": stride}, {"caches__l1_prefetch": DeltaCorrelation()}))
    assert even.counters.l1_misses == none.counters.l1_misses == 60 + 60       # the loads of `lines` pass L1 by, which counts as a miss
    assert pattern.counters.l1_misses < 60 + 10 and pattern.cycles < 0.75 * none.cycles


@needs["gf100"]
def test_lines_without_a_pattern_are_left_alone():
    lines = np.cumsum(np.random.default_rng(3).permutation(60) + 1).tolist()
    assert walk(lines, caches__l1_prefetch=DeltaCorrelation()).cycles == walk(lines).cycles


DIRECT = {"caches__l1__ways": 1, "caches__l1__size_bytes": 32 * 128, "caches__l1__replacement": "lru", "caches__l1__set_hash_bits": ()}


@needs["gf100"]
def test_a_victim_cache_serves_the_conflicts_of_a_direct_mapped_l1():
    """Lines that share a set, read in turn. Jouppi, ISCA 1990: a few places of a fully associative cache take most conflict misses."""
    lines = [32 * (k % 3) for k in range(60)]
    alone, small, enough = (walk(lines, **DIRECT, **changes) for changes in (
        {}, {"caches__l1_victim_cache": Victims(entries=1)}, {"caches__l1_victim_cache": Victims(entries=2)}))
    assert alone.counters.l1_misses == 60 + 60
    assert small.cycles == alone.cycles        # of three lines in turn, it always has the wrong one
    assert enough.cycles < 0.75 * alone.cycles


@needs["gf100"]
@pytest.mark.parametrize("field, policy", [("l1_admission", Reuse()), ("l1_prefetch", DeltaCorrelation()), ("l1_victim_cache", Victims())])
def test_compiled_policies_of_l1_do_what_the_readable_ones_do(field, policy):
    lines = np.cumsum([(1, 3, 7)[k % 3] for k in range(60)]).tolist() + [32 * (k % 3) for k in range(60)]
    one, other, none = (walk(lines, **DIRECT, **{f"caches__{field}": each}) for each in (policy, Readable(policy).policy, None))
    assert one.cycles == other.cycles and np.array_equal(one.counters.statements, other.counters.statements)
    assert field == "l1_admission" or one.cycles != none.cycles


# -------------------------------------------------------------------------------------------------------------- the memory system
def beside(scheduling, steps=20, words=1 << 19, **changes):
    """Cycles in which one multiprocessor reads a row, as the others stream through the same banks of a slow memory, and cycles of all."""
    device = archdef.Device(registry.get("gf100").evolve({
        "chip.multiprocessors": 8, "limits.blocks_per_multiprocessor": 1, "clocks.memory_mhz": 150.0, "dram.partitions": 1, "dram.banks": 4,
        "dram.queue_entries": 512, "dram.scheduling": scheduling, **changes}))
    chain = np.zeros(1 << 20, "u4")
    chain[:steps * 4099:4099] = np.arange(1, steps + 1) * 4099
    took = device.zeros(2, "i8")
    found = device.compile(BESIDE).beside[8, 1024](took, device.zeros(8 * 1024, "f4"), device.zeros(words, "f4"), device.to_device(chain), steps, words)
    assert took.to_host()[1] == steps * 4099
    return int(took.to_host()[0]) / steps, found.cycles


@needs["gf100"]
def test_capped_row_hits_let_others_in():
    """Mutlu and Moscibroda, MICRO 2007: who streams through open rows keeps others from its banks."""
    (free, free_all), (capped, capped_all) = (beside(one) for one in (FirstReady(window=256), CappedFirstReady(cap=8, window=256)))
    assert capped < 0.9 * free and capped_all < 1.02 * free_all


@needs["gf100"]
def test_who_has_few_requests_waits_for_nobody_who_has_many():
    """Ausavarungnirun et al., ISCA 2012: the source with the fewest requests first."""
    alone, _ = beside(FirstReady(window=256), words=0)
    (free, free_all), (first, first_all) = (beside(one) for one in (FirstReady(window=256), FewRequestsFirst(window=256)))
    assert free > 1.7 * alone and first < 1.1 * alone and first_all < 1.1 * free_all


@needs["gf100"]
@pytest.mark.parametrize("order", [CappedFirstReady(cap=2), FewRequestsFirst()], ids=repr)
def test_the_compiled_order_serves_what_the_readable_one_does(order):
    assert beside(order, 20, 1 << 13) == beside(Readable(order).policy, 20, 1 << 13) != beside(FirstReady(), 20, 1 << 13)


def touch(placed, blocks=16, words=1 << 14):
    device = archdef.Device(registry.get("h100").evolve({
        "chip.multiprocessors": 16, "dram.partitions": 16, "dram.partition_map": placed, "interconnect.distances": None,
        "interconnect.l2_partitions.count": 4, "interconnect.l2_partitions.far_latency_ns": 200.0}))
    x = device.zeros(blocks * words, "f4")
    found = device.compile(SLICES).slices[blocks, 256](x, words)
    assert (x.to_host() == 1).all()
    counted = found.counters.components["placement"]
    return found.cycles, int(counted["near_requests"].sum()), int(counted["far_requests"].sum())


@needs["h100"]
def test_pages_at_first_touch_are_near_to_who_uses_them():
    """Arunkumar et al., ISCA 2017: blocks that work on slices of their own find them in their own part of the chip."""
    (first, near, far), (turned, _, far_in_turn) = touch(FirstTouch()), touch(PagesInTurn())
    assert far < 0.02 * near and far_in_turn > 20 * far and first < turned


@needs["h100"]
@pytest.mark.parametrize("placed", [FirstTouch(), PagesInTurn(page_bytes=4096)], ids=repr)
def test_the_compiled_placement_is_the_readable_one(placed):
    assert touch(placed) == touch(Readable(placed).policy)


def rows_by_blocks(dispatch, threads=4096, width=64):
    device = archdef.Device(registry.get("gf100").evolve({**PAPER, "schedulers.policy": "lrr", "chip.block_launch.dispatch": dispatch}))
    out, given = device.zeros(threads, "f4"), device.to_device(np.ones((threads, width), "f4"))
    found = device.compile(ROWS).rows[threads // 128, 128](out, given, width)
    assert (out.to_host() == width).all()
    return found


@needs["gf100"]
def test_fewer_blocks_keep_rows_in_l1():
    """Kayiran et al., PACT 2013: where blocks throw each other's lines out of L1, fewer of them are sooner done."""
    free, held = rows_by_blocks("round_robin"), rows_by_blocks(FewBlocks(most=1))
    assert held.counters.max_resident_blocks == 1 and held.counters.l1_misses < 0.5 * free.counters.l1_misses and held.cycles < free.cycles


@needs["gf100"]
def test_the_compiled_dispatch_places_blocks_as_the_readable_one_does():
    one, other = (rows_by_blocks(policy, 1024, 16) for policy in (FewBlocks(), Readable(FewBlocks()).policy))
    assert one.cycles == other.cycles


def around(topology, **fields):
    device = archdef.Device(registry.get("gf100").evolve({"interconnect.distances": NocDistances(topology=topology, **fields)}))
    a = device.zeros((256, 256), "f4")
    return device.compile(COLUMNS).columns[(64, 4), 64](a, a, 256).cycles


@needs["gf100"]
def test_a_ring_takes_longer_the_more_stops_it_has_and_the_narrower_its_links_are():
    small, large, narrow = around(Ring(stops=4), hop_ns=5.0), around(Ring(stops=32), hop_ns=5.0), around(Ring(stops=32), hop_ns=5.0, link_bytes_per_cycle=8)
    assert small < large < narrow


@needs["gf100"]
@pytest.mark.parametrize("stops", [2, 7, 16])
def test_the_compiled_ring_is_the_readable_one(stops):
    one, other = (around(policy, hop_ns=5.0, link_bytes_per_cycle=8) for policy in (Ring(stops=stops), Readable(Ring(stops=stops)).policy))
    assert one == other
