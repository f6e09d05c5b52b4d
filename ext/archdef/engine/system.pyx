"""System calls: what a kernel asks of the machine's runtime, served lane by lane in ascending order.

Every address that a kernel sends is looked up like an access of that lane; what cannot be read is a fault of the guest.
Printing copies format, values and strings into the launch's buffer; Python formats them afterwards.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.children cimport child_call, is_item
from archdef.engine.counters cimport ST_ALU_DEPENDENCY, ST_LAUNCH
from archdef.engine.device_runtime cimport Output
from archdef.engine.fault_code cimport FAULT_ASSERT, FAULT_BOUNDS, FAULT_CALL_TARGET, FAULT_FRAME, FAULT_FREE, FAULT_STACK
from archdef.engine.groups cimport group_call
from archdef.engine.guest cimport guest_at, guest_fault
from archdef.engine.dispatch_event cimport DISPATCH_BLOCK_WAITING
from archdef.engine.heap cimport heap_allocate, heap_free
from archdef.engine.dispatcher cimport Dispatcher, dispatch_note
from archdef.engine.launch cimport WS_CHILDREN, Launch, Warp
from archdef.engine.operand cimport row_of
from archdef.engine.simt cimport simt_call_one
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport FL_ADDRESS64, SYS_ALLOCATE, SYS_ASSERT, SYS_FREE, SYS_GROUP_HANDLE, SYS_LAUNCH_BUFFER, SYS_PRINT
from archdef.engine.uop cimport Uop

cdef extern from "<string.h>" nogil:
    size_t strnlen(const char *text, size_t most)


cdef inline uint64_t _wide(const Launch *launch, const Warp *w, const Uop *u, int i, int lane) noexcept nogil:
    return (<const uint64_t *>row_of(launch, w, u, i))[lane]


# --------------------------------------------------------------------------------------------------------------- printing
cdef inline bint _digit(char c) noexcept nogil:
    return c >= c'0' and c <= c'9'


cdef int _number(const char *format, int64_t length, int64_t *at) noexcept nogil:
    """Step over decimal digits; give their number, a large one for what does not fit."""
    cdef int64_t value = 0
    while at[0] < length and _digit(format[at[0]]):
        value = min(value * 10 + (format[at[0]] - c'0'), <int64_t>1 << 30)
        at[0] += 1
    return <int>value


cdef struct Printing:
    SmCore *sm
    Warp *w
    int lane
    uint64_t values          # guest address of the next value
    uint64_t offset
    char *place              # where the next piece of the record goes
    char *end
    int count
    int full
    int cut                  # PRINT_CUT, or 0


cdef int _value(Printing *p, int bytes, uint64_t *value) noexcept nogil:
    """Read the next value of 4 or 8 bytes, which lies at a multiple of its size. Returns -1 after a fault."""
    cdef int64_t room
    cdef const char *place
    p.offset = (p.offset + <uint64_t>bytes - 1) & ~(<uint64_t>bytes - 1)
    place = guest_at(p.sm, p.w, p.lane, p.values + p.offset, &room)
    if place == NULL or room < bytes:
        return guest_fault(p.sm, p.w, FAULT_BOUNDS, p.lane, p.values + p.offset)
    value[0] = 0
    memcpy(value, place, <size_t>bytes)
    p.offset += <uint64_t>bytes
    return 0


cdef void _emit(Printing *p, uint32_t kind, uint64_t value, const char *text, int64_t bytes) noexcept nogil:
    """Append a value, and the string that it stands for, to the record."""
    cdef int64_t padded = (bytes + 7) & ~<int64_t>7
    cdef PrintValue head
    if p.full or p.end - p.place < <int64_t>sizeof(PrintValue) + padded:
        p.full = 1
        return
    head.kind = kind
    head.pad = 0
    head.value = value
    memcpy(p.place, &head, sizeof(PrintValue))
    p.place += sizeof(PrintValue)
    if bytes:
        memset(p.place + padded - 8, 0, 8)
        memcpy(p.place, text, <size_t>bytes)
        p.place += padded


cdef int _string(Printing *p, uint64_t address, int64_t most) noexcept nogil:
    """Append the string at a guest address, at most `most` bytes of it. Returns -1 after a fault."""
    cdef int64_t room, length, reach
    cdef const char *place
    if address == 0:
        _emit(p, PK_NULL, 0, NULL, 0)
        return 0
    place = guest_at(p.sm, p.w, p.lane, address, &room)
    if place == NULL:
        return guest_fault(p.sm, p.w, FAULT_BOUNDS, p.lane, address)
    reach = min(room, min(most, <int64_t>PRINT_STRING_BYTES))
    length = <int64_t>strnlen(place, <size_t>reach)
    if length == room and length < min(most, <int64_t>PRINT_STRING_BYTES):     # the allocation ends before the string does
        return guest_fault(p.sm, p.w, FAULT_BOUNDS, p.lane, address + <uint64_t>room)
    if length == <int64_t>PRINT_STRING_BYTES and length < most and (length == room or place[length] != 0):
        p.cut = PRINT_CUT
    _emit(p, PK_STRING, <uint64_t>length, place, length)
    return 0


cdef int _given_number(Printing *p, const char *format, int64_t length, int64_t *at, int64_t *number) noexcept nogil:
    """Read the width or the precision of a conversion; ``*`` takes it from the values. Returns -1 after a fault."""
    cdef uint64_t value
    if at[0] >= length or format[at[0]] != c'*':
        number[0] = _number(format, length, at)
        return 0
    at[0] += 1
    if p.count < PRINT_VALUES:
        if _value(p, 4, &value) < 0:
            return -1
        number[0] = <int32_t>value
        _emit(p, PK_INT, value, NULL, 0)
        p.count += 1
    return 0


cdef int _conversions(Printing *p, const char *format, int64_t length) noexcept nogil:
    """Collect the values that a format asks for. Returns -1 after a fault."""
    cdef int64_t at = 0, width = 0, precision
    cdef bint wide
    cdef char c
    cdef uint64_t value
    while at < length:
        c = format[at]
        at += 1
        if c != c'%':
            continue
        while at < length and format[at] in (c'-', c'+', c' ', c'#', c'0'):
            at += 1
        if _given_number(p, format, length, &at, &width) < 0:
            return -1
        precision = -1
        if at < length and format[at] == c'.':
            at += 1
            if _given_number(p, format, length, &at, &precision) < 0:
                return -1
        wide = False
        while at < length and format[at] in (c'h', c'l', c'j', c'z', c't', c'L', c'q'):
            wide = wide or format[at] != c'h'
            at += 1
        if at >= length:
            return 0
        c = format[at]
        at += 1
        if p.count >= PRINT_VALUES:
            continue
        if c in (c'd', c'i', c'u', c'o', c'x', c'X', c'c'):
            if c == c'c':
                wide = False
            if _value(p, 8 if wide else 4, &value) < 0:
                return -1
            _emit(p, PK_LONG if wide else PK_INT, value, NULL, 0)
        elif c in (c'f', c'F', c'e', c'E', c'g', c'G', c'a', c'A', c'p', c's'):
            if _value(p, 8, &value) < 0:
                return -1
            if c == c's':
                if _string(p, value, precision if precision >= 0 else <int64_t>1 << 40) < 0:
                    return -1
            else:
                _emit(p, PK_LONG if c == c'p' else PK_FLOAT, value, NULL, 0)
        else:
            continue
        p.count += 1
    return 0


cdef struct Kept:
    int64_t cycle
    int32_t sm
    int64_t offset


cdef int _in_time(const void *a, const void *b) noexcept nogil:
    """Order of time, then of multiprocessor, then as each lane came by."""
    cdef const Kept *one = <const Kept *>a
    cdef const Kept *other = <const Kept *>b
    if one.cycle != other.cycle:
        return -1 if one.cycle < other.cycle else 1
    if one.sm != other.sm:
        return -1 if one.sm < other.sm else 1
    return -1 if one.offset < other.offset else 1


cdef int _keep_latest(Output *out) noexcept nogil:
    """Forget the oldest records, down to the room that there is for them. Returns -1 if the host has no memory.

    Multiprocessors take turns, so records do not come in order of time; what is not among the latest now never will be.
    """
    cdef int64_t count = 0, at = 0, used = 0, first, i
    cdef const PrintRecord *head
    cdef char *bytes_ = <char *>malloc(<size_t>out.capacity)
    cdef Kept *kept
    while at < out.used:
        at += (<const PrintRecord *>(out.bytes + at)).bytes
        count += 1
    kept = <Kept *>malloc(<size_t>(count + 1) * sizeof(Kept))
    if bytes_ == NULL or kept == NULL:
        free(bytes_)
        free(kept)
        return -1
    at = 0
    for i in range(count):
        head = <const PrintRecord *>(out.bytes + at)
        kept[i].cycle = head.cycle
        kept[i].sm = head.sm
        kept[i].offset = at
        at += head.bytes
    qsort(kept, <size_t>count, sizeof(Kept), _in_time)
    first = count
    while first > 0 and used + (<const PrintRecord *>(out.bytes + kept[first - 1].offset)).bytes <= out.room:
        first -= 1
        used += (<const PrintRecord *>(out.bytes + kept[first].offset)).bytes
    used = 0
    for i in range(first, count):
        head = <const PrintRecord *>(out.bytes + kept[i].offset)
        memcpy(bytes_ + used, head, head.bytes)
        used += head.bytes
    free(kept)
    free(out.bytes)
    out.bytes = bytes_
    out.used = used
    return 0


cdef int _print(SmCore *sm, Warp *w, int lane, uint64_t format, uint64_t values, int32_t *result) noexcept nogil:
    """Append one record to the launch's output, in place of the oldest where there is no room. Returns -1 after a fault."""
    cdef Output *out = &w.launch.origin.output
    cdef int64_t room, length, padded
    cdef const char *text
    cdef PrintRecord head
    cdef Printing p
    cdef int turn, cut
    result[0] = -1
    if format == 0:
        return 0
    text = guest_at(sm, w, lane, format, &room)
    if text == NULL:
        return guest_fault(sm, w, FAULT_BOUNDS, lane, format)
    length = <int64_t>strnlen(text, <size_t>min(room, <int64_t>PRINT_FORMAT_BYTES))
    if length == room:
        return guest_fault(sm, w, FAULT_BOUNDS, lane, format + <uint64_t>room)
    padded = (length + 7) & ~<int64_t>7
    cut = PRINT_CUT if length == <int64_t>PRINT_FORMAT_BYTES and text[length] != 0 else 0
    out.calls += 1
    for turn in range(2):
        memset(&p, 0, sizeof(Printing))
        p.sm = sm
        p.w = w
        p.lane = lane
        p.values = values
        p.cut = cut
        p.end = out.bytes + out.capacity
        p.full = out.capacity - out.used < <int64_t>sizeof(PrintRecord) + padded
        p.place = out.bytes + out.used
        if not p.full:
            p.place += <int64_t>sizeof(PrintRecord) + padded
        if _conversions(&p, text, length) < 0:
            return -1
        result[0] = p.count
        if not p.full:
            break
        if turn or out.used == 0:        # larger than all the room
            return 0
        if _keep_latest(out) < 0:
            sm.fault.out_of_memory = True
            return 0
    if p.place - (out.bytes + out.used) > out.room:
        return 0
    head.bytes = <uint32_t>(p.place - (out.bytes + out.used))
    head.format_bytes = <uint32_t>length
    head.cycle = sm.now
    head.sm = sm.id
    head.values = p.count | p.cut
    memcpy(out.bytes + out.used, &head, sizeof(PrintRecord))
    if length:
        memset(out.bytes + out.used + <int64_t>sizeof(PrintRecord) + padded - 8, 0, 8)
        memcpy(out.bytes + out.used + <int64_t>sizeof(PrintRecord), text, <size_t>length)
    out.used += head.bytes
    return 0


