"""The host reads and writes a module's variables: what kernels find, what they leave, and what is refused."""
import gc

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import ArchdefError, DeviceMemoryError, GuestFault, LaunchError, PtxError
from archdef.frontends import nvrtc

NAMES = [name for name in ("g80", "gt200", "k40", "h100", "c500") if name in registry.names()]
pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not NAMES, reason="none of the machines with and without unified addressing is installed")]

SOURCE = """
struct Pair { int a; float b; };
namespace ns { __constant__ float taps[5] = {1, 2, 3, 4, 5}; __device__ int counter = 7; }
__constant__ int grid2[2][3];
__constant__ Pair pairs[2];
__device__ float scale = 0.5f;
__device__ int *where = &ns::counter;
__global__ void read(float *out, int n) { int i = threadIdx.x; if (i < n) out[i] = ns::taps[i] * scale; }
__global__ void look(int *out) { out[threadIdx.x] = grid2[threadIdx.x / 3][threadIdx.x % 3] + pairs[1].a + (int)pairs[0].b; }
__global__ void count() { ns::counter += 1; }
__global__ void point(unsigned long long *out) {
    out[0] = (unsigned long long)&ns::taps[0]; out[1] = (unsigned long long)&ns::counter; out[2] = (unsigned long long)where; }
"""
HEAD = ".version 7.5\n.target sm_75\n.address_size 64\n"


@pytest.fixture(scope="module", params=NAMES)
def device(request):
    return archdef.Device(request.param)


@pytest.fixture
def module(device):
    return device.compile(SOURCE)


def taps_read(device, module, n=5):
    out = device.zeros(n)
    module.read[1, 32](out, n)
    return out.to_host().tolist()


def test_initial_contents_are_there_before_the_first_launch(device, module):
    assert module.symbols["taps"].to_host().tolist() == [1, 2, 3, 4, 5]
    assert module.symbols["counter"].to_host() == 7 and module.symbols["scale"].to_host() == 0.5
    assert module.symbols["where"].to_host() == module.symbols["counter"].address


def test_what_the_host_writes_all_later_launches_find(device, module):
    assert taps_read(device, module) == [0.5, 1, 1.5, 2, 2.5]
    module.symbols["taps"].copy_from_host(np.array([9, 8, 7, 6, 5], "f4"))
    module.symbols["scale"].copy_from_host(2)
    for _ in range(2):
        assert taps_read(device, module) == [18, 16, 14, 12, 10]
    module.symbols["grid2"].copy_from(np.arange(6, dtype="i4").reshape(2, 3))
    module.symbols["pairs"].copy_from_host(np.array([(10, 300.0), (40, 0.0)], "i4, f4"))
    out = device.zeros(6, "i4")
    module.look[1, 6](out)
    assert out.to_host().tolist() == [340, 341, 342, 343, 344, 345]


def test_what_kernels_write_stays_until_the_next_launch_and_each_load_has_its_own(device, module):
    other = device.compile(SOURCE)
    for _ in range(3):
        module.count[1, 1]()
    assert (module.symbols["counter"].to_host(), other.symbols["counter"].to_host()) == (10, 7)
    module.symbols["counter"].copy_from_host(-5)
    module.count[1, 1]()
    assert module.symbols["counter"].to_host() == -4
    assert module.symbols["counter"].address != other.symbols["counter"].address


def test_addresses_in_kernels_are_those_of_the_host(device, module):
    out = device.zeros(3, "u8")
    module.point[1, 1](out)
    symbols = module.symbols
    assert out.to_host().tolist() == [symbols["taps"].address, symbols["counter"].address, symbols["counter"].address]


def test_a_variable_is_an_argument_like_any_array(device, module):
    moved = device.compile("__global__ void move(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x]; }")
    out = device.zeros(5)
    moved.move[1, 5](out, module.symbols["taps"])
    assert out.to_host().tolist() == [1, 2, 3, 4, 5]
    module.symbols["taps"].copy_from(device.zeros(5))
    assert module.symbols["taps"].to_host().tolist() == [0] * 5


