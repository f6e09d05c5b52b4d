"""What hardware gave: files of ``data/``, each one measurement, keyed by the form's or case's name.

A file is xz of: a line of JSON (``where``, and ``forms`` = [name, crc of kernel body and operands, bytes]), then all outputs one after the other.
Where two files hold a form, the later file name wins. Of each result column only the result's own bytes are kept.
"""
from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from kernel import Form
from operands import TUPLES, values

DATA = Path(__file__).resolve().parent / "data"
TEXTURES = DATA / "textures"
"""Outputs of the cases of `textures`, in the same format."""
BYTES = 8 * TUPLES * 8
"""Bytes of the buffers of inputs and of outputs: eight columns."""


def trim(form: Form, raw: np.ndarray) -> bytes:
    """Keep what the form writes of its output buffer."""
    if not form.results:  # stores: 16 bytes per thread
        return raw[:16 * TUPLES].tobytes()
    slots = raw.view(np.uint64).reshape(8, TUPLES)
    return b"".join(slots[j].astype(f"<u{n}").tobytes() for j, n in enumerate(form.results))


def fingerprint(form: Form) -> int:
    """What an output depends on: instructions and operands."""
    return crc32(b"".join(values(c).tobytes() for c in form.columns), crc32(form.body.encode()))


def filled(form: Form) -> np.ndarray:
    """The buffer of inputs, bytes."""
    data = np.zeros((8, TUPLES), np.uint64)
    for k, column in enumerate(form.columns):
        data[k] = values(column)
    return data.reshape(-1).view(np.uint8)


def pack(got: dict[str, tuple[int, bytes]], where: str) -> bytes:
    """Make a file of fingerprints and outputs."""
    rows = [[name, got[name][0], len(got[name][1])] for name in sorted(got)]
    head = json.dumps({"where": where, "forms": rows}, separators=(",", ":")).encode()
    return lzma.compress(head + b"\n" + b"".join(got[name][1] for name in sorted(got)), preset=9)


@cache
def known(folder: Path = DATA) -> dict[str, tuple[int, bytes, str]]:
    """Read all files: name → (fingerprint, outputs, where)."""
    found = {}
    for file in sorted(folder.glob("*.xz")):
        head, _, body = lzma.decompress(file.read_bytes()).partition(b"\n")
        about = json.loads(head)
        place = 0
        for name, mark, size in about["forms"]:
            found[name] = mark, body[place:place + size], about["where"]
            place += size
    return found
