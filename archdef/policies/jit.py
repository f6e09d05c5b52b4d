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

Masks are unsigned. Of a variable that is a mask on one way and a plain integer on another, as in ``view.memory if … else 0`` or ``max(0, mask)``, Numba
makes a float, exact to 53 bits only: write ``np.uint64(0)``. `cfunc` and `lowest_bit` refuse what has become a float.
"""
from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.core.errors import NumbaError, TypingError
from numba.extending import intrinsic

from archdef.errors import PluginError
from archdef.policies import VIEWS

__all__ = ["cfunc", "int64s", "lowest_bit", "uint64s"]

_FLOATS = "Numba makes a float of what is a mask, which is unsigned, on one way and a plain integer on another; write np.uint64(0) instead of 0"


@intrinsic
def _pointer(typing, address):
    """An address as a pointer."""
    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
    return types.voidptr(types.uint64), generate


@intrinsic
def lowest_bit(typing, bits):
    """Give the place of the lowest bit that is set; `bits` is not 0."""
    if not isinstance(bits, types.Integer):
        raise TypingError(f"lowest_bit takes a mask, got {bits}: {_FLOATS}")

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

    Raises PluginError where Numba cannot compile it, or where its answer is no whole number.
    """
    record = numba.from_dtype(VIEWS[kind])

    def decorate(function):
        inner = numba.njit(function, error_model="numpy")
        name = f"{function.__module__}.{function.__qualname__}"
        try:
            inner.compile((record,))
        except NumbaError as error:
            hint = f"\n{_FLOATS}" if "float64" in str(error) else ""
            raise PluginError(f"{name}: Numba cannot compile this policy: {str(error).strip()}{hint}") from error
        answer = inner.overloads[record,].signature.return_type
        if not isinstance(answer, (types.Integer, types.Boolean)):
            raise PluginError(f"{name}: a policy must answer with a whole number, this one gives {answer}"
                              + (f": {_FLOATS}" if isinstance(answer, types.Float) else ""))

        @numba.cfunc(types.int64(types.CPointer(record)), error_model="numpy")
        def compiled(view):
            return np.int64(inner(carray(view, 1)[0]))
        return compiled
    return decorate
