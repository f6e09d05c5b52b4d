"""Ways in, whose traffic becomes known in another order than it comes: each takes the first time that nobody has."""
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free


cdef Way *ways_open(int64_t count) except NULL:
    """As many ways in, which nobody takes."""
    cdef Way *ways = <Way *>calloc(<size_t>count, sizeof(Way))
    cdef Place *places = <Place *>calloc(<size_t>(count * WAY_PLACES), sizeof(Place))
    cdef int64_t i
    if ways == NULL or places == NULL:
        free(ways)
        free(places)
        raise MemoryError("ways of the network")
    for i in range(count):
        ways[i].places = places + i * WAY_PLACES
    return ways


cdef void ways_close(Way *ways) noexcept nogil:
    if ways != NULL:
        free(ways[0].places)
    free(ways)


cdef int64_t way_take(Way *way, int64_t period_fs, int64_t arrival_fs, int64_t takes_fs) noexcept nogil:
    """When something has come by a way that it takes for so long, and whose end it would reach at `arrival_fs` if nobody else came.

    What comes is known in another order: each takes the first time that nobody has, so that a late one holds up none before it.
    """
    cdef int64_t length = WAY_CYCLES * period_fs
    cdef int64_t number = max(arrival_fs - takes_fs, 0) // length, first
    cdef Place *place
    if way.full_from <= number < way.full_to:
        number = way.full_to
    first = number
    while True:
        place = way.places + (number & (WAY_PLACES - 1))
        if place.number < number:
            place.number = number
            place.taken_fs = 0
        if place.number == number and place.taken_fs < length:
            if takes_fs <= length - place.taken_fs:
                place.taken_fs += takes_fs
                break
            takes_fs -= length - place.taken_fs
            place.taken_fs = length
        number += 1
    if number > first >= way.full_to:       # all that lies between is taken: nobody need look there again
        if first > way.full_to:
            way.full_from = first
        way.full_to = number
    return max(arrival_fs, number * length + place.taken_fs)
