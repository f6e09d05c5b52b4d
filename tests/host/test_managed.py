"""Memory that kernels and the host both use: what both see, what moves when, what it costs, and what a machine without page faults refuses."""
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import DeviceMemoryError, HostError, SpecErrors
from archdef.frontends import nvrtc
from archdef.host import Host
from archdef.spec import ManagedMemory

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")
HAVE = [n for n in registry.names() if registry.get(n).host_link is not None and registry.get(n).host_link.managed is not None]
PAGED = [n for n in HAVE if registry.get(n).host_link.managed.fault_us is not None]
WHOLE = [n for n in HAVE if n not in PAGED]
SOURCE = """
struct Node { Node *next; int value; };
__device__ int *held;
__global__ void add(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
__global__ void walk(const Node *p, int *o) { int s = 0; for (; p; p = p->next) s += p->value; *o = s; }
__global__ void by_variable() { held[0] += 1; }
__global__ void first(const int *x, int *o) { *o = x[0]; }
"""
PAGE = 65536


@pytest.fixture(params=HAVE)
def device(request):
    return archdef.Device(request.param, host=Host())


@pytest.fixture(params=PAGED[:2] + PAGED[-1:])
def paged(request):
    return archdef.Device(request.param, host=Host())


def copies(device, way):
    return [s for s in device.host.timeline().spans if s.name == f"copy to {way} (managed)"]


def test_the_host_and_kernels_see_what_the_other_wrote(device):
    array, n = device.managed(np.arange(5000, dtype="i4")), 5000
    add = device.compile(SOURCE).add
    for step in range(3):
        add[20, 256](array, n)
        assert np.array_equal(np.asarray(array), np.arange(n) + step + 1 + 10 * step)
        array[:] = array[...] + 10
    assert array[-1] == n - 1 + 33 and array[[0, 4999]].tolist() == [33, 5032] and array.to_host()[7] == 40


def test_a_first_touch_by_a_kernel_moves_all_and_a_second_nothing(device):
    link = device.architecture.host_link
    array = device.managed(np.zeros(1 << 18, "i4"))
    add = device.compile(SOURCE).add
    moved = add[1, 32](array, 32).moved
    assert (moved.nbytes, moved.pages) == (1 << 20, 16) and array.bytes_on_device == 1 << 20
    groups = 0 if link.managed.fault_us is None else (1 << 20) // link.managed.fault_bytes
    assert moved.fault_groups == groups
    assert moved.duration_us == pytest.approx((groups * link.managed.fault_us if groups else link.latency_us) + (1 << 20) / link.pinned_h2d_gb_s / 1e3, rel=1e-6)
    span, = copies(device, "device")
    assert span.nbytes == 1 << 20 and span.duration_us == pytest.approx(moved.duration_us)
    kernel = device.host.timeline().of(kind="kernel")[0]
    assert kernel.start >= span.end
    assert add[1, 32](array, 32).moved is None


def test_the_host_moves_the_pages_that_it_touches_and_no_others(paged):
    link = paged.architecture.host_link
    array = paged.managed(np.zeros(1 << 18, "i4"))
    kernel = paged.compile(SOURCE).add
    kernel[1, 32](array, 32)
    before = paged.host.now
    assert array[20000] == 0 and array[0] == 1          # two pages of 16384 elements
    assert (paged.host.now - before) / 1e9 == pytest.approx(2 * (link.managed.host_fault_us + PAGE / link.pinned_d2h_gb_s / 1e3), rel=1e-6)
    assert [s.nbytes for s in copies(paged, "host")] == [PAGE, PAGE] and array.bytes_on_device == 14 * PAGE
    assert array[16384:16390].sum() == 0 and len(copies(paged, "host")) == 2      # they are here already
    moved = kernel[1, 32](array, 32).moved
    assert (moved.nbytes, moved.pages, moved.fault_groups) == (2 * PAGE, 2, 1)


