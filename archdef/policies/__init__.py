"""Policies in compiled form: functions of one view each, which the engine calls directly.

`archdef/engine/policy.h` (in the folder `include` gives) describes the views field by field; `VIEWS` has the same as numpy types. Authors use
`archdef.policies.jit` (Numba), ``cimport archdef.engine.policy`` (Cython), or the header (C).
"""
from __future__ import annotations

import ctypes
from collections.abc import Iterable
from pathlib import Path
from typing import SupportsInt

import attrs
import numpy as np

import archdef.engine
from archdef.errors import PluginError

__all__ = ["ABI", "Compiled", "PARAMETERS", "VIEWS", "include"]

ABI = 1
"""Version of the views that this archdef passes; see `archdef/engine/policy.h`."""
PARAMETERS = 16
"""Most numbers that a policy can hand to its compiled form."""

_HEAD = [("abi", "i8"), ("parameters", "p"), ("parameter_count", "i8"), ("state", "p"), ("owner", "p")]
_FIELDS = {
    "scheduler": [("multiprocessor", "i8"), ("scheduler", "i8"), ("cycle", "i8"), ("candidates", "u8"), ("memory", "u8"), ("last", "i8"),
                  ("issued_at", "p"), ("launched", "p"), ("issued", "p"), ("blocks", "p")],
    "partition": [("address", "u8"), ("interleave_bytes", "i8"), ("partitions", "i8")],
    "banks": [("banks", "i8"), ("count", "i8"), ("words", "p"), ("banks_of", "p")],
    "coalescing": [("lanes", "i8"), ("mask", "u8"), ("addresses", "p"), ("bytes", "i8"), ("room", "i8"), ("starts", "p"), ("sizes", "p")],
    "replacement": [("line", "u8"), ("set", "i8"), ("ways", "i8"), ("lines", "p"), ("used", "p"), ("busy", "u8"), ("busy_ways", "p"), ("event", "i8"),
                    ("way", "i8"), ("sets", "i8"), ("accesses", "i8"), ("instruction", "i8"), ("warp", "i8"), ("line_words", "i8"), ("words", "p")],
    "dispatch": [("block", "i8"), ("multiprocessors", "i8"), ("room", "p"), ("blocks", "p"), ("load", "p"),
                 ("cycle", "i8"), ("ended", "p"), ("instructions", "p"), ("again", "p")],
    "branch": [("branch", "i8"), ("target", "i8"), ("meets", "i8"), ("taken", "u8"), ("rest", "u8"), ("depth", "i8")],
    "throttle": [("multiprocessor", "i8"), ("cycle", "i8"), ("event", "i8"), ("warp", "i8"), ("line", "u8"), ("place", "i8"), ("evicted", "u8"),
                 ("instructions", "i8"),
                 ("lines", "i8"), ("warps", "i8"), ("resident", "p"), ("launched", "p"), ("allowed", "p")],
    "l1": [("multiprocessor", "i8"), ("cycle", "i8"), ("event", "i8"), ("address", "u8"), ("line", "u8"), ("sectors", "u8"), ("set", "i8"),
           ("place", "i8"), ("evicted", "u8"), ("evicted_sectors", "u8"), ("warp", "i8"), ("launched", "i8"), ("block", "i8"), ("index", "i8"),
           ("instruction", "i8"), ("first", "i8"), ("pending", "i8"), ("busy", "i8"), ("sets", "i8"), ("ways", "i8"), ("line_bytes", "i8"),
           ("tags", "p"), ("used", "p"), ("line_words", "i8"), ("words", "p"), ("room", "i8"), ("fetch", "p")],
    "dram": [("partition", "i8"), ("now_fs", "i8"), ("writes_next", "i8"), ("count", "i8"), ("arrival_fs", "p"), ("ready_fs", "p"), ("bank", "p"),
             ("row", "p"), ("row_hit", "p"), ("write", "p"), ("bytes", "p"), ("multiprocessor", "p")],
    "placement": [("page", "u8"), ("page_bytes", "i8"), ("multiprocessor", "i8"), ("l2_partition", "i8"), ("l2_partitions", "i8"), ("pages", "p")],
    "topology": [("multiprocessor", "i8"), ("partition", "i8"), ("multiprocessors", "i8"), ("partitions", "i8"), ("room", "i8"), ("links", "p")],
}
VIEWS = {kind: np.dtype([(name, "u8" if code == "p" else code) for name, code in _HEAD + fields]) for kind, fields in _FIELDS.items()}
"""The view of each kind, as a numpy type; pointers are 64-bit integers."""


def _wholes(numbers: Iterable[SupportsInt]) -> tuple[int, ...]:
    return tuple(int(n) for n in numbers)


@attrs.frozen
class Compiled:
    """The compiled form of a policy."""

    function: object
    """A Numba ``cfunc``, a ctypes function, or a capsule of a Cython function: ``int64_t f(const View *)``, callable without the GIL."""
    parameters: tuple[int, ...] = attrs.field(default=(), converter=_wholes)
    """Numbers of the policy's value that the function needs: ``view.parameters``."""
    abi: int = ABI
    """Version of the views that the function was made for."""

    def address(self, path: str) -> int:
        """Give the function's address.

        Raises
        ------
        PluginError
            With the path of the field that the policy is for: it was made for other views, or is no function.
        """
        if self.abi != ABI:
            raise PluginError(f"{path}: the compiled policy was made for version {self.abi} of archdef/engine/policy.h, this archdef has {ABI}")
        if len(self.parameters) > PARAMETERS:
            raise PluginError(f"{path}: a compiled policy takes at most {PARAMETERS} parameters, got {len(self.parameters)}")
        address = _address(self.function)
        if not address:
            raise PluginError(f"{path}: expected a Numba cfunc, a ctypes function or a capsule of a Cython function, got {self.function!r}")
        return address


def _address(function: object) -> int:
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]  # the base of its functions has no public name
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    if type(function).__name__ == "PyCapsule":
        api = ctypes.pythonapi
        api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
        api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        return api.PyCapsule_GetPointer(function, api.PyCapsule_GetName(function)) or 0
    return getattr(function, "address", 0)


def include() -> Path:
    """Give the folder that holds ``archdef/engine/policy.h`` and the ``.pxd`` files, for compilers."""
    here = Path(archdef.engine.__file__).parents[2]
    return here if (here / "archdef" / "engine" / "policy.h").exists() else here / "ext"
