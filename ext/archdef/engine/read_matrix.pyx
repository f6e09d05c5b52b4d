"""Reading micro-ops on matrices, which take all lanes of a warp."""
from libc.stdint cimport int32_t, int64_t, uint16_t

from archdef.engine cimport matrix_ops as MO, types as T
from archdef.engine.counters cimport ST_SHARED_DEPENDENCY
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport NAMES_ALL, Uop

from archdef.engine.program_tables import ProgramError

# bits of a number of the multiplicands, by MatrixOp
_ELEMENT_BITS = ((16,), (16,), (32,), (64,), (4, 8), (1,), (1,))
_GROUP_BITS = {MO.MX_F16: 16, MO.MX_BF16: 16, MO.MX_TF32: 32, MO.MX_INTEGER: 8, MO.MX_E4M3: 8, MO.MX_E5M2: 8}


cdef int _sources(const MicroOp *m) except -1:
    """Check the shape of a product of one warp. Gives how many registers its factors and what is added have."""
    cdef int64_t words = m.offset * m.element // 32
    cdef int tall = m.vec
    if tall not in (1, 2) or m.element not in _ELEMENT_BITS[m.fn] or not 4 <= m.offset <= 256:
        raise ProgramError(f"{8 * tall} rows of {m.offset} numbers of {m.element} bits")
    if m.fn > MO.MX_TF32 and m.combine & (MO.MF_C_F16 | MO.MF_D_F16):
        raise ProgramError(f"f16 numbers added to products of kind {m.fn}")
    if m.fn == MO.MX_F64:
        words = m.offset
    elif words * 32 != m.offset * m.element:
        raise ProgramError(f"matrices {m.offset} deep")
    if words not in (4, 8) and not (words == 16 and m.fn == MO.MX_F64):
        raise ProgramError(f"matrices {m.offset} deep")
    return <int>words // 4 * (tall + 1) + 2 * tall // (2 if m.combine & MO.MF_C_F16 else 1)


cdef int _result(Uop *u, int32_t row, int bytes) except -1:
    """Make a register busy; the op waits for it already."""
    if u.set_count > 8 - bytes // 4:
        raise ProgramError("more than 8 results")
    u.sets[u.set_count] = <uint16_t>row
    u.set_count += 1
    if bytes == 8:
        u.sets[u.set_count] = <uint16_t>(row + 1)
        u.set_count += 1
    return 0


cdef int read_matrix(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a matrix product; its operands, which no op has room for, lie in a list."""
    cdef int bytes = 8 if m.fn == MO.MX_F64 else 4, sources, results, i
    cdef int32_t row
    p.number(m.fn, MO.MX_TRANSPOSE + 1, "matrix operation")
    if p.lanes != 32:
        raise ProgramError(f"matrices over {p.lanes} lanes")
    u.named = NAMES_ALL
    u.form.matrix = m.combine
    u.element.bits = m.element
    u.vec.tiles = m.vec
    u.offset.depth = m.offset
    if m.fn == MO.MX_TRANSPOSE:
        sources, results = 1, 1
    elif m.fn == MO.MX_GROUPS:
        sources, results = 4 + (4 if m.combine & MO.MF_C_F16 else 8), 4 if m.combine & MO.MF_D_F16 else 8
    else:
        sources, results = _sources(m), 2 * m.vec // (2 if m.combine & MO.MF_D_F16 else 1)
    p.take_operands(u, m, sources + results, "matrix product")
    for i in range(m.count):
        row = p.operand(u, i, bytes, i < results)
        if row >= 0:
            p.wait_for(u, row)         # both rows of a 64-bit value become ready together
        if i < results:
            _result(u, row, bytes)
    return 0


cdef int read_tiles(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a load or store of 8 x 8 tiles; to the issue loop it is a load or store."""
    cdef int i
    p.number(m.fn, 2, "way to lie")
    p.number(m.space, T.SP_GENERIC + 1, "space")
    if p.lanes != 32 or m.vec not in (1, 2, 4):
        raise ProgramError(f"{m.vec} tiles over {p.lanes} lanes")
    u.kind = T.K_LOAD if m.kind == T.K_MATRIX_LOAD else T.K_STORE
    u.form.generic = m.space == T.SP_GENERIC
    u.vec.tiles = m.vec
    u.offset.bytes = m.offset
    u.space = T.SP_MATRIX
    u.named = NAMES_ALL
    u.lane_bytes = 16
    u.cause = ST_SHARED_DEPENDENCY
    p.source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
    p.required(u.s[0] >= 0, "address")
    for i in range(m.vec):
        if m.kind == T.K_MATRIX_LOAD:
            p.destination(u, m, i, 4)
        else:
            p.source(u, m, 1 + i, 4)
            p.required(u.s[1 + i] >= 0, f"source {1 + i}")
    return 0


cdef int _check_product(ProgramTables p, const MicroOp *m) except -1:
    """Check the shape of a product of a warpgroup."""
    if p.lanes != 32 or not 1 <= m.vec <= 32:
        raise ProgramError(f"{8 * m.vec} columns, warps of {p.lanes} lanes")
    if m.element != _GROUP_BITS.get(m.fn):
        raise ProgramError(f"numbers of {m.element} bits in a product of kind {m.fn}")
    if m.combine & (MO.MF_C_F16 | MO.MF_D_F16) not in (0, MO.MF_C_F16 | MO.MF_D_F16) or m.combine & MO.MF_D_F16 and m.fn not in (
            MO.MX_F16, MO.MX_E4M3, MO.MX_E5M2):
        raise ProgramError(f"form {m.combine} of a product of kind {m.fn}")
    if m.offset & (MO.GF_ACROSS_A | MO.GF_ACROSS_B) and m.element != 16:
        raise ProgramError(f"numbers of {m.element} bits that lie across")
    if m.held_cycles < 0 or m.held_cycles > 1 << 24:
        raise ProgramError(f"held for {m.held_cycles} cycles")
    return 0


cdef int read_product(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a product of a warpgroup; its registers lie in a list."""
    cdef int results = m.vec * (2 if m.combine & MO.MF_D_F16 else 4), factors = 4 if m.s[0] == T.NO_ROW else 0, i
    cdef int32_t row
    p.copies = True
    _check_product(p, m)
    u.held_cycles = m.held_cycles
    p.source(u, m, 0, 8)
    p.source(u, m, 1, 8)
    p.required(u.s[1] >= 0, "descriptor of the second factor")
    p.predicate_source(u, m, 2)
    p.take_operands(u, m, 2 * results + factors, "product")
    u.named = NAMES_ALL
    u.form.matrix = m.combine
    u.element.bits = m.element
    u.vec.tiles = m.vec
    u.offset.group = m.offset
    u.space = T.SP_MATRIX
    u.lane_bytes = 16
    for i in range(m.count):
        row = p.operand(u, i, 4, i < results)
        if row >= 0 and results <= i < results + factors:
            p.wait_for(u, row)
    return 0


cdef int read_product_group(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check an operation on groups of products."""
    p.copies = True
    p.number(m.fn, MO.GP_WAIT + 1, "operation on groups of products")
    if p.lanes != 32 or m.count < 0:
        raise ProgramError(f"{m.count} groups of products, warps of {p.lanes} lanes")
    u.groups = m.count
    u.named = NAMES_ALL
    return 0
