"""Measure the fresh kernels on an H100: launches of ``archdef_hopper.fresh``, PTX of ``fresh_ptx.tar.xz``, counters of Nsight Compute.

``python measure_fresh.py assemble FOLDER``               machine code by ptxas (CUDA 13.0), ``-arch=sm_90``
``python measure_fresh.py launch FOLDER``                 launch every case once and print its output; this is what ncu runs:
``ncu --csv --page raw --print-units base --clock-control none --cache-control all --metrics LIST --log-file NCU_CSV python …``
``python measure_fresh.py collect LOG NCU_CSV TABLE``     join both into ``fresh_kernels.csv``
``python measure_fresh.py metrics``                       print LIST
"""
from __future__ import annotations

import csv
import ctypes as c
import subprocess
import sys
from pathlib import Path

import numpy as np
from archdef.microbench.driver import Gpu
from archdef_hopper.fresh import KERNELS, SIZES, launch_of, name_of, ptx

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
CASES = [(kernel, size) for kernel in KERNELS for size in SIZES[kernel]]


def assemble(folder: Path) -> None:
    """Make cubins."""
    for kernel in KERNELS:
        subprocess.run(["ptxas", "-arch=sm_90", "-o", folder / f"{kernel}.cubin", "-"], input=ptx(kernel), text=True, check=True)


def launch(folder: Path) -> None:
    """Run every case."""
    gpu = Gpu()
    scalars = {"int32": c.c_int32, "uint32": c.c_uint32, "float32": c.c_float}
    for kernel, size in CASES:
        one = launch_of(kernel, size)
        module = gpu.load((folder / f"{kernel}.cubin").read_bytes())
        buffers = {k: gpu.send(v) for k, v in one.arguments.items() if isinstance(v, np.ndarray)}
        given = [buffers[k] if k in buffers else scalars[v.dtype.name](v.item()) for k, v in one.arguments.items()]
        gpu.launch(module, kernel, one.grid, one.block, *given, shared_bytes=one.shared_bytes)
        output = gpu.fetch(buffers[one.output], np.empty_like(one.arguments[one.output]))
        print("CASE", name_of(kernel, size), one.summary(output), flush=True)
        for buffer in buffers.values():
            gpu("cuMemFree_v2", buffer)
        launch_of.cache_clear()


def collect(log: Path, counted: Path, table: Path) -> None:
    """Join outputs and counters; both are in the order of the launches."""
    outputs = dict(line.split()[1:] for line in log.read_text().splitlines() if line.startswith("CASE"))
    lines = [line for line in counted.read_text().splitlines() if line.startswith('"')]
    measured = list(csv.DictReader(lines))[1:]
    with table.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["case", "kernel", "size", "threads", "shared_bytes", "output", *COLUMNS])
        for (kernel, size), row in zip(CASES, measured, strict=True):
            one, case = launch_of(kernel, size), name_of(kernel, size)
            if row["Kernel Name"].partition("(")[0] != kernel:
                raise SystemExit(f"{case} is not {row['Kernel Name']}")
            held = sum(int(row[f"launch__shared_mem_per_block_{k}"].replace(",", "")) for k in ("static", "dynamic"))
            rows.writerow([case, kernel, size, int(np.prod(one.block)), held, outputs[case],
                           *(row[name].replace(",", "") for name in COLUMNS.values())])


if __name__ == "__main__":
    command, *paths = sys.argv[1:]
    if command == "metrics":
        print(",".join([*COLUMNS.values(), "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"]))
    else:
        {"assemble": assemble, "launch": launch, "collect": collect}[command](*map(Path, paths))
