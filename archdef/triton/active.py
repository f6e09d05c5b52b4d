"""Making a simulated device the one that Triton launches on, and undoing it.

Triton has one active driver, finds the compiler of a target in a table, and keeps the choices of ``triton.autotune`` by their arguments alone. While a
device is in use the driver is archdef's, the compiler for CUDA ends with PTX, functions of ``triton.testing`` that measure give simulated time, and
choices are kept for each device.
"""
from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import weakref
from typing import Any, Self

from packaging.version import Version

from archdef.device import Device
from archdef.errors import CompileError
from archdef.exec.tally import KernelTotal
from archdef.frontends.triton_jit import INSTALL
from archdef.spec import Architecture
from archdef.triton import benchmark
from archdef.triton.compiler import ptx_backend
from archdef.triton.driver import Driver
from archdef.values import shown

OLDEST_TRITON = "3.8"
"""The oldest release whose driver was tried."""


class Simulated:
    """A simulated device that Triton launches on, until `close` or the end of a ``with``."""

    def __init__(self, driver: Driver):
        self.driver = driver
        self._undo: list[Any] = []
        self._tuners: weakref.WeakKeyDictionary[Any, tuple[Any, Any]] = weakref.WeakKeyDictionary()
        self._activate()

    @property
    def device(self) -> Device:
        """The device."""
        return self.driver.device

    @property
    def kernels(self) -> tuple[KernelTotal, ...]:
        """What each kernel took in all, the longest first; ``kernels[0].longest`` is a `Run`."""
        return tuple(sorted(self.driver.kernels.values(), key=lambda total: -total.seconds))

    def close(self) -> None:
        """Give Triton its former driver back."""
        while self._undo:
            self._undo.pop()()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Simulated {self.device!r} for Triton, {self.driver.launches} launches>"

    def _activate(self) -> None:
        import triton
        from triton.backends import Backend, backends
        from triton.runtime import autotuner

        active = triton.runtime.driver
        before = active._active                # asking for it by its public name looks for a GPU
        active.set_active(self.driver)
        self._undo.append(lambda: active.set_active(before))
        self._replace(backends, "nvidia", Backend(compiler=ptx_backend(), driver=Driver))
        for name in benchmark.NAMES:
            if hasattr(triton.testing, name):
                self._replace(triton.testing.__dict__, name, self.driver.benchmarker)
        run = autotuner.Autotuner.run
        simulated = self

        def tuned(tuner: Any, *arguments: Any, **named: Any) -> Any:
            simulated._own_choices(tuner)
            return run(tuner, *arguments, **named)
        autotuner.Autotuner.run = tuned
        self._undo.append(lambda: setattr(autotuner.Autotuner, "run", run))
        self._undo.append(self._return_choices)

    def _replace(self, table: dict[str, Any], name: str, value: Any) -> None:
        before = table[name]
        table[name] = value
        self._undo.append(lambda: table.__setitem__(name, before))

    def _own_choices(self, tuner: Any) -> None:
        """Let a tuner choose anew for this device, and keep nothing in files, which do not know the machine."""
        if tuner not in self._tuners:
            self._tuners[tuner] = tuner.cache, tuner.cache_results
            tuner.cache, tuner.cache_results = {}, False
            tuner.__dict__.pop("do_bench", None)

    def _return_choices(self) -> None:
        for tuner, (cache, cache_results) in self._tuners.items():
            tuner.cache, tuner.cache_results = cache, cache_results
            tuner.__dict__.pop("do_bench", None)


def use(device: str | Architecture | Device, *, target: int | None = None) -> Simulated:
    """Let Triton launch on a simulated device from now on, or within a ``with``.

    device : an architecture by name or description, which is then made a device that prints to standard output, or a `Device`.
    target : compute capability to compile for (``80``), where it is not to be the machine's own.

    Raises UnknownArchitecture; CompileError where Triton is not installed, or too old.
    """
    if importlib.util.find_spec("triton") is None:
        raise CompileError(INSTALL)
    version = importlib.metadata.version("triton")
    if Version(version) < Version(OLDEST_TRITON):
        raise CompileError(f"launches by Triton itself on simulated devices need Triton {OLDEST_TRITON} or newer, got {version}")
    if target is not None and (not isinstance(target, int) or isinstance(target, bool)):
        raise CompileError(f"target must be a compute capability such as 80, got {shown(target)}")
    return Simulated(Driver(device if isinstance(device, Device) else Device(device, printf=sys.stdout), target))
