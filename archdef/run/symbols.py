"""The variables of a module as the host sees them: ``module.symbols["taps"].copy_from_host(taps)``."""
from __future__ import annotations

import bisect
import functools
import math
import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from archdef import values
from archdef.errors import DeviceMemoryError, LaunchError
from archdef.run import names
from archdef.run.array import DeviceArray

if TYPE_CHECKING:
    from archdef.frontends.cxxtypes import CxxType
    from archdef.host import Stream
    from archdef.ptx.ir import Variable
    from archdef.run.module import Module

T = TypeVar("T")
_DTYPES = {"f16": "f2", "f32": "f4", "f64": "f8", "b128": "V16"}
"""PTX type → numpy's, where that is not its letter (u for b) and its bytes."""


class Symbol(DeviceArray):
    """A ``__constant__`` or ``__device__`` variable: an array in device memory that belongs to the module.

    What is written to it is seen by all launches behind the write, in the order of streams, and kept from launch to launch. Shape and
    dtype are those of the C++ source; a structure is a numpy void of its size. Of other sources they are those of the PTX, where an array
    may be no more than its bytes. Structures and bytes take numpy arrays of any dtype with as many bytes, integers those of either sign,
    and `view` shows them as something else. Python's own numbers, and lists of them, become what the variable holds.
    """

    def __init__(self, module: Module, name: str, shape: tuple[int, ...], dtype: DTypeLike, untyped: bool = False):
        self.module, self.name, self.shape, self.dtype, self.untyped = module, name, shape, np.dtype(dtype), untyped
        self.memory = module.device.memory
        self.address: int = module.images.address(name)

    @property
    def space(self) -> str:
        """Where it lies: ``global``, or ``const`` for constant memory."""
        return self.module.ptx.variables[self.name].space

    def view(self, dtype: DTypeLike, shape: int | tuple[int, ...] = -1) -> Symbol:
        """See the same memory as another dtype.

        shape : of the view; one size may be -1, for what is left.

        Raises DeviceMemoryError unless that takes as many bytes.
        """
        try:
            seen = np.dtype(dtype)
            sizes = [operator.index(n) for n in (shape if isinstance(shape, (tuple, list)) else [shape])]
        except (TypeError, ValueError) as error:
            raise DeviceMemoryError(f"cannot see {self.name} as {values.shown(dtype)} of shape {values.shown(shape)}: {error}") from None
        if sizes.count(-1) == 1:
            known = -math.prod(sizes) * seen.itemsize
            sizes[sizes.index(-1)] = self.nbytes // known if known > 0 else 0
        if seen.hasobject or any(n < 0 for n in sizes) or math.prod(sizes) * seen.itemsize != self.nbytes:
            raise DeviceMemoryError(f"cannot see the {self.nbytes} bytes of {self.name} as {seen} of shape {values.shown(shape)}")
        return Symbol(self.module, self.name, tuple(sizes), seen)

    def copy_from_host(self, array: ArrayLike) -> Self:
        """Fill from a numpy array, or from numbers. Raises DeviceMemoryError if they do not fit."""
        return super().copy_from_host(self._given(array))

    def copy_from(self, source: ArrayLike | DeviceArray, stream: Stream | None = None) -> Self:
        """Fill from a numpy array, from numbers, or from a device array; see `DeviceArray.copy_from`."""
        return super().copy_from(source if isinstance(source, DeviceArray) else self._given(source), stream)

    def copy_to_host(self, out: np.ndarray | None = None) -> np.ndarray:
        """Copy to a new numpy array, or into `out`."""
        if out is None:
            return super().copy_to_host()
        super().copy_to_host(self._seen(out))
        return out

    to_host = copy_to_host

    def copy_to(self, out: np.ndarray | DeviceArray, stream: Stream | None = None) -> np.ndarray | DeviceArray:
        """Copy into a numpy array or a device array; see `DeviceArray.copy_to`."""
        super().copy_to(out if isinstance(out, DeviceArray) else self._seen(out), stream)
        return out

    @property
    def freed(self) -> bool:
        """Whether its memory was given back; it is there as long as the symbol is."""
        return False

    def free(self) -> None:
        """Refuse: it is the module's."""
        raise DeviceMemoryError(f"{self.name} belongs to {self.module.compiled.file}, and is freed with it")

    def _given(self, source: ArrayLike) -> np.ndarray:
        """Give what is to be copied here, as an array of this shape and dtype where it means one."""
        if isinstance(source, np.generic) or not isinstance(source, (bool, int, float, list, tuple)):
            return self._seen(np.asarray(source, order="C"))
        if self.untyped:
            raise DeviceMemoryError(f"{self.name} holds {self.nbytes} bytes of no known type: give a numpy array of as many, or view(dtype)")
        try:
            numbers = np.asarray(source)
        except (ValueError, OverflowError) as error:        # lists of several lengths
            raise DeviceMemoryError(f"{self.name} of shape {self.shape} takes no {values.shown(source)}: {error}") from None
        if numbers.shape != self.shape or numbers.dtype.kind not in "biuf":
            return numbers
        if self.dtype.kind != "f":
            bits = 8 * self.dtype.itemsize
            if numbers.dtype.kind == "f" or numbers.size and not -(1 << bits - 1) <= int(numbers.min()) <= int(numbers.max()) < 1 << bits:
                raise DeviceMemoryError(f"{self.name} holds integers of {bits} bits, got {values.shown(source)}")
        with np.errstate(over="ignore"):
            return numbers.astype(self.dtype)

    def _seen(self, array: np.ndarray) -> np.ndarray:
        """Give the memory of an array of another dtype that means the same as one of this; others as they are, to be refused."""
        if not isinstance(array, np.ndarray):
            return array
        alike = (array.nbytes == self.nbytes and not array.dtype.hasobject if self.untyped else
                 array.shape == self.shape and array.dtype.itemsize == self.dtype.itemsize and {array.dtype.kind, self.dtype.kind} <= set("biu"))
        if not alike or not array.flags.c_contiguous or array.dtype.byteorder == ">":
            return array
        return array.reshape(-1).view(self.dtype).reshape(self.shape)

    def __repr__(self) -> str:
        return f"<Symbol {self.name} {self.dtype} {self.shape} at {self.address:#x}, {self.space}>"


