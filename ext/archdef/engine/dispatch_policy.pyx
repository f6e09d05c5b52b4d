"""A plugin's dispatch of blocks: what it is asked, and what becomes of its answer.

It may decline to place a block. It is asked again when a block has ended, and at the cycle that it named. Where nothing else can go on, and nothing comes
of asking again, it is refused.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.clock cimport NEVER
from archdef.engine.machine cimport SCHEDULER_WARPS, MachineTable
from archdef.engine.policy cimport ARCHDEF_DISPATCH_NOT_NOW, Hook, PolicyHead, policy_head, policy_refuse

cdef enum:
    MOST_WAIT_CYCLES = 1 << 30   # for which it may want not to be asked


cdef DispatchPolicy *dispatch_policy_open(const MachineTable *m) except? NULL:
    """Prepare what the policy is asked. NULL: no plugin brings one."""
    cdef Hook *hook = <Hook *><size_t>m.chip.dispatch_hook
    cdef int64_t n = m.chip.multiprocessors
    cdef DispatchPolicy *p
    if hook == NULL:
        return NULL
    p = <DispatchPolicy *>calloc(1, sizeof(DispatchPolicy))
    if p == NULL:
        raise MemoryError("dispatch of blocks")
    p.hook = hook
    p.slots = SCHEDULER_WARPS * m.schedulers.count
    p.ask_at = NEVER
    p.numbers = <int64_t *>calloc(<size_t>(n * (5 + p.slots)), sizeof(int64_t))
    if p.numbers == NULL:
        free(p)
        raise MemoryError("dispatch of blocks")
    p.room = p.numbers
    p.blocks = p.numbers + n
    p.load = p.numbers + 2 * n
    p.ended = p.numbers + 3 * n
    p.instructions = p.numbers + 4 * n
    p.issued_at_end = p.numbers + 5 * n
    policy_head(<PolicyHead *>&p.view, hook, hook.state)
    p.view.multiprocessors = n
    p.view.room = p.room
    p.view.blocks = p.blocks
    p.view.load = p.load
    p.view.ended = p.ended
    p.view.instructions = p.instructions
    p.view.again = &p.again
    return p


cdef void dispatch_policy_close(DispatchPolicy *p) noexcept nogil:
    if p != NULL:
        free(p.numbers)
    free(p)


cdef int64_t dispatch_policy_ask(DispatchPolicy *p, int64_t block, int64_t cycle) noexcept nogil:
    """Give the multiprocessor that a block goes to, -1: none now; `ask_at` is when to ask again. Of an answer that is none, the first with room."""
    cdef int64_t answer
    p.view.block = block
    p.view.cycle = cycle
    p.again = 0
    answer = p.hook.function(&p.view)
    p.declined = answer == ARCHDEF_DISPATCH_NOT_NOW
    p.ask_at = NEVER
    if p.declined and p.again != 0 and not cycle < p.again <= cycle + MOST_WAIT_CYCLES:
        policy_refuse(p.hook, p.again, <uint64_t>block, <uint64_t>cycle, 1)
    elif p.declined:
        p.in_a_row = min(p.in_a_row + 1, 1 << 20)
        if p.again:
            p.ask_at = p.again
    elif answer < 0 or answer >= p.view.multiprocessors or not p.room[answer]:
        policy_refuse(p.hook, answer, <uint64_t>block, <uint64_t>p.view.multiprocessors, 0)
        answer = 0
        while not p.room[answer]:
            answer += 1
    if not p.declined:
        p.in_a_row = 0
        p.last_chance = False
    return answer


cdef void dispatch_policy_ended(DispatchPolicy *p, int32_t sm, int32_t slot) noexcept nogil:
    """The place of a block that has ended is free."""
    p.ended[sm] += 1
    p.instructions[sm] = p.issued_at_end[sm * p.slots + slot]
    p.in_a_row = 0
    p.last_chance = False


cdef void dispatch_policy_blame(DispatchPolicy *p, int64_t cycle) noexcept nogil:
    """Nothing can go on any more, or all go round for ever: refuse the policy if it holds a block back."""
    cdef int64_t i, places = 0
    if p == NULL or not p.declined:
        return
    for i in range(p.view.multiprocessors):
        places += p.room[i]
    policy_refuse(p.hook, places, <uint64_t>p.view.block, <uint64_t>cycle, 2)
