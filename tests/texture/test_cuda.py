"""Unmodified CUDA C++ with texture and surface objects, and with the texture references of older code."""
import kernels
import numpy as np
import pytest

import archdef
from archdef.errors import GuestFault, LaunchError
from archdef.frontends import nvrtc
from archdef.testing import texturing

ALL = kernels.machines("texture", "texture_objects")
pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not ALL, reason="no installed architecture has textures")]

FETCHES = r"""
#define I int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return
#define K extern "C" __global__ void
K fetch1(cudaTextureObject_t t, float *o, const float *x, int n)  { I; o[i] = tex1D<float>(t, x[i]); }
K fetch2(cudaTextureObject_t t, float *o, const float *x, int n)  { I; o[i] = tex2D<float>(t, x[i], x[n + i]); }
K fetch3(cudaTextureObject_t t, float *o, const float *x, int n)  { I; o[i] = tex3D<float>(t, x[i], x[n + i], x[2 * n + i]); }
K level2(cudaTextureObject_t t, float *o, const float *x, int n)  { I; o[i] = tex2DLod<float>(t, x[i], x[n + i], 0.f); }
K grad2(cudaTextureObject_t t, float *o, const float *x, int n)
{ I; o[i] = tex2DGrad<float>(t, x[i], x[n + i], make_float2(0, 1), make_float2(1, 0)); }
K texel(cudaTextureObject_t t, uchar4 *o, int n)                  { I; o[i] = tex1Dfetch<uchar4>(t, i); }
"""
GATHER = r"""
extern "C" __global__ void gather(cudaTextureObject_t t, float4 *o, const float *x, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = tex2Dgather<float4>(t, x[i], x[n + i], 0); }
extern "C" __global__ void layer(cudaTextureObject_t t, float *o, const float *x, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = tex2DLayered<float>(t, x[i], x[n + i], i % 3); }
"""
COPY = r"""
extern "C" __global__ void copy(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uchar4 v = surf2Dread<uchar4>(from, x * 4, y, cudaBoundaryModeZero);
    if (x < w && y < h) surf2Dwrite(make_uchar4(v.w, v.z, v.y, v.x), to, x * 4, y);
    float4 unused; surf2Dread(&unused, from, 0, 0); if (unused.x == 123.f) surf2Dwrite(unused, to, 0, 0);
}
extern "C" __global__ void box(cudaSurfaceObject_t s, int w, int h, int d)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite(surf3Dread<float>(s, x * 4, y, z) + 1.f, s, x * 4, y, z);
}
"""
REFERENCE = r"""
texture<float, cudaTextureType2D> image;
texture<float, 1, cudaReadModeElementType> row;
extern "C" __global__ void old(float *o, int w)
{
    int x = threadIdx.x, y = blockIdx.x;
    o[y * w + x] = tex2D(image, x + 0.5f, y + 0.5f) + tex1Dfetch(row, x);
}
"""


