"""Do programs that make maps of tensors by the driver get what their kernels copy by?"""
import pytest
from test_foreign_programs import run

from archdef import registry

pytestmark = pytest.mark.skipif("h100" not in registry.names(), reason="needs the plugins of this repository")
TILE = b"""
.version 8.0
.target sm_90
.address_size 64
.shared .align 128 .b8 box[64];
.shared .align 8 .b64 arrived;
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<5>;
    mov.u32 %r1, arrived; mov.u32 %r2, box; mov.u32 %r3, 8; mov.u32 %r4, 2; mov.b64 %rd1, map; ld.param.u64 %rd2, [out];
    mbarrier.init.shared.b64 [%r1], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r1], 64;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1, {%r3, %r4}], [%r1];
WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; @!%p1 bra WAIT;
    mov.u32 %r5, 0;
COPY: add.u32 %r6, %r2, %r5; ld.shared.u32 %r7, [%r6]; cvt.u64.u32 %rd4, %r5; add.u64 %rd4, %rd4, %rd2; st.global.u32 [%rd4], %r7;
    add.u32 %r5, %r5, 4; setp.lt.u32 %p1, %r5, 64; @%p1 bra COPY;
    ret;
}
"""


def test_a_kernel_copies_a_tile_by_a_map_that_the_driver_made(build, tmp_path):
    found, printed = run([build("tensor_maps", "driver", TILE + b"\0")], "h100", tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures
