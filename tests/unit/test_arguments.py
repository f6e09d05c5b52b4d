"""Arguments are checked against the kernel's own parameters."""
from types import SimpleNamespace

import numpy as np
import pytest

from archdef.errors import LaunchError
from archdef.run.arguments import pack
from archdef.run.array import DeviceArray


class Memory:
    """Device memory as far as arrays need it."""

    context = None

    def __init__(self):
        self.next, self.freed, self.bytes = 0x1000, [], {}

    def allocate(self, nbytes):
        self.next += 256 * -(-nbytes // 256)
        return self.next

    def free(self, address):
        self.freed.append(address)

    def write(self, address, data):
        self.bytes[address] = bytes(data)

    def read(self, address, out):
        out[:] = np.frombuffer(self.bytes[address], "u1")

    def fill(self, address, nbytes, byte):
        self.bytes[address] = bytes([byte]) * nbytes


def layout(*types):
    """Lay parameters out as PTX does: ``u64``, or ``b8x24`` for a structure."""
    parameters, offset = [], 0
    for position, text in enumerate(types):
        type_, _, count = text.partition("x")
        size = int(type_[1:]) // 8 * int(count or 1)
        align = 8 if count else size
        offset = -(-offset // align) * align
        parameters.append(SimpleNamespace(name=f"p{position}", offset=offset, type=type_, bytes=size))
        offset += size
    return parameters


@pytest.fixture
def memory():
    return Memory()


def test_values_land_at_their_offsets(memory):
    array = DeviceArray(memory, 4, "f4")
    data = pack("k", layout("u64", "f32", "s32", "u64"), (array, 1.5, -2, 7), memory)
    assert data == (array.address.to_bytes(8, "little") + np.float32(1.5).tobytes() + np.int32(-2).tobytes()
                    + (7).to_bytes(8, "little"))


@pytest.mark.parametrize("type_, value, expected", [
    ("u32", np.int64(5), b"\5\0\0\0"), ("u8", True, b"\1"), ("s16", -1, b"\xff\xff"),
    ("f64", np.float32(0.5), np.float64(0.5).tobytes()),
    ("f32", 3, np.float32(3).tobytes()), ("b32", np.float32(2), np.float32(2).tobytes()),
    ("u64", 2**64 - 1, b"\xff" * 8),
    ("f32", 1e300, np.float32(np.inf).tobytes()), ("f16", 1.0, np.float16(1).tobytes()),
    ("u32", np.array(9), b"\t\0\0\0")])
def test_numbers_are_converted_to_the_parameters_type(memory, type_, value, expected):
    assert pack("k", layout(type_), (value,), memory) == expected


def test_structures_are_passed_as_bytes_or_records(memory):
    record = np.zeros((), [("a", "f4"), ("b", "i4", 2)])[()]
    assert pack("k", layout("b8x12"), (record,), memory) == bytes(12)
    assert pack("k", layout("b8x12"), (b"abcdefghijkl",), memory) == b"abcdefghijkl"


@pytest.mark.parametrize("types", [(), ("u8",), ("u8", "u64"), ("u32", "b8x24", "f16"), ("u64", "u32", "f32", "b8x3")])
def test_arguments_that_are_laid_out_already_are_those_that_are_not(memory, types):
    parameters = layout(*types)
    laid_out = [bytes([position + 1]) * parameter.bytes for position, parameter in enumerate(parameters)]
    assert pack("k", parameters, laid_out, memory) == pack("k", parameters, [memoryview(each) for each in laid_out], memory)


@pytest.mark.parametrize("types, arguments, message", [
    (("u64", "u32"), (1,), r"k takes 2 arguments \(u64, u32\), got 1"),
    ((), (1,), r"k takes 0 arguments \(none\), got 1"),
    (("u32",), (1.5,), r"argument 1 of k \(u32\) takes an integer, got 1.5"),
    (("u32",), (2**32,), r"takes a 32-bit integer, got 4294967296"),
    (("s8",), (-129,), r"takes a 8-bit integer, got -129"),
    (("u64",), (np.zeros(4, "f4"),), r"argument 1 of k \(u64\) got a numpy array, which is host memory; copy it"),
    (("u64",), ("text",), r"takes a number or a device array, got str"),
    (("f32",), (None,), r"argument 1 of k \(f32\) takes a number, got NoneType"),
    (("b8x24",), (b"short",), r"argument 1 of k \(24 bytes by value\) takes 24 bytes, got 5"),
    (("b8x24",), (3,), r"takes a structure as bytes or as a numpy record, got int"),
    (("b64",), (np.float32(1),), r"takes 8 bytes, got float32 of 4")])
def test_what_does_not_fit_is_refused_by_position(memory, types, arguments, message):
    with pytest.raises(LaunchError, match=message):
        pack("k", layout(*types), arguments, memory)


def test_an_array_where_a_number_belongs_is_refused(memory):
    with pytest.raises(LaunchError, match=r"argument 1 of k \(u32\) is no pointer, got a device array of float32"):
        pack("k", layout("u32"), (DeviceArray(memory, 4, "f4"),), memory)


def test_an_array_of_another_device_is_refused(memory):
    with pytest.raises(LaunchError, match="got an array of another device"):
        pack("k", layout("u64"), (DeviceArray(Memory(), 4, "f4"),), memory)


def test_a_freed_array_is_refused(memory):
    array = DeviceArray(memory, 4, "f4")
    array.free()
    with pytest.raises(LaunchError, match="got a device array that was freed"):
        pack("k", layout("u64"), (array,), memory)
