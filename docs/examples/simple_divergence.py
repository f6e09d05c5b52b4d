"""Four kernels that give half of their threads another value: who parts, what the compiler leaves of the branch, what counters say.

Each kernel runs three times: as an optimising compiler leaves it; compiled for debugging (``-G``), which keeps the branches, with
short branches predicated by archdef's lowering; and as a whole debug build, executed as it is written. Then what the lanes do meanwhile, summed over the
launch, and of one warp cycle by cycle.
"""
from pathlib import Path

import numpy as np

from archdef import Device, LaneWindow
from archdef.examples import Case, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.metrics import LANE_STATES
from archdef.formatting import count, percent, three

HERE = Path(__file__).parent
BUILDS = {
    "optimised": {},
    "-G, predicated": {"extra": ("-G",)},
    "-G": {"debug": True},
}
"""How to compile."""


def cases(size, random, architecture):
    """Launch one block of `size` warps."""
    warp = architecture.warp.size
    thread = np.arange(size * warp)
    for kernel in ("even_odd", "by_warp", "two_ifs", "predicated"):
        first = thread // warp % 2 == 0 if kernel == "by_warp" else thread % 2 == 0
        yield Case(kernel, (1,), (thread.size,), (Output(np.where(first, 100, 200).astype("f4")),), 4 * thread.size)


WORKLOAD = Workload("simple_divergence", "four short conditions", HERE / "simple_divergence.cu", cases, size=2, size_means="warps")


def lanes_of(rows, architecture):
    """Say what the lanes do: shares of their cycles, and of the instructions that their warps issue."""
    lines = []
    for row in rows:
        for kind, name in (("lane_cycles", "cycles"), ("lane_slots", "issue slots")):
            lines.append((f"{row.case.kernel}, {name}", *(percent(row.run.metrics[f"{kind}_{state}_pct"]) for state in LANE_STATES)))
    return Table(f"{architecture.name}: what lanes do, -G", ("kernel", *(state.replace("_", " ") for state in LANE_STATES)), lines)


def trace_of(kernel, architecture):
    """Follow the first warp of a kernel that keeps its branches."""
    device = Device(architecture)
    out = device.zeros((architecture.warp.size,), "f4")
    launcher = device.compile(WORKLOAD.source, **BUILDS["-G"])[kernel][1, architecture.warp.size]
    return launcher.launch(out, lanes=LaneWindow()).lane_trace


def tables(architectures):
    """Tables and a chart for each machine."""
    for architecture in architectures:
        rows, notes, apart = [], [], []
        for build, options in BUILDS.items():
            ran, refused = launches(WORKLOAD, architecture, **options)
            notes += refused
            apart += ran if build == "-G" else []
            rows += [(f"{row.case.kernel}, {build}", count(m["branch"]), count(m["divergent_branch"]), percent(m["branch_efficiency"]),
                      percent(m["warp_execution_efficiency"]), percent(m["warp_nonpred_execution_efficiency"]), three(m["inst_per_warp"]))
                     for row in ran for m in (row.run.metrics,)]
        yield Table(f"{architecture.name}: {architecture.vendor} {architecture.title}, 2 warps of {architecture.warp.size}",
                    ("kernel", "branch", "divergent", "branch eff.", "lanes active", "guard holds", "inst/warp"), rows, notes)
        if apart:
            yield lanes_of(apart, architecture)
            yield f"{architecture.name}: even_odd, -G\n{trace_of('even_odd', architecture)}"


main = command(tables, machines=("p2000", "c500"))

if __name__ == "__main__":
    main()
