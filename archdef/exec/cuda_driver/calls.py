"""How functions of the driver are answered: with its own numbers of errors, and in a context."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from archdef.errors import PtxError
from archdef.exec import calls
from archdef.exec.calls import NAMES, Answer, Thread
from archdef.exec.contexts import NOT_INITIALIZED, DriverError
from archdef.exec.fatbin import FatbinError, NoPtx

INVALID_VALUE, INVALID_IMAGE, NO_BINARY, INVALID_PTX, INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED = 1, 200, 209, 218, 400, 500, 801
_AS_DRIVER: Final = {9: INVALID_VALUE, 13: NOT_FOUND, 17: INVALID_VALUE, 21: INVALID_VALUE, 52: INVALID_VALUE, 98: INVALID_HANDLE}
"""The runtime's number → the driver's, where they differ."""
_NAMES: Final = frozenset(NAMES)


def driver_number(error: BaseException) -> int:
    """Give the driver's number for an error."""
    match error:
        case DriverError():
            return error.number
        case PtxError():
            return INVALID_PTX
        case NoPtx():
            return NO_BINARY
        case FatbinError():
            return INVALID_IMAGE
    number = calls.runtime_number(error)
    return _AS_DRIVER.get(number, number)


def answers(*names: str, context: bool = True, initialised: bool = True) -> Callable[[Answer], Answer]:
    """Let a function answer to these names, and to theirs for default streams of threads.

    context, initialised : whether the thread must have a current context, the process have called ``cuInit``.
    """
    def add(answer: Answer) -> Answer:
        checked = _checked(answer, context) if context or initialised else answer
        every = [name + suffix for name in names for suffix in ("", "_ptsz", "_ptds") if name + suffix in _NAMES]
        calls.answers(*every, status=False, number=driver_number)(checked)
        return answer
    return add


def _checked(answer: Answer, context: bool) -> Answer:
    @functools.wraps(answer)
    def careful(thread: Thread, *arguments: Any) -> int | None:
        contexts = thread.session.contexts
        if context:
            contexts.needed(thread)
        elif not contexts.initialised and not thread.uses_runtime:
            raise DriverError(NOT_INITIALIZED, "cuInit was not called")
        return answer(thread, *arguments)
    return careful
