"""A device address that knows which memory it points into."""
from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Self

if TYPE_CHECKING:
    from archdef.run.memory import Memory


class Pointer(int):
    """What ``cudaMalloc`` gives: an address, and the bytes from it to the end of its allocation. Adding bytes keeps it a pointer."""

    memory: Memory
    left: int
    """Bytes up to the end of the allocation; negative past it."""

    def __new__(cls, address: int, memory: Memory, left: int) -> Self:
        pointer = super().__new__(cls, address)
        pointer.memory, pointer.left = memory, left
        return pointer

    def __add__(self, nbytes: int) -> Pointer:
        return Pointer(int(self) + int(nbytes), self.memory, self.left - int(nbytes))

    __radd__ = __add__

    def __sub__(self, other: int) -> int:
        return int(self) - int(other) if isinstance(other, Pointer) else self + -int(other)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a device pointer means nothing outside its process")

    def __repr__(self) -> str:
        return f"<Pointer {int(self):#x}, {self.left} bytes>"
