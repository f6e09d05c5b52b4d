"""Is the memory of a program read as it is, and refused where there is none? The program here is this process."""
import ctypes
import mmap
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from archdef.exec.guest import GuestBytes, GuestCopy, GuestMemory
from archdef.runtime.status import Refusal

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="programs are run on Linux only")
NOWHERE = 64


@pytest.fixture
def memory():
    return GuestMemory(os.getpid())


def test_several_places_are_read_as_each_of_them_is(memory):
    room = ctypes.create_string_buffer(bytes(range(64)), 64)
    start = ctypes.addressof(room)
    assert memory.get_each([start + 8, start, start + 63], [8, 4, 1]) == [bytes(range(8, 16)), bytes(range(4)), b"\x3f"]
    assert memory.get_each([], []) == [] and memory.get_each([start + 1], [2]) == [b"\1\2"]
    assert memory.get_each([start] * 3000, [1] * 3000) == [b"\0"] * 3000


@pytest.mark.parametrize("count, nbytes", [(1, 4096), (1, 4097), (2, 2048), (2, 2049), (128, 1), (129, 1), (128, 33), (5, 0)])
def test_few_and_many_bytes_of_few_and_many_places_are_the_same(memory, count, nbytes):
    room = np.random.default_rng(count).integers(0, 256, count * nbytes + 1, "u1")
    places = [room.ctypes.data + number * nbytes for number in reversed(range(count))]
    expected = [room[place - room.ctypes.data:][:nbytes].tobytes() for place in places]
    assert memory.get_each(places, [nbytes] * count) == expected
    assert [memory.get(place, nbytes) for place in places] == expected


def test_threads_read_at_a_time_without_mixing_what_they_read(memory):
    rooms = [np.full(64, number, "u1") for number in range(4)]

    def same(room):
        return all(memory.get(room.ctypes.data, 64) == room.tobytes() == b"".join(memory.get_each([room.ctypes.data, room.ctypes.data + 8], [8, 56]))
                   for _ in range(300))
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(same, rooms))


@pytest.mark.parametrize("at", range(3))
def test_the_place_that_is_not_there_is_named(memory, at):
    room = ctypes.create_string_buffer(16)
    places = [ctypes.addressof(room)] * 3
    places[at] = NOWHERE
    with pytest.raises(Refusal, match=f"{NOWHERE:#x} is no memory"):
        memory.get_each(places, [8] * 3)


@pytest.mark.parametrize("nbytes", [1 << 40, 1 << 62, (1 << 64) - 1, 1 << 64, 5 << 64])
def test_a_length_that_no_program_has_costs_nothing(memory, nbytes):
    room = ctypes.create_string_buffer(16)
    with pytest.raises(Refusal, match="is no memory"):
        memory.get(ctypes.addressof(room), nbytes)


@pytest.mark.parametrize("beyond", [1 << 64, -1 << 64])
def test_an_address_past_the_last_is_refused_and_does_not_begin_anew_at_0(memory, beyond):
    room = ctypes.create_string_buffer(8)
    for access in (lambda address: memory.get(address, 8), lambda address: memory.put(address, b"8" * 8)):
        with pytest.raises(Refusal, match="is no memory"):
            access(beyond + ctypes.addressof(room))
    assert room.raw == bytes(8)


def test_rows_of_several_planes_are_found_however_many_there_are(memory):
    box, pitch, plane = (3, 700, 2), 5, 4000
    data = np.random.default_rng(1).integers(0, 256, 2 * plane, "u1")
    there = np.lib.stride_tricks.as_strided(data, box[::-1], (plane, pitch, 1))
    found = np.empty(box[::-1], "u1")
    memory.rows_into(data.ctypes.data, pitch, plane, found)
    assert (found == there).all()
    memory.rows_out_of(data.ctypes.data, pitch, plane, found[::-1].copy())
    assert (there == found[::-1]).all()


def test_zeros_are_written_where_all_of_them_go_or_nowhere(memory):
    room = mmap.mmap(-1, 1 << 18)
    room[:] = b"1" * (1 << 18)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    with pytest.raises(Refusal):
        memory.clear(start, 1 << 46)
    assert room[:] == b"1" * (1 << 18)
    memory.clear(start + 1, (1 << 18) - 2)
    assert room[:] == b"1" + bytes((1 << 18) - 2) + b"1"


def test_pages_that_are_there_are_read_whole(memory):
    pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    pages[-1] = 7
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert memory.get(start, 3 * mmap.PAGESIZE) == bytes(3 * mmap.PAGESIZE - 1) + b"\7"


def test_a_copy_that_the_program_waits_for_keeps_its_error_and_one_of_a_graph_raises_it(memory):
    data = np.arange(16, dtype="u1")
    for move in ("into", "write"):
        copy = GuestCopy(memory, NOWHERE, 16)
        getattr(copy.first(8), move)(data[:8])
        with pytest.raises(Refusal):
            copy.check()
        with pytest.raises(Refusal):
            getattr(GuestBytes(memory, NOWHERE, 16), move)(data)
    held = np.zeros(16, "u1")
    copy = GuestCopy(memory, held.ctypes.data, 16)
    copy.write(data)
    copy.check()
    assert (held == data).all() and (copy.read() == data).all() and not copy.pinned


@pytest.mark.parametrize("away", [0, 8, -8, 200, -200, 255, 256, 300, -256, -300, 4000, -4000])
def test_what_an_array_of_addresses_lists_is_read_wherever_it_lies(memory, away):
    room = np.random.default_rng(7).integers(0, 256, 1 << 14, "u1")
    listed = room.ctypes.data + (1 << 13)
    places = [listed + 24 + away, listed + away - 40, room.ctypes.data]
    room[1 << 13:][:24] = np.array(places, "u8").view("u1")
    expected = [room[place - room.ctypes.data:][:size].tobytes() for place, size in zip(places, (8, 40, 1), strict=True)]
    assert memory.get_listed(listed, [8, 40, 1]) == expected
    assert memory.get_listed(listed, [8]) == expected[:1]


def test_an_array_of_addresses_may_begin_where_memory_does_and_end_where_it_ends(memory):
    pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    libc = ctypes.CDLL(None, use_errno=True)
    for gap in (start, start + 2 * mmap.PAGESIZE):
        assert libc.mprotect(ctypes.c_void_p(gap), mmap.PAGESIZE, 0) == 0
    first, last = start + mmap.PAGESIZE, start + 2 * mmap.PAGESIZE - 8
    for listed, value in ((first, last), (last, first)):
        ctypes.c_uint64.from_address(listed).value = value
    ctypes.c_uint64.from_address(first).value = first + 8
    pages[mmap.PAGESIZE + 8:mmap.PAGESIZE + 12] = b"four"
    assert memory.get_listed(first, [4]) == [b"four"]
    assert memory.get_listed(last, [8]) == [(first + 8).to_bytes(8, "little")]


@pytest.mark.parametrize("listed", [0, NOWHERE, (1 << 64) - 8, 1 << 63])
def test_an_array_of_addresses_that_is_not_there_is_refused_and_so_is_what_it_lists(memory, listed):
    with pytest.raises(Refusal, match="is no memory of the program"):
        memory.get_listed(listed, [8])
    room = ctypes.c_uint64(listed)
    with pytest.raises(Refusal, match=f"{listed:#x} is no memory of the program"):
        memory.get_listed(ctypes.addressof(room), [8])
