"""How functions of the driver are answered: with its own numbers of errors, and in a context."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from archdef.errors import PtxError
from archdef.exec import arguments, calls
from archdef.exec.calls import NAMES, Answer, Thread
from archdef.exec.failures import UNAFFECTED
from archdef.runtime.status import Refusal

INVALID_VALUE, INVALID_IMAGE, INVALID_PTX, INVALID_HANDLE, NOT_FOUND = 1, 200, 218, 400, 500
_ITS_OWN: Final = {"NotInitialized": 3, "InvalidImage": INVALID_IMAGE, "InvalidContext": 201, "FileNotFound": 301, "ContextIsDestroyed": 709}
"""What the runtime has no name for."""
_AS_DRIVER: Final = dict.fromkeys((9, 12, 17, 18, 20, 21, 37, 52), INVALID_VALUE) | {13: NOT_FOUND, 98: INVALID_HANDLE}
"""The runtime's number → the driver's, where they differ."""
_NAMES: Final = frozenset(NAMES)


def driver_number(error: BaseException) -> int:
    """Give the driver's number for an error."""
    match error:
        case Refusal() if error.status in _ITS_OWN:
            return _ITS_OWN[error.status]
        case PtxError():        # also for a machine that lacks what an instruction needs: what the driver has is a text, not a choice of images
            return INVALID_PTX
    number = calls.runtime_number(error)
    return _AS_DRIVER.get(number, number)


def answers(*names: str, context: bool = True, initialised: bool = True) -> Callable[[Answer], Answer]:
    """Let a function answer to these names, and to theirs for default streams of threads.

    context, initialised : whether the thread must have a current context, the process have called ``cuInit``.
    """
    def add(answer: Answer) -> Answer:
        fails = UNAFFECTED.isdisjoint(names)
        for name in names:
            careful = arguments.checked(name, answer)
            calls.answers(*_with_streams(name), status=False, number=driver_number)(_checked(careful, context, fails) if context or initialised else careful)
        return answer
    return add


def refuses(why: str, *names: str) -> None:
    """Let functions, and theirs for default streams of threads, be refused with a reason."""
    calls.refuses(why, *_with_streams(*names), status=False, number=driver_number)


def _with_streams(*names: str) -> list[str]:
    if unknown := set(names) - _NAMES:
        raise ValueError(f"no functions of the driver: {', '.join(sorted(unknown))}")
    return [name + suffix for name in names for suffix in ("", "_ptsz", "_ptds") if name + suffix in _NAMES]


def _checked(answer: Answer, context: bool, fails: bool) -> Answer:
    @functools.wraps(answer)
    def careful(thread: Thread, *arguments: Any) -> int | None:
        contexts = thread.session.contexts
        if context:
            contexts.needed(thread)
            if fails:
                thread.session.failures.check(thread)
        elif not contexts.initialised and not thread.uses_runtime:
            raise Refusal("NotInitialized", "cuInit was not called")
        return answer(thread, *arguments)
    return careful
