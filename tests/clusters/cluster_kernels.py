"""Kernels of clusters, as text, and a device that runs them."""
import functools

import archdef

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
START = """    .reg .b32 %r<64>; .reg .b64 %rd<32>; .reg .pred %p<16>;
    .shared .align 16 .b8 tile[1024]; .shared .align 8 .b64 bar[4];
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r5, tile; shl.b32 %r6, %r1, 2; add.u32 %r7, %r5, %r6;
    mov.u32 %r8, %cluster_ctarank; mov.u32 %r9, %cluster_nctarank; mov.u32 %r20, 0; mov.u32 %r30, bar;
"""
SYNC = "    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
NEXT = "    add.u32 %r10, %r8, 1; rem.u32 %r10, %r10, %r9;\n"
"""%r10: the rank that follows the block's own, after the last the first."""
END = "    st.global.u32 [%rd3], %r20;\n"


def text(body: str, directives: str = "", parameters: str = "") -> str:
    """Make a kernel that leaves %r20 of each thread in an array."""
    return f"{HEAD}.visible .entry k(.param .u64 out{parameters})\n{directives}\n{{\n{START}{body}{END}    ret;\n}}\n"


@functools.cache
def device(name: str = "h100"):
    """Make a device, one for all tests."""
    return archdef.Device(name)


def results(body: str, blocks: int = 4, threads: int = 64, cluster=None, machine=None, shared: int = 0, **options):
    """Launch a kernel, and give what each block's threads left."""
    d = machine or device()
    out = d.zeros((blocks, threads), "u4")
    d.compile(text(body)).k[blocks, threads, shared].launch(out, cluster=cluster, **options)
    return out.to_host()
