"""A machine as `archdef.pack` gives it: its integers, checked, and the policies that plugins bring to it."""
from archdef.engine.hooks cimport Hooks
from archdef.engine.launch cimport MOST_CLUSTER_BLOCKS
from archdef.engine.machine cimport MAX_SCHEDULERS, MAX_UNITS, MachineTable
from archdef.engine.units cimport UNIT_COPIES

from archdef.errors import EngineLimit

cdef class Tables:
    """What does not change of a machine.

    One session after the other may use it, and then takes less time to begin; several at a time may, too, where no plugin brings a policy.

    Parameters
    ----------
    machine : dict
        Integers of `MachineTable`, from `archdef.pack.machine_tables`.
    """

    def __cinit__(self, dict machine):
        self.machine = machine
        _check(&self.machine)
        self.hooks = Hooks(machine.get("policies", ()))
        self.hooks.place(&self.machine)


cdef int _check(const MachineTable *m) except -1:
    """Refuse tables that the engine's fixed sizes cannot hold."""
    for name, value, low, high in (
            ("warp_size", m.warp.size, 1, 64), ("multiprocessors", m.chip.multiprocessors, 1, 1 << 14),
            ("cluster_size", m.chip.multiprocessors_per_cluster, 1, 1 << 14),
            ("most_cluster_blocks", m.block_clusters.most_blocks_nonportable, 1, MOST_CLUSTER_BLOCKS),
            ("remote_latency_cycles", m.block_clusters.latency_cycles, 1, 1 << 20), ("remote_bytes_per_cycle", m.block_clusters.bytes_per_cycle, 1, 1 << 20),
            ("cluster_barrier_cycles", m.block_clusters.barrier_cycles, 1, 1 << 20),
            ("warps_per_multiprocessor", m.limits.warps_per_multiprocessor, 1, 1 << 14), ("schedulers", m.schedulers.count, 1, MAX_SCHEDULERS),
            ("l2_partitions", m.interconnect.l2_partitions.count, 1, 16 if m.dram.partitions % max(m.interconnect.l2_partitions.count, 1) == 0 else 1),
            ("units", m.schedulers.units, 1, MAX_UNITS), ("issue_interval_cycles", m.schedulers.issue_interval_cycles, 1, 1 << 16),
            ("issue_width", m.schedulers.issue_width, 1, 8), ("banks", m.shared.banks, 1, 256),
            ("bank_width_bytes", m.shared.bank_width_bytes, 1, 16), ("row_words", m.shared.row_words, 1, 16),
            ("conflict_lanes", m.shared.conflict_lanes, 1, 64),
            *(("unit_copies", m.units[i].copies, 1, UNIT_COPIES) for i in range(16)),
            *(("unit_within", m.units[i].within, 0, 15) for i in range(16)),
            *(("unit_first", m.units[i].first, 0, UNIT_COPIES - m.units[i].copies) for i in range(16)),
            ("partitions", m.dram.partitions, 1, 4096), ("dram_banks", m.dram.banks, 1, 64),
            ("shader_period_fs", m.clocks.shader_period_fs, 1, 1 << 40), ("core_period_fs", m.clocks.core_period_fs, 1, 1 << 40),
            ("response_latency_fs", m.interconnect.response_latency_fs, m.clocks.shader_period_fs, 1 << 50),
            ("queue_room", m.load_store.memory_instruction_queue.entries, 1, 64),
            ("bank_queue", m.load_store.pipeline.data_stage_entries, 0, 64),
            ("queue_entries", m.dram.queue_entries, 1, 1 << 16), ("window", m.dram.window, 1, 1 << 16),
            ("reads_in_flight", m.load_store.reads_in_flight_per_multiprocessor, 1, 1 << 14),
            ("stores_in_flight", m.load_store.stores_in_flight_per_multiprocessor, 1, 1 << 14),
            ("store_bytes_in_flight", m.load_store.store_bytes_in_flight_per_multiprocessor, 0, 1 << 24),
            ("textures_in_flight", m.load_store.textures_in_flight_per_multiprocessor, 0, 1 << 11),
            ("interleave_bytes", m.dram.interleave_bytes, 32, 1 << 30), ("row_bytes", m.dram.row_bytes, 32, 1 << 30),
            ("burst_bytes", m.dram.burst_bytes, 1, 1 << 20), ("burst_fs", m.dram.burst_fs, 1, 1 << 40),
            ("injection_bytes_per_cycle", m.interconnect.injection_bytes_per_cycle, 1, 1 << 20),
            ("partition_request_bytes_per_cycle", m.interconnect.partition_request_bytes_per_cycle, 1, 1 << 20),
            ("partition_response_bytes_per_cycle", m.interconnect.partition_response_bytes_per_cycle, 1, 1 << 20),
            ("texture_weight_bits", m.texture.weight_bits, 1, 8), ("texture_coordinate_bits", m.texture.coordinate_bits, 8, 24),
            ("texture_guard_bits", m.texture.guard_bits, 0, 8), ("load.group_lanes", m.load.group_lanes, 1, 64),
            ("store.group_lanes", m.store.group_lanes, 1, 64),
            ("load_uncached.group_lanes", m.load_uncached.group_lanes, 1, 64)):
        if not low <= value <= high:
            raise EngineLimit(f"machine table: {name} must be {low} to {high}, got {value}")
    return 0
