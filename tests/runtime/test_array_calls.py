"""Rows, boxes, arrays, textures and surfaces through the runtime API: what is copied where, what kernels read, and every refusal by its name."""
import numpy as np
import pytest
from expectations import refused

import archdef
from archdef import registry
from archdef.errors import RuntimeApiError
from archdef.frontends import nvrtc
from archdef.host import Host
from archdef.runtime import cuda, maca

MACHINE = next((name for name in ("v100", "k40") if name in registry.names()), None)
pytestmark = pytest.mark.skipif(MACHINE is None, reason="needs the plugins of this repository")
VOCABULARIES = [(module, prefix, name) for module, prefix, name in ((cuda, "cuda", "gt200"), (cuda, "cuda", "v100"), (maca, "mc", "c500"))
                if name in registry.names()]
SOURCE = r"""
#define K extern "C" __global__ void
K fetch(cudaTextureObject_t t, float *o)  { int x = threadIdx.x, y = threadIdx.y; o[y * blockDim.x + x] = tex2D<float>(t, x + 0.5f, y + 0.5f); }
K layer(cudaTextureObject_t t, float *o, int n) { int x = threadIdx.x, y = threadIdx.y; o[y * blockDim.x + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, n); }
K face(cudaTextureObject_t t, float *o, float x, float y, float z) { *o = texCubemap<float>(t, x, y, z); }
K texel(cudaTextureObject_t t, uchar4 *o) { o[threadIdx.x] = tex1Dfetch<uchar4>(t, threadIdx.x); }
K store(cudaSurfaceObject_t s, float v)   { surf2Dwrite(v, s, threadIdx.x * 4, threadIdx.y); }
"""
needs_nvrtc = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
RNG = np.random.default_rng(1)


@pytest.fixture
def device():
    found, = cuda.use(archdef.Device(MACHINE, host=Host()))
    yield found
    cuda.use()


def floats():
    return cuda.cudaCreateChannelDesc(32, 0, 0, 0, cuda.cudaChannelFormatKindFloat)


def filled(data, flags=0):
    """An array of two or three dimensions with what a numpy array holds."""
    depth, height, width = (0,) * (3 - data.ndim) + data.shape
    array = cuda.cudaMalloc3DArray(floats(), cuda.cudaExtent(width, height, depth), flags)
    cuda.cudaMemcpy3D(cuda.cudaMemcpy3DParms(srcPtr=cuda.cudaPitchedPtr(data, 4 * width, width, height), dstArray=array,
                                             extent=cuda.cudaExtent(width, height, max(1, depth)), kind=cuda.cudaMemcpyHostToDevice))
    return array


def texture_of(array, **how):
    how = {"addressMode": (cuda.cudaAddressModeClamp,) * 3} | how
    return cuda.cudaCreateTextureObject(cuda.cudaResourceDesc(resType=cuda.cudaResourceTypeArray, array=array), cuda.cudaTextureDesc(**how))


# ------------------------------------------------------------------------------------------------------------ rows and boxes
@pytest.mark.parametrize("module, prefix, name", VOCABULARIES)
def test_rows_go_in_and_out_in_either_vocabulary(module, prefix, name):
    def call(what, *arguments):
        return getattr(module, prefix + what)(*arguments)
    device, = module.use(name)
    data, back = RNG.integers(0, 256, (7, 30), "u1"), np.full((7, 40), 9, "u1")
    pointer, pitch = call("MallocPitch", 20, 7)
    assert pitch >= 20 and pointer.left == 7 * pitch
    call("Memcpy2D", pointer, pitch, data, 30, 20, 7)
    call("Memset2D", pointer + 2 * pitch + 3, pitch, 0x1FF, 5, 2)
    stream = call("StreamCreate")
    call("StreamSynchronize")
    call("Memcpy2DAsync", back, 40, pointer, pitch, 20, 7, getattr(module, prefix + "MemcpyDeviceToHost"), stream)
    call("StreamSynchronize", stream)
    expected = np.full((7, 40), 9, "u1")
    expected[:, :20] = data[:, :20]
    expected[2:4, 3:8] = 255
    assert (back == expected).all()
    other = call("Malloc", 200)
    call("Memcpy2D", other, 25, pointer, pitch, 20, 7)
    call("Memcpy2D", back, 40, other, 25, 20, 7)
    assert (back == expected).all()
    assert device.host.timeline().to_dict()
    module.use()


