"""Launches of kernels that no figure of the description was fitted to: the set nvrtc-2026-11-21a."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef_hopper_evidence.calibration import floats, mixed, unset
from archdef_hopper_evidence.launches import Kernels, Launch, Value, doubles, flat, ints, octets, permutation, plane, starts

def _text(n: int, seed: int) -> np.ndarray:
    """Bytes of words, more or less."""
    return np.frombuffer(b" etaoinshrdluEcmwfgypbvkjxqz ,. e", np.uint8)[mixed(n, seed) % np.uint32(32)]


def _matrix(rows: int, most: int) -> dict[str, Value]:
    first = starts(rows, 11, most)
    count = int(first[-1])
    return {"starts": first, "columns": ints(count, 12, rows), "values": floats(count, 13), "x": floats(rows, 14), "y": unset(rows),
            "rows": np.int32(rows)}


def _ring(n: int, seed: int) -> np.ndarray:
    order = permutation(n, seed)
    following = np.empty(n, np.uint32)
    following[order] = np.roll(order, -1)
    return following


def _halves(n: int, seed: int) -> np.ndarray:
    return floats(n, seed).astype(np.float16).view(np.uint32)


def _crc_table() -> np.ndarray:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, np.uint32(0xEDB88320) ^ table >> np.uint32(1), table >> np.uint32(1))
    return table


def _roots() -> np.ndarray:
    turn = -2 * np.pi * np.arange(128) / 256
    return np.stack([np.cos(turn), np.sin(turn)], 1).astype(np.float32).reshape(-1)


i32, f32, u32 = np.int32, np.float32, np.uint32


def _scan(n: int) -> Launch:
    return Launch(**flat(n), arguments={"in": ints(n, 21, 100), "out": unset(n), "n": i32(n)}, output="out")


def _blelloch(n: int) -> Launch:
    return Launch((n // 512, 1), (256, 1), {"in": ints(n, 21, 100), "out": unset(n), "sums": unset(n // 512)}, "out")


def _histogram(n: int, data: np.ndarray) -> Launch:
    return Launch((min(132, -(-n // 256)), 1), (256, 1), {"data": data, "bins": np.zeros(256, u32), "n": i32(n)}, "bins")


def _product(n: int, tile: int) -> Launch:
    return Launch((n // tile, n // tile), (16, 16) if tile == 32 else (256, 1),
                  {"a": floats(n * n, 7), "b": floats(n * n, 8), "c": unset(n * n), "n": i32(n)}, "c")


def _image(n: int, seed: int = 24) -> dict[str, Value]:
    return {"in": floats(n * n, seed), "out": unset(n * n), "n": i32(n)}


def _stencil(n: int) -> Launch:
    return Launch(**plane(n, n, 16, 16), arguments=_image(n) | {"a": f32(0.5), "b": f32(0.125)}, output="out")


def _bodies(n: int) -> Launch:
    return Launch((n // 128, 1), (128, 1), {"bodies": floats(4 * n, 26), "forces": unset(4 * n), "n": i32(n)}, "forces", near=True)


def _options(n: int) -> Launch:
    given = {k: floats(n, seed) for seed, k in enumerate(("price", "strike", "years"), 27)}
    return Launch(**flat(n), arguments={"call": unset(n), "put": unset(n), **given, "rate": f32(0.02), "volatility": f32(0.3), "n": i32(n)},
                  output="call", near=True)


def _kmeans(n: int, k: int) -> Launch:
    return Launch(**flat(n), arguments={"points": floats(4 * n, 41), "centres": floats(4 * k, 42), "nearest": unset(n), "n": i32(n), "k": i32(k)},
                  output="nearest", shared_bytes=16 * k)


def _sums(segments: int, most: int) -> Launch:
    first = starts(segments, 39, most)
    return Launch((min(264, -(-segments // 8)), 1), (256, 1), {"starts": first, "values": ints(int(first[-1]), 40, 1000),
                  "sums": unset(segments), "segments": i32(segments)}, "sums")


KERNELS: dict[str, Callable[..., Launch]] = {
    "scan_hillis": _scan, "scan_warps": _scan, "scan_blelloch": _blelloch,
    "histogram_shared": lambda n: _histogram(n, octets(n, 22)), "histogram_private": lambda n: _histogram(n, mixed(n, 23)),
    "softmax_rows": lambda rows, columns: Launch((rows, 1), (256, 1), {"in": floats(rows * columns, 24), "out": unset(rows * columns),
                                                                       "columns": i32(columns)}, "out", near=True),
    "layernorm_rows": lambda rows, columns: Launch(
        (-(-rows // 8), 1), (256, 1), {"in": floats(rows * columns, 24), "gain": floats(columns, 25), "bias": floats(columns, 26),
                                       "out": unset(rows * columns), "rows": i32(rows), "columns": i32(columns)}, "out", near=True),
    "bitonic_shared": lambda n: Launch((n // 1024, 1), (512, 1), {"keys": mixed(n, 25)}, "keys"),
    "spmv_scalar": lambda rows, most: Launch(**flat(rows), arguments=_matrix(rows, most), output="y"),
    "spmv_vector": lambda rows, most: Launch(**flat(32 * rows), arguments=_matrix(rows, most), output="y"),
    "spmv_ell": lambda rows, width: Launch(**flat(rows), arguments={
        "columns": ints(rows * width, 12, rows + rows // 4) - i32(rows // 4), "values": floats(rows * width, 13), "x": floats(rows, 14),
        "y": unset(rows), "rows": i32(rows), "width": i32(width)}, output="y"),
    "stencil5_global": _stencil, "stencil5_tile": _stencil,
    "stencil27": lambda n: Launch((-(-n // 32), -(-n // 8), n), (32, 8), {"in": floats(n**3, 24), "out": unset(n**3), "n": i32(n)}, "out"),
    "conv1d_constant": lambda n: Launch(**flat(n), arguments={"in": floats(n, 24), "out": unset(n), "n": i32(n)}, output="out"),
    "nbody_tiled": _bodies, "black_scholes": _options,
    "mandelbrot": lambda n, most: Launch(**plane(n, n, 16, 16), arguments={"out": unset(n * n), "width": i32(n), "height": i32(n),
                                                                           "most": i32(most)}, output="out"),
    "monte_carlo_pi": lambda blocks, trials: Launch((blocks, 1), (256, 1), {"hits": unset(256 * blocks), "trials": i32(trials)}, "hits"),
    "matmul_reg2": lambda n: _product(n, 32), "matmul_reg4_buffered": lambda n: _product(n, 64),
    "matvec_transposed": lambda rows, columns: Launch(**flat(columns), arguments={
        "a": floats(rows * columns, 31), "x": floats(rows, 32), "y": unset(columns), "rows": i32(rows), "columns": i32(columns)}, output="y"),
    "matvec_rows": lambda rows, columns: Launch((rows, 1), (128, 1), {"a": floats(rows * columns, 31), "x": floats(columns, 32),
                                                                      "y": unset(rows), "columns": i32(columns)}, "y"),
    "gather_random": lambda n: Launch(**flat(n), arguments={"in": floats(n, 33), "index": mixed(n, 34) % u32(n), "out": unset(n), "n": i32(n)},
                                      output="out"),
    "scatter_random": lambda n: Launch((264, 1), (256, 1), {"in": floats(n, 33), "index": permutation(n, 34), "out": unset(n), "n": i32(n)},
                                       "out"),
    "compact_ballot": lambda n: Launch(**flat(n), arguments={"in": ints(n, 35, 1000), "out": unset(n), "count": np.zeros(1, i32), "n": i32(n),
                                                              "least": i32(600)}, output="out", ordered=False),
    "reduce_atomic": lambda n: Launch((min(264, -(-n // 1024)), 1), (256, 1), {"in": ints(n, 36, 1000), "out": np.zeros(1, i32), "n": i32(n)}, "out"),
    "fft_radix2": lambda blocks: Launch((blocks, 1), (128, 1), {"in": floats(512 * blocks, 37), "out": unset(512 * blocks), "roots": _roots()}, "out"),
    "floyd_step": lambda n: Launch((-(-n // 256), n), (256, 1), {"d": ints(n * n, 38, 1000), "n": i32(n), "k": i32(n // 3)}, "d"),
    "median3x3": lambda n: Launch(**plane(n, n, 32, 8), arguments={"in": octets(n * n, 22), "out": unset(n * n // 4), "width": i32(n),
                                                                    "height": i32(n)}, output="out"),
    "bilateral": lambda n: Launch(**plane(n, n, 16, 16), arguments={"in": floats(n * n, 24), "out": unset(n * n), "width": i32(n), "height": i32(n),
                                                                     "space": f32(0.1), "range": f32(5)}, output="out", near=True),
    "upper_case": lambda n: Launch((132, 1), (256, 1), {"in": _text(n, 43), "out": unset(n // 4), "words": np.zeros(1, i32), "n": i32(n)}, "out"),
    "axpy_half2": lambda n: Launch(**flat(n), arguments={"x": _halves(2 * n, 44), "y": _halves(2 * n, 45), "a": f32(1.5), "n": i32(n)}, output="y"),
    "dot_double": lambda n: Launch((min(264, -(-n // 256)), 1), (256, 1), {"x": doubles(n, 46), "y": doubles(n, 47),
                                   "out": unset(2 * min(264, -(-n // 256))), "n": i32(n)}, "out"),
    "binary_search": lambda n, queries: Launch(**flat(queries), arguments={"sorted": np.sort(mixed(n, 48)), "keys": mixed(queries, 49),
                                               "found": unset(queries), "n": i32(n), "queries": i32(queries)}, output="found"),
    "pointer_chase": lambda n, blocks, steps: Launch((blocks, 1), (128, 1), {"next": _ring(n, 50), "out": unset(128 * blocks), "steps": i32(steps)},
                                                     "out"),
    "segmented_sum": _sums,
    "async_tiles": lambda blocks, tiles: Launch((blocks, 1), (128, 1), {"in": floats(512 * blocks * tiles, 51), "out": unset(512 * blocks),
                                                                        "tiles": i32(tiles)}, "out"),
    "kmeans_assign": _kmeans,
    "game_of_life": lambda n: Launch(**plane(n, n, 32, 8), arguments={"in": octets(n * n, 52) & np.uint8(1), "out": unset(n * n // 4), "n": i32(n)},
                                     output="out"),
    "hash_insert": lambda n: Launch(**flat(n), arguments={"keys": mixed(n, 53) | u32(1), "table": np.zeros(4 * n, u32), "n": i32(n),
                                                           "mask": u32(4 * n - 1)}, output="table", ordered=False),
    "lu_update": lambda n, k: Launch(**plane(n - k - 1, n - k - 1, 16, 16), arguments={"a": doubles(n * n, 54) + 1, "n": i32(n), "k": i32(k)},
                                     output="a"),
    "crc_bytes": lambda blocks, length: Launch((blocks, 1), (256, 1), {"in": octets(256 * blocks * length, 55), "table": _crc_table(),
                                                                       "out": unset(256 * blocks), "length": i32(length)}, "out"),
}
"""Kernel → its launch at a size."""

SIZES = {
    "scan_hillis": ("n=16384", "n=262144"), "scan_warps": ("n=32768", "n=1048576"), "scan_blelloch": ("n=16384", "n=524288"),
    "histogram_shared": ("n=65536", "n=4194304"), "histogram_private": ("n=32768", "n=1048576"),
    "softmax_rows": ("rows=32 columns=1024", "rows=512 columns=2048"), "layernorm_rows": ("rows=128 columns=512", "rows=4096 columns=1024"),
    "bitonic_shared": ("n=8192", "n=262144"), "spmv_scalar": ("rows=2048 most=64", "rows=32768 most=96"),
    "spmv_vector": ("rows=2048 most=128", "rows=16384 most=256"), "spmv_ell": ("rows=4096 width=16", "rows=65536 width=32"),
    "stencil5_global": ("n=256", "n=1500"), "stencil5_tile": ("n=256", "n=1536"), "stencil27": ("n=40", "n=128"),
    "conv1d_constant": ("n=32768", "n=1000000"), "nbody_tiled": ("n=512", "n=4096"), "black_scholes": ("n=16384", "n=500000"),
    "mandelbrot": ("n=64 most=100", "n=384 most=200"), "monte_carlo_pi": ("blocks=8 trials=64", "blocks=264 trials=100"),
    "matmul_reg2": ("n=96", "n=384"), "matmul_reg4_buffered": ("n=128", "n=512"),
    "matvec_transposed": ("rows=100 columns=2048", "rows=512 columns=8192"), "matvec_rows": ("rows=128 columns=512", "rows=4096 columns=1000"),
    "gather_random": ("n=65536", "n=2000000"), "scatter_random": ("n=65536", "n=1000000"), "compact_ballot": ("n=65536", "n=1000000"),
    "reduce_atomic": ("n=65536", "n=8388608"), "fft_radix2": ("blocks=32", "blocks=1024"), "floyd_step": ("n=200", "n=1024"),
    "median3x3": ("n=128", "n=1024"), "bilateral": ("n=64", "n=320"), "upper_case": ("n=100000", "n=2000000"),
    "axpy_half2": ("n=65536", "n=4000000"), "dot_double": ("n=65536", "n=2000000"), "binary_search": ("n=65536 queries=8192", "n=1048576 queries=131072"),
    "pointer_chase": ("n=16384 blocks=16 steps=64", "n=4194304 blocks=264 steps=32"), "segmented_sum": ("segments=2000 most=100", "segments=20000 most=400"),
    "async_tiles": ("blocks=16 tiles=8", "blocks=528 tiles=32"), "kmeans_assign": ("n=10000 k=8", "n=100000 k=16"),
    "game_of_life": ("n=128", "n=1024"), "hash_insert": ("n=8192", "n=262144"), "lu_update": ("n=128 k=20", "n=1024 k=100"),
    "crc_bytes": ("blocks=4 length=32", "blocks=64 length=64")}
"""Kernel → a small size and one of some 10^5 to 10^6 warp instructions."""

NVRTC_2026_11_21A = Kernels("nvrtc_2026_11_21a", KERNELS, SIZES)


def nvrtc_2026_11_21a(device, *, case: str, launch_cycles: int = 0) -> dict[str, float]:
    """Run a case of the set nvrtc-2026-11-21a; give its quantities by the names of ``nvrtc_2026_11_21a_kernels.csv``."""
    return NVRTC_2026_11_21A.measured(device, case, launch_cycles)
