"""Descriptions of images, filters and convolutions."""
from __future__ import annotations

import struct
from typing import Final, TypeVar

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cudnn.handles import answers
from archdef.exec.libraries.library import REALS, Real, at_least, give, present
from archdef.runtime.status import Refusal

_REALS: Final = {0: REALS["S"], 1: REALS["D"]}
"""cudnnDataType_t."""
_BY_CHANNELS, _INTERLEAVED = 0, 1
"""cudnnTensorFormat_t."""
_MOST: Final = (1 << 31) - 1


@attrs.define(eq=False)
class Tensor:
    """Images: how many, channels, rows, columns."""

    kind: int = 0
    sizes: tuple[int, ...] = ()
    """Empty: not yet said."""
    steps: tuple[int, ...] = ()
    """Elements from one of each to the next."""

    @property
    def real(self) -> Real:
        """Give the type of its elements. Raises Refusal."""
        if not self.sizes:
            raise Refusal("InvalidValue", f"a {type(self).__name__.lower()} of which nothing has been said")
        return _REALS[self.kind]

    def packed(self, address: int) -> bytes:
        """Lay it out as kernels take it."""
        return struct.pack("<Q4i4q", address, *self.sizes, *self.steps)


class Filter(Tensor):
    """Filters: how many, channels, rows, columns."""


@attrs.define(eq=False)
class Convolution:
    """How a filter is moved, of rows and of columns."""

    pad: tuple[int, int] = (0, 0)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    mode: int = 0
    """0: the filter is turned around."""
    kind: int = 0
    groups: int = 1
    math: int = 0


_Described = TypeVar("_Described", Tensor, Filter, Convolution)


def described(thread: Thread, handle: int, kind: type[_Described]) -> _Described:
    """Give what a handle stands for. Raises Refusal."""
    found = thread.session.found(handle)
    if type(found) is not kind:
        raise Refusal("InvalidValue", f"{handle:#x} is no {kind.__name__.lower()}")
    return found


def _typed(kind: int) -> int:
    if kind not in _REALS:
        raise Refusal("NotSupported", f"elements of type {kind}: single and double precision are there")
    return kind


