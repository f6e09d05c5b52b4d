"""Launch arguments: checked against the kernel's own parameters and packed into its parameter buffer."""
from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from archdef import values
from archdef.errors import LaunchError
from archdef.frontends.signatures import Declared, Element
from archdef.run.array import DeviceArray
from archdef.run.multicast import Multicast
from archdef.run.pointer import Pointer
from archdef.run.tensor_map import TensorMap
from archdef.run.texture import Handle

if TYPE_CHECKING:
    from archdef.lower.records import Parameter
    from archdef.run.memory import Memory

_UNKNOWN = Declared()
_FLOATS: dict[str, type[np.floating]] = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def pack(kernel: str, layout: Sequence[Parameter], arguments: Sequence[object], memory: Memory, declared: Sequence[Declared] = ()) -> bytes:
    """Build the parameter buffer.

    layout    : parameters with ``name``, ``offset``, ``type`` and ``bytes``.
    declared  : what the author of the kernel declared the first of them as.
    arguments : device arrays, numbers, numpy scalars; bytes-like objects for structures passed by value.
    memory    : the device memory that arrays must lie in.

    Raises LaunchError naming the kernel, the argument's position and what the parameter takes.
    """
    if len(arguments) != len(layout):
        raise LaunchError(f"{kernel} takes {len(layout)} argument{'s' * (len(layout) != 1)} "
                          f"({signature(layout, declared) or 'none'}), got {len(arguments)}")
    if all(type(argument) is bytes and len(argument) == parameter.bytes for parameter, argument in zip(layout, arguments, strict=True)):
        return _joined(layout, cast("Sequence[bytes]", arguments))
    buffer = bytearray(max((p.offset + p.bytes for p in layout), default=0))
    for position, (parameter, argument, said) in enumerate(zip(layout, arguments, _known(layout, declared), strict=True), start=1):
        try:
            _check(said, argument)
            data = _encode(parameter, argument, memory)
        except _Refused as error:
            raise LaunchError(f"argument {position} of {kernel} ({_type(parameter, said)}) {error}") from None
        buffer[parameter.offset:parameter.offset + parameter.bytes] = data
    return bytes(buffer)


def _joined(layout: Sequence[Parameter], arguments: Sequence[bytes]) -> bytes:
    """Build the buffer of what is laid out already, as programs that were compiled hand it over."""
    data = b""
    for parameter, argument in zip(layout, arguments, strict=True):
        data = data.ljust(parameter.offset, b"\0") + argument
    return data


def signature(layout: Sequence[Parameter], declared: Sequence[Declared] = ()) -> str:
    """List the parameters: as their author declared them, or the types that PTX has."""
    return ", ".join(_type(parameter, said) for parameter, said in zip(layout, _known(layout, declared), strict=True))


def _known(layout: Sequence[Parameter], declared: Sequence[Declared]) -> list[Declared]:
    """Give what is known of each parameter, but for what contradicts the sizes that the compiler gave them."""
    said = [*declared, *(_UNKNOWN for _ in range(len(layout) - len(declared)))][:len(layout)]
    return [one if one.element is None or parameter.bytes == (8 if one.pointer else one.element.bytes * one.element.lanes) else _UNKNOWN
            for parameter, one in zip(layout, said, strict=True)]


class _Refused(Exception):
    pass


def _check(said: Declared, argument: Any) -> None:
    """Refuse what the parameter's own type cannot hold, though its size would do."""
    element = said.element
    if element is None:
        return
    if said.pointer:
        if isinstance(argument, DeviceArray) and not element.takes(argument.dtype):
            raise _Refused(f"takes an array of {element}, got one of {argument.dtype}; its address, array.address, is taken as it is")
        return
    if isinstance(argument, DeviceArray):
        raise _Refused(f"is no pointer, got a device array of {argument.dtype}")
    if element.lanes > 1 or isinstance(argument, (bool, np.bool_)) or not isinstance(argument, (numbers.Real, np.ndarray)):
        return
    value = argument[()] if isinstance(argument, np.ndarray) and not argument.ndim else argument
    if element.kind in "iub" and isinstance(value, numbers.Integral):
        low, high = _range(element)
        if not low <= int(value) <= high:
            raise _Refused(f"takes {low:,} to {high:,}, got {values.shown(int(value))}")
    elif element.kind == "f" and element.bytes < 8 and isinstance(value, numbers.Real):
        largest = float(np.finfo(f"f{element.bytes}").max)
        if abs(given := float(_float(value))) > largest * (1 + 2.0 ** (-12 if element.bytes == 2 else -25)) and math.isfinite(given):
            raise _Refused(f"takes numbers up to {largest:.6g}, got {values.shown(value)}; infinity is math.inf")