@pytest.mark.parametrize("ordinary", [False, True])
def test_a_write_takes_its_place_in_the_stream(device, module, ordinary):
    stream, taps, results = device.stream(), module.symbols["taps"], []
    for k in range(3):
        values = np.full(5, k + 1, "f4")
        taps.copy_from(values if ordinary else device.pinned(values), stream=stream)
        out = device.empty(5)
        module.read[1, 32, 0, stream](out, 5)
        results.append(device.pinned((5,)))
        out.copy_to(results[-1], stream=stream)
    back = device.pinned((5,))
    taps.copy_to(back, stream=stream)
    stream.synchronize()
    assert [r.tolist() for r in results] == [[k * 0.5] * 5 for k in (1, 2, 3)] and back.tolist() == [3] * 5


def test_names_are_those_of_the_source_where_they_are_unique(module):
    assert set(module.symbols) == {"ns::taps", "ns::counter", "grid2", "pairs", "scale", "where"}
    assert module.symbols["ns::taps"] is module.symbols["taps"] is module.symbols["_ZN2ns4tapsE"]
    assert "taps" in module.symbols and "tap" not in module.symbols and module.symbols.get("tap") is None
    with pytest.raises(LaunchError, match=r"source\.cu\.ptx has no variable 'tops' \(did you mean ns::taps\?\); it has .*grid2"):
        module.symbols["tops"]
    for wrong in (3, None, ["taps"], ""):
        with pytest.raises(LaunchError):
            module.symbols[wrong]


def test_names_that_several_variables_have_are_refused_with_all_of_them():
    module = archdef.Device(NAMES[0]).compile(
        "namespace a { __device__ int n; static __device__ int own; } namespace b { __device__ int n; }"
        "namespace { __device__ int hidden; }"
        "__global__ void k(int *o) { static int calls = 3; *o = a::n + b::n + calls++ + a::own++ + hidden++; }")
    with pytest.raises(LaunchError, match="'n' means 2 variables of source.cu.ptx; use the full name of one: _ZN1a1nE, _ZN1b1nE"):
        module.symbols["n"]
    assert module.symbols["k::calls"].to_host() == 3 and module.symbols["own"].address and module.symbols["hidden"].address


@pytest.mark.parametrize("name, wrong", [
    ("taps", np.zeros(4, "f4")), ("taps", np.zeros(5)), ("taps", [1.0, 2.0, 3.0, 4.0]), ("grid2", np.zeros(6, "i4")), ("pairs", [1, 2]),
    ("pairs", np.zeros(5, "i4")), ("counter", np.zeros(1, "i4")),
    ("counter", np.float32(1)), ("counter", 1 << 32), ("counter", 1.5), ("counter", [1]), ("scale", np.float64(1)), ("scale", "x"),
    ("taps", np.array([None] * 5)), ("taps", [[1], [2, 3], 4, 5, 6]), ("counter", 10**30), ("scale", None), ("taps", b"12345")])
def test_what_does_not_fit_is_refused_and_changes_nothing(module, name, wrong):
    before = module.symbols[name].to_host()
    with pytest.raises(DeviceMemoryError):
        module.symbols[name].copy_from_host(wrong)
    with pytest.raises(DeviceMemoryError):
        module.symbols[name].copy_from(wrong)
    assert np.array_equal(module.symbols[name].to_host(), before)


def test_arrays_to_fill_must_fit_too(module):
    taps, out = module.symbols["taps"], np.zeros(5, "f4")
    assert taps.copy_to_host(out) is out and out.tolist() == [1, 2, 3, 4, 5]
    every_other, whole, raw = np.zeros(10, "f4")[::2], np.zeros(5, "i4"), taps.view("u1")
    assert taps.copy_to(every_other).tolist() == [1, 2, 3, 4, 5]
    assert taps.view("u4").copy_to(whole).tolist() == np.arange(1, 6, dtype="f4").view("i4").tolist()
    assert raw.shape == (20,) and raw.to_host()[3] == 0x3F
    for wrong in (np.zeros(4, "f4"), np.zeros(5, "i4"), np.zeros(20, "u1")):
        with pytest.raises(DeviceMemoryError):
            taps.copy_to_host(wrong)
    pairs = module.symbols["pairs"]
    with pytest.raises(DeviceMemoryError):
        pairs.copy_to_host(np.zeros(8, "i4")[::2])
    pairs.copy_from_host(np.arange(4, dtype="i4"))
    assert pairs.copy_to_host(np.zeros((2, 2), "i4")).tolist() == [[0, 1], [2, 3]]
    for dtype, shape in (("f8", -1), ("f4", 4), ("f4", (2, -1)), ("O", -1), ("f4", (-1, -1)), ("f4", -5), ("zz", 5), ("f4", 2.5), ("f4", "5")):
        with pytest.raises(DeviceMemoryError, match="cannot see .*taps"):
            taps.view(dtype, shape)
    with pytest.raises(DeviceMemoryError, match="belongs to source.cu.ptx"):
        taps.free()


