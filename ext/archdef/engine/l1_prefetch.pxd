"""A plugin's prefetcher of L1."""
from archdef.engine.observers cimport Observer
from archdef.engine.prefetch cimport PrefetchPath

cdef Observer l1_prefetch_open(const PrefetchPath *path) except *
