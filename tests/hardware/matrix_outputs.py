"""What hardware gave for matrix instructions: one file, a line of JSON and then all outputs one after the other."""
from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from matrix_forms import LOADS, PRODUCTS, TILES, chain_kernel, kernel, load_kernel, memory, numbered, tile_kernel
from matrix_operands import inputs, tile_input

FILE = Path(__file__).resolve().parent / "data" / "matrix" / "h100-2026-11-21.xz"


def kernels() -> dict[str, str]:
    """Every form's kernel, by the form's text."""
    return ({name: kernel(p, "k") for name, p in PRODUCTS.items()} | {name: load_kernel(name, "k") for name in LOADS}
            | {name: tile_kernel(name, "k") for name in TILES})


def fingerprint(name: str) -> int:
    """What an output depends on: kernel and operands."""
    if name in PRODUCTS:
        data = b"".join(part.tobytes() for part in memory(PRODUCTS[name], inputs(PRODUCTS[name])))
    elif name in LOADS:
        data = b"".join(numbered(LOADS[name], plane).tobytes() for plane in range(LOADS[name].planes))
    else:
        data = tile_input().tobytes()
    return crc32(data, crc32(kernels_once()[name].encode()))


kernels_once = cache(kernels)


def pack(got: dict[str, np.ndarray], cycles: dict[str, float], where: str) -> bytes:
    """Make the file: outputs by form, and cycles of a product by ``form|chains|warps``."""
    forms = [[name, fingerprint(name), got[name].nbytes] for name in sorted(got)]
    head = json.dumps({"where": where, "forms": forms, "cycles": cycles}, separators=(",", ":")).encode()
    return lzma.compress(head + b"\n" + b"".join(got[name].tobytes() for name in sorted(got)), preset=9)


@cache
def known() -> tuple[dict[str, tuple[int, np.ndarray]], dict[str, float]]:
    """Read the file: form → (fingerprint, output bytes); cycles."""
    head, _, body = lzma.decompress(FILE.read_bytes()).partition(b"\n")
    about, found, place = json.loads(head), {}, 0
    for name, mark, size in about["forms"]:
        found[name] = mark, np.frombuffer(body, np.uint8, size, place)
        place += size
    return found, about["cycles"]


__all__ = ["FILE", "chain_kernel", "fingerprint", "kernels", "known", "pack"]
