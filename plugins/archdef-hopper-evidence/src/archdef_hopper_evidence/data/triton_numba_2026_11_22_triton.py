"""Kernels of the set triton-numba-2026-11-22 for Triton; `BUILD` says how each is compiled. `tests/measure_triton_numba.py` makes PTX of them."""
import triton
import triton.language as tl


@triton.jit
def tl_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def tl_softmax(x, out, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * stride + i, power / tl.sum(power, axis=0), mask=i < columns)


@triton.jit
def tl_layer_norm(x, y, weight, bias, mean, rstd, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, columns, BLOCK):
        i = off + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
    average = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, columns, BLOCK):
        i = off + tl.arange(0, BLOCK)
        d = tl.where(i < columns, tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32) - average, 0.0)
        squares += d * d
    r = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, r)
    for off in range(0, columns, BLOCK):
        i = off + tl.arange(0, BLOCK)
        inside = i < columns
        w = tl.load(weight + i, mask=inside)
        b = tl.load(bias + i, mask=inside)
        v = tl.load(x + i, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + i, (v - average) * r * w + b, mask=inside)


@triton.jit
def tl_rms_norm(x, weight, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    v = tl.load(x + row * columns + i, mask=inside, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / columns + eps)
    w = tl.load(weight + i, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * columns + i, (v * r * w).to(tl.float16), mask=inside)


@triton.jit
def tl_row_sums(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    for off in range(0, columns, COLUMNS):
        c = off + tl.arange(0, COLUMNS)
        total += tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns), other=0.0)
    tl.store(out + r, tl.sum(total, axis=1), mask=r < rows)


@triton.jit
def tl_column_means(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    c = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros([COLUMNS], dtype=tl.float32)
    for off in range(0, rows, ROWS):
        r = off + tl.arange(0, ROWS)
        v = tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns), other=0.0)
        total += tl.sum(v, axis=0)
    tl.store(out + c, total / rows, mask=c < columns)


