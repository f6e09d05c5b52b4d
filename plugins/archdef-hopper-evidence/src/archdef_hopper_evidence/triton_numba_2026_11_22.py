"""Launches of the set triton-numba-2026-11-22: kernels that Triton and Numba made PTX of, written when the rules that nvrtc-2026-11-22b led to stood."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef_hopper_evidence.calibration import floats, mixed, unset
from archdef_hopper_evidence.launches import Kernels, Launch, doubles, flat, ints, octets, plane, starts

i8, i32, i64, u64, f16, f32, f64 = np.int8, np.int32, np.int64, np.uint64, np.float16, np.float32, np.float64
SCRATCH = {"global scratch": u64(0), "profile scratch": u64(0)}
"""Two pointers that Triton adds to the parameters of every kernel."""


def triton(grid: tuple[int, ...], warps: int, shared_bytes: int, output: str, *, near: bool = False, ordered: bool = True, **arguments) -> Launch:
    """One launch of a Triton kernel: compilation fixed its block and its shared memory."""
    return Launch(grid, (32 * warps, 1), arguments | SCRATCH, output, near=near, ordered=ordered, shared_bytes=shared_bytes)


def numba(shape: dict, output: str, *, near: bool = False, ordered: bool = True, **arguments) -> Launch:
    """One launch of a Numba kernel: of an array it gets the number of elements, the size of one, the place, sizes and strides."""
    given: dict = {}
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            given |= {f"{name}'s manager": u64(0), f"{name}'s parent": u64(0), f"{name}'s elements": i64(value.size), f"{name}'s bytes": i64(value.itemsize),
                      name: value.reshape(-1).view(u64) if value.dtype.fields else value.reshape(-1)}
            given |= {f"{name}'s size {k}": i64(n) for k, n in enumerate(value.shape)} | {f"{name}'s stride {k}": i64(n) for k, n in enumerate(value.strides)}
        else:
            given[name] = value
    return Launch(**shape, arguments=given, output=output, near=near, ordered=ordered)


def _up(n: int, by: int) -> int:
    return -(-n // by)


def _half(n: int, seed: int) -> np.ndarray:
    return (floats(n, seed) - f32(0.5)).astype(f16)


def _small(n: int, seed: int) -> np.ndarray:
    """Whole numbers from -4 to 3, of which any product of matrices is exact."""
    return (ints(n, seed, 8) - 4).astype(f32)


def _brain(values: np.ndarray) -> np.ndarray:
    """The upper halves of single-precision numbers: bfloat16."""
    return (values.view(np.uint32) >> np.uint32(16)).astype(np.uint16)


def _states(n: int, seed: int) -> np.ndarray:
    return mixed(4 * n, seed).view([("s0", u64), ("s1", u64)])


def _shape(array: np.ndarray, *sizes: int) -> np.ndarray:
    return array.reshape(sizes)


def _zeros(*sizes: int, dtype=f32) -> np.ndarray:
    return np.zeros(sizes, dtype)


def _rows(rows: int, columns: int, *, seed: int) -> np.ndarray:
    return _shape(floats(rows * columns, seed), rows, columns)


def _doubles(*sizes: int, seed: int) -> np.ndarray:
    return _shape(doubles(int(np.prod(sizes)), seed), *sizes)


def _spmv(n: int, most: int) -> Launch:
    first = starts(n, 560, most)
    count = int(first[-1])
    return numba(flat(n, 128), "y", starts=first, columns=ints(count, 561, n), values=floats(count, 562), x=floats(n, 563), y=_zeros(n))


TRITON: dict[str, Callable[..., Launch]] = {
    "tl_add": lambda n: triton((_up(n, 1024),), 4, 0, "out", x=floats(n, 500), y=floats(n, 501), out=unset(n), n=i32(n)),
    "tl_softmax": lambda rows, columns: triton((rows,), 4, 16, "out", near=True, x=floats(rows * columns, 502) * f32(8), out=unset(rows * columns),
                                               stride=i32(columns), columns=i32(columns)),
    "tl_layer_norm": lambda rows, columns: triton(
        (rows,), 4, 16, "y", near=True, x=_half(rows * columns, 503), y=_zeros(rows * columns, dtype=f16), weight=_half(columns, 504), bias=_half(columns, 505),
        mean=unset(rows), rstd=unset(rows), stride=i32(columns), columns=i32(columns), eps=f32(1e-5)),
    "tl_rms_norm": lambda rows, columns: triton((rows,), 8, 32, "out", near=True, x=_half(rows * columns, 506), weight=_half(columns, 507), out=_zeros(
        rows * columns, dtype=f16), columns=i32(columns), eps=f32(1e-6)),
    "tl_row_sums": lambda rows, columns: triton((_up(rows, 4),), 4, 64, "out", x=floats(rows * columns, 508), out=unset(rows), rows=i32(rows),
                                                columns=i32(columns)),
    "tl_column_means": lambda rows, columns: triton((_up(columns, 64),), 4, 1024, "out", x=floats(rows * columns, 509), out=unset(columns), rows=i32(rows),
                                                    columns=i32(columns)),
    "tl_cross_entropy": lambda rows, columns: triton((rows,), 4, 16, "losses", near=True, logits=floats(rows * columns, 510) * f32(8), labels=ints(
        rows, 511, columns).astype(i64), losses=unset(rows), columns=i32(columns)),
    "tl_gelu": lambda n: triton((_up(n, 512),), 4, 0, "out", near=True, x=floats(n, 512) * f32(6) - f32(3), out=unset(n), n=i32(n)),
    "tl_swiglu": lambda rows, columns: triton((rows, _up(columns, 1024)), 4, 0, "out", near=True, x=_half(2 * rows * columns, 513), out=_zeros(
        rows * columns, dtype=f16), columns=i32(columns)),
    "tl_dropout": lambda n: triton((_up(n, 1024),), 4, 0, "out", x=floats(n, 514), out=unset(n), n=i32(n), p=f32(0.25), seed=i32(1234)),
    "tl_rope": lambda tokens, heads: triton((tokens, _up(heads, 8)), 4, 0, "out", x=_half(tokens * heads * 128, 515), cosines=floats(
        tokens * 64, 516), sines=floats(tokens * 64, 517), out=_zeros(tokens * heads * 128, dtype=f16), heads=i32(heads)),
    "tl_matmul": lambda m, n, k: triton((_up(m, 64) * _up(n, 64),), 4, 16384, "c", a=_small(m * k, 518).astype(f16), b=_small(k * n, 519).astype(f16), c=_zeros(
        m * n, dtype=f16), M=i32(m), N=i32(n), K=i32(k)),
    "tl_matmul_tf32": lambda m, n, k: triton((m // 64, n // 32), 4, 24576, "c", a=_small(m * k, 520), b=_small(k * n, 521), c=unset(m * n), N=i32(n), K=i32(k)),
    "tl_matmul_persistent": lambda m, n, k: triton((132,), 4, 16384, "c", a=_brain(_small(m * k, 522)), b=_brain(_small(k * n, 523)), c=_zeros(
        m * n, dtype=np.uint16), M=i32(m), N=i32(n), K=i32(k)),
    "tl_attention": lambda heads, length: triton(
        (length // 64, heads), 4, 24576, "out", near=True, q=_half(heads * length * 64, 524), k=_half(heads * length * 64, 525), v=floats(
            heads * length * 64, 526).astype(f16), out=_zeros(heads * length * 64, dtype=f16), length=i32(length), scale=f32(0.18)),
    "tl_cumsum": lambda rows, columns: triton((rows,), 4, 64, "out", x=ints(rows * columns, 527, 1000), out=unset(rows * columns), columns=i32(columns)),
    "tl_recurrence": lambda channels: triton((channels // 16,), 4, 1024, "out", near=True, gates=floats(64 * channels, 528), x=floats(64 * channels, 529),
                                             out=unset(64 * channels), channels=i32(channels)),
    "tl_sort": lambda rows: triton((rows // 4,), 4, 0, "out", x=ints(128 * rows, 530, 1 << 30), out=unset(128 * rows)),
    "tl_top": lambda rows, columns: triton((rows,), 4, 32, "indices", x=floats(rows * columns, 531), values=unset(4 * rows), indices=unset(4 * rows),
                                           columns=i32(columns)),
    "tl_histogram": lambda n: triton((_up(n, 1024),), 4, 256, "bins", x=ints(n, 532, 64), bins=_zeros(64, dtype=i32), n=i32(n)),
    "tl_embedding": lambda tokens, width: triton((tokens,), 2, 0, "out", tokens=ints(tokens, 533, 2000).astype(i64), table=_half(2000 * width, 534), out=_zeros(
        tokens * width, dtype=f16), width=i32(width)),
    "tl_gemv_int8": lambda rows, columns: triton((_up(rows, 4),), 4, 2048, "y", near=True, weights=octets(rows * columns, 535).view(i8), scales=floats(
        rows, 536), x=_half(columns, 537), y=unset(rows), rows=i32(rows), columns=i32(columns)),
    "tl_transpose": lambda m, n: triton((_up(m, 64), _up(n, 32)), 4, 8192, "out", x=floats(m * n, 538), out=unset(m * n), M=i32(m), N=i32(n)),
    "tl_stencil": lambda w, h: triton((_up(w, 128), _up(h, 8)), 4, 0, "out", x=floats(w * h, 539), out=unset(w * h), height=i32(h), width=i32(w)),
    "tl_atomic_sum": lambda n: triton((_up(n, 1024),), 4, 16, "out", x=ints(n, 540, 1000), out=_zeros(1, dtype=i32), n=i32(n)),
    "tl_collatz": lambda n: triton((_up(n, 256),), 4, 16, "out", x=ints(n, 541, 5000) + i32(1), out=unset(n), n=i32(n)),
    "tl_adam": lambda n: triton((_up(n, 1024),), 8, 0, "p", near=True, p=floats(n, 542), g=_half(n, 543), m=floats(n, 544), v=floats(n, 545), rate=f32(
        1e-3), step1=f32(0.5), step2=f32(0.25), n=i32(n)),
    "tl_quantize": lambda rows, columns: triton((rows,), 4, 16, "scales", near=True, x=_brain(floats(rows * columns, 546) - f32(0.5)), out=_zeros(
        rows * columns, dtype=i8), scales=unset(rows), columns=i32(columns)),
    "tl_group_mean": lambda n, groups: triton((_up(n, 64),), 4, 2048, "sums", x=ints(16 * n, 547, 100), index=ints(n, 548, groups), sums=_zeros(
        16 * groups, dtype=i32), counts=_zeros(groups, dtype=i32), n=i32(n)),
}
NUMBA: dict[str, Callable[..., Launch]] = {
    "nb_saxpy": lambda n, blocks: numba({"grid": (blocks, 1), "block": (256, 1)}, "y", a=f32(2.5), x=floats(n, 564), y=floats(n, 565)),
    "nb_sum2d": lambda rows, columns: numba(plane(rows, columns, 16, 16), "c", a=_rows(rows, columns, seed=566), b=_rows(rows, columns, seed=567), c=_zeros(
        rows, columns)),
    "nb_matmul_naive": lambda n: numba(plane(n, n, 16, 16), "c", a=_rows(n, n, seed=568), b=_rows(n, n, seed=569), c=_zeros(n, n)),
    "nb_matmul_shared": lambda n: numba(plane(n, n, 16, 16), "c", a=_rows(n, n, seed=570), b=_rows(n, n, seed=571), c=_zeros(n, n)),
    "nb_reduce_shared": lambda n: numba(flat(n), "out", x=ints(n, 572, 1000), out=_zeros(1, dtype=i32)),
    "nb_reduce_warp": lambda n, blocks: numba({"grid": (blocks, 1), "block": (256, 1)}, "out", x=floats(n, 573), out=_zeros(blocks)),
    "nb_scan": lambda n: numba(flat(n), "out", x=mixed(n, 574) % np.uint32(100), out=unset(n), totals=unset(_up(n, 256))),
    "nb_convolve1d": lambda n, taps: numba(flat(n), "out", x=floats(n, 575), weights=floats(taps, 576), out=_zeros(n)),
    "nb_blur": lambda h, w: numba(plane(h, w, 8, 32), "out", image=_rows(h, w, seed=577), out=_zeros(h, w)),
    "nb_mandelbrot": lambda w, h, limit: numba(plane(w, h, 16, 16), "image", low_x=f64(-2), high_x=f64(1), low_y=f64(-1.2), high_y=f64(1.2), image=_zeros(
        h, w, dtype=i32), limit=i32(limit)),
    "nb_nbody": lambda n: numba(flat(n, 128), "force", near=True, position=_rows(n, 4, seed=578), force=_zeros(n, 3), soft=f32(0.01)),
    "nb_laplace": lambda n: numba(plane(n, n, 16, 16), "new", u=_doubles(n, n, seed=579), new=_zeros(n, n, dtype=f64), error=_zeros(
        _up(n, 16), _up(n, 16), dtype=f64)),
    "nb_black_scholes": lambda n: numba(flat(n, 128), "call", near=True, call=_zeros(n, dtype=f64), put=_zeros(n, dtype=f64), price=doubles(
        n, 580) * 25 + 5, strike=doubles(n, 581) * 99 + 1, years=doubles(n, 582) * 9.75 + 0.25, rate=f64(0.02), volatility=f64(0.3)),
    "nb_histogram": lambda n, blocks: numba({"grid": (blocks, 1), "block": (256, 1)}, "bins", x=octets(n, 583), bins=_zeros(256, dtype=i32)),
    "nb_float_histogram": lambda n, blocks: numba({"grid": (blocks, 1), "block": (128, 1)}, "bins", x=floats(n, 584), low=f32(0.125), high=f32(0.875),
                                                  bins=_zeros(1000, dtype=i32)),
    "nb_pi": lambda n, trips: numba(flat(n, 64), "out", states=_states(n, 585), trips=i64(trips), out=_zeros(n)),
    "nb_walk": lambda n, trips: numba(flat(n, 128), "out", near=True, states=_states(n, 586), out=_zeros(n), trips=i32(trips), drift=f32(0.001)),
    "nb_median": lambda w, h: numba(plane(w, h, 32, 4), "out", image=_rows(h, w, seed=587), out=_zeros(h, w)),
    "nb_transpose": lambda h, w: numba({"grid": (_up(w, 32), _up(h, 32)), "block": (32, 8)}, "b", a=_rows(h, w, seed=588), b=_zeros(w, h)),
    "nb_dot": lambda n, blocks: numba({"grid": (blocks, 1), "block": (128, 1)}, "out", a=doubles(n, 589), b=doubles(n, 590), out=_zeros(blocks, dtype=f64)),
    "nb_search": lambda n, size: numba(flat(n), "found", table=np.sort(ints(size, 591, 1 << 30)), keys=ints(n, 592, 1 << 30), found=_zeros(n, dtype=i32)),
    "nb_life": lambda w, h: numba(plane(w, h, 16, 16), "new", cells=_shape(octets(w * h, 593) & np.uint8(1), h, w), new=_zeros(h, w, dtype=np.uint8)),
    "nb_bitonic": lambda n, j, k: numba(flat(n), "data", data=floats(n, 594), j=i32(j), k=i32(k)),
    "nb_dft": lambda n, lines: numba(flat(lines, 64), "out_real", near=True, real=floats(n, 595), imag=floats(n, 596), out_real=_zeros(lines), out_imag=_zeros(
        lines)),
    "nb_nearest": lambda n, centres, dims: numba(flat(n, 128), "index", points=_rows(n, dims, seed=597), centres=_rows(centres, dims, seed=598), index=_zeros(
        n, dtype=i32)),
    "nb_fnv": lambda n, length: numba(flat(n, 128), "out", words=_shape(mixed(n * length, 599), n, length), out=_zeros(n, dtype=u64)),
    "nb_spmv": _spmv,
    "nb_grey": lambda h, w: numba(plane(h, w, 8, 32), "out", image=_shape(octets(3 * h * w, 600), h, w, 3), out=_zeros(h, w, dtype=np.uint8)),
    "nb_collatz": lambda n: numba(flat(n, 128), "steps", start=i64(1), steps=_zeros(n, dtype=i32)),
    "nb_compact": lambda n: numba(flat(n), "out", ordered=False, x=floats(n, 601), out=_zeros(n), count=_zeros(1, dtype=i32), limit=f32(0.9)),
    "nb_heat3d": lambda n: numba({"grid": (_up(n, 2), _up(n, 4), _up(n, 32)), "block": (2, 4, 32)}, "new", u=_shape(floats(n**3, 602), n, n, n), new=_zeros(
        n, n, n), k=f32(0.1)),
    "nb_special": lambda n: numba(flat(n), "out", near=True, x=floats(n, 603) * f32(3), out=_zeros(n)),
    "nb_row_norms": lambda rows, columns: numba({"grid": (rows, 1), "block": (32, 1)}, "out", near=True, a=_rows(rows, columns, seed=604), out=_zeros(rows)),
    "nb_max_index": lambda n, size: numba(flat(n), "most", x=floats(n, 605), most=_zeros(size)),
}
KERNELS = TRITON | NUMBA
"""Kernel → its launch at a size."""

SIZES = {
    "tl_add": ("n=100001", "n=4000000"), "tl_softmax": ("rows=256 columns=781", "rows=8000 columns=1000"),
    "tl_layer_norm": ("rows=200 columns=768", "rows=4096 columns=1600"), "tl_rms_norm": ("rows=128 columns=2048", "rows=4000 columns=2000"),
    "tl_row_sums": ("rows=1000 columns=300", "rows=8000 columns=1001"), "tl_column_means": ("rows=200 columns=1024", "rows=1000 columns=8192"),
    "tl_cross_entropy": ("rows=132 columns=4000", "rows=1500 columns=8000"), "tl_gelu": ("n=60000", "n=3000000"),
    "tl_swiglu": ("rows=64 columns=1408", "rows=1024 columns=4096"), "tl_dropout": ("n=50000", "n=2000000"),
    "tl_rope": ("tokens=128 heads=12", "tokens=2048 heads=32"), "tl_matmul": ("m=192 n=256 k=128", "m=1024 n=1088 k=512"),
    "tl_matmul_tf32": ("m=128 n=128 k=256", "m=768 n=1024 k=256"), "tl_matmul_persistent": ("m=320 n=256 k=192", "m=1024 n=1536 k=512"),
    "tl_attention": ("heads=8 length=256", "heads=32 length=1024"), "tl_cumsum": ("rows=64 columns=3000", "rows=2000 columns=2001"),
    "tl_recurrence": ("channels=1024", "channels=40000"), "tl_sort": ("rows=512", "rows=10000"),
    "tl_top": ("rows=200 columns=400", "rows=6000 columns=512"), "tl_histogram": ("n=60000", "n=2000000"),
    "tl_embedding": ("tokens=300 width=768", "tokens=8192 width=1024"), "tl_gemv_int8": ("rows=1000 columns=1024", "rows=8192 columns=4096"),
    "tl_transpose": ("m=500 n=300", "m=2048 n=1500"), "tl_stencil": ("w=400 h=300", "w=2000 h=1500"),
    "tl_atomic_sum": ("n=100000", "n=8000000"), "tl_collatz": ("n=10000", "n=200000"), "tl_adam": ("n=65536", "n=3000000"),
    "tl_quantize": ("rows=300 columns=1008", "rows=8000 columns=1024"), "tl_group_mean": ("n=4000 groups=100", "n=100000 groups=1000"),
    "nb_saxpy": ("n=100000 blocks=132", "n=4000000 blocks=1056"), "nb_sum2d": ("rows=300 columns=500", "rows=1024 columns=1500"),
    "nb_matmul_naive": ("n=100", "n=512"), "nb_matmul_shared": ("n=120", "n=640"), "nb_reduce_shared": ("n=50000", "n=1500000"),
    "nb_reduce_warp": ("n=200000 blocks=64", "n=6000000 blocks=528"), "nb_scan": ("n=40000", "n=1000000"),
    "nb_convolve1d": ("n=30000 taps=9", "n=800000 taps=21"), "nb_blur": ("h=200 w=300", "h=800 w=1200"),
    "nb_mandelbrot": ("w=160 h=120 limit=60", "w=500 h=400 limit=200"), "nb_nbody": ("n=300", "n=1000"), "nb_laplace": ("n=200", "n=1200"),
    "nb_black_scholes": ("n=10000", "n=400000"), "nb_histogram": ("n=100000 blocks=64", "n=3000000 blocks=264"),
    "nb_float_histogram": ("n=50000 blocks=132", "n=1500000 blocks=528"), "nb_pi": ("n=4096 trips=50", "n=80000 trips=60"),
    "nb_walk": ("n=4000 trips=8", "n=100000 trips=8"), "nb_median": ("w=160 h=120", "w=800 h=500"), "nb_transpose": ("h=300 w=400", "h=1500 w=2000"),
    "nb_dot": ("n=60000 blocks=64", "n=2000000 blocks=528"), "nb_search": ("n=20000 size=3000", "n=500000 size=100000"),
    "nb_life": ("w=160 h=100", "w=640 h=500"), "nb_bitonic": ("n=65536 j=64 k=1024", "n=4194304 j=4096 k=8192"),
    "nb_dft": ("n=50 lines=2048", "n=100 lines=33792"), "nb_nearest": ("n=5000 centres=20 dims=4", "n=100000 centres=32 dims=8"),
    "nb_fnv": ("n=10000 length=8", "n=200000 length=16"), "nb_spmv": ("n=8000 most=40", "n=200000 most=60"), "nb_grey": ("h=200 w=320", "h=1000 w=1600"),
    "nb_collatz": ("n=4000", "n=80000"), "nb_compact": ("n=50000", "n=1500000"), "nb_heat3d": ("n=40", "n=128"), "nb_special": ("n=20000", "n=500000"),
    "nb_row_norms": ("rows=300 columns=500", "rows=4000 columns=1000"), "nb_max_index": ("n=40000 size=1000", "n=1000000 size=100000")}
"""Kernel → a small size and one of some 10^5 to 10^6 warp instructions."""

TRITON_NUMBA_2026_11_22 = Kernels("triton_numba_2026_11_22", KERNELS, SIZES)


def triton_numba_2026_11_22(device, *, case: str, launch_cycles: int = 0) -> dict[str, float]:
    """Run a case of the set triton-numba-2026-11-22; give its quantities by the names of ``triton_numba_2026_11_22_kernels.csv``."""
    return TRITON_NUMBA_2026_11_22.measured(device, case, launch_cycles)
