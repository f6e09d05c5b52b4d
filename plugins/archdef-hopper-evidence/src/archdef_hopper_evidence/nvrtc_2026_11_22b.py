"""Launches of the set nvrtc-2026-11-22b: kernels written when the rules that nvrtc-2026-11-22a led to stood."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef_hopper_evidence.calibration import floats, mixed, unset
from archdef_hopper_evidence.launches import Kernels, Launch, doubles, flat, ints, octets, plane, starts

i32, f32, f64, u32, u64 = np.int32, np.float32, np.float64, np.uint32, np.uint64


def _half(n: int, seed: int) -> np.ndarray:
    return floats(n, seed).astype(np.float16)


def _letters(n: int, seed: int) -> np.ndarray:
    return np.frombuffer(b"etaoinshrdlucmwfgypbvkjxqz ,.e t", np.uint8)[mixed(n, seed) & u32(31)]


def _wide(n: int, seed: int) -> np.ndarray:
    return mixed(2 * n, seed).view(u64)


def _minmax(n: int, threads: int) -> Launch:
    blocks = -(-n // (2 * threads))
    return Launch((blocks, 1), (threads, 1), {"in": doubles(n, 302), "least": unset(2 * blocks), "most": unset(2 * blocks), "n": i32(n)}, "most",
                  shared_bytes=16 * threads)


def _segments(segments: int, most: int) -> Launch:
    first = starts(segments, 303, most)
    return Launch(**flat(32 * segments), arguments={"values": floats(int(first[-1]), 304), "offsets": first, "sums": unset(segments),
                  "segments": i32(segments)}, output="sums")


def _raised(n: int) -> Launch:
    blocks = -(-n // 1024)
    return Launch((blocks, 1), (256, 1), {"data": ints(n, 307, 1000), "offsets": ints(blocks, 308, 1000), "n": i32(n)}, "data")


def _compacted(n: int, threads: int) -> Launch:
    return Launch(**flat(n, threads), arguments={"in": floats(n, 310), "out": unset(n), "count": np.zeros(1, i32), "limit": f32(0.6), "n": i32(n)},
                  output="out", ordered=False)


def _pushed(n: int, modulus: int) -> Launch:
    return Launch((min(264, -(-n // 256)), 1), (256, 1), {"values": ints(n, 311, 1 << 30), "queue": unset(n), "length": np.zeros(1, i32), "n": i32(n),
                  "modulus": i32(modulus)}, "queue", ordered=False)


def _summed(nx: int, ny: int, x: int, y: int) -> Launch:
    return Launch(**plane(nx, ny, x, y), arguments={"a": floats(nx * ny, 313), "b": floats(nx * ny, 314), "c": unset(nx * ny), "nx": i32(nx), "ny": i32(ny)},
                  output="c")


def _turned(w: int, h: int) -> Launch:
    return Launch((-(-w // 64), -(-h // 64)), (16, 16), {"in": floats(w * h, 315), "out": unset(w * h), "w": i32(w), "h": i32(h)}, "out")


def _dgemm(n: int) -> Launch:
    return Launch(**plane(n, n, 16, 16), arguments={"a": doubles(n * n, 319), "b": doubles(n * n, 320), "c": doubles(n * n, 321), "n": i32(n),
                  "alpha": f64(1.25), "beta": f64(0.5)}, output="c")


def _batched(batch: int, m: int, n: int, k: int) -> Launch:
    return Launch((-(-n // 16), -(-m // 16), batch), (16, 16), {
        "a": floats(batch * m * k, 326), "b": floats(batch * k * n, 327), "c": floats(batch * m * n, 328), "m": i32(m), "n": i32(n), "k": i32(k),
        "step_a": np.int64(m * k), "step_b": np.int64(k * n), "step_c": np.int64(m * n), "alpha": f32(1.5), "beta": f32(0.25)}, "c")


def _blocked(n: int, most: int) -> Launch:
    first = starts(n // 4, 331, most)
    count = int(first[-1])
    return Launch(**flat(n, 128), arguments={"starts": first, "columns": ints(count, 332, n // 4), "values": floats(16 * count, 333), "x": floats(n, 334),
                  "y": unset(n), "n": i32(n)}, output="y")


def _diagonals(n: int, diagonals: int) -> Launch:
    offsets = (np.arange(diagonals) - diagonals // 2) * np.where(np.arange(diagonals) % 2, 1, 37)
    return Launch(**flat(n), arguments={"data": floats(n * diagonals, 335), "offsets": offsets.astype(i32), "x": floats(n, 336), "y": unset(n), "n": i32(n),
                  "diagonals": i32(diagonals)}, output="y")


def _streamed(nx: int, ny: int, nz: int) -> Launch:
    n = (nx + 8) * (ny + 8) * (nz + 9)
    return Launch((nx // 32, ny // 8), (32, 8), {"in": floats(n, 341), "out": np.zeros(n, f32), "nx": i32(nx), "ny": i32(ny), "nz": i32(nz)}, "out")


def _lattice(nx: int, ny: int) -> Launch:
    return Launch(**plane(nx, ny, 64, 4), arguments={"f": floats(9 * nx * ny, 342) + f32(0.5), "g": unset(9 * nx * ny), "nx": i32(nx), "ny": i32(ny),
                  "omega": f32(1.2)}, output="g")


def _systems(systems: int, n: int) -> Launch:
    return Launch(**flat(systems, 128), arguments={"a": floats(systems * n, 345), "b": floats(systems * n, 346) + f32(3), "c": floats(systems * n, 347),
                  "d": floats(systems * n, 348), "cp": unset(systems * n), "x": unset(systems * n), "systems": i32(systems), "n": i32(n)}, output="x")


def _reduced_systems(blocks: int) -> Launch:
    n = 256 * blocks
    return Launch((blocks, 1), (256, 1), {"lower": floats(n, 349), "main": floats(n, 350) + f32(3), "upper": floats(n, 351), "right": floats(n, 352),
                  "x": unset(n)}, "x")


def _conjugate(n: int, blocks: int) -> Launch:
    return Launch((blocks, 1), (256, 1), {"x": floats(n, 354), "r": floats(n, 355), "p": floats(n, 356), "q": floats(n, 357), "alpha": f32(0.3),
                  "norm": np.zeros(1, f64), "n": i32(n)}, "r")


def _depthwise(w: int, h: int, planes: int) -> Launch:
    return Launch((-(-w // 32), -(-h // 8), planes), (32, 8), {"in": floats(w * h * planes, 358) - f32(0.5), "weights": floats(9 * 16, 359), "bias": floats(
        16, 360), "out": unset(w * h * planes), "w": i32(w), "h": i32(h), "channels": i32(16)}, "out")


def _unrolled(size: int, channels: int, stride: int) -> Launch:
    wide = (size + 2 - 3) // stride + 1
    n = channels * wide * wide
    return Launch((min(528, -(-n // 256)), 1), (256, 1), {"image": floats(channels * size * size, 361), "columns": unset(9 * n), "height": i32(size),
                  "width": i32(size), "size": i32(3), "pad": i32(1), "stride": i32(stride), "high": i32(wide), "wide": i32(wide), "n": i32(n)}, "columns")


def _batchnorm(batch: int, channels: int, area: int) -> Launch:
    n = batch * channels * area
    return Launch((channels, 1), (256, 1), {"in": floats(n, 362), "gain": floats(channels, 363), "bias": floats(channels, 364), "out": unset(n), "batch": i32(
        batch), "channels": i32(channels), "area": i32(area)}, "out", near=True)


def _decoded(heads: int, n: int) -> Launch:
    return Launch((heads, 1), (128, 1), {"q": floats(64 * heads, 366), "k": floats(64 * heads * n, 367), "v": floats(64 * heads * n, 368), "out": unset(
        64 * heads), "n": i32(n), "scale": f32(0.125)}, "out", near=True, shared_bytes=4 * n)


def _paged(tokens: int, words: int) -> Launch:
    pages = tokens // 16
    n = tokens * words
    return Launch((min(528, -(-n // 256)), 1), (256, 1), {"cache": mixed(4 * 2 * n, 380), "pages": ints(pages, 381, 2 * pages), "out": unset(4 * n),
                  "per_page": i32(16), "words": i32(words), "n": i32(n)}, "out")


def _heads(batch: int, length: int, heads: int) -> Launch:
    n = batch * length * heads * 64
    return Launch(**flat(n), arguments={"in": _half(n, 382), "out": np.zeros(n, np.float16), "length": i32(length), "heads": i32(heads), "depth": i32(64),
                  "n": i32(n)}, output="out")


def _matched(queries: int, trains: int) -> Launch:
    return Launch(**flat(queries, 128), arguments={"query": mixed(8 * queries, 384), "train": mixed(8 * trains, 385), "best": unset(queries), "queries": i32(
        queries), "trains": i32(trains)}, output="best")


def _cells(n: int, side: int) -> Launch:
    position = np.stack([floats(n, seed) * f32(side) for seed in (395, 396, 397)] + [np.zeros(n, f32)], axis=1)
    cell = (position[:, 2].astype(i32) * side + position[:, 1].astype(i32)) * side + position[:, 0].astype(i32)
    order = np.argsort(cell, kind="stable")
    first = np.searchsorted(cell[order], np.arange(side**3 + 1)).astype(i32)
    return Launch(**flat(n, 128), arguments={"position": np.ascontiguousarray(position[order]).reshape(-1), "starts": first, "force": unset(4 * n),
                  "side": i32(side), "cut2": f32(1), "n": i32(n)}, output="force")


def _viterbi(blocks: int, states: int, steps: int) -> Launch:
    return Launch((blocks, 1), (states, 1), {"emission": floats(64 * states, 400), "transition": floats(states * states, 401), "seen": ints(
        blocks * steps, 402, 64), "last": unset(blocks * states), "states": i32(states), "steps": i32(steps)}, "last", shared_bytes=4 * states)


def _aligned(pairs: int, m: int, n: int) -> Launch:
    return Launch(**flat(pairs, 128), arguments={"a": octets(pairs * m, 403) & np.uint8(3), "b": octets(pairs * n, 404) & np.uint8(3), "scores": unset(pairs),
                  "m": i32(m), "n": i32(n), "pairs": i32(pairs)}, output="scores")


def _upward(n: int, most: int) -> Launch:
    first = starts(n, 405, most)
    depth = np.where(ints(n, 406, 10) < 3, ints(n, 407, 4), -1).astype(i32)
    return Launch(**flat(n), arguments={"starts": first, "sources": ints(int(first[-1]), 408, n), "depth": depth, "next": unset(n), "found": np.zeros(1, i32),
                  "level": i32(3), "n": i32(n)}, output="next")


def _triangles(n: int, most: int) -> Launch:
    first = starts(n, 409, most)
    count = int(first[-1])
    rows = np.repeat(np.arange(n, dtype=i32), np.diff(first))
    to = ((rows + 1 + ints(count, 410, 60)) % n).astype(i32)
    to = to[np.lexsort((to, rows))]
    return Launch(**flat(count), arguments={"from": rows, "to": to, "starts": first, "neighbours": to, "triangles": np.zeros(1, u32), "edges": i32(count)},
                  output="triangles")


def _labelled(n: int, edges: int) -> Launch:
    return Launch(**flat(edges), arguments={"from": ints(edges, 411, n), "to": ints(edges, 412, n), "label": np.arange(n, dtype=i32), "changed": np.zeros(
        1, i32), "edges": i32(edges)}, output="label")


def _joined(n: int, edges: int) -> Launch:
    return Launch(**flat(edges), arguments={"from": ints(edges, 413, n), "to": ints(edges, 414, n), "parent": np.arange(n, dtype=i32), "joined": np.zeros(
        1, i32), "edges": i32(edges)}, output="joined")


def _means(n: int, clusters: int, dims: int) -> Launch:
    return Launch((min(264, -(-n // 256)), 1), (256, 1), {"points": floats(n * dims, 415), "cluster": ints(n, 416, clusters), "sums": np.zeros(
        clusters * dims, f32), "counts": np.zeros(clusters, i32), "n": i32(n), "clusters": i32(clusters), "dims": i32(dims)}, "sums", near=True,
        shared_bytes=4 * clusters * (dims + 1))


def _moving(n: int) -> Launch:
    return Launch(**flat(n), arguments={"particles": floats(8 * n, 420) - f32(0.5), "n": i32(n), "dt": f32(0.01), "g": f32(9.81)}, output="particles")


def _stacked(leaves: int, n: int) -> Launch:
    low, high = np.zeros(2 * leaves, f32), np.zeros(2 * leaves, f32)
    low[leaves:], high[leaves:] = (centre := floats(leaves, 425)) - f32(0.004), centre + f32(0.004)
    order = np.argsort(centre, kind="stable")
    low[leaves:], high[leaves:] = low[leaves:][order], high[leaves:][order]
    for k in range(leaves - 1, 0, -1):
        low[k], high[k] = min(low[2 * k], low[2 * k + 1]), max(high[2 * k], high[2 * k + 1])
    return Launch(**flat(n, 128), arguments={"low": low, "high": high, "queries": floats(n, 426), "hits": unset(n), "leaves": i32(leaves), "n": i32(n)},
                  output="hits")


def _marched(w: int, h: int, count: int) -> Launch:
    spheres = np.stack([floats(count, 431) * f32(4) - f32(2), floats(count, 432) * f32(4) - f32(2), floats(count, 433) * f32(3), floats(
        count, 434) * f32(0.5) + f32(0.2)], axis=1)
    return Launch(**plane(w, h, 16, 8), arguments={"spheres": spheres.reshape(-1), "depth": unset(w * h), "count": i32(count), "w": i32(w), "h": i32(h)},
                  output="depth", near=True)


def _sieved(blocks: int) -> Launch:
    n = 8192 * blocks
    below = np.ones(int(n**0.5) + 2, bool)
    below[:2] = False
    for p in range(2, int(len(below) ** 0.5) + 1):
        below[p * p::p] = False
    primes = np.flatnonzero(below).astype(i32)
    return Launch((blocks, 1), (256, 1), {"primes": primes, "count": i32(len(primes)), "found": unset(blocks), "n": i32(n)}, "found")


KERNELS: dict[str, Callable[..., Launch]] = {
    "reduce_cooperative": lambda n, blocks: Launch((blocks, 1), (256, 1), {"in": ints(n, 300, 1000), "out": np.zeros(1, i32), "n": u32(n)}, "out"),
    "reduce_vector": lambda n, blocks, threads: Launch((blocks, 1), (threads, 1), {"in": floats(n, 301), "out": unset(blocks), "n4": i32(n // 4)}, "out"),
    "minmax_double": _minmax, "segment_warps": _segments,
    "column_sums": lambda rows, columns: Launch((-(-columns // 32), 1), (32, 8), {"in": floats(rows * columns, 305), "out": unset(columns), "rows": i32(rows),
                                                                                "columns": i32(columns)}, "out"),
    "scan_blocks4": lambda n: Launch((n // 1024, 1), (256, 1), {"in": mixed(n, 306) % u32(100), "out": unset(n), "totals": unset(n // 1024)}, "out"),
    "add_offsets": _raised,
    "radix_local": lambda n, shift: Launch(**flat(n), arguments={"keys": mixed(n, 309), "sorted": unset(n), "shift": u32(shift)}, output="sorted"),
    "compact_scan": _compacted, "queue_push": _pushed,
    "reverse_shared": lambda n, threads: Launch(**flat(n, threads), arguments={"in": ints(n, 312, 1 << 30), "out": unset(n)}, output="out",
                                                shared_bytes=4 * threads),
    "sum_matrix": _summed, "transpose_coarse": _turned,
    "transpose_half": lambda n: Launch((n // 32, n // 32), (32, 8), {"in": _half(n * n, 316), "out": np.zeros(n * n, np.float16), "n": i32(n)}, "out"),
    "transpose_double": lambda n: Launch((n // 16, n // 16), (16, 16), {"in": doubles(n * n, 317), "out": unset(2 * n * n), "n": i32(n)}, "out"),
    "sgemm_vector": lambda n: Launch((n // 64, n // 64), (256, 1), {"a": floats(n * n, 318), "b": floats(n * n, 319), "c": unset(n * n), "n": i32(n)}, "c"),
    "dgemm_tile": _dgemm,
    "hgemm_half2": lambda n: Launch((n // 32, n // 16), (16, 16), {"a": _half(n * n, 322), "b": _half(n * n, 323), "c": np.zeros(n * n, np.float16),
                                                                  "n": i32(n)}, "c"),
    "mma_ldmatrix": lambda n: Launch((n // 32, n // 32), (128, 1), {"a": _half(n * n, 324), "b": _half(n * n, 325), "c": unset(n * n), "n": i32(n)}, "c",
                                     near=True),
    "batched_gemm": _batched,
    "gemv_double": lambda m, n: Launch((m, 1), (128, 1), {"a": doubles(m * n, 329), "x": doubles(n, 330), "y": unset(2 * m), "n2": i32(n // 2)}, "y"),
    "spmv_blocks": _blocked, "spmv_diagonals": _diagonals,
    "stencil9": lambda w, h: Launch(**plane(w - 2, h - 2, 32, 8), arguments={"in": floats(w * h, 337), "out": np.zeros(w * h, f32), "w": i32(w), "h": i32(h),
                                    "c0": f32(0.5), "c1": f32(0.1), "c2": f32(0.025)}, output="out"),
    "stencil7_double": lambda n: Launch((-(-n // 32), -(-n // 4), -(-n // 2)), (32, 4, 2), {"in": doubles(n**3, 338), "out": np.zeros(n**3, f64), "nx": i32(n),
                                        "ny": i32(n), "nz": i32(n)}, "out"),
    "stencil_time": lambda n: Launch((-(-n // 240), 1), (256, 1), {"in": floats(n, 339), "out": unset(n), "n": i32(n), "k": f32(0.2)}, "out"),
    "fdtd3d_stream": _streamed, "lattice_d2q9": _lattice,
    "red_black": lambda n: Launch(**plane(n // 2, n, 32, 8), arguments={"u": floats(n * n, 343), "f": floats(n * n, 344), "n": i32(n), "parity": i32(1),
                                  "omega": f32(1.5)}, output="u"),
    "thomas_batch": _systems, "cyclic_reduction": _reduced_systems,
    "cholesky_block": lambda blocks: Launch((blocks, 1), (32, 32), {"matrices": floats(1024 * blocks, 353)}, "matrices"),
    "conjugate_step": _conjugate, "depthwise3x3": _depthwise, "im2col": _unrolled, "batchnorm_channels": _batchnorm,
    "softmax_warp": lambda rows: Launch((-(-rows // 4), 1), (32, 4), {"in": floats(256 * rows, 365) * f32(8), "out": unset(256 * rows), "rows": i32(rows)},
                                        "out", near=True),
    "attention_decode": _decoded,
    "dropout_philox": lambda n: Launch(**flat(n), arguments={"in": floats(4 * n, 369), "out": unset(4 * n), "mask": np.zeros(n, np.uint8), "seed": u32(1234),
                                       "keep": f32(0.9), "n4": i32(n)}, output="out"),
    "dequantize_int4": lambda n: Launch(**flat(n), arguments={"packed": mixed(n, 370), "scales": _half(n // 16 + 1, 371), "zeros": octets(n // 16 + 1, 372),
                                        "out": np.zeros(8 * n, np.float16), "n8": i32(n)}, output="out"),
    "quantize_blocks": lambda n: Launch(**flat(n), arguments={"in": floats(n, 373) - f32(0.5), "out": unset(n // 32 * 9), "n": i32(n)}, output="out"),
    "experts_gate": lambda tokens: Launch(**flat(32 * tokens), arguments={"logits": floats(64 * tokens, 374) * f32(6), "weights": unset(2 * tokens),
                                          "experts": unset(2 * tokens), "tokens": i32(tokens)}, output="experts"),
    "embedding_gradient": lambda tokens, width: Launch((tokens, 1), (128, 1), {"tokens": ints(tokens, 375, 500), "gradient": floats(tokens * width, 376),
                                                       "table": np.zeros(500 * width, f32), "width": i32(width)}, "table", near=True),
    "paged_copy": _paged, "split_heads": _heads,
    "histogram_rgb": lambda n: Launch((min(132, -(-n // 256)), 1), (256, 1), {"pixels": mixed(n, 383), "bins": np.zeros(768, u32), "n": i32(n)}, "bins"),
    "hamming_nearest": _matched,
    "morton_codes": lambda n: Launch(**flat(n), arguments={"x": floats(n, 386), "y": floats(n, 387), "z": floats(n, 388), "codes": unset(n), "n": i32(n)},
                                     output="codes"),
    "siphash": lambda n, length: Launch(**flat(n, 128), arguments={"words": _wide(n * length, 389), "out": unset(2 * n), "k0": u64(0x0706050403020100), "k1":
                                        u64(0x0F0E0D0C0B0A0908), "length": i32(length), "n": i32(n)}, output="out"),
    "base64_encode": lambda n: Launch(**flat(n), arguments={"in": octets(3 * n, 390), "out": unset(n), "n": i32(n)}, output="out"),
    "word_count": lambda n: Launch((min(264, -(-n // 256)), 1), (256, 1), {"text": _letters(n, 391), "words": np.zeros(1, i32), "n": i32(n)}, "words"),
    "rotate_image": lambda w, h: Launch(**plane(w, h, 16, 16), arguments={"in": floats(w * h, 392), "out": unset(w * h), "w": i32(w), "h": i32(h), "c": f32(
        0.8660254), "s": f32(0.5)}, output="out"),
    "integral_rows": lambda w, h: Launch((h, 1), (256, 1), {"in": octets(w * h, 393), "out": unset(w * h), "width": i32(w)}, "out"),
    "erode_tile": lambda w, h: Launch(**plane(w, h, 32, 16), arguments={"in": octets(w * h, 394), "out": np.zeros(w * h, np.uint8), "w": i32(w), "h": i32(h)},
                                      output="out"),
    "yuv_to_rgb": lambda w, h: Launch(**plane(w, h, 32, 8), arguments={"luma": octets(w * h, 435), "chroma": octets(w * h // 2, 436), "out": unset(w * h),
                                      "w": i32(w), "h": i32(h)}, output="out"),
    "thin_edges": lambda w, h: Launch(**plane(w, h, 32, 4), arguments={"gx": floats(w * h, 437) - f32(0.5), "gy": floats(w * h, 438) - f32(0.5),
                                     "out": np.zeros(w * h, np.uint8), "w": i32(w), "h": i32(h), "low": f32(0.3), "high": f32(0.7)}, output="out"),
    "nbody_shuffle": lambda n: Launch(**flat(n, 128), arguments={"position": floats(4 * n, 439), "force": unset(4 * n), "n": i32(n), "soft": f32(0.01)},
                                      output="force", near=True),
    "cell_forces": _cells,
    "fft_stockham": lambda n, span: Launch(**flat(n // 2), arguments={"in": floats(2 * n, 398), "out": unset(2 * n), "half": i32(n // 2), "span": i32(span)},
                                           output="out", near=True),
    "asian_paths": lambda n, steps: Launch(**flat(n, 128), arguments={"payoff": unset(n), "s0": f32(100), "strike": f32(80), "drift": f32(0.0005), "vol": f32(
        0.02), "steps": i32(steps), "n": i32(n)}, output="payoff", near=True),
    "viterbi": _viterbi, "smith_waterman": _aligned, "bfs_bottom_up": _upward, "triangle_count": _triangles, "label_edges": _labelled, "union_find": _joined,
    "kmeans_update": _means,
    "nearest_four": lambda queries, count: Launch((queries // 256, 1), (256, 1), {"query": floats(3 * queries, 417), "points": floats(3 * count, 418),
                                                  "nearest": unset(4 * queries), "queries": i32(queries), "count": i32(count)}, "nearest"),
    "particles_step": _moving,
    "copy_shifted": lambda n: Launch((min(528, -(-n // 256)), 1), (256, 1), {"in": mixed(n + 1, 421), "out": unset(n), "bytes": i32(3), "n": i32(n)}, "out"),
    "fill_pattern": lambda n: Launch((min(528, -(-n // 256)), 1), (256, 1), {"out": unset(4 * n), "value": u32(0x5A5A1234), "n": i32(n)}, "out"),
    "chase_shared": lambda blocks, trips: Launch((blocks, 1), (128, 1), {"links": np.argsort(mixed(2048, 422), kind="stable").astype(i32), "out": unset(
        128 * blocks), "trips": i32(trips)}, "out"),
    "float_max_cas": lambda n, bins: Launch(**flat(n), arguments={"values": floats(n, 423), "bins": ints(n, 424, bins), "most": np.zeros(bins, f32),
                                            "n": i32(n)}, output="most"),
    "gcd_pairs": lambda n: Launch(**flat(n, 128), arguments={"a": mixed(n, 427), "b": mixed(n, 428), "out": unset(n), "n": i32(n)}, output="out"),
    "mod_power": lambda n: Launch(**flat(n, 128), arguments={"bases": _wide(n, 429), "exponents": mixed(n, 430) >> u32(20), "out": unset(2 * n), "modulus": u64(
        4294967291), "n": i32(n)}, output="out"),
    "tree_stack": _stacked,
    "sort_each": lambda n: Launch(**flat(n, 128), arguments={"in": ints(16 * n, 440, 1000), "out": unset(16 * n), "n": i32(n)}, output="out"),
    "table_cipher": lambda n: Launch(**flat(n), arguments={"in": mixed(4 * n, 441), "table": mixed(256, 442), "keys": mixed(40, 443), "out": unset(4 * n),
                                     "n": i32(n)}, output="out"),
    "julia_double": lambda w, h, most: Launch(**plane(w, h, 16, 16), arguments={"out": unset(w * h), "w": i32(w), "h": i32(h), "cr": f64(-0.4), "ci": f64(0.6),
                                              "most": i32(most)}, output="out"),
    "perlin_noise": lambda w, h: Launch(**plane(w, h, 32, 4), arguments={"table": octets(256, 444), "out": unset(w * h), "w": i32(w), "h": i32(h), "frequency":
                                        f32(0.04)}, output="out"),
    "march_spheres": _marched,
    "error_function": lambda n: Launch(**flat(n), arguments={"in": doubles(n, 445) * 6 - 3, "out": np.zeros(n, f64), "n": i32(n)}, output="out", near=True),
    "matrix_powers": lambda n, power: Launch(**flat(n, 128), arguments={"in": floats(9 * n, 446) * f32(0.5), "out": unset(9 * n), "n": i32(n), "power": i32(
        power)}, output="out"),
    "interpolate_table": lambda n, size: Launch((min(264, -(-n // 256)), 1), (256, 1), {"x": floats(n, 447), "table": floats(2 * size, 448), "y": unset(n),
                                                "n": i32(n), "size": i32(size), "scale": f32(size - 1)}, "y"),
    "sieve_shared": _sieved,
}
"""Kernel → its launch at a size."""

SIZES = {
    "reduce_cooperative": ("n=100000 blocks=64", "n=4000000 blocks=264"), "reduce_vector": (
        "n=200000 blocks=66 threads=256", "n=8000000 blocks=528 threads=512"), "minmax_double": ("n=60000 threads=128", "n=2000000 threads=256"),
    "segment_warps": ("segments=1000 most=300", "segments=30000 most=300"), "column_sums": ("rows=200 columns=1000", "rows=1000 columns=5000"),
    "scan_blocks4": ("n=65536", "n=4194304"), "add_offsets": ("n=100000", "n=4000000"), "radix_local": ("n=32768 shift=4", "n=1048576 shift=12"),
    "compact_scan": ("n=60000 threads=512", "n=2000000 threads=256"), "queue_push": ("n=50000 modulus=5", "n=2000000 modulus=11"),
    "reverse_shared": ("n=65536 threads=256", "n=4194304 threads=1024"), "sum_matrix": ("nx=500 ny=300 x=16 y=16", "nx=2048 ny=2048 x=32 y=16"),
    "transpose_coarse": ("w=300 h=500", "w=2048 h=1536"), "transpose_half": ("n=512", "n=2048"), "transpose_double": ("n=256", "n=1536"),
    "sgemm_vector": ("n=128", "n=768"), "dgemm_tile": ("n=96", "n=384"), "hgemm_half2": ("n=128", "n=512"), "mma_ldmatrix": ("n=128", "n=1024"),
    "batched_gemm": ("batch=16 m=24 n=40 k=32", "batch=256 m=48 n=48 k=64"), "gemv_double": ("m=256 n=512", "m=2048 n=2048"),
    "spmv_blocks": ("n=8000 most=20", "n=200000 most=20"), "spmv_diagonals": ("n=20000 diagonals=9", "n=500000 diagonals=15"),
    "stencil9": ("w=400 h=300", "w=2048 h=1500"), "stencil7_double": ("n=48", "n=128"), "stencil_time": ("n=50000", "n=2000000"),
    "fdtd3d_stream": ("nx=64 ny=64 nz=32", "nx=320 ny=320 nz=48"), "lattice_d2q9": ("nx=192 ny=128", "nx=768 ny=768"),
    "red_black": ("n=300", "n=1800"), "thomas_batch": ("systems=4096 n=32", "systems=65536 n=64"), "cyclic_reduction": ("blocks=16", "blocks=1000"),
    "cholesky_block": ("blocks=8", "blocks=528"), "conjugate_step": ("n=60000 blocks=132", "n=1500000 blocks=264"),
    "depthwise3x3": ("w=56 h=56 planes=32", "w=112 h=112 planes=256"), "im2col": ("size=56 channels=16 stride=1", "size=112 channels=64 stride=2"),
    "batchnorm_channels": ("batch=4 channels=64 area=784", "batch=16 channels=256 area=784"), "softmax_warp": ("rows=500", "rows=20000"),
    "attention_decode": ("heads=32 n=200", "heads=256 n=1024"), "dropout_philox": ("n=16000", "n=1000000"), "dequantize_int4": ("n=20000", "n=1000000"),
    "quantize_blocks": ("n=65536", "n=2097152"), "experts_gate": ("tokens=500", "tokens=30000"),
    "embedding_gradient": ("tokens=256 width=256", "tokens=4096 width=768"), "paged_copy": ("tokens=512 words=64", "tokens=8192 words=128"),
    "split_heads": ("batch=1 length=128 heads=8", "batch=4 length=512 heads=16"), "histogram_rgb": ("n=40000", "n=1500000"),
    "hamming_nearest": ("queries=2048 trains=256", "queries=33792 trains=512"), "morton_codes": ("n=30000", "n=1500000"),
    "siphash": ("n=8000 length=4", "n=200000 length=8"), "base64_encode": ("n=20000", "n=1000000"), "word_count": ("n=100000", "n=4000000"),
    "rotate_image": ("w=300 h=200", "w=1600 h=1200"), "integral_rows": ("w=640 h=100", "w=1920 h=1080"), "erode_tile": ("w=320 h=200", "w=1600 h=1000"),
    "yuv_to_rgb": ("w=320 h=200", "w=1920 h=1080"), "thin_edges": ("w=320 h=200", "w=1600 h=1000"), "nbody_shuffle": ("n=512", "n=4096"),
    "cell_forces": ("n=4000 side=8", "n=40000 side=16"), "fft_stockham": ("n=65536 span=64", "n=2097152 span=1024"),
    "asian_paths": ("n=8000 steps=16", "n=200000 steps=32"), "viterbi": ("blocks=8 states=64 steps=20", "blocks=264 states=128 steps=24"),
    "smith_waterman": ("pairs=4000 m=16 n=20", "pairs=40000 m=32 n=32"), "bfs_bottom_up": ("n=20000 most=30", "n=300000 most=30"),
    "triangle_count": ("n=2000 most=40", "n=40000 most=40"), "label_edges": ("n=20000 edges=40000", "n=500000 edges=1000000"),
    "union_find": ("n=20000 edges=20000", "n=300000 edges=300000"), "kmeans_update": (
        "n=20000 clusters=16 dims=4", "n=400000 clusters=64 dims=8"), "nearest_four": ("queries=2048 count=512", "queries=33792 count=1024"),
    "particles_step": ("n=20000", "n=1000000"), "copy_shifted": ("n=100000", "n=4000000"), "fill_pattern": ("n=50000", "n=2000000"),
    "chase_shared": ("blocks=16 trips=200", "blocks=1056 trips=200"), "float_max_cas": ("n=20000 bins=1000", "n=500000 bins=1000"),
    "gcd_pairs": ("n=4000", "n=100000"), "mod_power": ("n=4000", "n=60000"), "tree_stack": ("leaves=1024 n=4000", "leaves=4096 n=100000"),
    "sort_each": ("n=4000", "n=100000"), "table_cipher": ("n=20000", "n=500000"), "julia_double": ("w=160 h=120 most=100", "w=640 h=400 most=200"),
    "perlin_noise": ("w=256 h=160", "w=1280 h=800"), "march_spheres": ("w=128 h=96 count=8", "w=512 h=384 count=12"),
    "error_function": ("n=10000", "n=400000"), "matrix_powers": ("n=8000 power=10", "n=200000 power=20"),
    "interpolate_table": ("n=40000 size=1000", "n=2000000 size=20000"), "sieve_shared": ("blocks=16", "blocks=528")}
"""Kernel → a small size and one of some 10^5 to 10^6 warp instructions."""

NVRTC_2026_11_22B = Kernels("nvrtc_2026_11_22b", KERNELS, SIZES)


def nvrtc_2026_11_22b(device, *, case: str, launch_cycles: int = 0) -> dict[str, float]:
    """Run a case of the set nvrtc-2026-11-22b; give its quantities by the names of ``nvrtc_2026_11_22b_kernels.csv``."""
    return NVRTC_2026_11_22B.measured(device, case, launch_cycles)