def test_types_and_shapes_are_those_of_the_source(device):
    module = device.compile("""
namespace ns { struct Pair { int a; double b; }; __constant__ Pair pairs[3]; namespace { __device__ short hidden[2][3]; } }
__constant__ float grid2[2][3]; __constant__ float4 atoms[2]; __device__ uchar2 two; __device__ bool flag; __device__ char letter = -1;
__device__ unsigned long long large; __device__ float *pointer; __device__ const int fixed[2] = {-1, 2}; static __device__ volatile int seen = -9;
template <int N> __device__ int made[N];
__global__ void k(int *o, int i) { static int calls = 3;
    *o = calls++ + made<4>[i] + fixed[i] + ns::hidden[1][i]++ + seen++ + ns::pairs[i].a + (int)grid2[1][i] + (int)atoms[i].x; }""")
    found = {name: (s.dtype.str[1:], s.shape) for name, s in module.symbols.items()}
    assert found == {"ns::pairs": ("V16", (3,)), "ns::hidden": ("i2", (2, 3)), "grid2": ("f4", (2, 3)), "atoms": ("f4", (2, 4)),
                     "two": ("u1", (2,)), "flag": ("b1", ()), "letter": ("i1", ()), "large": ("u8", ()), "pointer": ("u8", ()),
                     "fixed": ("i4", (2,)), "seen": ("i4", ()), "made": ("u1", (16,)), "k::calls": ("u4", ())}
    assert module.symbols["fixed"].to_host().tolist() == [-1, 2] and module.symbols["letter"].to_host() == -1
    module.symbols["flag"].copy_from_host(True)
    assert module.symbols["flag"].to_host() and module.symbols["ns::pairs"].view("i4, i4, f8").to_host()["f2"].tolist() == [0, 0, 0]


def test_a_source_that_the_compiler_cannot_be_asked_about_has_the_types_of_its_ptx(device):
    module = device.compile("__constant__ float taps[2] = {1, 2};\n#define decltype(x) nothing\n__global__ void k(float *o) { *o = taps[0]; }")
    assert module.symbols["taps"].dtype == "u1" and module.symbols["taps"].view("f4").to_host().tolist() == [1, 2]


def test_types_and_shapes_are_those_of_the_ptx(device):
    module = device.compile(HEAD + """
.visible .const .f32 c[2][3] = {{1, 2, 3}, {4}};
.visible .global .s16 s = -3;
.visible .global .f64 d[2];
.visible .global .v4 .f32 v[2];
.visible .global .b64 word;
.visible .global .b8 raw[] = {1, 2};
.visible .entry k() { ret; }""")
    found = {name: (s.dtype.str[1:], s.shape, s.space) for name, s in module.symbols.items()}
    assert found == {"c": ("f4", (2, 3), "const"), "s": ("i2", (), "global"), "d": ("f8", (2,), "global"), "v": ("f4", (2, 4), "global"),
                     "word": ("u8", (), "global"), "raw": ("u1", (2,), "global")}
    assert module.symbols["c"].to_host().tolist() == [[1, 2, 3], [4, 0, 0]] and module.symbols["s"].to_host() == -3
    module.symbols["d"].copy_from_host([1, 2.5])
    assert module.symbols["d"].to_host().tolist() == [1, 2.5]
    module.symbols["word"].copy_from_host(np.float64(1))
    assert module.symbols["word"].to_host() == 0x3FF0000000000000


