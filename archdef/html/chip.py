"""Traffic between the levels of memory, and how evenly multiprocessors and partitions were used."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from archdef.run.result import Run


def memory(run: Run, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Give the levels of memory with their hit rates, and what went over the ways between them."""
    c, metrics, arch = run.counters, run.metrics, run.architecture
    partition = {name: int(c.partition[name].sum()) for name in c.partition.dtype.names or ()}
    return {
        "alone": c.launches == 1, "l2": arch.caches.l2 is not None,
        "loads": c.global_loads, "stores": c.global_stores, "atomics": c.atomics,
        "load_transactions": c.global_load_transactions, "store_transactions": c.global_store_transactions, "atomic_transactions": c.atomic_transactions,
        "asked_bytes": c.global_load_bytes_asked + c.global_store_bytes_asked, "moved_bytes": c.global_load_bytes_moved + c.global_store_bytes_moved,
        "load_efficiency": metrics["gld_efficiency"], "store_efficiency": metrics["gst_efficiency"],
        "local": c.local_loads + c.local_stores, "local_transactions": c.local_load_transactions + c.local_store_transactions,
        "shared": c.shared_loads + c.shared_stores, "shared_passes": c.shared_load_passes + c.shared_store_passes,
        "shared_conflicts": metrics["shared_bank_conflicts"],
        "shared_bytes": (c.shared_load_passes + c.shared_store_passes + c.shared_atomic_passes) * arch.shared.banks * arch.shared.bank_width_bytes,
        "constant": c.constant_loads, "constant_passes": c.constant_passes,
        "texture": c.texture_loads + c.surface_loads, "texture_transactions": c.texture_transactions, "texture_hit_rate": metrics["tex_cache_hit_rate"],
        "l1_hits": c.l1_hits, "l1_misses": c.l1_misses, "l1_hit_rate": metrics["l1_hit_rate"],
        "requests": partition["requests"], "network_bytes": partition["bytes_asked"] + partition["bytes_given"],
        "l2_hits": partition["l2_hits"], "l2_misses": partition["l2_misses"], "l2_hit_rate": metrics["l2_hit_rate"],
        "read_bytes": partition["bytes_read"], "written_bytes": partition["bytes_written"], "row_hit_rate": metrics["dram_row_hit_rate"],
        "dram_utilization": metrics["dram_utilization"], "partitions": len(c.partition), "partitions_in_use": metrics["partitions_in_use"],
        "worst": {what: _most(lines, what) for what in ("moved_bytes", "wasted_bytes", "bank_conflicts", "divergent_branches")}}


def _most(lines: Sequence[dict[str, Any]], what: str) -> str | None:
    """Name the line with the most of something, if there is any."""
    most = max(lines, key=lambda line: line[what] or 0, default=None)
    return most["to"] if most and most[what] else None


def chip(run: Run) -> dict[str, Any]:
    """Give each partition's and each multiprocessor's share of the time and of the work."""
    c = run.counters
    femtoseconds = c.elapsed_s * 1e15
    partitions = [{"number": k, "busy": float(row["busy_fs"]) / femtoseconds if femtoseconds else 0.0, "read_bytes": int(row["bytes_read"]),
                   "written_bytes": int(row["bytes_written"]), "requests": int(row["requests"]), "row_hits": int(row["row_hits"]),
                   "row_misses": int(row["row_misses"])} for k, row in enumerate(c.partition)]
    schedulers = run.architecture.schedulers.count
    multiprocessors = [{"number": k, "active": row["active_cycles"].item() / c.cycles if c.cycles else 0.0,
                        "issuing": row["issue_cycles"].item() / (c.cycles * schedulers) if c.cycles else 0.0,
                        "blocks": int(row["blocks"]), "warps": int(row["warps"]),
                        "resident_warps": row["warp_cycles"].item() / c.cycles if c.cycles else 0.0} for k, row in enumerate(c.multiprocessor)]
    return {"partitions": partitions, "multiprocessors": multiprocessors}
