"""What the parts of the runtime have of each other."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.host import Stream
    from archdef.host.context import Context
    from archdef.host.graph import Work
    from archdef.run.memory import Memory
    from archdef.run.pointer import Pointer
    from archdef.runtime.devices import Devices
    from archdef.runtime.ends import Region, Source


class Part:
    """A part of the runtime; `archdef.runtime.api.Runtime` is made of all of them, and has what is declared here."""

    if TYPE_CHECKING:
        devices: Devices

        def Malloc(self, size: int) -> Pointer: ...

        def DeviceSynchronize(self) -> None: ...

        def _memory(self, device: Device) -> Memory: ...

        def _stream(self, stream: Stream | int | None, context: Context | None = None) -> Stream: ...

        def _device_end(self, end: object) -> tuple[Any, int, int]: ...

        def check_written(self, address: int, nbytes: int) -> None: ...

        def _peer(self, dst: Source, dst_device: int, src: Source, src_device: int) -> None: ...

        def copy_work(self, dst: Any, src: Any, count: int | None, given: Any = None) -> Work: ...

        def copy_box(self, dst: Region, src: Region, extent: tuple[int, int, int], kind: int, stream: Stream | int | None, wait: bool) -> None: ...
