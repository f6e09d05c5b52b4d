"""Does a launch that is executed without being timed do what a timed one does, and does it never say how long it took?"""
import io
import pickle

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import BudgetExceeded, GuestFault, LaunchError
from archdef.examples.workload import Input, Output, workloads
from archdef.frontends import nvrtc
from archdef.host import Host
from archdef.metrics.counters import OF_TIME
from archdef.run.array import DeviceArray

MACHINES = [name for name in ("gt200", "gf100", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
needs_nvrtc = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
machines = pytest.mark.parametrize("name", MACHINES)
INDEPENDENT = [name for name in MACHINES if registry.get(name).warp.reconvergence.independent]
HEAD = """.version 7.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 words, .param .u32 n)
{
    .reg .b64 %d<6>; .reg .b32 %r<12>; .reg .pred %p<4>; .shared .align 8 .b8 sh[4096];
    ld.param.u64 %d1, [words]; cvta.to.global.u64 %d1, %d1; ld.param.u32 %r8, [n];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %d2, %r4, 4; add.u64 %d2, %d2, %d1;
"""
ADDS = f"{HEAD} add.u32 %r5, %r4, %r8; st.global.u32 [%d2], %r5; ret;\n}}"
COUNTS = f"{HEAD} mov.u32 %r6, 0;\nL: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r8; @%p1 bra L;\nst.global.u32 [%d2], %r6; ret;\n}}"
WAITS_FOR_THE_LAST = f"""{HEAD} mov.u32 %r5, %nctaid.x; sub.u32 %r5, %r5, 1; setp.eq.u32 %p1, %r2, %r5; @%p1 bra LAST;
LOOK: ld.volatile.global.u32 %r6, [%d1]; setp.eq.u32 %p2, %r6, 0; @%p2 bra LOOK;
st.global.u32 [%d2+4], %r6; ret;
LAST: mov.u32 %r6, 5; st.volatile.global.u32 [%d1], %r6; ret;
}}"""
TURNS_WITHOUT_LOOKING = f"""{HEAD} shr.u32 %r5, %r1, 6; setp.ne.u32 %p1, %r5, 0; @%p1 bra WRITER;
LOOK: ld.shared.u32 %r6, [sh]; setp.eq.u32 %p2, %r6, 0; @%p2 bra LOOK;
st.global.u32 [%d2], %r6; ret;
WRITER: mov.u32 %r6, 5; st.shared.u32 [sh], %r6; ret;
}}"""
LOCKS = """
extern "C" __global__ void k(int *m, int n) {
    if (threadIdx.x) return;
    for (int i = 0; i < n; i++) {
        while (atomicCAS(m, 0, 1)) ;
        __threadfence(); volatile int *v = m; v[1] += 1; __threadfence();
        atomicExch(m, 0);
    }
}"""
REDUCES = """
extern "C" __global__ void k(int *m, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = m[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t >= n) return;
    for (int k = n / 2; k; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t == 0) m[blockIdx.x * blockDim.x] = s[0];
}"""
TWO_PHASES = """
#include <cooperative_groups.h>
extern "C" __global__ void k(int *m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int round = 0; round < n; round++) {
        m[(round & 1 ^ 1) * all + i] = m[(round & 1) * all + (i * 7 + 1) % all] + 1;
        cooperative_groups::this_grid().sync();
    }
}"""
CLOCKED = f"""{HEAD} mov.u32 %r5, %clock;
L: mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; setp.lt.u32 %p1, %r6, %r8; @%p1 bra L;
st.global.u32 [%d2], %r6; ret;
}}"""
PRINTS = """
#include <cstdio>
extern "C" __global__ void k(int *m, int n) { printf("%d of %d\\n", threadIdx.x, n); m[threadIdx.x] = n; }"""


def both(device, text, block, grid=1, words=None, n=3, **options):
    """Launch on equal memory in both modes; give the two runs and what they leave."""
    kernel, found = device.compile(text).k, []
    for functional in (False, True):
        array = device.to_device(np.zeros(grid * block + 64, "i4") if words is None else words)
        run = kernel[grid, block].launch(array, n, functional=functional, **options)
        found.append((run, array.to_host()))
    (timed, expected), (run, memory) = found
    assert run.functional and not timed.functional
    assert np.array_equal(memory, expected)
    return timed, run, memory


def exact(run):
    """What does not depend on time."""
    return {name: value for name, value in run.counters.totals().items() if name not in OF_TIME}


@machines
@pytest.mark.parametrize("workload", workloads(), ids=lambda w: w.name)
def test_examples_give_the_same_memory_and_the_same_counts(workload, name):
    architecture = registry.get(name)
    fused = "fp32_fma" in architecture.isa.features
    plain = workload.source.with_suffix(".nofma.ptx")
    device = archdef.Device(architecture)
    module = device.compile(str(workload.source.with_suffix(".ptx") if fused or not plain.exists() else plain))
    for case in workload.launches(architecture, {"divergence": 2048, "matmul": 64, "reduction": 1 << 14, "transpose": 64, "vector_add": 5000}[workload.name]):
        runs = []
        for functional in (False, True):
            given = [device.to_device(a.array) if isinstance(a, Input) else device.zeros(a.expected.shape, a.expected.dtype) if isinstance(a, Output) else a
                     for a in case.arguments]
            run = module[case.kernel][case.grid, case.block, case.shared_bytes].launch(*given, functional=functional)
            runs.append((exact(run), run.counters.issued.tolist(), run.counters.warps, run.counters.threads,
                         [a.to_host().tobytes() for a in given if isinstance(a, DeviceArray)]))
            assert all(e.accepts(a.to_host()) for e, a in zip(case.arguments, given) if isinstance(e, Output))
        assert runs[0] == runs[1]


@machines
@needs_nvrtc
def test_a_barrier_counts_without_the_threads_that_have_returned(name):
    block = 256 if registry.get(name).limits.threads_per_block >= 256 else 128
    timed, run, memory = both(archdef.Device(name), REDUCES, block, 6, np.arange(6 * block, dtype="i4"), n=64)
    assert [memory[k * block] for k in range(6)] == [sum(range(k * block, k * block + 64)) for k in range(6)]
    assert run.counters.barriers == timed.counters.barriers > 0


@machines
@needs_nvrtc
def test_who_spins_for_a_lock_keeps_nobody_from_letting_it_go(name):
    if "atomics_global" not in registry.get(name).isa.features:
        pytest.skip("no atomics")
    memory = both(archdef.Device(name, max_instructions=50_000_000), LOCKS, 64, 24, n=4)[2]
    assert memory[1] == 24 * 4


@machines
@pytest.mark.parametrize("text, block, grid", [(WAITS_FOR_THE_LAST, 64, 12), (TURNS_WITHOUT_LOOKING, 128, 2)], ids=["looks", "turns"])
def test_a_loop_that_waits_ends_when_what_it_waits_for_has_happened(name, text, block, grid):
    both(archdef.Device(name, max_instructions=20_000_000), text, block, grid)


@pytest.mark.parametrize("name", [name for name in MACHINES if "cooperative_groups" in registry.get(name).isa.features or name in ("v100", "h100")])
@needs_nvrtc
def test_blocks_of_a_cooperative_grid_wait_for_each_other(name):
    device = archdef.Device(registry.get(name).evolve({"chip.multiprocessors": 2 * registry.get(name).chip.multiprocessors_per_cluster}))
    both(device, TWO_PHASES, 128, 8, np.arange(2 * 8 * 128, dtype="i4"), n=5, cooperative=True)


@machines
def test_clocks_go_on(name):
    device = archdef.Device(name)
    words = device.zeros(32, "i4")
    device.compile(CLOCKED).k[1, 32].launch(words, 5000, functional=True)
    assert (words.to_host() >= 5000).all()


@pytest.mark.parametrize("name", [name for name in MACHINES if "printf" in registry.get(name).isa.features or name in ("gf100", "v100", "h100")])
@needs_nvrtc
def test_what_a_kernel_prints_is_shown(name):
    shown = io.StringIO()
    timed, run, _ = both(archdef.Device(name, printf=shown), PRINTS, 8)
    assert run.printed == timed.printed == "".join(f"{k} of 3\n" for k in range(8)) and shown.getvalue() == 2 * run.printed


@machines
def test_a_fault_is_the_same_and_names_the_line(name):
    device = archdef.Device(name)
    kernel, found = device.compile(f"{HEAD} st.global.u32 [%d2+2], %r5; ret;\n}}").k, []
    for functional in (False, True):
        with pytest.raises(GuestFault) as caught:
            kernel[1, 32].launch(device.zeros(64, "i4"), 1, functional=functional)
        found.append(str(caught.value).partition(" at cycle ")[0])
    assert found[0] == found[1] and "line 10" in found[1]
    both(device, ADDS, 32)         # the device can still be used


@machines
def test_budgets_hold(name):
    device = archdef.Device(name)
    kernel = device.compile(COUNTS).k
    with pytest.raises(BudgetExceeded):
        kernel[1, 32].launch(device.zeros(64, "i4"), 1 << 30, functional=True, max_instructions=10_000)
    with pytest.raises(BudgetExceeded):
        kernel[1, 32].launch(device.zeros(64, "i4"), 1 << 30, functional=True, max_cycles=10_000)


@machines
def test_who_waits_for_nobody_is_livelocked(name):
    device = archdef.Device(name)
    with pytest.raises(GuestFault, match="no warp can go on"):
        device.compile(WAITS_FOR_THE_LAST.replace("st.volatile.global.u32 [%d1], %r6;", "")).k[2, 32].launch(device.zeros(128, "i4"), 1, functional=True)


CHILDREN = """
__global__ void child(int *m, int n) { atomicAdd(m + threadIdx.x, n); }
extern "C" __global__ void k(int *m, int n) { child<<<n, 32>>>(m, n); }"""


@pytest.mark.parametrize("name", [name for name in MACHINES if "device_launches" in registry.get(name).isa.features or name in ("v100", "h100")])
@needs_nvrtc
def test_kernels_launch_others_and_these_are_counted(name):
    timed, run, memory = both(archdef.Device(name), CHILDREN, 1, 2, n=3)
    assert (memory[:32] == 2 * 3 * 3).all() and len(run.launches) == len(timed.launches) == 2
    assert exact(run) == exact(timed) and len(run.counters.statements) == len(run.program.statements)


TIMED_ONLY = ["cycles", "elapsed_s", "bounds", "reasons", "cpi_stack", "lines", "statements", "partition"]


@pytest.mark.parametrize("name", MACHINES[:1])
@pytest.mark.parametrize("asked", TIMED_ONLY)
def test_nothing_of_time_is_told(name, asked):
    run = both(archdef.Device(name), ADDS, 32)[1]
    with pytest.raises(LaunchError, match="without being timed"):
        getattr(run, asked)


@pytest.mark.parametrize("name", MACHINES[:1])
def test_counts_survive_copying_and_time_stays_untold(name):
    run = both(archdef.Device(name), ADDS, 32)[1]
    again = pickle.loads(pickle.dumps(run))
    assert again.counters.totals() == run.counters.totals() and again.counters.only([0]).instructions == run.counters.only([0]).instructions
    assert again.metrics["inst_executed"] == run.counters.instructions and "not timed" in repr(again) and again.warnings == ()
    with pytest.raises(LaunchError, match="without being timed, so there is no 'multiprocessor'"):
        again.metrics["ipc"]
    assert f"{run.counters.instructions} instructions, not timed" in str(again)
    with pytest.raises(LaunchError, match="without being timed"):
        again.to_dict()


@pytest.mark.parametrize("name", MACHINES[:1])
def test_what_is_recorded_of_times_is_refused(name):
    device = archdef.Device(name)
    with pytest.raises(LaunchError, match="a timeline recorded"):
        device.compile(ADDS).k[1, 32].launch(device.zeros(64, "i4"), 1, functional=True, timeline=True)
    with pytest.raises(LaunchError, match="functional must be"):
        archdef.Device(name, functional=3)


@pytest.mark.parametrize("name", MACHINES[:1])
def test_a_device_decides_and_a_launch_overrules_it(name):
    device = archdef.Device(name, functional=True)
    launcher, words = device.compile(ADDS).k[1, 32], device.zeros(64, "i4")
    assert launcher(words, 1).functional and not launcher.launch(words, 1, functional=False).functional
    assert not launcher.launch(words, 1, timeline=True).functional      # who asks for a timeline asks for times
    asked = []
    device = archdef.Device(name, functional=lambda kernel: asked.append(kernel) or len(asked) > 2)
    launcher, words = device.compile(ADDS).k[1, 32], device.zeros(64, "i4")
    assert [launcher(words, 1).functional for _ in range(4)] == [False, False, True, True] and asked == ["k"] * 4


@pytest.mark.parametrize("name", [name for name in MACHINES if name != "gt200"])
def test_in_streams_what_is_not_timed_takes_the_mean_of_what_was(name):
    device = archdef.Device(name, host=Host())
    kernel, stream, words = device.compile(COUNTS).k, device.stream(), device.zeros(4096, "i4")

    def took(blocks, **options):
        first, last = device.event(), device.event()
        stream.record(first)
        launched = kernel[blocks, 32, 0, stream].launch(words, 2000, **options)
        stream.record(last)
        return launched.result(), last.elapsed_us(first) if hasattr(last, "elapsed_us") else None
    timed = [took(2)[0] for _ in range(2)]
    assert not timed[0].functional and took(2, functional=True)[0].functional
    spans = [span for span in device.host.timeline() if span.kind == "kernel"]
    mean = sum(span.duration_us for span in spans[:2]) / 2
    assert spans[2].duration_us == pytest.approx(mean, rel=1e-6)
    took(3, functional=True)            # of another shape nothing is known
    assert [span for span in device.host.timeline() if span.kind == "kernel"][3].duration_us == 0


@pytest.mark.parametrize("name", [name for name in MACHINES if name in ("v100", "h100")])
def test_what_is_not_timed_waits_for_what_is_and_order_in_streams_holds(name):
    device = archdef.Device(name, host=Host())
    adds, counts = device.compile(ADDS).k, device.compile(COUNTS).k
    one, other, words, more = device.stream(blocking=False), device.stream(blocking=False), device.zeros(64, "i4"), device.zeros(64, "i4")
    slow = counts[1, 32, 0, one](words, 5000)
    beside = adds[1, 32, 0, other].launch(more, 1, functional=True)
    behind = adds[1, 32, 0, one].launch(words, 9, functional=True)
    assert behind.result().functional and beside.result().functional and not slow.result().functional
    assert words.to_host()[:32].tolist() == [k + 9 for k in range(32)] and more.to_host()[:32].tolist() == [k + 1 for k in range(32)]


@pytest.mark.parametrize("name", [name for name in MACHINES if name in ("v100", "h100")])
def test_a_fault_in_a_stream_reaches_who_waits_for_it(name):
    device = archdef.Device(name, host=Host())
    stream, words = device.stream(), device.zeros(64, "i4")
    launched = device.compile(f"{HEAD} st.global.u32 [%d2+2], %r5; ret;\n}}").k[1, 32, 0, stream].launch(words, 1, functional=True)
    with pytest.raises(GuestFault, match="line 10"):
        launched.result()
