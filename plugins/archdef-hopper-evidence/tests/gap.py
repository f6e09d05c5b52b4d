"""Print how far the modelled H100 is from the measured one, kernel by kernel and microbenchmark by microbenchmark.

``python tests/gap.py [--most N] [--only TEXT] [--save FILE] [--against FILE] [--counters] [--micro]`` from the plugin's folder. Kernels of more
than N warp instructions (1 500 000) are left out. `--save` keeps the figures, `--against` shows what a change moved.
"""
from __future__ import annotations

import argparse
import csv
import json
from math import exp, log
from pathlib import Path
from statistics import mean, median

import archdef
from archdef_hopper import H100
from archdef_hopper_evidence.calibration import DATA, cases, run

LAUNCH = 4160
"""Cycles that the profiler counts with every launch on the hardware."""
SECTOR = 32
EXACT = ("warps", "global_loads", "global_load_sectors", "global_stores", "global_store_sectors", "shared_loads",
         "shared_load_wavefronts", "shared_stores", "shared_store_wavefronts", "blocks_per_multiprocessor")
CLOSE = ("l1_sector_hits", "l2_sectors", "dram_read_sectors", "dram_write_sectors")
BRANCHES = ("conditional_branches", "divergent_branches")


def counted(run) -> dict[str, float]:
    """Give a run's counters by the names of ``data/kernels.csv``."""
    c = run.counters
    loads, stores = c.global_load_bytes_moved // SECTOR, c.global_store_bytes_moved // SECTOR
    return {"cycles": run.cycles, "instructions": c.instructions, "warps": c.warps, "conditional_branches": c.branches,
            "divergent_branches": c.divergent_branches, "global_loads": c.global_loads, "global_load_sectors": loads,
            "global_stores": c.global_stores, "global_store_sectors": stores, "l1_sector_hits": loads - int(c.partition["bytes_asked"].sum()) // SECTOR,
            "shared_loads": c.shared_loads, "shared_load_wavefronts": c.shared_load_passes, "shared_stores": c.shared_stores,
            "shared_store_wavefronts": c.shared_store_passes,
            "l2_sectors": int((c.partition["bytes_asked"] + c.partition["bytes_given"]).sum()) // SECTOR,
            "dram_read_sectors": int(c.partition["bytes_read"].sum()) // SECTOR,
            "dram_write_sectors": int(c.partition["bytes_written"].sum()) // SECTOR, "registers": run.registers,
            "blocks_per_multiprocessor": run.occupancy.active_blocks}


def off(here: float, there: float) -> str:
    """Give a signed error."""
    return f"{here / there - 1:+8.1%}" if there else "       ="


def kernels(options) -> None:
    """Print and keep the table of kernels."""
    device = archdef.Device(H100)
    with (DATA / "kernels.csv").open(newline="") as file:
        measured = {r["case"]: {k: float(r[k]) for k in (*EXACT, *CLOSE, *BRANCHES, "cycles", "instructions", "registers")}
                    for r in csv.DictReader(file)}
    before = json.loads(Path(options.against).read_text()) if options.against else {}
    kept: dict[str, dict] = {}
    wrong: dict[str, list[str]] = {name: [] for name in EXACT}
    print(f"{'kernel':34} {'cycles+launch':>13} {'measured':>9} {'error':>8} {'before':>8}  {'issued':>10} {'measured':>10} {'error':>8} {'before':>8}")
    for case in cases():
        there = measured[case.name]
        if there["instructions"] > options.most or options.only not in case.name:
            continue
        hashed, result = run(case, "ptx90", device)
        here = kept[case.name] = counted(result)
        here["correct"] = hashed == case.hash
        old = before.get(case.name)
        here["error"] = (here["cycles"] + LAUNCH) / there["cycles"] - 1
        here["issue_error"] = here["instructions"] / there["instructions"] - 1
        print(f"{case.name:34} {here['cycles'] + LAUNCH:13} {there['cycles']:9.0f} {here['error']:+8.1%} {old['error'] if old else 0:+8.1%}  "
              f"{here['instructions']:10} {there['instructions']:10.0f} {here['issue_error']:+8.1%} {old['issue_error'] if old else 0:+8.1%}"
              f"{'' if here['correct'] else '  WRONG OUTPUT'}", flush=True)
        for name in EXACT:
            if here[name] != there[name]:
                wrong[name].append(f"{case.name} {here[name]} for {there[name]:.0f}")
        if options.counters:
            print("    " + "  ".join(f"{n} {here[n]} / {there[n]:.0f}" for n in (*BRANCHES, *CLOSE, "registers")))
    if options.save:
        Path(options.save).write_text(json.dumps(kept))
    for pick, title in (("error", "cycles"), ("issue_error", "issued instructions")):
        print(f"{title}: {summary({k: v[pick] for k, v in kept.items()})}")
        same = {k: before[k][pick] for k in kept if k in before}
        if same:
            print(f"{'before':>{len(title)}}: {summary(same)}")
    for name, cases_ in wrong.items():
        print(f"{name}: {'equal in all' if not cases_ else f'differs in {len(cases_)}: ' + '; '.join(cases_[:4])}")


def summary(errors: dict[str, float]) -> str:
    """Summarise signed errors: the mean of their sizes, and what a factor would say."""
    if not errors:
        return "none"
    sizes = {k: abs(v) for k, v in errors.items()}
    worst = max(sizes, key=sizes.__getitem__)
    return (f"{len(errors)} kernels, mean error {mean(sizes.values()):.1%}, median {median(sizes.values()):.1%}, mean factor "
            f"{exp(mean(abs(log(1 + v)) for v in errors.values())) - 1:.1%}, bias {exp(mean(log(1 + v) for v in errors.values())) - 1:+.1%}, "
            f"within 20 %: {sum(v <= 0.2 for v in sizes.values())}, worst {worst} {errors[worst]:+.1%}")


def main() -> None:
    """Print the tables that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=float, default=1_500_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--save")
    parser.add_argument("--against")
    parser.add_argument("--counters", action="store_true")
    parser.add_argument("--micro", action="store_true", help="microbenchmarks in place of kernels")
    options = parser.parse_args()
    if options.micro:
        from micro import report
        report(options.only)
    else:
        kernels(options)


if __name__ == "__main__":
    main()
