"""Memory of the host and of other devices: accesses take time over the link to it, and the device's own memory knows nothing of that."""
import os

import attrs
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import GuestFault
from archdef.host import Host
from archdef.run import mapped
from archdef.run.requests import stages_of
from archdef.spec import LinkAccesses

NAMES = registry.names()
pytestmark = pytest.mark.skipif(not NAMES, reason="no architecture is installed")
machines = pytest.mark.parametrize("name", NAMES)
UNIFIED = [name for name in NAMES if mapped.unified(registry.get(name))]
SOME = NAMES[::5]
"""What is asked of any machine, whatever it has, is asked of these."""

KERNELS = """.version 6.0
.target sm_30
.address_size 64
.visible .entry reads(.param .u64 out, .param .u64 words, .param .u32 turns)
{
    .reg .b64 %d<6>; .reg .b32 %r<9>; .reg .pred %p;
    ld.param.u64 %d1, [words]; ld.param.u32 %r1, [turns]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4; mov.u32 %r2, %nctaid.x; mul.lo.s32 %r6, %r2, %r3; mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2;
    mul.wide.u32 %d4, %r6, 4; mov.u32 %r7, 0;
AGAIN:
    ld.global.cg.u32 %r8, [%d3]; add.u32 %r7, %r7, %r8; add.u64 %d3, %d3, %d4;
    sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN;
    ld.param.u64 %d1, [out]; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r7; ret;
}
.visible .entry writes(.param .u64 words, .param .u32 turns)
{
    .reg .b64 %d<5>; .reg .b32 %r<7>; .reg .pred %p;
    ld.param.u64 %d1, [words]; ld.param.u32 %r1, [turns]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4; mov.u32 %r2, %nctaid.x; mul.lo.s32 %r6, %r2, %r3; mul.wide.u32 %d2, %r5, 4; add.u64 %d3, %d1, %d2;
    mul.wide.u32 %d4, %r6, 4;
AGAIN:
    st.global.u32 [%d3], %r5; add.u64 %d3, %d3, %d4; sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN;
    ret;
}
.visible .entry chase(.param .u64 out, .param .u64 words, .param .u32 steps)
{
    .reg .b64 %d<5>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u64 %d1, [out]; ld.param.u64 %d2, [words]; ld.param.u32 %r1, [steps]; mov.u32 %r2, 0;
AGAIN:
    cvt.u64.u32 %d3, %r2; add.u64 %d4, %d2, %d3; ld.global.cg.u32 %r2, [%d4];
    sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra AGAIN;
    st.global.u32 [%d1], %r2; ret;
}
.visible .entry counts(.param .u64 word)
{
    .reg .b64 %d<2>; .reg .b32 %r<2>;
    ld.param.u64 %d1, [word]; atom.global.exch.b32 %r1, [%d1], 7; atom.global.exch.b32 %r1, [%d1], %r1; ret;
}
"""
BLOCKS, THREADS, TURNS = 32, 128, 16
WORDS = BLOCKS * THREADS * TURNS


class Shown:
    """Memory that kernels of a device see, of the host."""

    def __init__(self, device, nbytes):
        self.device, self.nbytes = device, nbytes
        self.descriptor = mapped.shared_file(nbytes)
        self.address = mapped.show(self.descriptor, nbytes, [device.memory])

    def put(self, data):
        os.pwrite(self.descriptor, data.tobytes(), 0)

    def get(self, dtype="u4"):
        return np.frombuffer(os.pread(self.descriptor, self.nbytes, 0), dtype)


def declared(name, **accesses):
    """A machine with something else in the accesses that it declares, or would be given."""
    arch = registry.get(name)
    link = arch.host_link
    return arch.evolve({"host_link.mapped": attrs.evolve(link.mapped_accesses, **accesses), "dram.t_refi_ns": None, "dram.refresh_banks": None})


def link(run, which="host_link"):
    return {field: int(run.counters.components[which][field][0]) for field in run.counters.components[which].dtype.names}


def stream(arch, kernel):
    device = archdef.Device(arch)
    memory, out, module = Shown(device, 4 * WORDS), device.zeros(BLOCKS * THREADS, "u4"), device.compile(KERNELS)
    words = np.random.default_rng(5).integers(0, 1 << 20, WORDS).astype("u4")
    memory.put(words)
    if kernel == "reads":
        run = module.reads[BLOCKS, THREADS](out, memory.address, TURNS)
        assert (out.to_host() == words.reshape(TURNS, -1).sum(0)).all()
    else:
        run = module.writes[BLOCKS, THREADS](memory.address, TURNS)
        assert (memory.get() == np.tile(np.arange(BLOCKS * THREADS, dtype="u4"), TURNS)).all()
    return run


