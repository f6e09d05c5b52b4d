"""What kernels launch runs: in order, with its results visible, within the limits that the machine declares, and no further."""
import functools
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.engine import core
from archdef.errors import ArchdefError, BudgetExceeded, GuestFault, GuestWarning
from archdef.frontends import nvrtc

SOURCE = Path(__file__).parent / "kernels.cu"
ABLE = [name for name in registry.names() if "dynamic_parallelism" in registry.get(name).isa.features]
WAITING = [name for name in ABLE if registry.get(name).device_launches.synchronization_depth]
pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="needs NVRTC")


def module(name, **changed):
    """The kernels on a machine; what waits for children is compiled for a target that still can."""
    device = archdef.Device(registry.get(name).evolve(changed) if changed else name)
    return device, device.compile(SOURCE, target="compute_60")


@pytest.fixture(params=ABLE)
def able(request):
    return module(request.param)


@pytest.fixture(params=WAITING)
def patient(request):
    return module(request.param)


def test_a_nested_hello_has_half_the_threads_at_each_depth(able):
    _, kernels = able
    run = kernels.nested_hello[1, 8](8, 0)
    assert Counter(line.split(":")[0] for line in run.printed.splitlines()) == {"depth 0": 8, "depth 1": 4, "depth 2": 2, "depth 3": 1}
    assert [(launch.depth, launch.block[0]) for launch in run.launches] == [(3, 1), (2, 2), (1, 4)]
    assert all(launch.asked < launch.started < launch.ended <= run.cycles for launch in run.launches)


@pytest.mark.parametrize("name", sorted(set(registry.names()) - set(ABLE)))
def test_a_machine_without_it_says_so_and_runs_the_other_kernels(name):
    device, kernels = module(name)
    with pytest.raises(ArchdefError, match="dynamic_parallelism") as refused:
        kernels.in_order[1, 1](*(device.to_device(np.zeros(16, np.int32)) for _ in range(2)))
    assert "kernels.cu" in str(refused.value) and name in str(refused.value)
    out = device.to_device(np.zeros(64, np.int32))
    kernels.leaf[2, 32](out, 3)
    assert (out.to_host() == 3).all()


