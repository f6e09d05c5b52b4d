"""Launches of the set nvrtc-2026-11-21b: kernels written when the rules that nvrtc-2026-11-21a led to stood."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from archdef_hopper_evidence.calibration import floats, mixed, unset
from archdef_hopper_evidence.launches import Kernels, Launch, Value, doubles, flat, ints, octets, permutation, plane, starts

i32, f32, u32, u64 = np.int32, np.float32, np.uint32, np.uint64


def _hotspot(n: int) -> Launch:
    blocks = -(-n // 12)
    return Launch((blocks, blocks), (16, 16), {"power": floats(n * n, 61), "before": floats(n * n, 62) * f32(50) + f32(300), "after": unset(n * n),
                  "columns": i32(n), "rows": i32(n), "step": f32(0.01), "rx": f32(0.5), "ry": f32(0.25), "rz": f32(0.125)}, "after")


def _graph(n: int, most: int) -> dict[str, Value]:
    first = starts(n, 63, most)
    vertices = np.stack([first[:-1], np.diff(first)], 1).astype(np.int32).reshape(-1)
    return {"vertices": vertices, "edges": ints(int(first[-1]), 64, n), "frontier": (mixed(n, 65) % u32(3) == 0).astype(np.uint8),
            "updating": np.zeros(n, np.uint8), "visited": (mixed(n, 66) % u32(2)).astype(np.uint8), "cost": np.full(n, 3, np.int32), "n": i32(n)}


def _boxes(side: int) -> Launch:
    n = side**3
    lists = np.zeros((n, 28), np.int32)
    at = np.arange(n)
    x, y, z = at % side, at // side % side, at // side // side
    for dz in (-1, 0, 1):
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                u, v, w = x + dx, y + dy, z + dz
                there = (dx or dy or dz) * ((0 <= u) & (u < side) & (0 <= v) & (v < side) & (0 <= w) & (w < side)) != 0
                lists[at[there], lists[there, 0] + 1] = ((w * side + v) * side + u)[there]
                lists[there, 0] += 1
    return Launch((n, 1), (64, 1), {"boxes": lists.reshape(-1), "position": floats(n * 256, 67), "charge": floats(n * 64, 68),
                  "force": unset(n * 256), "a2": f32(0.5)}, "force", near=True)


def _tree(nodes: int) -> np.ndarray:
    """A search tree of sorted keys, balanced, each node of four words; its root comes first."""
    keys, table = np.unique(mixed(nodes, 69)), []

    def add(low: int, high: int) -> int:
        if low >= high:
            return -1
        here, middle = len(table), (low + high) // 2
        table.append([keys[middle], 0, 0, middle])
        table[here][1], table[here][2] = add(low, middle), add(middle + 1, high)
        return here

    add(0, keys.size)
    return np.array(table, np.int64).astype(np.uint32).reshape(-1)


def _volumes(levels: int) -> np.ndarray:
    """Boxes that hold each other, each half as long as its parent, along one axis after the other; eight words each."""
    table = np.zeros((2**levels - 1, 8), np.uint32)
    low, high = np.zeros((2**levels, 3), np.float32), np.ones((2**levels, 3), np.float32)
    for k in range(2**levels - 1):
        table[k, :3], table[k, 3:6] = low[k].view(np.uint32), (high[k] + f32(0.02)).view(np.uint32)
        leaf = 2 * k + 2 >= 2**levels - 1
        table[k, 6:] = (u32(0xFFFFFFFF), 0) if leaf else (2 * k + 1, 2 * k + 2)
        if not leaf:
            axis = int(np.log2(k + 1)) % 3
            middle = (low[k, axis] + high[k, axis]) / 2
            low[2 * k + 1:2 * k + 3], high[2 * k + 1:2 * k + 3] = low[k], high[k]
            high[2 * k + 1, axis] = low[2 * k + 2, axis] = middle
    return table.reshape(-1)


def _half(n: int, seed: int) -> np.ndarray:
    return floats(n, seed).astype(np.float16)


def _image(n: int) -> Launch:
    return Launch(**plane(n, n, 32, 8), arguments={"in": octets(n * n, 22), "out": unset(n * n // 4), "width": i32(n), "height": i32(n)}, output="out")


def _pool(channels: int, size: int, batch: int) -> Launch:
    out = (size + 2 - 3) // 2 + 1
    n = batch * channels * out * out
    return Launch((min(1024, -(-n // 256)), 1), (256, 1), {
        "in": floats(batch * channels * size * size, 70), "out": unset(n), "where": unset(n), "channels": i32(channels), "height": i32(size),
        "width": i32(size), "oh": i32(out), "ow": i32(out), "size": i32(3), "stride": i32(2), "pad": i32(1), "n": i32(n)}, "where")


def _bag(bags: int, width: int, most: int) -> Launch:
    first = starts(bags, 71, most)
    return Launch((bags, 1), (128, 1), {"table": floats(5000 * width, 72), "indices": ints(int(first[-1]), 73, 5000).astype(np.int64), "offsets": first,
                  "out": unset(bags * width), "width": i32(width), "bags": i32(bags)}, "out")


def _attention(rows: int, heads: int, keys: int) -> Launch:
    return Launch((rows, heads), (256, 1), {"q": floats(heads * rows * 64, 74), "k": floats(heads * keys * 64, 75), "v": floats(heads * keys * 64, 76),
                  "out": unset(heads * rows * 64), "keys": i32(keys), "scale": f32(0.125)}, "out", near=True)


def _product(n: int) -> Launch:
    return Launch((n // 64, n // 64), (64, 1), {"m": i32(n), "n": i32(n), "k": i32(n), "alpha": f32(1.5), "a": floats(n * n, 7), "b": floats(n * n, 8),
                  "beta": f32(0.5), "c": floats(n * n, 9)}, "c")


def _adam(n: int) -> Launch:
    return Launch(**flat(n), arguments={"p": floats(n, 77), "m": floats(n, 78), "v": floats(n, 79), "g": floats(n, 80), "rate": f32(0.001), "b1": f32(0.9),
                  "b2": f32(0.999), "eps": f32(1e-8), "c1": f32(0.1), "c2": f32(0.001), "n": np.int64(n)}, output="p")


def _statistics(n: int) -> Launch:
    return Launch((min(264, -(-n // 256)), 1), (256, 1), {"in": ints(n, 81, 1 << 20), "least": np.full(1, 1 << 30, i32), "most": np.zeros(1, i32),
                  "flags": np.zeros(1, u32), "sum": np.zeros(1, u64), "n": i32(n)}, "sum")


def _spins(n: int, seed: int) -> np.ndarray:
    return (2 * (mixed(n, seed) & u32(1)).astype(np.int32) - 1).astype(np.int8)


def _edges(n: int, m: int) -> Launch:
    return Launch(**flat(m), arguments={"edges": ints(2 * m, 83, n), "weight": ints(m, 84, 100), "distance": np.where(
        mixed(n, 85) % u32(4) == 0, ints(n, 86, 1000), i32(0x7FFFFFFF)).astype(np.int32), "changed": np.zeros(1, i32), "m": i32(m)}, output="changed")


def _ranks(n: int) -> Launch:
    order = permutation(n, 87).astype(np.int32)
    following = np.full(n, -1, np.int32)
    following[order[:-1]] = order[1:]
    return Launch(**flat(n), arguments={"next": following, "rank": np.ones(n, i32), "next_out": unset(n), "rank_out": unset(n), "n": i32(n)},
                  output="next_out")


def _particles(n: int) -> Launch:
    words = np.empty((n, 8), np.uint32)
    words[:, :6] = floats(6 * n, 88).reshape(n, 6).view(np.uint32)
    words[:, 6], words[:, 7] = mixed(n, 89) % u32(1000), mixed(n, 90) % u32(3)
    return Launch(**flat(n, 128), arguments={"particles": words.reshape(-1), "field": floats(3000, 91), "cells": i32(1000), "dt": f32(0.3), "n": i32(n)},
                  output="particles")


def _fdtd(n: int) -> Launch:
    return Launch(**plane(n, n, 32, 8), arguments={"nx": i32(n), "ny": i32(n), "ex": floats(n * (n + 1), 92), "ey": floats((n + 1) * n, 93),
                  "hz": np.zeros(n * n, f32)}, output="hz")


def _samples(n: int, count: int) -> Launch:
    return Launch(**flat(n), arguments={"samples": floats(4 * count, 94), "x": floats(n, 95), "y": floats(n, 96), "z": floats(n, 97), "qr": unset(n),
                  "qi": unset(n), "count": i32(count), "n": i32(n)}, output="qr", near=True)


def _rotary(tokens: int, heads: int) -> Launch:
    return Launch((tokens, 1), (256, 1), {"query": floats(tokens * heads * 64, 98), "table": floats(2048 * 64, 99), "positions": ints(tokens, 100, 2048),
                  "heads": i32(heads), "size": i32(64), "stride": i32(heads * 64)}, "query")


def _permuted(b: int, c: int, h: int, w: int) -> Launch:
    n = b * c * h * w
    return Launch((min(528, -(-n // 256)), 1), (256, 1), {"in": floats(n, 101), "out": unset(n), "d0": i32(b), "d1": i32(c), "d2": i32(h), "d3": i32(w),
                  "total": i32(n)}, "out")


def _text(n: int, seed: int) -> np.ndarray:
    return np.frombuffer(b"abca", np.uint8)[mixed(n, seed) & u32(3)]


KERNELS: dict[str, Callable[..., Launch]] = {
    "hotspot_tile": _hotspot,
    "pathfinder_rows": lambda columns, steps: Launch(
        (-(-columns // (256 - 2 * steps)), 1), (256, 1), {"steps": i32(steps), "wall": ints(columns * steps, 102, 10), "from": ints(columns, 103, 10),
                                                          "to": unset(columns), "columns": i32(columns), "border": i32(steps)}, "to"),
    "needleman_block": lambda blocks, n: Launch((blocks, 1), (16, 1), {
        "reference": ints((n + 1) ** 2, 104, 21) - i32(10), "score": ints((n + 1) ** 2, 105, 100) - i32(50), "columns": i32(n + 1), "penalty": i32(10),
        "diagonal": i32(blocks)}, "score"),
    "backprop_forward": lambda n: Launch((1, n // 16), (16, 16), {"input": floats(n + 1, 106), "weights": floats((n + 1) * 17 + 64, 107),
                                                                  "sums": unset(n), "hidden": i32(16)}, "weights"),
    "bfs_level": lambda n, most: Launch((-(-n // 512), 1), (512, 1), _graph(n, most), "updating"),
    "srad_coefficient": lambda n: Launch(**flat(n * n), arguments={"image": floats(n * n, 108) + f32(0.5), "c": unset(n * n), "north": unset(n * n),
                                                                  "east": unset(n * n), "rows": i32(n), "columns": i32(n), "q0": f32(0.05)}, output="c"),
    "lavamd_boxes": _boxes,
    "cutoff_potential": lambda n: Launch((n // 16, n // 8, n), (16, 8), {"lattice": np.zeros(n**3, f32), "n": i32(n), "count": i32(40),
                                         "spacing": f32(1 / n), "cutoff2": f32(0.16)}, "lattice", near=True),
    "mri_q": _samples,
    "bicg_both": lambda n: Launch(**flat(n), arguments={"nx": i32(n), "ny": i32(n), "a": floats(n * n, 109), "r": floats(n, 110), "s": unset(n),
                                                        "p": floats(n, 111), "q": unset(n)}, output="s"),
    "gemver_update": lambda n: Launch(**plane(n, n, 32, 8), arguments={"n": u64(n), "a": floats(n * n, 112), "u1": floats(n, 113), "v1": floats(n, 114),
                                                                      "u2": floats(n, 115), "v2": floats(n, 116)}, output="a"),
    "syrk": lambda n, k: Launch(**plane(n, n, 32, 8), arguments={"ni": i32(n), "nj": i32(k), "alpha": f32(1.5), "beta": f32(0.5), "a": floats(n * k, 117),
                                                                 "c": floats(n * n, 118)}, output="c"),
    "covariance_triangle": lambda m, n: Launch(**flat(m, 64), arguments={"symmetric": np.zeros(m * m, f32), "data": floats(m * n, 119), "m": i32(m),
                                                                         "n": i32(n)}, output="symmetric"),
    "fdtd_fields": _fdtd,
    "jacobi_double": lambda n: Launch((min(8, -(-n // 32)), min(33, -(-n // 8))), (32, 8), {
        "u": doubles(n * n, 120), "f": doubles(n * n, 121), "v": unset(2 * n * n), "nx": u64(n), "ny": u64(n), "h2": np.float64(0.01)}, "v"),
    "bitonic_step": lambda n, j: Launch(**flat(n), arguments={"values": floats(n, 122), "j": i32(j), "k": i32(2 * j)}, output="values"),
    "random_paths": lambda blocks, steps: Launch((blocks, 1), (128, 1), {"out": unset(256 * blocks), "seed": u64(12345), "steps": i32(steps)}, "out"),
    "binomial_tree": lambda options, levels: Launch((options, 1), (256, 1), {
        "spot": floats(options, 123), "strike": floats(options, 124), "price": unset(options), "up": f32(1.01), "down": f32(0.99), "p": f32(0.52),
        "q": f32(0.47), "levels": i32(levels)}, "price"),
    "sobel_bytes": _image,
    "dct8x8": lambda n: Launch((n // 8, n // 8), (8, 8), {"in": floats(n * n, 125), "out": unset(n * n), "width": i32(n)}, "out"),
    "walsh_shared": lambda blocks, log2n: Launch((blocks, 1), (2**log2n // 4, 1), {"data": floats(blocks << log2n, 126), "log2n": i32(log2n)}, "data",
                                                 shared_bytes=4 << log2n),
    "convolve_rows": lambda n: Launch((n // 64, n // 4), (16, 4), {"dst": unset(n * n), "src": floats(n * n, 127), "width": i32(n), "pitch": i32(n)}, "dst"),
    "histogram_short": lambda n: Launch((min(264, -(-n // 256)), 1), (256, 1), {
        "data": mixed(n // 2, 128), "bins": np.zeros(256, u32), "n": u64(n), "shift": i32(8)}, "bins"),
    "attention_row": _attention,
    "rms_norm_half": lambda rows, hidden: Launch((rows, 1), (256, 1), {"x": _half(rows * hidden, 129), "weight": _half(hidden, 130), "out": unset(
        rows * hidden // 2), "hidden": i32(hidden), "epsilon": f32(1e-6)}, "out", near=True),
    "rotary_embedding": _rotary,
    "sha256_blocks": lambda n: Launch(**flat(n, 128), arguments={"in": mixed(16 * n, 131), "out": unset(n), "n": i32(n)}, output="out"),
    "murmur64": lambda n, words: Launch((min(264, -(-n // 256)), 1), (256, 1), {"keys": mixed(2 * n * words, 132), "hashes": unset(2 * n),
                                        "words": i32(words), "n": i32(n)}, "hashes"),
    "radix_digits": lambda n: Launch((-(-n // 1024), 1), (256, 1), {"keys": mixed(n, 133), "counts": unset(16 * -(-n // 1024)), "n": u32(n),
                                                                   "shift": u32(8)}, "counts"),
    "scan_long": lambda n: Launch(**flat(n), arguments={"in": ints(n, 134, 1000), "out": unset(2 * n), "n": i32(n)}, output="out"),
    "split_even_odd": lambda n: Launch(**flat(n), arguments={"in": mixed(n, 135), "out": unset(n), "counters": np.zeros(2, u32), "n": i32(n)},
                                       output="out", ordered=False),
    "nbody_double": lambda n: Launch(**flat(n, 128), arguments={k: doubles(n, seed) for seed, k in enumerate("xyzm", 136)} | {
        "ax": unset(2 * n), "n": i32(n)}, output="ax"),
    "gemv_half": lambda rows, columns: Launch((rows // 4, 1), (32, 4), {"a": _half(rows * columns, 140), "x": _half(columns, 141), "y": unset(rows),
                                                                       "columns": i32(columns)}, "y"),
    "gemm_dp4a": lambda n, k: Launch((-(-n // 16), -(-n // 16)), (16, 16), {"a": mixed(n * k, 142), "b": mixed(n * k, 143), "c": unset(n * n), "m": i32(n),
                                                                          "n": i32(n), "k4": i32(k)}, "c"),
    "sgemm_8x8": _product,
    "resize_bilinear": lambda n, to: Launch(**plane(to, to, 32, 8), arguments={"in": mixed(n * n, 144), "out": unset(to * to), "iw": i32(n), "ih": i32(n),
                                                                              "ow": i32(to), "oh": i32(to)}, output="out"),
    "gemv_float4": lambda m, n: Launch((min(132, -(-m // 8)), 1), (256, 1), {"a": floats(m * n, 145), "x": floats(n, 146), "y": unset(m), "m": i32(m),
                                                                            "n": i32(n)}, "y"),
    "tree_search": lambda nodes, n: Launch(**flat(n), arguments={"nodes": _tree(nodes), "keys": mixed(n, 69), "found": unset(n), "n": i32(n)},
                                           output="found"),
    "ray_boxes": lambda levels, n: Launch(**flat(n, 128), arguments={"boxes": _volumes(levels), "origin": floats(3 * n, 147), "hits": unset(n), "n": i32(n)},
                                          output="hits"),
    "small_machine": lambda length, n: Launch(**flat(n), arguments={"program": octets(length, 148) % np.uint8(10), "in": ints(n, 149, 1000),
                                                                    "out": unset(n), "length": i32(length), "n": i32(n)}, output="out"),
    "permute_tensor": _permuted,
    "collatz": lambda n: Launch(**flat(n), arguments={"steps": unset(n // 2), "start": u32(1000001), "n": u32(n)}, output="steps"),
    "find_pattern": lambda n: Launch(**flat(n), arguments={"text": _text(n, 150), "pattern": np.frombuffer(b"aabacaba", np.uint8), "matches": np.zeros(2, i32),
                                                           "n": i32(n), "m": i32(8)}, output="matches"),
    "edit_distance": lambda n: Launch(**flat(n, 128), arguments={"words": _text(16 * n, 151), "query": _text(16, 152), "distance": unset(n), "n": i32(n)},
                                      output="distance"),
    "heat_columns": lambda n, deep: Launch(**plane(n, n, 32, 8), arguments={"in": floats(n * n * deep, 153), "out": unset(n * n * deep), "nx": i32(n),
                                                                           "ny": i32(n), "nz": i32(deep)}, output="out"),
    "max_pool": _pool,
    "conv2d_direct": lambda channels, size, filters: Launch((-(-(size - 2) // 16), -(-(size - 2) // 16), filters), (16, 16), {
        "in": floats(channels * size * size, 154), "weights": floats(filters * channels * 9, 155), "out": unset(filters * (size - 2) ** 2),
        "channels": i32(channels), "size": i32(size)}, "out"),
    "embedding_bag": _bag,
    "adam_step": _adam,
    "gelu_bias": lambda n, columns: Launch(**flat(n // 4), arguments={"in": floats(n, 156), "bias": floats(columns, 157), "out": unset(n),
                                                                     "columns4": i32(columns // 4), "n4": i32(n // 4)}, output="out", near=True),
    "argmax_rows": lambda rows, columns: Launch((rows, 1), (256, 1), {"in": floats(rows * columns, 158), "out": unset(rows), "columns": i32(columns)}, "out"),
    "count_primes": lambda n: Launch(**flat(n), arguments={"count": np.zeros(1, i32), "first": i32(100001), "n": i32(n)}, output="count"),
    "invert_4x4": lambda n: Launch(**flat(n, 128), arguments={"in": floats(16 * n, 159), "out": unset(16 * n), "n": i32(n)}, output="out"),
    "rgb_to_hsv": lambda n: Launch(**flat(n), arguments={"in": octets(3 * n, 160), "hue": unset(n), "value": unset(n // 4), "n": i32(n)}, output="hue"),
    "statistics_atomics": _statistics,
    "ising_colour": lambda nx, ny: Launch(**flat(nx * ny, 128), arguments={
        "lattice": _spins(nx * ny, 161), "other": _spins(nx * ny, 162), "random": floats(nx * ny, 163), "beta": f32(0.4), "nx": i32(nx), "ny": i32(ny),
        "black": i32(1)}, output="lattice"),
    "relax_edges": _edges,
    "list_ranks": _ranks,
    "particles_push": _particles,
    "transpose_words": lambda n: Launch((-(-n // 32), -(-n // 32)), (32, 8), {"in": mixed(n * n, 164), "out": unset(n * n), "width": u32(n),
                                                                            "height": u32(n)}, "out"),
}
"""Kernel → its launch at a size."""

SIZES = {
    "hotspot_tile": ("n=120", "n=1020"), "pathfinder_rows": ("columns=4000 steps=10", "columns=100000 steps=20"),
    "needleman_block": ("blocks=32 n=512", "blocks=128 n=2048"), "backprop_forward": ("n=1024", "n=65536"),
    "bfs_level": ("n=20000 most=16", "n=400000 most=24"), "srad_coefficient": ("n=128", "n=1000"), "lavamd_boxes": ("side=2", "side=6"),
    "cutoff_potential": ("n=16", "n=64"), "mri_q": ("n=2048 count=32", "n=32768 count=128"), "bicg_both": ("n=256", "n=2048"),
    "gemver_update": ("n=200", "n=2000"), "syrk": ("n=64 k=64", "n=256 k=256"), "covariance_triangle": ("m=64 n=64", "m=256 n=128"),
    "fdtd_fields": ("n=250", "n=2000"), "jacobi_double": ("n=200", "n=1500"), "bitonic_step": ("n=65536 j=64", "n=2097152 j=4096"),
    "random_paths": ("blocks=16 steps=32", "blocks=264 steps=64"), "binomial_tree": ("options=8 levels=60", "options=256 levels=200"),
    "sobel_bytes": ("n=128", "n=1000"), "dct8x8": ("n=128", "n=1024"), "walsh_shared": ("blocks=16 log2n=10", "blocks=512 log2n=12"),
    "convolve_rows": ("n=256", "n=2048"), "histogram_short": ("n=100000", "n=2000000"),
    "attention_row": ("rows=4 heads=4 keys=128", "rows=64 heads=8 keys=256"), "rms_norm_half": ("rows=32 hidden=2048", "rows=2048 hidden=2048"),
    "rotary_embedding": ("tokens=32 heads=8", "tokens=2048 heads=32"), "sha256_blocks": ("n=2048", "n=100000"),
    "murmur64": ("n=20000 words=4", "n=500000 words=8"), "radix_digits": ("n=50000", "n=2000000"), "scan_long": ("n=30000", "n=1000000"),
    "split_even_odd": ("n=30000", "n=1000000"), "nbody_double": ("n=256", "n=2048"), "gemv_half": ("rows=256 columns=1024", "rows=4096 columns=4096"),
    "gemm_dp4a": ("n=120 k=60", "n=500 k=250"), "sgemm_8x8": ("n=128", "n=512"), "resize_bilinear": ("n=100 to=150", "n=1200 to=1000"),
    "gemv_float4": ("m=300 n=1024", "m=5000 n=2000"), "tree_search": ("nodes=1000 n=8192", "nodes=100000 n=200000"),
    "ray_boxes": ("levels=8 n=4096", "levels=14 n=100000"), "small_machine": ("length=24 n=8192", "length=64 n=200000"),
    "permute_tensor": ("b=2 c=30 h=20 w=25", "b=8 c=48 h=56 w=56"), "collatz": ("n=4096", "n=50000"), "find_pattern": ("n=50000", "n=2000000"),
    "edit_distance": ("n=2048", "n=50000"), "heat_columns": ("n=64 deep=16", "n=256 deep=64"),
    "max_pool": ("channels=8 size=32 batch=2", "channels=64 size=56 batch=8"),
    "conv2d_direct": ("channels=4 size=34 filters=8", "channels=16 size=66 filters=32"),
    "embedding_bag": ("bags=64 width=100 most=40", "bags=2000 width=256 most=60"), "adam_step": ("n=50000", "n=2000000"),
    "gelu_bias": ("n=65536 columns=512", "n=4000000 columns=1000"), "argmax_rows": ("rows=64 columns=1000", "rows=2000 columns=1000"),
    "count_primes": ("n=5000", "n=100000"), "invert_4x4": ("n=4096", "n=200000"), "rgb_to_hsv": ("n=30000", "n=1000000"),
    "statistics_atomics": ("n=50000", "n=2000000"),
    "ising_colour": ("nx=128 ny=200", "nx=1000 ny=1000"), "relax_edges": ("n=10000 m=40000", "n=200000 m=1000000"),
    "list_ranks": ("n=50000", "n=1000000"), "particles_push": ("n=20000", "n=500000"), "transpose_words": ("n=200", "n=2000")}
"""Kernel → a small size and one of some 10^5 to 10^6 warp instructions."""

NVRTC_2026_11_21B = Kernels("nvrtc_2026_11_21b", KERNELS, SIZES)


def nvrtc_2026_11_21b(device, *, case: str, launch_cycles: int = 0) -> dict[str, float]:
    """Run a case of the set nvrtc-2026-11-21b; give its quantities by the names of ``nvrtc_2026_11_21b_kernels.csv``."""
    return NVRTC_2026_11_21B.measured(device, case, launch_cycles)