def chase(device, address, steps):
    out = device.zeros(1, "u4")
    run = device.compile(KERNELS).chase[1, 1](out, address, steps)
    assert out.to_host()[0] == steps % 64 * 128
    return run


def ring():
    words = np.zeros(64 * 32, "u4")
    words[::32] = (np.arange(64) + 1) % 64 * 128
    return words


def step_ns(arch, device, address):
    return (chase(device, address, 128).cycles - chase(device, address, 64).cycles) / 64 * 1e3 / arch.clocks.shader_mhz


# --------------------------------------------------------------------------------------------------------------- the rate
@machines
@pytest.mark.parametrize("kernel, way, rate", [("reads", "read", "read_gb_s"), ("writes", "written", "write_gb_s")])
def test_a_stream_goes_at_the_rate_of_the_link(name, kernel, way, rate):
    accesses = LinkAccesses(read_gb_s=1.5, write_gb_s=2.5, latency_ns=500, granule_bytes=32, header_bytes=0, requests_in_flight=4096)
    run = stream(declared(name, **attrs.asdict(accesses)), kernel)
    assert link(run)[f"bytes_{way}"] == 4 * WORDS == run.metrics[f"link_{kernel.removesuffix('s')}_bytes"]
    assert 4 * WORDS / getattr(accesses, rate) * 1e-9 == pytest.approx(run.elapsed_s, rel=0.06)
    bounds = run.bounds
    assert bounds.lower[0].name == "host link" and bounds.lower[0].cycles <= run.cycles <= bounds.upper.cycles


@machines
def test_a_head_takes_its_time_with_each_request(name):
    arch = declared(name, read_gb_s=1, header_bytes=0, granule_bytes=32)
    bare, headed = stream(arch, "reads"), stream(arch.evolve({"host_link.mapped.header_bytes": 200}), "reads")
    assert headed.elapsed_s - bare.elapsed_s == pytest.approx(200e-9 * link(bare)["reads"], rel=0.05)


@pytest.mark.parametrize("name", SOME)
def test_data_go_in_whole_pieces(name):
    arch = declared(name, granule_bytes=1024)
    read = link(stream(arch, "reads"))
    assert read["bytes_read"] == 1024 * read["reads"]


@pytest.mark.parametrize("name", SOME)
def test_no_more_wait_for_answers_than_can_be_in_flight(name):
    arch = declared(name, read_gb_s=1000, latency_ns=2000, requests_in_flight=4)
    run = stream(arch, "reads")
    assert run.elapsed_s == pytest.approx(link(run)["reads"] / 4 * 2e-6, rel=0.05)


# ------------------------------------------------------------------------------------------------------------ the latency
@machines
def test_a_chase_shows_the_latency(name):
    steps = []
    for latency in (400, 1400):
        arch = declared(name, latency_ns=latency)
        device = archdef.Device(arch)
        memory = Shown(device, 64 * 128)
        memory.put(ring())
        steps.append(step_ns(arch, device, memory.address))
    assert steps[1] - steps[0] == pytest.approx(1000, abs=3 * 1e3 / registry.get(name).clocks.shader_mhz)
    assert steps[0] > 400


@pytest.mark.parametrize("name", SOME)
def test_a_record_of_a_request_has_its_time_on_the_link(name):
    device = archdef.Device(declared(name, latency_ns=20_000))
    memory, out = Shown(device, 4 * WORDS), device.zeros(32, "u4")
    run = device.compile(KERNELS).reads[1, 32].launch(out, memory.address, 1, timeline=archdef.TimelineWindow("requests"))
    request, = (each for each in run.timeline().requests if each["kind"] == 0)
    assert request["partition"] == -1 and request["queued"] == -1 and dict(stages_of(request))["served"] == "link"
    assert request["served"] - request["arrived"] >= 20e3 * registry.get(name).clocks.shader_mhz / 1e3 - 1


