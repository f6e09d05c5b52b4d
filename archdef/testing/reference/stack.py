"""Memory that a thread takes from its own stack, behind the local variables of the functions it is in."""
from __future__ import annotations

from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown

MOST_BYTES = 1 << 20
"""Largest stack of a thread."""


def grow(t, bytes_: int, alignment: int) -> int:
    """Take bytes from the top of a thread's stack; give their address in local memory."""
    start = -(-t.top // alignment) * alignment
    if start + bytes_ > MOST_BYTES:
        raise Wrong(f"a stack of {start + bytes_} bytes")
    t.top = start + bytes_
    t.local.extend(bytes(max(0, t.top - len(t.local))))
    return start


@means("alloca")
def allocate(c: Context, i, words: Words) -> Step:
    """``alloca``: the bytes are given back when the function returns."""
    (type,) = i.types
    if type not in ("u32", "u64"):
        raise unknown(i, "meaning for these types")
    store, size = c.destination(i, i.operands[0], type), c.source(i, i.operands[1], type)
    alignment = i.operands[2].value if len(i.operands) > 2 else 8
    return Step("plain", lambda t: store(t, grow(t, size(t), alignment)))


@means("stacksave", "stackrestore")
def save(c: Context, i, words: Words) -> Step:
    """``stacksave``, ``stackrestore``: where the stack ends, which has no meaning but for the other of the two."""
    (type,) = i.types
    if i.opcode == "stacksave":
        store = c.destination(i, i.operands[0], type)
        return Step("plain", lambda t: store(t, t.top))
    top = c.source(i, i.operands[0], type)

    def act(t):
        if top(t) > t.top:
            raise Wrong(f"`{i.text}` does not take back")
        t.top = top(t)
    return Step("plain", act)
