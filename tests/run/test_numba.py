"""Numba CUDA functions compile without a GPU, run on an installed architecture, and give numpy's answer."""
import numpy as np
import pytest

pytest.importorskip("numba_cuda", reason="no numba-cuda: pip install archdef[numba]")
import numba_kernels as kernels

from archdef import Device, registry
from archdef.errors import CompileError, LaunchError, MissingFeature

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")
AXPY = "void(float32[::1], float32[::1], float32, int32)"


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def random():
    return np.random.default_rng(2009)


def device(*features):
    """Give a device of an installed architecture that has `features`."""
    for name in registry.names():
        if registry.get(name).isa.features >= set(features):
            return Device(name)
    pytest.skip(f"no installed architecture has {features}")


@pytest.mark.parametrize("name", registry.names())
def test_a_decorated_kernel_gives_numpys_answer_on_every_machine(name, random):
    machine = Device(name)
    x, y = random.random(1000, dtype="f4"), random.random(1000, dtype="f4")
    result = machine.to_device(y)
    module = machine.compile(kernels.axpy, signature=AXPY)
    run = module.axpy[4, 256](result, machine.to_device(x), 2.5, 1000)
    np.testing.assert_allclose(result.to_host(), 2.5 * x + y, rtol=1e-6)
    assert run.kernel == "axpy" and module.compiled.compiler.startswith("Numba CUDA")
    assert ("fma.rn" in module.compiled.ptx) == ("fp32_fma" in machine.architecture.isa.features)


def test_the_arguments_of_a_launch_can_stand_for_their_types(random):
    machine = device("fp64")
    x = random.random(64, dtype="f4")
    arguments = machine.zeros(64), machine.to_device(x), 2.5, 64
    machine.compile(kernels.axpy, signature=arguments).axpy[1, 64](*arguments)
    np.testing.assert_allclose(arguments[0].to_host(), 2.5 * x, rtol=1e-6)


def test_counters_belong_to_python_lines():
    machine = device()
    module = machine.compile(kernels.axpy, signature=AXPY)
    run = module.axpy[1, 32](machine.zeros(32), machine.zeros(32), 1.0, 32)
    costs = {line.text: line for line in run.lines}
    assert costs["y[i] = a * x[i] + y[i]"].file == "numba_kernels.py" and costs["y[i] = a * x[i] + y[i]"].warp_cycles > 0


def test_shared_memory_and_two_dimensional_arrays(random):
    machine = device()
    a, b = random.random((16, 24), dtype="f4"), random.random((24, 32), dtype="f4")
    c = machine.empty((16, 32))
    module = machine.compile(kernels.matmul, signature="void(float32[:,::1], float32[:,:], float32[:,::1])")
    run = module.matmul[(4, 2), (8, 8)](c, machine.to_device(a), machine.to_device(b))
    np.testing.assert_allclose(c.to_host(), a @ b, rtol=1e-5)
    assert run.shared_bytes == 2 * 4 * 8 * 8


def test_numpy_arrays_of_any_strides_are_copied_there_and_back(random):
    machine = device()
    a, b, c = np.asfortranarray(random.random((16, 24), dtype="f4")), random.random((24, 64), dtype="f4")[:, ::2], np.zeros((16, 32), "f4")
    machine.compile(kernels.matmul, signature=(c, a, b)).matmul[(4, 2), (8, 8)](c, a, b)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_device_functions_need_no_driver(random):
    machine = device("fp64")
    x = random.random(100)
    out = machine.empty(32, "f8")
    machine.compile(kernels.norm, signature="void(float64[:], float64[:])").norm[1, 32](out, machine.to_device(x))
    np.testing.assert_allclose(out.to_host(), np.linalg.norm(x))


def test_atomics_and_a_missing_feature(random):
    signature = "void(int32[:], int64[:])"
    machine = device("atomics_global")
    values = random.integers(0, 16, 500)
    bins = machine.zeros(16, "i4")
    machine.compile(kernels.histogram, signature=signature).histogram[4, 128](bins, machine.to_device(values))
    np.testing.assert_array_equal(bins.to_host(), np.bincount(values, minlength=16))
    without = [n for n in registry.names() if "atomics_global" not in registry.get(n).isa.features]
    if not without:
        pytest.skip("every installed architecture has atomics")
    poor = Device(without[0])
    with pytest.raises(MissingFeature, match=r"from numba_kernels\.py:\d+\) needs the feature atomics_global"):
        poor.compile(kernels.histogram, signature=signature).histogram[4, 128](poor.zeros(16, "i4"), poor.to_device(values))


def test_complex_numbers_tuples_and_booleans_are_expanded():
    machine = device()
    out = machine.zeros(3)
    module = machine.compile(kernels.scalars, signature="void(float32[:], complex64, UniTuple(int32, 2), boolean)")
    module.scalars[1, 1](out, 1.5 - 2.5j, (7, 4), True)
    assert out.to_host().tolist() == [1.5, -2.5, 3.0]


