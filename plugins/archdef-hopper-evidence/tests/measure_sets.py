"""Measure a set of kernels on an H100 (``archdef_hopper_evidence.nvrtc_2026_11_21a`` and its neighbours): their PTX, counters of Nsight Compute.

``python measure_sets.py compile SET TOOLKIT``               ``SET_kernels.cu`` into ``SET_ptx.tar.xz`` by NVRTC (13.0) for compute_90
``python measure_sets.py assemble SET FOLDER``               machine code by ptxas (CUDA 13.0) for the target that the PTX names
``python measure_sets.py launch SET FOLDER``                 launch every case once and print its output; this is what ncu runs:
``ncu --csv --page raw --print-units base --clock-control none --cache-control all --metrics LIST --log-file NCU_CSV python …``
``python measure_sets.py collect SET LOG NCU_CSV TABLE``     join both into ``SET_kernels.csv``
``python measure_sets.py metrics``                       print LIST
"""
from __future__ import annotations

import csv
import ctypes as c
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
from archdef.microbench.driver import Gpu
from archdef_hopper_evidence.calibration import DATA
from archdef_hopper_evidence.launches import Kernels, name_of
from archdef_hopper_evidence.nvrtc_2026_11_21a import NVRTC_2026_11_21A
from archdef_hopper_evidence.nvrtc_2026_11_21b import NVRTC_2026_11_21B
from archdef_hopper_evidence.nvrtc_2026_11_22a import NVRTC_2026_11_22A
from archdef_hopper_evidence.nvrtc_2026_11_22b import NVRTC_2026_11_22B
from archdef_hopper_evidence.triton_numba_2026_11_22 import TRITON_NUMBA_2026_11_22
from archdef_hopper_evidence.warpgroup import WARPGROUP
from counted import rows

COLUMNS = {   # of the table → what Nsight Compute calls it
    "cycles": "gpc__cycles_elapsed.max", "instructions": "smsp__inst_executed.sum", "thread_instructions": "smsp__thread_inst_executed_pred_on.sum",
    "warps": "smsp__warps_launched.sum", "branches": "smsp__inst_executed_op_branch.sum",
    "conditional_branches": "smsp__sass_branch_targets.sum", "divergent_branches": "smsp__sass_branch_targets_threads_divergent.sum",
    "global_loads": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_stores": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_atomics": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "global_reductions": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1_sector_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "shared_loads": "smsp__inst_executed_op_shared_ld.sum", "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_stores": "smsp__inst_executed_op_shared_st.sum", "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_atomics": "smsp__inst_executed_op_shared_atom.sum", "shared_atomic_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l2_sectors": "lts__t_sectors_srcunit_tex.sum", "dram_read_sectors": "dram__sectors_read.sum", "dram_write_sectors": "dram__sectors_write.sum",
    "registers": "launch__registers_per_thread", "limit_registers": "launch__occupancy_limit_registers",
    "limit_shared": "launch__occupancy_limit_shared_mem", "limit_warps": "launch__occupancy_limit_warps", "limit_blocks": "launch__occupancy_limit_blocks",
    "warps_active": "sm__warps_active.avg.per_cycle_active", "active_cycles": "smsp__cycles_active.avg"}
SETS = {one.name: one for one in (NVRTC_2026_11_21A, NVRTC_2026_11_21B, NVRTC_2026_11_22A, NVRTC_2026_11_22B, TRITON_NUMBA_2026_11_22, WARPGROUP)}


