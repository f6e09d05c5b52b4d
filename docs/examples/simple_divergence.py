"""Four kernels that give half of their threads another value: who parts, what the compiler leaves of the branch, what counters say.

Each kernel runs three times: as an optimising compiler leaves it; compiled for debugging (``-G``), which keeps the branches, with
short branches predicated by archdef's lowering; and the same without predication.
"""
from pathlib import Path

import numpy as np

from archdef.examples import Case, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.lower import Options
from archdef.report.numbers import count, percent, three

HERE = Path(__file__).parent
BUILDS = {
    "optimised": {},
    "-G, predicated": {"extra": ("-G",)},
    "-G": {"extra": ("-G",), "lowering": Options(predicate=False)},
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


def tables(architectures):
    """One table a machine."""
    for architecture in architectures:
        rows, notes = [], []
        for build, options in BUILDS.items():
            ran, refused = launches(WORKLOAD, architecture, **options)
            notes += refused
            rows += [(f"{row.case.kernel}, {build}", count(m["branch"]), count(m["divergent_branch"]), percent(m["branch_efficiency"]),
                      percent(m["warp_execution_efficiency"]), percent(m["warp_nonpred_execution_efficiency"]), three(m["inst_per_warp"]))
                     for row in ran for m in (row.run.metrics,)]
        yield Table(f"{architecture.name}: {architecture.vendor} {architecture.title}, 2 warps of {architecture.warp.size}",
                    ("kernel", "branch", "divergent", "branch eff.", "lanes active", "guard holds", "inst/warp"), rows, notes)


main = command(tables, machines=("p2000", "c500"))

if __name__ == "__main__":
    main()
