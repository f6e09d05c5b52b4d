"""Arrays of other libraries: what a device array shows of itself, and what launches take besides device arrays."""
import gc

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import CaptureError, DeviceMemoryError, GuestFault, LaunchError
from archdef.run import dlpack

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")
PTX = """
.version 1.4
.target sm_10
.entry _Z3addPKfPfi(.param .u64 x, .param .u64 y, .param .s32 n) {
.reg .u32 %r<8>; .reg .u64 %rd<8>; .reg .f32 %f<4>; .reg .pred %p<2>; .reg .u16 %h<2>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.s32 %r1, [n];
cvt.u32.u16 %r2, %tid.x; setp.ge.s32 %p1, %r2, %r1; @%p1 bra DONE;
mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd5], %f3;
DONE: exit; }
"""
"""``void add(const float *x, float *y, int n)``: y[i] += x[i], by one block."""


class OnlyDLPack:
    """An array that shows itself by DLPack alone, as of a version."""

    def __init__(self, array, versioned):
        self.array, self.versioned = array, versioned

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        if options and not self.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**options)


class OnlyInterface:
    """An array that shows itself by ``__array_interface__`` alone."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


class OnDevice:
    """What says that it lies in memory of a device."""

    def __init__(self, **interface):
        self.__cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "version": 3} | interface


class OnRealDevice:
    """What lies in memory of a real GPU."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **options):
        raise AssertionError("it is not asked for")


@pytest.fixture
def device():
    return archdef.Device(registry.names()[0])


@pytest.fixture
def add(device):
    return device.compile(PTX)["add"][1, 64]


WRAPPED = {"numpy": lambda a: a, "dlpack": lambda a: OnlyDLPack(a, False), "dlpack 1.0": lambda a: OnlyDLPack(a, True), "interface": OnlyInterface}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_host_arrays_go_to_the_device_and_come_back(device, wrap, asynchronous):
    x, y = np.arange(64, dtype="f4"), np.ones(64, "f4")
    launcher = device.compile(PTX)["add"][(1, 64, 0, device.stream()) if asynchronous else (1, 64)]
    launcher(wrap(x), wrap(y), 64)
    np.testing.assert_array_equal(y, np.arange(64) + 1)
    np.testing.assert_array_equal(x, np.arange(64))


def test_pinned_arrays_are_copied_in_their_stream_and_kept_until_then(device):
    stream, x, y = device.stream(), device.pinned(np.arange(64, dtype="f4")), device.pinned(64)
    first = device.compile(PTX)["add"][1, 64, 0, stream](x, y, 64)
    assert not first.done and not y.any(), "nobody has waited"
    seen = y[:]
    del x, y
    gc.collect()
    stream.synchronize()
    np.testing.assert_array_equal(seen, np.arange(64))


def test_copies_take_their_time_where_time_is_kept(device):
    device.compile(PTX)["add"][1, 64, 0, device.stream()](np.zeros(64, "f4"), np.zeros(64, "f4"), 64)
    kinds = [span.name for span in device.host.timeline().of(device.context.label, kind="copy")]
    assert kinds == ["copy to device", "copy to device", "copy to host"], "what is const does not come back"


def test_device_memory_is_given_back_after_the_launch(device, add):
    used = device.memory.engine.used_bytes
    add(np.zeros(64, "f4"), np.zeros(64, "f4"), 64)
    gc.collect()
    assert device.memory.engine.used_bytes == used


def test_a_view_is_one_array_with_what_it_is_a_view_of(add):
    both = np.ones(96, "f4")
    add(both[:64], both[32:], 64)
    np.testing.assert_array_equal(both, np.repeat([1, 2], [32, 64]))


def test_neighbours_in_memory_stay_apart(add):
    both = np.arange(128, dtype="f4")
    add(both[:64], both[64:], 64)
    np.testing.assert_array_equal(both[64:], np.arange(64) * 2 + 64)


def test_graphs_keep_no_host_arrays(device):
    stream = device.stream()
    stream.begin_capture()
    with pytest.raises(CaptureError, match="arrays of the host"):
        device.compile(PTX)["add"][1, 64, 0, stream](np.ones(8, "f4"), np.ones(8, "f4"), 8)


def test_accesses_past_the_end_of_a_host_array_are_faults(add):
    with pytest.raises(GuestFault, match="outside global memory"):
        add(np.zeros(64, "f4"), np.zeros(1 << 20, "f4")[:63], 64)


def test_types_are_checked_as_those_of_device_arrays_are(add):
    with pytest.raises(LaunchError, match=r"argument 2 of add \(float \*\) takes an array of float32, got one of float64"):
        add(np.zeros(64, "f4"), np.zeros(64), 64)
    with pytest.raises(LaunchError, match=r"argument 3 of add .* is no pointer, got a device array of int64"):
        add(np.zeros(64, "f4"), np.zeros(64, "f4"), np.arange(3))
    with pytest.raises(LaunchError, match="argument 2 of add, a ndarray, got an array of >f4, which is nothing that a kernel can read in place"):
        add(np.zeros(64, "f4"), np.zeros(64, ">f4"), 64)


