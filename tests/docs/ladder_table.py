"""Print which ladders of each machine are validation cases: ``python tests/docs/ladder_table.py [MACHINE ...]``.

A ladder is what one microbenchmark, or a few, can draw of a machine. A cell counts its figures: those to which something of the description was fitted,
those that only judge it, and those in doubt. Where there is none, ``ladders_searched.toml`` says where figures were looked for.
"""
import argparse
import fnmatch
import tomllib
from collections import Counter
from pathlib import Path

from archdef import registry
from archdef.validate import load

SEARCHED = Path(__file__).parent / "ladders_searched.toml"
LADDERS = {     # name → experiments, as globs
    "latency of operations": ("microbench.latency",),
    "results by chains and warps": ("microbench.throughput", "microbench.latency_hiding"),
    "chase by footprint": ("microbench.global_latency", "microbench.texture_latency"),
    "conflicts and words of shared memory": ("microbench.shared_latency", "microbench.shared_throughput"),
    "bandwidth of L1": ("microbench.l1_throughput", "microbench.round_bandwidth"),
    "bandwidth of L2": ("microbench.l2_bandwidth",),
    "bandwidth of DRAM": ("microbench.dram_bandwidth", "microbench.element_stream"),
    "strides": ("microbench.l1_strides", "microbench.coalescing"),
    "constants by size": ("microbench.constant_latency",),
    "loops of code by size": ("microbench.code",),
    "atomics": ("microbench.*atomic*",),
    "barriers and fences": ("microbench.barrier", "microbench.fence"),
    "resident blocks": ("microbench.residency",),
    "launches": ("microbench.launch*", "microbench.small_kernels"),
    "launches by kernels": ("microbench.child*", "microbench.device_launch*", "microbench.nested*"),
}
KERNELS = {     # cases that a kernel of the source draws, as globs of machine and case
    "conflicts and words of shared memory": ("c500 shared stores/*",),
    "bandwidth of L1": ("gf100 caches/reads from the L1*",),
    "bandwidth of L2": ("gf100 caches/reads from the L2*", "gf100 caches/reads between*"),
    "bandwidth of DRAM": ("c500 bandwidth/*", "gtx680 few warps/*"),
    "constants by size": ("gf100 constants/*",),
    "barriers and fences": ("c500 barriers/*",),
}


def ladder_of(case) -> str | None:
    """Give the name of the ladder to which a case belongs, if any."""
    for name, experiments in LADDERS.items():
        if any(fnmatch.fnmatchcase(case.experiment, glob) for glob in experiments):
            return name
    return next((name for name, globs in KERNELS.items() if any(fnmatch.fnmatchcase(named(case), glob) for glob in globs)), None)


def named(case) -> str:
    """Give machine and ladder of a case, or the case itself if it is none's point."""
    return f"{case.arch} {case.ladder or case.id}"


def counted(machine: str) -> dict[str, Counter]:
    """Count the figures of each ladder of a machine: fitted, judged, in doubt."""
    found = {}
    for case in load.references(machine).cases:
        if name := ladder_of(case):
            found.setdefault(name, Counter())["in doubt" if not case.counts else "fitted" if case.fitted else "judged"] += 1
    return found


def searched() -> dict[str, dict[str, str]]:
    """Give where figures were looked for in vain, by machine and ladder; "all" holds for every ladder of the machine that names nothing else."""
    return tomllib.loads(SEARCHED.read_text(encoding="utf-8"))


def missing(machine: str) -> dict[str, str]:
    """Give the ladders of a machine of which there is no case, and what was found instead; "" where nobody has looked."""
    there, notes = counted(machine), searched().get(machine, {})
    return {name: notes.get(name, notes.get("all", "")) for name in LADDERS if name not in there}


def cell(counts: Counter | None) -> str:
    """Show the figures of one ladder."""
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("fitted", "judged", "in doubt") if counts[kind]) if counts else "-"


def table(machines) -> str:
    """Make the matrix, a column for each machine, and the list of what was looked for in vain."""
    found = {machine: counted(machine) for machine in machines}
    rows = ["| ladder | " + " | ".join(machines) + " |", "|---" * (1 + len(machines)) + "|"]
    rows += [f"| {name} | " + " | ".join(cell(found[machine].get(name)) for machine in machines) + " |" for name in LADDERS]
    for machine in machines:
        rows += [f"- `{machine}`, {name}: {note or 'nobody has looked'}" for name, note in missing(machine).items()]
    return "\n".join(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machines", nargs="*", default=registry.names())
    print(table(parser.parse_args().machines))
