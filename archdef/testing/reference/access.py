"""Loads and stores, in every space and through generic addresses."""
from __future__ import annotations

from collections.abc import Callable

from archdef.ptx import ir
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown
from archdef.testing.reference.memory import LOCAL_WINDOW, PARAMETER_BYTES, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW_BYTES
from archdef.testing.reference.types import width

_SPACES = ("global", "shared", "local", "const", "param", "shared::cta", "shared::cluster", "param::entry", "param::func")
"""What a name adds behind ``::`` makes no difference: a block is its own cluster."""
_ORDERS = ("weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc")
_SCOPES = ("cta", "cluster", "gpu", "sys")
_CACHES = ("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
           "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::cache_hint",
           "L2::64B", "L2::128B", "L2::256B")


def area(t, space: str, address: int, size: int, length: int = 0) -> tuple[bytearray, int]:
    """Give the bytes behind an address in a space (none: generic), after checking alignment and bounds.

    size   : bytes to which the address is aligned.
    length : bytes of the access, if they are more.
    """
    if address % size:
        raise Wrong(f"misaligned access of {size} bytes at {address:#x}")
    size = max(size, length)
    if not space:
        for name, start, whole in (("shared", SHARED_WINDOW, WINDOW_BYTES), ("local", LOCAL_WINDOW, WINDOW_BYTES),
                                    ("param", PARAMETER_WINDOW, PARAMETER_BYTES)):
            if start <= address < start + whole:
                space, address = name, address - start
                break
    if space in ("", "global", "const"):
        return t.block.memory.area(address, size)
    held = {"shared": t.block.shared, "local": t.local, "param": t.block.parameters}[space]
    if address + size > len(held):
        raise Wrong(f"access of {size} bytes at {address:#x} is outside the {len(held)} bytes of {space} memory")
    return held, address


def address_of(c: Context, i, operand: ir.Operand, space: str) -> tuple[Callable, str]:
    """Give a function to the address of ``[base + offset]``, and the space: the instruction's, or the named variable's."""
    if not isinstance(operand, ir.Address):
        raise unknown(i, "meaning for an address that is none")
    base, offset = operand.base, operand.offset
    if base is None:
        return lambda t: offset, space
    if isinstance(base, ir.Register):
        name, mask = base.name, (1 << width(base.type)) - 1
        return lambda t: t.registers.get(name, 0) + offset & mask, space
    place = c.layout.find(c.function.name, base.name)
    if place is None:
        raise unknown(i, f"variable {base.name}")
    whole = c.source(i, base, "u64")
    return lambda t: whole(t) + offset, space or place[0]


def elements_of(i, operand: ir.Operand, count: int) -> tuple:
    elements = operand.elements if isinstance(operand, ir.Vector) else (operand,)
    if len(elements) != count:
        raise unknown(i, f"form with {len(elements)} elements")
    return elements


def take_space(words: Words) -> str:
    """Take the space and what changes no value here, where every access takes effect at once: orderings, scopes, cache hints."""
    space = words.one(*_SPACES, default="").partition("::")[0]
    words.one(*_ORDERS, default="")
    words.one(*_SCOPES, default="")
    words.flag("mmio")
    words.ignore(*_CACHES)
    return space


def _words(words: Words) -> tuple[str, int]:
    """Take a load's or store's words; give the space and the number of elements."""
    return take_space(words), int(words.one("v2", "v4", default="v1")[1:])


def is_call_parameter(c: Context, operand: ir.Operand) -> bool:
    """Tell whether ``[name]`` is a parameter of a function or of a call, which lives in the thread's frame."""
    if not isinstance(operand, ir.Address) or not isinstance(operand.base, ir.Symbol):
        return False
    local = c.function.variables.get(operand.base.name)
    own = () if c.function.entry else (*c.function.parameters, *c.function.returns)
    return local is not None and local.space == "param" or any(v.name == operand.base.name for v in own)


@means("ld", "ldu")
def load(c: Context, i, words: Words) -> Step:
    """``ld``: little-endian elements, extended to their registers by the type."""
    (type,) = i.types
    space, count = _words(words)
    size = width(type) // 8
    stores = [c.destination(i, e, type) if e is not None else None for e in elements_of(i, i.operands[0], count)]
    in_frame = is_call_parameter(c, i.operands[1])
    address, space = (None, "") if in_frame else address_of(c, i, i.operands[1], space)
    target = i.operands[1]

    def act(t):
        if in_frame:
            held, at = t.frame.parameters[target.base.name], target.base.offset + target.offset
            if at + size * count > len(held):
                raise Wrong(f"`{i.text}` reads past the parameter")
        else:
            held, at = area(t, space, address(t), size * count)
        for k, store in enumerate(stores):
            if store is not None:
                store(t, int.from_bytes(held[at + k * size:at + (k + 1) * size], "little"))
    return Step("plain", act)


@means("st")
def store(c: Context, i, words: Words) -> Step:
    """``st``."""
    (type,) = i.types
    space, count = _words(words)
    size = width(type) // 8
    values = [c.source(i, e, type) for e in elements_of(i, i.operands[1], count)]
    in_frame = is_call_parameter(c, i.operands[0])
    address, space = (None, "") if in_frame else address_of(c, i, i.operands[0], space)
    target = i.operands[0]

    def act(t):
        data = b"".join(v(t).to_bytes(size, "little") for v in values)
        if in_frame:
            held, at = t.frame.parameters[target.base.name], target.base.offset + target.offset
            if at + len(data) > len(held):
                raise Wrong(f"`{i.text}` writes past the parameter")
        else:
            held, at = area(t, space, address(t), len(data))
        held[at:at + len(data)] = data
    return Step("plain", act)


# -------------------------------------------------------------------------------------------- what changes no value
@means("membar", "fence", "prefetch", "prefetchu", "applypriority", "discard", "nanosleep", "griddepcontrol", "pmevent",
       "setmaxnreg", "mxlanes")
def hint(c: Context, i, words: Words) -> Step:
    """Fences (the reference is sequentially consistent), hints, marks."""
    words.ignore(*words.left)
    return Step("plain", lambda t: None)


@means("createpolicy")
def policy(c: Context, i, words: Words) -> Step:
    """``createpolicy``: what a policy looks like is nobody's business; as the operand of a ``.L2::cache_hint`` it changes no value."""
    words.ignore(*words.left)
    store = c.destination(i, i.operands[0], "b64")
    return Step("plain", lambda t: store(t, 0))
