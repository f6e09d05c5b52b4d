"""Textures, samplers and surfaces of a launch: checked descriptions, found by handle, and which of their bytes were written."""
from libc.stdint cimport int64_t, uint8_t, uint64_t

from archdef.engine.memory cimport Span

cpdef enum TextureKind:      # what a handle stands for
    TK_TEXTURE = 0
    TK_SURFACE = 1
    TK_SAMPLER = 2

cpdef enum TexelFormat:      # of one channel
    TF_U8 = 0
    TF_S8 = 1
    TF_U16 = 2
    TF_S16 = 3
    TF_U32 = 4
    TF_S32 = 5
    TF_F16 = 6
    TF_F32 = 7

cpdef enum AddressMode:      # of coordinates out of range
    AM_CLAMP = 0
    AM_WRAP = 1
    AM_MIRROR = 2
    AM_BORDER = 3

cdef struct Texture:
    uint64_t handle          # what the kernel names it by
    int64_t kind             # TextureKind
    uint64_t address         # device address of the first texel
    int64_t width            # texels
    int64_t there            # of a row's texels those in memory: a linear texture may have more than its allocation. Filled in by `textures_open`
    int64_t height           # rows; 1 in one dimension
    int64_t depth            # slices of three dimensions, else 1
    int64_t layers           # of a layered array, six times the cubes of a cubemap; else 1
    int64_t pitch            # bytes from one row to the next
    int64_t slice            # bytes from one slice or layer to the next
    int64_t format           # TexelFormat
    int64_t channels         # 1, 2 or 4
    int64_t dimensions       # 1, 2 or 3, layers not counted
    int64_t layered
    int64_t cube
    int64_t array            # it is a CUDA array, not rows in memory
    int64_t tiled            # caches see blocks of rows and columns; 0: the bytes as they lie in memory
    int64_t linear           # filter: weighted mean of the nearest texels; 0: the nearest one
    int64_t normalized       # coordinates run from 0 to 1
    int64_t normalized_read  # integers read as fractions of their greatest value
    int64_t address_mode[3]  # AddressMode, per axis

cdef struct Written:         # of an allocation that a texture or surface lies in: which bytes this launch has stored to
    uint64_t start           # device address
    uint64_t bytes
    uint8_t *bits            # one per byte

cdef struct Textures:
    Texture *entries         # sorted by handle
    int64_t count
    Written *written         # sorted by address
    int64_t written_count

cdef int textures_open(Textures *table, const unsigned char *packed, int64_t packed_bytes, const Span *spans, int64_t span_count,
                       bint watch) except -1
cdef void textures_close(Textures *table) noexcept nogil
cdef const Texture *texture_find(const Textures *table, uint64_t handle) noexcept nogil
cdef void texture_written(const Textures *table, uint64_t address, int64_t bytes) noexcept nogil
cdef int texture_stale(const Textures *table, uint64_t address, int bytes) noexcept nogil
