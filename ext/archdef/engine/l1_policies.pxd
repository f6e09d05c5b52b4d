"""What plugins bring to a multiprocessor's L1: which loads it keeps lines for, and what stands beside it."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.cache cimport Cache, Line
from archdef.engine.in_flight cimport Load
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport Hook, L1View
from archdef.engine.schedule cimport Scheduler
from archdef.engine.sm_core cimport SmCore
from archdef.engine.transaction cimport Transaction

cdef struct L1Policy:
    Hook *hook
    L1View view
    int64_t *state           # the allocation that the words lie in, too
    int64_t words            # that lines have

cdef enum:
    ADMISSION = 0
    VICTIM_CACHE = 1
    PREFETCHER = 2           # which l1_prefetch.pyx asks
    L1_POLICIES = 3

cdef struct L1Policies:
    const MachineTable *m
    const SmCore *core
    const Scheduler *schedulers
    const Cache *l1
    L1Policy *listed[L1_POLICIES]    # NULL: the machine has none of the kind

cdef void l1_policy_about(const Cache *l1, L1Policy *policy, int64_t event, uint64_t number, uint32_t sectors, const Line *line,
                          int64_t cycle) noexcept nogil
cdef void l1_policy_load(const L1Policies *policies, L1Policy *policy, const LsuPipeline *lsu, const Load *load, const Transaction *t) noexcept nogil

cdef L1Policies *l1_policies_open(const MachineTable *m, const SmCore *core, const Scheduler *schedulers, const Cache *l1) except? NULL
cdef void l1_policies_close(L1Policies *policies) noexcept nogil
cdef void l1_policies_emptied(L1Policies *policies) noexcept nogil
cdef bint l1_admits(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint64_t number) noexcept nogil
cdef int64_t l1_supplied(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint64_t number, uint32_t missing,
                         const Line *line) noexcept nogil
cdef void l1_hit(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, const Line *line, bint pending) noexcept nogil
cdef void l1_filled(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, const Line *line, uint64_t evicted,
                    uint32_t evicted_sectors, int64_t cycle) noexcept nogil
cdef void l1_stored(L1Policies *policies, uint64_t address, const Line *line, int64_t cycle) noexcept nogil
