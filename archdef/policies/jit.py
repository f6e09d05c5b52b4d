"""Policies in Python that Numba compiles (``pip install numba``)::

    from archdef.policies import Compiled
    from archdef.policies.jit import cfunc, int64s, lowest_bit

    @cfunc("scheduler")
    def slowest(view):
        issued, left, best = int64s(view.issued, 64), view.candidates, -1
        while left:
            slot = lowest_bit(left)
            left &= left - 1
            if best < 0 or issued[slot] < issued[best]:
                best = slot
        return best

The function gets a view as `archdef/engine/policy.h` describes it; its numbers are fields; `int64s` and `uint64s` make arrays
of its pointers.
"""
from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from archdef.policies import VIEWS

__all__ = ["cfunc", "int64s", "lowest_bit", "uint64s"]


@intrinsic
def _pointer(typing, address):
    """An address as a pointer."""
    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
    return types.voidptr(types.uint64), generate


@intrinsic
def lowest_bit(typing, bits):
    """Give the place of the lowest bit that is set; `bits` is not 0."""
    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))
    return types.int64(types.uint64), generate


@numba.njit(inline="always")
def int64s(address, count):
    """Give the numbers that a field of a view points to, as an array; those that a policy writes can be written."""
    return carray(_pointer(np.uint64(address)), (count,), np.int64)


@numba.njit(inline="always")
def uint64s(address, count):
    """Give the unsigned numbers that a field of a view points to, as an array."""
    return carray(_pointer(np.uint64(address)), (count,), np.uint64)


def cfunc(kind: str):
    """Compile a function of a view of this kind (a key of `archdef.policies.VIEWS`) for the engine.

    What it raises cannot reach anyone: Numba turns it into a message and the answer 0.
    """
    record = numba.from_dtype(VIEWS[kind])

    def decorate(function):
        inner = numba.njit(function, error_model="numpy")

        @numba.cfunc(types.int64(types.CPointer(record)), error_model="numpy")
        def compiled(view):
            return np.int64(inner(carray(view, 1)[0]))
        return compiled
    return decorate
