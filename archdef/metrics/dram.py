"""DRAM: traffic, and how evenly the partitions share it."""
from __future__ import annotations

from archdef.metrics.metric import Measurement, metric, ratio

GIGA = 1e9


@metric("GB/s", "DRAM bytes read / time", "dram__bytes_read.sum.per_second")
def dram_read_throughput(m: Measurement) -> float | None:
    """Bytes read from DRAM, over time."""
    return ratio(int(m.counters.partition["bytes_read"].sum()), m.counters.elapsed_s * GIGA)


@metric("GB/s", "DRAM bytes written / time", "dram__bytes_write.sum.per_second")
def dram_write_throughput(m: Measurement) -> float | None:
    """Bytes written to DRAM, over time."""
    return ratio(int(m.counters.partition["bytes_written"].sum()), m.counters.elapsed_s * GIGA)


@metric("count", "DRAM reads", "dram__sectors_read.sum")
def dram_read_transactions(m: Measurement) -> float | None:
    """Bursts read from DRAM."""
    return int(m.counters.partition["reads"].sum())


@metric("count", "DRAM writes", "dram__sectors_write.sum")
def dram_write_transactions(m: Measurement) -> float | None:
    """Bursts written to DRAM."""
    return int(m.counters.partition["writes"].sum())


@metric("%", "busy time of the data buses / (partitions * time)", "dram__throughput.avg.pct_of_peak_sustained_elapsed")
def dram_utilization(m: Measurement) -> float | None:
    """Share of the launch for which the average partition's data bus is busy (a percentage, not nvprof's 0 to 10)."""
    partition = m.counters.partition
    return ratio(int(partition["busy_fs"].sum()) / 1e15, len(partition) * m.counters.elapsed_s, 100)


@metric("%", "row hits / (row hits + misses)")
def dram_row_hit_rate(m: Measurement) -> float | None:
    """Share of DRAM accesses that find their row open."""
    hits, misses = int(m.counters.partition["row_hits"].sum()), int(m.counters.partition["row_misses"].sum())
    return ratio(hits, hits + misses, 100)


@metric("%", "bytes of the busiest partition / bytes of all")
def partition_busiest(m: Measurement) -> float | None:
    """Share of the DRAM traffic that the busiest partition carries."""
    traffic = _traffic(m)
    return ratio(max(traffic, default=0), sum(traffic), 100)


@metric("%", "bytes of the idlest partition / bytes of all")
def partition_idlest(m: Measurement) -> float | None:
    """Share of the DRAM traffic that the idlest partition carries."""
    traffic = _traffic(m)
    return ratio(min(traffic, default=0), sum(traffic), 100)


@metric("count", "time integral of partitions with work / time in which any has work", most=lambda m: m.architecture.dram.partitions)
def partitions_in_use(m: Measurement) -> float | None:
    """Partitions that have DRAM work at a time, while any has; requests that camp use few of many, one after the other."""
    return m.counters.partitions_in_use or None


@metric("count", "partitions with work when requests to DRAM come, summed / these requests", most=lambda m: m.architecture.dram.partitions)
def partitions_per_request(m: Measurement) -> float | None:
    """Partitions that have DRAM work when a request brings one work, itself included; of a line: how many its requests share the work among."""
    return ratio(m.counters.dram_partitions, m.counters.dram_requests)


def _traffic(m: Measurement) -> list[int]:
    partition = m.counters.partition
    moved: list[int] = (partition["bytes_read"] + partition["bytes_written"]).tolist()
    return moved


METRICS = (dram_read_throughput, dram_write_throughput, dram_read_transactions, dram_write_transactions,
           dram_utilization, dram_row_hit_rate, partition_busiest, partition_idlest, partitions_in_use, partitions_per_request)
