"""Convolutions, by one kernel for every algorithm that a program names."""
from __future__ import annotations

import struct
from typing import Final

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cudnn.descriptions import Convolution, Filter, Tensor, described, say
from archdef.exec.libraries.cudnn.handles import answers, dnn
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import Real, at_least, blocks, present
from archdef.runtime.status import Refusal

_ALGORITHMS: Final = 8
_PRODUCT: Final = 0
"""CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, which takes no workspace."""
_FOUND: Final = struct.Struct("<iif4xQii16x")
"""cudnnConvolutionFwdAlgoPerf_t."""
_UNKNOWN_TIME, _DETERMINISTIC = -1.0, 1
_THREADS: Final = 128


def _result(about: Convolution, x: Tensor, f: Filter) -> tuple[int, ...]:
    """Give the sizes of the result. Raises Refusal."""
    if x.real != f.real:
        raise Refusal("NotSupported", "images and filters of different types")
    if x.sizes[1] != f.sizes[1] * about.groups or f.sizes[0] % about.groups:
        raise Refusal("InvalidValue", f"{f.sizes[0]} filters of {f.sizes[1]} channels in {about.groups} groups, and images of {x.sizes[1]}")
    sides = tuple((size + 2 * pad - (1 + (side - 1) * dilation)) // stride + 1 for size, pad, side, dilation, stride in zip(
        x.sizes[2:], about.pad, f.sizes[2:], about.dilation, about.stride, strict=True))
    at_least(1, height=sides[0], width=sides[1])
    return x.sizes[0], f.sizes[0], *sides


def _checked(thread: Thread, x: int, f: int, about: int, y: int, algorithm: int = _PRODUCT) -> tuple[Convolution, Tensor, Filter, Tensor, Real]:
    window, image, filters, to = (described(thread, about, Convolution), described(thread, x, Tensor), described(thread, f, Filter),
                                  described(thread, y, Tensor))
    sizes, real = _result(window, image, filters), image.real
    if to.real != real or window.kind != image.kind:
        raise Refusal("NotSupported", "a convolution whose images, results and sums are of different types")
    if to.sizes != sizes:
        raise Refusal("InvalidValue", f"results of {to.sizes}, where the convolution gives {sizes}")
    if algorithm not in range(_ALGORITHMS):
        raise Refusal("InvalidValue", f"no algorithm {algorithm}")
    return window, image, filters, to, real


@answers("cudnnGetConvolution2dForwardOutputDim")
def output_sizes(thread: Thread, about: int, x: int, f: int, n: int, c: int, h: int, w: int) -> None:
    """Give the sizes of the result."""
    sizes = _result(described(thread, about, Convolution), described(thread, x, Tensor), described(thread, f, Filter))
    say(thread, *zip((n, c, h, w), sizes, strict=True))


@answers("cudnnGetConvolutionForwardAlgorithmMaxCount")
def most_algorithms(thread: Thread, handle: int, out: int) -> None:
    """Say how many algorithms are found at most."""
    dnn(thread, handle)
    say(thread, (out, 1))


@answers("cudnnFindConvolutionForwardAlgorithm", "cudnnGetConvolutionForwardAlgorithm_v7")
def find_algorithms(thread: Thread, handle: int, x: int, f: int, about: int, y: int, wanted: Int, count: int, results: int) -> None:
    """Give the one algorithm that there is; how long it takes is not known before it runs."""
    dnn(thread, handle)
    at_least(1, algorithms=wanted)
    present(count=count, results=results)
    window, *_, real = _checked(thread, x, f, about, y)
    kernel(thread, f"convolution.{real.letter}", f"archdef_{real.letter}convolution")
    thread.memory.put(results, _FOUND.pack(_PRODUCT, 0, _UNKNOWN_TIME, 0, _DETERMINISTIC, window.math))
    thread.memory.put_word(count, 1, 4)


@answers("cudnnGetConvolutionForwardWorkspaceSize")
def workspace(thread: Thread, handle: int, x: int, f: int, about: int, y: int, algorithm: Int, size: int) -> None:
    """Say that no memory is needed."""
    dnn(thread, handle)
    _checked(thread, x, f, about, y, algorithm)
    present(size=size)
    thread.memory.put_word(size, 0)


@answers("cudnnConvolutionForward")
def forward(thread: Thread, handle: int, alpha: int, x: int, x_data: int, f: int, f_data: int, about: int, algorithm: Int, memory: int, nbytes: int,
            beta: int, y: int, y_data: int) -> None:
    """y = alpha (x convolved with f) + beta y."""
    found, (window, image, filters, to, real) = dnn(thread, handle), _checked(thread, x, f, about, y, algorithm)
    present(alpha=alpha, beta=beta, x=x_data, w=f_data, y=y_data)
    chosen = kernel(thread, f"convolution.{real.letter}", f"archdef_{real.letter}convolution")
    n, c, h, w = to.sizes
    launch(thread, chosen, blocks(thread, -(-n * c * h * w // _THREADS)), (_THREADS,), (
        image.packed(x_data), filters.packed(f_data), to.packed(y_data),
        struct.pack("<8i", *window.pad, *window.stride, *window.dilation, window.mode == 0, window.groups),
        *(thread.memory.get(each, real.nbytes) for each in (alpha, beta))), found.stream)