# ---------------------------------------------------------------------------------------------------------- indirect calls
cdef int call_indirect(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Call the function whose number the first lane holds, for all lanes that hold it. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef const char *row = row_of(launch, w, u, 0)
    cdef bint wide = u.flags & FL_ADDRESS64
    cdef uint64_t number, other, same = 0, left = lanes
    cdef int lane = lowest_bit(lanes), k
    number = (<const uint64_t *>row)[lane] if wide else (<const uint32_t *>row)[lane]
    if number - 1 >= <uint64_t>u.target_count or launch.targets[u.first_target + <int32_t>(number - 1)] < 0:
        return guest_fault(sm, w, FAULT_CALL_TARGET, lane, number)
    while left:
        k = lowest_bit(left)
        left &= left - 1
        other = (<const uint64_t *>row)[k] if wide else (<const uint32_t *>row)[k]
        if other == number:
            same |= <uint64_t>1 << k
    if simt_call_one(w, launch.targets[u.first_target + <int32_t>(number - 1)], same, lanes) < 0:
        return guest_fault(sm, w, FAULT_STACK, lane, number)
    return 0


# ---------------------------------------------------------------------------------------------------------------- dispatch
cdef int _call(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle, int64_t *late) noexcept nogil:
    """Serve a K_SYSTEM op for `lanes` (not empty), and say how much later than others its launches come. Returns -1 after a fault, 1 if the
    warp has to wait for what its block has launched."""
    cdef Launch *launch = w.launch
    cdef int lane, i, answer, wait = 0, turn = 0
    cdef int32_t printed
    cdef int64_t top, due
    cdef uint64_t address
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        if u.fn >= SYS_GROUP_HANDLE:
            if group_call(sm, w, u, lane) < 0:
                return -1
        elif u.fn >= SYS_LAUNCH_BUFFER:
            due = cycle + w.launch.m.device_launches.call_cycles + turn * w.launch.m.device_launches.lane_cycles + late[0]
            late[0] -= due
            answer = child_call(sm, d, w, u, lane, &due)
            late[0] += due
            turn += 1
            if answer < 0:
                return -1
            wait |= answer
        elif u.fn == SYS_PRINT:
            if _print(sm, w, lane, _wide(launch, w, u, 0, lane), _wide(launch, w, u, 1, lane), &printed) < 0:
                return -1
            if u.d[0] >= 0:
                (<int32_t *>(w.rows + u.d[0]))[lane] = printed
        elif u.fn == SYS_ASSERT:
            if sm.fault.code == 0:
                for i in range(4):
                    sm.fault.detail[i] = (<uint64_t>(<const uint32_t *>row_of(launch, w, u, i))[lane] if i == 2
                                          else _wide(launch, w, u, i, lane))
                guest_fault(sm, w, FAULT_ASSERT, lane, 0)
                sm.fault.lanes |= lanes     # those behind it, which each say so on hardware
            return -1
        elif u.fn == SYS_ALLOCATE:
            address = heap_allocate(launch.heap, _wide(launch, w, u, 0, lane))
            if u.d[0] >= 0:
                (<uint64_t *>(w.rows + u.d[0]))[lane] = address
        elif u.fn == SYS_FREE:
            address = _wide(launch, w, u, 0, lane)
            if address and heap_free(launch.heap, address) < 0:
                return guest_fault(sm, w, FAULT_FREE, lane, address)
        else:
            top = (<int64_t>(<const int32_t *>row_of(launch, w, u, 0))[lane]
                   + <int64_t>(<const int32_t *>row_of(launch, w, u, 1))[lane])
            if top < launch.stack_start or top > launch.local_bytes:
                return guest_fault(sm, w, FAULT_FRAME, lane, <uint64_t>top)
            (<int32_t *>(w.rows + u.d[0]))[lane] = <int32_t>top
    return wait


cdef int system_issue(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle, int64_t *earliest, int32_t *cause) noexcept nogil:
    """Issue a system call. Returns -1 after a fault, 1 if the warp waits for what its block has launched, else 0."""
    cdef int64_t late = 0
    cdef int wait = _call(sm, d, w, u, lanes, cycle, &late) if lanes else 0
    cdef int i
    if wait < 0:
        return -1
    for i in range(u.set_count):
        w.ready[u.sets[i]] = (cycle + u.latency) << 4 | ST_ALU_DEPENDENCY
    if wait:
        w.state = WS_CHILDREN
        dispatch_note(d, cycle + w.launch.m.chip.block_turnover_cycles, DISPATCH_BLOCK_WAITING, sm.id, w.block)
    elif u.fn >= SYS_LAUNCH_BUFFER and is_item(u):
        earliest[0] = max(earliest[0], cycle + w.launch.m.device_launches.call_cycles + (count_bits(lanes) - 1) * w.launch.m.device_launches.lane_cycles + late)
        cause[0] = ST_LAUNCH
    return wait
