"""Which units of the Tesla machines work at a time: multiply-adds beside multiplications, double precision, textures beside loads."""
import archdef
import pytest
from archdef_tesla import G80, G92, GT200, GT215

_ALONE = {"chip.multiprocessors": 1, "chip.multiprocessors_per_cluster": 1, "chip.block_launch_cycles": 1}
_TEXT = """.version 1.4
.target sm_13
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p; .reg .b64 %o, %w<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %d<9>;
    ld.param.u64 %o, [out]; mov.u32 %r0, %tid.x;
    {starts}
    mov.u32 %r8, 0;
L:  {body}
    add.u32 %r8, %r8, 1; setp.lt.u32 %p, %r8, {trips}; @%p bra L;
    {ends}
    ret;
}}"""
_INSTRUCTIONS = {"mad": ("f", "mad.f32 %f{0}, %f{0}, %f0, %f0;"), "mul": ("f", "mul.f32 %f{0}, %f{0}, %f0;"),
                 "rsqrt": ("f", "rsqrt.approx.f32 %f{0}, %f{0};"), "dfma": ("d", "fma.rn.f64 %d{0}, %d{0}, %d0, %d0;"),
                 "long add": ("w", "add.s64 %w{0}, %w{0}, %w0;"), "add": ("r", "add.s32 %r{0}, %r{0}, %r0;")}
_MADE = {"f": "cvt.rn.f32.u32 {0}, %r0;", "d": "cvt.rn.f64.u32 {0}, %r0;", "w": "ld.global.u64 {0}, [%o];", "r": "add.u32 {0}, %r0, %r0;"}
_BYTES = {"f": 4, "d": 8, "w": 8, "r": 4}
_WARPS = 12


def each_round(arch, *mix):
    """Cycles that a full multiprocessor takes for one of each of these instructions of one warp."""
    device = archdef.Device(arch.evolve(_ALONE))
    many = 60 // len(mix)       # so that the loop lies in the cache of instructions
    lines = [_INSTRUCTIONS[name][1].format(1 + k % 7) for k, name in enumerate(mix * 7)]
    kinds = sorted({_INSTRUCTIONS[name][0] for name in mix})
    places = [(kind, k) for kind in kinds for k in range(kind == "r", 8)]
    starts = " ".join(_MADE[kind].format(f"%{kind}{k}") for kind, k in places)
    ends = " ".join(f"st.global.b{8 * _BYTES[kind]} [%o], %{kind}{k};" for kind, k in places)

    def cycles(trips):
        text = _TEXT.format(starts=starts, body=" ".join(lines * many), ends=ends, trips=trips)
        return device.compile(text).k[(1,), (32 * _WARPS,)](device.zeros(2, "f8")).cycles
    return (cycles(8) - cycles(2)) / (6 * 7 * many * _WARPS)


@pytest.mark.parametrize("arch, mix, cycles", [
    (GT200, ("mad",), 4), (GT200, ("mad", "mul"), 4), (GT200, ("mad", "mul", "mad", "mul"), 8), (GT200, ("mul",), 4),
    (GT200, ("mad", "mad", "mul"), 8), (GT200, ("mul", "mul", "mul", "mad"), 12),
    (GT215, ("mad", "mul"), 4), (GT200, ("mad", "mul", "mad", "mad", "mad", "mad", "rsqrt"), 20),
    (G80, ("mad",), 4), (G80, ("mad", "mul"), 8), (G80, ("mul",), 4), (G92, ("mad", "mul"), 8)])
def test_a_multiplication_goes_beside_a_multiply_add_where_sfus_multiply(arch, mix, cycles):
    """RWT 2008 and NVIDIA's brief: MAD and MUL in turn, half as much again as MADs alone; then a transcendental. On the 8800 GTX nobody found the MUL."""
    assert each_round(arch, *mix) == pytest.approx(cycles, rel=0.06)


@pytest.mark.parametrize("arch", [G80, GT200], ids=lambda a: a.name)
def test_a_transcendental_goes_beside_four_multiply_adds(arch):
    assert each_round(arch, "mad", "mad", "mad", "mad", "rsqrt") == pytest.approx(16, rel=0.06)


def test_a_transcendental_leaves_multiplications_to_the_sps():
    assert each_round(GT200, "mul", "mul", "mul", "mul", "rsqrt") == pytest.approx(16, rel=0.06)


