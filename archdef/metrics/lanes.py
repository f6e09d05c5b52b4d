"""What lanes do: together with all of their warp that live, on one path of a branch, waiting for others."""
from __future__ import annotations

from archdef.metrics.counters import LANE_STATES
from archdef.metrics.metric import Formula, Measurement, Metric, ratio

_MEANS = {
    "coherent": "runs with all lanes of its warp that live",
    "first_path": "is on the side of a divergent branch that runs first",
    "second_path": "is on the other side of a divergent branch",
    "stalled": "is masked off while others of its warp run, or waits for them",
}
_KINDS = {"lane_cycles": ("Cycles in which a lane", "Share of the cycles of living lanes in which the lane", "cycles of living lanes"),
          "lane_slots": ("Instructions issued by its warp while a lane", "Share of the instructions issued to living lanes at which the lane",
                         "instructions issued times living lanes")}


def _count(kind: str, state: str) -> Formula:
    return lambda m: getattr(m.counters, kind)[state]


def _share(kind: str, state: str) -> Formula:
    def function(m: Measurement) -> float | None:
        states = getattr(m.counters, kind)
        return ratio(states[state], sum(states.values()), 100)
    return function


METRICS = tuple(
    metric for kind, (sums, share, whole) in _KINDS.items() for state in LANE_STATES for metric in (
        Metric(f"{kind}_{state}", "count", f"{sums} {_MEANS[state]}, summed over lanes.", f"{kind}, {state}", _count(kind, state)),
        Metric(f"{kind}_{state}_pct", "%", f"{share} {_MEANS[state]}.", f"{kind}, {state} / {whole}", _share(kind, state))))
assert set(_MEANS) == set(LANE_STATES)
