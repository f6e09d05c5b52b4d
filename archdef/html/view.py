"""What templates take beside the model: figures at the head of a launch, widths of ways between memories."""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from archdef.formatting import count, percent, seconds


def view(run: Mapping[str, Any]) -> dict[str, Any]:
    """Give a launch of the model with what its page needs."""
    return {**run, "figures": [{"name": name, "value": value, "to": to} for name, value, to in _figures(run)], "ways": _ways(run["memory"])}


def _figures(run: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """List the figures at the head: name, value, and the place that shows where it is from."""
    metrics, memory, occupancy = run["metrics"], run["memory"], run["occupancy"]["now"]
    worst = memory["worst"]
    yield "cycles", count(run["cycles"]), "stack"
    yield "time", seconds(run["elapsed_s"]), "bounds"
    yield "occupancy", percent(100 * occupancy["occupancy"]), "occupancy"
    yield "instructions per cycle", f"{metrics['ipc'] or 0:.3g}", "stack"
    for name, metric, to in (("load efficiency", "gld_efficiency", worst["wasted_bytes"]), ("store efficiency", "gst_efficiency", worst["wasted_bytes"]),
                             ("branch efficiency", "branch_efficiency", worst["divergent_branches"])):
        if metrics[metric] is not None:
            yield name, percent(metrics[metric]), to or "lines"
    if memory["shared"]:
        yield "bank-conflict passes", count(memory["shared_conflicts"]), worst["bank_conflicts"] or "memory"
    for name, metric, to in (("L1 hits", "l1_hit_rate", "memory"), ("L2 hits", "l2_hit_rate", "memory"), ("DRAM busy", "dram_utilization", "memory")):
        if metrics[metric] is not None:
            yield name, percent(metrics[metric]), to
    if memory["partitions_in_use"] is not None:
        yield f"{run['words']['partition']}s in use", f"{memory['partitions_in_use']:.1f} of {memory['partitions']}", "partitions"


def _ways(memory: Mapping[str, Any]) -> dict[str, str]:
    """Give how thick each way is drawn, from 0 to 1: the root of its bytes over the most."""
    moved = {"global": memory["moved_bytes"], "network": memory["network_bytes"], "dram": memory["read_bytes"] + memory["written_bytes"],
             "shared": memory["shared_bytes"]}
    most = max(moved.values())
    return {name: f"{math.sqrt(each / most) if most else 0:.3f}" for name, each in moved.items()}
