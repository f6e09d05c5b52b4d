"""Numba CUDA functions to PTX, through the package numba-cuda: no GPU or driver takes part.

``device.compile(function, signature="void(float32[:], float32)")``, where `function` is plain Python or decorated with
``cuda.jit``; the signature may also be the very arguments of a launch, ``(y, x, 2.0)``, from which Numba takes the types.
An array argument is 5 + 2n parameters there (memory manager's handle, parent, number of elements, size of one, data
pointer, n sizes, n strides); callers pass a device array.
"""
from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import inspect
import numbers
import re
import threading
import types as python
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from archdef.errors import CompileError, LaunchError
from archdef.frontends import cache, source
from archdef.frontends.fingerprint import fingerprint
from archdef.frontends.options import Compiled, Interface, Options
from archdef.values import shown

INSTALL = "numba-cuda is not installed; 'pip install archdef[numba]' brings it as wheels (no GPU or driver needed)"
NO_WHEELS = "cannot find the CUDA wheels that 'pip install archdef[numba]' brings"
SETTINGS = ("fastmath", "launch_bounds", "opt")
_LOCK = threading.Lock()
_LIBRARIES = ("numba", "numba_cuda", "numpy", "math", "cmath", "operator", "builtins")


class Numba:
    """The front end for Numba CUDA functions."""

    name = "numba"
    takes = "a Numba CUDA function"

    def accepts(self, given, options: Options) -> bool:
        """Take plain Python functions, and what ``cuda.jit`` makes of them."""
        return isinstance(given, python.FunctionType) or (
            type(given).__module__.partition(".")[0] in ("numba", "numba_cuda") and hasattr(given, "py_func"))

    def missing(self) -> str | None:
        """Name the extra if numba-cuda is not installed."""
        return None if importlib.util.find_spec("numba_cuda") else INSTALL

    def compile(self, given, options: Options) -> Compiled:
        """Compile with the CUDA wheels that numba-cuda finds. Raises CompileError."""
        if problem := self.missing():
            raise CompileError(f"{given.__name__}: {problem}")
        options.check_settings(self.name, SETTINGS)
        function = getattr(given, "py_func", given)
        place = f"{Path(function.__code__.co_filename).name}:{function.__code__.co_firstlineno}"
        if options.signature is None:
            raise CompileError(f"{place}: {function.__name__} needs its argument types: "
                               f"compile({function.__name__}, signature=\"void(float32[:], int32)\")")
        return _compile(given, function, place, options)


def _compile(given: Any, function: python.FunctionType, place: str, options: Options) -> Compiled:
    from numba.core import sigutils

    try:
        arguments, _ = sigutils.normalize_signature(_types(options.signature))
    except Exception as error:
        raise CompileError(f"{place}: {options.signature!r} is no Numba signature: {error}") from error
    wanted = inspect.signature(function).parameters
    if len(arguments) != len(wanted):
        raise CompileError(f"{place}: {function.__name__} takes {len(wanted)} arguments ({', '.join(wanted)}), "
                           f"the signature {options.signature} has {len(arguments)}")
    compiler = f"Numba CUDA {importlib.metadata.version('numba-cuda')}"
    # What the decorator asked for holds, unless the caller says otherwise.
    decorated = getattr(given, "targetoptions", None) or {}
    settings = {name: decorated[name] for name in SETTINGS if decorated.get(name) is not None} | dict(options.settings)
    cc = _target(options, place)
    mark = fingerprint(function, _LIBRARIES)
    entry = None if mark is None else cache.key(
        compiler, *(importlib.metadata.version(p) for p in ("numba", "numpy", "llvmlite")), _toolkit(), mark, str(arguments),
        str(cc), str(options.fused_multiply_add), repr(sorted(settings.items())), function.__code__.co_filename)
    ptx = cache.get(entry) if entry else None
    if ptx is None:
        ptx = _run(function, arguments, cc, settings, options.fused_multiply_add, place, compiler)
        if entry:
            cache.put(entry, ptx)
    else:
        compiler += ", cached"
    file = Path(function.__code__.co_filename)
    symbol = re.search(r"\.visible\s+\.entry\s+([\w$]+)", ptx)
    return Compiled(ptx.replace(f'"{file}"', f'"{file.name}"'), f"{file.name}.ptx", file if file.is_file() else None,
                    source.text_of(file), compiler,
                    interfaces={symbol[1]: Interface(function.__name__, _Arguments(function.__name__, arguments))})


def _types(signature: Any) -> Any:
    """Give a signature as Numba knows it, also for a tuple of arguments in place of their types."""
    from numba import from_dtype, typeof
    from numba.core import types

    if not isinstance(signature, (tuple, list)):
        return signature
    return tuple(part if isinstance(part, types.Type)
                 else types.Array(from_dtype(part.dtype), len(part.shape), "C") if hasattr(part, "address") else typeof(part)
                 for part in signature)


def _run(function, arguments, cc, settings, fused: bool, place: str, compiler: str) -> str:
    from numba import cuda
    from numba.core.types import void

    try:
        with _LOCK, _device_of(cc):
            if fused:
                return cuda.compile_ptx(function, void(*arguments), cc=cc, lineinfo=True, **settings)[0]
            # The public call has no word for it; the library object that it makes does.
            from numba.cuda import compiler as inner

            library, _ = inner._compile_pyfunc_with_fixup(function, void(*arguments), lineinfo=True, device=False, cc=cc,
                                                          abi="numba", **settings)
            library._nvvm_options["fma"] = False
            return "\n".join(library.get_asm_strs(cc=cc))
    except Exception as error:
        if type(error).__module__.startswith("cuda."):
            raise CompileError(f"{place}: {compiler} {NO_WHEELS}: {error}") from error
        raise CompileError(f"{_place(error) or place}: {function.__name__} does not compile ({compiler}):\n{error}") from error


