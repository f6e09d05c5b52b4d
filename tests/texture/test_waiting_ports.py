"""Requests that wait in a port behind a texture fetch that the cluster's cache answers: they leave then, not before."""
import kernels
import numpy as np
import pytest

import archdef

TEXELS = 4096
MACHINES = [name for name in kernels.machines("texture", "texture_objects")
            if (cache := archdef.Device(name).architecture.caches.texture_l1) is not None and cache.scope == "cluster"]
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has texture caches of clusters")


def mixed(draw: np.random.Generator, many: int) -> str:
    """Texture fetches and loads in some order, from places that the thread's number and the results so far give."""
    lines = []
    for _ in range(many):
        if draw.random() < 0.3:
            lines.append("bar.sync 0;")
        lines.append(f"mad.lo.u32 %r4, %r4, {2 * draw.integers(1, 1 << 12) + 1}, {draw.integers(1 << 20)}; shr.u32 %r6, %r4, {draw.integers(0, 16)};"
                     f" and.b32 %r6, %r6, {draw.choice([63, 1023, TEXELS - 1])};")
        if draw.random() < 0.6:
            lines.append("tex.1d.v4.u32.s32 {{%d0, %d1, %d2, %d3}}, [{t}, {{%r6}}]; add.u32 %r7, %r7, %d0;")
        else:
            lines.append("mul.wide.u32 %rd10, %r6, 4; add.s64 %rd10, %rd10, %rd7; ld.global.u32 %r8, [%rd10]; add.u32 %r7, %r7, %r8;")
        if draw.random() < 0.3:
            lines.append("add.u32 %r4, %r4, %r7;")
    return "ld.param.u64 %rd7, [in0]; mov.u32 %r4, %r1; mov.u32 %r7, 0; " + "\n".join(lines) + " st.global.u32 [%rd9], %r7;"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", MACHINES)
def test_fetches_and_loads_in_any_order_keep_the_order_of_time(name, seed):
    draw, device = np.random.default_rng(seed), archdef.Device(name)
    data = device.to_device(draw.integers(0, 1000, TEXELS).astype("i4"))
    texture = device.texture(data, layout="linear")
    module = device.compile(kernels.kernel(mixed(draw, 24), "s", 0))
    threads, n = 32 * int(draw.integers(1, 9)), 8192
    out = device.zeros(n, "u4")
    run = module.k[-(-n // threads), threads](texture, out, n, data)
    c = run.counters
    assert c.texture_hits + c.texture_misses == c.texture_transactions > 0 and c.texture_hits
