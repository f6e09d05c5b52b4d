"""Run the cases of `textures` on a GPU and keep what it gives: ``python tests/hardware/measure_textures.py FILE [part of a name …]``."""
from __future__ import annotations

import subprocess
import sys
import tempfile
from ctypes import c_uint64
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402
from assemble import ptxas  # noqa: E402
from outputs import pack  # noqa: E402
from textures import AXES, HEAD, THREADS, Case, cases, coordinates, texels  # noqa: E402

from archdef.microbench.driver import CUBE, GATHER, LAYERED, SURFACE, Gpu  # noqa: E402


def run(gpu: Gpu, module, entry: str, case: Case) -> bytes:
    """Run one case."""
    data = np.ascontiguousarray(texels(case))
    array = memory = None
    if case.layout == "array":
        flags = LAYERED * case.layered | CUBE * case.cube | SURFACE * case.surface | GATHER * ("tld4" in case.form)
        array = gpu.array(data, axes=AXES[case.geometry], flags=flags)
        resource = gpu.of_array(array)
    else:
        memory = gpu.send(data)
        resource = gpu.of_bytes(memory, data) if case.layout == "linear" else gpu.of_rows(memory, data, data[0, 0].nbytes)
    handle = gpu.surface(resource) if case.surface else gpu.texture(resource, filter=case.filter, address=case.address,
                                                                     normalized=case.normalized, read=case.read)
    into, out = gpu.send(coordinates(case)), gpu.send(np.zeros(4 * THREADS, np.uint32))
    gpu.launch(module, entry, 1, THREADS, handle, into, out)
    found = gpu.read_array(array, np.empty_like(data)) if case.stores else gpu.fetch(out, np.zeros(4 * THREADS, np.uint32))
    gpu("cuSurfObjectDestroy" if case.surface else "cuTexObjectDestroy", handle)
    for pointer in (into, out, *([] if memory is None else [memory])):
        gpu("cuMemFree_v2", c_uint64(pointer.value))
    if array is not None:
        gpu("cuArrayDestroy", array)
    return found.tobytes()


def main(file: str, *parts: str) -> None:
    """Measure and write."""
    wanted = [c for c in cases().values() if not parts or any(p in c.name for p in parts)]
    kernels = {text: f"k{k}" for k, text in enumerate(sorted({c.kernel("ENTRY") for c in wanted}))}
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "m.ptx"), Path(folder, "m.cubin")
        source.write_text(HEAD + "".join(text.replace("ENTRY", entry) for text, entry in kernels.items()))
        subprocess.run([ptxas(), "-arch=sm_90", "-o", cubin, source], check=True)
        image = cubin.read_bytes()
    gpu = Gpu()
    module, got, faults = gpu.load(image), {}, []
    for case in wanted:
        try:
            got[case.name] = case.fingerprint(), run(gpu, module, kernels[case.kernel("ENTRY")], case)
        except RuntimeError as error:
            faults.append(f"{case.name}: {error}")
    Path(file).write_bytes(pack(got, gpu.describe()))
    print(f"{len(got)} cases measured on {gpu.describe()}; {Path(file).stat().st_size} bytes; {len(faults)} faults", *faults[:40], sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
