"""NVIDIA Kepler: GK110 (compute capability 3.5), Tesla K40 and K20; GK104 (3.0), GeForce GTX 680."""
import attrs

from archdef.hookspecs import hookimpl
from archdef.spec import (Architecture, BankRows, Cache, Caches, Chip, Clocks, Coalescing, DeviceLaunches, Dram, FirstReady, forms, HostLink, LinkAccesses,
                          Interconnect, Isa, KiB, Limits, Lines, LoadStore, ManagedMemory, LooseRoundRobin, MulticastBroadcast, PartOfUnit, Schedulers,
                          SharedMemory, Unit, Vocabulary, Warp, XorHash, operations, TextureUnits)
from archdef_kepler.costs import COSTS, COSTS_GK104, EVIDENCE, EVIDENCE_GTX680, EVIDENCE_K20, FORMS

FEATURES = """fp64 fp32_fma atomics_global atomics_global_64 atomics_shared atomics_shared_64 atomics_minmax_64 atomics_float_add
    vote vote_ballot shuffle barrier_count barrier_reduce bit_operations byte_permute carry_chain funnel_shift read_only_loads
    unified_addressing device_print device_heap device_calls indirect_calls clock clock64 globaltimer dynamic_parallelism
    texture texture_objects texture_layered texture_cubemap texture_gather surface"""
NESTING = DeviceLaunches(depth=24, synchronization_depth=2, pending=2048, pool="virtualised", virtual_us=30.7, call_us=30.7, lane_us=2.4,
                         start_us=0.8, next_us=1.3, tail_us=4.8)


CORES = PartOfUnit(unit="sp")
"""Groups of 32 cores, of which fewer do some kinds of arithmetic."""


@attrs.frozen(kw_only=True)
class Kind:
    """A chip of the family: what boards with another chip differ in besides."""

    compute_capability: str
    features: frozenset[str]
    costs: list
    registers_per_thread: int
    shift_groups: int
    """Of 32 lanes, in a multiprocessor."""
    double_lanes: int
    cluster: int
    """Multiprocessors of a GPC, as far as it is known."""
    l2_slice_bytes: int
    turnover_cycles: int
    device_launches: DeviceLaunches | None


GK110 = Kind(compute_capability="3.5", features=frozenset(FEATURES.split()), costs=COSTS, registers_per_thread=255, shift_groups=2, double_lanes=64, cluster=1,
             l2_slice_bytes=256 * KiB, turnover_cycles=201, device_launches=NESTING)
GK104 = Kind(compute_capability="3.0", features=GK110.features - {"atomics_minmax_64", "funnel_shift", "read_only_loads", "dynamic_parallelism"},
             costs=COSTS_GK104, registers_per_thread=63, shift_groups=1, double_lanes=8, cluster=2, l2_slice_bytes=128 * KiB, turnover_cycles=201,
             device_launches=None)


