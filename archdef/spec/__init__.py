"""Descriptions of machines: frozen values with units in their names, a source for every number, no behaviour.

`Architecture` is the root; `OPERATION_CLASSES` and `FEATURES` are its two vocabularies. See the classes' own documentation for
every field.
"""
from archdef.spec.access import (Broadcast, CoalescingRule, Lines, MergedLanes, MulticastBroadcast, SegmentShrinking, SingleWordBroadcast,
                                 SplitLanes, StrictHalfWarp, Transaction, WideAccess, WordAtATime)
from archdef.spec.arch import Architecture
from archdef.spec.evidence import KINDS, Cite
from archdef.spec.fields import FrozenMap, GiB, KiB, MiB, unit_of
from archdef.spec.isa import (FEATURE_NEEDS, FEATURE_OF_CLASS, FEATURES, MEMORY_CLASSES, OPERATION_CLASSES, Assembler, Form, Isa,
                              Operation, Unit, forms, operations)
from archdef.spec.machine import BlockClusters, Chip, Clocks, DeviceLaunches, HostLink, Limits, ManagedMemory, Schedulers, Vocabulary, Warp
from archdef.spec.matrix import MATRIX_CLASSES, AlignedSum, ChainedSum, MatrixArithmetic, MatrixSum, PairedSum, WarpgroupProducts
from archdef.spec.memory import (AddressTranslation, Cache, Caches, Coalescing, Dram, InstructionQueue, Interconnect, LoadStore, PageWalk, SharedMemory,
                                 StridePrefetcher, TextureUnits, Tlb, WriteCombining)
from archdef.spec.policy import (
    AmongOldest, BankMap,
    BlockDispatch, ConvergenceBarriers, DramScheduling, FirstReady, GreedyThenOldest, GreedyThenRoundRobin, GroupByGroup, Interleaved, IpdomStack,
    LeastRecentlyUsed, LooseRoundRobin, LowOrder, OldestFirst, ParityHash, PartitionMap, PolicyValue, Reconvergence, Replacement, RoundRobin, SchedulerPolicy,
    TwoLevel, WarpThrottle, WeightedPriority, XorHash, named)

__all__ = [
    "AddressTranslation",
    "AlignedSum", "AmongOldest", "Architecture", "Assembler", "BankMap", "BlockClusters", "BlockDispatch", "Broadcast", "Cache", "Caches", "ChainedSum", "Chip",
    "Cite",
    "Clocks", "Coalescing", "CoalescingRule", "ConvergenceBarriers", "DeviceLaunches", "Dram", "DramScheduling", "FEATURES",
    "FEATURE_NEEDS", "FEATURE_OF_CLASS", "FirstReady", "Form", "forms", "FrozenMap", "GiB", "GreedyThenOldest", "GreedyThenRoundRobin", "GroupByGroup",
    "HostLink", "InstructionQueue", "Interconnect", "Interleaved", "IpdomStack", "Isa", "KINDS", "KiB", "LeastRecentlyUsed", "Limits", "Lines", "LoadStore",
    "LooseRoundRobin", "LowOrder",
    "MATRIX_CLASSES", "MEMORY_CLASSES", "ManagedMemory", "MatrixArithmetic", "MatrixSum", "MergedLanes", "MiB", "MulticastBroadcast", "OPERATION_CLASSES",
    "OldestFirst", "Operation", "PageWalk", "PairedSum", "ParityHash", "PartitionMap", "PolicyValue", "Reconvergence", "Replacement", "RoundRobin",
    "SchedulerPolicy", "Schedulers", "SegmentShrinking", "SharedMemory", "SingleWordBroadcast", "SplitLanes", "StrictHalfWarp", "StridePrefetcher",
    "TextureUnits", "Tlb", "Transaction", "TwoLevel", "Unit", "Vocabulary", "Warp", "WarpThrottle", "WarpgroupProducts", "WeightedPriority",
    "WideAccess", "WordAtATime",
    "WriteCombining", "XorHash",
    "named", "operations", "unit_of",
]
