"""Lane functions: the tables that the engine calls through, their names for lowering, and a way to run one on numpy arrays.

A function's number in a micro-op is the index of its name in `alu_names()`, `compare_names()`, `carry_names()` or
`atomic_names()`.
"""
import numpy as np

from libc.stdint cimport uint8_t, uint64_t, uintptr_t

cdef extern from "archdef/engine/lanes.h":
    const alu_function alu_functions[]
    const compare_function compare_functions[]
    const carry_function carry_functions[]
    const atomic_function atomic_functions[]
    const char *alu_function_names[]
    const char *compare_function_names[]
    const char *carry_function_names[]
    const char *atomic_function_names[]
    const uint8_t alu_lane_bytes[][4]
    const uint8_t compare_lane_bytes[]


cdef const alu_function *alu_table() noexcept nogil:
    return alu_functions


cdef const compare_function *compare_table() noexcept nogil:
    return compare_functions


cdef const carry_function *carry_table() noexcept nogil:
    return carry_functions


cdef const atomic_function *atomic_table() noexcept nogil:
    return atomic_functions


cdef const uint8_t *alu_bytes() noexcept nogil:
    return &alu_lane_bytes[0][0]


cdef const uint8_t *compare_bytes() noexcept nogil:
    return compare_lane_bytes


cdef tuple _names(const char *const *names):
    cdef list out = []
    cdef Py_ssize_t i = 0
    while names[i] != NULL:
        out.append((<bytes>names[i]).decode())
        i += 1
    return tuple(out)


_ALU = _names(alu_function_names)
_COMPARE = _names(compare_function_names)
_CARRY = _names(carry_function_names)
_ATOMIC = _names(atomic_function_names)
_ALU_INDEX = {name: i for i, name in enumerate(_ALU)}
_COMPARE_INDEX = {name: i for i, name in enumerate(_COMPARE)}
_CARRY_INDEX = {name: i for i, name in enumerate(_CARRY)}
_ATOMIC_INDEX = {name: i for i, name in enumerate(_ATOMIC)}
_ROUNDING = {"rn": 0, "rz": 1, "rm": 2, "rp": 3}
_HOLDERS = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}


def alu_names():
    """Names of the K_ALU functions, by number."""
    return _ALU


def compare_names():
    """Names of the K_SETP functions, by number."""
    return _COMPARE


def carry_names():
    """Names of the K_CARRY functions, by number."""
    return _CARRY


def atomic_names():
    """Names of the K_ATOM functions, by number."""
    return _ATOMIC


cdef const void *_address(object array) except NULL:
    return <const void *><uintptr_t>array.ctypes.data


def _row(array, size_t lane_bytes, Py_ssize_t lanes):
    """`array` as contiguous lanes of the given size, reinterpreted bit for bit, never converted."""
    row = np.ascontiguousarray(array)
    if row.dtype.itemsize != lane_bytes:
        raise TypeError(f"this operand has {lane_bytes} bytes a lane, got {row.dtype}")
    if row.shape != (lanes,):
        raise ValueError(f"operands must have {lanes} lanes each, got shape {row.shape}")
    return row


def apply_alu(str name, *arrays, str rounding="rn", bint ftz=False, dtype=None):
    """Run one K_ALU function on numpy arrays.

    arrays : one to four arrays of equal length, of 32- or 64-bit lanes as the function wants them (bits are taken as they are).
    rounding : rn, rz, rm or rp; `ftz`: flush subnormals.
    dtype : how to view the result; default: uint32 or uint64.
    """
    cdef int number = _ALU_INDEX[name]
    cdef Py_ssize_t lanes = len(arrays[0])
    rows = [_row(array, alu_lane_bytes[number][k + 1] if k < 3 else 4, lanes) for k, array in enumerate(arrays)]
    rows += [np.zeros(lanes, np.uint64)] * (4 - len(rows))
    result = np.empty(lanes, _HOLDERS[alu_lane_bytes[number][0]])
    cdef const void *a = _address(rows[0])
    cdef const void *b = _address(rows[1])
    cdef const void *c = _address(rows[2])
    cdef const void *e = _address(rows[3])
    cdef void *d = <void *>_address(result)
    cdef int fpenv = _ROUNDING[rounding] | (4 if ftz else 0)
    cdef uint64_t saved = save_fpenv()
    set_fpenv(fpenv)
    alu_functions[number](d, a, b, c, e, <int>lanes)
    restore_fpenv(saved)
    return result if dtype is None else result.view(dtype)


def apply_compare(str name, a, b=None, *, bint ftz=False):
    """Run one K_SETP function on numpy arrays; a bool array."""
    cdef int number = _COMPARE_INDEX[name]
    cdef Py_ssize_t lanes = len(a)
    first = _row(a, compare_lane_bytes[number], lanes)
    second = first if b is None else _row(b, compare_lane_bytes[number], lanes)
    result = np.empty(lanes, np.uint8)
    cdef uint64_t saved = save_fpenv()
    set_fpenv(4 if ftz else 0)
    compare_functions[number](<uint8_t *>_address(result), _address(first), _address(second), <int>lanes)
    restore_fpenv(saved)
    return result.view(np.bool_)


def apply_carry(str name, a, b, c=None, carry_in=None):
    """Run one K_CARRY function on numpy arrays; the result and the carries (bool)."""
    cdef int number = _CARRY_INDEX[name]
    cdef Py_ssize_t lanes = len(a)
    cdef size_t size = 8 if name.endswith("64") else 4
    rows = [_row(x if x is not None else np.zeros(lanes, _HOLDERS[size]), size, lanes) for x in (a, b, c)]
    carries = np.zeros(lanes, np.uint8) if carry_in is None else np.ascontiguousarray(carry_in, dtype=np.uint8)
    result, out = np.empty(lanes, _HOLDERS[size]), np.empty(lanes, np.uint8)
    carry_functions[number](<void *>_address(result), <uint8_t *>_address(out), _address(rows[0]), _address(rows[1]),
                            _address(rows[2]), <const uint8_t *>_address(carries), <int>lanes)
    return result, out.view(np.bool_)


def apply_atomic(str name, uint64_t old, uint64_t b, uint64_t c=0):
    """Run one K_ATOM function: what memory holds afterwards."""
    return atomic_functions[_ATOMIC_INDEX[name]](old, b, c)


def time_alu(str name, int lanes=32, int repeats=100_000):
    """Nanoseconds per call of one K_ALU function on resident rows: a measuring aid."""
    import time
    cdef alu_function function = alu_functions[_ALU_INDEX[name]]
    rows = np.full((5, lanes), 0x3fc000003fc00000, np.uint64)  # ordinary numbers in every type
    cdef char *base = <char *>_address(rows)
    cdef int step = lanes * 8
    cdef int _
    start = time.perf_counter_ns()
    with nogil:
        for _ in range(repeats):
            function(base, base + step, base + 2 * step, base + 3 * step, base + 4 * step, lanes)
    return (time.perf_counter_ns() - start) / repeats
