"""Do programs in Python find simulated devices where they look for the driver, without knowing of archdef?"""
import sys

import pytest
from guest_kernels import KERNELS
from test_foreign_programs import run

from archdef import registry
from archdef.exec.server import NotHere, stand_in

MACHINES = [name for name in ("gf100", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
BY_CTYPES = f"""
import ctypes
import numpy as np
cuda = ctypes.CDLL("libcuda.so.1")
def check(status):
    assert status == 0, status
context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuModuleLoadData(ctypes.byref(module), {KERNELS!r}.encode()))
check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"vector_add"))
a = np.arange(1000, dtype="f4")
there = [ctypes.c_uint64() for _ in range(3)]
for place in there:
    check(cuda.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(a.nbytes)))
for place in there[1:]:
    check(cuda.cuMemcpyHtoD_v2(place, a.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(a.nbytes)))
given = [*there, ctypes.c_int(a.size)]
places = (ctypes.c_void_p * 4)(*map(ctypes.addressof, given))
check(cuda.cuLaunchKernel(kernel, 4, 1, 1, 256, 1, 1, 0, None, places, None))
back = np.empty_like(a)
check(cuda.cuMemcpyDtoH_v2(back.ctypes.data_as(ctypes.c_void_p), there[0], ctypes.c_size_t(a.nbytes)))
assert (back == 2 * a).all()
print("PASSED")
"""
BY_NUMBA = """
import sys
sys.path = [each for each in sys.path if each]
import numpy as np
from numba import cuda, float32

@cuda.jit
def reduce(values, sums):
    part = cuda.shared.array(128, float32)
    i = cuda.threadIdx.x
    part[i] = values[cuda.grid(1)]
    cuda.syncthreads()
    step = 64
    while step:
        if i < step:
            part[i] += part[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        cuda.atomic.add(sums, 0, part[0])

values = np.arange(512, dtype=np.float32)
sums = cuda.to_device(np.zeros(1, np.float32))
stream = cuda.stream()
reduce[4, 128, stream](cuda.to_device(values, stream), sums)
stream.synchronize()
assert sums.copy_to_host()[0] == values.sum()
print("PASSED")
"""


@pytest.fixture
def script(tmp_path):
    """What writes a program in Python and gives the command that runs it, with the modules that this process has."""
    try:
        stand_in()
    except NotHere as reason:
        pytest.skip(str(reason))

    def written(text):
        (tmp_path / "program.py").write_text(text)
        return [sys.executable, str(tmp_path / "program.py")]
    return written


@pytest.mark.parametrize("machine", MACHINES)
def test_a_program_that_loads_the_driver_by_its_name_runs(script, machine, tmp_path):
    found, printed = run(script(BY_CTYPES), machine, tmp_path)
    assert printed == "PASSED\n" and found.good and [each.kernel for each in found.kernels] == ["vector_add"]


def test_numba_runs_unchanged(script, tmp_path):
    pytest.importorskip("numba")
    from numba.cuda.cudadrv import nvvm
    if not nvvm.is_available():
        pytest.skip("Numba finds no libnvvm")
    targets = {f"{major}.{minor}" for major, minor in nvvm.get_supported_ccs()}
    fitting = [name for name in MACHINES if registry.described(name).compute_capability in targets]
    if not fitting:
        pytest.skip("Numba's libnvvm compiles for none of the machines")
    found, printed = run(script(BY_NUMBA), fitting[-1], tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {} and found.launches == 1
