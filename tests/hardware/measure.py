"""Run every form on a GPU and keep what it gives: ``python tests/hardware/measure.py FILE [--missing] [part of a name …]``.

Needs Linux, a driver of CUDA 13 or newer, a GPU of compute capability 9.0, ptxas, numpy and attrs. With --missing, only forms that
`data/` has no outputs of. Each module runs in a process of its own: a fault costs its form only. `measure_textures` does textures.
"""
from __future__ import annotations

import ctypes
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402
from assemble import assemble_all  # noqa: E402
from forms import every_form  # noqa: E402
from kernel import THREADS  # noqa: E402
from operands import TUPLES  # noqa: E402
from outputs import BYTES, filled, fingerprint, known, pack, trim  # noqa: E402

from archdef.microbench.driver import Gpu  # noqa: E402


def run_module(forms, cubin):
    """Run the kernels of one module; give outputs by name, and the error that ended it early, if one did."""
    got, failed = {}, None
    try:
        gpu = Gpu()
        module = gpu.load(cubin)
        into, out = gpu.allocate(BYTES), gpu.allocate(BYTES)
        value = np.arange(16, dtype=np.uint8) * 17
        for k, form in enumerate(forms):
            data = filled(form)
            gpu("cuMemcpyHtoD_v2", into, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(BYTES))
            gpu("cuMemsetD8_v2", out, ctypes.c_ubyte(0), ctypes.c_size_t(BYTES))
            failed = form.name
            gpu.launch(module, f"k{k}", TUPLES // THREADS, THREADS, into, out, (ctypes.c_ubyte * 16).from_buffer(value))
            gpu("cuMemcpyDtoH_v2", data.ctypes.data_as(ctypes.c_void_p), out, ctypes.c_size_t(BYTES))
            got[form.name], failed = data, None
    except Exception as error:  # noqa: BLE001  whatever it is, it is told
        return got, f"{failed}: {error}"
    return got, None


def main(file, *parts):
    """Measure and write."""
    forms = every_form()
    there = known() if "--missing" in parts else {}
    wanted = [p for p in parts if not p.startswith("--")]
    forms = {n: f for n, f in forms.items() if n not in there and (not wanted or any(p in n for p in wanted))}
    modules = assemble_all(list(forms.values()))
    print(len(forms), "forms,", sum(len(m[0]) for m in modules), "accepted by ptxas", flush=True)
    got, faults, where = {}, [], ""
    while modules:
        with ProcessPoolExecutor(min(8, os.cpu_count()), max_tasks_per_child=1) as pool:
            results = list(pool.map(run_module, *zip(*modules)))
            where = where or pool.submit(describe_gpu).result()
        left = []
        for (batch, _), (found, fault) in zip(modules, results):
            got |= found
            if fault:
                faults.append(fault)
                left += [f for f in batch if f.name not in found and f.name != fault.split(":")[0]]
            if fault and not found and fault.startswith("None"):
                print("cannot run:", fault, flush=True)
                left = [f for f in left if f not in batch]
        modules = assemble_all(left)
    Path(file).write_bytes(pack({n: (fingerprint(forms[n]), trim(forms[n], d)) for n, d in got.items()}, where))
    print(f"{len(got)} measured on {where}; {Path(file).stat().st_size} bytes; {len(faults)} faults", *faults[:40], sep="\n")


def describe_gpu():
    """Describe the machine from a child, so that the parent holds no context."""
    return Gpu().describe()


if __name__ == "__main__":
    main(*sys.argv[1:])