class Symbols(Mapping[str, Symbol]):
    """The variables of a module, by name: as the PTX has it, or as the source does where that is unique."""

    def __init__(self, module: Module):
        self._module = module
        self._symbols: dict[str, Symbol] = {}

    def __getitem__(self, name: str) -> Symbol:
        if not isinstance(name, str):
            raise LaunchError(f"a variable of {self._module.compiled.file} is called by its name, got {values.shown(name)}", "name")
        if name in self._symbols:
            return self._symbols[name]
        variables, file = self._variables, self._module.compiled.file
        declared = self._module.ptx.variables.get(name)
        if declared is not None and declared.extern and declared.space in ("global", "const"):
            raise LaunchError(f"{file} declares the variable {name} `.extern`, and no module that was linked defines it", "name")
        if name in self._module.textures:
            raise LaunchError(f"{name} of {file} is no variable but a reference, which `module.textures[{name!r}] = …` binds", "name")
        symbol = names.find(name, variables, file, _written, "variable")
        link = self._module.device.architecture.host_link
        if variables[symbol].managed and (link is None or link.managed is None):
            machine = self._module.device.architecture.name
            raise LaunchError(f"{name} of {file} is a managed variable, and {machine} has no managed memory (host_link.managed)", "name")
        if symbol not in self._symbols:
            self._symbols[symbol] = self._make(variables[symbol])
        return self._symbols.setdefault(name, self._symbols[symbol])

    def __iter__(self) -> Iterator[str]:
        written = [_written(symbol) for symbol in self._variables]
        return iter([symbol if written.count(name) > 1 else name for symbol, name in zip(self._variables, written, strict=True)])

    def __len__(self) -> int:
        return len(self._variables)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self[name]
        except LaunchError:
            return False
        return True

    @overload
    def get(self, name: str, default: None = None) -> Symbol | None: ...

    @overload
    def get(self, name: str, default: T) -> Symbol | T: ...

    def get(self, name: str, default: object = None) -> object:
        """Give a variable, or `default` if there is none of that name."""
        return self[name] if name in self else default  # noqa: SIM401  this is the method that is asked for

    @property
    def _variables(self) -> dict[str, Variable]:
        return {name: v for name, v in self._module.ptx.variables.items()
                if v.space in ("global", "const") and not v.extern and v.opaque is None}

    def _make(self, variable: Variable) -> Symbol:
        found = self._types.get(variable.name) if variable.type[0] in "bus" else None
        if found is not None and math.prod(found.shape) * found.bytes == variable.bytes and (found.kind != "V" or variable.type == "b8"):
            kind = "?" if found.kind == "b" else f"{found.kind}{found.bytes}"
            return Symbol(self._module, variable.name, found.shape, kind, found.kind == "V")
        dtype = _DTYPES.get(variable.type, f"{variable.type[0].translate({ord('b'): 'u', ord('s'): 'i'})}{int(variable.type[1:]) // 8}")
        return Symbol(self._module, variable.name, variable.shape, dtype, variable.type[0] == "b")

    @functools.cached_property
    def _types(self) -> dict[str, CxxType]:
        """What the compilers say of variables whose PTX does not say it all: one question for each source."""
        asked: list[dict[str, str]] = [{} for _ in self._module.units]
        starts = [first for first, _ in self._module.ptx.parts]
        for symbol, variable in self._variables.items():
            if variable.type[0] in "bus" and names.is_variable(symbol.partition("@")[0]):
                asked[max(0, bisect.bisect(starts, variable.where.line) - 1)][_written(symbol)] = symbol
        return {written[name]: found for unit, written in zip(self._module.units, asked, strict=True) if unit.types is not None and written
                for name, found in unit.types(list(written)).items()}

    def __repr__(self) -> str:
        return f"<Symbols of {self._module.compiled.file}: {values.cut(', '.join(self), 160) or 'none'}>"


def _written(symbol: str) -> str:
    """Give the name in the source; linked modules number what each has for itself (``_ZL4taps@1``)."""
    return names.readable(symbol.partition("@")[0])
