"""A stride prefetcher of L1."""
from archdef.engine.in_flight cimport InFlight
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory_port cimport MemoryPort
from archdef.engine.observers cimport Observer
from archdef.engine.schedule cimport Scheduler

cdef Observer prefetch_open(const MachineTable *m, const Scheduler *schedulers, InFlight *flight, MemoryPort *port) except *