def test_pages_that_nobody_has_touched_come_to_be_without_a_transfer(paged):
    run = paged.compile(SOURCE).add[1, 32](array := paged.managed((1 << 16,), "i4"), 32)
    assert (run.moved.nbytes, run.moved.pages) == (0, 4) and run.moved.fault_groups >= 1 and array[3] == 1


def test_what_pointers_in_memory_lead_to_moves_too(device):
    nodes = [device.managed((2,), "u8") for _ in range(3)]
    apart, out = device.managed(np.ones(4, "u8")), device.zeros((1,), "i4")
    for node, behind, value in zip(nodes, [*nodes[1:], None], (5, 7, 11), strict=True):
        node[:] = [0 if behind is None else behind.address, value]
    run = device.compile(SOURCE).walk[1, 1](nodes[0], out)
    on_demand = device.architecture.host_link.managed.fault_us is not None
    assert out.to_host()[0] == 23 and run.moved.pages == (3 if on_demand else 4) and (apart.bytes_on_device == 0) == on_demand


def test_a_variable_of_the_module_leads_to_managed_memory(paged):
    module, array = paged.compile(SOURCE), paged.managed(np.array([41], "i4"))
    module.symbols["held"].view("u8").copy_from_host(np.array([array.address], "u8"))
    assert module.by_variable[1, 1]().moved.nbytes == 4 and array[0] == 42


@pytest.mark.parametrize("name", PAGED[:1])
def test_prefetching_costs_no_faults_and_says_so_nowhere(name):
    device = archdef.Device(name, host=Host())
    array, stream = device.managed(np.zeros(1 << 20, "i4")), device.stream()
    add = device.compile(SOURCE).add
    array.prefetch(stream)
    run = add[1, 32, 0, stream](array, 32).result()
    assert run.moved is None and not run.warnings
    span, = copies(device, "device")
    link = device.architecture.host_link
    assert span.nbytes == 4 << 20 and span.duration_us == pytest.approx(link.latency_us + (4 << 20) / link.pinned_h2d_gb_s / 1e3, rel=1e-6)
    array.prefetch(stream, to_host=True, nbytes=PAGE)
    stream.synchronize()
    before = device.host.now
    assert array[5] == 1 and device.host.now == before and array.bytes_on_device == (4 << 20) - PAGE
    slow = add[1, 32](device.managed(np.zeros(1 << 20, "i4")), 32)
    assert "page faults" in slow.warnings[0] and "prefetch()" in slow.warnings[0]


def test_what_dlpack_shows_is_the_hosts_view_and_its_pages_come(paged):
    array = paged.managed(np.arange(1 << 16, dtype="i4"))
    add = paged.compile(SOURCE).add
    add[256, 256](array, 1 << 16)
    assert array.bytes_on_device == 1 << 18
    seen = np.from_dlpack(array)
    assert array.bytes_on_device == 0 and (seen == np.arange(1 << 16) + 1).all()
    add[256, 256](seen, 1 << 16)
    assert seen[5] == 7


def test_pages_that_are_mostly_read_stay_on_both_sides_until_one_writes(paged):
    array, out = paged.managed(np.arange(1 << 16, dtype="i4")).read_mostly(), paged.zeros((1,), "i4")
    module = paged.compile(SOURCE)
    assert module.first[1, 1](array, out).moved.pages == 4
    assert array[40000] == 40000 and not copies(paged, "host")              # the host has kept its copy
    assert module.first[1, 1](array, out).moved is None
    module.add[1, 32](array, 32)                                            # a kernel writes to the first page
    assert array[3] == 4 and [s.nbytes for s in copies(paged, "host")] == [PAGE]
    assert array[50000] == 50000 and len(copies(paged, "host")) == 1
    array[3] = 9                                                            # the host does
    assert module.first[1, 1](array, out).moved.nbytes == PAGE
    array.read_mostly(False)
    assert array.bytes_on_device < 4 * PAGE or module.first[1, 1](array, out).moved is None