def test_boxes_go_in_and_out(device):
    data, back = RNG.integers(0, 256, (3, 4, 10), "u1"), np.zeros((3, 4, 10), "u1")
    there = cuda.cudaMalloc3D(cuda.cudaExtent(10, 4, 3))
    whole = cuda.cudaExtent(10, 4, 3)
    cuda.cudaMemcpy3D(cuda.cudaMemcpy3DParms(srcPtr=cuda.cudaPitchedPtr(data, 10, 10, 4), dstPtr=there, extent=whole, kind=1))
    cuda.cudaMemset3D(there, 7, cuda.cudaExtent(2, 1, 3))
    cuda.cudaMemcpy3DAsync(cuda.cudaMemcpy3DParms(
        srcPtr=there, srcPos=cuda.cudaPos(1, 0, 1), dstPtr=cuda.cudaPitchedPtr(back, 10, 10, 4), dstPos=cuda.cudaPos(z=1), extent=cuda.cudaExtent(8, 3, 2)))
    cuda.cudaDeviceSynchronize()
    changed, expected = data.copy(), np.zeros_like(back)
    changed[:, 0, :2] = 7
    expected[1:, :3, :8] = changed[1:, :3, 1:9]
    assert (back == expected).all()


def test_a_copy_of_rows_is_one_operation_of_their_bytes(device):
    pointer, pitch = cuda.cudaMallocPitch(1000, 64)
    host = cuda.cudaMallocHost(64 * 2000)
    cuda.cudaMemcpy2DAsync(pointer, pitch, host, 2000, 1000, 64)
    cuda.cudaDeviceSynchronize()
    (copy,) = [span for span in device.host.timeline().spans if span.kind == "copy"]
    assert copy.nbytes == 64000


@pytest.mark.parametrize("direct", [True, False])
def test_boxes_go_from_device_to_device(direct):
    cuda.use("v100", "v100") if "v100" in registry.names() else pytest.skip("no v100")
    data, back = RNG.integers(0, 256, (3, 500, 4000), "u1"), np.zeros((3, 500, 4000), "u1")     # more than goes by way of the host at a time
    extent = cuda.cudaExtent(4000, 500, 3)
    if direct:
        cuda.cudaDeviceEnablePeerAccess(1)
    here = cuda.cudaMalloc3D(extent)
    cuda.cudaSetDevice(1)
    there = cuda.cudaMalloc3D(extent)
    cuda.cudaMemcpy3D(cuda.cudaMemcpy3DParms(srcPtr=cuda.cudaPitchedPtr(data, 4000, 4000, 500), dstPtr=there, extent=extent))
    cuda.cudaMemcpy3DPeer(cuda.cudaMemcpy3DPeerParms(srcPtr=there, srcDevice=1, dstPtr=here, dstDevice=0, extent=extent))
    cuda.cudaMemcpy3D(cuda.cudaMemcpy3DParms(srcPtr=here, dstPtr=cuda.cudaPitchedPtr(back, 4000, 4000, 500), extent=extent))
    assert (back == data).all()
    with refused("cudaErrorInvalidValue"):
        cuda.cudaMemcpy3DPeer(cuda.cudaMemcpy3DPeerParms(srcPtr=there, srcDevice=0, dstPtr=here, dstDevice=0, extent=extent))
    cuda.use()