def test_linked_modules_share_what_is_declared_extern_and_number_what_is_their_own(device):
    a = "extern __constant__ float taps[3]; extern __device__ int total; static __device__ int own = 1;" \
        "__global__ void add() { total += (int)taps[threadIdx.x] + own; }"
    b = "__constant__ float taps[3] = {1, 2, 3}; __device__ int total = 100; static __device__ int own = 2;" \
        "__global__ void b_own(int *o) { *o = own++; }"
    module = device.compile([a, b])
    module.symbols["taps"].copy_from_host(np.array([40, 0, 0], "f4"))
    module.add[1, 1]()
    assert module.symbols["total"].to_host() == 141
    with pytest.raises(LaunchError, match="'own' means 2 variables .*own@0, .*own@1"):
        module.symbols["own"]
    own = [name for name in module.symbols if "own@" in name]
    assert [module.symbols[name].to_host() for name in own] == [1, 2]
    assert (module.symbols["taps"].dtype, module.symbols["own@1"].dtype) == ("f4", "i4")


def test_a_variable_that_no_module_defines_says_so(device):
    module = device.compile(HEAD + ".extern .global .u32 v;\n.visible .entry k() { ret; }")
    with pytest.raises(LaunchError, match=r"declares the variable v `\.extern`, and no module that was linked defines it"):
        module.symbols["v"]
    assert list(module.symbols) == []


def test_an_extern_declaration_of_another_size_is_refused_as_nvlink_does(device):
    """nvlink 13.0: "Size doesn't match for 'total' in 'l2.o', first specified in 'l1.o'"."""
    definition = "__device__ int total[{}]; __global__ void k() {{ total[1]++; }}"
    use = "extern __device__ int total[{}]; __global__ void z() {{ total[1]++; }}"
    for sizes in ((2, 4), (4, 2)):
        for order in (1, -1):
            with pytest.raises(PtxError, match=r"`total` has \d+ bytes here and \d+ at "):
                device.compile([definition.format(sizes[0]), use.format(sizes[1])][::order])
    for size in ("", 5):
        module = device.compile([definition.format(5), use.format(size)])
        module.z[1, 1]()
        assert module.symbols["total"].to_host().tolist() == [0, 1, 0, 0, 0]


MANAGED = "__managed__ int calls = 3; __managed__ float grid[2][2]; __global__ void k() { calls++; grid[1][0] += 0.5f; }"


def test_managed_variables_have_the_types_of_the_source_and_are_reached_alike(device):
    module, link = device.compile(MANAGED), device.architecture.host_link
    if link is None or link.managed is None:
        with pytest.raises(ArchdefError, match="`calls` is a managed variable, and .* has no managed memory"):
            module.k[1, 1]()
        with pytest.raises(LaunchError, match="calls .*is a managed variable, and .* has no managed memory"):
            module.symbols["calls"]
        return
    calls, grid = module.symbols["calls"], module.symbols["grid"]
    assert (calls.dtype, calls.shape, grid.dtype, grid.shape) == ("i4", (), "f4", (2, 2))
    calls.copy_from_host(-8)
    module.k[1, 1]()
    assert calls.to_host() == -7 and grid.to_host().tolist() == [[0, 0], [0.5, 0]]


def test_structures_of_arrays_of_structures_go_in_as_numpy_lays_them_out(device):
    module = device.compile("""struct In { char c; float f; }; struct Out { In in[2]; short m[2][3]; };
        __constant__ Out nested[2]; __device__ int cube[2][3][4];
        __global__ void k(int *o) { int i = threadIdx.x;
            o[i] = cube[i / 12][i / 4 % 3][i % 4] + (int)nested[1].in[1].f + nested[0].m[1][2] + nested[1].in[0].c; }""")
    inner = np.dtype({"names": ["c", "f"], "formats": ["i1", "f4"], "offsets": [0, 4], "itemsize": 8})
    outer = np.dtype({"names": ["in", "m"], "formats": [(inner, (2,)), ("i2", (2, 3))], "offsets": [0, 16], "itemsize": 28})
    values = np.zeros(2, outer)
    values["in"]["f"][1, 1], values["m"][0, 1, 2], values["in"]["c"][1, 0] = 100, 1000, -1
    module.symbols["nested"].copy_from_host(values)
    module.symbols["cube"].copy_from_host(np.arange(24, dtype="i4").reshape(2, 3, 4))
    out = device.zeros((24,), "i4")
    module.k[1, 24](out)
    assert out.to_host().tolist() == [n + 1099 for n in range(24)] and module.symbols["nested"].view(outer, (2,)).to_host()["m"][0, 1, 2] == 1000


