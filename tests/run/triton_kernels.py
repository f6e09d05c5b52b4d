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


@triton.jit
def doubled_tiles(out, x, rows, columns, SIZE: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[rows, columns], strides=[columns, 1], block_shape=[SIZE, SIZE])
    target = tl.make_tensor_descriptor(out, shape=[rows, columns], strides=[columns, 1], block_shape=[SIZE, SIZE])
    i, j = tl.program_id(0) * SIZE, tl.program_id(1) * SIZE
    target.store([i, j], source.load([i, j]) * 2)


@triton.jit
def doubled_by_descriptor(target, source, SIZE: tl.constexpr):
    i, j = tl.program_id(0) * SIZE, tl.program_id(1) * SIZE
    target.store([i, j], source.load([i, j]) * 2)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 256}, num_warps=8)], key=["n"])
@triton.heuristics({"EVEN": lambda arguments: arguments["BLOCK"] % 128 == 0})
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2 + EVEN, mask=i < n)


@triton.heuristics({"BLOCK": lambda arguments: triton.next_power_of_2(arguments["n"])})
@triton.jit
def needs_arguments(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


@triton.jit
def twice(v):
    return v * 2


@triton.jit
def thrice(v):
    return v * 3


@triton.jit
def apply(x, F: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, F(tl.load(x + i)))


FACTOR = tl.constexpr(5)


@triton.jit
def uses_a_global(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i * FACTOR)
