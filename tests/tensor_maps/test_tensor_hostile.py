"""Maps that nobody encoded are faults that name the line, or copies that stay inside what the kernel may touch."""
import random

import numpy as np
import pytest
from tensor_boxes import WINDOW, device, run, text

from archdef.errors import GuestFault, LaunchError

KINDS = {"tensor_map", "bounds", "alignment", "read_only", "deadlock"}


def plain():
    array = device().to_device(np.arange(512, dtype="u4").reshape(16, 32))
    return array, bytes(device().tensor_map(array, box=(16, 8)))


def tried(map: bytes, action: str, rank: int = 2, pixels: bool = False, coordinates=(0, 0, 0, 0, 0), start: int = 0) -> str:
    """Give the kind of fault that a copy ends with, if it does."""
    op = "add" if action == "reduce" else ""
    try:
        run(text(rank, pixels, action, op), map, np.zeros(WINDOW, "u1"), list(coordinates)[:rank], (), start, 512)
    except GuestFault as fault:
        assert "cp." in str(fault) or fault.kind == "deadlock", fault
        return fault.kind
    return ""


@pytest.mark.parametrize("action", ["load", "store", "reduce"])
def test_random_bytes(action):
    source = random.Random(action)
    kinds = {tried(source.randbytes(128), action, source.randint(1, 5) if k % 2 else 3, bool(k & 2) and k % 2 == 0) for k in range(80)}
    assert kinds <= KINDS and "tensor_map" in kinds


@pytest.mark.parametrize("action", ["load", "store"])
def test_flipped_bits(action):
    """Each bit of a good map by itself, then many at once; guards beside the array stay as they are."""
    guard, (array, map) = device().to_device(np.full(4096, 0xA5, "u1")), plain()
    source = random.Random(5)
    flips = [[bit] for bit in range(0, 1024, 3)] + [source.sample(range(608), source.randint(2, 12)) for _ in range(60)]
    for flipped in flips:
        number = int.from_bytes(map, "little")
        for bit in flipped:
            number ^= 1 << bit
        assert tried(number.to_bytes(128, "little"), action) in KINDS | {""}
    array.free()
    guard.free()


@pytest.mark.parametrize("coordinates, kind", [((0, 2**31 - 1), ""), ((-2**31, -2**31), ""), ((2**31 - 4, 0), ""), ((3, 0), "tensor_map")])
def test_far_coordinates(coordinates, kind):
    """What lies outside of the tensor is filled: nothing is touched."""
    array, map = plain()
    assert tried(map, "load", coordinates=coordinates) == kind
    array.free()


def test_a_map_that_reaches_further_than_its_array():
    array, _ = plain()
    wide = bytes(device().tensor_map(array, box=(16, 8), shape=(32, 1 << 31), strides=((1 << 40) - 16,)))
    for row in (1, 1 << 20, (1 << 31) - 9):
        assert tried(wide, "load", coordinates=(0, row)) == "bounds" and tried(wide, "store", coordinates=(0, row)) == "bounds"
    beyond = bytes(device().tensor_map(array, box=(16, 8), shape=(32, 17)))
    assert tried(beyond, "load", coordinates=(0, 8)) == "" and tried(beyond, "load", coordinates=(0, 9)) == "bounds"
    array.free()


@pytest.mark.parametrize("start, kind", [(16, "alignment"), (64, "alignment"), (8192 - 128, "bounds"), (1 << 30, "bounds"), ((1 << 32) - 128, "bounds")])
def test_places_in_shared_memory(start, kind):
    _array, map = plain()
    assert tried(map, "load", start=start - (1 << 32) if start >> 31 else start) == kind
    assert tried(map, "store", start=start - (1 << 32) if start >> 31 else start) == kind


def test_constant_memory_and_parameters_are_not_written():
    address = "mov.u64 %rd9, kept; cvta.const.u64 %rd9, %rd9;\n"
    replace = "".join(f"ld.param.b64 %rd8, [map+{8 * k}]; st.global.b64 [held+{8 * k}], %rd8;\n" for k in range(16))
    source = text(2, False, "store", before=address + replace + "tensormap.replace.tile.global_address.global.b1024.b64 [held], %rd9;\n", map="held")
    array = device().zeros((4, 4), "u4")
    map = bytes(device().tensor_map(array, box=(4, 4)))
    with pytest.raises(GuestFault, match="constant memory|outside memory"):
        run(source, map, np.zeros(WINDOW, "u1"), [0, 0])


@pytest.mark.parametrize("map, message", [("0x40", "outside memory"), ("0x100000001", "not a multiple of the 64"), ("0xffffffffffffffc0", "outside memory"),
                                          ("0x01000000", "cp.async.bulk.tensor")])
def test_where_a_map_cannot_lie(map, message):
    address = f"mov.u64 %rd9, {map};\n"
    with pytest.raises(GuestFault, match=message):
        run(text(2, False, "load", before=address, map="%rd9"), bytes(128), np.zeros(WINDOW, "u1"), [0, 0])


def test_a_map_is_an_argument_of_128_bytes():
    with pytest.raises(LaunchError, match="takes 128 bytes, got 4"):
        run(text(2, False, "load"), b"four", np.zeros(WINDOW, "u1"), [0, 0])