@contextlib.contextmanager
def _device_of(cc: tuple[int, int]):
    """Numba asks the driver for which device to compile the functions that a kernel calls; answer in its place."""
    from numba.cuda import dispatcher

    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: python.SimpleNamespace(compute_capability=cc)
    try:
        yield
    finally:
        dispatcher.get_current_device = before


def _place(error: BaseException) -> str | None:
    """Find the line that Numba was at: its messages leave it out, the frames that raised them know it."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            location = value if hasattr(value, "filename") else getattr(value, "loc", None)
            line, file = getattr(location, "line", None), getattr(location, "filename", None)
            if isinstance(line, int) and isinstance(file, str) and Path(file).is_file():
                found = f"{Path(file).name}:{line}"
        trace = trace.tb_next
    return found


def _target(options: Options, place: str) -> tuple[int, int]:
    from numba.cuda.cudadrv import nvrtc

    try:
        targets = sorted(10 * major + minor for major, minor in nvrtc.get_supported_ccs())
    except Exception as error:
        raise CompileError(f"{place}: Numba CUDA {NO_WHEELS}: {error}") from error
    number = int(re.sub(r"\D", "", source.target("Numba CUDA", targets, options)))
    return divmod(number, 10)


def _toolkit() -> str:
    names = ("nvidia-nvvm", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12", "cuda-toolkit")
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)



class _Arguments:
    """Turns a kernel's Python arguments into its PTX parameters, by the types of the signature."""

    def __init__(self, kernel: str, types: Sequence[Any]):
        self.kernel, self.types = kernel, tuple(types)

    def __call__(self, arguments: Sequence[Any], parameters: Sequence[Any]) -> list[Any]:
        if len(arguments) != len(self.types):
            raise LaunchError(f"{self.kernel} takes {len(self.types)} argument{'s' * (len(self.types) != 1)} "
                              f"({', '.join(map(str, self.types)) or 'none'}), got {len(arguments)}")
        values: list[Any] = []
        for position, (kind, argument) in enumerate(zip(self.types, arguments, strict=True), start=1):
            values += self._expand(kind, argument, f"argument {position} of {self.kernel} ({kind})")
        return values

    def _expand(self, kind: Any, argument: Any, what: str) -> list[Any]:
        from numba.core import types
        from numba.np import numpy_support

        if isinstance(kind, types.Array):
            if isinstance(argument, np.ndarray):
                raise LaunchError(f"{what} got a numpy array, which is host memory; copy it with to_device")
            if not all(hasattr(argument, name) for name in ("address", "shape", "dtype", "size")):
                raise LaunchError(f"{what} takes a device array, got {type(argument).__name__}")
            dtype = numpy_support.as_dtype(kind.dtype)
            in_order = tuple(map(int, np.cumprod([argument.dtype.itemsize, *argument.shape[:0:-1]])[::-1]))
            strides = getattr(argument, "strides", in_order)        # those of arrays of other libraries; the device's own are in C order
            wanted = {"C": in_order, "F": tuple(map(int, np.cumprod([argument.dtype.itemsize, *argument.shape[:-1]])))}.get(kind.layout, strides)
            if argument.dtype != dtype or len(argument.shape) != kind.ndim or strides != wanted:
                raise LaunchError(f"{what} takes a {kind.ndim}-dimensional array of {dtype} in {kind.layout} order, got "
                                  f"{argument.dtype}[{', '.join(map(str, argument.shape))}] {'in C order' if strides == in_order else f'of strides {strides}'}")
            return [0, 0, argument.size, dtype.itemsize, argument, *argument.shape, *strides]
        if isinstance(kind, types.Complex):
            half = np.float32 if kind.bitwidth == 64 else np.float64
            return [half(complex(argument).real), half(complex(argument).imag)]
        if isinstance(kind, types.BaseTuple):
            if not isinstance(argument, tuple) or len(argument) != len(kind):
                raise LaunchError(f"{what} takes a tuple of {len(kind)}, got {argument!r}")
            return [value for k, a in zip(kind, argument, strict=True) for value in self._expand(k, a, what)]
        if kind == types.float16:
            return [int(np.float16(argument).view(np.uint16))]
        if isinstance(kind, types.Boolean):
            return [bool(argument)]
        if isinstance(kind, types.Integer):
            value = argument.item() if isinstance(argument, (np.generic, np.ndarray)) and getattr(argument, "size", 1) == 1 else argument
            if not isinstance(value, int):
                raise LaunchError(f"{what} takes an integer, got {shown(argument)}")
            if not kind.minval <= value <= kind.maxval:
                raise LaunchError(f"{what} takes {kind.minval:,} to {kind.maxval:,}, got {shown(value)}")
            return [value]
        if isinstance(kind, types.Float):
            if not isinstance(argument, (numbers.Real, np.bool_)) and getattr(argument, "shape", None) != ():
                raise LaunchError(f"{what} takes a number, got {type(argument).__name__}")
            return [argument]
        raise LaunchError(f"{what}: arguments of this kind cannot be passed")
