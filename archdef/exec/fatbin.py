"""Fat binaries: what a compiler puts device code of several targets into. References: fatbinary_section.h of CUDA; LZ4 and Zstandard frames."""
from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from archdef.errors import ArchdefError, MissingExtra
from archdef.exec import recorded
from archdef.runtime.status import Refusal

WRAPPER_MAGIC: Final = 0x466243B1
_WRAPPER: Final = struct.Struct("<IIQQ")
"""magic, version, address of the fat binary; and, in version 2, of a list of the addresses of those that were to be linked."""
_WRAPPER_BEGIN: Final = struct.pack("<I", WRAPPER_MAGIC)
_LINKED_VERSION: Final = 2
MOST_PARTS: Final = 4096
_DEVICE_RUNTIME: Final = b"_cuda_device_runtime_cu_"
"""The name of its source, as nvcc puts it into those of symbols; line tables of programs name its header, ``cuda_device_runtime_api.h``."""
MAGIC: Final = 0xBA55ED50
PTX, ELF = 1, 2
_HEAD: Final = struct.Struct("<IHHQ")
_ENTRY: Final = struct.Struct("<HHIQIIIIIIQQQ")
"""kind, version, bytes of this header, of payload, packed, offset of options, version, target, offset and bytes of a name, flags, 0, bytes once unpacked."""
PTX_BEFORE_CUDA: Final = -4
"""How much the major version of PTX is from CUDA's, since CUDA 11."""
_OPTIONS: Final = struct.Struct("<II")
"""Behind that header, if it says so: offset from the entry's beginning and bytes of ptxas's options, which 0 may end."""
_HOST_LINUX_64: Final = 0x11
_LZ4, _ZSTD = 0x2000, 0x8000
MOST_BYTES: Final = 1 << 30
NEWEST_PTX: Final = 9
"""Major version of the newest PTX that is read, that of CUDA 13."""
ELF_MAGIC: Final = b"\x7fELF"
ELF_HEAD_BYTES: Final = 20
"""Up to its machine, the last two of them."""
_EM_CUDA: Final = 190


class FatbinError(Refusal):
    """A fat binary that is damaged, or has nothing that can be run."""

    def __init__(self, message: str, no_ptx: bool = False):
        """no_ptx : whether it is device code in order, but machine code only."""
        super().__init__("NoKernelImageForDevice" if no_ptx else "InvalidKernelImage", message)


class Entry(NamedTuple):
    """One piece of device code."""

    kind: int
    target: int
    """90 for sm_90."""
    data: bytes
    options: str = ""
    """For ptxas, if it is PTX: ``-dlcm=cg -maxrregcount=32``."""


def packed(ptx: str, target: int, options: str = "") -> bytes:
    """Give a fat binary that holds one PTX text, of a target (90 for compute_90), with options for ptxas."""
    text, said = _padded(ptx.encode() + b"\0"), b""
    if options:
        first = _ENTRY.size + _OPTIONS.size
        said = _padded(_OPTIONS.pack(first, len(options.encode()) + 1) + options.encode() + b"\0")
    head = _ENTRY.pack(PTX, 0x101, _ENTRY.size + len(said), len(text), 0, _ENTRY.size if said else 0, 0, target, 0, 0, _HOST_LINUX_64, 0, 0) + said
    return _HEAD.pack(MAGIC, 1, _HEAD.size, len(head) + len(text)) + head + text


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 8) * 8, b"\0")


def total_bytes(head: bytes) -> int:
    """Give the bytes of a fat binary from its first 16. Raises FatbinError."""
    if len(head) < _HEAD.size:
        raise FatbinError("a fat binary ends within its header")
    magic, _, header_bytes, nbytes = _HEAD.unpack_from(head)
    if magic != MAGIC:
        raise FatbinError(f"no fat binary: it begins with {magic:#x}, not {MAGIC:#x}")
    if header_bytes < _HEAD.size or nbytes > MOST_BYTES:
        raise FatbinError(f"a fat binary says that it has {nbytes} bytes behind a header of {header_bytes}")
    return int(header_bytes + nbytes)


def read(get: Callable[[int, int], bytes], address: int) -> list[bytes]:
    """Read device code from a program's memory, by the address of a fat binary or of its wrapper; ``get(address, bytes)``. Raises FatbinError.

    Returns one fat binary, or those of all parts that a program of separate compilation (``nvcc -rdc=true``) consists of, which have to be linked.
    CUDA's device runtime (``libcudadevrt``), which is one of these parts, is left out: what is in it every module has here.
    """
    magic, version, data, further = _WRAPPER.unpack(get(address, _WRAPPER.size)) if get(address, 4) == _WRAPPER_BEGIN else (0, 0, address, 0)
    parts = _parts(get, further) if magic and version == _LINKED_VERSION and further else []
    return [part for part in parts if not _is_device_runtime(part)] or [_read_one(get, data)]


def _read_one(get: Callable[[int, int], bytes], address: int) -> bytes:
    return get(address, total_bytes(get(address, _HEAD.size)))


def _parts(get: Callable[[int, int], bytes], address: int) -> list[bytes]:
    """Read the fat binaries of a list of addresses that 0 ends."""
    found: list[bytes] = []
    while part := int.from_bytes(get(address + 8 * len(found), 8), "little"):
        if len(found) == MOST_PARTS:
            raise FatbinError(f"more than {MOST_PARTS} parts to be linked")
        found.append(_read_one(get, part))
    return found