@pytest.mark.parametrize("name, call", [
    ("InvalidPitchValue", lambda p, h: cuda.cudaMemcpy2D(p, 16, h, 8, 10, 4)),
    ("InvalidPitchValue", lambda p, h: cuda.cudaMemset2D(p, 8, 0, 10, 4)),
    ("InvalidValue", lambda p, h: cuda.cudaMemcpy2D(p, 16, h, 16, 16, 5)),
    ("InvalidValue", lambda p, h: cuda.cudaMemcpy2D(p + 8, 16, h, 16, 16, 4)),
    ("InvalidValue", lambda p, h: cuda.cudaMemcpy2D(p, -16, h, 16, 16, 2)),
    ("InvalidValue", lambda p, h: cuda.cudaMemset2D(p, 1 << 61, 0, 8, 2)),
    ("InvalidMemcpyDirection", lambda p, h: cuda.cudaMemcpy2D(p, 16, h, 16, 16, 4, cuda.cudaMemcpyDeviceToHost)),
    ("InvalidValue", lambda p, h: cuda.cudaMemcpy2D(h[::2], 16, p, 16, 8, 4)),
    ("MemoryAllocation", lambda p, h: cuda.cudaMallocPitch(1 << 40, 1 << 20)),
    ("InvalidValue", lambda p, h: cuda.cudaMemcpy3D(cuda.cudaMemcpy3DParms(srcPtr=cuda.cudaPitchedPtr(h, 8, 8, 8), extent=cuda.cudaExtent(8, 8, 1)))),
    ("InvalidValue", lambda p, h: cuda.cudaMemcpy3D(cuda.cudaMemcpy3DParms(
        srcPtr=cuda.cudaPitchedPtr(h, 8, 8, 8), srcPos=cuda.cudaPos(z=1), dstPtr=cuda.cudaPitchedPtr(p, 8, 8, 8), extent=cuda.cudaExtent(8, 8, 1))))])
def test_rows_that_cannot_be_are_refused(device, name, call):
    pointer, host = cuda.cudaMalloc(64), np.zeros(64, "u1")
    with refused("cudaError" + name):
        call(pointer, host)


# -------------------------------------------------------------------------------------------------------------------- arrays
def test_arrays_say_what_they_are_and_take_and_give_bytes(device):
    data, back = RNG.random((4, 6), "f4"), np.zeros((4, 6), "f4")
    array, other = cuda.cudaMallocArray(floats(), 6, 4), cuda.cudaMallocArray(floats(), 6, 4, cuda.cudaArraySurfaceLoadStore)
    assert cuda.cudaArrayGetInfo(other) == (floats(), cuda.cudaExtent(6, 4, 0), 2) and cuda.cudaGetChannelDesc(array) == floats()
    cuda.cudaMemcpy2DToArray(array, 0, 0, data, 24, 24, 4)
    cuda.cudaMemcpy2DArrayToArray(other, 8, 1, array, 4, 0, 12, 2)
    cuda.cudaMemcpy2DFromArray(back, 24, other, 0, 0, 24, 4)
    expected = np.zeros_like(data)
    expected[1:3, 2:5] = data[:2, 1:4]
    assert (back == expected).all()
    cuda.cudaMemcpyToArray(array, 20, 1, data, 8)
    cuda.cudaMemcpyArrayToArray(other, 0, 0, array, 20, 1, 8)
    cuda.cudaMemcpyFromArray(back, other, 0, 0, 8)
    assert (back[0, :2] == data[0, :2]).all()
    cuda.cudaFreeArray(array)
    for call in (lambda: cuda.cudaFreeArray(array), lambda: cuda.cudaMemcpyToArray(array, 0, 0, data, 8), lambda: cuda.cudaGetChannelDesc(array)):
        with pytest.raises(RuntimeApiError):
            call()