def _range(element: Element) -> tuple[int, int]:
    if element.kind == "b":
        return 0, 1
    bits = 8 * element.bytes
    return (0, (1 << bits) - 1) if element.kind == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def _type(parameter: Parameter, said: Declared = _UNKNOWN) -> str:
    if said.type:
        return str(said)
    width = int(parameter.type[1:]) // 8
    return parameter.type if parameter.bytes == width else f"{parameter.bytes} bytes by value"


def _encode(parameter: Parameter, argument: Any, memory: Memory) -> bytes:
    is_scalar = parameter.bytes == int(parameter.type[1:]) // 8
    if isinstance(argument, DeviceArray):
        if not is_scalar or parameter.bytes != 8 or parameter.type in _FLOATS:
            raise _Refused(f"is no pointer, got a device array of {argument.dtype}")
        if argument.memory is not memory:
            raise _Refused("got an array of another device; copy it with to_device")
        if argument.freed:
            raise _Refused("got a device array that was freed")
        return argument.address.to_bytes(8, "little")
    if isinstance(argument, Pointer) and argument.memory is not memory:
        raise _Refused("got a pointer to memory of another device")
    if isinstance(argument, Handle):
        if not is_scalar or parameter.bytes != 8 or parameter.type in _FLOATS:
            raise _Refused(f"is no handle, got a {argument.kind}")
        if argument.memory is not memory:
            raise _Refused(f"got a {argument.kind} of another device")
        if not argument.live:
            raise _Refused(f"got a {argument.kind} whose device array was freed")
        return argument.handle.to_bytes(8, "little")
    if isinstance(argument, Multicast):
        if not is_scalar or parameter.bytes != 8 or parameter.type in _FLOATS:
            raise _Refused("is no pointer, got a multicast address")
        if argument.memory is not memory:
            raise _Refused("got a multicast address of another device")
        if not argument.live:
            raise _Refused("got a multicast address whose device array was freed")
        return argument.address.to_bytes(8, "little")
    if isinstance(argument, TensorMap):
        return _raw(parameter, bytes(argument))
    if isinstance(argument, np.ndarray) and argument.ndim:
        raise _Refused("got a numpy array, which is host memory; copy it with to_device")
    if isinstance(argument, (bytes, bytearray, memoryview, np.void)) or not is_scalar:
        return _raw(parameter, argument)
    if isinstance(argument, np.ndarray):
        argument = argument[()]
    if not isinstance(argument, (numbers.Number, np.bool_)) or isinstance(argument, complex):
        wanted = "a number or a device array" if parameter.bytes == 8 else "a number"
        raise _Refused(f"takes {wanted}, got {type(argument).__name__}")
    if parameter.type in _FLOATS:
        with np.errstate(over="ignore"):
            return _FLOATS[parameter.type](_float(argument)).tobytes()
    if parameter.type[0] == "b" and isinstance(argument, np.floating):
        if argument.nbytes != parameter.bytes:
            raise _Refused(f"takes {parameter.bytes} bytes, got {argument.dtype} of {argument.nbytes}")
        return argument.tobytes()
    return _integer(parameter, argument)


def _integer(parameter: Parameter, argument: Any) -> bytes:
    if not isinstance(argument, (numbers.Integral, np.bool_)):
        raise _Refused(f"takes an integer, got {values.shown(argument)}")
    value, bits = int(argument), 8 * parameter.bytes
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise _Refused(f"takes a {bits}-bit integer, got {values.shown(value)}")
    return (value % (1 << bits)).to_bytes(parameter.bytes, "little")


def _float(argument: Any) -> float | np.generic:
    """Round what numpy does not take itself (integers past 64 bits, fractions) to a double, past the largest to infinity."""
    if isinstance(argument, np.generic):
        return argument
    try:
        return float(argument)
    except OverflowError:
        return math.inf if argument > 0 else -math.inf


def _raw(parameter: Parameter, argument: Any) -> bytes:
    if isinstance(argument, (np.void, np.ndarray)) and argument.ndim == 0:
        argument = np.asarray(argument).astype(argument.dtype.newbyteorder("<"))  # kernels read little-endian
    try:
        data = argument.tobytes() if isinstance(argument, (np.generic, np.ndarray)) else bytes(memoryview(argument))
    except (TypeError, ValueError, BufferError):
        raise _Refused(f"takes a structure as bytes or as a numpy record, got {type(argument).__name__}") from None
    if len(data) != parameter.bytes:
        raise _Refused(f"takes {parameter.bytes} bytes, got {len(data)}")
    return data
