"""A chip of several L2 partitions: what is read from another one comes later, until the reader's own L2 partition has a copy of the line."""
import attrs
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import SpecErrors
from archdef.spec import L2Partitions

READ = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 source, .param .u64 target)
{
    .reg .pred %p; .reg .u32 %r<8>; .reg .u64 %rd<6>;
    ld.param.u64 %rd1, [source];
    ld.param.u64 %rd2, [target];
    mov.u32 %r1, %smid;
    mul.lo.u32 %r1, %r1, 8192;
WAIT:                       // each multiprocessor reads long after the one before it
    mov.u32 %r2, %clock;
    setp.lt.u32 %p, %r2, %r1;
    @%p bra WAIT;
    mov.u32 %r1, %smid;
READ:
    mov.u32 %r3, %clock;
    ld.global.cg.u32 %r4, [%rd1];
    add.u32 %r5, %r4, 1;
    mov.u32 %r6, %clock;
    sub.u32 %r6, %r6, %r3;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r6;
    ret;
}
"""


def cycles_of_reads(arch):
    """What the same word costs each multiprocessor, one after the other."""
    device = archdef.Device(arch)
    source, target = device.to_device(np.zeros(64, "u4")), device.to_device(np.zeros(arch.chip.multiprocessors, "u4"))
    device.compile(READ).k[(arch.chip.multiprocessors,), (1,)](source, target)
    return target.copy_to_host()


@pytest.mark.parametrize("name", ["a100", "h100"])
@pytest.mark.parametrize("l2_partitions", [2, 4])
def test_the_first_reader_of_each_other_side_waits_for_the_way_and_later_ones_do_not(name, l2_partitions):
    arch = registry.get(name).evolve({"chip.multiprocessors": 8, "dram.partitions": 16, "interconnect.distances": None,
                                      "interconnect.l2_partitions.count": l2_partitions, "interconnect.l2_partitions.far_latency_ns": 500.0})
    took = cycles_of_reads(arch).reshape(l2_partitions, -1).astype(int)
    far, near = round(500 * arch.clocks.shader_mhz / 1000), took[:, 1:]
    assert near.max() - near.min() < 32
    assert (abs(took[1:, 0] - near.min() - far) < far / 4).all(), "the line is at home on the side that read it first, or that has a copy by then"


def test_sides_without_equally_many_partitions_are_refused_by_name():
    arch = registry.get("a100")
    with pytest.raises(SpecErrors) as raised:
        attrs.evolve(arch, interconnect=attrs.evolve(arch.interconnect, l2_partitions=L2Partitions(count=3)))
    assert any("interconnect.l2_partitions.count must divide dram.partitions = 80" in str(one) for one in raised.value.exceptions)


@pytest.mark.parametrize("name", [name for name in registry.names() if registry.get(name).interconnect.l2_partitions])
@pytest.mark.parametrize("changes", [{"dram.partitions": 1}, {"interconnect.l2_partitions.count": 3}, {"dram.partitions": 8, "interconnect.l2_partitions.count": 16}])
def test_sides_that_do_not_divide_the_partitions_are_refused_in_what_ifs_too(name, changes):
    with pytest.raises(SpecErrors) as caught:
        registry.get(name).evolve(changes)
    assert any("must divide dram.partitions" in str(fault) for fault in caught.value.exceptions)
