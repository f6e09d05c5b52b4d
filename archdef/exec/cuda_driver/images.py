"""What programs give the driver to load: PTX as text, fat binaries, and what the driver itself has linked. Machine code is refused."""
from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from archdef.exec import fatbin
from archdef.exec.fatbin import FatbinError
from archdef.frontends import Compiled
from archdef.lower.registers import limited
from archdef.lower.unknown import check_known
from archdef.run.module import Module

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.exec.guest import GuestMemory

MOST_PTX_BYTES: Final = 1 << 28
_NO_PTX: Final = "a cubin holds machine code, which no simulated device runs: give PTX, or a fat binary that has some"
_LINKED: Final = b"\x7fARCHDEF"
_LINKED_HEAD: Final = struct.Struct("<8sQQ")
"""What it begins with; bytes behind this; registers that a thread may use, as `Image.most_registers`."""


class Image(Protocol):
    """Device code before it is known for which device."""

    most_registers: int
    """Registers that a thread may use at most, where kernels do not say it themselves; 0: as many as the machine has."""

    def texts(self, target: int) -> list[str]:
        """Give the PTX for a target, 90 for sm_90: what is to be linked into one module."""


Reader: TypeAlias = Callable[[], Image]


class Text:
    """PTX, of one or several sources."""

    def __init__(self, *texts: str, most_registers: int = 0):
        self._texts, self.most_registers = list(texts), most_registers

    def texts(self, target: int) -> list[str]:
        """Give it."""
        return self._texts


class Fat:
    """A fat binary, or several whose PTX is to be linked."""

    def __init__(self, *parts: bytes):
        self._parts, self.most_registers = parts, 0

    def texts(self, target: int) -> list[str]:
        """Give the PTX of each that fits best. Raises FatbinError."""
        return [fatbin.best_ptx(part, target) for part in self._parts]


def image_at(memory: GuestMemory, address: int) -> Image:
    """Read device code from a program's memory. Raises FatbinError, Refusal."""
    head = memory.get(address, 4)
    if int.from_bytes(head, "little") in (fatbin.WRAPPER_MAGIC, fatbin.MAGIC):
        return Fat(*fatbin.read(memory.get, address))
    if head == fatbin.ELF_MAGIC and fatbin.is_cubin(memory.get(address, fatbin.ELF_HEAD_BYTES)):
        raise FatbinError(_NO_PTX, no_ptx=True)
    if head == _LINKED[:4]:
        return _linked_at(memory, address)
    return Text(memory.text(address, MOST_PTX_BYTES))


def image_of(data: bytes) -> Image:
    """Read device code of which all bytes are known, as of a file. Raises FatbinError."""
    magic = int.from_bytes(data[:4], "little")
    if magic == fatbin.MAGIC:
        return Fat(data)
    if fatbin.is_cubin(data):
        raise FatbinError(_NO_PTX, no_ptx=True)
    return Text(data.partition(b"\0")[0].decode(errors="replace"))


def linked(texts: list[str], most_registers: int = 0) -> bytes:
    """Give texts the form in which the driver hands out what it has linked; one text without a limit of registers stays as it is."""
    if len(texts) == 1 and not most_registers:
        return texts[0].encode() + b"\0"
    body = b"".join(text.encode() + b"\0" for text in texts)
    return _LINKED_HEAD.pack(_LINKED, len(body), most_registers) + body


def _linked_at(memory: GuestMemory, address: int) -> Image:
    magic, nbytes, most_registers = _LINKED_HEAD.unpack(memory.get(address, _LINKED_HEAD.size))
    known = magic == _LINKED and 0 < nbytes <= MOST_PTX_BYTES
    body = memory.get(address + _LINKED_HEAD.size, nbytes) if known else b""
    if not body.endswith(b"\0"):
        raise FatbinError("neither PTX nor a fat binary, nor what cuLinkComplete has given")
    return Text(*(part.decode(errors="replace") for part in body.split(b"\0")[:-1]), most_registers=most_registers)


def load(image: Image, device: Device, capability: tuple[int, int]) -> Module:
    """Load device code on a device. Raises PtxError for what is wrong in any of it, FatbinError, Refusal."""
    texts = image.texts(10 * capability[0] + capability[1])
    for text in texts:
        fatbin.check_version(text)
    module = Module(device, [Compiled(text, "<ptx>" if len(texts) == 1 else f"<ptx {number}>") for number, text in enumerate(texts, 1)])
    check_known(module.ptx)
    if image.most_registers:
        module.ptx = limited(module.ptx, image.most_registers)
    return module
