"""Memory for the state of a machine, which one session after the other uses: taken piece by piece, given back as a whole.

A launch that takes microseconds must not wait for the host to commit and to clear megabytes: what a session has given back, the next one takes again, of
whichever device it is, and only what is asked for as zeros is cleared.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef enum:
    LINE = 64                # bytes of the host's cache: each piece begins at one
    CHUNK_BYTES = 1 << 20
    MOST_SPARE_BYTES = 256 << 20     # of all devices of the process together

cdef extern from *:
    """
    #include <pthread.h>
    static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
    static void spare_enter(void) { pthread_mutex_lock(&spare_lock); }
    static void spare_leave(void) { pthread_mutex_unlock(&spare_lock); }
    """
    void spare_enter() noexcept nogil
    void spare_leave() noexcept nogil

cdef Chunk *spare = NULL             # what sessions have given back
cdef size_t spare_bytes = 0


cdef inline char *_start(Chunk *chunk) noexcept nogil:
    """The first line behind the header."""
    return <char *>((<size_t>chunk + sizeof(Chunk) + LINE - 1) & ~<size_t>(LINE - 1))


cdef Chunk *_spare(size_t bytes) noexcept nogil:
    """A chunk that was given back and is large enough, but not by far. NULL: there is none."""
    global spare, spare_bytes
    cdef Chunk **place = &spare
    cdef Chunk *found
    spare_enter()
    while place[0] != NULL and (place[0].bytes < bytes or place[0].bytes > 2 * bytes):
        place = &place[0].next
    found = place[0]
    if found != NULL:
        place[0] = found.next
        spare_bytes -= found.bytes
    spare_leave()
    return found


cdef Chunk *_added(Arena *arena, size_t bytes) noexcept nogil:
    """Add a chunk behind all others. NULL: the host has no memory for it."""
    cdef Chunk *last = arena.first
    cdef Chunk *chunk
    bytes = max(bytes, <size_t>CHUNK_BYTES)
    if bytes > <size_t>1 << 60:
        return NULL
    chunk = _spare(bytes)
    if chunk == NULL:
        chunk = <Chunk *>malloc(sizeof(Chunk) + LINE + bytes)
        if chunk == NULL:
            return NULL
        chunk.bytes = bytes
    chunk.next = NULL
    if last == NULL:
        arena.first = chunk
        return chunk
    while last.next != NULL:
        last = last.next
    last.next = chunk
    return chunk


cdef void *arena_room(Arena *arena, size_t bytes) noexcept nogil:
    """A piece whose contents are whatever stood there, at a line of the host's cache. NULL: the host has no memory for it."""
    cdef Chunk *chunk = arena.current if arena.current != NULL else arena.first
    cdef size_t used = arena.used if arena.current != NULL else 0
    bytes = (max(bytes, <size_t>1) + LINE - 1) & ~<size_t>(LINE - 1)
    while chunk != NULL and bytes > chunk.bytes - used:
        chunk = chunk.next
        used = 0
    if chunk == NULL:
        chunk = _added(arena, bytes)
        used = 0
        if chunk == NULL:
            return NULL
    arena.current = chunk
    arena.used = used + bytes
    return _start(chunk) + used


cdef void *arena_zeroed(Arena *arena, size_t bytes) noexcept nogil:
    """A piece of zeros, likewise."""
    cdef void *place = arena_room(arena, bytes)
    if place != NULL:
        memset(place, 0, bytes)
    return place


cdef void arena_close(Arena *arena) noexcept nogil:
    """Give all back: to the sessions that follow, or to the host where much is spare already."""
    global spare, spare_bytes
    cdef Chunk *chunk = arena.first
    cdef Chunk *following
    while chunk != NULL:
        following = chunk.next
        spare_enter()
        if spare_bytes + chunk.bytes <= <size_t>MOST_SPARE_BYTES:
            chunk.next = spare
            spare = chunk
            spare_bytes += chunk.bytes
            chunk = NULL
        spare_leave()
        free(chunk)
        chunk = following
    arena.first = arena.current = NULL
    arena.used = 0
