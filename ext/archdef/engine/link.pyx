"""Links of the network, whose traffic becomes known in another order than it comes: each takes the first time that nobody has."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from archdef.engine.arena cimport Arena, arena_room, arena_zeroed


cdef Link *links_open(int64_t count, Arena *arena) except NULL:
    """As many links, which nobody has reserved. Their slots are cleared by the first who does: most launches use few links."""
    cdef Link *links = <Link *>arena_zeroed(arena, <size_t>count * sizeof(Link))
    cdef LinkSlot *slots = <LinkSlot *>arena_room(arena, <size_t>(count * LINK_SLOTS) * sizeof(LinkSlot))
    cdef int64_t i
    if links == NULL or slots == NULL:
        raise MemoryError("links of the network")
    for i in range(count):
        links[i].slots = slots + i * LINK_SLOTS
        links[i].full_to = -1
    return links


cdef int64_t link_reserve(Link *link, int64_t period_fs, int64_t arrival_fs, int64_t takes_fs) noexcept nogil:
    """Reserve a link for so long. Gives when what comes by it has come whole, whose end it would reach at `arrival_fs` if nobody else came.

    What comes is known in another order: each takes the first time that nobody has, so that a late one holds up none before it.
    """
    cdef int64_t length = LINK_SLOT_CYCLES * period_fs
    cdef int64_t number = max(arrival_fs - takes_fs, 0) // length, first
    cdef LinkSlot *slot
    if link.full_to < 0:
        memset(link.slots, 0, LINK_SLOTS * sizeof(LinkSlot))
        link.full_to = 0
    if link.full_from <= number < link.full_to:
        number = link.full_to
    first = number
    while True:
        slot = link.slots + (number & (LINK_SLOTS - 1))
        if slot.number < number:
            slot.number = number
            slot.taken_fs = 0
        if slot.number == number and slot.taken_fs < length:
            if takes_fs <= length - slot.taken_fs:
                slot.taken_fs += takes_fs
                break
            takes_fs -= length - slot.taken_fs
            slot.taken_fs = length
        number += 1
    if number > first >= link.full_to:      # all that lies between is taken: nobody need look there again
        if first > link.full_to:
            link.full_from = first
        link.full_to = number
    return max(arrival_fs, number * length + slot.taken_fs)
