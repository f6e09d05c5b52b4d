"""Compiled Triton kernels on a simulated device: loading them, and launching them as Triton's launcher does."""
from __future__ import annotations

import importlib.metadata
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.errors import LaunchError
from archdef.frontends import Compiled, Interface, source
from archdef.host import Stream
from archdef.run.array import DeviceArray
from archdef.run.dlpack import Strided
from archdef.run.launch import Launcher
from archdef.run.loan import Loan
from archdef.run.module import Kernel, Module
from archdef.run.tensor_map import DRIVER_TYPES, SWIZZLES, TensorMap, of_array
from archdef.triton.tensors import Tensor

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.run.result import Run

WARP = 32
"""Lanes of a warp that Triton generates code for."""
_SCRATCH = ("global_scratch", "profile_scratch")
"""What a kernel wants of device memory at each launch, in the order of the parameters behind its own."""
_IN_DRIVER = {8: 10, 9: 8, 10: 9}
"""Element types of tensor maps that Triton numbers as instructions do → as the driver does; all others are the same."""
_ROUNDED_TO_TF32 = 11


@attrs.define(eq=False)
class Loaded:
    """What Triton calls a function: a kernel of a module on the device."""

    kernel: Kernel
    shared_bytes: int

    @classmethod
    def of(cls, device: Device, name: str, ptx: str, shared_bytes: int) -> Loaded:
        """Load PTX. Raises PtxError, CompileError."""
        files = (Path(found) for found in re.findall(r'^\s*\.file\s+\d+\s+"([^"]+)"', ptx, re.MULTILINE))
        file = next((path for path in files if path.is_file()), None)
        shown = f"{name}.ptx" if file is None else f"{file.name}.ptx"
        text = ptx if file is None else ptx.replace(f'"{file}"', f'"{file.name}"')
        compiled = Compiled(text, shown, file, None if file is None else source.text_of(file), f"Triton {importlib.metadata.version('triton')}",
                            interfaces={name: Interface(name, lambda arguments, parameters: arguments, warp_size=WARP)})
        return cls(Module(device, [compiled])[name], shared_bytes)


class TritonLauncher:
    """What calls a kernel: made by Triton for each one, with the types of its parameters."""

    def __init__(self, compiled_from: Any, metadata: Any):
        self.kinds = tuple(compiled_from.signature.values())
        self.metadata = metadata
        if getattr(metadata, "launch_pdl", False):
            raise LaunchError(f"{metadata.name} wants to start before the launch ahead of it has ended (launch_pdl), which is not simulated")
        self.maps = tuple(getattr(metadata, "tensordesc_meta", None) or ())

    def __call__(self, x: int, y: int, z: int, stream: Any, function: Loaded, packed_metadata: Any, launch_metadata: Any, enter_hook: Any, exit_hook: Any,
                 *arguments: Any) -> None:
        """Launch, and wait for the end. Raises what `archdef.run.launch.Launcher.launch` does."""
        if enter_hook is not None:
            enter_hook(launch_metadata)
        if x * y * z > 0:
            self.launch((x, y, z), stream, function, arguments)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def launch(self, grid: tuple[int, int, int], stream: Any, function: Loaded, arguments: Sequence[Any]) -> Run:
        """Lend host memory to the kernel, launch it, and take the memory back."""
        kernel, metadata = function.kernel, self.metadata
        device, name = kernel.module.device, kernel.name
        clusters = getattr(metadata, "num_ctas", 1)
        maps = iter(self.maps)
        given = [one for kind, argument in zip(self.kinds, arguments, strict=True) for one in _flat(kind, argument, maps)]
        loan = Loan(name, [one.base if isinstance(one, _Mapped) else one for one in given], device.memory, stand_for_device_memory=True)
        values = [one.encoded(lent) if isinstance(one, _Mapped) else lent for one, lent in zip(given, loan.arguments, strict=True)]
        grid = (grid[0] * clusters, *grid[1:])
        launcher: Launcher[Any] = Launcher(kernel, grid, WARP * metadata.num_warps, function.shared_bytes, _stream(stream, name))
        loan.give(launcher.stream)
        launched = launcher.launch(*values, *self._scratch(kernel, len(values), math.prod(grid)), cooperative=metadata.launch_cooperative_grid,
                                   cluster=clusters if clusters > 1 else None)
        run: Run = launched.result() if launcher.stream is not None else launched
        loan.take_back(launcher.stream)
        return run

    def _scratch(self, kernel: Kernel, given: int, blocks: int) -> list[DeviceArray | int]:
        """Give the memory that the compiler wants behind a kernel's own parameters."""
        wanted = [getattr(self.metadata, f"{what}_size", 0) for what in _SCRATCH][:len(kernel.parameters) - given]
        return [DeviceArray(kernel.module.device.memory, size * blocks, "u1") if size else 0 for size in wanted]


