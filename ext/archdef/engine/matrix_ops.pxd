"""What micro-ops of matrix products ask for: numbers of the border between lowering and the engine, as in types.pxd."""

cdef enum MatrixOp:     # what K_MATRIX multiplies
    MX_F16 = 0           # the first three, and the groups: added up as the machine tables say
    MX_BF16 = 1
    MX_TF32 = 2
    MX_F64 = 3           # fused multiply-adds in ascending order, rounded by `fpenv`
    MX_INTEGER = 4       # 4 or 8 bits into 32
    MX_BITS_XOR = 5      # ones of a ^ b are counted
    MX_BITS_AND = 6
    MX_GROUPS = 7        # f16, 8 x 8 x 4 in each of four groups of lanes
    MX_TRANSPOSE = 8     # d = a transposed: 8 x 8 numbers of 16 bits, no b and c
    MX_E4M3 = 9          # of K_GROUP_PRODUCT alone; b may be of the other of these two
    MX_E5M2 = 10

cdef enum MatrixForm:   # or-ed
    MF_SIGNED_A = 1
    MF_SIGNED_B = 2
    MF_SATURATE = 4
    MF_C_F16 = 8         # else 32 bits
    MF_D_F16 = 16
    MF_COLUMN_A = 32     # groups: how a and b lie over the lanes
    MF_ROW_B = 64

cdef enum GroupForm:    # or-ed
    GF_NEGATIVE_A = 1    # products count with the other sign
    GF_NEGATIVE_B = 2
    GF_ACROSS_A = 4      # in memory, columns of a follow each other, not rows
    GF_ACROSS_B = 8      # … rows of b, not columns
    GF_COMMIT = 16       # products up to this one are a group
    GF_OTHER_B = 32      # b is of the other 8-bit format

cdef enum GroupOp:      # operations of K_GROUP
    GP_FENCE = 0         # wait for the other warps of the group of four
    GP_COMMIT = 1        # products so far are a group
    GP_WAIT = 2          # wait for all groups of products but the latest `count`