def compile_all(kernels: Kernels, toolkit: Path) -> None:
    """Make PTX with the NVRTC and the headers of a toolkit's folder."""
    library = c.CDLL(str(next(toolkit.glob("lib*/libnvrtc.so.*"))))
    flags = [b"--gpu-architecture=compute_90", b"--std=c++17", *(f"--include-path={toolkit / part}".encode() for part in ("include", "include/cccl"))]
    with tarfile.open(str(DATA / f"{kernels.name}_ptx.tar.xz"), "w:xz") as archive:
        for kernel, source in kernels.sources().items():
            program, size = c.c_void_p(), c.c_size_t()
            library.nvrtcCreateProgram(c.byref(program), source.encode(), f"{kernel}.cu".encode(), 0, None, None)
            failed = library.nvrtcCompileProgram(program, len(flags), (c.c_char_p * len(flags))(*flags))
            getter = "nvrtcGetProgramLog" if failed else "nvrtcGetPTX"
            getattr(library, f"{getter}Size")(program, c.byref(size))
            text = c.create_string_buffer(size.value)
            getattr(library, getter)(program, text)
            if failed:
                raise SystemExit(f"{kernel}: {text.value.decode()}")
            lines = b"".join(line for line in text.value.splitlines(keepends=True) if not line.strip().endswith(b"inline asm"))
            entry = tarfile.TarInfo(f"{kernel}.ptx")
            entry.size = len(lines)
            archive.addfile(entry, io.BytesIO(lines))


def assemble(kernels: Kernels, folder: Path) -> None:
    """Make cubins."""
    for kernel in kernels.launches:
        text = kernels.ptx(kernel)
        target = re.search(r"^\s*\.target\s+(sm_90a)\b", text, re.MULTILINE)
        subprocess.run(["ptxas", f"-arch={target[1] if target else 'sm_90'}", "-o", folder / f"{kernel}.cubin", "-"], input=text, text=True, check=True)


def launch(kernels: Kernels, folder: Path) -> None:
    """Run every case."""
    gpu = Gpu()
    scalars = {"int32": c.c_int32, "uint32": c.c_uint32, "float32": c.c_float, "int64": c.c_int64, "uint64": c.c_uint64, "float64": c.c_double}
    for kernel, size in kernels.cases:
        one = kernels.launch(kernel, size)
        module = gpu.load((folder / f"{kernel}.cubin").read_bytes())
        buffers = {k: gpu.send(v) for k, v in one.arguments.items() if isinstance(v, np.ndarray)}
        given = [buffers[k] if k in buffers else scalars[v.dtype.name](v.item()) for k, v in one.arguments.items()]
        if one.shared_bytes > 48 << 10:
            gpu("cuFuncSetAttribute", gpu.function(module, kernel), 8, one.shared_bytes)    # MAX_DYNAMIC_SHARED_SIZE_BYTES
        gpu.launch(module, kernel, one.grid, one.block, *given, shared_bytes=one.shared_bytes)
        output = gpu.fetch(buffers[one.output], np.empty_like(one.arguments[one.output]))
        print("CASE", name_of(kernel, size), one.summary(output), flush=True)
        for buffer in buffers.values():
            gpu("cuMemFree_v2", buffer)


def collect(kernels: Kernels, log: Path, counted: Path, table: Path) -> None:
    """Join outputs and counters; both are in the order of the launches."""
    outputs = dict(line.split()[1:] for line in log.read_text().splitlines() if line.startswith("CASE"))
    with table.open("w", newline="") as file:
        written = csv.writer(file, lineterminator="\n")
        written.writerow(["case", "kernel", "size", "threads", "shared_bytes", "output", *COLUMNS])
        for (kernel, size), row in zip(kernels.cases, rows(counted), strict=True):
            one, case = kernels.launch(kernel, size), name_of(kernel, size)
            if row["Kernel Name"].partition("(")[0] != kernel:
                raise SystemExit(f"{case} is not {row['Kernel Name']}")
            held = sum(int(row[f"launch__shared_mem_per_block_{k}"].replace(",", "")) for k in ("static", "dynamic"))
            written.writerow([case, kernel, size, int(np.prod(one.block)), held, outputs[case],
                              *(row[name].replace(",", "") for name in COLUMNS.values())])


if __name__ == "__main__":
    command, *paths = sys.argv[1:]
    if command == "metrics":
        print(",".join([*COLUMNS.values(), "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"]))
    else:
        {"compile": compile_all, "assemble": assemble, "launch": launch, "collect": collect}[command](SETS[paths[0]], *map(Path, paths[1:]))