@pytest.mark.parametrize("mix, cycles", [(("dfma",), 32), (("dfma", "mad"), 36), (("dfma", "mad", "mad", "mad", "mad", "mad", "mad", "mad", "mad"), 64),
                                         (("dfma", "add"), 36), (("long add",), 32), (("long add", "dfma", "mad"), 68)])
def test_double_precision_and_64_bit_integers_keep_the_sps_waiting(mix, cycles):
    """One unit for 64 bits, which shares logic with the SPs (RWT 2008)."""
    assert each_round(GT200, *mix) == pytest.approx(cycles, rel=0.06)


def test_an_sfu_works_beside_double_precision():
    assert each_round(GT200, "dfma", "rsqrt") == pytest.approx(32, rel=0.06)


_FETCHES = """.version 3.1
.target sm_13
.address_size 64
.visible .entry k(.param .u64 texture, .param .u64 in, .param .u64 out)
{{
    .reg .b64 %t, %in, %out; .reg .b32 %r<9>; .reg .f32 %f<9>, %g<9>; .reg .pred %p;
    ld.param.u64 %t, [texture]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %r0, 0; mov.f32 %f5, 0f00000000;
    mov.u32 %r2, %tid.x; mad.wide.u32 %in, %r2, 4, %in;
L:  {body}
    add.u32 %r0, %r0, 1; setp.lt.u32 %p, %r0, {trips}; @%p bra L;
    st.global.f32 [%out], %f5; ret;
}}"""
_SUMS = " ".join(f"add.f32 %f5, %f5, %g{k};" for k in range(4))
_FETCH = "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r0}]; add.f32 %f5, %f5, %f1;" * 2
_LOADS = " ".join(f"ld.global.f32 %g{k}, [%in+{4096 * k}];" for k in range(4))


def fetching(arch, *bodies, trips=24):
    """Cycles of a full multiprocessor for one trip of a warp, with memory that nothing else holds up."""
    fast = {"load_store.reads_in_flight_per_multiprocessor": 1024, "interconnect.partition_response_bytes_per_cycle": 1024,
            "interconnect.injection_bytes_per_cycle": 1024, "dram.transfers_per_clock": 100, "dram.t_cl_ns": 1}
    device = archdef.Device(arch.evolve(_ALONE | fast))
    texture, data, out = device.texture(device.zeros(64)), device.zeros(16384), device.zeros(1)
    body = " ".join(bodies) + (_SUMS if bodies[-1] is not _FETCH else "")

    def cycles(trips):
        return device.compile(_FETCHES.format(body=body, trips=trips)).k[(1,), (384,)](texture, data, out).cycles
    return (cycles(3 * trips) - cycles(trips)) / (2 * trips * _WARPS)


@pytest.mark.parametrize("arch", [G80, GT200], ids=lambda a: a.name)
def test_loads_and_texture_fetches_wait_for_each_other(arch):
    """One pipeline carries both (RWT 2008); a fetch of a warp holds its multiprocessor's share of the texture units for 32 cycles, a load for 4."""
    fetches, loads = (fetching(arch, body) for body in (_FETCH, _LOADS))
    assert fetches == pytest.approx(2 * 32, rel=0.03)
    assert fetching(arch, _FETCH, _LOADS) >= 0.95 * (fetches + loads)
    assert fetching(arch.evolve({"units.tex.part_of": None}), _FETCH, _LOADS) < 0.9 * (fetches + loads)


@pytest.mark.parametrize("arch, kib, hits", [(GT200, 6, True), (GT200, 23, True), (GT200, 32, False), (G80, 15, True), (G80, 24, False)])
def test_a_clusters_texture_cache_has_8_kib_for_each_multiprocessor(arch, kib, hits):
    """24 KB of a TPC on the GT200 (RWT 2008): a working set of that size is fetched once."""
    device = archdef.Device(arch)
    texels = 1024 * kib // 4
    text = """.version 3.1
.target sm_13
.address_size 64
.visible .entry k(.param .u64 texture, .param .u32 texels, .param .u64 out)
{
    .reg .b64 %t, %out; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p;
    ld.param.u64 %t, [texture]; ld.param.u32 %r1, [texels]; ld.param.u64 %out, [out]; mov.u32 %r2, 0; mov.f32 %f5, 0f00000000;
A:  mov.u32 %r0, %tid.x;
L:  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%r0}]; add.f32 %f5, %f5, %f1;
    add.u32 %r0, %r0, 32; setp.lt.u32 %p, %r0, %r1; @%p bra L;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 3; @%p bra A;
    st.global.f32 [%out], %f5; ret;
}"""
    run = device.compile(text).k[(1,), (32,)](device.texture(device.zeros(texels), layout="linear"), texels, device.zeros(1))
    sectors = texels * 4 // 32
    assert run.counters.texture_misses == (sectors if hits else 3 * sectors)


