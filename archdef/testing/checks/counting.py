"""Do the counters add up?"""
from __future__ import annotations

import math

from archdef.testing.checks.check import Broken, Subject, check


@check(cases=lambda subject: list(subject.samples))
def counters_conserve(subject: Subject, case: str) -> None:
    """Threads, warps, blocks, lanes, cycles, transactions and bytes are counted once each: sums over parts equal the whole."""
    run, size = subject.finished(case)[0], subject.architecture.warp.size
    c, sm = run.counters, run.counters.multiprocessor
    blocks, threads = math.prod(run.grid), math.prod(run.block)
    warps = blocks * -(-threads // size)
    equal = {
        "blocks over multiprocessors = blocks of the grid": (int(sm["blocks"].sum()), blocks),
        "warps over multiprocessors = warps of the grid": (int(sm["warps"].sum()), warps),
        "warps launched = warps of the grid": (c.warps, warps),
        "lanes launched = warps x warp.size": (c.lanes_launched, warps * size),
        "threads = grid x block": (c.threads, blocks * threads),
        "warp cycles by cause = warp cycles": (sum(c.stalls.values()), int(sm["warp_cycles"].sum())),
        "DRAM row hits + misses = reads + writes": (int(c.partition["row_hits"].sum() + c.partition["row_misses"].sum()),
                                                    int(c.partition["reads"].sum() + c.partition["writes"].sum())),
        "statements add up to the kernel": (sum(s.counters.instructions for s in run.statements), c.instructions),
        "lines add up to the kernel": (sum(line.warp_cycles for line in run.lines), sum(c.stalls.values())),
    }
    at_most = {
        "thread instructions + predicated off <= instructions x warp.size":
            (c.thread_instructions + c.predicated_off, c.instructions * size),
        "divergent branches <= branches": (c.divergent_branches, c.branches),
        "conflict groups <= passes of loads": (c.shared_load_groups, c.shared_load_passes),
        "conflict groups <= passes of stores": (c.shared_store_groups, c.shared_store_passes),
        "L1 hits + misses <= load transactions": (c.l1_hits + c.l1_misses, c.global_load_transactions + c.local_load_transactions),
        "bytes asked by stores <= bytes moved": (c.global_store_bytes_asked, c.global_store_bytes_moved),
        "active cycles of a multiprocessor <= cycles": (int(sm["active_cycles"].max()), c.cycles),
        "resident blocks <= the occupancy rule": (c.max_resident_blocks, run.occupancy.active_blocks),
    }
    faults = [f"{what}: {a} and {b}" for what, (a, b) in equal.items() if a != b]
    faults += [f"{what}: {a} and {b}" for what, (a, b) in at_most.items() if a > b]
    if faults:
        raise Broken(f"{subject.architecture.name}, kernel {case}: " + "; ".join(faults))
