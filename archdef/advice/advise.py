"""Runs a workload's kernels, lets the rules look at them, and runs them again under what the rules suppose."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import attrs

from archdef import registry
from archdef.advice.finding import LEAST, Advice, Advices, Finding, Rule, Supposed
from archdef.advice.plugins import Known, known_rules
from archdef.advice.rules import RULES
from archdef.advice.together import joined
from archdef.attribution.groups import AttributionError
from archdef.attribution.measure import Launches
from archdef.errors import ArchdefError, nearest
from archdef.examples import Workload, load
from archdef.lower import Options
from archdef.run.kept import Kept
from archdef.run.result import Run
from archdef.spec import Architecture

LEAST_GAIN: Final = LEAST
"""Suppositions that make a launch less than this faster are no advice."""


Program: TypeAlias = Callable[[Architecture, Options], Run]
"""Launches a kernel on a machine, compiled with these options of lowering, and checks its result."""


def advise(workload: str | Workload | Program | Run, architecture: str | Architecture | None = None, kernels: Sequence[str] = (), *, size: int | None = None,
           rules: Iterable[str | Rule] = (), least_gain: float = LEAST_GAIN, said: Callable[[int, int, str], None] = lambda done, all, what: None) -> Advices:
    """Say what to change in a workload's kernels.

    workload     : a shipped example, the path of a recipe, a `Workload`, or a function ``(architecture, lowering) → Run`` that compiles with
                   ``device.compile(…, lowering=lowering)`` and launches one kernel; or a `Run` of a launch with the option ``keep``, which is
                   launched again with what memory held before it.
    architecture : a machine; None for that of a `Run`.
    kernels      : those to look at; all, if none is named.
    size         : problem size; None for the workload's own.
    rules        : names of `RULES` and of rules of plugins, or rules of your own; `RULES` and those of plugins, if none is given.
    least_gain   : what gains less is left out.
    said         : called before each further launch with how many are done, how many are known of, and what is next.

    Launches of a workload are checked against what numpy expects, those under suppositions too: these change time, never results. Those of a `Run`
    must leave the same bytes in memory where results could depend on what is supposed.

    Raises ArchdefError for names that are none, WorkloadError, AttributionError if a launch fails.
    """
    chosen = _chosen(rules)
    trials: Sequence[Callable[[], _Trial]]
    if isinstance(workload, Run):
        machine = workload.architecture
        trials, title = [functools.partial(_TrialOfRun, workload, _kept(workload, architecture, kernels, size))], workload.kernel
    elif architecture is None:
        raise ArchdefError("name the machine that advice is for; only a run has one")
    else:
        machine = registry.described(architecture)
        trials, title = _trials(workload, machine, kernels, size)
    names: list[str] = []
    found: list[Advice] = []
    runs = 0
    for begin in trials:
        trial = begin()
        name = trial.run.kernel
        names.append(name)
        findings = [(known, known.findings(trial.run)) for known in chosen]
        every, done = sum(len(theirs) for _, theirs in findings), 0
        for known, theirs in findings:
            tell = functools.partial(_tell, said, done, every, f"{name}: {known.rule.name}")
            found += known.guarded(functools.partial(_tried, trial, theirs, least_gain, tell), [])
            done += len(theirs)
        runs += trial.runs
    return Advices(title, machine.label, tuple(names), tuple(sorted(found, key=lambda each: -each.gain)), runs)


def _tell(said: Callable[[int, int, str], None], before: int, every: int, what: str, number: int) -> None:
    said(before + number, every, what)


def _tried(trial: _Trial, findings: Sequence[Finding], least_gain: float, tell: Callable[[int], None]) -> list[Advice]:
    """Run a launch under what a rule's findings suppose, each announced by its number, and give the advice that they become."""
    timed: list[tuple[Finding, int]] = []
    for number, finding in enumerate(findings):
        tell(number)
        if (cycles := trial.cycles_if(finding.supposed)) is not None:
            timed.append((finding, cycles))
    told = (trial.told(finding, cycles, least_gain) for finding, cycles in joined(timed, trial.run.cycles, trial.cycles_if))
    return [advice for advice in told if advice is not None]


def _chosen(given: Iterable[str | Rule]) -> list[Known]:
    """Give rules by their names; plugins are asked where archdef's own do not do. Raises ArchdefError."""
    wanted = [*given]
    own = {rule.name: Known(rule) for rule in RULES}
    known = own if wanted and all(isinstance(each, Rule) or each in own for each in wanted) else known_rules()
    chosen = []
    for each in wanted:
        if not isinstance(each, Rule) and each not in known:
            raise ArchdefError(f"no rule is called {each!r}{nearest(each, known)}; there are {', '.join(known)}")
        chosen.append(Known(each) if isinstance(each, Rule) else known[each])
    return chosen or [*known.values()]


