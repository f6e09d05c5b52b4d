"""What the engine counts of statements, multiprocessors and partitions, as columns; the names are the engine's."""
from __future__ import annotations

from archdef.data.view import Column, whole

_COUNTED = {
    "instructions": "Warp instructions issued.",
    "thread_instructions": "The same, times the lanes that were active and whose guard held.",
    "predicated_off": "Lanes that were active and whose guard was false, times issues.",
    "branches": "Branches that warps executed.",
    "divergent_branches": "Of those, the ones that split the warp.",
    "global_loads": "Loads of global memory by warps.",
    "global_load_transactions": "Transactions that these became.",
    "global_load_bytes_asked": "Bytes that their lanes asked for.",
    "global_load_bytes_moved": "Bytes that their transactions moved.",
    "global_stores": "Stores to global memory by warps.",
    "global_store_transactions": "Transactions that these became.",
    "global_store_bytes_asked": "Bytes that their lanes gave.",
    "global_store_bytes_moved": "Bytes that their transactions moved.",
    "local_loads": "Loads of local memory by warps.",
    "local_load_transactions": "Transactions that these became.",
    "local_stores": "Stores to local memory by warps.",
    "local_store_transactions": "Transactions that these became.",
    "shared_loads": "Loads of shared memory by warps.",
    "shared_load_passes": "Passes over the banks for these.",
    "shared_load_groups": "Passes that these would take without any conflict.",
    "shared_stores": "Stores to shared memory by warps.",
    "shared_store_passes": "Passes over the banks for these.",
    "shared_store_groups": "Passes that these would take without any conflict.",
    "atomics": "Atomic instructions on global memory by warps.",
    "atomic_operations": "Operations of their lanes.",
    "atomic_transactions": "Transactions that these became.",
    "shared_atomics": "Atomic instructions on shared memory by warps.",
    "shared_atomic_passes": "Passes over the banks for these.",
    "constant_loads": "Loads of constant memory by warps.",
    "constant_passes": "Distinct addresses of these, each one pass.",
    "l1_hits": "Sectors that loads looked up in L1 and found, present or on their way.",
    "l1_misses": "Sectors that loads looked up in L1 and did not find.",
    "barriers": "Arrivals of warps at barriers.",
    "divergent_barriers": "Of those, the ones with lanes that had missed an earlier one, or stood at different instructions.",
    "texture_loads": "Texture fetches and gathers by warps.",
    "texture_transactions": "Sectors that these and surface loads asked the texture cache for.",
    "texture_hits": "Of those, the ones that were present or on their way.",
    "texture_misses": "Of those, the others.",
    "texture_hazards": "Lanes that read through a texture or surface what the launch had written.",
    "surface_loads": "Surface loads by warps.",
    "surface_stores": "Surface stores by warps.",
    "surface_store_transactions": "Transactions that these became.",
}
STATEMENT = tuple(whole(name, meaning, "bytes" if "_bytes_" in name else "") for name, meaning in _COUNTED.items())
"""Counters of statements."""
MULTIPROCESSOR: tuple[Column, ...] = (
    whole("blocks", "Blocks that it ran."), whole("warps", "Warps of these."), whole("active_cycles", "Cycles in which it held a warp.", "cycles"),
    whole("warp_cycles", "Cycles of its resident warps, summed over them.", "cycles"), whole("issue_cycles", "Cycles of its schedulers in which they issued.", "cycles"),
    whole("threads", "Threads that it ran."), whole("lanes", "Lanes of its warps, those without a thread among them."))
PARTITION: tuple[Column, ...] = (
    whole("requests", "Requests that came in."), whole("bytes_asked", "Of reads and atomic operations, hits among them.", "bytes"),
    whole("bytes_given", "Of stores.", "bytes"), whole("requests_gathered", "Requests that were answered together with an earlier one, and are counted nowhere else."),
    whole("bytes_gathered", "Bytes of those.", "bytes"), whole("reads", "Bursts read from DRAM."), whole("writes", "Bursts written to DRAM."),
    whole("bytes_read", "Read from DRAM.", "bytes"), whole("bytes_written", "Written to DRAM.", "bytes"), whole("busy_fs", "Time for which the data bus was busy.", "fs"),
    whole("row_hits", "Accesses that found their row open."), whole("row_misses", "Accesses that did not."),
    whole("awaited", "Transactions of DRAM that a multiprocessor waited for."), whole("awaited_fs", "How long these took from their arrival in the queue, in sum.", "fs"),
    whole("texture_l2_hits", "Sectors that the partition's texture cache had."), whole("texture_l2_misses", "Sectors that it did not have."),
    whole("l2_hits", "Requests that L2 answered."), whole("l2_misses", "Requests that it did not."),
    whole("request_bytes", "Of packets that came in.", "bytes"), whole("request_fs", "Time for which these held the port.", "fs"),
    whole("request_wait_fs", "Time for which these waited for it, in sum.", "fs"), whole("response_bytes", "Of packets that went out.", "bytes"),
    whole("response_fs", "Time for which these held the port.", "fs"), whole("response_wait_fs", "Time for which these waited for it, in sum.", "fs"))
