"""What happened when: blocks on multiprocessors, and heat maps of multiprocessors, partitions and banks over time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from archdef.run.result import Run
    from archdef.run.timeline import RunTimeline

MOST_BLOCKS = 1000
"""That are drawn; the first ones."""
MOST_BUCKETS = 64
"""Of time, in a heat map; of more, neighbours are put together."""


def timed(run: Run, leads: dict[str, str]) -> dict[str, Any] | None:
    """Give what a launch recorded over time, None if nothing; `leads` names the lines that heat maps of ``partitions`` lead to."""
    if run.timeline_record is None:
        return None
    timeline = run.timeline()
    blocks = timeline.blocks[:MOST_BLOCKS]
    fields = ("multiprocessor", "slot", "block", "begin", "end")
    return {"blocks": [dict(zip(fields, row, strict=True)) for row in zip(*(blocks[name].tolist() for name in fields), strict=True)],
            "left_out": len(timeline.blocks) - len(blocks), "lost": timeline.record.blocks_lost,
            "heats": [heat | {"to": leads.get(heat["name"])} for heat in _heats(run, timeline)]}


def _heats(run: Run, timeline: RunTimeline) -> list[dict[str, Any]]:
    """List heat maps, each with a row of numbers for a bucket of time."""
    words, lengths = run.architecture.words, timeline.lengths[:, None]
    begins, sums, partitions = timeline.begins, timeline.multiprocessors, timeline.partitions
    if not len(begins):
        return []
    most = run.architecture.limits.warps_per_multiprocessor
    maps = [
        ("warps", f"{words.multiprocessor}s: {words.warp}s resident, of {most}", words.multiprocessor, "%", 100 * sums["warp_cycles"] / lengths / most),
        ("issues", f"{words.multiprocessor}s: instructions issued a cycle", words.multiprocessor, "", sums["issued"] / lengths),
        ("partitions", f"{words.partition}s: time with data on the bus", words.partition, "%", timeline.partition_activity()[1]),
        ("queues", f"{words.partition}s: transactions that wait in the controller", words.partition, "", partitions["queue_cycles"] / lengths)]
    if timeline.activity is not None:
        maps.append(("banks", f"Banks of {words.shared}: words served a cycle, of all {words.multiprocessor}s", "bank", "", timeline.bank_activity()[1]))
    return [{"name": name, "title": title, "of": of, "unit": unit, **_merged(begins, timeline.lengths, values)}
            for name, title, of, unit, values in maps if values.any()]


def _merged(begins: np.ndarray, lengths: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    """Put neighbouring buckets together until they are few: means, weighed by how long each is."""
    each = -(-len(begins) // MOST_BUCKETS)
    at = np.arange(0, len(begins), each)
    long = np.add.reduceat(lengths, at)
    means = np.add.reduceat(values * lengths[:, None], at, axis=0) / long[:, None]
    return {"begins": begins[at].tolist(), "lengths": long.tolist(), "values": means.tolist()}