@pytest.mark.parametrize("name, call", [
    ("InvalidChannelDescriptor", lambda a: cuda.cudaMallocArray(cuda.cudaCreateChannelDesc(8, 8, 8, 0, 1), 4)),
    ("InvalidChannelDescriptor", lambda a: cuda.cudaMallocArray(cuda.cudaCreateChannelDesc(8, 0, 0, 0, 2), 4)),
    ("InvalidValue", lambda a: cuda.cudaMallocArray(floats(), 0)),
    ("InvalidValue", lambda a: cuda.cudaMalloc3DArray(floats(), cuda.cudaExtent(4, 0, 4))),
    ("InvalidValue", lambda a: cuda.cudaMalloc3DArray(floats(), cuda.cudaExtent(4, 4, 5), cuda.cudaArrayCubemap)),
    ("InvalidValue", lambda a: cuda.cudaMalloc3DArray(floats(), cuda.cudaExtent(4, 4, 0), cuda.cudaArrayLayered)),
    ("NotSupported", lambda a: cuda.cudaMallocArray(floats(), 4, 4, 0x40)),
    ("InvalidValue", lambda a: cuda.cudaMallocMipmappedArray(floats(), cuda.cudaExtent(0, 4, 0), 3)),
    ("InvalidValue", lambda a: cuda.cudaGetMipmappedArrayLevel(cuda.cudaMallocMipmappedArray(floats(), cuda.cudaExtent(4, 4, 0), 2), 2)),
    ("InvalidResourceHandle", lambda a: cuda.cudaGetMipmappedArrayLevel(a, 0)),
    ("InvalidResourceHandle", lambda a: cuda.cudaFreeMipmappedArray(a)),
    ("MemoryAllocation", lambda a: cuda.cudaMallocArray(floats(), 1 << 30, 1 << 30)),
    ("InvalidValue", lambda a: cuda.cudaMemcpy2DToArray(a, 4, 0, np.zeros(64, "u1"), 16, 16, 4)),
    ("InvalidValue", lambda a: cuda.cudaMemcpy2DToArray(a, 0, 1, np.zeros(64, "u1"), 16, 16, 4)),
    ("InvalidValue", lambda a: cuda.cudaMemcpy2DToArray(a, 2, 0, np.zeros(64, "u1"), 8, 8, 1)),
    ("InvalidValue", lambda a: cuda.cudaMemcpyToArray(a, 0, 0, np.zeros(80, "u1"), 65)),
    ("InvalidResourceHandle", lambda a: cuda.cudaMemcpyToArray(cuda.cudaMalloc(64), 0, 0, np.zeros(64, "u1"), 64))])
def test_arrays_that_cannot_be_are_refused(device, name, call):
    with refused("cudaError" + name):
        call(cuda.cudaMallocArray(floats(), 4, 4))


def test_a_reset_frees_arrays_and_destroys_textures(device):
    before, _ = cuda.cudaMemGetInfo()
    array = cuda.cudaMallocArray(floats(), 512, 512)
    texture = texture_of(array)
    assert cuda.cudaMemGetInfo()[0] < before
    cuda.cudaDeviceReset()
    assert cuda.cudaMemGetInfo()[0] == before
    with refused("cudaErrorInvalidValue"):
        cuda.cudaDestroyTextureObject(texture)


# ------------------------------------------------------------------------------------------------------- textures and surfaces
@needs_nvrtc
def test_textures_of_arrays_of_rows_and_of_linear_memory(device):
    data, out = RNG.random((5, 8), "f4"), np.zeros((5, 8), "f4")
    module, there = device.compile(SOURCE), cuda.cudaMalloc(160)
    pointer, pitch = cuda.cudaMallocPitch(32, 5)
    cuda.cudaMemcpy2D(pointer, pitch, data, 32, 32, 5)
    rows = cuda.cudaResourceDesc(resType=cuda.cudaResourceTypePitch2D, devPtr=pointer, desc=floats(), width=8, height=5, pitchInBytes=pitch)
    for texture in (texture_of(filled(data)), cuda.cudaCreateTextureObject(rows, cuda.cudaTextureDesc())):
        cuda.cudaMemset(there, 0)
        cuda.cudaLaunchKernel(module.fetch, 1, (8, 5), (texture, there))
        cuda.cudaDestroyTextureObject(texture)                      # the launch has it still
        cuda.cudaMemcpy(out, there)
        assert (out == data).all()
        with refused("cudaErrorInvalidValue"):
            cuda.cudaDestroyTextureObject(texture)
    bytes4, texels = cuda.cudaCreateChannelDesc(8, 8, 8, 8, 1), np.arange(128, dtype="u1")
    cuda.cudaMemcpy(pointer, texels)
    linear = cuda.cudaResourceDesc(resType=cuda.cudaResourceTypeLinear, devPtr=pointer, desc=bytes4, sizeInBytes=128)
    texture = cuda.cudaCreateTextureObject(linear, cuda.cudaTextureDesc())
    assert cuda.cudaGetTextureObjectResourceDesc(texture) == linear and cuda.cudaGetTextureObjectTextureDesc(texture) == cuda.cudaTextureDesc()
    cuda.cudaLaunchKernel(module.texel, 1, 32, (texture, there))
    cuda.cudaMemcpy(out.view("u1").reshape(-1)[:128], there, 128)
    assert (out.view("u1").reshape(-1)[:128] == texels).all()
    cuda.cudaFree(pointer)
    with refused("cudaErrorInvalidValue"):
        cuda.cudaLaunchKernel(module.texel, 1, 32, (texture, there))