def _stream(stream: Any, name: str) -> Stream | None:
    """Give a stream of the device; Triton's default one is the device's."""
    if stream in (None, 0) or isinstance(stream, Stream):
        return stream or None
    raise LaunchError(f"{name}: a stream on a simulated device is made by Device.stream(), got {stream!r}")


@attrs.frozen
class _Mapped:
    """A tensor that a kernel takes by its tensor map."""

    base: Any
    descriptor: Any
    meta: Any

    def encoded(self, array: DeviceArray) -> TensorMap:
        """Make the map, of the device's address."""
        descriptor, meta = self.descriptor, self.meta
        number = _ROUNDED_TO_TF32 if descriptor.round_f32_to_tf32 else _IN_DRIVER.get(meta["elem_type"], meta["elem_type"])
        shape = list(descriptor.shape)
        if meta["fp4_padded"] or meta.get("is_im2col", False) or not number < len(DRIVER_TYPES):
            raise LaunchError(f"tensor maps of pixels, and of elements of four bits, are not made for Triton's kernels: {descriptor!r}")
        return of_array(array, box=meta["block_size"][::-1], type=DRIVER_TYPES[number], shape=shape[::-1],
                        strides=[stride * meta["elem_size"] for stride in descriptor.strides[-2::-1]], swizzle=SWIZZLES[meta["swizzle"]],
                        oob_fill="nan" if descriptor.padding == "nan" else "zero", l2_promotion=128)


def _flat(kind: Any, argument: Any, maps: Iterator[Any]) -> list[Any]:
    """Give the PTX parameters of one argument."""
    if isinstance(kind, tuple):
        return [one for each, part in zip(kind, argument, strict=True) for one in _flat(each, part, maps)]
    if kind == "constexpr":
        return []
    if kind.startswith("tensordesc"):
        return _described(argument, maps)
    return [_pointer(argument) if kind.startswith("*") else _number(kind, argument)]


def _described(descriptor: Any, maps: Iterator[Any]) -> list[Any]:
    """Give a tensor by its map, where the machine has such copies, or else by pointer, shape and strides; both are told again behind it."""
    meta = next(maps, None)
    base, again = _pointer(descriptor.base), [*descriptor.shape, *descriptor.strides]
    if meta is not None:
        return [_Mapped(base, descriptor, meta), *again]
    return [base, *again, descriptor.padding == "nan", descriptor.round_f32_to_tf32, *again]


def _pointer(argument: Any) -> Any:
    """Give what lies behind a pointer, as a launch or a loan knows it."""
    while type(argument).__name__ == "TensorWrapper":       # triton.reinterpret: another type, the same memory
        argument = argument.base
    if isinstance(argument, Tensor):
        return argument.array
    if hasattr(argument, "untyped_storage"):
        if argument.device.type != "cpu":
            raise LaunchError(f"tensors of simulated devices lie in host memory, got one on {argument.device}; make it with device='cpu'")
        size = argument.element_size()
        return Strided(argument.data_ptr(), tuple(argument.shape), tuple(n * size for n in argument.stride()), np.dtype(f"u{size}") if size in (1, 2, 4, 8)
                       else np.dtype(f"V{size}"), False, argument)
    return argument


def _number(kind: str, argument: Any) -> Any:
    """Give a number as its parameter holds it: numpy has no name for some, and PTX knows halves as bits only."""
    if kind in ("fp16", "bf16"):
        if kind == "fp16":
            return int(np.float16(argument).view(np.uint16))
        bits = int(np.float32(argument).view(np.uint32))
        return bits >> 16 if bits & 0x7FFFFFFF > 0x7F800000 else (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    if kind in ("fp32", "f32", "fp64"):
        return float(argument)
    return int(argument)
