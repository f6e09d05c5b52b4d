"""CUDA's own ``cluster_group``, from its header."""
import numpy as np
import pytest

import archdef
from archdef.errors import LaunchError
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void DIMENSIONS k(int *out) {
    __shared__ int tile[64];
    cg::cluster_group cluster = cg::this_cluster();
    tile[threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
    cluster.sync();
    int *far = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % cluster.num_blocks());
    int *mine = out + 6 * (blockIdx.x * 64 + threadIdx.x);
    mine[0] = far[threadIdx.x];
    mine[1] = cluster.query_shared_rank(far);
    mine[2] = cluster.block_rank();
    mine[3] = cluster.num_blocks();
    mine[4] = cluster.thread_rank();
    mine[5] = cluster.dim_blocks().x;
    cluster.sync();
}
"""


@pytest.mark.parametrize("n, compiled", [(1, False), (2, False), (4, True), (8, False), (8, True)])
def test_a_cluster_group(n, compiled):
    device = archdef.Device("h100")
    kernel = device.compile(SOURCE.replace("DIMENSIONS", f"__cluster_dims__({n}, 1, 1)" if compiled else "")).k
    out = device.zeros((8, 64, 6), "i4")
    kernel[8, 64].launch(out, cluster=None if compiled else n)
    block, lane = np.arange(8)[:, None], np.arange(64)[None]
    following = (block % n + 1) % n
    want = ((block // n * n + following) * 64 + lane, following, block % n, n, block % n * 64 + lane, n)
    assert all(np.array_equal(out.to_host()[..., k], np.broadcast_to(what, (8, 64))) for k, what in enumerate(want))
    if compiled:
        with pytest.raises(LaunchError, match="compiled for clusters"):
            kernel[8, 64].launch(out, cluster=2)