@pytest.mark.parametrize("name", WHOLE)
def test_without_page_faults_the_host_must_wait_for_kernels(name):
    device = archdef.Device(name, host=Host())
    array, other = device.managed((64,), "i4"), device.managed((64,), "i4")
    device.compile(SOURCE).add[1, 32, 0, device.stream()](array, 32)
    with pytest.raises(HostError, match="add may be running.*synchronize first"):
        other[0]                                                            # any managed memory, as the guide says
    device.synchronize()
    assert array[0] == 1 and other[0] == 0
    with pytest.raises(HostError, match="does not prefetch"):
        array.prefetch()


def test_with_page_faults_it_need_not(paged):
    array = paged.managed((64,), "i4")
    paged.compile(SOURCE).add[1, 32, 0, paged.stream()](array, 32)
    assert array[40] == 0
    paged.synchronize()
    assert array[0] == 1


def test_a_host_function_of_a_stream_may_use_it(device):
    array, stream = device.managed(np.zeros(64, "i4")), device.stream()
    add = device.compile(SOURCE).add

    def double():
        array[:] = array[...] * 2
    for _ in range(3):
        add[1, 64, 0, stream](array, 64)
        stream.call(double)
    stream.synchronize()
    assert (np.asarray(array) == 14).all()


def test_memory_lives_as_long_as_the_host_sees_it(paged):
    used = paged.memory.engine.used_bytes
    seen = paged.managed(np.arange(100, dtype="i4")).host
    assert paged.memory.engine.used_bytes > used and seen.sum() == 4950
    seen[5] = 0
    del seen
    assert paged.memory.engine.used_bytes == used and not paged.memory.managed
    array = paged.managed((4,), "i4")
    array.free()
    for use in (lambda: array[0], lambda: array.prefetch(), lambda: array.host):
        with pytest.raises(DeviceMemoryError, match="freed"):
            use()
    with pytest.raises(DeviceMemoryError, match="out of device memory"):
        paged.managed((paged.architecture.dram.capacity_bytes + 1,), "u1")


@pytest.mark.parametrize("name", sorted(set(registry.names()) - set(HAVE)))
def test_a_machine_without_it_says_so(name):
    with pytest.raises(HostError, match="host_link.managed"):
        archdef.Device(name, host=Host()).managed((4,))


def test_faults_are_declared_whole():
    machine = registry.get(PAGED[0])
    for changed in ({"host_link.managed.fault_us": None}, {"host_link.managed.page_bytes": 1 << 22}):
        with pytest.raises(SpecErrors) as refused:
            machine.evolve(changed)
        assert "host_link.managed.fault_" in str(refused.value.exceptions[0])
    assert machine.evolve({"host_link.managed": ManagedMemory(host_fault_us=1)}).host_link.managed.fault_bytes is None


@pytest.mark.skipif("h100" not in registry.names(), reason="h100 is not installed")
@pytest.mark.parametrize("nbytes, kernel_us, again_us, host_us", [(32768, 108, 14, 64), (262144, 114, 14, 129), (134217728, 14588, 91, 34788), (1073741824, 113820, 418, 284312)])
def test_an_h200s_first_touches_cost_what_was_measured(nbytes, kernel_us, again_us, host_us):
    """tests/data/h200/device_runtime.txt: a kernel's first touch of memory that the host has touched, its second, and the host's way back."""
    device = archdef.Device("h100", host=Host())
    array = device.managed((nbytes,), "u1")
    array._touch(..., write=True)
    moved = device.compile(SOURCE).add[1, 32](array, 32).moved
    assert moved.duration_us == pytest.approx(kernel_us - again_us, rel=0.05)
    before = device.host.now
    array._touch(..., write=False)
    if nbytes > 1 << 20:        # below, the calls around it count on hardware
        assert (device.host.now - before) / 1e9 == pytest.approx(host_us, rel=0.05)
