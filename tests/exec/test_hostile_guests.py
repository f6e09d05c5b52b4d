"""Does archdef answer a program whose calls have anything at all in their arguments, each with a status, and go on?

The program here is a process that does nothing; this test speaks for it. What the process maps and what it is asked to call are answered at random.
"""
import logging
import random
import socket
import struct
import subprocess
import sys
import threading

import pytest
from fat import binary, entry

from archdef import registry
from archdef.exec import helper, wire
from archdef.exec.calls import CALLS, NAMES
from archdef.exec.guest import GuestMemory
from archdef.exec.server import Server
from archdef.runtime.status import STATUS

pytestmark = pytest.mark.skipif("gt200" not in registry.names() or not sys.platform.startswith("linux"), reason="needs the plugins of this repository")
ROOM = 1 << 20
STACK_WORDS = 18
PTX = b".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n.global .align 4 .b8 v[64];\n"
CODE = binary(entry(PTX))
GUEST = f"""
import ctypes, sys
room = ctypes.create_string_buffer({ROOM})
code = {CODE!r}
room[:len(code)] = code
print(ctypes.addressof(room), flush=True)
sys.stdin.read()
"""


class Guest:
    """A process with some memory, and one thread's connection to a server."""

    def __init__(self, server, seed):
        self.random = random.Random(seed)
        self.process = subprocess.Popen([sys.executable, "-c", GUEST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.room = int(self.process.stdout.readline())
        self.known = [self.room]
        self.end, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.end.settimeout(30)
        connection = wire.Connection(other)
        connection.process = lambda: self.process.pid       # which has not made it: this process has
        self.served = threading.Thread(target=server._serve, args=(connection,), daemon=True)
        self.served.start()
        self.end.send(struct.pack("<IIQQQQQIII4x", len(NAMES), self.process.pid, self.room + ROOM // 2, ROOM // 4, 0x1000, 0x2000, 0x3000, 0, 0,
                                  (0, 11, 0xFFFFFFFF)[seed % 3]))
        assert self.answer() == 0

    def answer(self):
        """What the call returns, after all that archdef wants done here meanwhile."""
        while True:
            message, ancillary, _, _ = self.end.recvmsg(4096, 4096)
            assert message, "the server has given the program up"
            for _, _, data in ancillary:
                socket.close(struct.unpack("<i", data[:4])[0])
            kind, _, value, *_ = struct.unpack("<II5Q", message)
            if kind == wire._RETURN:
                return value
            self.end.send(struct.pack("<Q", self.random.choice([0, 1, self.room, value])))

    def call(self, name, integers, stack=(), floats=(0.0,) * 4):
        """Call a function; integers: of the six registers."""
        given = [each & (1 << 64) - 1 for each in (*integers, *[0] * 6)[:6]]
        more = [each & (1 << 64) - 1 for each in (*stack, *[0] * STACK_WORDS)[:STACK_WORDS]]
        self.end.send(struct.pack(f"<II6Q4d{STACK_WORDS}Q", NAMES.index(name), 0, *given, *floats, *more))
        return self.answer()

    def number(self):
        """Anything that a register may hold."""
        return self.random.choice([
            lambda: self.random.randrange(8), lambda: -self.random.randrange(1, 8), lambda: self.random.getrandbits(64), lambda: 1 << self.random.randrange(64),
            lambda: self.random.choice(self.known), lambda: self.room + self.random.randrange(0, ROOM // 2, 8), lambda: self.random.randrange(1 << 12)])()

    def stop(self):
        self.end.close()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.served.join(60)
        assert not self.served.is_alive()


@pytest.fixture
def guest(request, monkeypatch):
    monkeypatch.setattr(helper, "PATIENCE_SECONDS", 0.1)       # it starts no thread that serves
    server = Server(["gt200"])
    made = Guest(server, getattr(request, "param", 0))
    made.server = server
    yield made
    made.stop()


@pytest.mark.parametrize("guest", range(4), indirect=True)
def test_whatever_a_call_is_given_it_gets_an_answer(guest, caplog):
    with caplog.at_level(logging.ERROR, "archdef.exec.server"):
        handle = guest.call("__cudaRegisterFatBinary", [guest.room])
        guest.known.append(handle)
        for name in sorted(CALLS.keys() & set(NAMES)) * 8:
            guest.call(name, [guest.number() for _ in range(6)], [guest.number() for _ in range(10)], [guest.random.random() * 1e9] * 4)
            word = GuestMemory(guest.process.pid).get(guest.room, 64)
            guest.known = [*guest.known, *struct.unpack("<8Q", word)][-24:]     # handles and addresses that calls have given
    assert caplog.records == [], "\n".join(record.getMessage() + str(record.exc_info) for record in caplog.records)


@pytest.mark.parametrize("nbytes", [1 << 45, 1 << 62])
def test_memory_that_no_computer_has_is_not_locked(guest, nbytes):
    assert guest.call("cudaMallocHost", [guest.room, nbytes]) == STATUS["MemoryAllocation"][0]
    registered = guest.call("cudaHostRegister", [1 << 16, nbytes, 0])
    assert registered == STATUS["InvalidValue" if nbytes > 1 << 47 else "MemoryAllocation"][0]      # no address goes so far


@pytest.mark.parametrize("nbytes", [1 << 30, 1 << 45, (1 << 62) + 8])
def test_a_copy_that_cannot_end_is_not_begun(guest, nbytes):
    half = 32 << 20
    while guest.call("cudaMallocHost", [guest.room, 2 * half]):     # until the program, which answers at random, says that it has mapped it
        pass
    (start,) = struct.unpack("<Q", GuestMemory(guest.process.pid).get(guest.room, 8))
    (session,) = guest.server.sessions
    session.host_view(start + half, half)[:] = 1
    assert guest.call("cudaMemcpy", [start, start + half, nbytes, 4]) == STATUS["InvalidValue"][0]
    assert not session.host_view(start, half).any()


@pytest.mark.parametrize("name, given", [
    ("cudaMemcpy2D", ["room", 8, "room", 8, 0, -1, 0]), ("cudaMemset2D", ["room", 8, 0, 0, -1]), ("cudaMallocPitch", ["room", "room", -1, 0]),
    ("cudaMalloc3D", ["room"]), ("cudaMemcpy", ["room", "room", -1, 0]), ("cudaMallocHost", ["room", -1]), ("cudaMalloc", ["room", -1])])
def test_sizes_that_no_machine_has_cost_nothing(guest, name, given, caplog):
    words = [guest.room if each == "room" else each for each in given]
    guest.call(name, words[:6], words[6:] or [-1, 0, -1])
    assert caplog.records == []


def test_an_account_does_not_grow_with_each_address_that_a_program_frees(guest):
    for address in range(1, 1000):
        assert guest.call("cudaFree", [address]) == STATUS["InvalidValue"][0]
    assert 100 < len(guest.server.complaints) <= 201 and "more calls failed, for further reasons" in guest.server.complaints


def word(guest, place):
    return GuestMemory(guest.process.pid).word(guest.room + place)


def test_room_for_nodes_that_no_program_has_is_not_filled(guest, caplog):
    memory = GuestMemory(guest.process.pid)
    assert guest.call("cudaGraphCreate", [guest.room, 0]) == 0
    graph = word(guest, 0)
    assert guest.call("cudaGraphAddEmptyNode", [guest.room, graph, 0, 0]) == 0
    node = word(guest, 0)
    for room, status in ((1 << 40, "InvalidValue"), ((1 << 64) - 1, "InvalidValue"), (5, "Success")):
        memory.put(guest.room, b"\xff" * 64)
        memory.put_word(guest.room + 128, room)
        assert guest.call("cudaGraphGetNodes", [graph, guest.room, guest.room + 128]) == STATUS[status][0]
    assert [word(guest, 8 * place) for place in range(6)] == [node, 0, 0, 0, 0, (1 << 64) - 1] and word(guest, 128) == 1
    assert caplog.records == []


@pytest.mark.parametrize("width, pitch, height, depth, status", [
    (1, 0, 1 << 50, 1, "InvalidPitchValue"), (1, 1 << 40, 1, 1 << 50, "InvalidPitchValue"), (1, 2, 1 << 50, 1, "NotSupported"), (4, 2, 2, 1, "InvalidPitchValue")])
def test_a_node_that_copies_rows_without_end_is_refused(guest, width, pitch, height, depth, status):
    assert guest.call("cudaGraphCreate", [guest.room, 0]) == guest.call("cudaMalloc", [guest.room + 8, 4096]) == 0
    graph, data = word(guest, 0), word(guest, 8)
    end = [0, 0, 0, 0, data, pitch, width, 0]
    GuestMemory(guest.process.pid).put(guest.room, struct.pack("<20Q", *end, *end, width, height, depth, 3))
    assert guest.call("cudaGraphAddMemcpyNode", [guest.room + 512, graph, 0, 0, guest.room]) == STATUS[status][0]


def test_the_driver_copies_as_many_rows_as_there_are(guest):
    rows, pitch = (1 << 20) + 1, 2
    assert guest.call("cuInit", [0]) == guest.call("cuDevicePrimaryCtxRetain", [guest.room, 0]) == 0
    assert guest.call("cuCtxSetCurrent", [word(guest, 0)]) == 0
    assert guest.call("cuMemAlloc_v2", [guest.room, rows * pitch]) == guest.call("cuMemAlloc_v2", [guest.room + 8, rows * pitch]) == 0
    ends = [struct.pack("<QQI4x4Q", 0, 0, 2, 0, word(guest, place), 0, pitch) for place in (0, 8)]
    GuestMemory(guest.process.pid).put(guest.room, b"".join(ends) + struct.pack("<QQ", 1, rows))
    assert guest.call("cuMemcpy2D_v2", [guest.room]) == 0


@pytest.mark.parametrize("rows, elements", [(1 << 40, 4), (1 << 62, 0), (4, 1 << 40), (4, 1 << 60), (1 << 31, 1 << 31)])
def test_matrices_that_no_device_has_cost_nothing(guest, rows, elements, caplog):
    assert guest.call("cudaMalloc", [guest.room, 1 << 16]) == guest.call("cusparseCreate", [guest.room + 8]) == 0
    data, handle = word(guest, 0), word(guest, 8)
    assert guest.call("cusparseCreateCsr", [guest.room, rows, rows, elements, data, data], [data, 2, 2, 0, 0]) == 0
    assert guest.call("cusparseCreateDnVec", [guest.room + 8, rows, data, 0]) == guest.call("cusparseSpSV_createDescr", [guest.room + 16]) == 0
    matrix, vector, state = (word(guest, place) for place in (0, 8, 16))
    system = [handle, 0, guest.room, matrix, vector, vector], [0, 0, state]
    needed = 8 * (4 * rows + 3 + 2 * elements)
    if guest.call("cusparseSpSV_bufferSize", system[0], [*system[1], guest.room + 24]) == 0:
        assert word(guest, 24) == needed
    else:
        assert needed >> 64
    assert guest.call("cusparseSpSV_analysis", system[0], [*system[1], data]) == 3     # CUSPARSE_STATUS_INVALID_VALUE
    dense = guest.call("cusparseCreateDnMat", [guest.room + 8, rows, rows, rows, data, 0], [1])
    assert dense == 3 if rows * rows >> 63 else dense == 0
    assert caplog.records == []


def test_memory_that_an_int_cannot_say_is_no_negative_number(guest):
    assert guest.call("cusparseCreate", [guest.room]) == guest.call("cusparseCreateMatDescr", [guest.room + 8]) == 0
    assert guest.call("cusparseCreateCsrilu02Info", [guest.room + 16]) == 0
    handle, description, state = (word(guest, place) for place in (0, 8, 16))
    given = [handle, (1 << 31) - 1, (1 << 31) - 1, description, 0, 0], [0, state, guest.room]
    assert guest.call("cusparseScsrilu02_bufferSize", *given) == 10       # CUSPARSE_STATUS_NOT_SUPPORTED
    assert guest.call("cusparseScsrilu02_bufferSizeExt", *given) == 0 and word(guest, 0) == 8 * (6 * ((1 << 31) - 1) + 3)


@pytest.mark.parametrize("stride, length, batch, status", [
    (1, 8, 1, 0), (1, (1 << 32) + 8, 1, 8), (1, 8, 1 << 32, 2), (1, 8, (1 << 32) + 1, 2), (1 << 62, 8, 1, 8), ((1 << 32) + 1, 8, 1, 0)])
def test_numbers_of_64_bits_are_not_cut(guest, stride, length, batch, status):
    memory = GuestMemory(guest.process.pid)
    assert guest.call("cufftCreate", [guest.room]) == 0
    plan = word(guest, 0) & 0xFFFFFFFF
    memory.put(guest.room, struct.pack("<Q2q", 0, length, 8))
    sizes = guest.room + 8, guest.room + 16
    assert guest.call("cufftMakePlanMany64", [plan, 1, sizes[0], sizes[1], stride, 8], [sizes[1], stride, 8, 0x29, batch, guest.room + 32]) == status
    if not status:
        (session,) = guest.server.sessions
        assert session.found(plan).given[0].steps[-1] == stride