def test_a_second_compilation_comes_from_the_cache():
    machine = device()
    first = machine.compile(kernels.axpy, signature=AXPY).compiled
    again = machine.compile(kernels.axpy, signature=AXPY).compiled
    assert again.compiler.endswith(", cached") and again.ptx == first.ptx and again.interfaces.keys() == first.interfaces.keys()


def test_a_changed_global_is_compiled_anew(monkeypatch):
    machine = device()
    signature = "void(float32[:,:], float32[:,:], float32[:,:])"
    before = machine.compile(kernels.matmul, signature=signature).compiled
    monkeypatch.setattr(kernels, "TILE", 4)
    after = machine.compile(kernels.matmul, signature=signature).compiled
    assert not after.compiler.endswith("cached") and after.ptx != before.ptx


@pytest.mark.parametrize("name", [n for n in registry.names() if registry.get(n).warp.size == 32 and "fp64" in registry.get(n).isa.features])
def test_what_numba_makes_of_different_functions_differs(name):
    """numba's reductions are functions inside a function of the package, all of the same name and text."""
    import numba
    from numba.cuda.kernels.reduction import _gpu_reduce_factory

    machine = Device(name)
    numbers, found = machine.to_device(np.arange(1.0, 7)), machine.zeros(1, "f8")
    for operation, wanted in ((lambda a, b: a + b, 22), (lambda a, b: a * b, 720), (max, 6), (lambda a, b: a - b, -20)):
        reduce = _gpu_reduce_factory(operation if operation is not max else lambda a, b: max(a, b), numba.float64)
        module = machine.compile(reduce, signature=(numbers, found, 1.0, True))
        module[module.kernels[0]][1, 6](numbers, found, 1.0, True)
        assert found.to_host().tolist() == [wanted]


def test_a_compiler_error_has_file_and_line():
    line = kernels.untyped.__code__.co_firstlineno + 2
    with pytest.raises(CompileError, match=rf"^numba_kernels\.py:{line}: untyped does not compile \(Numba CUDA [^)]+\):\n"
                                           "(.|\n)*undefined_name"):
        device().compile(kernels.untyped, signature="void(float32[:])")


@pytest.mark.parametrize("options, message", [
    ({}, r"axpy needs its argument types: compile\(axpy, signature="),
    ({"signature": "void(float99)"}, "'void\\(float99\\)' is no Numba signature"),
    ({"signature": "void(float32[:])"}, r"axpy takes 4 arguments \(y, x, a, n\), the signature void\(float32\[:\]\) has 1"),
    ({"signature": AXPY, "target": "compute_10"}, "Numba CUDA does not compile for 'compute_10'; it knows compute_"),
    ({"signature": AXPY, "fastmat": True}, r"numba has no option 'fastmat' \(did you mean fastmath\?\)")])
def test_wrong_options_are_named(options, message):
    with pytest.raises(CompileError, match=message):
        device().compile(kernels.axpy, **options)


@pytest.mark.parametrize("arguments, message", [
    (lambda d: (d.zeros(4), d.zeros(4), 1.0), "axpy takes 4 arguments .*, got 3"),
    (lambda d: (d.zeros(4), d.zeros(4, "f8"), 1.0, 4), r"argument 2 of axpy .* takes a 1-dimensional array of float32"),
    (lambda d: (d.zeros(4), np.zeros(4), 1.0, 4), r"argument 2 of axpy .* takes a 1-dimensional array of float32 in C order, got float64\[4\] in C order"),
    (lambda d: (d.zeros(4), np.zeros(8, "f4")[::2], 1.0, 4), r"argument 2 of axpy .* in C order, got float32\[4\] of strides \(8,\)"),
    (lambda d: (d.zeros(4), 4, 1.0, 4), "argument 2 of axpy .* takes a device array, got int")])
def test_wrong_arguments_are_named(arguments, message):
    machine = device()
    kernel = machine.compile(kernels.axpy, signature=AXPY).axpy
    with pytest.raises(LaunchError, match=message):
        kernel[1, 4](*arguments(machine))


def test_constant_arrays_are_symbols_that_the_host_writes():
    from numba import cuda

    table = np.array([3, 1, 4, 1, 5], "f4")

    def take(out):
        held = cuda.const.array_like(table)
        out[cuda.threadIdx.x] = held[cuda.threadIdx.x]
    machine = device()
    module = machine.compile(take, signature="void(float32[::1])")
    name, = (n for n, symbol in module.symbols.items() if symbol.space == "const")
    module.symbols[name].copy_from_host(table[::-1].copy())
    out = machine.zeros(5)
    module.take[1, 5](out)
    assert out.to_host().tolist() == [5, 1, 4, 1, 3]
