"""What micro-ops of textures and surfaces ask for: numbers of the border between lowering and the engine, as in types.pxd."""

cdef enum Geometry:     # of texture and surface instructions, with their coordinates
    GEO_1D = 0           # x
    GEO_2D = 1           # x y
    GEO_3D = 2           # x y z
    GEO_A1D = 3          # layer x
    GEO_A2D = 4          # layer x y
    GEO_CUBE = 5         # direction x y z
    GEO_ACUBE = 6        # layer, direction

cdef enum TextureOp:
    TX_SAMPLE = 0        # coordinates are single precision, or integers if FL_SIGNED
    TX_GATHER = 1        # channel `element` of four texels
    TX_QUERY = 2         # TextureQuery `element` of a texture, of a surface if `vec`

cdef enum TextureQuery:
    TQ_WIDTH = 0
    TQ_HEIGHT = 1
    TQ_DEPTH = 2
    TQ_ARRAY_SIZE = 3
    TQ_CHANNEL_TYPE = 4
    TQ_CHANNEL_ORDER = 5
    TQ_NORMALIZED = 6
    TQ_MIP_LEVELS = 7
    TQ_SAMPLES = 8
    TQ_LAYOUT = 9        # 1: rows as they lie
    TQ_FILTER = 10       # from here on: of a sampler, or of a texture's own
    TQ_ADDRESS_0 = 11
    TQ_ADDRESS_1 = 12
    TQ_ADDRESS_2 = 13
    TQ_UNNORMALIZED = 14
    TQ_KIND = 15         # TextureKind + 1, 0 if the handle is none; no fault

cdef enum SurfaceOp:
    SF_LOAD = 0
    SF_STORE = 1
    SF_REDUCE = 2        # memory = fn(memory, value): `target` is the atomic function
    SF_STORE_FORMATTED = 3   # coordinates count texels; values of 32 bits become texels of the surface's format
    SF_REDUCE_FORMATTED = 4  # … reductions of whole texels; FL_SIGNED: signed ones by the order of signed numbers

cdef enum Boundary:     # of surface coordinates
    SB_TRAP = 0
    SB_CLAMP = 1
    SB_ZERO = 2
