"""Arrays go to the device and come back."""
import gc

import numpy as np
import pytest
from test_arguments import Memory

from archdef.errors import DeviceMemoryError
from archdef.run.array import DeviceArray


@pytest.fixture
def memory():
    return Memory()


@pytest.mark.parametrize("host", [np.arange(12, dtype="i4").reshape(3, 4), np.float64(2.5),
                                  np.arange(10, dtype="f4")[::2],
                                  np.asfortranarray(np.eye(3)), np.zeros((0, 3), "u1"), np.array([True, False])])
def test_a_round_trip_keeps_shape_dtype_and_values(memory, host):
    host = np.asarray(host)
    array = DeviceArray(memory, host.shape, host.dtype).copy_from_host(host)
    assert array.to_host().dtype == host.dtype
    np.testing.assert_array_equal(np.asarray(array), host)
    assert (array.shape, array.size, array.nbytes, array.ndim) == (host.shape, host.size, host.nbytes, host.ndim)


def test_a_copy_can_land_in_an_existing_array(memory):
    array, out = DeviceArray(memory, 3, "i4").zero(), np.ones(3, "i4")
    assert array.copy_to_host(out) is out and not out.any()


@pytest.mark.parametrize("wrong", [np.zeros(4, "i4"), np.zeros(3, "f4"), np.zeros((3, 1), "i4")])
def test_another_shape_or_dtype_is_refused(memory, wrong):
    array = DeviceArray(memory, 3, "i4")
    with pytest.raises(DeviceMemoryError, match="shape and dtype must be the same"):
        array.copy_from_host(wrong)
    with pytest.raises(DeviceMemoryError, match="shape and dtype must be the same"):
        array.zero().copy_to_host(wrong)


def test_memory_is_freed_once(memory):
    array = DeviceArray(memory, 3, "i4")
    address = array.address
    array.free()
    array.free()
    assert memory.freed == [address]
    with pytest.raises(DeviceMemoryError, match=r"the device array of int32\[3\] was freed"):
        array.to_host()


def test_memory_is_freed_with_the_last_reference(memory):
    array = DeviceArray(memory, 3, "i4")
    address = array.address
    del array
    gc.collect()
    assert memory.freed == [address]


@pytest.mark.parametrize("shape, dtype", [((-1,), "f4"), (3, object)])
def test_impossible_arrays_are_refused(memory, shape, dtype):
    with pytest.raises(DeviceMemoryError):
        DeviceArray(memory, shape, dtype)
