"""Guest memory as the runtime reads it: one lane's generic address at a time, never past what the lane itself could reach."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.heap cimport heap_room
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.memory cimport GLOBAL_BASE, LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES, Span, find_span, span_room
from archdef.engine.sm_core cimport SmCore


cdef char *guest_at(SmCore *sm, const Warp *w, int lane, uint64_t address, int64_t *room) noexcept nogil:
    """Find a generic address in host memory, and how many bytes from there belong to the same allocation; NULL if none."""
    cdef const Launch *launch = w.launch
    cdef const Span *span
    cdef uint64_t offset = address - <uint64_t>SHARED_WINDOW
    room[0] = 0
    if offset < <uint64_t>WINDOW_BYTES:
        if offset >= <uint64_t>launch.shared_bytes:
            return NULL
        room[0] = launch.shared_bytes - <int64_t>offset
        return sm.blocks[w.block].shared + offset
    offset = address - <uint64_t>LOCAL_WINDOW
    if offset < <uint64_t>WINDOW_BYTES:
        if offset >= <uint64_t>launch.local_bytes:
            return NULL
        room[0] = launch.local_bytes - <int64_t>offset
        return w.local + lane * launch.local_bytes + offset
    span = find_span(launch.spans, launch.span_count, address)
    if span != NULL:
        room[0] = <int64_t>span_room(span, address)
    elif launch.heap != NULL:
        room[0] = <int64_t>heap_room(launch.heap, address)
    if room[0] == 0:
        return NULL
    return launch.arena + (address - <uint64_t>GLOBAL_BASE)


cdef int guest_fault(SmCore *sm, const Warp *w, int code, int lane, uint64_t address) noexcept nogil:
    """Record the first fault of the launch, at the warp's op. Returns -1."""
    if sm.fault.code == 0:
        sm.fault.code = code
        sm.fault.op = w.pc
        sm.fault.sm = sm.id
        sm.fault.warp = <int32_t>(w - sm.warps)
        sm.fault.lane = lane
        sm.fault.lanes = <uint64_t>1 << lane
        sm.fault.address = address
        sm.fault.cycle = sm.now
        sm.fault.launch = w.launch
    return -1
