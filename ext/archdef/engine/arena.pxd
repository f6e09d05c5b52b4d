"""Memory for the state of a machine, which one session after the other uses: taken piece by piece, given back as a whole."""

cdef struct Chunk:
    Chunk *next
    size_t bytes             # behind this header

cdef struct Arena:
    Chunk *first
    Chunk *current           # from which the next piece is taken …
    size_t used              # … and bytes of it that have been

cdef void *arena_room(Arena *arena, size_t bytes) noexcept nogil
cdef void *arena_zeroed(Arena *arena, size_t bytes) noexcept nogil
cdef void arena_close(Arena *arena) noexcept nogil
