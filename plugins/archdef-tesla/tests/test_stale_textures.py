"""Textures of the G80 and the GT200 are not coherent with a launch's own stores: who relies on it is told, with file and line."""
import numpy as np
import pytest
from archdef_tesla import G80, GT200

import archdef
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
BOTH = pytest.mark.parametrize("arch", [G80, GT200], ids=lambda a: a.name)
SOURCE = """texture<int, 1> field;

// Adds to each element its left neighbour, `sweeps` times in one launch: from the second sweep on, of what the launch itself has stored.
extern "C" __global__ void sweep(int *to, int n, int sweeps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < sweeps; s++) {
        int sum = tex1Dfetch(field, i) + (i > 0 ? tex1Dfetch(field, i - 1) : 0);
        __syncthreads();
        if (i < n)
            to[i] = sum;
        __syncthreads();
    }
}

extern "C" __global__ void by_object(cudaTextureObject_t from, int *to)
{
    int i = threadIdx.x;
    to[i] = i;
    to[i] = tex1Dfetch<int>(from, i);
}
"""
FETCH = next(number for number, line in enumerate(SOURCE.splitlines(), 1) if "sum = tex1Dfetch" in line)
N = 64


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sweeps.cu"
    path.write_text(SOURCE)
    return path


def swept(arch, file, sweeps, apart=False):
    """Launch on memory that the texture is bound to, or on an array of its own."""
    device = archdef.Device(arch)
    module, field, to = device.compile(str(file)), device.to_device(np.ones(N, "i4")), device.zeros(N, "i4")
    module.textures["field"] = device.texture(field, layout="linear")
    return module.sweep[1, N](to if apart else field, N, sweeps)


@BOTH
def test_a_kernel_that_fetches_what_it_has_stored_is_warned_of_with_file_and_line(arch, file):
    run = swept(arch, file, sweeps=2)
    assert run.counters.texture_hazards == 2 * N - 1
    (warning,) = run.warnings
    assert f"{file.name}:{FETCH}" in warning and "not coherent" in warning and "write in one launch, read in the next" in warning
    assert f"warning: {2 * N - 1} reads through a texture" in str(run)


@BOTH
@pytest.mark.parametrize("sweeps, apart", [(1, False), (2, True)])
def test_one_that_stores_after_its_fetches_or_elsewhere_is_not(arch, file, sweeps, apart):
    run = swept(arch, file, sweeps, apart)
    assert run.counters.texture_hazards == 0 and run.warnings == ()


@BOTH
def test_what_an_earlier_launch_has_stored_is_no_hazard(arch, file):
    device = archdef.Device(arch)
    module, field = device.compile(str(file)), device.to_device(np.ones(N, "i4"))
    module.textures["field"] = device.texture(field, layout="linear")
    assert [module.sweep[1, N](field, N, 1).counters.texture_hazards for _ in range(2)] == [0, 0]
    assert (field.to_host()[2:] == 4).all()


@BOTH
def test_texture_objects_are_warned_of_too(arch, file):
    device = archdef.Device(arch)
    field = device.zeros(N, "i4")
    run = device.compile(str(file)).by_object[1, N](device.texture(field, layout="linear"), field)
    assert run.counters.texture_hazards == N and f"{file.name}:{FETCH + 12}" in run.warnings[0]
