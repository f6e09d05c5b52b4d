"""Does a session know what a program has allocated, also while that is given back and when it is refused to be, and keep what calls have given?"""
import contextlib
import ctypes
import mmap
import os
import sys
import threading
from types import SimpleNamespace

import pytest

from archdef import registry
from archdef.errors import HostError
from archdef.exec.calls import Thread
from archdef.exec.host_memory import HostMemory
from archdef.exec.session import Session
from archdef.exec.wire import Hello
from archdef.host import pools
from archdef.runtime.status import Refusal

pytestmark = pytest.mark.skipif("v100" not in registry.names() or not sys.platform.startswith("linux"), reason="needs the plugins of this repository")


class Connection:
    """A program that maps where it is asked to, or somewhere."""

    def map(self, address, nbytes, offset, descriptor):
        return address or 1 << 40

    def unmap(self, address, nbytes):
        pass


@pytest.fixture
def session():
    made = Session(os.getpid(), ["v100"])
    yield made
    made.end()


def allocate(session, how):
    if how == "managed":
        return session.allocate_managed(Connection(), 4096)
    return session.allocated(session.runtime.Malloc(4096) if how == "plain" else session.runtime.MallocAsync(4096))


def free(session, how, address):
    if how == "pool":
        session.free_async(address, None)
    else:
        session.free(Connection(), address)


@pytest.mark.parametrize("how", ["plain", "managed", "pool"])
def test_memory_that_is_refused_to_be_freed_is_known_and_can_be_freed_later(session, how):
    address, runtime = allocate(session, how), session.runtime
    stream = runtime.StreamCreate()
    runtime.StreamBeginCapture(stream, 0)
    with pytest.raises((Refusal, HostError)):
        if how == "pool":
            session.free_async(address, stream)
        else:
            free(session, how, address)
    with contextlib.suppress(HostError):
        runtime.StreamEndCapture(stream)
    assert session.pointer(address + 8) is not None and session.is_managed(address) == (how == "managed") == (address in session.unseen)
    free(session, how, address)
    assert session.pointer(address) is None and not session.is_managed(address)
    with pytest.raises(Refusal):
        free(session, how, address)


def test_texts_that_calls_give_stay_where_they_are_however_many_there_are(session):
    class Maps(Connection):
        def map(self, address, nbytes, offset, descriptor):
            self.pages = mmap.mmap(descriptor, nbytes)
            return ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
    scratch = ctypes.create_string_buffer(64)
    thread = Thread(session, Maps(), Hello(0, os.getpid(), ctypes.addressof(scratch), 64, 0, 0, 0, 0, 0, 0))
    texts = [f"kernel_{number}" for number in range(20)]
    addresses = [thread.string(text) for text in texts]
    assert [session.memory.text(address) for address in addresses] == texts and [thread.string(text) for text in texts] == addresses
    assert bytes(scratch)[32:] == bytes(32)


def test_memory_that_another_thread_is_given_while_it_is_freed_is_that_threads(session, monkeypatch):
    def released(pool, address, stream, release=pools.Pool.release):
        release(pool, address, stream)
        taken.append(session.allocated(session.runtime.MallocAsync(4096)))      # as a thread that comes between would
    taken = []
    monkeypatch.setattr(pools.Pool, "release", released)
    address = allocate(session, "pool")
    free(session, "pool", address)
    assert taken == [address]
    monkeypatch.undo()
    assert session.pointer(address) is not None
    free(session, "pool", address)


def test_managed_memory_that_another_thread_makes_while_a_launch_looks_at_what_there_is_is_not_missed(session):
    class Seen:
        def see(self):
            other.start()
            other.join(0.3)
            return True
    made = []
    other = threading.Thread(target=lambda: made.append(allocate(session, "managed")))
    session.unseen[8] = Seen()
    session.see_managed()
    other.join()
    assert set(session.unseen) == {8, *made}
    del session.unseen[8]


def test_two_threads_that_lock_pages_at_a_time_get_a_place_each(session):
    class Engine:
        """The engine's memory, in which another thread looks for a place before the first has taken the one that it found."""

        def host_gap(self, nbytes, start=0):
            found = engine.host_gap(nbytes, start)
            if between and threading.current_thread() is threading.main_thread():
                thread = between.pop()
                thread.start()
                thread.join(0.3)
            return found

        def __getattr__(self, name):
            return getattr(engine, name)

    memory = session.runtime.device(0).memory
    engine, memories, addresses = memory.engine, [SimpleNamespace(engine=Engine(), shared_with_host=set(), context=None, free=memory.free)], []
    pinned = HostMemory(memories)
    other = threading.Thread(target=lambda: addresses.append(pinned.allocate(Connection(), 4096)))
    between = [other]
    addresses.append(pinned.allocate(Connection(), 4096))
    other.join()
    assert len(set(addresses)) == 2


def test_a_context_that_two_threads_destroy_is_destroyed_once(session, monkeypatch):
    contexts, both, told = session.contexts, threading.Barrier(2, timeout=0.5), []
    hello = Hello(0, os.getpid(), 0, 0, 0, 0, 0, 0, 0, 0)
    context = contexts.create(Thread(session, Connection(), hello), 0, 0)

    def wait(device):
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait()

    def destroy():
        try:
            contexts.destroy(Thread(session, Connection(), hello), context)
        except (Refusal, ValueError) as error:
            told.append(error)
    monkeypatch.setattr(contexts, "_drain", wait)
    two = [threading.Thread(target=destroy) for _ in range(2)]
    for each in two:
        each.start()
    for each in two:
        each.join()
    assert [getattr(error, "status", error) for error in told] == ["InvalidContext"] and not contexts.known_ones
