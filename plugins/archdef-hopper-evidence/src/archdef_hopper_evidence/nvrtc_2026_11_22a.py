"""Launches of the set nvrtc-2026-11-22a: kernels written when the rules that nvrtc-2026-11-21b led to stood, and calibration kernels at other sizes."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef_hopper_evidence.calibration import floats, mixed, unset
from archdef_hopper_evidence.launches import Kernels, Launch, Value, doubles, flat, ints, octets, plane, starts

i32, f32, u32 = np.int32, np.float32, np.uint32


def _blocks(n: int, threads: int, most: int) -> tuple[int, int]:
    return min(most, -(-n // threads)), 1


def _letters(n: int, seed: int) -> np.ndarray:
    return np.frombuffer(b"etaoinshrdlucmwfgypbvkjxqz ,.e t", np.uint8)[mixed(n, seed) & u32(31)]


def _half(n: int, seed: int) -> np.ndarray:
    return floats(n, seed).astype(np.float16)


def _volume(n: int) -> Launch:
    tiles = -(-n // 30)
    return Launch((tiles, tiles, -(-n // 16)), (32, 32), {"in": floats(n**3, 210), "out": np.zeros(n**3, f32), "n": i32(n), "c0": f32(0.5), "c1": f32(0.08)},
                  "out")


def _product(m: int, k: int, n: int, block: tuple[int, int], tile: tuple[int, int]) -> Launch:
    """Columns and rows of a tile are those that one block computes."""
    return Launch((-(-n // tile[0]), -(-m // tile[1])), block, {"a": floats(m * k, 211), "b": floats(k * n, 212), "c": unset(m * n)} | (
        {"n": i32(n)} if m == k == n else {"m": i32(m), "k": i32(k), "n": i32(n)}), "c")


def _column_product(n: int) -> Launch:
    return Launch((n // 64, n // 64), (512, 1), {"m": i32(n), "n": i32(n), "k": i32(n), "alpha": f32(1.5), "a": floats(n * n, 211), "b": floats(n * n, 212),
                  "beta": f32(0.5), "c": floats(n * n, 213)}, "c")


def _tensor_product(n: int) -> Launch:
    return Launch((-(-n // 64), -(-n // 64)), (128, 4), {"a": _half(n * n, 214), "b": _half(n * n, 215), "c": unset(n * n), "m": i32(n), "n": i32(n),
                  "k": i32(n)}, "c", near=True)


def _pulled(n: int, most: int) -> Launch:
    first = starts(n, 216, most)
    return Launch(**flat(n), arguments={"starts": first, "sources": ints(int(first[-1]), 217, n), "rank": floats(n, 218), "degree": ints(n, 219, 30) + i32(1),
                  "next": unset(n), "n": i32(n), "damping": f32(0.85)}, output="next")


def _pushed(n: int, most: int) -> Launch:
    first = starts(n, 216, most)
    return Launch(**flat(n), arguments={"starts": first, "targets": ints(int(first[-1]), 217, n), "rank": floats(n, 218), "next": np.zeros(n, f32),
                  "n": i32(n)}, output="next", near=True)


def _merged(n: int, each: int) -> Launch:
    return Launch((-(-2 * n // (each * 128)), 1), (128, 1), {"a": np.sort(ints(n, 220, 1 << 30)), "m": i32(n), "b": np.sort(ints(n, 221, 1 << 30)),
                  "n": i32(n), "c": unset(2 * n)}, "c")


def _neighbours(n: int, count: int) -> Launch:
    near = (np.arange(n, dtype=np.int64)[None, :] + ints(n * count, 222, 400).reshape(count, n) - 200) % n
    return Launch(**flat(n, 128), arguments={"force": unset(4 * n), "position": floats(4 * n, 223) * f32(3), "neighbours": i32(count),
                  "list": near.astype(np.int32).reshape(-1), "cut": f32(4), "lj1": f32(1.5), "lj2": f32(2), "n": i32(n)}, output="force")


def _rows(rows: int, columns: int, **more: Value) -> dict[str, Value]:
    return {"in": floats(rows * columns, 224) * f32(8) - f32(4), "out": unset(rows * columns), **more}


def _normalised(rows: int, columns: int, threads: int) -> Launch:
    return Launch((rows, 1), (threads, 1), {"in": floats(rows * columns, 224), "gain": floats(columns, 225), "bias": floats(columns, 226),
                  "out": unset(rows * columns), "n4": i32(columns // 4), "epsilon": f32(1e-5)}, "out", near=True)


def _attention(n: int, heads: int) -> Launch:
    return Launch((n // 32, heads), (32, 1), {**{k: floats(heads * n * 32, seed) for seed, k in enumerate("qkv", 227)}, "out": unset(heads * n * 32),
                  "n": i32(n), "scale": f32(0.177)}, "out", near=True)


def _tokens(length: int, batch: int, width: int) -> Launch:
    n = length * batch * width // 4
    return Launch(**flat(n), arguments={"tokens": ints(length * batch, 230, 3000), "table": floats(3000 * width, 231), "positions": floats(length * width, 232),
                  "out": unset(4 * n), "length": i32(length), "width4": i32(width // 4), "n": i32(n)}, output="out")


def _columns(width: int, height: int) -> Launch:
    return Launch((width // 16, height // 64), (16, 8), {"dst": unset(width * height), "src": floats(width * height, 233), "width": i32(width),
                  "height": i32(height), "pitch": i32(width)}, "dst")


def _eliminated(n: int, t: int) -> Launch:
    return Launch(**plane(n - 1 - t, n - t, 16, 16), arguments={"m": floats(n * n, 234), "a": floats(n * n, 235), "b": floats(n, 236), "size": i32(n),
                  "j1": i32(n - t), "t": i32(t)}, output="a")


def _reduced(n: int, threads: int, items: int = 1) -> Launch:
    blocks = -(-n // (threads * items))
    return Launch((blocks, 1), (threads, 1), {"g": (mixed(blocks * threads * items, 6) % u32(256)), "o": unset(blocks), "n": i32(n)}, "o")


def _transposed(n: int) -> Launch:
    return Launch((n // 32, n // 32), (32, 8), {"in": floats(n * n, 5), "out": unset(n * n), "n": i32(n)}, "out")


def _square(n: int, tile: int) -> Launch:
    return Launch((n // tile, n // tile), (tile, tile), {"a": floats(n * n, 7), "b": floats(n * n, 8), "c": unset(n * n), "n": i32(n)}, "c")


def _sequences(blocks: int, n: int) -> Launch:
    return Launch((blocks, 1), (n, 1), {"a": octets(blocks * n, 237) & np.uint8(3), "b": octets(blocks * n, 238) & np.uint8(3), "length": unset(blocks),
                  "n": i32(n)}, "length")


def _moved(n: int, size: int) -> Launch:
    return Launch((n // 4 - 8, n // 4 - 8), (128, 1), {"frame": mixed(n * n // 2, 239), "before": mixed(n * n // 2, 240), "sads": unset(
        (n // 4 - 8) ** 2 * size**2 // 2), "width": i32(n), "search": i32(size)}, "sads")


def _clusters(n: int, dim: int) -> Launch:
    return Launch(**flat(n), arguments={"points": floats(n * dim, 241), "weight": floats(n, 242), "cost": floats(n, 243) * f32(dim / 6), "centre": ints(
        n, 244, 100), "switched": np.zeros(n, np.uint8), "saved": unset(n), "n": i32(n), "dim": i32(dim), "x": i32(n // 3)}, output="saved",
                  shared_bytes=4 * dim)


KERNELS: dict[str, Callable[..., Launch]] = {
    "reduce_grid": lambda n, blocks: Launch((blocks, 1), (256, 1), {"in": ints(n, 200, 1000), "out": unset(blocks), "n": u32(n)}, "out"),
    "dot_tree": lambda n: Launch(_blocks(n, 256, 264), (256, 1), {"a": floats(n, 201), "b": floats(n, 202), "c": np.zeros(1, f32), "n": i32(n)}, "c",
                                 near=True),
    "scalar_products": lambda vectors, n: Launch((min(128, vectors), 1), (256, 1), {
        "c": unset(vectors), "a": floats(vectors * n, 203), "b": floats(vectors * n, 204), "vectors": i32(vectors), "n": i32(n)}, "c"),
    "scan_brent_kung": lambda n: Launch(**flat(-(-n // 2)), arguments={"x": floats(n, 205), "y": unset(n), "n": u32(n)}, output="y"),
    "scan_shuffle": lambda n, threads: Launch(**flat(n, threads), arguments={"data": ints(n, 206, 100), "partial": unset(n // threads)}, output="data",
                                              shared_bytes=threads // 8),
    "histogram_global": lambda n: Launch(**flat(n), arguments={"data": _letters(n, 207), "n": u32(n), "bins": np.zeros(7, u32)}, output="bins"),
    "histogram_coarse": lambda n: Launch(_blocks(n, 1024, 132), (256, 1), {"data": _letters(n, 207), "n": u32(n), "bins": np.zeros(7, u32)}, "bins"),
    "odd_even_merge": lambda n: Launch((n // 512, 1), (256, 1), {"keys": mixed(n, 208), "values": mixed(n, 209), "length": u32(512), "up": u32(1)}, "keys"),
    "merge_ranks": _merged,
    "bitonic_lanes": lambda n: Launch(**flat(n, 128), arguments={"in": floats(n, 245), "out": unset(n)}, output="out"),
    "stencil1d": lambda n: Launch(**flat(n), arguments={"in": ints(n + 6, 246, 1000), "out": unset(n)}, output="out"),
    "stencil7_slices": _volume,
    "convolve_tile": lambda n: Launch((-(-n // 28), -(-n // 28)), (32, 32), {"in": floats(n * n, 247), "out": unset(n * n), "width": i32(n), "height": i32(n)},
                                      "out"),
    "convolve_columns": _columns,
    "box_rows": lambda w, h, r: Launch(**flat(h, 64), arguments={"in": floats(w * h, 248), "out": unset(w * h), "w": i32(w), "h": i32(h), "r": i32(r)},
                                       output="out"),
    "grey_blur": lambda n: Launch(**plane(n, n, 16, 16), arguments={"in": octets(3 * n * n, 249), "out": unset(n * n // 4), "w": i32(n), "h": i32(n)},
                                  output="out"),
    "matmul_coarse": lambda n: _product(n, n, n, (16, 16), (64, 16)), "matmul_edges": lambda m, k, n: _product(m, k, n, (32, 8), (32, 8)),
    "sgemm_column": _column_product, "matmul_tensor": _tensor_product,
    "copy_offset": lambda n, offset: Launch(**flat(n), arguments={"in": floats(n + offset, 250), "out": unset(n + offset), "offset": i32(offset)},
                                            output="out"),
    "copy_stride": lambda n, stride: Launch(**flat(n), arguments={"in": doubles(n * stride, 251), "out": unset(2 * n * stride), "stride": i32(stride)},
                                            output="out"),
    "triad_vector": lambda n: Launch(_blocks(n, 256, 528), (256, 1), {"a": floats(4 * n, 252), "b": floats(4 * n, 253), "c": unset(4 * n), "s": f32(1.5),
                                                                     "n": i32(n)}, "c"),
    "split_structures": lambda n: Launch(**flat(n), arguments={"in": floats(5 * n, 254), "x": unset(n), "y": unset(n), "z": unset(n), "kind": unset(n),
                                                              "n": i32(n)}, output="x"),
    "bank_stride": lambda blocks, stride, trips: Launch((blocks, 1), (256, 1), {"out": unset(blocks * 256), "stride": i32(stride), "trips": i32(trips)}, "out"),
    "polynomials": lambda n: Launch(**flat(n, 128), arguments={"in": floats(48 * n, 255), "out": unset(n), "n": i32(n)}, output="out"),
    "branch_ladder": lambda n: Launch(**flat(n), arguments={"in": floats(n, 256), "kind": ints(n, 257, 8), "out": unset(n), "n": i32(n)}, output="out"),
    "variable_trips": lambda n, most: Launch(**flat(n), arguments={"lengths": ints(n, 258, most), "in": floats(n, 259), "out": unset(n), "n": i32(n)},
                                             output="out"),
    "matmul_async": lambda n: _product(n, n, n, (16, 16), (16, 16)),
    "philox_normals": lambda n: Launch(**flat(n), arguments={"out": unset(2 * n), "seed": u32(42), "n": i32(n)}, output="out", near=True),
    "chacha20": lambda n: Launch(**flat(n, 128), arguments={"key": mixed(8, 260), "out": unset(16 * n), "n": i32(n)}, output="out"),
    "lcs_diagonals": _sequences, "pagerank_pull": _pulled, "pagerank_push": _pushed,
    "spmv_coo": lambda n, count: Launch(_blocks(count, 256, 528), (256, 1), {
        "rows": np.sort(ints(count, 261, n)), "columns": ints(count, 262, n), "values": floats(count, 263), "x": floats(n, 264), "y": np.zeros(n, f32),
        "count": i32(count)}, "y", near=True),
    "md_forces": _neighbours,
    "option_paths": lambda options, paths: Launch((options, 1), (128, 1), {"noise": floats(paths, 265) * f32(2) - f32(1), "value": unset(options), "s": f32(
        100), "x": f32(80), "mu": f32(0.02), "vol": f32(0.2), "paths": i32(paths)}, "value", near=True),
    "fft_radix4": lambda blocks: Launch((blocks, 1), (64, 1), {"in": floats(512 * blocks, 266), "out": unset(512 * blocks)}, "out", near=True),
    "softmax_online": lambda rows, columns: Launch((rows, 1), (256, 1), _rows(rows, columns, n=i32(columns)), "out", near=True),
    "layernorm_vector": _normalised, "flash_attention": _attention,
    "quantize_rows": lambda rows, columns: Launch((rows, 1), (256, 1), {"in": floats(rows * columns, 267) - f32(0.5), "out": unset(rows * columns // 4),
                                                                       "scales": unset(rows), "n": i32(columns)}, "out"),
    "top_four": lambda rows, columns: Launch((rows // 4, 1), (128, 1), {"in": floats(rows * columns, 268), "values": unset(4 * rows), "indices": unset(
        4 * rows), "n": i32(columns)}, "indices"),
    "cross_entropy": lambda rows, columns: Launch((-(-rows // 8), 1), (32, 8), {"logits": floats(rows * columns, 269) * f32(6), "targets": ints(
        rows, 270, columns), "losses": unset(rows), "rows": i32(rows), "n": i32(columns)}, "losses", near=True),
    "swiglu_half": lambda n: Launch(**flat(n), arguments={"gate": _half(2 * n, 271), "up": _half(2 * n, 272), "out": np.zeros(2 * n, np.float16),
                                                         "n": i32(n)}, output="out", near=True),
    "embed_tokens": _tokens, "eliminate": _eliminated,
    "lud_internal": lambda n: Launch((n // 16 - 1, n // 16 - 1), (16, 16), {"m": floats(n * n, 273), "dim": i32(n), "offset": i32(0)}, "m"),
    "haversine": lambda n: Launch(**flat(n), arguments={"places": doubles(4 * n, 274), "distance": unset(2 * n), "n": i32(n)}, output="distance"),
    "max_flops": lambda blocks, trips: Launch((blocks, 1), (256, 1), {"data": floats(256 * blocks, 275), "trips": i32(trips), "v1": f32(0.05), "v2": f32(0.1)},
                                              "data"),
    "block_differences": _moved, "match_clusters": _clusters,
    # calibration kernels
    "vectorAdd": lambda n, threads: Launch(**flat(n, threads), arguments={"a": floats(n, 1), "b": floats(n, 2), "c": unset(n), "n": i32(n)}, output="c"),
    "saxpy": lambda n, blocks, threads: Launch((blocks, 1), (threads, 1), {"n": i32(n), "alpha": f32(2.5), "x": floats(n, 3), "y": floats(n, 4)}, "y"),
    "transpose_naive": _transposed, "transpose_tiled": _transposed, "transpose_pad": _transposed,
    "reduce_neighbored": _reduced, "reduce_neighbored_less": _reduced, "reduce_interleaved": _reduced,
    "reduce_unroll4": lambda n, threads: _reduced(n, threads, 4), "reduce_complete_unroll8": lambda n, threads: _reduced(n, threads, 8),
    "matmul_naive": lambda n: _square(n, 16), "matmul_tiled16": lambda n: _square(n, 16), "matmul_tiled32": lambda n: _square(n, 32),
    "div_paths": lambda threads, n, paths: Launch(**flat(threads, 128), arguments={"o": unset(-(-threads // 128) * 128), "n": i32(n), "paths": i32(paths)},
                                                  output="o"),
    "div_nested": lambda threads, n: Launch(**flat(threads, 128), arguments={"o": unset(-(-threads // 128) * 128), "n": i32(n)}, output="o"),
}
"""Kernel → its launch at a size."""

SIZES = {
    "reduce_grid": ("n=50000 blocks=32", "n=8000000 blocks=264"), "dot_tree": ("n=30000", "n=4000000"),
    "scalar_products": ("vectors=16 n=1500", "vectors=128 n=16384"), "scan_brent_kung": ("n=20000", "n=500000"),
    "scan_shuffle": ("n=16384 threads=256", "n=1048576 threads=512"), "histogram_global": ("n=20000", "n=300000"),
    "histogram_coarse": ("n=50000", "n=2000000"), "odd_even_merge": ("n=8192", "n=131072"), "merge_ranks": ("n=10000 each=16", "n=500000 each=16"),
    "bitonic_lanes": ("n=16384", "n=1000064"), "stencil1d": ("n=20480", "n=2048000"), "stencil7_slices": ("n=50", "n=120"),
    "convolve_tile": ("n=150", "n=700"), "convolve_columns": ("width=128 height=128", "width=1024 height=1024"),
    "box_rows": ("w=200 h=512 r=5", "w=400 h=8448 r=8"), "grey_blur": ("n=120", "n=500"), "matmul_coarse": ("n=128", "n=320"),
    "matmul_edges": ("m=50 k=70 n=90", "m=300 k=100 n=500"), "sgemm_column": ("n=128", "n=512"), "matmul_tensor": ("n=128", "n=768"),
    "copy_offset": ("n=65536 offset=1", "n=4194304 offset=5"), "copy_stride": ("n=32768 stride=3", "n=524288 stride=6"),
    "triad_vector": ("n=20000", "n=1000000"), "split_structures": ("n=20000", "n=1000000"),
    "bank_stride": ("blocks=8 stride=6 trips=100", "blocks=264 stride=16 trips=200"), "polynomials": ("n=4096", "n=200064"),
    "branch_ladder": ("n=20000", "n=1000000"), "variable_trips": ("n=5000 most=60", "n=100000 most=60"), "matmul_async": ("n=128", "n=320"),
    "philox_normals": ("n=10000", "n=500000"), "chacha20": ("n=4000", "n=100000"), "lcs_diagonals": ("blocks=4 n=64", "blocks=132 n=128"),
    "pagerank_pull": ("n=8000 most=40", "n=100000 most=40"), "pagerank_push": ("n=8000 most=40", "n=200000 most=40"),
    "spmv_coo": ("n=4000 count=30000", "n=100000 count=1000000"), "md_forces": ("n=4096 count=32", "n=65536 count=64"),
    "option_paths": ("options=16 paths=2000", "options=512 paths=8000"), "fft_radix4": ("blocks=32", "blocks=2048"),
    "softmax_online": ("rows=32 columns=1000", "rows=1000 columns=2048"), "layernorm_vector": (
        "rows=32 columns=768 threads=192", "rows=2048 columns=1024 threads=256"), "flash_attention": ("n=64 heads=4", "n=128 heads=64"),
    "quantize_rows": ("rows=32 columns=1024", "rows=1024 columns=4096"), "top_four": ("rows=64 columns=500", "rows=2048 columns=1000"),
    "cross_entropy": ("rows=60 columns=1000", "rows=4000 columns=1000"), "swiglu_half": ("n=20000", "n=2000000"),
    "embed_tokens": ("length=64 batch=2 width=256", "length=512 batch=8 width=768"), "eliminate": ("n=128 t=10", "n=1000 t=100"),
    "lud_internal": ("n=128", "n=1024"), "haversine": ("n=8000", "n=400000"), "max_flops": ("blocks=16 trips=50", "blocks=528 trips=100"),
    "block_differences": ("n=80 size=16", "n=256 size=16"), "match_clusters": ("n=8000 dim=16", "n=200000 dim=32"),
    "vectorAdd": ("n=100003 threads=128", "n=3000000 threads=512"), "saxpy": ("n=100000 blocks=100 threads=128", "n=2500000 blocks=396 threads=512"),
    "transpose_naive": ("n=480", "n=1536"), "transpose_tiled": ("n=480", "n=1536"), "transpose_pad": ("n=480", "n=3008"),
    "reduce_neighbored": ("n=40000 threads=256", "n=600000 threads=256"), "reduce_neighbored_less": ("n=40000 threads=128", "n=600000 threads=1024"),
    "reduce_interleaved": ("n=40000 threads=256", "n=600000 threads=128"), "reduce_unroll4": ("n=100000 threads=256", "n=3000000 threads=128"),
    "reduce_complete_unroll8": ("n=131072 threads=256", "n=4194304 threads=1024"), "matmul_naive": ("n=112", "n=480"), "matmul_tiled16": ("n=112", "n=480"),
    "matmul_tiled32": ("n=96", "n=480"), "div_paths": ("threads=10000 n=20 paths=3", "threads=200000 n=48 paths=7"),
    "div_nested": ("threads=10000 n=33", "threads=200000 n=100")}
"""Kernel → a small size and one of some 10^5 to 10^6 warp instructions."""

NVRTC_2026_11_22A = Kernels("nvrtc_2026_11_22a", KERNELS, SIZES)


def nvrtc_2026_11_22a(device, *, case: str, launch_cycles: int = 0) -> dict[str, float]:
    """Run a case of the set nvrtc-2026-11-22a; give its quantities by the names of ``nvrtc_2026_11_22a_kernels.csv``."""
    return NVRTC_2026_11_22A.measured(device, case, launch_cycles)
