"""What a policy costs by how it is written: ``python tests/bench/policy_speed.py`` (needs numba, Cython and a C compiler).

The same choice (the oldest ready warp) by the engine's own policy, a Numba cfunc, a Cython function and Python; matmul and reduction.
Cycles must be the same; runs alternate, and the best of each is compared.
"""
from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from launches import KERNELS, Prepared, machine

from archdef.policies import Compiled, include
from archdef.policies.jit import cfunc, int64s, lowest_bit
from archdef.spec import SchedulerPolicy, named

CYTHON = """
# cython: language_level=3, boundscheck=False, wraparound=False
from libc.stdint cimport int64_t, uint64_t
from archdef.engine.policy cimport SchedulerView

cdef extern from *:
    int __builtin_ctzll(uint64_t) nogil

cdef api int64_t oldest(const SchedulerView *v) noexcept nogil:
    cdef uint64_t left = v.candidates
    cdef int best = __builtin_ctzll(left), slot
    left &= left - 1
    while left:
        slot = __builtin_ctzll(left)
        left &= left - 1
        if v.launched[slot] < v.launched[best]:
            best = slot
    return best
"""


@cfunc("scheduler")
def _oldest(view):
    launched, left = int64s(view.launched, 64), view.candidates
    best = lowest_bit(left)
    left &= left - np.uint64(1)
    while left:
        slot = lowest_bit(left)
        left &= left - np.uint64(1)
        if launched[slot] < launched[best]:
            best = slot
    return best


@named("bench_oldest_cfunc")
class ByNumba(SchedulerPolicy):
    """A Numba cfunc."""

    def compiled(self):
        return Compiled(_oldest)


@named("bench_oldest_cython")
class ByCython(SchedulerPolicy):
    """A Cython function."""

    def compiled(self):
        return Compiled(_capsule())


@named("bench_oldest_python")
class InPython(SchedulerPolicy):
    """A readable definition."""

    def choose(self, view):
        return min((slot for slot in range(64) if view.candidates >> slot & 1), key=lambda slot: view.launched[slot])


def _capsule():
    if "policy_in_cython" not in sys.modules:
        folder = Path(tempfile.mkdtemp())
        (folder / "policy_in_cython.pyx").write_text(CYTHON)
        (folder / "setup.py").write_text(
            "from setuptools import Extension, setup\nfrom Cython.Build import cythonize\n"
            f"where = {str(include())!r}\n"
            "setup(ext_modules=cythonize([Extension('policy_in_cython', ['policy_in_cython.pyx'], include_dirs=[where],"
            " extra_compile_args=['-O3'])], include_path=[where]))\n")
        subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        sys.path.insert(0, str(folder))
    return __import__("policy_in_cython").__pyx_capi__["oldest"]


def main() -> None:
    """Print the table."""
    print(f"{'kernel':20}{'written in':12}{'cycles':>12}{'ns/wi':>9}{'ratio':>8}")
    for kernel in ("matmul tiled 512", "reduction 4Mi"):
        name, entry, size = KERNELS[kernel]
        made = {how: Prepared(machine("gf100").evolve({"schedulers.policy": policy}), name, entry, size)
                for how, policy in (("engine", "oldest"), ("cfunc", ByNumba()), ("Cython", ByCython()))}
        best, cycles = dict.fromkeys(made, 1e9), {}
        for _ in range(5):
            for how, launch in made.items():
                start = time.process_time()
                run = launch()
                best[how] = min(best[how], (time.process_time() - start) / run.counters.instructions * 1e9)
                cycles[how] = run.cycles
        if kernel.startswith("reduction"):      # the others take minutes in Python
            start = time.process_time()
            run = Prepared(machine("gf100").evolve({"schedulers.policy": InPython()}), name, entry, size)()
            best["Python"], cycles["Python"] = (time.process_time() - start) / run.counters.instructions * 1e9, run.cycles
        for how in best:
            print(f"{kernel:20}{how:12}{cycles[how]:12,}{best[how]:9.0f}{best[how] / best['engine']:8.2f}")
        assert len(set(cycles.values())) == 1


if __name__ == "__main__":
    main()
