"""Arguments of the runtime's calls: checked by what each call's signature says of them, before the call begins.

What a value means, a direction or the handle of a stream, is for the call itself to say; here it is only seen to be a number, a list, a text
or something that can be called, so that no call compares or counts with what is none.
"""
from __future__ import annotations

import functools
import inspect
import numbers
from collections.abc import Callable, Sequence
from typing import Any

from archdef import values
from archdef.host import Stream
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

_LEAST, _MOST = -(1 << 63), (1 << 64) - 1


def checked(call: Callable[..., Any]) -> Callable[..., Any]:
    """Give a call that checks its arguments first. Raises Refusal."""
    signature = inspect.signature(call)
    rules = {name: rule for name, parameter in signature.parameters.items() if (rule := _rule(name, str(parameter.annotation))) is not None}

    @functools.wraps(call)
    def careful(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments, **named)         # its TypeError says which argument is missing or unknown
        for name, rule in rules.items():
            if name in bound.arguments:
                bound.arguments[name] = rule(bound.arguments[name])
        return call(*bound.args, **bound.kwargs)
    return careful


def _rule(name: str, annotation: str) -> Callable[[Any], Any] | None:
    """Give the check of a parameter; None: the call looks at it itself."""
    if annotation in ("int", "int | None"):
        status = "InvalidDevice" if name.endswith(("device", "peer")) else "InvalidValue"
        return functools.partial(_number, name, status, annotation.endswith("None"))
    if annotation == "str | int":
        return functools.partial(_one_of, name, (str, numbers.Integral), "a name or a number")
    if annotation.startswith("Sequence"):
        return functools.partial(_one_of, name, (Sequence,), "a list")
    if annotation.startswith("Callable"):
        return functools.partial(_function, name)
    return _stream if name == "stream" or annotation == "Stream | int | None" else None


def _number(name: str, status: str, optional: bool, value: Any) -> int | None:
    if optional and value is None or isinstance(value, Pointer):
        return value
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and value > _MOST and name == "size":
        raise Refusal("MemoryAllocation", f"no machine has {values.shown(value)} bytes")
    if not whole or not _LEAST <= value <= _MOST:
        raise Refusal(status, f"{name} must be a whole number of at most 64 bits, got {values.shown(value)}")
    return int(value)


def _one_of(name: str, types: tuple[type, ...], what: str, value: Any) -> Any:
    if not isinstance(value, types) or isinstance(value, (str, bytes)) and str not in types:
        raise Refusal("InvalidValue", f"{name} must be {what}, got {values.shown(value)}")
    return value


def _function(name: str, value: Any) -> Any:
    if not callable(value):
        raise Refusal("InvalidValue", f"{name} must be a function, got {values.shown(value)}")
    return value


def _stream(value: Any) -> Any:
    if value is not None and not isinstance(value, (Stream, numbers.Integral)):
        raise Refusal("InvalidResourceHandle", f"{values.shown(value)} is no stream")
    return value
