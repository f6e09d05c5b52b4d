"""Functions call themselves, each other and through pointers; the answers are those of the same functions in Python."""
import numpy as np
import pytest
from lowering import kernel
from run_ptx import machine, run

import archdef
from archdef.errors import GuestFault, MissingFeature, PtxError
from archdef.frontends import nvrtc
from archdef.ptx import parse

cuda = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
LANES = np.arange(32, dtype=np.uint32)
START = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"


def each(body, head="", threads=32, **arguments):
    text = kernel(START + body + "st.global.u32 [%rd3], %r2;", head=head)
    return run(text, np.zeros(threads, np.uint32), block=threads, **arguments)


def launch(source, *arguments, name="k", grid=1, block=32, arch=None, **device):
    device = archdef.Device(arch or machine(), **device)
    arguments = [device.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
    run = device.compile(source)[name][grid, block](*arguments)
    return run, *(a.copy_to_host() for a in arguments if hasattr(a, "copy_to_host"))


# -------------------------------------------------------------------------------------------------------------- recursion
FIBONACCI = """__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k(int *out) { out[threadIdx.x] = fib(threadIdx.x % 12); }"""


@cuda
@pytest.mark.parametrize("lanes", [32, 64, 7])
def test_diverged_recursion(lanes):
    _, out = launch(FIBONACCI, np.zeros(32, np.int32), arch=machine(warp__size=lanes))
    fib = [0, 1]
    while len(fib) < 12:
        fib.append(fib[-1] + fib[-2])
    assert out.tolist() == [fib[n % 12] for n in range(32)]


@cuda
def test_mutual_recursion_with_wide_values_predicates_and_arrays():
    source = """
__device__ __noinline__ double odd(long long n, double x, const int *seen);
__device__ __noinline__ double even(long long n, double x, const int *seen)
{
    volatile int mine[4];
    bool flag = n % 3 == 0;
    for (int i = 0; i < 4; i++) mine[i] = (int)n * 10 + i + seen[i];
    if (n == 0) return x + mine[1];
    double a = odd(n - 1, x * 0.5, (const int *)mine);
    if (flag) a += odd(n / 2, x, (const int *)mine);
    return a + mine[n & 3] * (flag ? 1.0 : -1.0);
}
__device__ __noinline__ double odd(long long n, double x, const int *seen)
{
    if (n <= 0) return x - seen[2];
    return even(n - 1, x + 1, seen) * 2 + seen[n & 3];
}
__global__ void k(double *out) { int start[4] = {1, 2, 3, (int)threadIdx.x}; out[threadIdx.x] = even(threadIdx.x % 7, threadIdx.x, start); }
"""
    def even(n, x, seen):
        mine = [n * 10 + i + seen[i] for i in range(4)]
        if n == 0:
            return x + mine[1]
        a = odd(n - 1, x * 0.5, mine)
        if n % 3 == 0:
            a += odd(n // 2, x, mine)
        return a + mine[n & 3] * (1.0 if n % 3 == 0 else -1.0)

    def odd(n, x, seen):
        return x - seen[2] if n <= 0 else even(n - 1, x + 1, seen) * 2 + seen[n & 3]

    _, out = launch(source, np.zeros(32), arch=machine(limits__stack_bytes_per_thread=4096))
    assert out.tolist() == [even(t % 7, float(t), [1, 2, 3, t]) for t in range(32)]


@cuda
def test_a_full_stack_is_a_fault_that_names_kernel_and_depth():
    source = """__device__ __noinline__ int down(int n) { return n == 0 ? 0 : (down(n - 1) ^ n) * 3; }
__global__ void deep(int *out, int n) { out[threadIdx.x] = down(n + threadIdx.x); }"""

    def down(n):
        value = 0
        for k in range(1, n + 1):
            value = (value ^ k) * 3 & 0xFFFFFFFF
        return value

    _, out = launch(source, np.zeros(2, np.uint32), 30, name="deep", block=2)
    assert out.tolist() == [down(30), down(31)]
    with pytest.raises(GuestFault, match=r"kernel deep at .* the call stack of 1024 bytes per thread \(limits.stack_bytes_per_thread\) is "
                                         r"full, \d+ calls deep, block \(0, 0, 0\), thread \(0, 0, 0\)") as caught:
        launch(source, np.zeros(2, np.int32), 300, name="deep", block=2)
    assert 30 < caught.value.data["depth"] <= 65
    _, out = launch(source, np.zeros(2, np.uint32), 2000, name="deep", block=2, arch=machine(limits__stack_bytes_per_thread="128 KiB",
                                                                                          limits__local_bytes_per_thread="256 KiB"))
    assert out.tolist() == [down(2000), down(2001)]


def test_a_circle_that_saves_nothing_ends_in_a_fault():
    with pytest.raises(GuestFault, match="call stack of 1024 bytes per thread .* is full, 65 calls deep"):
        each("call a; mov.u32 %r2, 1;", ".func a() { call a; ret; }")


def test_a_guarded_call_inside_a_circle():
    head = """.func (.reg .u32 r) sum(.reg .u32 n) { .reg .pred %c; .reg .u32 %m; .reg .u32 %s; mov.u32 %s, 0; setp.ne.u32 %c, n, 0; sub.s32 %m, n, 1;
    @%c call (%s), sum, (%m); @%c add.s32 %s, %s, n; mov.u32 r, %s; ret; }"""
    body = "and.b32 %r3, %r1, 15; call (%r2), sum, (%r3);"
    n = LANES % 16
    assert np.array_equal(each(body, head), n * (n + 1) // 2)


# ----------------------------------------------------------------------------------------------------------- indirect calls
TABLE = """
__device__ __noinline__ float add(float a, float b) { return a + b; }
__device__ __noinline__ float sub(float a, float b) { return a - b; }
__device__ __noinline__ float mul(float a, float b) { return a * b; }
typedef float (*Function)(float, float);
__device__ Function table[3] = {add, sub, mul};
__device__ Function chosen;
__global__ void k(float *out) { int t = threadIdx.x; out[t] = table[t % 3](t, 2.0f) + 100; }
__global__ void choose(int which) { chosen = table[which]; }
__global__ void use(float *out) { out[threadIdx.x] = chosen(threadIdx.x, 3.0f); }
__device__ __noinline__ float twice(Function f, float x) { return f(f(x, 2), x); }
__global__ void passed(float *out) { int t = threadIdx.x; out[t] = twice(t & 1 ? add : mul, t); }
"""


@cuda
def test_each_distinct_target_is_called_for_its_lanes():
    run, out = launch(TABLE, np.zeros(32, np.float32))
    assert out.tolist() == [[t + 2, t - 2, t * 2][t % 3] + 100 for t in range(32)]
    calls = [s for s in run.statements if s.text.startswith("call")]
    assert [int(s.counters.statements["instructions"].sum()) for s in calls] == [6]  # two arguments, a result, three calls


@cuda
def test_a_pointer_means_the_same_function_in_every_kernel():
    device = archdef.Device(machine())
    module = device.compile(TABLE)
    out = device.zeros(8, "f4")
    for which, expected in enumerate((lambda t: t + 3, lambda t: t - 3, lambda t: t * 3)):
        module.choose[1, 1](which)
        module.use[1, 8](out)
        assert out.copy_to_host().tolist() == [expected(t) for t in range(8)]
    module.passed[1, 8](out)
    assert out.copy_to_host().tolist() == [t + 2 + t if t & 1 else t * 2 * t for t in range(8)]


@cuda
def test_virtual_functions():
    source = """
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { float s; __device__ Square(float s) : s(s) {} __device__ float area() const override { return s * s; } };
struct Circle : Shape { float r; __device__ Circle(float r) : r(r) {} __device__ float area() const override { return 3 * r * r; } };
__global__ void k(float *out)
{
    Shape *shape;
    if (threadIdx.x % 2) shape = new Square(threadIdx.x); else shape = new Circle(threadIdx.x);
    out[threadIdx.x] = shape->area();
    delete shape;
}"""
    _, out = launch(source, np.zeros(32, np.float32))
    assert out.tolist() == [t * t * (1 if t % 2 else 3) for t in range(32)]


@cuda
def test_recursion_through_a_pointer():
    source = """
typedef int (*Step)(int, void *);
__device__ __noinline__ int a(int n, void *next) { return n <= 0 ? 1 : 2 * ((Step)next)(n - 1, next) + n; }
__device__ __noinline__ int b(int n, void *next) { return n <= 0 ? 3 : ((Step)next)(n - 2, (void *)a) - n; }
__global__ void k(int *out) { int t = threadIdx.x; Step s = t % 3 ? a : b; out[t] = s(t % 9, (void *)(t & 4 ? a : b)); }"""
    def a(n, step):
        return 1 if n <= 0 else 2 * step(n - 1, step) + n

    def b(n, step):
        return 3 if n <= 0 else step(n - 2, a) - n

    _, out = launch(source, np.zeros(32, np.int32))
    assert out.tolist() == [(a if t % 3 else b)(t % 9, a if t & 4 else b) for t in range(32)]


HEAD = """.func (.reg .u32 r) one(.reg .u32 x) { add.u32 r, x, 1; ret; } .func (.reg .u32 r) two(.reg .u32 x) { add.u32 r, x, 2; ret; }
.func three(.reg .u32 x) { ret; }"""


def test_a_list_of_targets_bounds_the_call():
    body = "T: .calltargets one, two; mov.u64 %rd5, one; mov.u64 %rd6, two; setp.lt.u32 %p1, %r1, 9; selp.b64 %rd7, %rd5, %rd6, %p1; call (%r2), %rd7, (%r1), T;"
    assert np.array_equal(each(body, HEAD), LANES + np.where(LANES < 9, 1, 2))
    for bad in (0, 3, 4, 99, -1, 1 << 40):
        with pytest.raises(GuestFault, match=rf"indirect call of {bad & (1 << 64) - 1:#x}, which is no function that can be called here.*thread .9"):
            each(body.replace("mov.u64 %rd6, two", f"mov.u64 %rd6, {bad}"), HEAD)


def test_a_guarded_indirect_call():
    body = "P: .callprototype (.reg .u32 _) _ (.reg .u32 _); mov.u64 %rd5, two; mov.u32 %r2, 7; setp.lt.u32 %p1, %r1, 9; @%p1 call (%r2), %rd5, (%r1), P;"
    assert np.array_equal(each(body, HEAD), np.where(LANES < 9, LANES + 2, 7))


def test_indirect_calls_need_their_feature_and_a_known_prototype():
    text = kernel("P: .callprototype _ (.reg .u32 _); mov.u64 %rd5, three; call %rd5, (%r1), P;", head=HEAD)
    from lowering import lowered
    from lowering import machine as standin
    lowered(text)
    with pytest.raises(MissingFeature, match="indirect_calls"):
        lowered(text, standin(without=["indirect_calls"]))
    with pytest.raises(PtxError, match="unknown label `Q`"):
        parse(text.replace(", P;", ", Q;"))


# ------------------------------------------------------------------------------------------------------------------- alloca
def test_the_stack_gives_memory_and_takes_it_back():
    body = """mov.u32 %r2, 0; stacksave.u64 %rd9; mov.u32 %r9, 0;
AGAIN: stackrestore.u64 %rd9; add.u32 %r3, %r1, 20; mul.wide.u32 %rd4, %r3, 4; alloca.u64 %rd5, %rd4; alloca.u64 %rd6, 8, 64;
    mul.wide.u32 %rd7, %r1, 4; add.u64 %rd8, %rd5, %rd7; st.local.u32 [%rd8], %r9; st.local.u32 [%rd6], 1000; ld.local.u32 %r4, [%rd8];
    cvta.local.u64 %rd10, %rd6; ld.u32 %r5, [%rd10]; add.u32 %r2, %r4, %r5; and.b64 %rd11, %rd6, 63; cvt.u32.u64 %r6, %rd11; add.u32 %r2, %r2, %r6;
    add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 50; @%p1 bra AGAIN;"""
    assert np.array_equal(each(body), np.full(32, 1049))


@pytest.mark.parametrize("size", ["2000", "18446744073709551615", "4294967296", "1073741825"])
def test_more_than_the_stack_holds_is_a_fault(size):
    with pytest.raises(GuestFault, match="call stack of 1024 bytes"):
        each(f"mov.u64 %rd4, {size}; alloca.u64 %rd5, %rd4; mov.u32 %r2, 1;")
    with pytest.raises(GuestFault, match="call stack of 1024 bytes"):
        each(f"mov.u64 %rd4, {size}; add.u64 %rd4, %rd4, 5000; stackrestore.u64 %rd4; mov.u32 %r2, 1;")



# ------------------------------------------------------------------------------------------------------------------ time
TO_SELF = """.func (.param .b32 back) loop (.param .b32 n)
{ .reg .b32 %s<3>; .reg .pred %p; ld.param.u32 %s1, [n]; setp.lt.u32 %p, %s1, 0; @%p call (back), loop, (n); add.u32 %s1, %s1, 1; st.param.b32 [back], %s1; ret; }"""
CONTROL = {
    "call": "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), loop, (a); ld.param.b32 %r2, [b]; }",
    "call through a pointer": "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; mov.u64 %rd4, loop; P#: .callprototype (.param .b32 _) _ (.param .b32 _);"
                              " call (b), %rd4, (a), P#; ld.param.b32 %r2, [b]; }",
    "branch by an index": "T#: .branchtargets A#, B#; and.b32 %r3, %r1, 1; brx.idx %r3, T#; A#: add.u32 %r2, %r2, 1; B#: add.u32 %r2, %r2, 2;"}


@pytest.mark.parametrize("what", CONTROL)
def test_what_goes_elsewhere_holds_its_unit(what):
    operation = "branch" if "branch" in what else "call"
    text = kernel(START + "mov.u32 %r2, %r1;" + "".join(CONTROL[what].replace("#", str(k)) for k in range(8)) + "st.global.u32 [%rd3], %r2;", head=TO_SELF)
    cycles = [launch(text, np.zeros(512, np.uint32), block=512, arch=machine(**{f"isa__operations__{operation}__interval_cycles": each}))[0].cycles
              for each in (1, 40)]
    assert cycles[1] - cycles[0] > 30 * 8 * 512 // 32 // 2       # 8 of each warp, half of the warps on each of two schedulers
