"""Kernel arguments as they are written on the command line and in reference cases.

    1024  -3  2.5  0x1f  true          numbers; the kernel's own signature gives their type
    f4[1048576]                        an array of zeros: numpy type, shape
    out:f4[512,512]                    the same with a name, to save or recognise it by
    in:f4[512,512]=random              filled with random, ones, range, or a number
    f4[3]=0.25,0.5,0.25                one number for each element
    in:@input.npy                      from a file
"""
from __future__ import annotations

import math
import re
from pathlib import Path

import attrs
import numpy as np

from archdef.errors import LaunchError

_ARRAY = re.compile(r"(?:(?P<name>[A-Za-z_]\w*):)?"
                    r"(?:@(?P<file>.+)|(?P<type>[a-z]+\d*)\[(?P<shape>[^\]]*)\](?:=(?P<fill>.*))?)")
MOST_BYTES = 1 << 34
"""Largest array that the command line makes."""
_FILLS = ("zeros", "ones", "range", "random")


@attrs.frozen(eq=False)
class Value:
    """One argument: a number, or how to make an array."""

    name: str = ""
    number: int | float | None = None
    file: Path | None = None
    dtype: np.dtype | None = None
    shape: tuple[int, ...] = ()
    fill: str | int | float | tuple[int | float, ...] = "zeros"

    @property
    def is_array(self) -> bool:
        """Whether the kernel gets a pointer."""
        return self.number is None

    def make(self, random: np.random.Generator) -> int | float | np.ndarray:
        """Give the number, or a new numpy array."""
        if self.number is not None:
            return self.number
        if self.file is not None:
            loaded: np.ndarray = np.load(self.file, allow_pickle=False)
            return loaded
        try:
            return self._filled(random, np.dtype(self.dtype))
        except MemoryError:
            raise LaunchError(f"this computer has no room for an array of {math.prod(self.shape) * np.dtype(self.dtype).itemsize:,} bytes") from None

    def _filled(self, random: np.random.Generator, dtype: np.dtype) -> np.ndarray:
        count = math.prod(self.shape)
        if self.fill == "random":
            data = _random(random, count, dtype)
        elif self.fill == "range":
            data = np.arange(count)
        elif isinstance(self.fill, tuple):
            data = np.array(self.fill)
        else:
            data = np.full(count, {"zeros": 0, "ones": 1}[self.fill] if isinstance(self.fill, str) else self.fill, dtype)
        return data.astype(dtype, copy=False).reshape(self.shape)


def parse_argument(text: str) -> Value:
    """Parse one argument. Raises ValueError that says what is allowed."""
    match = _ARRAY.fullmatch(text)
    if match is None:
        return Value(number=_number(text, f"{text!r} is no argument: give a number, an array such as "
                                          "out:f4[1024]=zeros, or a file such as in:@data.npy"))
    name = match["name"] or ""
    if match["file"]:
        path = Path(match["file"])
        try:
            if path.suffix != ".npy" or not path.is_file():
                raise ValueError(f"{path} is no .npy file" if path.exists() else f"no such file: {path}")
        except OSError as error:        # a name that is too long
            raise ValueError(f"cannot read {path}: {error.strerror or error}") from None
        _readable(path)
        return Value(name, file=path)
    try:
        dtype = np.dtype(match["type"])
    except TypeError:
        dtype = None
    if dtype is None or dtype.kind not in "biufc":
        raise ValueError(f"unknown type {match['type']!r} in {text!r}: "
                         "use a numpy type such as f4, f8, i4, u1")
    shape = parse_dimensions(match["shape"], text)
    fill = match["fill"] or "zeros"
    if fill not in _FILLS:
        refusal = f"cannot fill an array with {fill!r}: use {', '.join(_FILLS)}, a number, or numbers with commas between"
        numbers = tuple(_number(part, refusal) for part in fill.split(","))
        if len(numbers) not in (1, math.prod(shape)):
            raise ValueError(f"{text!r} has {math.prod(shape)} elements and {len(numbers)} numbers")
        for number in numbers:
            if dtype.kind in "fc" and math.isfinite(_as_float(number)) and abs(_as_float(number)) > float(np.finfo(dtype).max):
                raise ValueError(f"{number} does not fit {dtype}: {text!r}")
            if dtype.kind in "iu" and not (number == int(number) if abs(number) < 1 << 64 else False):
                raise ValueError(f"{text!r} fills whole numbers with {number}")
            if dtype.kind in "iu" and not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
                raise ValueError(f"{number} does not fit {dtype}: {text!r}")
        fill = numbers if len(numbers) > 1 else numbers[0]
    elif fill == "random" and dtype.kind == "c":
        raise ValueError(f"cannot make random values of type {dtype}")
    if (nbytes := math.prod(shape) * dtype.itemsize) > MOST_BYTES:
        raise ValueError(f"{text!r} has {nbytes:,} bytes; arrays on the command line have at most {MOST_BYTES:,}")
    return Value(name, dtype=dtype, shape=shape, fill=fill)


def _readable(path: Path) -> None:
    """Refuse a file that holds no array, or one that no kernel takes. Raises ValueError."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    if found.dtype.hasobject:
        raise ValueError(f"{path} holds Python objects")


def parse_dimensions(text: str, whole: str) -> tuple[int, ...]:
    """Parse ``512,512``."""
    try:
        shape = tuple(int(part, 0) for part in text.split(","))
    except ValueError:
        shape = (0,)
    if min(shape) <= 0:
        raise ValueError(f"the shape in {whole!r} must be positive numbers separated by commas, such as f4[512,512]")
    return shape


def parse_shape(text: str) -> tuple[int, int, int]:
    """Parse a grid or block, ``16,16`` or ``16x16``. Raises ValueError."""
    try:
        shape = tuple(int(part) for part in re.split("[,x]", text.strip("()")))
    except ValueError:
        shape = ()
    if not 1 <= len(shape) <= 3 or min(shape) <= 0:
        raise ValueError(f"{text!r} is no shape: give one to three positive numbers, such as 64 or 16,16")
    x, y, z = (*shape, 1, 1)[:3]
    return x, y, z


def _number(text: str, refusal: str) -> int | float:
    if text in ("true", "false"):
        return int(text == "true")
    for convert in (lambda t: int(t, 0), float):
        try:
            return convert(text)
        except ValueError:
            continue
    raise ValueError(refusal)


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ValueError("a number of more than 2^1023 does not fit any type") from None


def _random(random: np.random.Generator, count: int, dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "f":
        return random.random(count)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    if dtype.kind == "b":
        return random.integers(0, 2, count)
    raise ValueError(f"cannot make random values of type {dtype}")