@needs_nvrtc
def test_a_linear_texture_may_be_larger_than_its_allocation_of_which_no_more_is_read(device):
    """As an H200 has it, which accepts such textures: tests/data/h200/statuses_of_calls.txt."""
    texels, out = np.arange(128, dtype="u1"), np.zeros(160, "u1")
    module, pointer, there = device.compile(SOURCE), cuda.cudaMalloc(128), cuda.cudaMalloc(160)
    cuda.cudaMalloc(4096)       # what lies behind it must not be seen
    cuda.cudaMemcpy(pointer, texels)
    linear = cuda.cudaResourceDesc(resType=cuda.cudaResourceTypeLinear, devPtr=pointer, desc=cuda.cudaCreateChannelDesc(8, 8, 8, 8, 1), sizeInBytes=1 << 20)
    texture = cuda.cudaCreateTextureObject(linear, cuda.cudaTextureDesc())
    cuda.cudaLaunchKernel(module.texel, 1, 32, (texture, there))
    cuda.cudaMemcpy(out, there, 160)
    assert (out[:128] == texels).all()
    with refused("cudaErrorIllegalAddress"):
        cuda.cudaLaunchKernel(module.texel, 1, 33, (texture, there))
        cuda.cudaDeviceSynchronize()


@needs_nvrtc
def test_layers_faces_and_filters(device):
    data, out = RNG.random((3, 4, 4), "f4"), np.zeros((4, 4), "f4")
    module, there = device.compile(SOURCE), cuda.cudaMalloc(64)
    layers = texture_of(filled(data, cuda.cudaArrayLayered))
    for number in range(3):
        cuda.cudaLaunchKernel(module.layer, 1, (4, 4), (layers, there, number))
        cuda.cudaMemcpy(out, there)
        assert (out == data[number]).all()
    faces = np.repeat(np.arange(6, dtype="f4"), 16).reshape(6, 4, 4)
    cube = texture_of(filled(faces, cuda.cudaArrayCubemap), normalizedCoords=1)
    for number, direction in enumerate([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]):
        cuda.cudaLaunchKernel(module.face, 1, 1, (cube, there, *map(float, direction)))
        cuda.cudaMemcpy(out[0, :1], there, 4)
        assert out[0, 0] == number
    smooth = texture_of(filled(np.array([[0, 1], [0, 1]], "f4")), filterMode=cuda.cudaFilterModeLinear, normalizedCoords=1)
    cuda.cudaLaunchKernel(module.fetch, 1, 1, (smooth, there))
    cuda.cudaMemcpy(out[0, :1], there, 4)
    assert out[0, 0] == 0.5


@needs_nvrtc
def test_surfaces(device):
    array, back = filled(np.zeros((3, 4), "f4"), cuda.cudaArraySurfaceLoadStore), np.zeros((3, 4), "f4")
    resource = cuda.cudaResourceDesc(resType=cuda.cudaResourceTypeArray, array=array)
    surface = cuda.cudaCreateSurfaceObject(resource)
    assert cuda.cudaGetSurfaceObjectResourceDesc(surface) == resource
    cuda.cudaLaunchKernel(device.compile(SOURCE).store, 1, (4, 3), (surface, 2.5))
    cuda.cudaDestroySurfaceObject(surface)
    cuda.cudaMemcpy2DFromArray(back, 16, array, 0, 0, 16, 3)
    assert (back == 2.5).all()
    for call in (lambda: cuda.cudaDestroySurfaceObject(surface), lambda: cuda.cudaCreateSurfaceObject(cuda.cudaResourceDesc(resType=0, array=filled(back))),
                 lambda: cuda.cudaDestroyTextureObject(cuda.cudaCreateSurfaceObject(resource))):
        with refused("cudaErrorInvalidValue"):
            call()


