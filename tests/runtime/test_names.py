"""The two vocabularies say the same, and everything that users of the runtimes look for is there."""
import inspect

import pytest

from archdef.errors import RuntimeApiError
from archdef.runtime import cuda, maca
from archdef.runtime.maca_names import ATTRIBUTES, ERRORS, OTHERS
from archdef.runtime.names import CALLS, CONSTANTS, DRIVER
from archdef.runtime.status import STATUS

WANTED = """GetDeviceProperties OccupancyMaxActiveBlocksPerMultiprocessor OccupancyMaxPotentialBlockSize
    OccupancyMaxPotentialBlockSizeVariableSMem LaunchKernel LaunchCooperativeKernel LaunchCooperativeKernelMultiDevice
    DeviceGetAttribute SetDevice GetDevice GetDeviceCount StreamCreate StreamCreateWithFlags StreamDestroy StreamSynchronize
    StreamQuery StreamWaitEvent EventCreate EventCreateWithFlags EventDestroy EventRecord EventSynchronize EventQuery
    EventElapsedTime DeviceSynchronize DeviceReset Malloc Free Memcpy MemcpyAsync Memset MemsetAsync MallocHost FreeHost
    MemGetInfo DeviceCanAccessPeer DeviceEnablePeerAccess DeviceDisablePeerAccess MemcpyPeer MemcpyPeerAsync LaunchHostFunc
    MemcpyToSymbol MemcpyToSymbolAsync MemcpyFromSymbol MemcpyFromSymbolAsync GetSymbolAddress GetSymbolSize
    GetLastError PeekAtLastError GetErrorName GetErrorString""".split()


@pytest.mark.parametrize("name", WANTED)
def test_every_call_is_there_in_both_vocabularies(name):
    assert callable(getattr(cuda, "cuda" + name)) and callable(getattr(maca, "mc" + name))


def test_the_vocabularies_have_the_same_names_but_for_the_prefix():
    def bare(module, prefix, driver):
        return {name.removeprefix(driver) if name.removeprefix(driver) in DRIVER else name.removeprefix(prefix) for name in module.__all__}
    ours, theirs = bare(maca, "mc", "mc"), bare(cuda, "cuda", "cu")
    assert theirs - ours == {f"Error{name}" for name in ERRORS if f"Error{name}" in theirs}
    assert ours - theirs == {f"Error{ERRORS[name.removeprefix('Error')]}" for name in theirs - ours} | {
        f"DeviceAttribute{name}" for name, other in ATTRIBUTES.items() if f"DevAttr{other}" in theirs} | {
        name.removeprefix("mc") for name in OTHERS if name.startswith("mcMallocHost")}


@pytest.mark.parametrize("name", DRIVER)
def test_calls_of_the_driver_have_its_prefix(name):
    assert inspect.getdoc(getattr(cuda, "cu" + name)) and inspect.getdoc(getattr(maca, "mc" + name))


@pytest.mark.parametrize("name", CALLS)
def test_every_call_says_what_it_does(name):
    assert inspect.getdoc(getattr(cuda, "cuda" + name))


def test_constants_and_errors_are_numbers_under_the_users_names():
    assert cuda.cudaMemcpyHostToDevice == maca.mcMemcpyHostToDevice == CONSTANTS["MemcpyHostToDevice"] == 1
    assert cuda.cudaErrorInvalidValue == maca.mcErrorInvalidValue == 1
    assert cuda.cudaSuccess == 0 and "cudaErrorSuccess" not in cuda.__all__
    assert len({number for number, _ in STATUS.values()}) == len(STATUS)


@pytest.mark.parametrize("module, prefix", [(cuda, "cuda"), (maca, "mc")])
def test_errors_carry_the_vocabularys_own_name(module, prefix):
    module.use("k40")
    with pytest.raises(RuntimeApiError) as caught:
        getattr(module, prefix + "SetDevice")(7)
    assert (caught.value.name, caught.value.number) == (prefix + "ErrorInvalidDevice", 101)
    assert isinstance(caught.value, RuntimeError) and caught.value.__cause__ is not None
    assert getattr(module, prefix + "PeekAtLastError")() == prefix + "ErrorInvalidDevice"
    assert getattr(module, prefix + "GetLastError")() == prefix + "ErrorInvalidDevice"
    assert getattr(module, prefix + "GetLastError")() == prefix + "Success"
    assert getattr(module, prefix + "GetErrorName")(101) == prefix + "ErrorInvalidDevice"
    assert getattr(module, prefix + "GetErrorString")(101) == "invalid device ordinal"


def test_the_two_runtimes_have_devices_of_their_own():
    cuda.use("k40", "v100")
    maca.use("c500")
    assert cuda.cudaGetDeviceCount() == 2 and maca.mcGetDeviceCount() == 1


def test_devices_come_from_the_environment_if_nobody_names_them(monkeypatch):
    monkeypatch.setenv("ARCHDEF_DEVICES", "p2000, k40")
    cuda.use()
    assert [cuda.cudaGetDeviceProperties(n).multiProcessorCount for n in range(cuda.cudaGetDeviceCount())] == [8, 15]


def test_without_a_name_and_with_several_installed_the_error_says_what_to_do(monkeypatch):
    monkeypatch.delenv("ARCHDEF_DEVICES", raising=False)
    cuda.use()
    with pytest.raises(RuntimeApiError, match=r'cudaErrorNoDevice \(100\).*use\(.*installed: .*k40'):
        cuda.cudaGetDeviceCount()


def test_an_unknown_name_is_an_error_with_the_nearest():
    with pytest.raises(RuntimeApiError, match="k40"):
        cuda.use("k41")


def test_each_thread_has_its_own_current_device():
    from threading import Thread

    cuda.use("k40", "v100")
    cuda.cudaSetDevice(1)
    seen = []
    thread = Thread(target=lambda: seen.append(cuda.cudaGetDevice()))
    thread.start()
    thread.join()
    assert seen == [0] and cuda.cudaGetDevice() == 1
