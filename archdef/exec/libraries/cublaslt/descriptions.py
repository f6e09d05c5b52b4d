"""Descriptions of products, matrices and preferences: in the library's memory, or in structures that the program has."""
from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

import attrs

from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.libraries.cublas.handles import answers
from archdef.exec.libraries.library import give, long, present
from archdef.runtime.status import Refusal


@attrs.frozen
class Form:
    """What one kind of description says."""

    name: str
    tag: bytes
    """What the program's structures of this kind begin with."""
    codes: Mapping[int, str]
    """Number of an attribute → its type, for `struct`, in the order of the structure."""
    defaults: Mapping[int, float]
    only: Mapping[int, tuple[str, int]]
    """Attributes that must stay as they are → their type and value."""

    def code(self, attribute: int) -> str:
        """Give the type of an attribute. Raises Refusal."""
        if attribute in self.only:
            return self.only[attribute][0]
        if attribute not in self.codes:
            raise Refusal("InvalidValue", f"{self.name} has no attribute {attribute}")
        return self.codes[attribute]

    @property
    def layout(self) -> struct.Struct:
        """Say what the program's structures look like."""
        return struct.Struct("<4s" + "".join(self.codes.values()))


COMPUTE, SCALE, POINTERS, TURNED_A, TURNED_B, EPILOGUE, BIAS, BIAS_STRIDE, AUX, AUX_LEADING, AUX_STRIDE, AUX_TYPE, BIAS_TYPE = (
    0, 1, 2, 3, 4, 7, 8, 10, 11, 12, 13, 22, 26)
_FULL: Final = 2
_SCALES: Final = dict.fromkeys((17, 18, 19, 20, 21, 23, 24, 36, 38), ("Q", 0))
_SCALE_MODES: Final = dict.fromkeys((31, 32, 33, 34, 35, 37), ("i", 0))
PRODUCT: Final = Form("a product", b"prod", {
    COMPUTE: "i", SCALE: "i", POINTERS: "i", TURNED_A: "i", TURNED_B: "i", EPILOGUE: "I", BIAS: "Q", BIAS_STRIDE: "q", AUX: "Q", AUX_LEADING: "q",
    AUX_STRIDE: "q", AUX_TYPE: "i", BIAS_TYPE: "i", 15: "i", 25: "b"},
    {EPILOGUE: 1, AUX_TYPE: -1, BIAS_TYPE: -1}, {5: ("i", 0), 6: ("i", _FULL), 14: ("q", 0), **_SCALES, **_SCALE_MODES})
TYPE, ORDER, ROWS, COLUMNS, LEADING, BATCHES, STRIDE = range(7)
LAYOUT: Final = Form("a layout", b"mtrx", {TYPE: "I", ORDER: "i", ROWS: "Q", COLUMNS: "Q", LEADING: "q", BATCHES: "i", STRIDE: "q"}, {BATCHES: 1},
                     {7: ("q", 0), 8: ("I", 0)})
PREFERENCE: Final = Form("a preference", b"pref", {0: "I", 1: "Q", 3: "I", **dict.fromkeys((5, 6, 7, 8), "I"), 9: "f", 12: "Q"},
                         {3: 7, **dict.fromkeys((5, 6, 7, 8), 256), 12: (1 << 64) - 1}, {})


@attrs.define(eq=False)
class Described:
    """What a description says."""

    form: Form
    values: dict[int, float]
    address: int = 0
    """Where the program has it; 0: it is the library's."""

    @classmethod
    def new(cls, form: Form, values: Mapping[int, int], address: int = 0) -> Described:
        """Begin one, with defaults for what is not said."""
        return cls(form, dict.fromkeys(form.codes, 0) | dict(form.defaults) | dict(values), address)

    def __getitem__(self, attribute: int) -> int:
        return int(self.values[attribute])

    def kept(self, thread: Thread) -> None:
        """Write it to the program's memory, where that has it."""
        if self.address:
            thread.memory.put(self.address, self.form.layout.pack(self.form.tag, *(self.values[number] for number in self.form.codes)))


def described(thread: Thread, handle: int, form: Form) -> Described:
    """Give what a handle or the address of a structure stands for. Raises Refusal."""
    present(descriptor=handle)
    known = thread.session.found(handle)
    if isinstance(known, Described) and known.form is form:
        return known
    tag, *values = form.layout.unpack(thread.memory.get(handle, form.layout.size)) if known is None else (b"",)
    if tag != form.tag:
        raise Refusal("InvalidValue", f"{handle:#x} is not {form.name}")
    return Described(form, dict(zip(form.codes, values, strict=True)), handle)


def _create(thread: Thread, out: int, form: Form, values: Mapping[int, int]) -> None:
    give(thread, out, Described.new(form, values))


def _begin(thread: Thread, address: int, nbytes: int, form: Form, values: Mapping[int, int]) -> None:
    present(descriptor=address)
    if nbytes < form.layout.size:
        raise Refusal("MemoryAllocation", f"{form.name} takes {form.layout.size} bytes, {nbytes} are given")
    Described.new(form, values, address).kept(thread)


def _destroy(thread: Thread, handle: int, form: Form) -> None:
    described(thread, handle, form)
    thread.session.forget(handle)


