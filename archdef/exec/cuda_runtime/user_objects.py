"""User objects: what the program wants to hear of when no graph needs it any more."""
from __future__ import annotations

from typing import Final

from archdef.exec.calls import Thread, UInt, answers
from archdef.exec.cuda_runtime.graphs import destroy_objects, thing
from archdef.exec.user_objects import UserObject
from archdef.host import Graph
from archdef.runtime.status import Refusal

_NO_SYNCHRONISATION: Final = 1
_MOVE: Final = 1
_MOST: Final = (1 << 31) - 1


def _count(count: int) -> int:
    count &= 0xFFFFFFFF
    if not 0 < count <= _MOST:
        raise Refusal("InvalidValue", f"{count} references")
    return count


@answers("cudaUserObjectCreate")
def create(thread: Thread, out: int, address: int, destructor: int, count: UInt, flags: UInt) -> None:
    """Make one."""
    if flags != _NO_SYNCHRONISATION or not destructor:
        raise Refusal("InvalidValue", "a user object has a destructor, and the flag that nobody can wait for that")
    thread.memory.put_word(out, thread.session.handle_of(UserObject(address, destructor, _count(count))))


@answers("cudaUserObjectRetain")
def retain(thread: Thread, handle: int, count: UInt) -> None:
    """Add references of the program's own."""
    thing(thread.session, handle, UserObject).references += _count(count)


@answers("cudaUserObjectRelease")
def release(thread: Thread, handle: int, count: UInt) -> None:
    """Take some away. Raises Refusal if there are fewer."""
    found = thing(thread.session, handle, UserObject)
    if _count(count) > found.references:
        raise Refusal("InvalidValue", f"{count} of {found.references} references")
    found.references -= count
    destroy_objects(thread, [] if found.references else [found])


@answers("cudaGraphRetainUserObject")
def hold(thread: Thread, graph: int, handle: int, count: UInt, flags: UInt) -> None:
    """Let a graph hold one."""
    found = thing(thread.session, handle, UserObject)
    if flags & ~_MOVE or flags & _MOVE and _count(count) > found.references:
        raise Refusal("InvalidValue", f"flags {flags:#x}, {count} of {found.references} references")
    thread.session.user_objects.hold(thing(thread.session, graph, Graph), found, _count(count), moved=bool(flags & _MOVE))


@answers("cudaGraphReleaseUserObject")
def give_up(thread: Thread, graph: int, handle: int, count: UInt) -> None:
    """Let it hold it no longer."""
    found = thing(thread.session, handle, UserObject)
    thread.session.user_objects.give_up(thing(thread.session, graph, Graph), found, _count(count))
    destroy_objects(thread, [] if found.references else [found])