def _kept(run: Run, architecture: str | Architecture | None, kernels: Sequence[str], size: int | None) -> Kept:
    """Give what a run has kept, unless another launch than that is asked for. Raises ArchdefError."""
    if kernels or size is not None or architecture is not None and registry.described(architecture) != run.architecture:
        raise ArchdefError(f"the run of {run.kernel} is of one kernel on {run.architecture.label}: name no other machine, no kernel and no size")
    if run.kept is None:
        raise ArchdefError(f"advice launches {run.kernel} again, and its run has kept nothing to do so with: launch it by "
                           "kernel[grid, block].launch(…, keep=True), or give a function (architecture, lowering) → Run")
    return run.kept


def _trials(workload: str | Workload | Program, machine: Architecture, kernels: Sequence[str], size: int | None) -> tuple[list[Callable[[], _Trial]], str]:
    """Give what begins the trial of each kernel, and what they are of."""
    if callable(workload):
        if kernels or size is not None:
            raise ArchdefError("a function launches what it launches: name no kernel and no size")
        return [functools.partial(_TrialOfProgram, workload, machine)], getattr(workload, "__name__", "a program")
    recipe = load(workload) if isinstance(workload, str) else workload
    size = recipe.size if size is None else size
    names = dict.fromkeys(case.kernel for case in recipe.launches(machine, size, tuple(kernels)))
    programs = [functools.partial(_of_workload, recipe, name, size, machine) for name in names]
    return [functools.partial(_TrialOfProgram, program, machine, _lowering_of(recipe)) for program in programs], recipe.name


def _lowering_of(workload: Workload) -> Options:
    given = workload.options.get("lowering")
    return given if isinstance(given, Options) else Options(debug=bool(workload.options.get("debug")))


def _of_workload(workload: Workload, kernel: str, size: int, real: Architecture, architecture: Architecture, lowering: Options) -> Run:
    """Launch a kernel of a workload as the recipe does on the real machine, on that or another; its output is checked. Raises AttributionError."""
    same = attrs.evolve(workload, options={**workload.options, "lowering": lowering}, cases=lambda size, random, other: workload.cases(size, random, real))
    return Launches(same, kernel, size)(architecture)[0]


class _Trial:
    """One launch on a machine, and the same under suppositions."""

    def __init__(self, run: Run, lowering: Options | None):
        self.run, self.kernel, self.architecture, self.lowering = run, run.kernel, run.architecture, lowering or Options()
        self.runs = 0

    def supposing(self, supposed: Supposed) -> Run:
        """Run the launch under a supposition. Raises AttributionError, ArchdefError."""
        self.runs += 1
        return self._launched(supposed)

    def cycles_if(self, supposed: Supposed) -> int | None:
        """Give what the launch takes under a supposition; None if that is a machine that cannot be made of this one. Raises AttributionError."""
        try:
            return round(self.supposing(supposed).cycles * supposed.more)
        except AttributionError:
            if supposed.certain:
                raise
            return None
        except ArchdefError:        # a machine that the supposition cannot make of this one
            return None

    def told(self, finding: Finding, cycles: int, least_gain: float) -> Advice | None:
        """Make advice of a finding whose supposition takes so many cycles; None if it gains too little. Raises AttributionError."""
        if self.run.cycles < least_gain * cycles:
            return None
        try:
            told = finding if finding.confirm is None else finding.confirm(self.supposing)
        except AttributionError:
            if finding.supposed.certain:
                raise
            return None
        except ArchdefError:        # a machine that the supposition cannot make of this one
            return None
        if told is None:
            return None
        line = told.line                # what was supposed, and for which lines, is what the gain was measured of
        return Advice(told.rule, self.kernel, self.architecture.label, line.file if line else "", line.line if line else 0, line.text if line else "",
                      dict(told.evidence), told.said, told.remedy, finding.supposed.what, self.run.cycles, cycles,
                      tuple((each.line, gain) for each, gain in finding.also))

    def _launched(self, supposed: Supposed) -> Run:
        """Run the launch on the machine, and lowered, as supposed."""
        raise NotImplementedError

    def _given(self, supposed: Supposed) -> tuple[Architecture, Options]:
        given = self.lowering
        return supposed.architecture or self.architecture, attrs.evolve(
            given, together=given.together | supposed.together, spill=given.spill and supposed.spill,
            without_barriers=given.without_barriers | supposed.without_barriers, thread_order=supposed.thread_order or given.thread_order)


class _TrialOfProgram(_Trial):
    """The launch that a program makes."""

    def __init__(self, program: Program, architecture: Architecture, lowering: Options | None = None):
        super().__init__(program(architecture, lowering or Options()), lowering)
        self.program = program

    def _launched(self, supposed: Supposed) -> Run:
        return self.program(*self._given(supposed))


class _TrialOfRun(_Trial):
    """A launch that was kept."""

    def __init__(self, run: Run, kept: Kept):
        super().__init__(run, kept.lowering)
        self.kept = kept

    def _launched(self, supposed: Supposed) -> Run:
        again = self.kept.again(*self._given(supposed))
        if not again.same and not supposed.certain:
            raise AttributionError("it leaves something else in memory")
        return again.run
