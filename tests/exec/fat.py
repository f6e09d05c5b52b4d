"""Fat binaries, written by what a compiler writes."""
import struct

PTX, ELF, LZ4, ZSTD = 1, 2, 0x2000, 0x8000
HEAD = ".version 6.0\n.target sm_20\n.address_size 64\n"
"""Of a file of PTX, up to the kernels."""


def entry(data: bytes, kind: int = PTX, target: int = 20, packing: int = 0, flags: int = 0) -> bytes:
    """One piece of code; `flags` may say that it is packed where it is not."""
    packed = data
    if packing == LZ4:
        import lz4.block
        packed = lz4.block.compress(data, store_size=False)
    elif packing == ZSTD:
        import zstandard
        packed = zstandard.ZstdCompressor().compress(data)
    room = -(-len(packed) // 8) * 8
    head = struct.pack("<HHIQIIIIIIQQQ", kind, 0x101, 64, room, len(packed) if packing else 0, 0, 0, target, 0, 0, 0x11 | packing | flags, 0, len(data) if packing else 0)
    return head + packed.ljust(room, b"\0")


def binary(*entries: bytes) -> bytes:
    """All of it."""
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def parts(*binaries: bytes) -> bytes:
    """The parts of a program of separate compilation, one behind the other, and zeros, for `linked.c`."""
    return b"".join(binaries) + bytes(16)