def test_a_texture_reference_is_no_variable_and_says_where_it_is_bound(device):
    module = device.compile("texture<float, 1, cudaReadModeElementType> tex; __global__ void k(float *o) { o[0] = tex1Dfetch(tex, 0); }")
    assert "tex" not in module.symbols and "tex" in module.textures
    with pytest.raises(LaunchError, match=r"tex of .* is no variable but a reference, which `module.textures\['tex'\] = …` binds"):
        module.symbols["tex"]


def test_the_largest_of_common_definitions_is_taken(device):
    small, large = (f".version 7.5\n.target sm_75\n.address_size 64\n.common .global .b8 v[{n}];\n" for n in (4, 16))
    for texts in ([small, large], [large, small]):
        assert device.compile(texts).symbols["v"].nbytes == 16


def test_an_initial_address_that_only_a_launch_knows_is_refused(device):
    module = device.compile(HEAD + ".shared .b32 s;\n.global .u64 p = s;\n.visible .entry k() { ret; }")
    with pytest.raises(PtxError, match=r"`p` starts with the address of `s`, which lies in \.shared memory"):
        module.symbols["p"]


def test_memory_is_given_back_with_the_module(device):
    gc.collect()
    module = device.compile(SOURCE)
    taken = device.memory.taken("constant")
    symbol = module.symbols["taps"]
    grown = device.memory.taken("constant")
    del module
    gc.collect()
    assert symbol.to_host().size == 5 and device.memory.taken("constant") == grown > taken
    del symbol
    gc.collect()
    assert device.memory.taken("constant") == taken


def test_kernels_that_kernels_launch_find_what_the_host_wrote():
    if "k40" not in NAMES:
        pytest.skip("needs a machine whose kernels launch kernels")
    device = archdef.Device("k40")
    module = device.compile("""
__constant__ int factor; __device__ int seen;
__global__ void child(int n) { atomicAdd(&seen, factor * n); }
__global__ void parent() { child<<<1, 2>>>(3); cudaDeviceSynchronize(); seen += factor; }""")
    for factor, total in ((10, 70), (100, 770)):
        module.symbols["factor"].copy_from_host(factor)
        assert module.parent[1, 1]().launches
        assert module.symbols["seen"].to_host() == total


def test_a_cooperative_grid_finds_what_the_host_wrote():
    name = next((n for n in NAMES if "cooperative_launch" in registry.get(n).isa.features), None)
    if name is None:
        pytest.skip("needs a machine with cooperative launches")
    device = archdef.Device(name)
    module = device.compile("""
#include <cooperative_groups.h>
__constant__ int factor; __device__ int seen; __device__ int total;
__global__ void both() { atomicAdd(&seen, factor); cooperative_groups::this_grid().sync();
                         if (threadIdx.x + blockIdx.x == 0) total = seen * factor; }""")
    for factor, total in ((2, 32), (3, 120)):
        module.symbols["factor"].copy_from_host(factor)
        module.both[4, 2].cooperative()
        assert module.symbols["total"].to_host() == total


WRITTEN = """__constant__ int taps[64] = {1, 2, 3};
__global__ void put(int *p, int i, int v) { p[i] = v; }
__global__ void raise(int *p) { atomicAdd(p, 5); }
__global__ void get(int *o, int i) { o[0] = taps[i]; }
__global__ void both(int *p, int *o, int i) { int old = taps[i]; p[i] = 9; o[0] = old; o[1] = taps[i]; }"""


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_may_store_to_a_constant_by_its_address(name):
    device = archdef.Device(name)
    module, out = device.compile(WRITTEN), device.zeros((2,), "i4")
    address = module.symbols["taps"].address
    assert not module.put[1, 1](address, 1, 42).warnings
    module.get[1, 1](out, 1)
    assert out.to_host()[0] == 42 and module.symbols["taps"].to_host()[:3].tolist() == [1, 42, 3]
    if "atomics_global" in device.architecture.isa.features:
        module["raise"][1, 1](address)
        assert not module.get[1, 1](out, 0).warnings and out.to_host()[0] == 6
    run = module.both[1, 1](address, out, 2)
    assert out.to_host()[0] == 3 and any("not coherent within a launch" in text for text in run.warnings)
    with pytest.raises(GuestFault, match="outside"):
        module.put[1, 1](address, 1 << 20, 1)
