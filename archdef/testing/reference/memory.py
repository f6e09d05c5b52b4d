"""Byte-addressed memory of the reference: areas with gaps between them, and a check of every access."""
from __future__ import annotations

from bisect import bisect_right

from archdef.testing.reference.errors import Wrong

FIRST = 1 << 32
"""First address of an area that nobody asked a place for. Above the windows, so that no address means two things."""
FIRST_HANDLE = 0x1234_0000_0000_0000
FIRST_MULTICAST = 0x2345_0000_0000_0000
GAP = 4096
"""Bytes left free behind each area, which catch accesses past its end."""
SHARED_WINDOW, LOCAL_WINDOW, PARAMETER_WINDOW = 0x0080_0000, 0x0180_0000, 0x0040_0000
"""Generic addresses of a block's shared, a thread's local memory and the kernel's parameters. Not the engine's on purpose:
a kernel whose result depends on them must not pass."""
WINDOW_BYTES = 0x0080_0000
PARAMETER_BYTES = 0x0001_0000


class Memory:
    """The global memory of a device."""

    def __init__(self):
        self._starts: list[int] = []
        self._areas: list[bytearray] = []
        self._next = FIRST
        self.multicast: list[tuple[int, int, int]] = []
        """Multicast addresses: the first, bytes, the address of what is there."""
        self.images: dict[int, object] = {}
        """Textures and surfaces by their handles."""

    def allocate(self, contents: bytes | int) -> int:
        """Make an area with these contents, or of so many zero bytes, and give its address."""
        return self.place(self._next, contents)

    def place(self, address: int, contents: bytes | int) -> int:
        """Make an area at an address."""
        area = bytearray(contents)
        at = bisect_right(self._starts, address)
        if at and self._starts[at - 1] + len(self._areas[at - 1]) > address:
            raise Wrong(f"memory at {address:#x} is taken")
        self._starts.insert(at, address)
        self._areas.insert(at, area)
        self._next = max(self._next, (address + len(area) + GAP + 255) // 256 * 256)
        return address

    def bind(self, image) -> int:
        """Give a handle for a texture or surface that lies here."""
        handle = FIRST_HANDLE + len(self.images)
        self.images[handle] = image
        return handle

    def map(self, address: int, size: int) -> int:
        """Give a multicast address for ``size`` bytes from an address."""
        self.multicast.append((FIRST_MULTICAST + address, size, address))
        return FIRST_MULTICAST + address

    def behind(self, multicast: int, size: int) -> int:
        """Give the address that ``size`` bytes from a multicast address have."""
        for start, bytes_, address in self.multicast:
            if start <= multicast and multicast + size <= start + bytes_:
                return address + multicast - start
        raise Wrong(f"{size} bytes at {multicast:#x} are at no multicast address")

    def area(self, address: int, size: int) -> tuple[bytearray, int]:
        """Give the area that holds ``size`` bytes from an address, and where they start in it."""
        at = bisect_right(self._starts, address) - 1
        if at < 0 or address + size > self._starts[at] + len(self._areas[at]):
            raise Wrong(f"access of {size} bytes at {address:#x} is outside every allocation")
        return self._areas[at], address - self._starts[at]

    def read(self, address: int, size: int) -> bytes:
        """Copy bytes out."""
        area, at = self.area(address, size)
        return bytes(area[at:at + size])

    def write(self, address: int, data: bytes) -> None:
        """Copy bytes in."""
        area, at = self.area(address, len(data))
        area[at:at + len(data)] = data
