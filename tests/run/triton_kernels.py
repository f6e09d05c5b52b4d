"""Kernels for `test_triton`; Triton wants them in a file."""
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * stride + i, power / tl.sum(power, axis=0), mask=i < n)


@triton.jit
def dot(c, a, b, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    where = i[:, None] * SIZE + i[None, :]
    tl.store(c + where, tl.dot(tl.load(a + where), tl.load(b + where), input_precision="ieee"))


@triton.jit
def broken(x):
    tl.store(x, undefined_name)  # noqa: F821