def _steps(order: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    _, c, h, w = sizes
    if order == _BY_CHANNELS:
        return c * h * w, h * w, w, 1
    if order == _INTERLEAVED:
        return h * w * c, 1, w * c, c
    raise Refusal("NotSupported", f"tensors in format {order}")


def _sized(found: Tensor, kind: int, sizes: tuple[int, ...], steps: tuple[int, ...]) -> None:
    at_least(1, **dict(zip("nchw", sizes, strict=True)))
    if sum((size - 1) * step for size, step in zip(sizes, steps, strict=True)) > _MOST:
        raise Refusal("NotSupported", f"tensors of more than {_MOST} elements")
    found.kind, found.sizes, found.steps = _typed(kind), sizes, steps


def say(thread: Thread, *values: tuple[int, int]) -> None:
    """Write ints where the program wants them."""
    for out, value in values:
        present(out=out)
        thread.memory.put_word(out, value, 4)


@answers("cudnnCreateTensorDescriptor")
def create_tensor(thread: Thread, out: int) -> None:
    """Begin to describe images."""
    give(thread, out, Tensor())


@answers("cudnnDestroyTensorDescriptor")
def destroy_tensor(thread: Thread, handle: int) -> None:
    """Give a description up."""
    described(thread, handle, Tensor)
    thread.session.forget(handle)


@answers("cudnnSetTensor4dDescriptor")
def set_tensor(thread: Thread, handle: int, order: Int, kind: Int, n: Int, c: Int, h: Int, w: Int) -> None:
    """Describe images without gaps."""
    _sized(described(thread, handle, Tensor), kind, (n, c, h, w), _steps(order, (n, c, h, w)))


@answers("cudnnSetTensor4dDescriptorEx")
def set_tensor_steps(thread: Thread, handle: int, kind: Int, n: Int, c: Int, h: Int, w: Int, of_n: Int, of_c: Int, of_h: Int, of_w: Int) -> None:
    """Describe images whose elements lie anyhow."""
    at_least(1, n_stride=of_n, c_stride=of_c, h_stride=of_h, w_stride=of_w)
    _sized(described(thread, handle, Tensor), kind, (n, c, h, w), (of_n, of_c, of_h, of_w))


@answers("cudnnGetTensor4dDescriptor")
def get_tensor(thread: Thread, handle: int, kind: int, n: int, c: int, h: int, w: int, of_n: int, of_c: int, of_h: int, of_w: int) -> None:
    """Repeat it."""
    found = described(thread, handle, Tensor)
    say(thread, (kind, found.kind), *zip((n, c, h, w, of_n, of_c, of_h, of_w), found.sizes + found.steps, strict=False))


@answers("cudnnCreateFilterDescriptor")
def create_filter(thread: Thread, out: int) -> None:
    """Begin to describe filters."""
    give(thread, out, Filter())


@answers("cudnnDestroyFilterDescriptor")
def destroy_filter(thread: Thread, handle: int) -> None:
    """Give a description up."""
    described(thread, handle, Filter)
    thread.session.forget(handle)


@answers("cudnnSetFilter4dDescriptor")
def set_filter(thread: Thread, handle: int, kind: Int, order: Int, k: Int, c: Int, h: Int, w: Int) -> None:
    """Describe filters."""
    _sized(described(thread, handle, Filter), kind, (k, c, h, w), _steps(order, (k, c, h, w)))


@answers("cudnnCreateConvolutionDescriptor")
def create_convolution(thread: Thread, out: int) -> None:
    """Begin to describe a convolution."""
    give(thread, out, Convolution())


@answers("cudnnDestroyConvolutionDescriptor")
def destroy_convolution(thread: Thread, handle: int) -> None:
    """Give a description up."""
    described(thread, handle, Convolution)
    thread.session.forget(handle)


@answers("cudnnSetConvolution2dDescriptor")
def set_convolution(thread: Thread, handle: int, pad_h: Int, pad_w: Int, stride_h: Int, stride_w: Int, dilation_h: Int, dilation_w: Int, mode: Int,
                    kind: Int) -> None:
    """Say how filters are moved."""
    found = described(thread, handle, Convolution)
    at_least(0, pad_h=pad_h, pad_w=pad_w)
    at_least(1, stride_h=stride_h, stride_w=stride_w, dilation_h=dilation_h, dilation_w=dilation_w)
    if mode not in (0, 1):
        raise Refusal("InvalidValue", f"no mode {mode} of convolutions")
    found.pad, found.stride, found.dilation = (pad_h, pad_w), (stride_h, stride_w), (dilation_h, dilation_w)
    found.mode, found.kind = mode, _typed(kind)


@answers("cudnnGetConvolution2dDescriptor")
def get_convolution(thread: Thread, handle: int, pad_h: int, pad_w: int, stride_h: int, stride_w: int, dilation_h: int, dilation_w: int, mode: int,
                    kind: int) -> None:
    """Repeat it."""
    found = described(thread, handle, Convolution)
    say(thread, *zip((pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w), found.pad + found.stride + found.dilation, strict=True),
        (mode, found.mode), (kind, found.kind))


@answers("cudnnSetConvolutionGroupCount")
def set_groups(thread: Thread, handle: int, groups: Int) -> None:
    """Say into how many groups channels are parted."""
    at_least(1, groups=groups)
    described(thread, handle, Convolution).groups = groups


@answers("cudnnGetConvolutionGroupCount")
def get_groups(thread: Thread, handle: int, out: int) -> None:
    """Repeat it."""
    say(thread, (out, described(thread, handle, Convolution).groups))


@answers("cudnnSetConvolutionMathType")
def set_math(thread: Thread, handle: int, kind: Int) -> None:
    """Take what a product may lose: archdef's kernel computes in the precision of the elements, which every type of math allows."""
    if kind not in range(4):
        raise Refusal("InvalidValue", f"no type of math {kind}")
    described(thread, handle, Convolution).math = kind


@answers("cudnnGetConvolutionMathType")
def get_math(thread: Thread, handle: int, out: int) -> None:
    """Repeat it."""
    say(thread, (out, described(thread, handle, Convolution).math))
