"""The matrix product of which Triton 3.9 made the kernels ``triton_…`` for sm_90, as its tutorials write it.

Signature: pointers and sizes multiples of 16, steps along rows 1. Tiles (rows, columns, depth), warps, stages: 64 64 64, 4, 3; 128 128 64, 8, 3;
128 256 64, 8, 3; in single precision 64 64 32, 4, 2.
"""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    offs_m = tl.program_id(0) * BM + tl.arange(0, BM)
    offs_n = tl.program_id(1) * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=offs_k[None, :] < K - k * BK, other=0.0)
        y = tl.load(b, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK * stride_ak
        b += BK * stride_bk
    c = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c, acc, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))