@triton.jit
def tl_cross_entropy(logits, labels, losses, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    logits += row * columns
    most = -float("inf")
    total = 0.0
    for off in range(0, columns, BLOCK):
        i = off + tl.arange(0, BLOCK)
        v = tl.load(logits + i, mask=i < columns, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(most, tl.max(v, axis=0))
        total = total * tl.exp(most - higher) + tl.sum(tl.exp(v - higher), axis=0)
        most = higher
    tl.store(losses + row, tl.log(total) + most - tl.load(logits + label).to(tl.float32))


@triton.jit
def tl_gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    v = tl.load(x + i, mask=inside)
    t = 0.7978845608 * (v + 0.044715 * v * v * v)
    tl.store(out + i, v * tl.sigmoid(2 * t), mask=inside)


@triton.jit
def tl_swiglu(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = i < columns
    gate = tl.load(x + row * 2 * columns + i, mask=inside).to(tl.float32)
    up = tl.load(x + row * 2 * columns + columns + i, mask=inside).to(tl.float32)
    tl.store(out + row * columns + i, (gate * tl.sigmoid(gate) * up).to(tl.float16), mask=inside)


@triton.jit
def tl_dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    v = tl.load(x + i, mask=inside)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=inside)


@triton.jit
def tl_rope(x, cosines, sines, out, heads, HALF: tl.constexpr, HEADS: tl.constexpr):
    token = tl.program_id(0)
    i = tl.arange(0, HALF)
    c = tl.load(cosines + token * HALF + i)[None, :]
    s = tl.load(sines + token * HALF + i)[None, :]
    h = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    where = token * heads * 2 * HALF + h[:, None] * 2 * HALF + i[None, :]
    inside = h[:, None] < heads
    a = tl.load(x + where, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(x + where + HALF, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + where, (a * c - b * s).to(tl.float16), mask=inside)
    tl.store(out + where + HALF, (b * c + a * s).to(tl.float16), mask=inside)


@triton.jit
def tl_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    high, wide = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = pid // (GROUP * wide) * GROUP
    size = min(high - first, GROUP)
    pm = first + pid % (GROUP * wide) % size
    pn = pid % (GROUP * wide) // size
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        total += tl.dot(tl.load(pa, mask=rk[None, :] < K - k * BK, other=0.0), tl.load(pb, mask=rk[:, None] < K - k * BK, other=0.0))
        pa += BK
        pb += BK * N
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    tl.store(c + rm[:, None] * N + rn[None, :], total.to(tl.float16), mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def tl_matmul_tf32(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        right = tl.load(b + (k + rk)[:, None] * N + rn[None, :])
        total = tl.dot(left, right, total, input_precision="tf32")
    tl.store(c + rm[:, None] * N + rn[None, :], total)


@triton.jit
def tl_matmul_persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    wide = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * wide, PROGRAMS):
        rm = tile // wide * BM + tl.arange(0, BM)
        rn = tile % wide * BN + tl.arange(0, BN)
        rk = tl.arange(0, BK)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(tl.load(a + rm[:, None] * K + (k + rk)[None, :]), tl.load(b + (k + rk)[:, None] * N + rn[None, :]), total)
        tl.store(c + rm[:, None] * N + rn[None, :], tl.maximum(total, 0.0).to(tl.bfloat16))


@triton.jit
def tl_attention(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, DEPTH: tl.constexpr):
    head = tl.program_id(1) * length * DEPTH
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, DEPTH)
    rows = tl.load(q + head + rm[:, None] * DEPTH + rd[None, :])
    most = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    result = tl.zeros((BM, DEPTH), dtype=tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        rn = start + tl.arange(0, BN)
        s = tl.dot(rows, tl.load(k + head + rn[None, :] * DEPTH + rd[:, None])) * scale
        s = tl.where(rm[:, None] >= rn[None, :], s, -float("inf"))
        higher = tl.maximum(most, tl.max(s, axis=1))
        p = tl.math.exp2(s - higher[:, None])
        factor = tl.math.exp2(most - higher)
        total = total * factor + tl.sum(p, axis=1)
        result = tl.dot(p.to(tl.float16), tl.load(v + head + rn[:, None] * DEPTH + rd[None, :]), result * factor[:, None])
        most = higher
    tl.store(out + head + rm[:, None] * DEPTH + rd[None, :], (result / total[:, None]).to(tl.float16))


@triton.jit
def tl_cumsum(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0
    for off in range(0, columns, BLOCK):
        i = off + tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + i, mask=i < columns, other=0)
        tl.store(out + row * columns + i, tl.cumsum(v, axis=0) + carry, mask=i < columns)
        carry += tl.sum(v, axis=0)


@triton.jit
def _then(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@triton.jit
def tl_recurrence(gates, x, out, channels, LENGTH: tl.constexpr, CHANNELS: tl.constexpr):
    c = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    where = tl.arange(0, LENGTH)[:, None] * channels + c[None, :]
    _, h = tl.associative_scan((tl.load(gates + where), tl.load(x + where)), 0, _then)
    tl.store(out + where, h)


@triton.jit
def tl_sort(x, out, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    where = r[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + where, tl.sort(tl.load(x + where), dim=1))


@triton.jit
def tl_top(x, values, indices, columns, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    for k in range(COUNT):
        best, at = tl.max(v, axis=0, return_indices=True)
        tl.store(values + row * COUNT + k, best)
        tl.store(indices + row * COUNT + k, at)
        v = tl.where(i == at, -float("inf"), v)


@triton.jit
def tl_histogram(x, bins, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(bins + tl.arange(0, BINS), h)


@triton.jit
def tl_embedding(tokens, table, out, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    token = tl.load(tokens + row)
    for off in range(0, width, BLOCK):
        i = off + tl.arange(0, BLOCK)
        tl.store(out + row * width + i, tl.load(table + token * width + i, mask=i < width), mask=i < width)


@triton.jit
def tl_gemv_int8(weights, scales, x, y, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for off in range(0, columns, BLOCK):
        c = off + tl.arange(0, BLOCK)
        w = tl.load(weights + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns), other=0)
        v = tl.load(x + c, mask=c < columns, other=0.0).to(tl.float32)
        total += w.to(tl.float32) * v[None, :]
    tl.store(y + r, tl.sum(total, axis=1) * tl.load(scales + r, mask=r < rows), mask=r < rows)


@triton.jit
def tl_transpose(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    tile = tl.load(x + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))
    tl.store(out + rn[:, None] * M + rm[None, :], tl.trans(tile), mask=(rn[:, None] < N) & (rm[None, :] < M))


@triton.jit
def tl_stencil(x, out, height, width, BY: tl.constexpr, BX: tl.constexpr):
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    i = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    at = y * width + i
    inside = (y < height) & (i < width)
    middle = tl.load(x + at, mask=inside, other=0.0)
    north = tl.load(x + at - width, mask=inside & (y > 0), other=0.0)
    south = tl.load(x + at + width, mask=inside & (y < height - 1), other=0.0)
    west = tl.load(x + at - 1, mask=inside & (i > 0), other=0.0)
    east = tl.load(x + at + 1, mask=inside & (i < width - 1), other=0.0)
    tl.store(out + at, 0.5 * middle + 0.125 * (north + south + west + east), mask=inside)


@triton.jit
def tl_atomic_sum(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0))


@triton.jit
def tl_collatz(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1)
    steps = tl.zeros([BLOCK], dtype=tl.int32)
    while tl.max(v, axis=0) > 1:
        going = v > 1
        v = tl.where(going, tl.where(v % 2 == 0, v // 2, 3 * v + 1), v)
        steps += going.to(tl.int32)
    tl.store(out + i, steps, mask=i < n)


@triton.jit
def tl_adam(p, g, m, v, rate, step1, step2, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    gradient = tl.load(g + i, mask=inside).to(tl.float32)
    first = 0.9 * tl.load(m + i, mask=inside) + 0.1 * gradient
    second = 0.999 * tl.load(v + i, mask=inside) + 0.001 * gradient * gradient
    weight = tl.load(p + i, mask=inside)
    tl.store(m + i, first, mask=inside)
    tl.store(v + i, second, mask=inside)
    tl.store(p + i, weight - rate * (first / step1) / (tl.sqrt(second / step2) + 1e-8), mask=inside)


@triton.jit
def tl_quantize(x, out, scales, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0).to(tl.float32)
    most = tl.maximum(tl.max(tl.abs(v), axis=0), 1e-6)
    q = v * (127.0 / most)
    tl.store(out + row * columns + i, (q + tl.where(q >= 0, 0.5, -0.5)).to(tl.int8), mask=i < columns)
    tl.store(scales + row, most / 127.0)


@triton.jit
def tl_group_mean(x, index, sums, counts, n, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    group = tl.load(index + i, mask=i < n, other=0)
    w = tl.arange(0, WIDTH)
    v = tl.load(x + i[:, None] * WIDTH + w[None, :], mask=i[:, None] < n, other=0)
    tl.atomic_add(sums + group[:, None] * WIDTH + w[None, :], v, mask=i[:, None] < n)
    tl.atomic_add(counts + group, 1, mask=i < n)


BUILD = {   # kernel: types of parameters, constants, warps
    "tl_add": ("*fp32:16 *fp32:16 *fp32:16 i32", {"BLOCK": 1024}, 4),
    "tl_softmax": ("*fp32:16 *fp32:16 i32 i32", {"BLOCK": 1024}, 4),
    "tl_layer_norm": ("*fp16:16 *fp16:16 *fp16:16 *fp16:16 *fp32:16 *fp32:16 i32:16 i32:16 fp32", {"BLOCK": 512}, 4),
    "tl_rms_norm": ("*fp16:16 *fp16:16 *fp16:16 i32:16 fp32", {"BLOCK": 2048}, 8),
    "tl_row_sums": ("*fp32:16 *fp32:16 i32 i32", {"ROWS": 4, "COLUMNS": 128}, 4),
    "tl_column_means": ("*fp32:16 *fp32:16 i32 i32:16", {"ROWS": 32, "COLUMNS": 64}, 4),
    "tl_cross_entropy": ("*fp32:16 *i64:16 *fp32:16 i32:16", {"BLOCK": 1024}, 4),
    "tl_gelu": ("*fp32:16 *fp32:16 i32", {"BLOCK": 512}, 4),
    "tl_swiglu": ("*fp16:16 *fp16:16 i32:16", {"BLOCK": 1024}, 4),
    "tl_dropout": ("*fp32:16 *fp32:16 i32 fp32 i32", {"BLOCK": 1024}, 4),
    "tl_rope": ("*fp16:16 *fp32:16 *fp32:16 *fp16:16 i32", {"HALF": 64, "HEADS": 8}, 4),
    "tl_matmul": ("*fp16:16 *fp16:16 *fp16:16 i32:16 i32:16 i32:16", {"BM": 64, "BN": 64, "BK": 32, "GROUP": 8}, 4),
    "tl_matmul_tf32": ("*fp32:16 *fp32:16 *fp32:16 i32:16 i32:16", {"BM": 64, "BN": 32, "BK": 32}, 4),
    "tl_matmul_persistent": ("*bf16:16 *bf16:16 *bf16:16 i32:16 i32:16 i32:16", {"BM": 64, "BN": 64, "BK": 32, "PROGRAMS": 132}, 4),
    "tl_attention": ("*fp16:16 *fp16:16 *fp16:16 *fp16:16 i32:16 fp32", {"BM": 64, "BN": 32, "DEPTH": 64}, 4),
    "tl_cumsum": ("*i32:16 *i32:16 i32", {"BLOCK": 512}, 4),
    "tl_recurrence": ("*fp32:16 *fp32:16 *fp32:16 i32:16", {"LENGTH": 64, "CHANNELS": 16}, 4),
    "tl_sort": ("*i32:16 *i32:16", {"ROWS": 4, "BLOCK": 128}, 4),
    "tl_top": ("*fp32:16 *fp32:16 *i32:16 i32", {"COUNT": 4, "BLOCK": 512}, 4),
    "tl_histogram": ("*i32:16 *i32:16 i32", {"BINS": 64, "BLOCK": 1024}, 4),
    "tl_embedding": ("*i64:16 *fp16:16 *fp16:16 i32:16", {"BLOCK": 512}, 2),
    "tl_gemv_int8": ("*i8:16 *fp32:16 *fp16:16 *fp32:16 i32 i32:16", {"ROWS": 4, "BLOCK": 512}, 4),
    "tl_transpose": ("*fp32:16 *fp32:16 i32 i32", {"BM": 64, "BN": 32}, 4),
    "tl_stencil": ("*fp32:16 *fp32:16 i32 i32", {"BY": 8, "BX": 128}, 4),
    "tl_atomic_sum": ("*i32:16 *i32:16 i32", {"BLOCK": 1024}, 4),
    "tl_collatz": ("*i32:16 *i32:16 i32", {"BLOCK": 256}, 4),
    "tl_adam": ("*fp32:16 *fp16:16 *fp32:16 *fp32:16 fp32 fp32 fp32 i32:16", {"BLOCK": 1024}, 8),
    "tl_quantize": ("*bf16:16 *i8:16 *fp32:16 i32:16", {"BLOCK": 1024}, 4),
    "tl_group_mean": ("*i32:16 *i32:16 *i32:16 *i32:16 i32", {"WIDTH": 16, "BLOCK": 64}, 4),
}
