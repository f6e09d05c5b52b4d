"""Names of all views by what they are of, for those who only ask which there are: nothing else is imported for it."""
from __future__ import annotations

RUN = {"runs": "launches", "metrics": "launches", "counters": "launches", "lines": "launches", "line_stalls": "launches", "statements": "launches",
       "stalls": "launches", "lane_states": "launches", "reasons": "launches", "bounds": "launches", "roofline": "launches", "partitions": "launches",
       "multiprocessors": "launches", "occupancy_curves": "machines", "lane_steps": "traces", "timeline_blocks": "traces", "timeline_multiprocessors": "traces",
       "timeline_partitions": "traces", "timeline_waits": "traces", "timeline_issues": "traces"}
TIMELINE = tuple(name for name in RUN if name.startswith("timeline_"))
"""Those that need a launch with the option ``timeline``."""
LANES = ("lane_steps",)
"""Those that need one with the option ``lanes``."""
NCU = ("beside", "measured")
"""Those that need an export of Nsight Compute."""
CHANGES = ("changes", "metric_changes", "line_changes")
"""Those that need a baseline."""
OF: dict[str, dict[str, str]] = {
    "archdef.run.result.Run": RUN,
    "archdef.examples.comparison.Comparison": {"comparison": "comparisons"} | {name: module for name, module in RUN.items() if name not in (*TIMELINE, *LANES)},
    "archdef.baseline.difference.Difference": dict.fromkeys(CHANGES, "comparisons"),
    "archdef.baseline.difference.Differences": dict.fromkeys(CHANGES, "comparisons"),
    "archdef.attribution.result.Attribution": {"factors": "comparisons", "factor_paths": "comparisons", "joined_groups": "comparisons"},
    "archdef.advice.finding.Advices": {"advice": "advised", "advice_evidence": "advised"},
    "archdef.exec.account.Account": {"programs": "programs", "program_kernels": "programs", "program_copies": "programs"},
    "archdef.spec.arch.Architecture": {"architectures": "machines", "fields": "machines", "ceilings": "machines", "parallelism": "machines"},
    "archdef.data.subjects.Described": {"fields": "machines"},
    "archdef.data.subjects.Compared": {"field_differences": "machines"},
    "archdef.data.subjects.Occupied": {"occupancy": "machines", "occupancy_limits": "machines", "occupancy_curves": "machines"},
    "archdef.run.resources.Resources": {"resources": "kernels"},
    "archdef.report.lowered.Lowered": {"micro_ops": "kernels", "passes": "kernels"},
    "archdef.metrics.metric.Metric": {"metric_definitions": "kernels"},
    "archdef.testing.conformance.Report": {"checks": "measured"},
    "archdef.validate.run.Report": {"cases": "measured", "ladders": "measured"},
    "archdef.microbench.results.Results": {"points": "measured", "point_parameters": "measured"},
    "archdef.host.timeline.Timeline": {"spans": "traces"},
    "archdef.ncu.launch.Launch": {"measured": "profiled"},
    "archdef.ncu.beside.Beside": {"beside": "profiled"},
}
"""Type of a result → name of its views, that of the most interest first → module of this package that has it."""
