"""Calls of the device runtime that fail: each thread's last error, and what no thread has looked at.

`Warp.errors` holds a thread's last error in its low bits and above them how many calls have failed with it since the thread looked. They
count as ignored when the thread ends, or another error takes their place.
"""
from libc.stdint cimport int32_t, uint32_t

from archdef.engine.device_runtime cimport IGNORED, Ignored
from archdef.engine.launch cimport Origin, Warp

cdef enum:
    ERROR_BITS = 10
    ERROR_MASK = (1 << 10) - 1
    MOST_UNSEEN = 1 << 20


cdef Ignored *_entry(Origin *origin, const Warp *w, int32_t error) noexcept nogil:
    """Where failures with an error are counted; the first says where it was."""
    cdef int i = 0
    while i < IGNORED and origin.ignored[i].error and origin.ignored[i].error != error:
        i += 1
    if origin.ignored[i].error == 0:
        origin.ignored[i].error = error
        origin.ignored[i].kernel = w.launch.kernel
        origin.ignored[i].statement = w.launch.ops[w.pc].statement
    return origin.ignored + i


cdef void call_failed(Warp *w, int lane, int32_t error, bint seen) noexcept nogil:
    """A call has failed; `seen`: the thread reads its answer."""
    cdef Origin *origin = w.launch.origin
    cdef int32_t before = w.errors[lane], unseen = before >> ERROR_BITS
    origin.failures += 1
    if unseen and before & ERROR_MASK != error:
        _entry(origin, w, before & ERROR_MASK).count += unseen
        unseen = 0
    if not seen:
        _entry(origin, w, error)
        unseen = min(unseen + 1, MOST_UNSEEN)
    w.errors[lane] = error | unseen << ERROR_BITS


cdef void call_refused(Warp *w, int32_t error, bint seen) noexcept nogil:
    """A call has failed without becoming the thread's last error; `seen`: the thread reads its answer."""
    w.launch.origin.failures += 1
    if not seen:
        _entry(w.launch.origin, w, error).count += 1


cdef int32_t last_error(Warp *w, int lane, uint32_t forget) noexcept nogil:
    """The thread looks at its last error."""
    cdef int32_t error = w.errors[lane] & ERROR_MASK
    w.errors[lane] = 0 if forget else error
    return error


cdef void errors_settle(Warp *w) noexcept nogil:
    """A warp has ended."""
    cdef int32_t lane, unseen
    for lane in range(w.launch.lanes):
        unseen = w.errors[lane] >> ERROR_BITS
        if unseen:
            _entry(w.launch.origin, w, w.errors[lane] & ERROR_MASK).count += unseen
