"""Runs a workload's kernels, lets the rules look at them, and runs them again under what the rules suppose."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import attrs

from archdef import registry
from archdef.advice.finding import LEAST, Advice, Advices, Finding, Supposed
from archdef.advice.rules import RULES
from archdef.attribution.groups import AttributionError
from archdef.attribution.measure import Launches
from archdef.errors import ArchdefError, nearest
from archdef.examples import Workload, load
from archdef.lower import Options
from archdef.run.result import Run
from archdef.spec import Architecture

LEAST_GAIN: Final = LEAST
"""Suppositions that make a launch less than this faster are no advice."""


def advise(workload: str | Workload, architecture: str | Architecture, kernels: Sequence[str] = (), *, size: int | None = None, rules: Iterable[str] = (),
           least_gain: float = LEAST_GAIN, said: Callable[[int, int, str], None] = lambda done, all, what: None) -> Advices:
    """Say what to change in a workload's kernels.

    workload     : a shipped example, the path of a recipe, or a `Workload`.
    kernels      : those to look at; all, if none is named.
    size         : problem size; None for the workload's own.
    rules        : names of `RULES`; all, if none is named.
    least_gain   : what gains less is left out.
    said         : called before each further launch with how many are done, how many are known of, and what is next.

    Every launch is checked against what numpy expects, those under suppositions too: these change time, never results.

    Raises ArchdefError for names that are none, WorkloadError, AttributionError if a launch fails.
    """
    recipe = load(workload) if isinstance(workload, str) else workload
    machine = registry.described(architecture)
    chosen = _chosen(rules)
    size = recipe.size if size is None else size
    names = tuple(case.kernel for case in recipe.launches(machine, size, tuple(kernels)))
    found: list[Advice] = []
    runs = 0
    for name in dict.fromkeys(names):
        trial = _Trial(recipe, name, size, machine)
        findings = [finding for rule in chosen for finding in rule.find(trial.run)]
        for done, finding in enumerate(findings):
            said(done, len(findings), f"{name}: {finding.rule}")
            if (advice := trial.judge(finding, least_gain)) is not None:
                found.append(advice)
        runs += trial.runs
    return Advices(recipe.name, machine.label, tuple(dict.fromkeys(names)), tuple(sorted(found, key=lambda each: -each.gain)), runs)


def _chosen(names: Iterable[str]) -> list[Any]:
    known = {rule.name: rule for rule in RULES}
    for name in names:
        if name not in known:
            raise ArchdefError(f"no rule is called {name!r}{nearest(name, known)}; there are {', '.join(known)}")
    return [known[name] for name in names] or [*RULES]


class _Trial:
    """One kernel of a workload on a machine, and the same under suppositions."""

    def __init__(self, workload: Workload, kernel: str, size: int, architecture: Architecture):
        self.workload, self.kernel, self.size, self.architecture = workload, kernel, size, architecture
        self.runs = 0
        self.run = self._launched(Supposed("nothing changed"))

    def supposing(self, supposed: Supposed) -> Run:
        """Run the launch under a supposition. Raises AttributionError, ArchdefError."""
        self.runs += 1
        return self._launched(supposed)

    def judge(self, finding: Finding, least_gain: float) -> Advice | None:
        """Run what a finding supposes; None if it cannot be, or gains too little."""
        try:
            cycles = round(self.supposing(finding.supposed).cycles * finding.supposed.more)
            if self.run.cycles < least_gain * cycles:
                return None
            told = finding if finding.confirm is None else finding.confirm(self.supposing)
        except AttributionError:
            if finding.supposed.certain:
                raise
            return None
        except ArchdefError:        # a machine that the supposition cannot make of this one
            return None
        if told is None:
            return None
        line = told.line
        return Advice(told.rule, self.kernel, self.architecture.label, line.file if line else "", line.line if line else 0, line.text if line else "",
                      dict(told.evidence), told.said, told.remedy, told.supposed.what, self.run.cycles, cycles)

    def _launched(self, supposed: Supposed) -> Run:
        given = self.workload.options.get("lowering") or Options(debug=bool(self.workload.options.get("debug")))
        lowering = attrs.evolve(given, together=given.together | supposed.together, spill=given.spill and supposed.spill,
                                without_barriers=given.without_barriers | supposed.without_barriers, thread_order=supposed.thread_order or given.thread_order)
        workload = attrs.evolve(self.workload, options={**self.workload.options, "lowering": lowering},
                                cases=lambda size, random, changed: self.workload.cases(size, random, self.architecture))      # the same launch
        (run,) = Launches(workload, self.kernel, self.size)(supposed.architecture or self.architecture)[:1]
        return run
