"""How the load/store unit sends transactions: L1 and constant lookups, credits, in-flight reads, stalls."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.cache cimport Line
from archdef.engine.in_flight cimport InFlight
from archdef.engine.launch cimport Launch
from archdef.engine.memory_port cimport MemoryPort
from archdef.engine.port cimport Request, Stage
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction

cdef bint send_read(InFlight *flight, MemoryPort *port, const Transaction *t, int32_t kind, int32_t load, int64_t cycle) noexcept nogil
cdef void send_prefetch(InFlight *flight, MemoryPort *port, const Transaction *t, Line *line, int64_t cycle) noexcept nogil
cdef bint send_write(MemoryPort *port, const Transaction *t, Launch *launch, int64_t cycle) noexcept nogil
cdef void lsu_run(Sm *sm, int64_t cycle) noexcept nogil
cdef int32_t take_load(InFlight *flight, int32_t warp, int32_t op) noexcept nogil
cdef void give_load(InFlight *flight, int32_t index) noexcept nogil
cdef void lsu_record(Stage *stage, int32_t unit, const Request *request) noexcept nogil
cdef int32_t fill_mshr(Sm *sm, int32_t index, int64_t cycle, int32_t *done) noexcept nogil