def test_what_is_read_only_stays_as_it_is(add):
    x, y = np.arange(64, dtype="f4"), np.ones(64, "f4")
    x.flags.writeable = y.flags.writeable = False
    with pytest.raises(LaunchError, match="add wrote to an array of the host that is read-only"):
        add(x, y, 64)
    assert (y == 1).all()
    add(y, out := np.zeros(64, "f4"), 64)
    assert (out == 1).all()


def test_memory_of_real_devices_is_refused(add):
    with pytest.raises(LaunchError, match=r"argument 1 of add, a OnRealDevice, lies in memory of a device that is not simulated \(DLPack device type 2\)"):
        add(OnRealDevice(), np.zeros(64, "f4"), 64)
    with pytest.raises(LaunchError, match="argument 1 of add, a OnDevice, points to 0x7f0000000000, where this device has no array of 16 bytes"):
        add(OnDevice(data=(0x7F0000000000, False)), np.zeros(64, "f4"), 64)
    with pytest.raises(LaunchError, match="has a __cuda_array_interface__ that cannot be read"):
        add(OnDevice(), np.zeros(64, "f4"), 64)


def test_device_memory_is_shown_in_place(device, add):
    array = device.to_device(np.arange(64, dtype="f4"))
    seen = np.from_dlpack(array)
    add(seen, array, 64)
    np.testing.assert_array_equal(seen, np.arange(64) * 2)
    seen[3] = 5
    assert array.to_host()[3] == 5
    assert array.__dlpack_device__() == (dlpack.CPU, 0)


def test_what_streams_had_to_do_is_done_before_the_host_looks(device):
    array = device.zeros(64)
    device.compile(PTX)["add"][1, 64, 0, device.stream()](device.to_device(np.ones(64, "f4")), array, 64)
    assert (np.from_dlpack(array) == 1).all()


def test_shown_memory_lasts_as_long_as_anyone_sees_it(device):
    array = device.to_device(np.arange(64, dtype="f4"))
    seen = np.from_dlpack(array)[32:]
    with pytest.raises(DeviceMemoryError, match=r"cannot free the device array of float32\[64\] while it is shown by 1 array of the host"):
        array.free()
    address = array.address
    del array
    gc.collect()
    assert device.zeros(64).address != address and seen[0] == 32
    del seen
    gc.collect()
    assert device.zeros(64).address == address


def test_nobody_gets_simulated_memory_as_that_of_a_gpu(device):
    with pytest.raises(BufferError, match=r"lies in this process, on DLPack's device \(1, 0\), and cannot be had on \(2, 0\)"):
        device.zeros(4).__dlpack__(dl_device=(2, 0))


def test_the_cuda_array_interface_leads_back_to_the_array(device, add):
    array, out = device.to_device(np.arange(64, dtype="f4")), np.zeros(64, "f4")
    interface = array.__cuda_array_interface__
    assert interface == {"shape": (64,), "typestr": "<f4", "data": (array.address, False), "strides": None, "version": 3, "stream": None}
    add(OnDevice(**interface), out, 64)
    np.testing.assert_array_equal(out, np.arange(64))
    with pytest.raises(LaunchError, match=r"where this device has no array of 260 bytes"):
        add(OnDevice(**interface | {"shape": (65,)}), out, 64)
    record = device.zeros(2, np.dtype([("a", "f4"), ("b", "i4")])).__cuda_array_interface__
    assert record["descr"] == [("a", "<f4"), ("b", "<i4")] and record["typestr"] == "|V8"


def test_empty_arrays_are_shown_and_taken(device, add):
    assert np.from_dlpack(device.zeros((0, 3))).shape == (0, 3)
    add(np.zeros(0, "f4"), np.zeros(0, "f4"), 0)


def test_tensors_of_torch(device, add):
    torch = pytest.importorskip("torch", reason="no torch")
    x, y = torch.arange(64, dtype=torch.float32), torch.ones(64, requires_grad=True)
    add(x, y, 64)
    assert torch.equal(y.detach(), x + 1)
    array = device.zeros(64)
    seen = torch.from_dlpack(array)
    add(x, seen, 64)
    assert torch.equal(seen, x) and (array.to_host() == x.numpy()).all()
    halves = dlpack.read(torch.ones(4, 2, dtype=torch.bfloat16).t())
    assert halves.dtype == np.uint16 and halves.shape == (2, 4) and halves.strides == (2, 4) and not halves.read_only
    with pytest.raises(LaunchError, match="a Tensor, has no memory that DLPack knows"):
        add(torch.ones(64, device="meta"), y, 64)
