"""Run products of warpgroups on a GPU and keep what they give: ``python tests/hardware/measure_warpgroup.py FILE``.

Needs what `measure.py` needs. The kernels are assembled by the driver. Prints the cycles of groups of products, too.
"""
from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from zlib import crc32

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402
from warpgroup_forms import HEAD, ROUNDS, THREADS, Form, cases, chain_kernel, descriptor, forms, image, kernel  # noqa: E402

from archdef.microbench.driver import Gpu  # noqa: E402

BUFFER = 4 << 20


class Runner:
    """Launches of one block on two buffers that stay."""

    def __init__(self, gpu: Gpu):
        self.gpu, self.source, self.target = gpu, gpu.allocate(BUFFER), gpu.allocate(BUFFER)

    def run(self, module, entry: str, threads: int, a: int, b: int, scale: int, nbytes: int, data: np.ndarray) -> np.ndarray:
        """Give the bytes that a kernel leaves."""
        data = np.ascontiguousarray(data)
        self.gpu("cuMemcpyHtoD_v2", self.source, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(data.nbytes))
        self.gpu("cuMemsetD8_v2", self.target, ctypes.c_ubyte(0), ctypes.c_size_t(nbytes))
        self.gpu.launch(module, entry, 1, threads, self.source, self.target, ctypes.c_uint64(a), ctypes.c_uint64(b), ctypes.c_uint32(scale))
        return self.gpu.fetch(self.target, np.zeros(nbytes, np.uint8))


def cycles(runner: Runner, form: Form, products: int, groups: int) -> float:
    """Cycles of a group of products, by `groups` warpgroups of a block."""
    module, threads = runner.gpu.assemble(HEAD + chain_kernel(form, "k", products)), THREADS * groups
    place, nothing = descriptor(0, 8, 16, 0, 0), np.zeros(64 << 10, np.uint8)
    spans = [runner.run(module, "k", threads, place, place + 1024, 1, 16 * threads, nothing).view("<u4").reshape(-1, 4) for _ in range(3)]
    return min(int(s[:, 1].max()) - int(s[:, 0].min()) for s in spans) / ROUNDS


def main(file):
    """Measure and write."""
    gpu = Gpu()
    runner, numbers = Runner(gpu), {form: k for k, form in enumerate(forms())}
    module = gpu.assemble(HEAD + "".join(kernel(form, f"k{k}") for form, k in numbers.items()))
    found = {c.name: crc32(runner.run(module, f"k{numbers[c.form]}", THREADS, descriptor(*c.a), descriptor(*c.b), c.scale,
                                      512 * c.form.words, image(c)).tobytes()) for c in cases()}
    what = "CRC-32 of the bytes of the results, register by register, by case of warpgroup_forms.py"
    Path(file).write_text(json.dumps({"where": gpu.describe(), "what": what, "outputs": found}, indent=0))
    for columns in (8, 64, 128, 256):
        for registers in (False, True):
            form = Form(columns, "f32", "f16", "f16", registers)
            print(form.name, *(f"{cycles(runner, form, products, 1):.1f}" for products in (1, 4, 8)))


if __name__ == "__main__":
    main(*sys.argv[1:])
