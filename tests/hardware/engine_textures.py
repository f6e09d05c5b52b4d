"""Run the cases of `textures` on the engine."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from textures import AXES, HEAD, THREADS, Case, coordinates, texels

import archdef


def run(cases: Iterable[Case], architecture) -> dict[str, bytes | str]:
    """Outputs by name; for a case that the engine does not run, the error's text."""
    device, modules, got = archdef.Device(architecture), {}, {}
    for case in cases:
        text = case.kernel("k")
        try:
            if text not in modules:
                modules[text] = device.compile(HEAD + text)
            got[case.name] = _launch(device, modules[text], case)
        except archdef.ArchdefError as error:
            got[case.name] = f"{type(error).__name__}: {error}"
    return got


def _launch(device, module, case: Case) -> bytes:
    slices, rows, columns, channels = case.shape
    axes = AXES[case.geometry]
    shape = [slices] * (axes > 2 or case.layered or case.cube) + [rows] * (axes > 1) + [columns] + [channels] * (channels > 1)
    array = device.to_device(texels(case).reshape(shape))
    common = dict(channels=channels, layered=case.layered, layout=case.layout)
    handle = device.surface(array, **common) if case.surface else device.texture(
        array, filter=case.filter, address=case.address, normalized=case.normalized, read=case.read, cube=case.cube, **common)
    into, out = device.to_device(coordinates(case)), device.zeros(4 * THREADS, "u4")
    module.k[1, THREADS](handle, into, out)
    return (array if case.stores else out).to_host().tobytes()


def differ(case: Case, got: bytes, want: bytes) -> str:
    """Say what differs; empty if nothing does."""
    if got == want:
        return ""
    a, b = (np.frombuffer(d, np.uint8 if case.stores else np.uint32) for d in (got, want))
    places = np.flatnonzero(a != b)
    t = places[0] if case.stores else places[0] // 4
    where = f"byte {t}" if case.stores else ", ".join(f"{w:#x}" for w in coordinates(case)[:, t])
    return f"{len(places)} differ, first {int(a[places[0]]):#x} for {int(b[places[0]]):#x} at ({where})"