def _set(thread: Thread, handle: int, attribute: int, address: int, nbytes: int, form: Form) -> None:
    found, code = described(thread, handle, form), form.code(attribute)
    present(value=address)
    if nbytes != struct.calcsize(code):
        raise Refusal("InvalidValue", f"attribute {attribute} of {form.name} has {struct.calcsize(code)} bytes, {nbytes} are given")
    (value,) = struct.unpack(f"<{code}", thread.memory.get(address, nbytes))
    if attribute in form.only:
        if value != form.only[attribute][1]:
            raise Refusal("NotSupported", f"attribute {attribute} of {form.name} other than {form.only[attribute][1]}")
    else:
        found.values[attribute] = value
        found.kept(thread)


def _get(thread: Thread, handle: int, attribute: int, address: int, nbytes: int, written: int, form: Form) -> None:
    found, code = described(thread, handle, form), form.code(attribute)
    size = struct.calcsize(code)
    if nbytes:
        present(value=address)
        if nbytes != size:
            raise Refusal("InvalidValue", f"attribute {attribute} of {form.name} has {size} bytes, {nbytes} are given")
        value = form.only[attribute][1] if attribute in form.only else found.values[attribute]
        thread.memory.put(address, struct.pack(f"<{code}", value))
    else:
        present(written=written)
    if written:
        thread.memory.put_word(written, size)


def _of_product(thread: Thread, compute: int, scale: int) -> dict[int, int]:
    return {COMPUTE: compute, SCALE: scale if thread.session.cuda > 10 else compute}      # CUDA 10 has one type for both


@answers("cublasLtMatmulDescCreate")
def create_product(thread: Thread, out: int, compute: Int, scale: Int) -> None:
    """Describe a product."""
    _create(thread, out, PRODUCT, _of_product(thread, compute, scale))


@answers("cublasLtMatmulDescInit_internal")
def begin_product(thread: Thread, address: int, nbytes: int, compute: Int, scale: Int) -> None:
    """Describe a product in a structure of the program."""
    _begin(thread, address, nbytes, PRODUCT, _of_product(thread, compute, scale))


@answers("cublasLtMatmulDescDestroy")
def destroy_product(thread: Thread, handle: int) -> None:
    """Give a description up."""
    _destroy(thread, handle, PRODUCT)


@answers("cublasLtMatmulDescSetAttribute")
def set_of_product(thread: Thread, handle: int, attribute: Int, address: int, nbytes: int) -> None:
    """Say something of a product."""
    _set(thread, handle, attribute, address, nbytes, PRODUCT)


@answers("cublasLtMatmulDescGetAttribute")
def get_of_product(thread: Thread, handle: int, attribute: Int, address: int, nbytes: int, written: int) -> None:
    """Repeat it."""
    _get(thread, handle, attribute, address, nbytes, written, PRODUCT)


@answers("cublasLtMatrixLayoutCreate")
def create_layout(thread: Thread, out: int, kind: UInt, rows: int, columns: int, leading: int) -> None:
    """Describe a matrix."""
    _create(thread, out, LAYOUT, {TYPE: kind, ROWS: rows, COLUMNS: columns, LEADING: long(leading)})


@answers("cublasLtMatrixLayoutInit_internal")
def begin_layout(thread: Thread, address: int, nbytes: int, kind: UInt, rows: int, columns: int, leading: int) -> None:
    """Describe a matrix in a structure of the program."""
    _begin(thread, address, nbytes, LAYOUT, {TYPE: kind, ROWS: rows, COLUMNS: columns, LEADING: long(leading)})


@answers("cublasLtMatrixLayoutDestroy")
def destroy_layout(thread: Thread, handle: int) -> None:
    """Give a description up."""
    _destroy(thread, handle, LAYOUT)


@answers("cublasLtMatrixLayoutSetAttribute")
def set_of_layout(thread: Thread, handle: int, attribute: Int, address: int, nbytes: int) -> None:
    """Say something of a matrix."""
    _set(thread, handle, attribute, address, nbytes, LAYOUT)


@answers("cublasLtMatrixLayoutGetAttribute")
def get_of_layout(thread: Thread, handle: int, attribute: Int, address: int, nbytes: int, written: int) -> None:
    """Repeat it."""
    _get(thread, handle, attribute, address, nbytes, written, LAYOUT)


@answers("cublasLtMatmulPreferenceCreate")
def create_preference(thread: Thread, out: int) -> None:
    """Describe what algorithms are wanted: there is one, which needs no memory."""
    _create(thread, out, PREFERENCE, {})


@answers("cublasLtMatmulPreferenceInit_internal")
def begin_preference(thread: Thread, address: int, nbytes: int) -> None:
    """Describe it in a structure of the program."""
    _begin(thread, address, nbytes, PREFERENCE, {})


@answers("cublasLtMatmulPreferenceDestroy")
def destroy_preference(thread: Thread, handle: int) -> None:
    """Give a description up."""
    _destroy(thread, handle, PREFERENCE)


@answers("cublasLtMatmulPreferenceSetAttribute")
def set_of_preference(thread: Thread, handle: int, attribute: Int, address: int, nbytes: int) -> None:
    """Say something of it."""
    _set(thread, handle, attribute, address, nbytes, PREFERENCE)


@answers("cublasLtMatmulPreferenceGetAttribute")
def get_of_preference(thread: Thread, handle: int, attribute: Int, address: int, nbytes: int, written: int) -> None:
    """Repeat it."""
    _get(thread, handle, attribute, address, nbytes, written, PREFERENCE)
