"""Numbers and record layouts of the engine's border, as ``types.pxd``, ``texture_ops.pxd`` and ``matrix_ops.pxd`` in
``ext/archdef/engine/`` declare them.

A test reads those files and compares every enumerator and every field with this module.
"""
from __future__ import annotations

from enum import IntEnum, IntFlag

import numpy as np

NO_ROW = 0x7FFFFFFF
"""Absent row operand."""
NO_PREDICATE = -1
"""Absent predicate destination."""
PRED_TRUE = 0
PRED_CARRY = 1
GENERIC_SHARED = 0x01000000
"""First generic address of the window through which shared memory is seen."""
GENERIC_LOCAL = 0x02000000
"""First generic address of the window of thread-local memory."""
GENERIC_WINDOW = 0x01000000
"""Bytes of each window; device memory begins behind both."""
CLUSTER_FIRST = 0x02000000
"""First address, in shared memory, of those of the blocks of a cluster by rank: a window each, and a window later as a generic address."""


class Kind(IntEnum):
    """What a micro-op does."""

    NOP = 0
    ALU = 1
    SETP = 2
    SELP = 3
    PRED = 4
    CARRY = 5
    P2R = 6
    LOAD = 7
    STORE = 8
    ATOM = 9
    BRANCH = 10
    BRANCH_INDEXED = 11
    CALL = 12
    RETURN = 13
    EXIT = 14
    BARRIER = 15
    VOTE = 16
    SHUFFLE = 17
    FENCE = 18
    SPECIAL = 19
    TRAP = 20
    MATCH = 21
    SYSTEM = 22
    CALL_INDIRECT = 23
    COPY = 24
    COPY_GROUP = 25
    PHASE = 26
    BULK = 27
    REGISTERS = 28
    REDUX = 30
    MATRIX = 45
    MATRIX_LOAD = 46
    MATRIX_STORE = 47
    GROUP_PRODUCT = 48
    GROUP = 49
    TEXTURE = 40
    SURFACE = 41


class Space(IntEnum):
    """Memory that a load, store or atomic accesses."""

    GLOBAL = 0
    SHARED = 1
    LOCAL = 2
    CONST = 3
    GENERIC = 4
    TEXTURE = 5
    SURFACE = 6
    MATRIX = 7


class Flag(IntFlag):
    """Or-ed into ``flags``."""

    SIGNED = 1
    ADDRESS64 = 2
    CARRY_OUT = 4
    TOGETHER = 4
    """Of loads, stores and atomic operations, which carry nothing."""
    BYPASS_L1 = 8
    READ_ONLY = 16
    UNIFORM = 32
    PREDICATED = 64
    YIELD = 128


WHOLE_WARP = 1
"""``combine`` of a load or store that is a fault unless every lane of the warp takes part."""
MULTICAST = 2
"""``combine`` of a load, store or atomic in global memory whose address is a multicast one."""


class Combine(IntEnum):
    """How a comparison is combined with a predicate."""

    NONE = 0
    AND = 1
    OR = 2
    XOR = 3


class BarrierOp(IntEnum):
    """``fn`` of a barrier."""

    SYNC = 0
    ARRIVE = 1
    RED_POPC = 2
    RED_AND = 3
    RED_OR = 4
    WARP = 5
    CLUSTER_ARRIVE = 6
    CLUSTER_WAIT = 7
    GRIDS = 8


class VoteOp(IntEnum):
    """``fn`` of a vote."""

    ALL = 0
    ANY = 1
    UNI = 2
    BALLOT = 3
    ACTIVE = 4
    ELECT = 5


class ReduxOp(IntEnum):
    """``fn`` of a reduction over a warp."""

    ADD = 0
    MIN_U = 1
    MAX_U = 2
    MIN_S = 3
    MAX_S = 4
    AND = 5
    OR = 6
    XOR = 7


class ShuffleOp(IntEnum):
    """``fn`` of a shuffle."""

    UP = 0
    DOWN = 1
    BFLY = 2
    IDX = 3


class BranchOp(IntEnum):
    """``fn`` of a branch."""

    BRANCH = 0
    JOIN = 1


class EndOp(IntEnum):
    """``fn`` of an end."""

    PLAIN = 0
    BRANCH = 1


