from libc.stdint cimport uint64_t

from archdef.engine.coalesce cimport CoalescingTable
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.reach cimport Reach

cdef void transact_together(const CoalescingTable *rule, const uint64_t *address, int first, uint64_t lanes, int n, int bytes, LsuPipeline *out,
                            Reach *reach) noexcept nogil