def kepler(*, name, title, aliases, multiprocessors, core_mhz, memory_mhz, latency_ns, partitions, capacity_bytes, ecc, link,
           evidence, dram_ns, refresh_ns, chip=GK110) -> Architecture:
    """Describe one board by what the boards differ in; `dram_ns` is from the partition to the row buffer and back."""
    host = dict(copy_engines=2, work_queues=32, concurrent_grids=32) | link
    return Architecture(
        name=name, title=title, vendor="NVIDIA", family="Kepler", compute_capability=chip.compute_capability, aliases=aliases,
        vocabulary=Vocabulary(multiprocessor="SMX", cluster="GPC"), evidence=evidence,
        clocks=Clocks(core_mhz=core_mhz, shader_mhz=core_mhz, memory_mhz=memory_mhz), warp=Warp(size=32),
        chip=Chip(multiprocessors=multiprocessors, multiprocessors_per_cluster=chip.cluster, block_launch_cycles=2,
                  block_turnover_cycles=chip.turnover_cycles, launch_overhead_us=5),
        limits=Limits(
            threads_per_block=1024, threads_per_multiprocessor=2048, warps_per_multiprocessor=64, blocks_per_multiprocessor=16,
            registers_per_multiprocessor=65536, registers_per_block=65536, registers_per_thread=chip.registers_per_thread, registers_reserved_per_thread=1,
            register_allocation_unit=256,
            register_allocation_scope="warp", warp_allocation_granularity=4, shared_bytes_per_multiprocessor=48 * KiB,
            shared_bytes_per_block=48 * KiB, shared_allocation_unit_bytes=256, shared_carveouts=(48 * KiB, 32 * KiB, 16 * KiB),
            block_dimensions=(1024, 1024, 64), grid_dimensions=(2**31 - 1, 65535, 65535), kernel_instructions=512_000_000,
            local_bytes_per_thread=512 * KiB, parameter_bytes=4096, constant_bytes=64 * KiB),
        schedulers=Schedulers(
            count=4, policy=LooseRoundRobin(), issue_interval_cycles=1, issue_width=2, instruction_gap_cycles=1, superscalar=True,
            dual_issue=(frozenset({"sp"}), frozenset({"int"}), frozenset({"sp", "int"}),
                        *(frozenset({one, other}) for one in ("sp", "int") for other in ("shift", "mul", "bar", "sfu", "dp", "lsu", "tex")))),
        units=(Unit("sp", 32, copies=6), Unit("int", 32, copies=5, part_of=CORES), Unit("shift", 32, copies=chip.shift_groups, part_of=CORES),
               Unit("mul", 32, part_of=CORES), Unit("bar", 32, copies=4), Unit("sfu", 32),
               Unit("dp", min(chip.double_lanes, 32), copies=max(chip.double_lanes // 32, 1)),
               Unit("lsu", 32), Unit("tex", 16)),
        isa=Isa(features=chip.features, operations=operations(chip.costs), forms=forms(FORMS), pointer_bits=64, instruction_bytes=9,
                fuse_multiply_add=True, float_mad="fused", predication_max_instructions=7),
        shared=SharedMemory(banks=32, bank_width_bytes=4, bank_rows=BankRows(words=2), conflict_lanes=32, broadcast=MulticastBroadcast(),
                            latency_cycles=26, pass_cycles=1, conflicts_hold_issue=True),
        coalescing=Coalescing(load=Lines(32, 128, 128), store=Lines(32, 128, 32), load_uncached=Lines(32, 128, 32)),
        caches=Caches(
            l1_global_loads=False,
            l1=Cache(size_bytes=16 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=23, misses_in_flight=64,
                     write="through", scope="multiprocessor"),
            constant=Cache(size_bytes=2 * KiB, line_bytes=64, sector_bytes=64, ways=4, latency_cycles=16, misses_in_flight=8,
                           write="evict", scope="multiprocessor"),
            constant_l2=Cache(size_bytes=32 * KiB, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=92, misses_in_flight=8,
                              write="evict", scope="multiprocessor"),
            instruction=Cache(size_bytes=8 * KiB, line_bytes=128, sector_bytes=128, ways=4, latency_cycles=0, misses_in_flight=8, prefetch_degree=2,
                              write="evict", scope="multiprocessor"),
            instruction_l2=Cache(size_bytes=32 * KiB, line_bytes=128, sector_bytes=128, ways=8, latency_cycles=30, misses_in_flight=8, prefetch_degree=7,
                                 write="evict", scope="multiprocessor"),
            instruction_memory_cycles=168, instruction_preload_bytes=32 * KiB,
            texture_l1=Cache(size_bytes=48 * KiB, line_bytes=128, sector_bytes=32, ways=96, latency_cycles=103, misses_in_flight=256,
                             write="evict", scope="multiprocessor"),
            l2=Cache(size_bytes=chip.l2_slice_bytes, line_bytes=128, sector_bytes=32, ways=16, latency_cycles=30, misses_in_flight=256,
                     write="back", scope="partition")),
        texture=TextureUnits(weight_bits=8, coordinate_bits=21, coordinate_extents=(8192, 65536), guard_bits=4),
        load_store=LoadStore(reads_in_flight_per_multiprocessor=512, stores_in_flight_per_multiprocessor=512, transaction_cycles=1,
                             atomic_cycles=1),
        interconnect=Interconnect(
            request_latency_ns=latency_ns[0], response_latency_ns=latency_ns[1], header_bytes=0, injection_bytes_per_cycle=64,
            injection_scope="multiprocessor", partition_request_bytes_per_cycle=64, partition_response_bytes_per_cycle=64),
        dram=Dram(
            partitions=partitions, interleave_bytes=256, partition_map=XorHash(), capacity_bytes=capacity_bytes, bus_bits=64 * partitions,
            transfers_per_clock=2, burst_bytes=32, banks=16, row_bytes=2 * KiB, t_rcd_ns=12, t_rp_ns=12, t_ras_ns=28, t_rrd_ns=6, t_cl_ns=12,
            t_wl_ns=4, t_wtr_ns=5,
            t_rtw_ns=3, t_wr_ns=12, t_refi_ns=1900, t_rfc_ns=refresh_ns, extra_latency_ns=dram_ns, queue_entries=128, scheduling=FirstReady(window=64),
            write_drain_high=32, write_drain_low=8, ecc_overhead_ratio=ecc),
        device_launches=chip.device_launches,
        host_link=HostLink(duplex_ratio=0.9, latency_us=8, call_us=2, submit_us=1, dependency_us=3, wakeup_us=4,
                           peer_latency_us=10, managed=ManagedMemory(host_fault_us=16), **host))


BY_PCIE_2 = LinkAccesses(read_gb_s=8, write_gb_s=8, granule_bytes=64, header_bytes=36, requests_in_flight=256)

K40 = kepler(
    name="k40", title="Tesla K40", aliases=("tesla_k40", "tesla_k40m", "tesla_k40c", "gk110b"), multiprocessors=15, core_mhz=745, memory_mhz=3004,
    latency_ns=(95, 102), partitions=6, capacity_bytes=12_799_574_016, ecc=1.0, evidence=EVIDENCE, dram_ns=147, refresh_ns=260,
    link=dict(name="PCIe 3.0 x16", pinned_h2d_gb_s=10, pinned_d2h_gb_s=10, pageable_h2d_gb_s=4, pageable_d2h_gb_s=4, peer_gb_s=10,
              mapped=LinkAccesses(read_gb_s=12.8, write_gb_s=12.8, granule_bytes=64, header_bytes=36, requests_in_flight=256)))

K20 = kepler(
    name="k20", title="Tesla K20c", aliases=("tesla_k20", "k20c", "gk110"), multiprocessors=13, core_mhz=706, memory_mhz=2600,
    latency_ns=(100, 108), partitions=5, capacity_bytes=4_972_412_928, ecc=1.14, evidence=EVIDENCE_K20, dram_ns=167, refresh_ns=160,
    link=dict(name="PCIe 2.0 x16", pinned_h2d_gb_s=6.04, pinned_d2h_gb_s=6.55, pageable_h2d_gb_s=3, pageable_d2h_gb_s=3, peer_gb_s=6, mapped=BY_PCIE_2))

GTX680 = kepler(
    name="gtx680", title="GeForce GTX 680", aliases=("gtx_680", "geforce_gtx_680", "gk104"), multiprocessors=8, core_mhz=1006, memory_mhz=3004,
    latency_ns=(70.5, 75.5), partitions=4, capacity_bytes=2_146_762_752, ecc=1.0, evidence=EVIDENCE_GTX680, dram_ns=46, refresh_ns=160,
    link=dict(name="PCIe 2.0 x16", pinned_h2d_gb_s=6.19, pinned_d2h_gb_s=6.67, pageable_h2d_gb_s=5.37, pageable_d2h_gb_s=5.63, peer_gb_s=6,
              copy_engines=1, work_queues=1, concurrent_grids=16, mapped=BY_PCIE_2),
    chip=GK104)
"""Declared from documents and microbenchmarks alone: nothing in it was fitted to a kernel."""


@hookimpl
def archdef_architectures():
    return [K40, K20, GTX680]