@pytest.mark.parametrize("device", ALL)
@pytest.mark.parametrize("kernel, axes", [("fetch1", 1), ("fetch2", 2), ("fetch3", 3), ("level2", 2), ("grad2", 2)])
def test_fetches_by_coordinates(device, kernel, axes):
    rng, device, n = np.random.default_rng(2), archdef.Device(device), 500
    data = rng.standard_normal((6, 7, 8)[-axes:]).astype("f4")
    x = rng.uniform(-0.5, 1.5, (axes, n)).astype("f4")
    how = dict(filter="linear", normalized=True, address=["wrap", "mirror", "border"][:axes])
    out = device.zeros(n)
    device.compile(FETCHES)[kernel][-(-n // 64), 64](device.texture(device.to_device(data), **how), out, device.to_device(x), n)
    assert (out.to_host() == texturing.fetch(data[..., None], x, **how)[:, 0]).all()


def test_vectors_from_linear_memory():
    device, data = archdef.Device(ALL[0]), np.arange(400, dtype="u1").reshape(100, 4)
    out = device.zeros((100, 4), "u1")
    texture = device.texture(device.to_device(data), channels=4, layout="linear")
    device.compile(FETCHES).texel[4, 32](texture, out, 100)
    assert (out.to_host() == data).all()


def test_gathers_and_layers():
    machines = kernels.machines("texture_gather", "texture_layered", "texture_objects")
    if not machines:
        pytest.skip("no installed architecture gathers")
    rng, device, n = np.random.default_rng(3), archdef.Device(machines[0]), 90
    data, x = rng.standard_normal((3, 5, 8)).astype("f4"), rng.uniform(-2, 10, (2, n)).astype("f4")
    out, module = device.zeros((n, 4)), device.compile(GATHER)
    module.gather[3, 32](device.texture(device.to_device(data[0])), out, device.to_device(x), n)
    assert (out.to_host() == texturing.gather(data[0][..., None], *x)).all()
    out = device.zeros(n)
    module.layer[3, 32](device.texture(device.to_device(data), layered=True), out, device.to_device(x), n)
    assert (out.to_host() == [texturing.fetch(data[i % 3][..., None], x[:, i:i + 1])[0, 0] for i in range(n)]).all()


def test_surface_objects():
    machines = kernels.machines("surface", "texture_objects")
    if not machines:
        pytest.skip("no installed architecture has surfaces")
    device = archdef.Device(machines[0])
    data = np.random.default_rng(4).integers(0, 256, (20, 33, 4), "u1")
    to, source = device.zeros(data.shape, "u1"), device.to_device(data)
    module = device.compile(COPY)
    module.copy[(3, 2), (16, 16)](device.surface(to, channels=4), device.surface(source, channels=4), 33, 20)
    assert (to.to_host() == data[..., ::-1]).all()
    box = device.zeros((4, 5, 6))
    run = module.box[4, (6, 5)](device.surface(box), 6, 5, 4)
    assert (box.to_host() == 1).all() and run.counters.surface_loads and run.counters.surface_stores


@pytest.mark.parametrize("device", ALL)
def test_texture_references_are_bound_from_python(device):
    device = archdef.Device(device)
    module = device.compile(REFERENCE, archdef.Options(target="compute_35"))
    image, row = np.random.default_rng(5).random((8, 32), "f4"), np.arange(32, dtype="f4")
    out = device.zeros((8, 32))
    assert sorted(module.textures) == ["image", "row"]
    with pytest.raises(GuestFault, match="no handle of a live texture"):
        module.old[8, 32](out, 32)
    module.textures["image"] = device.texture(device.to_device(image))
    module.textures["row"] = device.texture(device.to_device(row), layout="linear")
    module.old[8, 32](out, 32)
    assert (out.to_host() == image + row).all()
    with pytest.raises(LaunchError, match="no texture, sampler or surface reference 'imgae' .did you mean image"):
        module.textures["imgae"] = device.texture(device.to_device(image))
    with pytest.raises(LaunchError, match="takes a texture, got <Surface"):
        module.textures["image"] = device.surface(device.to_device(image))


def test_a_bad_handle_names_the_users_line():
    device = archdef.Device(ALL[0])
    freed = device.zeros(64)
    texture = device.texture(freed)
    module, x = device.compile(FETCHES), device.zeros((2, 64))
    with pytest.raises(GuestFault, match=r"source\.cu:4,.*0x4d2 is no handle of a live texture.*block \(0, 0, 0\), thread \(0, 0, 0\)"):
        module.fetch1[1, 64](1234, freed, x, 64)
    with pytest.raises(GuestFault, match="other dimensions"):
        module.fetch2[1, 64](texture, freed, x, 64)
    handle = texture.handle
    freed.free()
    with pytest.raises(LaunchError, match="texture whose device array was freed"):
        module.fetch1[1, 64](texture, x, x, 64)
    with pytest.raises(GuestFault, match="no handle of a live texture"):
        module.fetch1[1, 64](handle, x, x, 64)
    other = archdef.Device(ALL[0])
    with pytest.raises(LaunchError, match="of another device"):
        module.fetch1[1, 64](other.texture(other.zeros(4)), x, x, 64)
    with pytest.raises(LaunchError, match="of its own device"):
        device.texture(other.zeros(4))
