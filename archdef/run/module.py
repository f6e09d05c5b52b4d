"""A compiled module on a device, and its kernels."""
from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING

from archdef.errors import LaunchError
from archdef.frontends import Compiled
from archdef.run import names
from archdef.run.images import Images
from archdef.run.launch import Launcher
from archdef.run.texture import References

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.run.result import Run


class Module:
    """The kernels of one source on one device: ``module.transpose`` or ``module["transpose"]``."""

    def __init__(self, device: Device, compiled: Compiled):
        from archdef.ptx import parse

        self.device, self.compiled = device, compiled
        self.ptx = parse(compiled.ptx, compiled.file)
        """The parsed PTX."""
        self._kernels: dict[str, Kernel] = {}
        self.images = Images(device.memory)
        """The module's variables in device memory."""
        self.textures = References(self)
        """What its texture references stand for: ``module.textures["name"] = texture``."""
        self._lock = threading.RLock()

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels, as the PTX has them."""
        return tuple(name for name, function in self.ptx.functions.items() if function.entry and function.defined)

    def __getitem__(self, name: str) -> Kernel:
        symbol = names.find(name, self.kernels, self.compiled.file)
        with self._lock:
            if symbol not in self._kernels:
                self._kernels[symbol] = Kernel(self, symbol)
            return self._kernels[symbol]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except LaunchError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self):
        return [*super().__dir__(), *(names.readable(symbol) for symbol in self.kernels)]

    def __repr__(self) -> str:
        kernels = ", ".join(map(names.readable, self.kernels))
        return f"<Module {self.compiled.file} on {self.device.architecture.label}: {kernels}>"

    @functools.cached_property
    def sources(self) -> dict[str, tuple[str, ...]]:
        """File name → its lines, for listings."""
        found = {self.compiled.file: self.ptx.lines}
        if self.compiled.source_text is not None:
            found[self.compiled.file.removesuffix(".ptx")] = tuple(self.compiled.source_text.splitlines())
        return found


class Kernel:
    """A kernel, lowered for the device's architecture at its first use; ``kernel[grid, block](…)`` launches it."""

    def __init__(self, module: Module, symbol: str):
        self.module, self.symbol = module, symbol
        self.name = names.readable(symbol)
        self._lock = threading.RLock()

    @functools.cached_property
    def program(self):
        """The kernel in the engine's terms: packed operations, registers, shared memory, statements."""
        from archdef.lower import lower

        with self._lock:
            return lower(self.module.ptx, self.symbol, self.module.device.architecture)

    @property
    def registers(self) -> int:
        """Registers per thread."""
        return self.program.registers

    @property
    def shared_bytes(self) -> int:
        """Static shared memory per block, bytes."""
        return self.program.shared_bytes

    @property
    def local_bytes(self) -> int:
        """Local memory per thread, bytes."""
        return self.program.local_bytes

    @property
    def parameters(self) -> tuple:
        """Parameters in order: ``name``, ``offset``, ``type``, ``bytes``."""
        return tuple(self.program.parameter_layout)

    def __getitem__(self, configuration) -> Launcher:
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 3:
            raise LaunchError(f"launch {self.name} as kernel[grid, block] or kernel[grid, block, shared_bytes]")
        return Launcher(self, *configuration)

    def __call__(self, *arguments) -> Run:
        raise LaunchError(f"{self.name} needs a launch configuration: kernel[grid, block](…)")

    def __repr__(self) -> str:
        return f"<Kernel {self.name} of {self.module.compiled.file} on {self.module.device.architecture.label}>"
