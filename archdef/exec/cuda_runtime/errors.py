"""Errors."""
from __future__ import annotations

from archdef.exec.calls import SUCCESS, Int, Thread, answers, status_name, status_text


@answers("cudaGetErrorString", status=False)
def error_string(thread: Thread, number: Int) -> int:
    """Say what a status means."""
    return thread.string(status_text(number))


@answers("cudaGetErrorName", status=False)
def error_name(thread: Thread, number: Int) -> int:
    """Give a status its name."""
    return thread.string(status_name(number))


@answers("cudaGetLastError", status=False)
def last_error(thread: Thread) -> int:
    """Give the thread's last error, and forget it."""
    number, thread.last_error = thread.last_error, SUCCESS
    return number


@answers("cudaPeekAtLastError", status=False)
def peek_error(thread: Thread) -> int:
    """Give the thread's last error."""
    return thread.last_error
