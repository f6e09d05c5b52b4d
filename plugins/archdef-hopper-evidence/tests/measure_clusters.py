"""Measure clusters of blocks on a GPU: `python measure_clusters.py CUBIN TABLE.csv`, with `clusters.cu` compiled to a cubin for sm_90.

Rates of loads are half of what accesses of the source come to: the compiler keeps those of every second round. Those of stores are all there.
"""
import csv
import ctypes
import sys
from ctypes import byref, c_int, c_uint, c_uint64, c_void_p
from pathlib import Path

THREADS, ROUNDS, SHARED = 1024, 64, 120 * 1024
CLUSTER_DIMENSION, NONPORTABLE, SHARED_BYTES = 4, 14, 8


class _Attribute(ctypes.Structure):
    _fields_ = [("id", c_int), ("pad", ctypes.c_char * 4), ("value", c_uint * 16)]


class _Config(ctypes.Structure):
    _fields_ = [*((name, c_uint) for name in ("gx", "gy", "gz", "bx", "by", "bz", "shared")), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(_Attribute)), ("count", c_uint)]


class Gpu:
    """The first GPU, and the kernels of a cubin."""

    def __init__(self, cubin: bytes):
        self.library, device, context, self.module, self.out = ctypes.CDLL("libcuda.so.1"), c_int(), c_void_p(), c_void_p(), c_uint64()
        self("cuInit", 0)
        self("cuDeviceGet", byref(device), 0)
        self("cuDevicePrimaryCtxRetain", byref(context), device)
        self("cuCtxSetCurrent", context)
        self("cuModuleLoadData", byref(self.module), cubin)
        self("cuMemAlloc_v2", byref(self.out), 1 << 16)

    def __call__(self, name, *arguments):
        if code := getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name} gave {code}")

    def run(self, kernel: str, blocks: int, threads: int, shared: int, cluster: int, *numbers: int) -> list[int]:
        """Launch three times; give what the last left."""
        function, attribute = c_void_p(), (_Attribute * 1)()
        self("cuModuleGetFunction", byref(function), self.module, kernel.encode())
        self("cuFuncSetAttribute", function, NONPORTABLE, 1)
        self("cuFuncSetAttribute", function, SHARED_BYTES, shared)
        attribute[0].id = CLUSTER_DIMENSION
        attribute[0].value[0], attribute[0].value[1], attribute[0].value[2] = cluster, 1, 1
        config = _Config(blocks, 1, 1, threads, 1, 1, shared, None, attribute, 1)
        values = [self.out, *map(c_uint, numbers)]
        pointers = (c_void_p * len(values))(*(ctypes.cast(byref(v), c_void_p) for v in values))
        left = (c_uint * 512)()
        for _ in range(3):
            self("cuMemsetD8_v2", self.out, 0, 1 << 16)
            self("cuLaunchKernelEx", byref(config), function, pointers, None)
            self("cuCtxSynchronize")
        self("cuMemcpyDtoH_v2", left, self.out, ctypes.sizeof(left))
        return list(left)


def rows(gpu: Gpu):
    """Yield the rows of the table."""
    for n in (2, 4, 8, 16):
        left = gpu.run("latency", n, 64, 0, n)
        yield from (("load" if k else "own load", n, "alone", f"rank {k}", left[k] / 256) for k in range(n))
    for threads in (32, 256, 1024):
        for n in (1, 2, 4, 8, 16):
            yield "barrier", n, f"{threads} threads", "", gpu.run("barrier", n, threads, 0, n)[0] / 64
    for mode, what in enumerate(("answered arrival", "answered st.async")):
        for n in (2, 8):
            yield what, n, "alone", "", gpu.run("pingpong", n, 32, 0, n, mode)[0] / 128
    for kernel, what, width in (("rate4", "load 16", 8), ("store1", "store", 4)):
        for n in (1, 2, 4, 8, 16):
            for launch, blocks in (("alone", n), ("full", 132 // n * n if n < 16 else 112)):
                left = gpu.run(kernel, blocks, THREADS, SHARED, n, 1, ROUNDS, 1)
                yield what, n, launch, f"{blocks} blocks", THREADS * width * 8 * ROUNDS / (sum(left[:2 * blocks:2]) / blocks)


if __name__ == "__main__":
    with open(sys.argv[2], "w", newline="") as table:
        csv.writer(table).writerows([("what", "cluster", "launch", "where", "value"), *rows(Gpu(Path(sys.argv[1]).read_bytes()))])