class SystemCall(IntEnum):
    """``fn`` of a system call."""

    PRINT = 0
    ASSERT = 1
    ALLOCATE = 2
    FREE = 3
    STACK = 4
    LAUNCH_BUFFER = 5
    LAUNCH = 6
    JOIN = 7
    STREAM_MAKE = 8
    STREAM_DROP = 9
    EVENT_MAKE = 10
    EVENT_DROP = 11
    EVENT_RECORD = 12
    EVENT_WAIT = 13
    COPY = 14
    FILL = 15
    TAKE = 16
    GIVE = 17
    ERROR = 18
    ERROR_TEXT = 19
    DEVICE = 20
    ATTRIBUTE = 21
    LIMIT = 22
    NUMBER = 23
    GROUP_HANDLE = 24
    GROUP_SIZE = 25
    GROUP_RANK = 26


class CopyGroup(IntEnum):
    """``fn`` of an operation on groups of asynchronous copies."""

    COMMIT = 0
    WAIT = 1
    WAIT_ALL = 2
    BULK_COMMIT = 3
    BULK_WAIT = 4
    BULK_WAIT_READ = 5


class BulkRoute(IntEnum):
    """``combine`` of a bulk copy."""

    TO_SHARED = 0
    TO_GLOBAL = 1
    WITHIN = 2
    BOX_IN = 3
    BOX_OUT = 4


class BoxFlag(IntFlag):
    """``offset`` of a copy by a tensor map."""

    IM2COL = 1
    MULTICAST = 2


class BoxOp(IntEnum):
    """``fn`` of a reduction by a tensor map."""

    ADD = 0
    MIN = 1
    MAX = 2
    INC = 3
    DEC = 4
    AND = 5
    OR = 6
    XOR = 7


class PhaseOp(IntEnum):
    """``fn`` of an operation on a barrier in shared memory."""

    INIT = 0
    INVALIDATE = 1
    ARRIVE = 2
    ARRIVE_DROP = 3
    ARRIVE_EXPECT = 4
    EXPECT = 5
    COMPLETE = 6
    TEST = 7
    TEST_PARITY = 8


class RegisterOp(IntEnum):
    """``fn`` of a change of a warp's registers."""

    GIVE = 0
    TAKE = 1


class Geometry(IntEnum):
    """``fn`` of texture and surface instructions."""

    G1D = 0
    G2D = 1
    G3D = 2
    A1D = 3
    A2D = 4
    CUBE = 5
    ACUBE = 6


COORDINATES = {Geometry.G1D: 1, Geometry.G2D: 2, Geometry.G3D: 3, Geometry.A1D: 2, Geometry.A2D: 3, Geometry.CUBE: 3,
               Geometry.ACUBE: 4}
"""Values that name a texel, the layer among them."""


class TextureOp(IntEnum):
    """``combine`` of a texture instruction."""

    SAMPLE = 0
    GATHER = 1
    QUERY = 2


class TextureQuery(IntEnum):
    """``element`` of a query."""

    WIDTH = 0
    HEIGHT = 1
    DEPTH = 2
    ARRAY_SIZE = 3
    CHANNEL_TYPE = 4
    CHANNEL_ORDER = 5
    NORMALIZED = 6
    MIP_LEVELS = 7
    SAMPLES = 8
    LAYOUT = 9
    FILTER = 10
    ADDRESS_0 = 11
    ADDRESS_1 = 12
    ADDRESS_2 = 13
    UNNORMALIZED = 14
    KIND = 15


class SurfaceOp(IntEnum):
    """``combine`` of a surface instruction."""

    LOAD = 0
    STORE = 1
    REDUCE = 2
    STORE_FORMATTED = 3
    REDUCE_FORMATTED = 4


class Boundary(IntEnum):
    """``offset`` of a surface instruction: what becomes of coordinates out of range."""

    TRAP = 0
    CLAMP = 1
    ZERO = 2


class MatrixOp(IntEnum):
    """``fn`` of a matrix product."""

    F16 = 0
    BF16 = 1
    TF32 = 2
    F64 = 3
    INTEGER = 4
    BITS_XOR = 5
    BITS_AND = 6
    GROUPS = 7
    TRANSPOSE = 8
    E4M3 = 9
    E5M2 = 10


class MatrixForm(IntFlag):
    """Or-ed into ``combine`` of a matrix product."""

    SIGNED_A = 1
    SIGNED_B = 2
    SATURATE = 4
    C_F16 = 8
    D_F16 = 16
    COLUMN_A = 32
    ROW_B = 64