def _is_device_runtime(data: bytes) -> bool:
    """Say whether a fat binary is that of CUDA's device runtime, by the name of its source, which its symbols have in theirs."""
    try:
        first = next(entries(data), None)
    except ArchdefError:        # which is said when it is wanted
        return False
    return first is not None and _DEVICE_RUNTIME in first.data


def entries(data: bytes) -> Iterator[Entry]:
    """Unpack what a fat binary holds. Raises FatbinError."""
    end, at = total_bytes(data), _HEAD.unpack_from(data)[2]
    if end > len(data):
        raise FatbinError(f"a fat binary of {end} bytes was cut to {len(data)}")
    while at + _ENTRY.size <= end:
        kind, _, header_bytes, nbytes, packed, options, _, target, _, _, flags, _, unpacked = _ENTRY.unpack_from(data, at)
        if header_bytes < _ENTRY.size or at + header_bytes + nbytes > end:
            raise FatbinError(f"entry at byte {at} of a fat binary reaches past its end")
        payload = data[at + header_bytes:at + header_bytes + nbytes]
        yield Entry(kind, target, _unpacked(payload, packed, unpacked, flags), _options(data[at:at + header_bytes], options))
        at += header_bytes + nbytes


def _options(header: bytes, at: int) -> str:
    """Read the options that an entry's header holds behind its fields. Raises FatbinError."""
    if not at:
        return ""
    first, nbytes = _OPTIONS.unpack_from(header, at) if at + _OPTIONS.size <= len(header) else (len(header), 1)
    if first + nbytes > len(header):
        raise FatbinError("an entry of a fat binary has options that reach past its header")
    return header[first:first + nbytes].partition(b"\0")[0].decode("ascii", "replace")


def best_ptx(data: bytes, target: int) -> str:
    """Give the PTX of a fat binary for the newest target that is not newer than `target`; else the oldest there is. It says what its options say.

    Raises FatbinError.
    """
    found = list(entries(data))
    texts = sorted((entry.target, entry.data, entry.options) for entry in found if entry.kind == PTX)
    if not texts:
        have = ", ".join(f"sm_{entry.target}" for entry in found if entry.kind == ELF) or "nothing"
        raise FatbinError(f"the program holds machine code ({have}) and no PTX; compile it with -gencode arch=compute_XX,code=compute_XX",
                          no_ptx=True)
    _, text, options = ([each for each in texts if each[0] <= target] or texts[:1])[-1]
    return recorded.applied(text.rstrip(b"\0").decode("ascii", "replace"), options, target)


def compiled_for(data: bytes) -> int | None:
    """Give the major version of the CUDA that compiled a fat binary, by the version of its PTX; None if it has none. Raises FatbinError.

    References: PTX ISA, release notes: 9 came with CUDA 13, 8 with 12, 7 with 11, 6 with 9 and 10.
    """
    newest = max((ptx_version(entry.data[:4096].decode("ascii", "replace"))[0] for entry in entries(data) if entry.kind == PTX), default=0)
    return newest - PTX_BEFORE_CUDA if newest else None


def ptx_version(ptx: str) -> tuple[int, int]:
    """Give the version that PTX names; (0, 0) if none."""
    found = re.search(r"^\s*\.version\s+(\d+)\.(\d+)", ptx, re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def check_version(ptx: str) -> None:
    """Refuse PTX of a later CUDA than any whose PTX is known. Raises Refusal."""
    if (version := ptx_version(ptx)) >= (NEWEST_PTX + 1, 0):
        raise Refusal("UnsupportedPtxVersion", f"PTX of version {version[0]}.{version[1]}; the newest that is read is {NEWEST_PTX}, of CUDA {NEWEST_PTX + 4}")


def is_cubin(head: bytes) -> bool:
    """Say whether data begins as machine code does. Raises FatbinError for an ELF file of anything else."""
    if not head.startswith(ELF_MAGIC):
        return False
    if int.from_bytes(head[ELF_HEAD_BYTES - 2:ELF_HEAD_BYTES], "little") != _EM_CUDA:
        raise FatbinError("an ELF file that is no cubin")
    return True


def _unpacked(payload: bytes, packed: int, nbytes: int, flags: int) -> bytes:
    if not flags & (_LZ4 | _ZSTD):
        return payload
    if nbytes > MOST_BYTES or packed > len(payload):
        raise FatbinError(f"a fat binary holds {packed} packed bytes in {len(payload)}, said to become {nbytes}")
    try:
        if flags & _LZ4:
            import lz4.block
            unpack, wrong = lz4.block.decompress, lz4.block.LZ4BlockError
        else:
            import zstandard
            unpack, wrong = zstandard.ZstdDecompressor().decompress, zstandard.ZstdError
    except ImportError:
        raise MissingExtra("packed device code", "lz4" if flags & _LZ4 else "zstandard", "exec") from None
    try:
        return bytes(unpack(payload[:packed], nbytes))
    except (wrong, ValueError, MemoryError) as error:
        raise FatbinError(f"device code cannot be unpacked: {error}") from None
