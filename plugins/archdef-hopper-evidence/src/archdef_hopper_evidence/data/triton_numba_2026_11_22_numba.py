"""Kernels of the set triton-numba-2026-11-22 for Numba; `BUILD` gives the types of their parameters. `tests/measure_triton_numba.py` makes PTX of them."""
# ruff: noqa: PLR2004
import math

import numpy as np
from numba import cuda, float32, float64, int32, uint32, uint64
from numba.cuda.random import xoroshiro128p_normal_float32, xoroshiro128p_uniform_float32

WEIGHTS = np.array([1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1], np.float32) / np.float32(256)


def nb_saxpy(a, x, y):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    for k in range(i, x.shape[0], step):
        y[k] = a * x[k] + y[k]


def nb_sum2d(a, b, c):
    row, column = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = a[row, column] + b[row, column]


def nb_matmul_naive(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def nb_matmul_shared(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0.0)
    for t in range((a.shape[1] + 15) // 16):
        left[y, x] = 0
        right[y, x] = 0
        if i < a.shape[0] and x + t * 16 < a.shape[1]:
            left[y, x] = a[i, x + t * 16]
        if j < b.shape[1] and y + t * 16 < b.shape[0]:
            right[y, x] = b[y + t * 16, j]
        cuda.syncthreads()
        for k in range(16):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total


def nb_reduce_shared(x, out):
    part = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


def nb_reduce_warp(x, out):
    part = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    for offset in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, offset)
    if t % 32 == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = part[t] if t < cuda.blockDim.x // 32 else float32(0)
        for offset in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, offset)
        if t == 0:
            out[cuda.blockIdx.x] = total


def nb_scan(x, out, totals):
    part = cuda.shared.array((2, 256), uint32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    now = 0
    part[0, t] = x[i] if i < x.shape[0] else 0
    cuda.syncthreads()
    offset = 1
    while offset < 256:
        if t >= offset:
            part[1 - now, t] = part[now, t] + part[now, t - offset]
        else:
            part[1 - now, t] = part[now, t]
        now = 1 - now
        offset *= 2
        cuda.syncthreads()
    if i < x.shape[0]:
        out[i] = part[now, t]
    if t == 255:
        totals[cuda.blockIdx.x] = part[now, t]


def nb_convolve1d(x, weights, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        half = weights.size // 2
        for k in range(weights.size):
            at = i + k - half
            if 0 <= at < x.size:
                total += x[at] * weights[k]
        out[i] = total


def nb_blur(image, out):
    weights = cuda.const.array_like(WEIGHTS)
    y, x = cuda.grid(2)
    h, w = image.shape
    if y >= h or x >= w:
        return
    total = float32(0)
    for dy in range(5):
        for dx in range(5):
            yy = min(max(y + dy - 2, 0), h - 1)
            xx = min(max(x + dx - 2, 0), w - 1)
            total += weights[dy * 5 + dx] * image[yy, xx]
    out[y, x] = total


def _escape(real, imag, limit):
    c = complex(real, imag)
    z = 0.0j
    for k in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return k
    return limit


def nb_mandelbrot(low_x, high_x, low_y, high_y, image, limit):
    height, width = image.shape
    dx = (high_x - low_x) / width
    dy = (high_y - low_y) / height
    x, y = cuda.grid(2)
    if x < width and y < height:
        image[y, x] = escape(low_x + x * dx, low_y + y * dy, limit)


def nb_nbody(position, force, soft):
    i = cuda.grid(1)
    if i >= position.shape[0]:
        return
    x, y, z = position[i, 0], position[i, 1], position[i, 2]
    fx = fy = fz = float32(0)
    for j in range(position.shape[0]):
        dx = position[j, 0] - x
        dy = position[j, 1] - y
        dz = position[j, 2] - z
        r2 = dx * dx + dy * dy + dz * dz + soft
        inverse = float32(1) / math.sqrt(r2)
        s = position[j, 3] * inverse * inverse * inverse
        fx += dx * s
        fy += dy * s
        fz += dz * s
    force[i, 0] = fx
    force[i, 1] = fy
    force[i, 2] = fz


def nb_laplace(u, new, error):
    tile = cuda.shared.array((16, 16), float64)
    ty, tx = cuda.threadIdx.y, cuda.threadIdx.x
    j, i = cuda.grid(2)
    n, m = u.shape
    tile[ty, tx] = 0
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        new[i, j] = 0.25 * (u[i, j + 1] + u[i, j - 1] + u[i - 1, j] + u[i + 1, j])
        tile[ty, tx] = new[i, j] - u[i, j]
    cuda.syncthreads()
    t = 8
    while t > 0:
        if ty < t:
            tile[ty, tx] = max(abs(tile[ty, tx]), abs(tile[ty + t, tx]))
        t //= 2
        cuda.syncthreads()
    t = 8
    while t > 0:
        if tx < t and ty == 0:
            tile[ty, tx] = max(abs(tile[ty, tx]), abs(tile[ty, tx + t]))
        t //= 2
        cuda.syncthreads()
    if tx == 0 and ty == 0:
        error[cuda.blockIdx.y, cuda.blockIdx.x] = tile[0, 0]


def _normal(d):
    k = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
    value = 0.39894228040143267794 * math.exp(-0.5 * d * d) * (
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
    return 1.0 - value if d > 0 else value


def nb_black_scholes(call, put, price, strike, years, rate, volatility):
    i = cuda.grid(1)
    if i >= price.shape[0]:
        return
    root = math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root)
    d2 = d1 - volatility * root
    n1, n2 = normal(d1), normal(d2)
    discounted = strike[i] * math.exp(-rate * years[i])
    call[i] = price[i] * n1 - discounted * n2
    put[i] = discounted * (1.0 - n2) - price[i] * (1.0 - n1)


def nb_histogram(x, bins):
    mine = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, mine[t])


def nb_float_histogram(x, low, high, bins):
    width = (high - low) / bins.shape[0]
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.shape[0], stride):
        at = int32((x[i] - low) / width)
        if 0 <= at < bins.shape[0]:
            cuda.atomic.add(bins, at, 1)


