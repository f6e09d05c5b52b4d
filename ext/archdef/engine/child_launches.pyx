"""What a block has launched, as long as it or any of it is there; and the places of launches by kernels.

Places are used again, with a new serial number: who keeps a pointer to a launch keeps its serial too, and by that knows whether it is
over.
"""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, realloc

from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.heap cimport heap_free
from archdef.engine.launch cimport ChildLaunches, Launch, LaunchBuffer, Origin
from archdef.engine.sm_core cimport SmCore


cdef ChildLaunches *child_launches_take(Dispatcher *d, const SmCore *sm, int32_t slot) noexcept nogil:
    """Record for a block that launches something; NULL: the host has no memory."""
    cdef ChildLaunches *child_launches = d.spare_child_launches
    cdef ChildLaunches **grown
    if child_launches != NULL:
        d.spare_child_launches = child_launches.next
    else:
        if d.child_launches_count == d.child_launches_capacity:
            grown = <ChildLaunches **>realloc(d.child_launches, <size_t>(2 * d.child_launches_capacity + 16) * sizeof(void *))
            if grown == NULL:
                return NULL
            d.child_launches = grown
            d.child_launches_capacity = 2 * d.child_launches_capacity + 16
        child_launches = <ChildLaunches *>calloc(1, sizeof(ChildLaunches))
        if child_launches == NULL:
            return NULL
        child_launches.number = <int32_t>d.child_launches_count
        d.child_launches[d.child_launches_count] = child_launches
        d.child_launches_count += 1
    child_launches.pending = 0
    child_launches.sm = sm.id
    child_launches.slot = slot
    child_launches.ended = False
    child_launches.last = NULL
    child_launches.storage = NULL
    child_launches.warps = NULL
    child_launches.next = NULL
    return child_launches


cdef void child_launches_drop(Dispatcher *d, ChildLaunches *child_launches) noexcept nogil:
    """Forget the launches of a block that nobody asks for any more."""
    child_launches.next = d.spare_child_launches
    d.spare_child_launches = child_launches


cdef void child_launches_leave(Dispatcher *d, ChildLaunches *child_launches) noexcept nogil:
    """The block has ended."""
    child_launches.ended = True
    if child_launches.pending == 0:
        child_launches_drop(d, child_launches)


cdef int launch_enter(Dispatcher *d, Launch *launch) noexcept nogil:
    """Give a launch its number. Returns -1 if the host has no memory."""
    cdef void *grown
    cdef int64_t room = 2 * d.launch_room + 16
    if d.launched == d.launch_room:
        grown = realloc(d.launches, <size_t>room * sizeof(void *))
        if grown == NULL:
            return -1
        d.launches = <Launch **>grown
        grown = realloc(d.landed, <size_t>room * sizeof(int64_t))
        if grown == NULL:
            return -1
        d.landed = d.network_landed[0] = <int64_t *>grown
        d.launch_room = room
    launch.number = <int32_t>d.launched
    d.launches[d.launched] = launch
    d.landed[d.launched] = 0
    d.launched += 1
    return 0


cdef Launch *launch_take(Dispatcher *d) noexcept nogil:
    """A place for a launch by a kernel, with its number; the caller fills in the rest. NULL: the host has no memory."""
    cdef Launch *launch = d.spare
    if launch != NULL:
        d.spare = launch.next_running
        d.landed[launch.number] = 0
        return launch
    launch = <Launch *>calloc(1, sizeof(Launch))
    if launch == NULL or launch_enter(d, launch) < 0:
        free(launch)
        return NULL
    launch.next_made = d.made
    d.made = launch
    return launch


cdef void launch_drop(Dispatcher *d, Launch *launch) noexcept nogil:
    """The launch is over and the places of its blocks are free."""
    launch.serial = 0
    launch.next_running = d.spare
    d.spare = launch


cdef void child_launches_close(Dispatcher *d) noexcept nogil:
    """Free all of them."""
    cdef int64_t i
    cdef Launch *launch
    for i in range(d.child_launches_count):
        free(d.child_launches[i].warps)
        free(d.child_launches[i])
    free(d.child_launches)
    while d.made != NULL:
        launch = d.made
        d.made = launch.next_made
        free(launch.constant_room)
        free(launch)


cdef void buffer_return(Origin *origin, const Launch *launch, int64_t number) noexcept nogil:
    """A launch needs its arguments no more."""
    cdef LaunchBuffer *buffer = origin.buffers + number
    buffer.kernel = -1
    if number < origin.buffer_count:
        origin.free_buffers[origin.free_count] = <int32_t>number
        origin.free_count += 1
        return
    heap_free(launch.heap, buffer.address - BUFFER_HEAD)        # unless the kernel has done that itself
    buffer.address = 0
    buffer.next_free = origin.free_virtual
    origin.free_virtual = number
