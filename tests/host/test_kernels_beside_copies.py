"""Streams with real kernels, on installed architectures: data, times, faults, and the synchronous calls beside them."""
import io

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import BudgetExceeded, GuestFault, HostError, Interrupted, LaunchError
from archdef.frontends import nvrtc
from archdef.host import Host
import itertools

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not {"g80", "k40", "c500"} <= set(registry.names()), reason="needs the plugins of the README")]

SOURCE = """
#include <cstdio>
__global__ void scale(float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= a;
}
__global__ void wait(float *x, int steps)
{
    float v = x[threadIdx.x];
    for (int i = 0; i < steps; i++)
        v = v * 0.5f + 1.0f;
    x[threadIdx.x] = v;
}
"""
N = 4096


def device(name, **options):
    made = archdef.Device(name, host=Host(), **options)
    return made, made.compile(SOURCE)


@pytest.mark.parametrize("name", registry.names())
def test_copies_and_kernels_in_streams_give_what_synchronous_calls_give(name):
    dev, module = device(name)
    data = np.arange(4 * N, dtype="f4")
    source, out = dev.pinned(data), dev.pinned((4 * N,))
    for part in range(4):
        stream, piece = dev.stream(), slice(part * N, (part + 1) * N)
        array = dev.empty((N,))
        array.copy_from(source[piece], stream)
        module.scale[N // 256, 256, 0, stream](array, 2.0 + part, N)
        array.copy_to(out[piece], stream)
    dev.synchronize()
    assert np.array_equal(out, (data.reshape(4, N) * np.arange(2, 6, dtype="f4")[:, None]).reshape(-1))


@pytest.mark.parametrize("name", ["k40", "c500"])
def test_a_kernel_counts_the_same_in_a_stream_and_without_one(name):
    (plain, one), (streamed, two) = device(name), device(name)
    alone = one.scale[N // 256, 256](plain.zeros(N), 2.0, N)
    launched = two.scale[N // 256, 256, 0, streamed.stream()](streamed.zeros(N), 2.0, N)
    assert not launched.done
    assert launched.result().to_dict() == alone.to_dict()
    assert not plain.streams_in_use


@pytest.mark.parametrize("name, together", [("k40", True), ("g80", False)])
def test_small_kernels_of_several_streams_run_together_where_the_machine_can(name, together):
    dev, module = device(name)
    arrays, streams = [dev.zeros(32) for _ in range(4)], [dev.stream() for _ in range(4)]
    for array, stream in zip(arrays, streams, strict=True):
        module.wait[1, 32, 0, stream](array, 3000)
    dev.synchronize()
    spans = sorted(dev.host.timeline().of(kind="kernel"), key=lambda s: s.start)
    assert len(spans) == 4
    assert any(b.start < a.end for a, b in itertools.pairwise(spans)) is together
    assert all(np.array_equal(arrays[0].to_host(), a.to_host()) for a in arrays)


def test_kernels_that_run_together_slow_each_other_down_only_where_they_share():
    dev, module = device("k40")
    alone = module.wait[1, 32](dev.zeros(32), 3000).cycles
    runs = [module.wait[1, 32, 0, dev.stream()](dev.zeros(32), 3000) for _ in range(4)]
    assert all(run.result().cycles < 1.1 * alone for run in runs)


def test_a_synchronous_launch_waits_for_the_streams():
    dev, module = device("k40")
    array, stream = dev.to_device(np.ones(N, "f4")), dev.stream()
    for _ in range(3):
        module.scale[N // 256, 256, 0, stream](array, 2.0, N)
    run = module.scale[N // 256, 256](array, 2.0, N)
    assert run.cycles > 0
    assert (array.to_host() == 16).all()
    assert (array.zero().to_host() == 0).all()


def test_a_fault_surfaces_where_somebody_next_waits_with_the_kernels_own_message():
    dev, module = device("k40")
    array, stream, other = dev.zeros(N), dev.stream(), dev.stream()
    launched = module.scale[2 * N // 256, 256, 0, stream](array, 2.0, 2 * N)
    later = module.scale[N // 256, 256, 0, stream](array, 2.0, N)
    other.record()
    with pytest.raises(GuestFault, match=r"kernel scale at .*:7.*outside global memory, block"):
        stream.synchronize()
    stream.synchronize()            # once
    with pytest.raises(GuestFault):
        launched.result()
    with pytest.raises(HostError, match="did not run"):
        later.result()
    assert module.scale[N // 256, 256, 0, stream](array, 2.0, N).result().cycles > 0      # the device goes on


@pytest.mark.parametrize("wait", ["event", "device", "query", "copy", "launch"])
def test_a_fault_surfaces_at_every_kind_of_wait(wait):
    dev, module = device("k40")
    array, stream = dev.zeros(N), dev.stream()
    module.scale[2 * N // 256, 256, 0, stream](array, 2.0, 2 * N)
    event = stream.record()
    dev.host.spend(1.0)
    with pytest.raises(GuestFault, match="outside global memory"):
        {"event": event.synchronize, "device": dev.synchronize, "query": lambda: stream.done, "copy": array.to_host,
         "launch": lambda: module.scale[1, 32](array, 1.0, 32)}[wait]()


def test_a_launch_that_the_machine_refuses_is_refused_at_once():
    dev, module = device("g80")
    with pytest.raises(LaunchError, match="block_dimensions"):
        module.scale[1, 1024, 0, dev.stream()](dev.zeros(N), 2.0, N)


def test_a_kernel_that_never_ends_ends_in_its_budget():
    dev = archdef.Device("k40", host=Host(), max_cycles=20_000)
    module = dev.compile("__global__ void spin(volatile int *x) { int n = 0; while (!*x) n++; x[1] = n; }")
    module.spin[1, 32, 0, dev.stream()](dev.zeros(2, "i4"))
    with pytest.raises(BudgetExceeded, match="spin"):
        dev.synchronize()


@pytest.mark.parametrize("name, ends", [("k40", True), ("c500", True), ("g80", False)])
def test_a_kernel_sees_what_a_copy_brings_while_it_runs_where_a_copy_engine_can(name, ends):
    dev = archdef.Device(name, host=Host(), max_cycles=100_000)
    module = dev.compile("""__global__ void wait_for(volatile int *flag, int *turns)
    {
        int n = 0;
        while (!*flag)
            n++;
        *turns = n;
    }""")
    flag, turns, one = dev.zeros(1, "i4"), dev.zeros(1, "i4"), dev.pinned(np.ones(1, "i4"))
    module.wait_for[1, 1, 0, dev.stream()](flag, turns)
    flag.copy_from(one, dev.stream())
    if not ends:
        with pytest.raises(BudgetExceeded, match="wait_for"):
            dev.synchronize()
        return
    dev.synchronize()
    (copy,), (kernel,) = (dev.host.timeline().of(kind=kind) for kind in ("copy", "kernel"))
    assert kernel.start < copy.end < kernel.end < copy.end + 10e9      # it ends within 10 us of the copy
    assert turns.to_host()[0] > 0


def test_a_kernel_sees_what_a_kernel_of_another_device_has_sent():
    host = Host()
    one, two = archdef.Device("k40", host=host, max_cycles=1_000_000), archdef.Device("c500", host=host)
    waiting = one.compile("__global__ void wait_for(volatile int *flag) { while (*flag != 7); }")
    writing = two.compile("__global__ void write(int *flag) { *flag = 7; }")
    flag, sent, stream = one.zeros(1, "i4"), two.zeros(1, "i4"), two.stream()
    waiting.wait_for[1, 1, 0, one.stream()](flag)
    writing.write[1, 1, 0, stream](sent)
    flag.copy_from(sent, stream)
    host.synchronize()
    kernels = {s.place: s for s in host.timeline().of(kind="kernel")}
    last = max(s.end for s in host.timeline().of(kind="copy"))
    assert len(kernels) == 2 and kernels[one.context.label].end > last


def test_kernels_that_run_together_execute_what_they_execute_alone():
    dev, module = device("k40")
    alone = module.wait[4, 64](dev.zeros(64), 500).counters.totals()
    together = [module.wait[4, 64, 0, dev.stream()](dev.zeros(64), 500) for _ in range(3)]
    for launched in together:
        found = launched.result().counters.totals()
        assert {k: v for k, v in found.items() if "instruction" in k or "lanes" in k} == {
            k: v for k, v in alone.items() if "instruction" in k or "lanes" in k}


def test_ctrl_c_reaches_whoever_waits_and_says_how_far_the_kernel_got(monkeypatch):
    from archdef.engine import core

    class Stopped(core.Session):
        def advance(self, milliseconds=100.0, until_cycle=None, closed=None):
            if self.cycle > 2000:
                raise KeyboardInterrupt
            return super().advance(milliseconds, until_cycle, closed)
    dev, module = device("k40")
    array, stream = dev.zeros(32), dev.stream()
    with monkeypatch.context() as patch:
        patch.setattr(core, "Session", Stopped)
        module.wait[1, 32, 0, stream](array, 3000)
        with pytest.raises(Interrupted, match="wait on k40 was interrupted at cycle .*, after 0 of 1 blocks"):
            stream.synchronize()
    assert module.wait[1, 32, 0, stream](array, 30).result().cycles > 0


def test_an_array_that_goes_out_of_scope_stays_until_its_work_is_done():
    dev, module = device("k40")
    stream, out = dev.stream(), dev.pinned((N,))
    array = dev.empty((N,)).copy_from(dev.pinned(np.ones(N, "f4")), stream)
    module.scale[N // 256, 256, 0, stream](array, 3.0, N)
    array.copy_to(out, stream)
    used = dev.memory.engine.used_bytes
    del array
    dev.synchronize()
    dev.empty(1)                # gives back what is late
    assert (out == 3).all() and dev.memory.engine.used_bytes < used


def test_what_kernels_print_comes_when_they_end():
    text = io.StringIO()
    dev = archdef.Device("k40", host=Host(), printf=text)
    module = dev.compile('#include <cstdio>\n__global__ void hello(int n) { if (!threadIdx.x) printf("hello %d\\n", n); }')
    stream = dev.stream()
    for n in range(3):
        module.hello[1, 32, 0, stream](n)
    assert text.getvalue() == ""
    stream.synchronize()
    assert text.getvalue() == "hello 0\nhello 1\nhello 2\n"


def test_without_streams_there_is_no_host_model():
    dev, module = device("k40")
    array = dev.to_device(np.ones(N, "f4"))
    module.scale[N // 256, 256](array, 2.0, N)
    array.to_host()
    dev.synchronize()
    assert not dev.streams_in_use and dev.host.now == 0


def test_streams_of_another_device_are_refused_and_devices_without_streams_can_be_copied_from():
    host = Host()
    one, two = archdef.Device("k40", host=host), archdef.Device("c500", host=host)
    stream, source = two.stream(), one.to_device(np.arange(N, dtype="f4"))
    for refused in (lambda: source.copy_from(np.zeros(N, "f4"), stream), lambda: source.copy_to(np.zeros(N, "f4"), stream),
                    lambda: source.zero(stream)):
        with pytest.raises(HostError, match="another device"):
            refused()
    target = two.empty((N,)).copy_from(source, stream)
    assert np.array_equal(target.to_host(), source.to_host())
    third, fourth = archdef.Device("k40").empty((N,)), archdef.Device("k40").to_device(np.ones(N, "f4"))
    assert (third.copy_from(fourth).to_host() == 1).all() and third.memory.context is None


def test_a_launch_can_be_put_into_a_stream_afterwards():
    dev, module = device("k40")
    array, stream = dev.to_device(np.ones(N, "f4")), dev.stream()
    launched = module.scale[N // 256, 256].on(stream)(array, 2.0, N)
    assert not launched.done and launched.result().cycles > 0 and (array.to_host() == 2).all()


def test_an_unknown_fourth_part_of_a_configuration_is_refused():
    dev, module = device("k40")
    with pytest.raises(HostError, match="Device.stream"):
        module.scale[1, 32, 0, "stream"](dev.zeros(32), 1.0, 32)
    with pytest.raises(LaunchError, match="stream"):
        module.scale[1, 32, 0, dev.stream(), 5]


SPIN = """
__global__ void wait_for(volatile int *flag, int *out) { while (*flag == 0); *out = 1; }
__global__ void raise(volatile int *flag, int rounds) { for (int i = 0; i < rounds; i++) __threadfence(); *flag = 1; }
"""


@pytest.mark.parametrize("name", ["k40", "h100"])
def test_a_kernel_may_wait_for_what_a_copy_of_another_stream_brings(name):
    dev = archdef.Device(name, host=Host())
    module, flag, out = dev.compile(SPIN), dev.zeros(1, "i4"), dev.zeros(1, "i4")
    big, data = dev.empty((1 << 21,)), dev.pinned(np.zeros(1 << 21, "f4"))
    one, two = dev.stream(), dev.stream()
    module.wait_for[1, 1, 0, one](flag, out)
    big.copy_from(data, two)           # takes far longer than a standstill needs to be seen
    flag.copy_from(dev.pinned(np.ones(1, "i4")), two)
    dev.synchronize()
    assert out.to_host()[0] == 1


@pytest.mark.parametrize("name", ["k40", "h100"])
def test_a_kernel_may_wait_for_one_of_another_stream(name):
    dev = archdef.Device(name, host=Host())
    module, flag, out = dev.compile(SPIN), dev.zeros(1, "i4"), dev.zeros(1, "i4")
    module.wait_for[1, 1, 0, dev.stream()](flag, out)
    getattr(module, "raise")[1, 1, 0, dev.stream()](flag, 20_000)
    dev.synchronize()
    assert out.to_host()[0] == 1


@pytest.mark.parametrize("name", ["k40", "h100"])
def test_a_kernel_that_waits_for_what_nobody_will_do_is_an_error_once_nothing_else_is_due(name):
    dev = archdef.Device(name, host=Host())
    module, flag, out = dev.compile(SPIN), dev.zeros(1, "i4"), dev.zeros(1, "i4")
    one = dev.stream()
    module.wait_for[1, 1, 0, one](flag, out)
    getattr(module, "raise")[1, 1, 0, one](flag, 1)          # behind it, in the same stream
    with pytest.raises(GuestFault, match="no warp can go on"):
        dev.synchronize()
