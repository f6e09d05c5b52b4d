"""Loads, stores and atomics, in every space and through generic addresses."""
from __future__ import annotations

from collections.abc import Callable

from archdef.ptx import ir
from archdef.testing.reference import floats
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown
from archdef.testing.reference.formats import FORMATS
from archdef.testing.reference.memory import LOCAL_WINDOW, PARAMETER_BYTES, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW_BYTES
from archdef.testing.reference.types import extend, read, width

_SPACES = ("global", "shared", "local", "const", "param", "shared::cta", "param::entry", "param::func")
_ORDERS = ("weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio")
_SCOPES = ("cta", "cluster", "gpu", "sys")
_CACHES = ("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
           "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::cache_hint",
           "L2::64B", "L2::128B", "L2::256B")


def area(t, space: str, address: int, size: int) -> tuple[bytearray, int]:
    """Give the bytes behind an address in a space (none: generic), after checking alignment and bounds."""
    if address % size:
        raise Wrong(f"misaligned access of {size} bytes at {address:#x}")
    if not space:
        for name, start, length in (("shared", SHARED_WINDOW, WINDOW_BYTES), ("local", LOCAL_WINDOW, WINDOW_BYTES),
                                    ("param", PARAMETER_WINDOW, PARAMETER_BYTES)):
            if start <= address < start + length:
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


def _elements(i, operand: ir.Operand, count: int) -> tuple:
    elements = operand.elements if isinstance(operand, ir.Vector) else (operand,)
    if len(elements) != count:
        raise unknown(i, f"form with {len(elements)} elements")
    return elements


def _words(words: Words) -> tuple[str, int]:
    """Take a load's or store's words; give the space and the number of elements."""
    space = words.one(*_SPACES, default="").partition("::")[0]
    count = int(words.one("v2", "v4", default="v1")[1:])
    words.one(*_ORDERS, default="")
    words.one(*_SCOPES, default="")
    words.ignore(*_CACHES)
    return space, count


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
    stores = [c.destination(i, e, type) if e is not None else None for e in _elements(i, i.operands[0], count)]
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
    values = [c.source(i, e, type) for e in _elements(i, i.operands[1], count)]
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


# ------------------------------------------------------------------------------------------------------------- atomics
_INTEGER_OPERATIONS = {
    "add": lambda old, b: old + b, "min": min, "max": max, "and": lambda old, b: old & b, "or": lambda old, b: old | b,
    "xor": lambda old, b: old ^ b, "exch": lambda old, b: b,
    "inc": lambda old, b: 0 if old >= b else old + 1, "dec": lambda old, b: b if old == 0 or old > b else old - 1}


def operation(i, name: str, type: str, ftz: bool) -> Callable:
    """Give the function of an atomic: old pattern, operand and whether memory flushes subnormal numbers, to new pattern."""
    if type in ("f32", "f64") and name == "add":
        form = FORMATS[type]

        def add(old, b, flushes):
            if ftz or flushes:
                old, b = form.flush(old), form.flush(b)
            result = floats.add(form, old, b, "rn")
            return form.flush(result) if ftz or flushes else result
        return add
    if type in ("f16", "f32", "f64") and name != "exch" or name in ("inc", "dec") and type != "u32":
        raise unknown(i, f"atomic {name} of .{type}")
    function, mask = _INTEGER_OPERATIONS[name], (1 << width(type)) - 1
    return lambda old, b, flushes: function(read(type, old), read(type, b)) & mask


@means("atom", "red")
def atomic(c: Context, i, words: Words) -> Step:
    """``atom``, ``red``: read, compute, write, in one step of one thread.

    PTX ISA, atom: an f32 addition on global memory flushes subnormal inputs and results, one on shared memory does not.
    """
    (type,) = i.types
    name = words.one("cas", *_INTEGER_OPERATIONS)
    space = words.one("global", "shared", "shared::cta", default="").partition("::")[0]
    words.one(*_ORDERS, default="")
    words.one(*_SCOPES, default="")
    words.ignore("L2::cache_hint")
    ftz = type == "f32" and words.flag("ftz")
    operands = i.operands[1:] if i.opcode == "atom" else i.operands
    put = c.destination(i, i.operands[0], type) if i.opcode == "atom" else lambda t, pattern: None
    address, space = address_of(c, i, operands[0], space)
    values = [c.source(i, operand, type) for operand in operands[1:3 if name == "cas" else 2]]
    change = (lambda old, b, new, _: new if old == b else old) if name == "cas" else operation(i, name, type, ftz)
    size = width(type) // 8

    def act(t):
        held, at = area(t, space, address(t), size)
        old = int.from_bytes(held[at:at + size], "little")
        flushes = type == "f32" and held is not t.block.shared
        held[at:at + size] = change(old, *[v(t) for v in values], flushes).to_bytes(size, "little")
        put(t, extend(type, old, width(type)))
    return Step("plain", act)


# -------------------------------------------------------------------------------------------- what changes no value
@means("membar", "fence", "prefetch", "prefetchu", "applypriority", "discard", "nanosleep", "griddepcontrol", "pmevent", "brkpt")
def hint(c: Context, i, words: Words) -> Step:
    """Fences (the reference is sequentially consistent), hints, marks."""
    words.ignore(*words.left)
    return Step("plain", lambda t: None)
