"""A stride prefetcher of L1: what walks with an even step finds its lines there, everything else takes the time that it took."""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import SpecErrors
from archdef.spec import StridePrefetcher

MACHINES = [name for name in registry.names() if getattr(registry.get(name).caches.l1, "enabled", False) and registry.get(name).caches.l1_global_loads]
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has an L1 for global loads")
machines = pytest.mark.parametrize("name", MACHINES)
KERNEL = """.version 7.0
.target sm_30
.address_size 64
.visible .entry walk(.param .u64 out, .param .u64 words, .param .u64 order, .param .u32 steps)
{
    .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [words]; ld.param.u64 %d3, [order]; ld.param.u32 %r4, [steps];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.u64 %d2, %d2, %d4; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u64 %d7, %d3;
AGAIN:
    ld.global.cg.u32 %r5, [%d7]; cvt.u64.u32 %d5, %r5; add.u64 %d6, %d2, %d5;
    ld.global.ca.u32 %r6, [%d6]; add.u32 %r3, %r3, %r6; and.b32 %r6, %r6, 0; cvt.u64.u32 %d5, %r6; add.u64 %d7, %d7, %d5; add.u64 %d7, %d7, 4;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4; @%p1 bra AGAIN;
    add.u64 %d4, %d1, %d4; st.global.u32 [%d4], %r3;
    ret;
}"""
"""Each load's address waits for the word that the one before has brought."""
STEPS = 24


def walk(name, prefetcher, lines, warps=1, **changes):
    """Let warps read the given lines, each when the one before has come. Gives the run; the sums are right."""
    machine = registry.get(name)
    device = archdef.Device(machine.evolve({"chip.multiprocessors": 1, "chip.cluster_sizes": (), "caches.l1_prefetcher": prefetcher, **changes}))
    width, line_bytes = warps * machine.warp.size, machine.caches.l1.line_bytes
    words = np.random.default_rng(7).integers(0, 1 << 20, (max(lines) + 2) * line_bytes // 4 + width).astype("u4")
    order = np.array(lines, "u4") * line_bytes
    out = device.to_device(np.zeros(width, "u4"))
    found = device.compile(KERNEL).walk[1, width](out, device.to_device(words), device.to_device(order), len(lines))
    np.testing.assert_array_equal(out.to_host(), sum(words[k // 4:k // 4 + width] for k in order.tolist()))
    return found


AHEAD = StridePrefetcher(entries=256, degree=2, distance=1, page_bytes=1 << 20)


@machines
@pytest.mark.parametrize("step", [2, 3, -2])
def test_an_even_step_finds_its_lines(name, step):
    lines = [3 * STEPS + step * k for k in range(STEPS)]
    without, with_ = walk(name, None, lines), walk(name, AHEAD, lines)
    assert without.counters.l1_misses - with_.counters.l1_misses > 0.8 * STEPS       # of a load each at least
    assert with_.cycles < 0.9 * without.cycles


@machines
@pytest.mark.parametrize("entries", [256, 65536, 1000])
def test_the_warps_of_a_load_are_followed_apart(name, entries):
    """Two that walk side by side disturb each other in no table that has room for both."""
    lines = [3 * k for k in range(STEPS)]
    without, with_ = (walk(name, one, lines, 2) for one in (None, StridePrefetcher(entries=entries, degree=2, page_bytes=1 << 20)))
    assert without.counters.l1_misses - with_.counters.l1_misses > 2 * 0.8 * STEPS


@machines
def test_an_uneven_step_takes_the_time_that_it_took(name):
    lines = np.cumsum([k % 5 * 2 + k for k in range(STEPS)]).tolist()
    without, with_ = walk(name, None, lines), walk(name, AHEAD, lines)
    assert (with_.cycles, with_.counters.l1_misses) == (without.cycles, without.counters.l1_misses)


@machines
def test_nothing_is_fetched_beyond_the_page(name):
    line = registry.get(name).caches.l1.line_bytes
    lines = [2 * k for k in range(STEPS)]
    tight = StridePrefetcher(entries=256, degree=2, page_bytes=max(line, 256))
    small, wide = (walk(name, one, lines) for one in (tight, AHEAD))
    assert small.counters.l1_misses > wide.counters.l1_misses


def test_a_prefetcher_without_a_cache_is_refused():
    with pytest.raises(SpecErrors) as caught:
        registry.get(MACHINES[0]).evolve({"caches.l1.enabled": False, "caches.l1_prefetcher": AHEAD})
    assert "caches.l1_prefetcher must be absent where there is no L1" in str(caught.value.exceptions[0])
    with pytest.raises(SpecErrors) as caught:
        registry.get(MACHINES[0]).evolve({"caches.l1.line_bytes": 1024, "caches.l1_prefetcher": StridePrefetcher(entries=4, page_bytes=256)})
    assert any("must be at least caches.l1.line_bytes" in str(one) for one in caught.value.exceptions)
