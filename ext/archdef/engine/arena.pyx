"""Memory for the state of a machine, which one session after the other uses: taken piece by piece, given back as a whole.

A launch that takes microseconds must not wait for the host to commit and to clear megabytes: what a session has given back, the next one takes again, and
only what is asked for as zeros is cleared.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef enum:
    LINE = 64                # bytes of the host's cache: each piece begins at one
    CHUNK_BYTES = 1 << 20


cdef inline char *_start(Chunk *chunk) noexcept nogil:
    """The first line behind the header."""
    return <char *>((<size_t>chunk + sizeof(Chunk) + LINE - 1) & ~<size_t>(LINE - 1))


cdef Chunk *_added(Arena *arena, size_t bytes) noexcept nogil:
    """Add a chunk behind all others. NULL: the host has no memory for it."""
    cdef Chunk *last = arena.first
    cdef Chunk *chunk
    bytes = max(bytes, <size_t>CHUNK_BYTES)
    if bytes > <size_t>1 << 60:
        return NULL
    chunk = <Chunk *>malloc(sizeof(Chunk) + LINE + bytes)
    if chunk == NULL:
        return NULL
    chunk.next = NULL
    chunk.bytes = bytes
    arena.held += bytes
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


cdef void arena_rewind(Arena *arena) noexcept nogil:
    """Let all pieces be taken again."""
    arena.current = NULL
    arena.used = 0


cdef void arena_close(Arena *arena) noexcept nogil:
    """Give all back to the host."""
    cdef Chunk *chunk = arena.first
    cdef Chunk *following
    while chunk != NULL:
        following = chunk.next
        free(chunk)
        chunk = following
    arena.first = arena.current = NULL
    arena.used = arena.held = 0
