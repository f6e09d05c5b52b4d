"""Order one straight piece of code by the latencies of its chains: the inner loop of `archdef.lower.passes.interleave`.

Every step looks at all operations that could come next, which are as many as a piece has: that is why it is compiled.

Invariants:
- `free` holds the operations whose predecessors have all been issued; none of them is in the result;
- `words_of` and `predicates_of` say by how much each operation that is not issued yet would change what is alive.
"""
import numpy as np

from libc.stdint cimport int32_t, uint8_t


cdef struct Step:
    int32_t words                # by which the operation adds to the words alive
    int32_t predicates


cdef class Plan:
    """A piece of code as arrays, to be ordered again and again."""

    cdef int32_t count, patience, operand_read_cycles, most_predicates
    cdef int32_t[::1] behind_first, behind, missing, latency, slots, unit, way, read_first, read, write_first, write
    cdef int32_t[::1] size, left, reader_first, reader, written_words
    cdef uint8_t[::1] waits, is_load, is_memory, leads
    cdef double[::1] held
    cdef int32_t units, first_words, first_predicates
    # one attempt
    cdef int32_t[::1] unread, waiting, result, free, words_of, predicates_of, late_words
    cdef uint8_t[::1] done, fits
    cdef double[::1] start, unit_free, late_at
    cdef int32_t frees, words, predicates, late_first, late_end, oldest
    cdef double now
    cdef bint ran_short

    def __init__(self, *, behind, missing, latency, slots, unit, held, is_load, is_memory, written_words, read, written, size, left, words, predicates,
                 patience, operand_read_cycles, most_predicates):
        self.count = len(missing)
        self.patience, self.operand_read_cycles, self.most_predicates = patience, operand_read_cycles, most_predicates
        self.behind_first, self.behind = _rows([list(mine) for mine in behind])
        self.waits = np.array([waits for mine in behind for waits in mine.values()], np.uint8)
        self.missing, self.latency, self.slots = _array(missing), _array(latency), _array(slots)
        self.unit, self.held = _array(unit), np.array(held, np.float64)
        self.units = 1 + max(unit, default=0)
        self.is_load, self.is_memory = np.array(is_load, np.uint8), np.array(is_memory, np.uint8)
        self.written_words = _array(written_words)
        self.read_first, self.read = _rows(read)
        self.write_first, self.write = _rows(written)
        self.size, self.left = _array(size), _array(left)
        self.first_words, self.first_predicates = words, predicates
        readers = [[] for _ in size]
        for k, mine in enumerate(read):
            for value in mine:
                readers[value].append(k)
        self.reader_first, self.reader = _rows(readers)
        self.way, self.leads = np.zeros(self.count, np.int32), np.zeros(self.count, np.uint8)
        self._ways()

    cdef void _ways(self) noexcept nogil:
        """Cycles from the start of each operation to the end of the piece, and whether it is a load or goes into the address of one."""
        cdef int32_t k, n, e, far
        for k in range(self.count - 1, -1, -1):
            far = 0
            self.leads[k] = self.is_load[k]
            for e in range(self.behind_first[k], self.behind_first[k + 1]):
                n = self.behind[e]
                far = max(far, self.way[n] + (self.latency[k] if self.waits[e] else 1))
                if self.waits[e] and self.leads[n]:
                    self.leads[k] = 1
            self.way[k] = far if self.behind_first[k] < self.behind_first[k + 1] else self.latency[k]

    def order(self, int32_t most, int32_t ahead):
        """Order the piece with about `most` words alive at a time, looking at the `ahead` operations from the first on that has not had its turn.

        Gives the order, the cycles it takes, and whether registers were short.
        """
        cdef double cycles
        self.unread, self.waiting = np.array(self.left), np.array(self.missing)
        self.result, self.free, self.words_of, self.predicates_of, self.late_words = np.zeros((5, self.count), np.int32)
        self.done, self.fits = np.zeros((2, self.count), np.uint8)
        self.start, self.late_at = np.zeros((2, self.count), np.float64)        # cycle in which its operands are there
        self.unit_free = np.zeros(self.units, np.float64)                       # cycle from which on a unit takes the next operation
        self.words, self.predicates, self.now, self.ran_short = self.first_words, self.first_predicates, 0, False
        self.frees = self.late_first = self.late_end = self.oldest = 0
        with nogil:
            cycles = self._run(most, ahead)
        return np.asarray(self.result).tolist(), cycles, self.ran_short

    cdef Step _growth(self, int32_t k) noexcept nogil:
        """By how much operation `k` adds to the words and to the predicates that are alive."""
        cdef Step step
        cdef int32_t e, size
        step.words = step.predicates = 0
        for e in range(self.read_first[k], self.read_first[k + 1]):
            if self.unread[self.read[e]] == 1:
                size = self.size[self.read[e]]
                step.words -= max(0, size)
                step.predicates -= size < 0
        for e in range(self.write_first[k], self.write_first[k + 1]):
            if self.unread[self.write[e]]:
                size = self.size[self.write[e]]
                step.words += max(0, size)
                step.predicates += size < 0
        return step

    cdef double _run(self, int32_t most, int32_t ahead) noexcept nogil:
        cdef Step step
        cdef int32_t k, e, n, issued = 0
        for k in range(self.count):
            step = self._growth(k)
            self.words_of[k], self.predicates_of[k] = step.words, step.predicates
            if not self.waiting[k]:
                self.free[self.frees] = k
                self.frees += 1
        while self.frees:
            while self.done[self.oldest]:
                self.oldest += 1
            while self.late_first < self.late_end and self.late_at[self.late_first] <= self.now:    # what reads memory has read its operands
                self.words -= self.late_words[self.late_first]
                self.late_first += 1
            k = self._chosen(most, self.oldest + ahead)
            if k < 0:
                self.now = max(self.now, self.late_at[self.late_first])
                continue
            self._issue(k)
            self.result[issued] = k
            issued += 1
            for e in range(self.behind_first[k], self.behind_first[k + 1]):
                n = self.behind[e]
                self.start[n] = max(self.start[n], self.now + (self.latency[k] if self.waits[e] else 1))
                self.waiting[n] -= 1
                if not self.waiting[n]:
                    self.free[self.frees] = n
                    self.frees += 1
            self.now += self.slots[k]
        return self.now

    cdef int32_t _chosen(self, int32_t most, int32_t end) noexcept nogil:
        """The operation that comes next, of those before `end`; -1: none yet, registers are waited for."""
        cdef int32_t f, k, best = -1, first = -1, room = most - self.words, wanted = 0
        cdef bint short = False, fitting = False, narrowed = False
        cdef double soonest = 0, wait, least = 0
        for f in range(self.frees):
            k = self.free[f]
            if k >= end:
                self.fits[k] = 0
                continue
            if first < 0 or k < first:
                first = k
            if self.words_of[k] > 0 and self.words_of[k] > room:
                short, self.fits[k] = True, 0
                if self.leads[k] and self.start[k] <= self.now:
                    wanted = max(wanted, self.way[k])
            else:
                self.fits[k] = self.predicates_of[k] <= 0 or self.predicates + self.predicates_of[k] <= self.most_predicates
                fitting = fitting or self.fits[k]
        if short:
            self.ran_short = True
            # loads with a longer way to go get the next registers: nothing that leads to others takes them away one by one
            for f in range(self.frees):
                k = self.free[f]
                if self.fits[k] and (self.words_of[k] <= 0 or not self.leads[k] or self.way[k] >= wanted):
                    narrowed, self.fits[k] = True, 2
        for f in range(self.frees):
            k = self.free[f]
            if narrowed and self.fits[k] != 2:
                self.fits[k] = 0
            if not self.fits[k]:
                continue
            wait = max(self.start[k], self.unit_free[self.unit[k]])
            if best < 0 or wait < soonest:
                soonest = wait
            wait = max(wait - self.now, 0)
            if best < 0 or wait < least or wait == least and (self.way[k] > self.way[best] or self.way[k] == self.way[best] and k < best):
                best, least = k, wait
        # short of registers: rather wait for those than do what comes later still
        if short and self.late_first < self.late_end and (not fitting or soonest > max(self.now, self.late_at[self.late_first])):
            return -1
        if not fitting:
            return first
        if self.is_load[best] and 2 * self.words > most:        # registers are for the loads that are wanted first
            for f in range(self.frees):
                k = self.free[f]
                if self.fits[k] and self.is_load[k] and self.start[k] - self.now <= self.patience and (
                        self.way[k] > self.way[best] or self.way[k] == self.way[best] and k < best):
                    best = k
        return best

    cdef void _issue(self, int32_t k) noexcept nogil:
        """Issue an operation: what it read last is free, what it makes is alive."""
        cdef int32_t f, e, r, value, freed
        for f in range(self.frees):
            if self.free[f] == k:
                self.frees -= 1
                self.free[f] = self.free[self.frees]
                break
        self.done[k] = 1
        self.words += self.words_of[k]
        self.predicates += self.predicates_of[k]
        for e in range(self.read_first[k], self.read_first[k + 1]):
            value = self.read[e]
            self.unread[value] -= 1
            if self.unread[value] == 1:
                for r in range(self.reader_first[value], self.reader_first[value + 1]):
                    if not self.done[self.reader[r]]:
                        self.words_of[self.reader[r]] -= max(0, self.size[value])
                        self.predicates_of[self.reader[r]] -= self.size[value] < 0
        self.now = max(self.now, max(self.start[k], self.unit_free[self.unit[k]]))
        if self.operand_read_cycles and self.is_memory[k]:
            freed = self.written_words[k] - self.words_of[k]
            if freed > 0:
                self.words += freed
                self.late_at[self.late_end] = self.now + self.operand_read_cycles
                self.late_words[self.late_end] = freed
                self.late_end += 1
        self.unit_free[self.unit[k]] = self.now + self.held[k]


def _array(values):
    return np.array(values, np.int32)


def _rows(rows):
    """Give lists of numbers as one array, and where each of them begins in it, the end behind the last."""
    first = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=first[1:])
    return first, np.array([value for row in rows for value in row], np.int32)
