"""What does an instruction give where PTX leaves it open and an H100 gives the same each time?

Lanes of a warp that store to one place, and lanes that are read and do not take part. `WINNERS` was measured on an H100 (nvcc 13.0, sm_90,
shared and global memory alike).
"""
import archdef
import numpy as np
import pytest

MACHINES = ("gt200", "gf100", "k40", "v100", "h100", "c500")
PLACES = (1, 4, 4, 1, 7, 2, 2, 0, 2, 0, 3, 1, 7, 3, 1, 5, 7, 3, 7, 0, 1, 0, 2, 3, 3, 5, 1, 1, 1, 1, 2, 7)
WINNERS = {4: {0: 7, 1: 0, 2: 5, 3: 10, 4: 1, 5: 15, 7: 4}, 8: {0: 19, 1: 20, 2: 22, 3: 17, 4: 1, 5: 25, 7: 16},
           16: {0: 19, 1: 26, 2: 30, 3: 24, 4: 1, 5: 25, 7: 31}}
TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "v4.u32"}


def stores(nbytes: int, space: str, kernel: str = "k") -> str:
    """Give a kernel whose lanes store their numbers where `at` says; from shared memory it copies what is there then."""
    kind, register = TYPES[nbytes], "%l" if nbytes == 8 else "%t"
    value = "{%t, %t, %t, %t}" if nbytes == 16 else register
    back = "{%t, %s, %s, %s}" if nbytes == 16 else register
    shared = f"""
        mov.u32 %s, buffer; cvt.u64.u32 %o, %s; mad.lo.u32 %s, %w, {nbytes}, %s; st.shared.{kind} [%s], {value}; bar.sync 0;
        mov.u32 %s, buffer; mad.lo.u32 %s, %t, {nbytes}, %s; ld.shared.{kind} {back}, [%s];
        mov.u32 %w, %tid.x;""" if space == "shared" else ""
    return f""".version 7.8
.target sm_20
.address_size 64
.visible .entry {kernel}(.param .u64 out, .param .u64 at) {{
    .reg .u64 %o, %p, %a, %l; .reg .u32 %t, %w, %s;
    .shared .align 16 .b8 buffer[2048];
    ld.param.u64 %p, [out]; ld.param.u64 %a, [at];
    mov.u32 %t, %tid.x; cvt.u64.u32 %l, %t; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; ld.global.u32 %w, [%a];{shared}
    mul.wide.u32 %o, %w, {nbytes}; add.u64 %p, %p, %o; st.global.{kind} [%p], {value};
    ret;
}}
"""


def stored(machine, nbytes: int, space: str, places) -> list[int]:
    """Give the lane whose number each place holds."""
    device = archdef.Device(machine)
    out = device.zeros(64 * nbytes, "u1")
    device.compile(stores(nbytes, space)).k[1, len(places)](out, device.to_device(np.array(places, "u4")))
    return [int(each[0]) for each in out.to_host().reshape(64, nbytes)]


def winners(places, lanes: int, nbytes: int) -> dict[int, int]:
    """By the rule: whole warps at once up to 4 bytes, halves for 8, quarters for 16; the lowest lane of the last part."""
    part = lanes // (4 if nbytes > 8 else 2 if nbytes > 4 else 1)
    found = {}
    for first in range(0, len(places), part):
        found.update({places[lane]: lane for lane in reversed(range(first, min(first + part, len(places))))})
    return found


@pytest.mark.parametrize("nbytes", TYPES)
def test_the_rule_is_what_was_measured(nbytes):
    assert winners(PLACES, 32, nbytes) == WINNERS[max(4, nbytes)]


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("nbytes", TYPES)
@pytest.mark.parametrize("machine", MACHINES)
def test_of_lanes_that_store_to_one_place_one_wins(machine, nbytes, space):
    lanes = archdef.architecture(machine).warp.size
    for places in (PLACES * (lanes // 32), PLACES[:21], [0] * lanes, [lane % 4 for lane in range(lanes)]):
        found = stored(machine, nbytes, space, places)
        assert {place: found[place] for place in set(places)} == winners(places, lanes, nbytes)


SHUFFLE = """.version 7.8
.target sm_30
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 last, .param .u32 ended) {
    .reg .u64 %p, %o; .reg .u32 %t, %v, %r, %n; .reg .pred %q, %i;
    ld.param.u64 %p, [out]; ld.param.u32 %n, [last];
    mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 8; add.u64 %p, %p, %o;
    add.u32 %v, %t, 1000;
    setp.gt.u32 %q, %t, %n; @%q bra OUT;
    shfl.sync.down.b32 %r|%i, %v, 4, 31, -1; st.global.u32 [%p], %r;
    selp.u32 %r, 1, 0, %i; st.global.u32 [%p+4], %r;
OUT:
    ret;
}
"""


@pytest.mark.parametrize("threads, last", [(1, 31), (7, 31), (21, 31), (32, 9), (32, 31)])
@pytest.mark.parametrize("machine", ["k40", "v100", "h100"])
def test_a_lane_that_takes_no_part_gives_zero(machine, threads, last):
    device = archdef.Device(machine)
    out = device.to_device(np.full(64, 7, "u4"))
    device.compile(SHUFFLE).k[1, threads](out, np.uint32(last), np.uint32(0))
    values, inside = out.to_host().reshape(32, 2).T
    there = min(threads, last + 1)
    for lane in range(there):
        outside = lane + 4 > 31
        expected = 1000 + lane if outside else 1000 + lane + 4 if lane + 4 < there else 0
        assert (values[lane], inside[lane]) == (expected, not outside)