@pytest.mark.parametrize("name, resource, how", [
    ("InvalidResourceHandle", dict(resType=0), {}), ("InvalidResourceHandle", dict(resType=1), {}), ("InvalidValue", dict(resType=7), {}),
    ("InvalidDevicePointer", dict(resType=2, desc=True, sizeInBytes=16), {}), ("InvalidValue", dict(resType=2, devPtr=True, desc=True), {}),
    ("InvalidValue", dict(resType=2, devPtr=True, desc=True, sizeInBytes=1 << 40), {}),
    ("InvalidPitchValue", dict(resType=3, devPtr=True, desc=True, width=16, height=2, pitchInBytes=32), {}),
    ("InvalidPitchValue", dict(resType=3, devPtr=True, desc=True, width=2, height=2, pitchInBytes=40), {}),
    ("InvalidValue", dict(resType=0, array=True), dict(filterMode=2)), ("InvalidValue", dict(resType=0, array=True), dict(addressMode=(0, 0))),
    ("NotSupported", dict(resType=0, array=True), dict(addressMode=(3, 3, 3), borderColor=(1.0, 0, 0, 0))),
    ("NotSupported", dict(resType=0, array=True), dict(sRGB=1)), ("NotSupported", dict(resType=0, array=True), dict(maxAnisotropy=4)),
    ("InvalidValue", dict(resType=0, array=True), dict(readMode=1))])
def test_textures_that_cannot_be_are_refused(device, name, resource, how):
    given = {"array": cuda.cudaMallocArray(floats(), 4, 4), "devPtr": cuda.cudaMalloc(4096), "desc": floats()}
    resource = {field: given[field] if value is True else value for field, value in resource.items()}
    with refused("cudaError" + name):
        cuda.cudaCreateTextureObject(cuda.cudaResourceDesc(**resource), cuda.cudaTextureDesc(**how))


@pytest.mark.skipif("c500" not in registry.names(), reason="needs the plugins of this repository")
def test_a_machine_without_textures_has_arrays_and_says_so_of_textures():
    maca.use("c500")
    array = maca.mcMallocArray(maca.mcCreateChannelDesc(32, 0, 0, 0, 2), 4, 4)
    with refused("mcErrorNotSupported"):
        maca.mcCreateTextureObject(maca.mcResourceDesc(resType=0, array=array), maca.mcTextureDesc())
    maca.use()


@pytest.mark.parametrize("extent, flags, sizes", [
    ((8, 2, 0), 0, [(8, 2, 0), (4, 1, 0), (2, 1, 0), (1, 1, 0)]), ((5, 3, 4), 0, [(5, 3, 4), (2, 1, 2), (1, 1, 1)]),
    ((4, 4, 9), 1, [(4, 4, 9), (2, 2, 9), (1, 1, 9)]), ((2, 2, 6), 4, [(2, 2, 6), (1, 1, 6)]), ((3, 0, 0), 0, [(3, 0, 0), (1, 0, 0)])])
def test_each_level_of_a_mipmapped_array_is_half_as_large_and_layers_are_not_halved(device, extent, flags, sizes):
    free = cuda.cudaMemGetInfo()[0]
    array = cuda.cudaMallocMipmappedArray(floats(), cuda.cudaExtent(*extent), 99, flags)
    levels = [cuda.cudaArrayGetInfo(each)[1] for each in array.levels]
    assert [(each.width, each.height, each.depth) for each in levels] == sizes
    assert len(cuda.cudaMallocMipmappedArray(floats(), cuda.cudaExtent(*extent), 1, flags).levels) == 1
    cuda.cudaFreeMipmappedArray(array)
    cuda.cudaDeviceReset()
    assert cuda.cudaMemGetInfo()[0] == free
