"""Kernels print, assert, allocate and free: CUDA C++ through NVRTC on a small machine with every feature."""
import functools
import io

import numpy as np
import pytest
from lowering import kernel
from lowering import machine as standin
from run_ptx import machine

import archdef
from archdef.engine import core
from archdef.errors import DeviceMemoryError, GuestFault, GuestWarning, MissingFeature
from archdef.frontends import nvrtc
from archdef.lower import lower
from archdef.ptx import parse

cuda = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")


def launch(source, *arguments, name="k", grid=1, block=32, **device):
    device = archdef.Device(machine(), **device)
    arguments = [device.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
    run = device.compile(source)[name][grid, block](*arguments)
    return run, *(a.copy_to_host() for a in arguments if hasattr(a, "copy_to_host"))


# --------------------------------------------------------------------------------------------------------------- printing
@cuda
def test_printf_prints_every_thread_in_order():
    run, = launch(r"""
#include <cstdio>
#include <stdio.h>
__global__ void k(float scale) {
    if (threadIdx.x % 8 == 3)
        printf("block %d thread %2u: %s %.3f %c %lld %5.1e|\n", blockIdx.x, threadIdx.x, "is", scale * threadIdx.x, 'x', -1ll << 40, 12345.678);
}""", 0.5, grid=2)
    lines = [f"block {b} thread {t:2d}: is {0.5 * t:.3f} x {-1 << 40} 1.2e+04|" for b in range(2) for t in (3, 11, 19, 27)]
    assert sorted(run.printed.splitlines()) == lines
    assert [line for line in run.printed.splitlines() if "block 0" in line] == lines[:4]
    assert run.to_dict()["printed"] == run.printed


@cuda
def test_printf_gives_the_number_of_values():
    run, out = launch(r"""__global__ void k(int *out) {
        const char *none = nullptr;
        out[0] = printf("plain\n"); out[1] = printf("%d %s %% %p\n", 1, "x", out); out[2] = printf(none);
        char text[4] = {'a', 'b', 'c', 'd'};
        out[3] = printf("%.3s|%*d|%s\n", text, 5, 42, none);
    }""", np.zeros(4, np.int32), block=1)
    assert out.tolist() == [0, 3, -1, 4]
    assert run.printed.splitlines()[2] == "abc|   42|(null)"


@cuda
def test_the_buffer_of_printf_is_circular_and_what_is_lost_is_said():
    """The CUDA guide: "if more output is produced … older output is overwritten"."""
    stream = io.StringIO()
    with pytest.warns(GuestWarning, match="22 calls of printf") as told:
        run, = launch(r'__global__ void k() { printf("%d\n", threadIdx.x); }', printf=stream, print_bytes=480)
    assert run.output.lost == 32 - 480 // 48 and len(told) == 1
    assert run.printed == "".join(f"{n}\n" for n in range(22, 32))
    assert [w for w in run.warnings if "22 calls of printf" in w]
    assert stream.getvalue().startswith(run.printed) and "[the output of 22 calls of printf was overwritten" in stream.getvalue()


@cuda
@pytest.mark.parametrize("room", [0, 40, 48, 1000, 4800])
def test_the_latest_calls_are_kept_whatever_the_length_of_epochs(room, monkeypatch):
    source = r'__global__ void k() { for (int i = 0; i < 9; i++) printf("%d %d %s\n", blockIdx.x, i, i % 3 ? "" : "a long string that takes room"); }'
    every = launch(source, print_bytes=1 << 20, grid=6, block=40)[0].output.calls
    sizes = [24 + 16 + 2 * 16 + 16 + (32 if "long" in call.text else 0) for call in every]
    fits = next((n for n in range(len(every) + 1) if sum(sizes[len(every) - n:]) > room), len(every) + 1) - 1
    original = core.Session
    for length in (0, 7, 1):
        monkeypatch.setattr(core, "Session", functools.partial(original, lookahead_cycles=length))
        with pytest.warns(GuestWarning, match="printf"):
            output = launch(source, print_bytes=room, grid=6, block=40)[0].output
        assert output.calls == every[len(every) - fits:] and output.lost == len(every) - fits


@cuda
def test_a_string_that_does_not_end_is_a_fault():
    with pytest.raises(GuestFault, match="outside"):
        launch(r'__global__ void k(const char *text) { printf("before\n"); printf("%s", text); }', np.full(64, 65, np.uint8), block=1)
    with pytest.raises(GuestFault, match="block .0, 0, 0., thread .5, 0, 0.") as caught:
        launch(r'__global__ void k() { printf("t%d\n", threadIdx.x); if (threadIdx.x == 5) printf("%s", (const char *)64); }')
    assert caught.value.printed == "".join(f"t{n}\n" for n in range(32))


# ------------------------------------------------------------------------------------------------------------- assertions
@cuda
def test_a_failed_assertion_names_place_expression_block_and_thread():
    source = """#include <cassert>
__global__ void k(int n)
{
    assert((int)threadIdx.x + (int)blockIdx.x < n);
}
"""
    launch(source, 40)
    with pytest.raises(GuestFault) as caught:
        launch(source, 20)
    for part in ("source.cu:4", "void k(int)", "(int)threadIdx.x + (int)blockIdx.x < n", "block (0, 0, 0)", "thread (20, 0, 0)"):
        assert part in str(caught.value)
    file, *said = caught.value.data["assertion"]
    assert file.endswith("source.cu") and said == [4, "void k(int)", "(int)threadIdx.x + (int)blockIdx.x < n"]
    assert caught.value.data["threads"] == [(n, 0, 0) for n in range(20, 32)]


# -------------------------------------------------------------------------------------------------------------------- heap
LISTS = r"""
struct Node { int value; Node *next; };
__device__ Node *head;
__global__ void k(int n)
{
    for (int i = 0; i < n; i++) {
        Node *node = new Node;
        node->value = i * 100 + threadIdx.x;
        Node *old;
        do { old = head; node->next = old; }
        while (atomicCAS((unsigned long long *)&head, (unsigned long long)old, (unsigned long long)node) != (unsigned long long)old);
    }
}
__global__ void collect(int *out)
{
    int sum = 0, count = 0;
    while (head) { Node *next = head->next; sum += head->value; count++; delete head; head = next; }
    out[0] = count; out[1] = sum;
}
"""


@cuda
def test_the_heap_outlives_a_launch():
    device = archdef.Device(machine())
    module = device.compile(LISTS)
    module.k[2, 64](5)
    memory = device.memory.engine
    assert memory.heap_bytes == 640 * 16
    out = device.zeros(2, "i4")
    module.collect[1, 1](out)
    assert out.copy_to_host().tolist() == [640, 2 * sum(i * 100 + t for i in range(5) for t in range(64))]
    assert memory.heap_bytes == 0


@cuda
def test_a_full_heap_gives_null():
    source = r"""__global__ void k(int *out) { int n = 0; while (malloc(1000)) n++; out[threadIdx.x] = n; }"""
    _, out = launch(source, np.zeros(4, np.int32), block=4, heap_bytes=1 << 16)
    assert out.sum() == (1 << 16) // (63 * 16 + 16)
    _, out = launch("__global__ void k(unsigned long long *out) { out[0] = (unsigned long long)malloc(0); out[1] = (unsigned long long)malloc(~0ull); free(nullptr); }",
                    np.ones(2, np.uint64), block=1)
    assert out.tolist() == [0, 0]


@cuda
@pytest.mark.parametrize("body, message", [
    ("int *p = (int *)malloc(12); p[3] = 1;", "outside what the kernel has allocated"),
    ("int *p = (int *)malloc(12); free(p); p[0] = 1;", "outside what the kernel has allocated"),
    ("int *p = (int *)malloc(12); free(p); free(p);", "which is no allocation of the device heap"),
    ("char *p = (char *)malloc(12); free(p + 4);", "which is no allocation"),
    ("free((void *)out);", "which is no allocation"),
    ("int *a = (int *)malloc(16), *p = (int *)malloc(16); out[0] = a != p; p[-1] = 1;", "outside what the kernel has allocated"),
])
def test_misuse_of_the_heap_is_a_fault(body, message):
    with pytest.raises(GuestFault, match=message) as caught:
        launch("__global__ void k(volatile int *out) { " + body + " out[0] = 1; }", np.zeros(1, np.int32), block=1)
    assert "source.cu:1" in str(caught.value)


def test_the_heap_needs_device_memory():
    text = kernel("""{ .param .b64 a; .param .b64 r; st.param.b64 [a], 16; call (r), malloc, (a); }""",
                  head=".extern .func (.param .b64 r) malloc (.param .b64 a);")
    with pytest.raises(DeviceMemoryError, match="out of device memory"):
        device = archdef.Device(machine(), heap_bytes=1 << 40)
        device.compile(text).k[1, 1](device.zeros(1))


@cuda
def test_random_allocations_never_overlap():
    source = r"""
__global__ void k(const unsigned *sizes, int *bad, int rounds)
{
    unsigned *kept[8] = {}, length[8] = {};
    unsigned seed = threadIdx.x * 7919 + 1;
    for (int i = 0; i < rounds; i++) {
        seed = seed * 1664525 + 1013904223;
        int at = seed >> 29;
        if (kept[at]) {
            for (unsigned k = 0; k < length[at]; k++) if (kept[at][k] != threadIdx.x * 8 + at) bad[threadIdx.x]++;
            free(kept[at]);
            kept[at] = nullptr;
        } else {
            length[at] = sizes[(seed >> 8) & 63];
            kept[at] = (unsigned *)malloc(length[at] * 4);
            if (!kept[at]) length[at] = 0;
            for (unsigned k = 0; k < length[at]; k++) kept[at][k] = threadIdx.x * 8 + at;
        }
    }
    for (int at = 0; at < 8; at++) free(kept[at]);
}"""
    device = archdef.Device(machine(), heap_bytes=1 << 14)
    bad = device.zeros(48, "i4")
    sizes = device.to_device(np.random.default_rng(1).integers(0, 40, 64).astype(np.uint32))
    device.compile(source).k[1, 48](sizes, bad, 60)
    assert not bad.copy_to_host().any()
    assert device.memory.engine.heap_bytes == 0
    _, out = launch("__global__ void k(int *out) { out[0] = malloc((1 << 14) - 16) != nullptr; }", np.zeros(1, np.int32), block=1,
                    heap_bytes=1 << 14)
    assert out[0] == 1


# ------------------------------------------------------------------------------------------------------------------ errors
@pytest.mark.parametrize("head, call, feature", [
    (".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);",
     ".param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], 0; call (r), vprintf, (a, b);", "device_print"),
    (".extern .func free (.param .b64 a);", ".param .b64 a; st.param.b64 [a], %rd1; call free, (a);", "device_heap"),
])
def test_a_machine_without_the_runtime_refuses(head, call, feature):
    text = kernel("{ " + call + " }", head=head)
    lower(parse(text, "k.ptx"), "k", standin())
    with pytest.raises(MissingFeature, match=feature):
        lower(parse(text, "k.ptx"), "k", standin(without=[feature]))


def test_hostile_calls_of_the_runtime_only_fault():
    head = """.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func free (.param .b64 a); .extern .func (.param .b64 r) malloc (.param .b64 a);"""
    rng = np.random.default_rng(5)
    special = [0, 1, 0x01000000, 0x01000010, 0x02000000, 0x0200000F, 1 << 32, (1 << 32) + 65536, (1 << 32) + (1 << 21), 1 << 47,
               (1 << 64) - 1, (1 << 64) - 8, (1 << 63)]
    faults = 0
    for _ in range(150):
        a, b = (int(special[k]) + int(rng.integers(0, 20)) & (1 << 64) - 1 for k in rng.integers(0, len(special), 2))
        body = f"""{{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], {a}; st.param.b64 [b], {b}; call (r), vprintf, (a, b); }}
        {{ .param .b64 a; .param .b64 r; st.param.b64 [a], {b}; call (r), malloc, (a); }}
        {{ .param .b64 a; st.param.b64 [a], {b}; call free, (a); }}"""
        if rng.integers(2):
            body = body[body.index("\n"):]
        device = archdef.Device(machine(), print_bytes=int(rng.integers(0, 200)), heap_bytes=int(rng.integers(1, 5000)))
        out = device.to_device(rng.choice(np.frombuffer(b"%sdfc*.l05 \0", np.uint8), 400).astype(np.uint8))
        try:
            device.compile(kernel(body, head=head)).k[1, 2](out)
        except GuestFault:
            faults += 1
    assert faults


# ------------------------------------------------------------------------------------------- what compilers leave undefined
def test_operators_new_and_delete_use_the_heap():
    head = """.extern .func (.param .b64 r) _Znwm(.param .b64 n); .extern .func (.param .b64 r) _Znam(.param .b64 n);
.extern .func _ZdlPv(.param .b64 p); .extern .func _ZdaPvm(.param .b64 p, .param .b64 n);"""
    body = """ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2;
    { .param .b64 n; .param .b64 r; st.param.b64 [n], 24; call.uni (r), _Znwm, (n); ld.param.b64 %rd4, [r]; }
    { .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call.uni (r), _Znam, (n); ld.param.b64 %rd5, [r]; }
    st.u64 [%rd4+16], %rd2; st.u64 [%rd5+32], %rd4; ld.u64 %rd6, [%rd5+32]; ld.u64 %rd7, [%rd6+16]; st.global.u64 [%rd3], %rd7;
    { .param .b64 p; st.param.b64 [p], %rd4; call.uni _ZdlPv, (p); }
    { .param .b64 p; .param .b64 n; st.param.b64 [p], %rd5; st.param.b64 [n], 40; call.uni _ZdaPvm, (p, n); }"""
    _, found = launch(kernel(body, head=head), np.zeros(32, np.uint64))
    assert found.tolist() == [8 * k for k in range(32)]
    twice = body + "{ .param .b64 p; st.param.b64 [p], %rd4; call.uni _ZdlPv, (p); }"
    with pytest.raises(GuestFault, match="freed before"):
        launch(kernel(twice, head=head), np.zeros(32, np.uint64))


def test_nan_without_a_body_is_the_quiet_nan():
    head = ".extern .func (.param .b64 r) _ZL3nanPKc(.param .b64 text); .extern .func (.param .b32 r) _ZL4nanfPKc(.param .b64 text);"
    body = """ld.param.u64 %rd1, [out];
    { .param .b64 t; .param .b64 r; st.param.b64 [t], 0; call.uni (r), _ZL3nanPKc, (t); ld.param.f64 %fd1, [r]; }
    { .param .b64 t; .param .b32 r; st.param.b64 [t], 0; call.uni (r), _ZL4nanfPKc, (t); ld.param.f32 %f1, [r]; }
    st.global.f64 [%rd1], %fd1; st.global.f32 [%rd1+8], %f1;"""
    _, found = launch(kernel(body, head=head), np.zeros(2, np.uint64), block=1)
    assert [hex(v) for v in found] == ["0x7ff8000000000000", "0x7fc00000"]
