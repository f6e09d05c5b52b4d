"""Descriptions of machines: frozen values with units in their names, a source for every number, no behaviour.

`Architecture` is the root; `OPERATION_CLASSES` and `FEATURES` are its two vocabularies. See the classes' own documentation for
every field.
"""
from functools import partial

from archdef._deprecation import keep_old_names, moved
from archdef.spec.access import (Broadcast, CoalescingRule, ExtraPass, Lines, MergedLanes, MulticastBroadcast, SegmentShrinking, SingleWordBroadcast,
                                 SplitLanes, StrictHalfWarp, Transaction, WideAccess, WordAtATime)
from archdef.spec.arch import Architecture
from archdef.spec.evidence import KINDS, Cite
from archdef.spec.fields import FrozenMap, GiB, KiB, MiB, unit_of
from archdef.spec.isa import (FEATURE_NEEDS, FEATURE_OF_CLASS, FEATURES, MEMORY_CLASSES, OPERATION_CLASSES, Assembler, BranchCosts, Form, GlobalAtomic,
                              Isa, Operation, PartOfUnit, SerialMatch, SharedAtomic, SlowPath, Unit, forms, operations)
from archdef.spec.machine import (BlockClusters, BlockLaunch, CarveoutHeadroom, Chip, Clocks, CoreDomain, DeviceLaunches, HostLink, Limits, LinkAccesses,
                                  ManagedMemory, RegisterAllocationRules, RegisterFilePartitions, Schedulers, SharedParameters, TYPICAL_LINK, Vocabulary,
                                  Warp)
from archdef.spec.matrix import MATRIX_CLASSES, AlignedSum, ChainedSum, MatrixArithmetic, MatrixSum, PairedSum, WarpgroupProducts
from archdef.spec.memory import (AddressTranslation, BankRows, BulkCopyUnit, ByteMasks, Cache, Caches, ClusterPorts, Coalescing, CodeFetch, ConstantPort,
                                 Dram, Interconnect, L2Partitions, L2Slices, LoadStore, LoadStorePipeline, MemoryInstructionQueue, NocDistances, PageWalk,
                                 Replay, RequestCoalescer, SharedMemory, StoreBuffer, StridePrefetcher, TexturePipeline, TextureUnits, Tlb, UniformFill,
                                 WriteCombining)
from archdef.spec.policy import (
    Admission, RandomOfKLru, BankMap,
    BlockDispatch, ConvergenceBarriers, DramScheduling, FirstReady, GreedyThenOldest, GreedyThenRoundRobin, GpcRoundRobin, Interleaved, IpdomStack,
    LeastRecentlyUsed, LooseRoundRobin, LowOrder, OldestFirst, PagePlacement, ParityHash, PartitionMap, PolicyValue, Prefetcher, Reconvergence, Replacement,
    RoundRobin, SchedulerPolicy, Topology, TwoLevel, VictimCache, WarpThrottle, WeightedPriority, XorHash, named)

__all__ = [
    "AddressTranslation", "Admission", "AlignedSum", "RandomOfKLru", "Architecture", "Assembler", "BankMap", "BankRows", "BlockClusters", "BlockDispatch",
    "BlockLaunch", "BranchCosts", "Broadcast", "BulkCopyUnit", "ByteMasks", "Cache", "Caches", "CarveoutHeadroom", "ChainedSum", "Chip", "Cite", "Clocks",
    "ClusterPorts", "Coalescing", "CoalescingRule", "CodeFetch", "ConstantPort", "ConvergenceBarriers", "CoreDomain", "DeviceLaunches", "Dram",
    "DramScheduling", "ExtraPass", "FEATURE_NEEDS", "FEATURE_OF_CLASS", "FEATURES", "FirstReady", "Form", "forms", "FrozenMap", "GiB", "GlobalAtomic",
    "GreedyThenOldest", "GreedyThenRoundRobin", "GpcRoundRobin", "HostLink", "MemoryInstructionQueue", "Interconnect", "Interleaved", "IpdomStack", "Isa",
    "KiB", "KINDS", "L2Partitions", "L2Slices", "LeastRecentlyUsed", "Limits", "Lines", "LinkAccesses", "LoadStore", "LoadStorePipeline", "LooseRoundRobin",
    "LowOrder", "ManagedMemory", "MATRIX_CLASSES", "MatrixArithmetic", "MatrixSum", "MEMORY_CLASSES", "MergedLanes", "MiB", "MulticastBroadcast", "named",
    "NocDistances", "OldestFirst", "Operation", "OPERATION_CLASSES", "operations", "PagePlacement", "PageWalk", "PairedSum", "ParityHash", "PartitionMap",
    "PartOfUnit", "PolicyValue", "Prefetcher", "Reconvergence", "RegisterAllocationRules", "RegisterFilePartitions", "Replacement", "Replay",
    "RequestCoalescer", "RoundRobin", "SchedulerPolicy", "Schedulers", "SegmentShrinking", "SerialMatch", "SharedAtomic", "SharedMemory", "SharedParameters",
    "SingleWordBroadcast", "SlowPath", "SplitLanes", "StoreBuffer", "StrictHalfWarp", "StridePrefetcher", "TexturePipeline", "TextureUnits", "Tlb",
    "Topology", "Transaction", "TwoLevel", "TYPICAL_LINK", "UniformFill", "Unit", "unit_of", "VictimCache", "Vocabulary", "Warp", "WarpgroupProducts",
    "WarpThrottle", "WeightedPriority", "WideAccess", "WordAtATime", "WriteCombining", "XorHash"]

for _cls, _part in ((LoadStore, "load_store"), (Caches, "caches"), (Cache, "caches."), (Limits, "limits"), (Isa, "isa"),
                    (Assembler, "isa.assembler"), (GpcRoundRobin, "chip.block_launch.dispatch"), (Chip, "chip"), (Clocks, "clocks"), (SharedMemory, "shared"),
                    (Interconnect, "interconnect"), (Dram, "dram"), (Operation, "isa.operations"), (Form, "isa.forms"), (Unit, "units")):
    keep_old_names(_cls, _part)

__getattr__ = partial(moved, __name__)
