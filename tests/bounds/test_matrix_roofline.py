"""Are products of matrices counted, have they a roof of their own, and does no launch exceed it?"""
import numpy as np
import pytest
from bounded import exceeded

import archdef
from archdef import registry
from archdef.bounds import ceilings
from archdef.spec.matrix import MATRIX_FLOPS

PTX = """
.version 8.6
.target {target}
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 trips) {{
.reg .u64 %p, %q; .reg .u32 %i, %n, %t, %x<20>; .reg .f32 %f<200>; .reg .f64 %d<80>; .reg .pred %c, %h; .reg .u64 %g;
.shared .align 128 .b8 tile[32768];
ld.param.u64 %p, [p]; ld.param.u32 %n, [trips];
mov.u32 %t, %tid.x; and.b32 %i, %t, 31; setp.lt.u32 %h, %i, 16; mul.wide.u32 %q, %t, 4; add.u64 %q, %q, %p;
mov.u32 %x16, tile; shr.u32 %x16, %x16, 4; cvt.u64.u32 %g, %x16; or.b64 %g, %g, 68720001024;
{zero}
mov.u32 %i, 0;
LOOP:
{body}
add.u32 %i, %i, 1; setp.lt.u32 %c, %i, %n; @%c bra LOOP;
{last}
st.global.f32 [%q], %f0;
ret;
}}
"""


def names(letter, first, count):
    """Give a list of registers."""
    return "{" + ", ".join(f"%{letter}{first + k}" for k in range(count)) + "}"


def mma(shape, types, a, b, c, letter="f", first="x"):
    """Four products of a warp that need nothing of each other: `a`, `b` and `c` are their registers."""
    return "".join(f"mma.sync.aligned.{shape}.row.col.{types} {names(letter, k * c, c)}, {names(first, 0, a)}, {names(first, a, b)}, {names(letter, k * c, c)};\n"
                   for k in range(4))


GROUP = f"""wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {names('f', 0, 64)}, %g, %g, 1, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {names('f', 64, 64)}, %g, %g, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
"""
KERNELS = {     # name → roof, target, operations of a warp's loop, body
    "m8n8k4 in four groups of lanes": ("matrix_f16", "sm_70", 4 * 4 * 512, mma("m8n8k4", "f32.f16.f16.f32", 2, 2, 8)),
    "m16n8k8": ("matrix_f16", "sm_75", 4 * 2048, mma("m16n8k8", "f32.f16.f16.f32", 2, 1, 4)),
    "m16n8k8 into f16": ("matrix_f16", "sm_75", 4 * 2048, mma("m16n8k8", "f16.f16.f16.f16", 2, 1, 2, "x")),
    "m16n8k16": ("matrix_f16", "sm_80", 4 * 4096, mma("m16n8k16", "f32.f16.f16.f32", 4, 2, 4)),
    "m16n8k16 on bf16": ("matrix_f16", "sm_80", 4 * 4096, mma("m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4)),
    "m16n8k8 on tf32": ("matrix_tf32", "sm_80", 4 * 2048, mma("m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4)),
    "m8n8k4 in double precision": ("matrix_f64", "sm_80", 4 * 512, mma("m8n8k4", "f64.f64.f64.f64", 1, 1, 2, "d", "d")),
    "four warps together": ("matrix_f16", "sm_90a", 2 * 2 * 16 * 128 * 16, GROUP),
}
MACHINES = [name for name in sorted(registry.names()) if any(operation in MATRIX_FLOPS for operation in registry.get(name).isa.operations)]
CASES = [(machine, kernel) for machine in MACHINES for kernel, (_, target, _, _) in KERNELS.items()
         if int(target[3:5]) <= 10 * float(registry.get(machine).compute_capability) and (target != "sm_90a" or registry.get(machine).isa.warpgroup is not None)]


def launched(machine, kernel, trips=24):
    _, target, _, body = KERNELS[kernel]
    zero = "".join(f"mov.f32 %f{k}, 0f00000000;" for k in range(128)) + "".join(f"mov.u32 %x{k}, 0;" for k in range(8)) + "".join(
        f"mov.f64 %d{k}, 0d0000000000000000;" for k in range(8))
    last = "".join(f"add.f32 %f0, %f0, %f{k};" for k in range(1, 128)) + "".join(f"cvt.rn.f32.f64 %f1, %d{k}; add.f32 %f0, %f0, %f1;" for k in range(8))
    device = archdef.Device(registry.get(machine))
    module = device.compile(PTX.format(target=target, zero=zero, body=body, last=last))
    return module.k[2 * device.architecture.chip.multiprocessors, 256](device.to_device(np.zeros(512, "f4")), trips)


@pytest.mark.parametrize("machine, kernel", CASES)
def test_products_are_counted_and_stay_under_their_roof(machine, kernel):
    roof, _, operations, _ = KERNELS[kernel]
    run, longer = (launched(machine, kernel, trips) for trips in (24, 36))
    assert longer.roofline.flops - run.roofline.flops == pytest.approx(12 * run.counters.warps * operations)
    assert list(exceeded(run)) == [] == list(exceeded(longer))
    top = next(ceiling.rate for ceiling in ceilings(run.architecture) if ceiling.name == roof)
    assert run.roofline.gflop_s <= top


@pytest.mark.parametrize("machine", MACHINES)
def test_the_roof_of_products_is_reached(machine):
    """… by the products of the machine's own generation, where the units are held all the time."""
    kernels = [kernel for name, kernel in CASES if name == machine and KERNELS[kernel][0] == "matrix_f16"]
    reached = {}
    for kernel in kernels:
        run = launched(machine, kernel, trips=96)
        assert list(exceeded(run)) == []
        reached[kernel] = run.roofline.gflop_s / run.roofline.peak
        if reached[kernel] > 0.8:
            assert "tensor" in [bound.name for bound in run.bounds.lower[:2]]
    assert max(reached.values()) > 0.8, reached


def test_parts_of_a_warp_that_meet_for_a_product_make_one():
    if not MACHINES:
        pytest.skip("no machine has products of matrices")
    machine = next((name for name in MACHINES if registry.get(name).warp.reconvergence.independent), None)
    if machine is None:
        pytest.skip("no machine has lanes of their own")
    body = mma("m8n8k4", "f32.f16.f16.f32", 2, 2, 8).split("\n")[0] + "\n"
    KERNELS["halves"] = ("matrix_f16", "sm_70", 4 * 512, "@%h bra LEFT; mov.u32 %x8, 1; LEFT:\n" + body)
    run, longer = (launched(machine, "halves", trips) for trips in (24, 36))
    assert longer.roofline.flops - run.roofline.flops == pytest.approx(12 * run.counters.warps * 4 * 512) and list(exceeded(run)) == []