@pytest.mark.parametrize("count", [2, 64, 512])
def test_a_recursive_sum_is_the_sum(able, count):
    device, kernels = able
    values = np.random.default_rng(count).integers(-1000, 1000, (12, count), np.int32)
    sums = device.to_device(np.zeros(12, np.int32))
    run = kernels.recursive_sum[12, max(count // 2, 1)](device.to_device(values), sums, count)
    assert (sums.to_host() == values.sum(1)).all()
    assert len(run.launches) == 12 * (count.bit_length() - 2)
    assert max((launch.depth for launch in run.launches), default=0) == count.bit_length() - 2


def test_a_block_that_waits_sees_what_its_child_wrote(patient):
    device, kernels = patient
    out, seen, errors = (device.to_device(np.zeros(n, np.int32)) for n in (32 * 40, 32 * 40, 40))
    run = kernels.waiting[40, 64](out, seen, errors)
    assert (seen.to_host() == 5).all() and not errors.to_host().any()
    assert run.counters.stalls["launch"] > 0


@pytest.mark.parametrize("blocks", [1, 7, 100])
def test_blocks_that_wait_give_their_place_to_what_they_wait_for(patient, blocks):
    device, _ = patient
    device, kernels = module(device.architecture.name, **{"chip.multiprocessors": 1, "limits.blocks_per_multiprocessor": 2})
    out, seen, errors = (device.to_device(np.zeros(n, np.int32)) for n in (32 * blocks, 32 * blocks, blocks))
    kernels.waiting[blocks, 64](out, seen, errors)
    assert (seen.to_host() == 5).all() and not errors.to_host().any()


def test_waiting_below_the_declared_depth_is_an_error_code(patient):
    device, kernels = patient
    errors = device.to_device(np.full(8, -1, np.int32))
    kernels.wait_deeper[1, 1](errors, 0, 5)
    allowed = device.architecture.device_launches.synchronization_depth
    assert errors.to_host().tolist() == [0] * allowed + [68] * (6 - allowed) + [-1, -1]


@pytest.mark.parametrize("name", sorted(set(ABLE) - set(WAITING)))
def test_where_no_kernel_may_wait_the_call_is_refused_by_name(name):
    device, kernels = module(name)
    with pytest.raises(ArchdefError, match="cudaDeviceSynchronize.*synchronization_depth"):
        kernels.waiting[1, 64](*(device.to_device(np.zeros(32, np.int32)) for _ in range(3)))


def logged(device, kernel, block, *arguments):
    log, following = device.to_device(np.full(16, -1, np.int32)), device.to_device(np.zeros(1, np.int32))
    kernel[1, block](log, following, *arguments)
    return log.to_host()[:following.to_host()[0]].tolist()


def test_a_stream_keeps_its_order(able):
    device, kernels = able
    assert logged(device, kernels.in_order, 1) == [0, 1, 2, 3]


def test_streams_overtake_unless_an_event_holds_them(able):
    device, kernels = able
    assert logged(device, kernels.by_event, 1, False) == [1, 0]
    assert logged(device, kernels.by_event, 1, True) == [0, 1]


def test_the_tail_comes_last_and_in_order(able):
    device, kernels = able
    found = logged(device, kernels.with_tail, 32)
    assert sorted(found[:2]) == [1, 2] and found[2:] == [100, 101]


def test_copies_and_fills_take_their_turn_in_a_stream(able):
    device, kernels = able
    memory = device.to_device(np.zeros(256, np.uint8))
    kernels.moves[1, 1](memory)
    found = memory.to_host()
    assert (found[:64] == 7).all() and (found[160:192] == 0).all()
    assert found[128:144].view(np.int32).tolist() == [0x07070707 + 1] * 4 and (found[144:160] == 7).all()


def test_a_copy_that_leaves_its_allocation_names_the_call(able):
    device, kernels = able
    memory = device.to_device(np.zeros(256, np.uint8))
    with pytest.raises(GuestFault, match=r"kernels\.cu:\d+.*4096 bytes"):
        kernels.moves_too_far[1, 1](memory, 4096)
    assert not memory.to_host().any()


@pytest.mark.parametrize("kernel, threads", [("hands_shared_memory", 32), ("hands_local_memory", 1)])
def test_shared_and_local_memory_cannot_be_handed_to_a_child(able, kernel, threads):
    device, kernels = able
    with pytest.raises(GuestFault, match=r"leaf_param_0 of leaf|argument \S*param_0 of leaf") as fault:
        kernels[kernel][1, threads](device.to_device(np.zeros(64, np.int32)))
    assert "kernels.cu" in str(fault.value)


def test_error_codes_are_an_h100s(able):
    device, kernels = able
    code, out = device.to_device(np.full(16, -1, np.int32)), device.to_device(np.zeros(4096, np.int32))
    run = kernels.codes[1, 1](code, out)
    machine = device.architecture
    assert code.to_host()[:14].tolist() == [9, 9, 9, 1, 1, 0, 0, 0, 0, 1, 0, machine.limits.threads_per_block, 0, machine.warp.size]
    assert run.printed == "invalid configuration argument | cudaErrorLaunchMaxDepthExceeded\n"
    assert not out.to_host().any()


def test_launches_end_at_the_declared_depth(able):
    device, kernels = able
    depth = device.architecture.device_launches.depth
    code = device.to_device(np.full(64, -1, np.int32))
    run = kernels.deeper[1, 1](code, 0, 60)
    assert max(launch.depth for launch in run.launches) == depth
    assert code.to_host()[:depth + 1].tolist() == [0] * depth + [65]


FIXED = [name for name in ABLE if registry.get(name).device_launches.pool == "fixed"]
VIRTUALISED = [name for name in ABLE if registry.get(name).device_launches.pool == "virtualised"]


def many(name, blocks=128, kernel="many_at_once", **changed):
    """4096 launches of one child by 4096 threads, which look at no error; give what ran and what Python was told."""
    device, kernels = module(name, **changed)
    out, codes = device.to_device(np.zeros(1, np.int32)), device.to_device(np.zeros(32 * blocks, np.int32))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = kernels[kernel][blocks, 32](out, *([codes] if kernel == "many_and_look" else []))
    return run, int(out.to_host()[0]), [w for w in told if issubclass(w.category, GuestWarning)], codes.to_host()


@pytest.mark.parametrize("name", VIRTUALISED)
def test_the_first_runtime_goes_on_in_its_virtualised_pool_slower(name):
    run, done, told, _ = many(name)
    assert done == len(run.launches) == 4096 and not run.warnings and not told
    quick, done, _, _ = many(name, **{"device_launches.virtual_us": 0.0})
    assert done == 4096 and quick.cycles < run.cycles


@pytest.mark.parametrize("name", VIRTUALISED[:1])
def test_when_the_heap_is_full_the_virtualised_pool_is_too(name):
    device = archdef.Device(name, heap_bytes=1 << 16)
    out = device.to_device(np.zeros(1, np.int32))
    with pytest.warns(GuestWarning, match="cudaErrorLaunchPendingCountExceeded"):
        run = device.compile(SOURCE, target="compute_60").many_at_once[128, 32](out)
    assert 2048 < int(out.to_host()[0]) == len(run.launches) == 4096 - run.failures[0].count


@pytest.mark.parametrize("name", FIXED)
def test_the_second_runtime_refuses_what_its_pool_has_no_room_for_and_says_so(name):
    """An H200 refuses 2048 of 4096, with error 69 (tests/data/h200/device_runtime.txt)."""
    run, done, told, _ = many(name)
    assert done == len(run.launches) == 2048
    (failure,) = run.failures
    assert (failure.error, failure.count) == (69, 2048) and failure.file.endswith("kernels.cu")
    for text in (*run.warnings, str(told[0].message)):
        assert "2,048 calls" in text and "cudaErrorLaunchPendingCountExceeded" in text and f"kernels.cu:{failure.line}" in text
    assert len(told) == len(run.warnings) == 1 and told[0].filename == __file__


@pytest.mark.parametrize("name", FIXED)
def test_a_failure_that_the_kernel_looks_at_is_its_own_business(name):
    run, done, told, codes = many(name, kernel="many_and_look")
    assert Counter(codes.tolist()) == {0: 2048, 69: 2048} and done == 2048 and not run.warnings and not told


def test_an_answer_that_is_read_counts_as_looked_at_and_one_that_is_dropped_does_not(able):
    device, kernels = able
    code = device.to_device(np.zeros(4, np.int32))
    with pytest.warns(GuestWarning, match="3 calls.*cudaErrorInvalidResourceHandle"):
        run = kernels.drops_answers[1, 1](code, 3)
    assert code.to_host()[0] == 400 and [f.count for f in run.failures] == [3]


def test_too_many_launches_under_way_are_refused_one_by_one():
    quick = {"device_launches.pending": 8, "device_launches.call_us": 0.001, "device_launches.pool": "fixed"}
    for changed in ({"device_launches.pending": 8, "device_launches.pool": "fixed"}, quick):
        device, kernels = module(ABLE[0], **changed)
        out, code = device.to_device(np.zeros(64, np.int32)), device.to_device(np.zeros(2, np.int32))
        run = kernels.many[1, 1](out, code, 40)
        error, refused = code.to_host().tolist()
        assert (error, len(run.launches)) in ((69, 40 - refused), (0, 40)) and out.to_host()[0] == len(run.launches)
    assert error == 69 and len(run.launches) < 40


def test_a_childs_fault_names_the_child_and_leaves_memory_readable(able):
    device, kernels = able
    out = device.to_device(np.arange(8, dtype=np.int32))
    with pytest.raises(GuestFault, match=r"kernel faulty at kernels\.cu:\d+.*block \(0, 0, 0\)"):
        kernels.launches_faulty[1, 1](out)
    assert (out.to_host() == np.arange(8)).all()


def test_launches_without_end_end_with_the_budget_or_the_depth(able):
    device, kernels = able
    with pytest.raises(BudgetExceeded):
        kernels.forks[1, 1].launch(max_instructions=20_000)
    with pytest.warns(GuestWarning, match="cudaErrorLaunchMaxDepthExceeded"):
        run = kernels.endless[1, 1].launch(max_instructions=20_000)
    assert len(run.launches) == device.architecture.device_launches.depth


def test_the_cost_of_children_is_charged_to_their_lines(able):
    device, kernels = able
    sums = device.to_device(np.zeros(4, np.int32))
    log, following = device.to_device(np.full(16, -1, np.int32)), device.to_device(np.zeros(1, np.int32))
    run = kernels.in_order[1, 1](log, following)
    text = {cost.text: cost for cost in run.lines}
    assert any("atomicAdd" in line and cost.counters.atomics == 4 for line, cost in text.items())
    assert run.counters.warps == 5 and sums.to_host().sum() == 0


@pytest.mark.parametrize("kernel, threads", [("nested_hello", 8), ("in_order", 1), ("waiting", 64)])
def test_times_do_not_depend_on_the_length_of_epochs(patient, kernel, threads, monkeypatch):
    device, kernels = patient
    found, original = [], core.Session
    out = [device.to_device(np.zeros(2048, np.int32)) for _ in range(3)]
    for length in (0, 37, 5):
        for array in out:
            array.zero()
        monkeypatch.setattr(core, "Session", functools.partial(original, lookahead_cycles=length))
        run = kernels[kernel][6 if kernel == "waiting" else 1, threads](*{"nested_hello": (8, 0), "in_order": out[:2], "waiting": out}[kernel])
        found.append((run.cycles, sorted((c.depth, c.grid, c.asked, c.started, c.ended) for c in run.launches), run.counters.stalls))
    assert found[0] == found[1] == found[2]


def test_a_grid_of_more_blocks_than_a_number_holds_is_refused():
    """However large a description lets each dimension be: 2^31 - 1 of each would wrap."""
    device, _kernels = module(ABLE[-1], **{"limits.grid_dimensions": (2**31 - 1,) * 3})
    source = "__global__ void leaf(int *o) { o[0] = 1; }\n__global__ void k(int *o) { leaf<<<dim3(0x7fffffff, 0x7fffffff, 0x7fffffff), 1>>>(o); o[1] = cudaGetLastError(); }"
    out = device.zeros((2,), "i4")
    device.compile(source).k[1, 1](out)
    assert out.to_host().tolist() == [0, 9]


BULK = r"""
extern "C" __global__ void child(const int *in, int *out)
{
    __shared__ __align__(16) int tile[64];
    __shared__ __align__(8) unsigned long long bar;
    unsigned at = (unsigned)__cvta_generic_to_shared(tile), word = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(word) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(word) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                     :: "r"(at), "l"(in), "r"(word) : "memory");
    }
    asm volatile("{ .reg .pred p; SPIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra SPIN; }" :: "r"(word) : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void parent(const int *in, int *out) { child<<<1, 64>>>(in, out); }
"""


@pytest.mark.parametrize("name", [name for name in ABLE if "bulk_copies" in registry.get(name).isa.features])
def test_a_child_may_copy_in_bulk_though_its_parent_does_not(name):
    device = archdef.Device(name)
    values = np.arange(64, dtype=np.int32)
    given, out = device.to_device(values), device.zeros((64,), "i4")
    device.compile(BULK).parent[1, 1](given, out)
    assert (out.to_host() == values).all()