# ----------------------------------------------------------------------------------------------------- the device's own
@machines
def test_the_devices_own_memory_takes_the_time_that_it_always_took(name):
    """With memory of the host in sight, and whatever its link is like."""
    found = []
    for arch, shown in ((registry.get(name), False), (registry.get(name), True), (declared(name, read_gb_s=0.5, latency_ns=9000), True)):
        arch = arch.evolve({"dram.t_refi_ns": None, "dram.refresh_banks": None})
        device = archdef.Device(arch)
        memory = Shown(device, 4096) if shown else None
        words, out = device.zeros(WORDS, "u4"), device.zeros(BLOCKS * THREADS, "u4")
        run = device.compile(KERNELS).reads[BLOCKS, THREADS](out, words, TURNS)
        assert not {"host_link", "peer_link"} & set(run.counters.components) and run.counters.link_bytes_read == 0
        found.append((run.cycles, run.counters.partition["requests"].tolist(), run.counters.stalls))
        del memory
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", SOME)
def test_what_was_taken_away_again_faults(name):
    device = archdef.Device(name)
    memory = Shown(device, 4 * WORDS)
    module = device.compile(KERNELS)
    module.writes[1, 32](memory.address, 1)
    mapped.hide(memory.address, [device.memory])
    with pytest.raises(GuestFault, match="outside global memory"):
        module.writes[1, 32](memory.address, 1)


# ------------------------------------------------------------------------------------------------------------ operations
@pytest.mark.parametrize("name", [name for name in NAMES if "atomics_global" in registry.get(name).isa.features])
def test_operations_on_one_word_follow_each_other_over_the_link(name):
    taken = {}
    for who in ("device", "memory"):
        arch = declared(name, latency_ns=5000, atomics=who)
        device = archdef.Device(arch)
        memory = Shown(device, 4)
        run = device.compile(KERNELS).counts[1, arch.warp.size](memory.address)
        taken[who] = run.elapsed_s
        assert memory.get()[0] == 7 and link(run)["bytes_read"] and link(run)["bytes_written"]
    assert taken["memory"] < 20e-6 and taken["device"] > taken["memory"]
    if link(run)["reads"] == 2:         # all lanes in one request
        assert taken["device"] >= 5e-6 * 2 * registry.get(name).warp.size


# --------------------------------------------------------------------------------------------------------- other devices
@pytest.mark.parametrize("name", [name for name in UNIFIED if registry.get(name).host_link.peer_gb_s])
def test_memory_of_a_peer_is_behind_the_link_to_it(name):
    arch = registry.get(name).evolve({"dram.t_refi_ns": None, "dram.refresh_banks": None})
    peer = attrs.evolve(arch.host_link.peer_accesses, latency_ns=3000)
    slow = arch.evolve({"host_link.peer": peer})
    host = Host()
    host.addresses = mapped.address_space([slow, slow])
    device, other = (archdef.Device(slow, host=host) for _ in range(2))
    device.enable_peer(other)
    far, near = other.to_device(ring()), device.to_device(ring())
    assert step_ns(slow, device, far.address) > 3000 > step_ns(slow, device, near.address)
    run = chase(device, far.address, 64)
    assert link(run, "peer_link")["reads"] == 64 and "host_link" not in run.counters.components
    assert other.compile(KERNELS).chase[1, 1](other.zeros(1, "u4"), far, 64).counters.link_bytes_read == 0


# ---------------------------------------------------------------------------------------------------------- descriptions
def test_what_is_not_declared_follows_from_copies():
    link_ = attrs.evolve(registry.get(NAMES[0]).host_link, pinned_h2d_gb_s=3, pinned_d2h_gb_s=4, mapped=None, peer=None)
    assert (link_.mapped_accesses.read_gb_s, link_.mapped_accesses.write_gb_s, link_.mapped_accesses.header_bytes) == (3, 4, 0)
    assert link_.peer_accesses == link_.mapped_accesses


@pytest.mark.parametrize("name", UNIFIED[:1])
def test_a_launch_warns_that_a_link_is_assumed(name):
    for changes, warned in (({}, False), ({"host_link.mapped": None, "host_link.peer": None}, True), ({"host_link": None}, True)):
        device = archdef.Device(registry.get(name).evolve(changes))
        memory = Shown(device, 4096)
        run = device.compile(KERNELS).writes[1, 32](memory.address, 1)
        assert any("does not declare host_link.mapped" in warning for warning in run.warnings) == warned


@machines
def test_every_machine_whose_kernels_see_memory_of_the_host_says_how(name):
    arch = registry.get(name)
    assert (arch.host_link.mapped is not None) == mapped.can_map(arch)