class GroupForm(IntFlag):
    """Or-ed into ``offset`` of a product of a warpgroup."""

    NEGATIVE_A = 1
    NEGATIVE_B = 2
    ACROSS_A = 4
    ACROSS_B = 8
    COMMIT = 16
    OTHER_B = 32


class GroupOp(IntEnum):
    """``fn`` of what concerns the products of a warpgroup."""

    FENCE = 0
    COMMIT = 1
    WAIT = 2


class SpecialRegister(IntEnum):
    """Values that the engine supplies."""

    TID_X = 0
    TID_Y = 1
    TID_Z = 2
    CTAID_X = 3
    CTAID_Y = 4
    CTAID_Z = 5
    LANEID = 6
    WARPID = 7
    NWARPID = 8
    SMID = 9
    NSMID = 10
    LANEMASK_EQ = 11
    LANEMASK_LE = 12
    LANEMASK_LT = 13
    LANEMASK_GE = 14
    LANEMASK_GT = 15
    NTID_X = 16
    NTID_Y = 17
    NTID_Z = 18
    NCTAID_X = 19
    NCTAID_Y = 20
    NCTAID_Z = 21
    WARP_SIZE = 22
    DYNAMIC_SHARED = 23
    TOTAL_SHARED = 24
    GRIDID = 25
    WORKSPACE = 26
    CLOCK = 27
    CLOCK_HI = 28
    CLOCK64 = 29
    GLOBALTIMER = 30
    LANEMASK64_EQ = 31
    LANEMASK64_LE = 32
    LANEMASK64_LT = 33
    LANEMASK64_GE = 34
    LANEMASK64_GT = 35
    CLUSTER_CTARANK = 36
    CLUSTER_CTAID_X = 37
    CLUSTER_CTAID_Y = 38
    CLUSTER_CTAID_Z = 39
    CLUSTERID_X = 40
    CLUSTERID_Y = 41
    CLUSTERID_Z = 42
    CLUSTER_NCTARANK = 43
    CLUSTER_NCTAID_X = 44
    CLUSTER_NCTAID_Y = 45
    CLUSTER_NCTAID_Z = 46
    NCLUSTERID_X = 47
    NCLUSTERID_Y = 48
    NCLUSTERID_Z = 49
    IS_EXPLICIT_CLUSTER = 50
    CLUSTER_ORIGIN = 51


FIRST_LAUNCH_WIDE, FIRST_ON_DEMAND, FIRST_LANEMASK64 = (
    SpecialRegister.NTID_X, SpecialRegister.CLOCK, SpecialRegister.LANEMASK64_EQ)
FIRST_OF_CLUSTER, FIRST_OF_ALL_CLUSTERS = SpecialRegister.CLUSTER_CTARANK, SpecialRegister.CLUSTER_NCTARANK


class ConstantKind(IntEnum):
    """What a constant row holds."""

    IMMEDIATE = 0
    PARAMETER = 1
    SPECIAL = 2
    GLOBAL_SYMBOL = 3
    CONST_SYMBOL = 4
    PARAM_SYMBOL = 5
    LOCAL_SYMBOL = 6
    SHARED_SYMBOL = 7


MICRO_OP = np.dtype([
    ("kind", "u1"), ("unit", "u1"), ("guard", "u1"), ("flags", "u1"), ("fn", "<u2"), ("fpenv", "u1"), ("width", "u1"),
    ("space", "u1"), ("element", "u1"), ("vec", "u1"), ("combine", "u1"), ("issues", "<u2"), ("interval", "<u2"), ("fraction", "<u2"), ("rare", "<u2"),
    ("latency", "<u4"), ("guard_predicate", "<i4"), ("d", "<i4", 4), ("s", "<i4", 5), ("offset", "<i8"),
    ("target", "<i4"), ("reconverge", "<i4"), ("count", "<i4"), ("held_cycles", "<i4"), ("retry_cycles", "<i4"), ("atomic_function", "<u2"),
    ("bank_passes", "u1"), ("lanes_merged", "u1"), ("weight", "u1"), ("value_count", "u1"), ("statement", "<u4"), ("also", "<i4")])
"""One packed micro-op (`struct MicroOp`)."""
CONSTANT_ROW = np.dtype([("kind", "<u4"), ("width", "<u4"), ("value", "<u8")])
"""One constant row (`struct ConstantRow`)."""
SPECIAL_ROW = np.dtype([("special", "<u4"), ("row", "<u4")])
"""One special register that the engine puts into a row (`struct SpecialRow`)."""
