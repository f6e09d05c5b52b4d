"""How long kernels take, in simulated time: what ``triton.autotune`` and ``triton.testing.do_bench`` ask on a simulated device.

The model gives the same time again and again, so a function is called once. Its time is that of its kernels on the device, from launch to end, one
after the other; what torch does beside them is not simulated, and has no time. Every launch finds the L2 cold, as `do_bench` sees to on hardware.
"""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from archdef.errors import GuestWarning
from archdef.host.link import FS_PER_S

if TYPE_CHECKING:
    from archdef.triton.driver import Driver

NAMES = ("do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton")
"""Functions of ``triton.testing`` that measure."""


class Benchmarker:
    """Measures by a driver's launches."""

    def __init__(self, driver: Driver):
        self.driver = driver
        self._measured = 0, 0
        """Launches of all measurements so far, and their time: a function that tunes a kernel measures within a measurement."""
        self._warned = False

    def __call__(self, fn: Callable[[], Any], warmup: float = 25, rep: float = 100, grad_to_none: Sequence[Any] | None = None,
                 quantiles: Sequence[float] | None = None, return_mode: str = "mean") -> Any:
        """Give the time of one call in milliseconds, once for each of `quantiles`; `warmup` and `rep` change nothing."""
        if return_mode not in ("min", "max", "mean", "median", "all"):
            raise ValueError(f"return_mode must be min, max, mean, median or all, got {return_mode!r}")
        for tensor in grad_to_none or ():
            tensor.grad = None
        milliseconds = self._once(fn)
        if quantiles is not None:
            return milliseconds if len(quantiles) == 1 else [milliseconds] * len(quantiles)
        return [milliseconds] if return_mode == "all" else milliseconds

    def _once(self, fn: Callable[[], Any]) -> float:
        """Call a function and give the milliseconds of its kernels, without those of measurements within."""
        launches, busy_fs = self.driver.launches, self.driver.busy_fs
        within = self._measured
        fn()
        all_launches, all_fs = self.driver.launches - launches, self.driver.busy_fs - busy_fs
        own_launches, own_fs = all_launches - (self._measured[0] - within[0]), all_fs - (self._measured[1] - within[1])
        self._measured = within[0] + all_launches, within[1] + all_fs
        if own_launches:
            return 1e3 * own_fs / FS_PER_S
        if not self._warned:
            self._warned = True
            warnings.warn("a function that was timed launched no kernel on the simulated device, so its time is not a number: what torch does by itself "
                          "runs on the host and is not simulated", GuestWarning, stacklevel=3)
        return math.nan
