"""A texture cache that the multiprocessors of a cluster share."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.arena cimport Arena
from archdef.engine.cache cimport Cache, Line
from archdef.engine.crossbar cimport Crossbar
from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport Request

cdef struct ClusterTextures:  # the texture cache of one cluster
    Cache cache
    int64_t *arrives_fs      # [sets][ways]: when what a line waits for is there

cdef struct Fetch:           # of a slot: a read that fills a line of its cluster's texture cache, or waits for one
    Line *line               # that it fills, NULL: none
    int32_t first            # record that waits for the same line, -1: none
    int32_t next

cdef struct SharedTextures:
    const MachineTable *m
    Crossbar *crossbar
    ClusterTextures *caches  # of the clusters, NULL: every multiprocessor has its own
    Fetch *fetches           # [sm * slots + slot]

cdef int shared_texture_open(SharedTextures *s, Crossbar *crossbar, Arena *arena) except -1
cdef void shared_texture_close(SharedTextures *s) noexcept nogil
cdef void shared_texture_filled(SharedTextures *s, int32_t sm, int32_t slot, int64_t arrival_fs) noexcept nogil
cdef bint shared_texture_has(SharedTextures *s, int32_t sm, const Request *r, int64_t now_fs) noexcept nogil
cdef void shared_texture_fetch(SharedTextures *s, int32_t sm, Request *r) noexcept nogil
