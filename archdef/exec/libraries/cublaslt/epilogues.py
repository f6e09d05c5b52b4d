"""What is done to a product before it is written, or beside it."""
from __future__ import annotations

import struct
from typing import Final

import attrs

from archdef.exec.calls import Thread
from archdef.exec.libraries.cublas.products import Operand
from archdef.exec.libraries.cublaslt.descriptions import AUX, AUX_LEADING, AUX_STRIDE, AUX_TYPE, BIAS, BIAS_STRIDE, BIAS_TYPE, EPILOGUE, Described
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import blocks, present
from archdef.runtime.status import Refusal

_DEFAULT: Final = 1
_RELU, _BIAS, _GELU, _AUX, _GELU_GRADIENT = 2, 4, 32, 128, 64 | 128
_OF_A, _OF_B = 256, 512
_ACTIVATIONS: Final = {_DEFAULT: 0, 0: 0, _RELU: 1, _GELU: 2, _GELU | _AUX: 3, _GELU_GRADIENT: 4}
"""Epilogue without a bias → number of what gemm.cu does."""
_THREADS: Final = 128
_FLOATS: Final = ("s", "h", "hs", "b", "bs")


@attrs.frozen
class Epilogue:
    """One of them."""

    activation: int
    bias: bool
    of_a: bool
    """Whether sums of the rows of A are written, too."""
    of_b: bool
    """Whether sums of the columns of B are."""

    @property
    def alters(self) -> bool:
        """Say whether it does anything to the product."""
        return bool(self.activation or self.bias)


def epilogue_of(about: Described, name: str, kind: int, by_rows: bool) -> Epilogue:
    """Give the epilogue of a product of these kernels into elements of a type. Raises Refusal for one that is not there."""
    number = about[EPILOGUE]
    found = Epilogue(_ACTIVATIONS.get(number & ~_BIAS, -1), bool(number & _BIAS), number == _OF_A, number == _OF_B)
    if found.of_a or found.of_b:
        found = attrs.evolve(found, activation=0)
    elif found.activation < 0 or number in (0, _DEFAULT | _BIAS, _GELU_GRADIENT | _BIAS):
        raise Refusal("NotSupported", f"epilogue {number} of cuBLASLt")
    if number != _DEFAULT and name not in _FLOATS:
        raise Refusal("NotSupported", f"epilogue {number} of a product that is added up in double precision or in integers")
    if found.activation > _ACTIVATIONS[_GELU] and by_rows:
        raise Refusal("NotSupported", f"epilogue {number} of a matrix row by row")
    for attribute, what in ((BIAS_TYPE, "a bias"), (AUX_TYPE, "an auxiliary matrix")):
        if about[attribute] not in (-1, kind):
            raise Refusal("NotSupported", f"{what} of type {about[attribute]} for results of type {kind}")
    return found


def packed(about: Described, found: Epilogue, c: Operand, rows: int, by_rows: bool) -> bytes:
    """Lay it out as kernels take it. Raises Refusal."""
    if found.bias:
        present(bias=about[BIAS])
    if found.activation > _ACTIVATIONS[_GELU]:
        present(auxiliary_matrix=about[AUX])
        if about[AUX_LEADING] < rows:
            raise Refusal("InvalidValue", f"columns of the auxiliary matrix lie {about[AUX_LEADING]} apart, and have {rows} elements")
    return struct.pack("<QqqQqQqq2i", c.address, c.leading, c.stride, about[BIAS] if found.bias else 0, about[BIAS_STRIDE], about[AUX], about[AUX_LEADING],
                       about[AUX_STRIDE], found.activation, by_rows)


def add_up(thread: Thread, about: Described, name: str, of: Operand, turned: bool, count: int, depth: int, batch: int, stream: int) -> None:
    """Write the sums of the rows of op(A), or of the columns of op(B): `turned` if those lie one element apart in memory."""
    present(bias=about[BIAS])
    if count and batch:
        steps = (1, of.leading) if turned else (of.leading, 1)
        launch(thread, kernel(thread, f"lt.{name}", f"archdef_lt_{name}sums"), blocks(thread, -(-count // _THREADS), batch), (_THREADS,),
               (struct.pack("<Q", of.address), *(struct.pack("<q", each) for each in (*steps, of.stride)),
                *(struct.pack("<i", each) for each in (count, depth, batch)), struct.pack("<Q", about[BIAS]), struct.pack("<q", about[BIAS_STRIDE])), stream)
