"""Does a set of the L2 keep as many lines as it may that wait to be written back?"""
import archdef
import pytest

BEFORE = archdef.architecture("gf100")
FILL = 'extern "C" __global__ void fill(float* out, int n) { for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) out[i] = i; }'


def written_back(nbytes: int, ways: int | None) -> int:
    device = archdef.Device(BEFORE.evolve({"caches.l2.dirty_ways": ways or "none"}))
    out = device.empty(nbytes // 4, "f4")
    run = device.compile(FILL).fill[64, 256](out, nbytes // 4)
    return int(run.counters.partition["bytes_written"].sum())


@pytest.mark.parametrize("ways", [1, 4, 8])
def test_what_does_not_fit_the_ways_is_written_back_at_once(ways):
    l2 = BEFORE.caches.l2
    kept = l2.size_bytes * BEFORE.dram.partitions * ways // l2.ways
    assert written_back(2 * kept, ways) == pytest.approx(kept, rel=0.05)
    assert written_back(kept // 2, ways) == 0


def test_without_a_limit_lines_leave_when_others_want_their_place():
    size = BEFORE.caches.l2.size_bytes * BEFORE.dram.partitions
    assert written_back(size * 3 // 4, None) == 0
    assert written_back(2 * size, None) == pytest.approx(size, rel=0.05)
