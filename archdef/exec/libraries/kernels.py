"""Archdef's own kernels, which stand for those of NVIDIA's libraries: CUDA C++ with PTX shipped beside it."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from archdef.errors import LaunchError
from archdef.files.atomic import write_text
from archdef.frontends.options import Options
from archdef.frontends.ptxtext import digest
from archdef.host import Launched

if TYPE_CHECKING:
    from archdef.exec.calls import Thread
    from archdef.run.module import Kernel

FOLDER: Final = Path(__file__).with_name("kernels")


@attrs.frozen
class Source:
    """One file of kernels, compiled for one choice of types."""

    file: str
    name: str
    """Of the PTX."""
    defines: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Features of the machine."""
    fused: bool = False
    """Whether it takes another text for machines without a fused multiply and add of single precision."""

    def texts(self) -> Iterator[tuple[Path, bool]]:
        """Give where its PTX is, and whether multiplies and adds are fused there."""
        yield FOLDER / f"{self.name}.ptx", True
        if self.fused:
            yield FOLDER / f"{self.name}.nofma.ptx", False

    def options(self, fused: bool) -> Options:
        """Give the compiler's options; where multiplies and adds are kept apart, the source is told so, too."""
        return Options(fused_multiply_add=fused, defines=self.defines if fused else (*self.defines, "APART"))

    def header(self) -> str:
        """Say what the PTX was made of."""
        return f"// archdef: source-sha256={digest(self.text())} defines={','.join(self.defines)}"

    def text(self) -> str:
        """Read the file."""
        return (FOLDER / self.file).read_text(encoding="utf-8")


def _gemm(name: str, values: str, out: str, sum_type: str, needs: tuple[str, ...] = (), fused: bool = False) -> tuple[Source, Source]:
    """Give the products of cuBLAS, and those of cuBLASLt, which has more to do to them."""
    types = (f"IN={values}", f"OUT={out}", f"SUM={sum_type}")
    half = ("HALF",) if "Half" in (values, out) else ()
    activations = ("ACTIVATIONS",) * (sum_type == "float")
    return (Source("gemm.cu", f"gemm.{name}", (*types, f"NAME=archdef_{name}", *half), needs, fused),
            Source("gemm.cu", f"lt.{name}", (*types, f"NAME=archdef_lt_{name}", *half, "EPILOGUE", *activations), needs, fused))


def _curand(state: str, real: str, needs: tuple[str, ...] = ()) -> Source:
    double = real == "double"
    name = f"{state.lower()}{'_d' if double else ''}"
    flags = ("DOUBLES",) * ("fp64" in needs) + ("DOUBLE_ONLY",) * double + ("UNIFORM_ONLY",) * (state == "Sobol")
    return Source("curand.cu", f"curand.{name}", (f"STATE={state}", f"REAL={real}", f"NAME=archdef_{name}_", *flags), needs, fused=not double)


SOURCES: Final[Mapping[str, Source]] = {each.name: each for each in (
    *_gemm("s", "float", "float", "float", fused=True), *_gemm("d", "double", "double", "double", ("fp64",)),
    *_gemm("h", "Half", "Half", "float", ("fp16",)), *_gemm("hs", "Half", "float", "float", ("fp16",)),
    *_gemm("b", "Bfloat", "Bfloat", "float", fused=True), *_gemm("bs", "Bfloat", "float", "float", fused=True),
    *_gemm("i", "signed char", "int", "int"),
    Source("blas.cu", "blas.s", ("REAL=float", "NAME=archdef_s"), fused=True), Source("blas.cu", "blas.d", ("REAL=double", "NAME=archdef_d"), ("fp64",)),
    Source("blas.cu", "blas.h", ("REAL=float", "NARROW=Half", "HALF", "NAME=archdef_h"), ("fp16",)),
    Source("blas.cu", "blas.b", ("REAL=float", "NARROW=Bfloat", "NAME=archdef_b"), fused=True),
    Source("sparse.cu", "sparse.s", ("REAL=float", "NAME=archdef_s_"), fused=True),
    Source("sparse.cu", "sparse.d", ("REAL=double", "NAME=archdef_d_"), ("fp64",)),
    Source("triangular.cu", "triangular.s", ("REAL=float", "NAME=archdef_s_"), fused=True),
    Source("triangular.cu", "triangular.d", ("REAL=double", "NAME=archdef_d_"), ("fp64",)),
    Source("solver.cu", "solver.s", ("REAL=float", "NAME=archdef_s"), fused=True),
    Source("solver.cu", "solver.d", ("REAL=double", "NAME=archdef_d"), ("fp64",)),
    Source("convolution.cu", "convolution.s", ("REAL=float", "NAME=archdef_s"), fused=True),
    Source("convolution.cu", "convolution.d", ("REAL=double", "NAME=archdef_d"), ("fp64",)),
    Source("fft.cu", "fft.s", ("REAL=float", "NAME=archdef_fft_s_"), fused=True), Source("fft.cu", "fft.d", ("REAL=double", "NAME=archdef_fft_d_"), ("fp64",)),
    _curand("Xorwow", "float"), _curand("Philox", "float"), _curand("Mrg", "float", ("fp64",)), _curand("Sobol", "float"),
    *(_curand(state, "double", ("fp64",)) for state in ("Xorwow", "Philox", "Mrg", "Sobol")))}
"""Name → what it is compiled of."""


def ship(compile_text: Callable[..., Any]) -> Iterator[Path]:
    """Write all PTX anew; `compile_text` is ``nvrtc.compile``."""
    for each in SOURCES.values():
        for path, fused in each.texts():
            made = compile_text(each.text(), each.file, FOLDER, each.options(fused))
            write_text(path, f"{each.header()}\n{made.ptx}")
            yield path


@functools.cache
def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def kernel(thread: Thread, source: str, name: str) -> Kernel:
    """Give a kernel on the current device. Raises LaunchError where the machine lacks what it needs."""
    device, number, loaded = thread.runtime.device(), thread.runtime.GetDevice(), thread.session.library_modules
    described = SOURCES[source]
    for feature in described.needs:
        if feature not in device.architecture.isa.features:
            raise LaunchError(f"{device.architecture.label} has no {_FEATURES[feature]}, which {name} needs", "feature")
    with thread.session.lock:
        if (source, number) not in loaded:
            fused = "fp32_fma" in device.architecture.isa.features or not described.fused
            path = next(path for path, is_fused in described.texts() if is_fused == fused)
            loaded[source, number] = device.compile(_read(path))
        return loaded[source, number][name]


_FEATURES: Final = {"fp64": "double precision", "fp16": "half precision"}


def launch(thread: Thread, found: Kernel, grid: tuple[int, ...], block: tuple[int, ...], arguments: tuple[bytes, ...], stream: int) -> None:
    """Put a kernel into a stream of the program, or into the graph that the stream is captured for; it is counted as the program's own are."""
    thread.launching = found
    thread.session.failures.check(thread)
    if thread.session.unseen:
        thread.session.see_managed()
    launched = thread.runtime.LaunchKernel(found, grid, block, arguments, 0, thread.session.stream(stream))
    thread.launching = None
    if isinstance(launched, Launched):
        thread.session.note_launch(found, arguments, launched)