def nb_pi(states, trips, out):
    i = cuda.grid(1)
    if i >= out.shape[0]:
        return
    inside = 0
    for _ in range(trips):
        x = xoroshiro128p_uniform_float32(states, i)
        y = xoroshiro128p_uniform_float32(states, i)
        if x**2 + y**2 <= 1.0:
            inside += 1
    out[i] = 4.0 * inside / trips


def nb_walk(states, out, trips, drift):
    i = cuda.grid(1)
    if i < out.shape[0]:
        s = float32(1)
        for _ in range(trips):
            s *= float32(1) + drift + float32(0.02) * xoroshiro128p_normal_float32(states, i)
        out[i] = s


def nb_median(image, out):
    values = cuda.local.array(9, float32)
    x, y = cuda.grid(2)
    h, w = image.shape
    if 1 <= y < h - 1 and 1 <= x < w - 1:
        for k in range(9):
            values[k] = image[y + k // 3 - 1, x + k % 3 - 1]
        for a in range(5):
            least = a
            for b in range(a + 1, 9):
                if values[b] < values[least]:
                    least = b
            values[a], values[least] = values[least], values[a]
        out[y, x] = values[4]


def nb_transpose(a, b):
    tile = cuda.shared.array((32, 33), float32)
    x = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    for k in range(0, 32, 8):
        if y + k < a.shape[0] and x < a.shape[1]:
            tile[cuda.threadIdx.y + k, cuda.threadIdx.x] = a[y + k, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 32 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 32 + cuda.threadIdx.y
    for k in range(0, 32, 8):
        if y + k < b.shape[0] and x < b.shape[1]:
            b[y + k, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + k]


def nb_dot(a, b, out):
    part = cuda.shared.array(128, float64)
    t = cuda.threadIdx.x
    total = 0.0
    i = cuda.grid(1)
    while i < a.shape[0]:
        total += a[i] * b[i]
        i += cuda.blockDim.x * cuda.gridDim.x
    part[t] = total
    cuda.syncthreads()
    s = 64
    while s:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s >>= 1
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def nb_search(table, keys, found):
    i = cuda.grid(1)
    if i < keys.size:
        low, high = 0, table.size
        while low < high:
            middle = (low + high) // 2
            if table[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        found[i] = low


def nb_life(cells, new):
    x, y = cuda.grid(2)
    h, w = cells.shape
    if x < w and y < h:
        count = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                if dx != 0 or dy != 0:
                    count += cells[(y + dy) % h, (x + dx) % w]
        new[y, x] = 1 if count == 3 or (count == 2 and cells[y, x] == 1) else 0


def nb_bitonic(data, j, k):
    i = cuda.grid(1)
    other = i ^ j
    if other > i and other < data.size:
        up = (i & k) == 0
        if (data[i] > data[other]) == up:
            data[i], data[other] = data[other], data[i]


def nb_dft(real, imag, out_real, out_imag):
    k = cuda.grid(1)
    n = real.shape[0]
    if k < out_real.shape[0]:
        a = b = float32(0)
        for t in range(n):
            angle = float32(-2 * math.pi) * float32((k * t) % n) / float32(n)
            c, s = math.cos(angle), math.sin(angle)
            a += real[t] * c - imag[t] * s
            b += real[t] * s + imag[t] * c
        out_real[k] = a
        out_imag[k] = b


def nb_nearest(points, centres, index):
    i = cuda.grid(1)
    if i < points.shape[0]:
        best = float32(1e30)
        at = -1
        for c in range(centres.shape[0]):
            d = float32(0)
            for k in range(points.shape[1]):
                t = points[i, k] - centres[c, k]
                d += t * t
            if d < best:
                best = d
                at = c
        index[i] = at


def nb_fnv(words, out):
    i = cuda.grid(1)
    if i < out.size:
        h = uint64(14695981039346656037)
        for k in range(words.shape[1]):
            h = (h ^ uint64(words[i, k])) * uint64(1099511628211)
            h ^= h >> uint64(29)
        out[i] = h


def nb_spmv(starts, columns, values, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = float32(0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


def nb_grey(image, out):
    y, x = cuda.grid(2)
    if y < image.shape[0] and x < image.shape[1]:
        out[y, x] = 0.299 * image[y, x, 0] + 0.587 * image[y, x, 1] + 0.114 * image[y, x, 2]


def nb_collatz(start, steps):
    i = cuda.grid(1)
    if i < steps.size:
        n = start + i
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


def nb_compact(x, out, count, limit):
    i = cuda.grid(1)
    if i < x.size and x[i] > limit:
        out[cuda.atomic.add(count, 0, 1)] = x[i]


def nb_heat3d(u, new, k):
    z, y, x = cuda.grid(3)
    if 0 < z < u.shape[0] - 1 and 0 < y < u.shape[1] - 1 and 0 < x < u.shape[2] - 1:
        new[z, y, x] = u[z, y, x] + k * (u[z + 1, y, x] + u[z - 1, y, x] + u[z, y + 1, x] + u[z, y - 1, x]
                                         + u[z, y, x + 1] + u[z, y, x - 1] - 6 * u[z, y, x])


def nb_special(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[i] = math.erf(v) + math.tanh(v) * math.exp(-v) + math.log1p(v) + math.atan2(v, v + float32(1)) + v ** float32(1.5)


def nb_row_norms(a, out):
    row = cuda.blockIdx.x
    lane = cuda.laneid
    total = 0.0
    for k in range(lane, a.shape[1], 32):
        total += a[row, k] ** 2
    for offset in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, offset)
    if lane == 0:
        out[row] = math.sqrt(total)


def nb_max_index(x, most):
    i = cuda.grid(1)
    if i < x.shape[0]:
        cuda.atomic.max(most, i % most.shape[0], x[i])


escape = cuda.jit(device=True)(_escape)
normal = cuda.jit(device=True)(_normal)
BUILD = {   # kernel: types of parameters; S stands for states of xoroshiro128p
    "nb_saxpy": "f4, f4[::1], f4[::1]", "nb_sum2d": "f4[:,::1], f4[:,::1], f4[:,::1]", "nb_matmul_naive": "f4[:,::1], f4[:,::1], f4[:,::1]",
    "nb_matmul_shared": "f4[:,:], f4[:,:], f4[:,:]", "nb_reduce_shared": "i4[::1], i4[::1]", "nb_reduce_warp": "f4[:], f4[:]",
    "nb_scan": "u4[::1], u4[::1], u4[::1]", "nb_convolve1d": "f4[::1], f4[::1], f4[::1]", "nb_blur": "f4[:,::1], f4[:,::1]",
    "nb_mandelbrot": "f8, f8, f8, f8, i4[:,::1], i4", "nb_nbody": "f4[:,::1], f4[:,::1], f4", "nb_laplace": "f8[:,::1], f8[:,::1], f8[:,::1]",
    "nb_black_scholes": "f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8, f8", "nb_histogram": "u1[::1], i4[::1]",
    "nb_float_histogram": "f4[:], f4, f4, i4[:]", "nb_pi": "S, i8, f4[::1]", "nb_walk": "S, f4[::1], i4, f4", "nb_median": "f4[:,::1], f4[:,::1]",
    "nb_transpose": "f4[:,::1], f4[:,::1]", "nb_dot": "f8[::1], f8[::1], f8[::1]", "nb_search": "i4[::1], i4[::1], i4[::1]",
    "nb_life": "u1[:,::1], u1[:,::1]", "nb_bitonic": "f4[::1], i4, i4", "nb_dft": "f4[::1], f4[::1], f4[::1], f4[::1]",
    "nb_nearest": "f4[:,::1], f4[:,::1], i4[::1]", "nb_fnv": "u4[:,::1], u8[::1]", "nb_spmv": "i4[::1], i4[::1], f4[::1], f4[::1], f4[::1]",
    "nb_grey": "u1[:,:,::1], u1[:,::1]", "nb_collatz": "i8, i4[::1]", "nb_compact": "f4[::1], f4[::1], i4[::1], f4",
    "nb_heat3d": "f4[:,:,::1], f4[:,:,::1], f4", "nb_special": "f4[::1], f4[::1]", "nb_row_norms": "f4[:,::1], f4[::1]",
    "nb_max_index": "f4[::1], f4[::1]",
}