@pytest.mark.parametrize("arch", [G80, GT200], ids=lambda a: a.name)
def test_half_the_core_clock_halves_what_runs_at_it_and_leaves_chains_of_arithmetic_alone(arch):
    """Issue, shared memory, textures at the core clock, arithmetic at the processor clock (RWT 2008)."""
    half = arch.evolve({"clocks.core_mhz": arch.clocks.core_mhz / 2})
    for mix in (("mad",), ("mad", "mul")):
        assert each_round(half, *mix) == pytest.approx(2 * each_round(arch, *mix), rel=0.05)
    assert fetching(half, _FETCH) == pytest.approx(2 * fetching(arch, _FETCH), rel=0.05)
    chains = {machine: [latency(machine, line) for line in ("mad.f32 %f0, %f0, %f0, %f0;", "ld.volatile.shared.u32 %r0, [%r0];")]
              for machine in (arch, half)}
    assert chains[half][0] == pytest.approx(24, rel=0.03) and chains[arch][0] == pytest.approx(24, rel=0.03)
    assert chains[half][1] == pytest.approx(2 * chains[arch][1], rel=0.03)


@pytest.mark.parametrize("arch", [G80, G92, GT215, GT200], ids=lambda a: a.name)
@pytest.mark.parametrize("words, passes", [(1, 1), (4, 4)])
def test_half_the_core_clock_halves_a_kernel_on_shared_memory(arch, words, passes):
    """A full multiprocessor that reads shared memory, without conflicts and with as many of them as the words of a stride."""
    half = arch.evolve({"clocks.core_mhz": arch.clocks.core_mhz / 2})
    device_cycles, half_cycles = reading_shared(arch, words), reading_shared(half, words)
    assert device_cycles == pytest.approx(passes * 2 * arch.shared.pass_cycles, rel=0.1)
    assert half_cycles == pytest.approx(2 * device_cycles, rel=0.05)


def reading_shared(arch, words):
    """Cycles of a full multiprocessor for one load of a warp from shared memory, neighbouring lanes being some words apart."""
    device = archdef.Device(arch.evolve(_ALONE))
    loads = " ".join(f"ld.volatile.shared.u32 %r{k + 3}, [%r1+{k * 4}];" for k in range(4)) * 12

    def cycles(trips):
        text = f""".version 1.4
.target sm_13
.visible .entry k(.param .u64 out)
{{ .reg .b64 %o; .reg .b32 %r<8>; .reg .pred %p; .shared .align 8 .b8 s[4096];
   ld.param.u64 %o, [out]; mov.u32 %r0, %tid.x; and.b32 %r0, %r0, 31; mov.u32 %r1, s; mad.lo.u32 %r1, %r0, {4 * words}, %r1; mov.u32 %r2, 0;
L: {loads} add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, {trips}; @%p bra L;
   st.global.u32 [%o], %r6; ret; }}"""
        return device.compile(text).k[(1,), (32 * _WARPS,)](device.zeros(1)).cycles
    return (cycles(8) - cycles(2)) / (6 * 48 * _WARPS)


def latency(arch, line):
    """Cycles from one of a chain of instructions to the next."""
    device = archdef.Device(arch)

    def cycles(trips):
        text = f""".version 1.4
.target sm_13
.visible .entry k(.param .u64 out)
{{ .reg .b64 %o; .reg .b32 %r<3>; .reg .f32 %f<2>; .reg .pred %p; .shared .align 8 .b8 s[64];
   ld.param.u64 %o, [out]; mov.u32 %r0, s; mov.f32 %f0, 0f00000000; mov.u32 %r1, 0;
L: {line * 100} add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, {trips}; @%p bra L;
   st.global.u32 [%o], %r0; st.global.f32 [%o], %f0; ret; }}"""
        return device.compile(text).k[(1,), (1,)](device.zeros(1)).cycles
    return (cycles(5) - cycles(2)) / 300
