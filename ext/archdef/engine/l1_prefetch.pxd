"""A plugin's prefetcher of L1."""
from archdef.engine.observers cimport Observer
from archdef.engine.state cimport Sm

cdef Observer l1_prefetch_open(Sm *sm) except *
