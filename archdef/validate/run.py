"""Runs reference cases and judges them: which meet their tolerance, which miss as is known, and which have changed."""
from __future__ import annotations

import collections
import concurrent.futures
import fnmatch
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs

from archdef.device import Device
from archdef.errors import ArchdefError, Interrupted, PluginError, ReferenceCaseError, nearest
from archdef.spec import Architecture
from archdef.validate.case import MEAN, ORDER, Case, Gap, Group, References
from archdef.validate.finding import find
from archdef.validate.load import references
from archdef.validate.statistics import columns, order
from archdef.values import cut

MET, KNOWN, NEW, CLOSED, RANKED, REFUSED = "met", "known gap", "new gap", "closed gap", "ranks only", "not run"
STATUSES = (MET, KNOWN, NEW, CLOSED, RANKED, REFUSED)
"""What becomes of a case. `NEW` and `CLOSED` are faults, `REFUSED` is one if the case counts."""


@attrs.frozen(repr=False)
class Outcome:
    """One case with the model's value."""

    case: Case
    model: float | None
    """None if the experiment did not run."""
    status: str
    gap: Gap | None = None
    message: str = ""
    """Why it is at fault, or why it did not run."""

    def __repr__(self) -> str:
        return f"<Outcome of {cut(self.case.id)}: {self.status}, {self.model} where hardware gave {self.case.value} {cut(self.case.unit)}>"

    @property
    def error(self) -> float | None:
        """Signed relative error; the difference where hardware's value is 0."""
        return None if self.model is None else self.case.error(self.model)

    @property
    def figure(self) -> float:
        """The model's value, of a case that ran. Raises ValueError for another."""
        if self.model is None:
            raise ValueError(f"{self.case.id} did not run: {self.message}")
        return self.model

    @property
    def miss(self) -> float:
        """The `error` of a case that ran. Raises ValueError for another."""
        return self.case.error(self.figure)

    @property
    def fault(self) -> bool:
        """Whether something has to be done: about the model, or about its list of known gaps."""
        return self.status in (NEW, CLOSED) or (self.status == REFUSED and self.case.counts)


@attrs.frozen(repr=False)
class Report:
    """One architecture's cases, judged."""

    architecture: Architecture
    references: References
    outcomes: tuple[Outcome, ...]
    faults: tuple[str, ...] = ()
    """What is wrong with the list of gaps itself: ids that DEVIATIONS.md lacks, gaps that name no case or have closed."""

    def __repr__(self) -> str:
        return f"<Report of {len(self.outcomes)} cases of {cut(self.architecture.label)}: {'good' if self.good else 'not good'}>"

    @property
    def good(self) -> bool:
        """Whether the cases are there, and no gap has opened or closed unnoticed."""
        return not self.faults and not self.references.not_installed and not any(outcome.fault for outcome in self.outcomes)

    def groups(self) -> dict[Group, tuple[Outcome, ...]]:
        """Give the outcomes by group."""
        found: dict[Group, list[Outcome]] = {}
        for outcome in self.outcomes:
            found.setdefault(self.references.groups[outcome.case.group], []).append(outcome)
        return {group: tuple(outcomes) for group, outcomes in found.items()}


def validate(architectures: Iterable[Architecture], *, only: Iterable[str] = (), quick: bool = False, jobs: int = 1,
             said: Callable[[int, int, str], None] = lambda done, all, name: None) -> tuple[Report, ...]:
    """Run the reference cases of architectures, each with those that its plugin ships.

    only  : globs of case ids, or names of groups; none: all.
    quick : leave out the cases that are marked long.
    jobs  : processes to run them in; the reports are the same for any number.
    said  : called after each experiment with how many are done, how many there are, and its name.

    An architecture whose evidence is not installed, or cannot be used, gives a report without outcomes that says so, and is not good.

    Raises ReferenceCaseError if a file of cases is not as it should be, or `only` names nothing.
    """
    only = tuple(only)
    shipped = {architecture.name: (architecture, available(architecture.name)) for architecture in architectures}
    _refuse_patterns_without_case(only, (found for _, found in shipped.values()))
    chosen = {name: tuple(case for case in found.only(only) if not (quick and case.long)) for name, (_, found) in shipped.items()}
    tasks: dict[tuple[str, str], tuple[Architecture, Case]] = {}
    for name, cases in chosen.items():
        for case in cases:
            tasks.setdefault((name, case.key), (shipped[name][0], case))
    results = dict(_results(tasks, jobs, said))
    return tuple(judge(architecture, found, {case.id: results[name, case.key] for case in chosen[name]})
                 for name, (architecture, found) in shipped.items())


def available(name: str) -> References:
    """Give the reference cases of an architecture, or none and the reason, if what holds them cannot be used: it harms no other architecture."""
    try:
        return references(name)
    except PluginError as error:
        return References(name, (), {}, (), {}, problem=str(error))


def _refuse_patterns_without_case(patterns: Iterable[str], shipped: Iterable[References]) -> None:
    shipped = tuple(shipped)
    if any(found.not_installed or found.problem for found in shipped):
        return      # it may be one of those
    for pattern in patterns:
        if not any(found.only((pattern,)) for found in shipped):
            known = {name for found in shipped for case in found.cases for name in (case.group, case.id)}
            raise ReferenceCaseError(f"no case is called {pattern!r}{nearest(pattern, known)}; 'archdef validate --list' lists them")


# ---------------------------------------------------------------------------------------------------------------- running
Result = Mapping[str, float] | str
"""Quantities, or why there are none."""
Tasks = Mapping[tuple[str, str], tuple[Architecture, Case]]
"""By name of the architecture and key of the case: what runs once, on what."""


def _results(tasks: Tasks, jobs: int, said: Callable[[int, int, str], None]) -> Iterator[tuple[tuple[str, str], Result]]:
    for done, (key, result, name) in enumerate(_serial(tasks) if jobs <= 1 or len(tasks) < 2 else _parallel(tasks, jobs), start=1):
        said(done, len(tasks), name)
        yield key, result


def _serial(tasks: Tasks) -> Iterator[tuple[tuple[str, str], Result, str]]:
    for key, (architecture, case) in tasks.items():
        yield key, attempt(architecture, case), case.id


def _parallel(tasks: Tasks, jobs: int) -> Iterator[tuple[tuple[str, str], Result, str]]:
    """Long experiments first, so that none is left alone at the end."""
    order = sorted(tasks, key=lambda key: not tasks[key][1].long)
    others = multiprocessing.active_children()
    # Ctrl-C reaches all processes of a terminal: this one ends the others
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        waiting = {pool.submit(attempt, *tasks[key]): key for key in order}
        try:
            for future in concurrent.futures.as_completed(waiting):
                key = waiting[future]
                yield key, future.result(), tasks[key][1].id
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                if process not in others:
                    process.terminate()
            raise


def attempt(architecture: Architecture, case: Case) -> Result:
    """Run the experiment of a case; give its quantities, or why it did not run."""
    try:
        machine = architecture.evolve(dict(case.evolve)) if case.evolve else architecture
        return dict(find(case.experiment, architecture.name)(Device(machine), **case.parameters))
    except Interrupted:
        raise
    except (ArchdefError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


# ---------------------------------------------------------------------------------------------------------------- judging
def judge(architecture: Architecture, shipped: References, results: Mapping[str, Result]) -> Report:
    """Judge the results of experiments, by case id, against hardware's values and the known gaps."""
    outcomes = tuple(_outcome(case, results[case.id], shipped) for case in shipped.cases if case.id in results)
    problem = (shipped.problem,) if shipped.problem else ()
    return Report(architecture, shipped, outcomes, (*problem, *_faults_of_gaps(shipped, outcomes), *_faults_of_means(shipped, outcomes),
                                                    *_faults_of_orders(shipped, outcomes)))


def _outcome(case: Case, result: Result, shipped: References) -> Outcome:
    gap = shipped.gap_of(case.id)
    if isinstance(result, str):
        return Outcome(case, None, REFUSED, gap, result.partition("\n")[0])
    if case.quantity not in result:
        return Outcome(case, None, REFUSED, gap, f"{case.experiment} gives no {case.quantity}{nearest(case.quantity, result)}")
    model = float(result[case.quantity])
    error, met = case.error(model), case.meets(model)
    if not case.counts:
        return Outcome(case, model, RANKED, gap)
    if met:
        if gap is None or gap.pattern != case.id:
            return Outcome(case, model, MET, gap)
        return Outcome(case, model, CLOSED, gap, f"{gap.deviation} has closed: take it off {_GAPS}")
    if gap is None:
        return Outcome(case, model, NEW, None, f"the error is {error:+.1%}, and no known gap names the case")
    if not gap.expects(error):
        return Outcome(case, model, NEW, gap, f"the error is {error:+.1%}; {gap.deviation} expects {gap.low:+.1%} to {gap.high:+.1%}")
    return Outcome(case, model, KNOWN, gap)


_GAPS = "the plugin's gaps.toml"



def _faults_of_gaps(shipped: References, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Find gaps whose id DEVIATIONS.md lacks, that name no case, or of whose several cases none misses any more."""
    by_id = {outcome.case.id: outcome for outcome in outcomes}
    for gap in shipped.gaps:
        if gap.deviation not in shipped.deviations:
            yield f"{gap.pattern}: DEVIATIONS.md has no {gap.deviation}"
        named = fnmatch.filter([case.id for case in shipped.cases], gap.pattern)
        if gap.pattern in {f"{group}/{what}" for group in shipped.groups for what in (MEAN, ORDER)}:
            continue
        if not named:
            yield f"{gap.deviation}: no case is called {gap.pattern}"
        elif gap.pattern not in named and all(id in by_id for id in named) and not any(
                by_id[id].gap is gap and by_id[id].status in (KNOWN, NEW) for id in named):
            yield f"{gap.deviation}: none of {gap.pattern} misses any more: take it off {_GAPS}"


def group_means(shipped: References, outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Give the mean absolute relative error of each group that asks for one and of which every case that counts ran."""
    return {name: sum(abs(outcome.miss) for outcome in counting) / len(counting)
            for name, counting in _complete(shipped, outcomes).items() if shipped.groups[name].mean is not None}


def group_orders(shipped: References, outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Give the share of pairs in another order than hardware's of each group that asks for it and of which every case that counts ran."""
    counted = {name: order(*columns(counting), [(o.case.quantity, o.case.unit) for o in counting])
               for name, counting in _complete(shipped, outcomes).items() if shipped.groups[name].ordered}
    return {name: 1 - right / told for name, (told, right) in counted.items() if told}


def _complete(shipped: References, outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Give what counts and is not exact, by group, of the groups of which all of it ran."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.case.counts and not outcome.case.exact and outcome.model is not None:
            found.setdefault(outcome.case.group, []).append(outcome)
    asked = collections.Counter(case.group for case in shipped.cases if case.counts and not case.exact)
    return {name: counting for name, counting in found.items() if len(counting) == asked[name]}


def _faults_of_means(shipped: References, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Find groups whose mean error is above what is asked of it, unless that is known."""
    for name, mean in group_means(shipped, outcomes).items():
        asked, gap = shipped.groups[name].mean, next((gap for gap in shipped.gaps if gap.pattern == f"{name}/{MEAN}"), None)
        assert asked is not None, "group_means has those that ask for one"
        if gap is None and mean > asked:
            yield f"{name}: the mean error is {mean:.1%}, above {asked:.1%}, and no known gap names {name}/{MEAN}"
        elif gap is not None and mean <= asked:
            yield f"{name}: the mean error is {mean:.1%}; {gap.deviation} has closed: take {gap.pattern} off {_GAPS}"
        elif gap is not None and not gap.expects(mean):
            yield f"{name}: the mean error is {mean:.1%}; {gap.deviation} expects {gap.low:.1%} to {gap.high:.1%}"


def _faults_of_orders(shipped: References, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Find groups whose cases do not come in the order that is asked of them, unless that is known."""
    for name, wrong in group_orders(shipped, outcomes).items():
        gap = next((gap for gap in shipped.gaps if gap.pattern == f"{name}/{ORDER}"), None)
        if gap is None and wrong:
            yield f"{name}: {wrong:.1%} of the pairs are in another order than on hardware, and no known gap names {name}/{ORDER}"
        elif gap is not None and not wrong:
            yield f"{name}: all pairs are in hardware's order; {gap.deviation} has closed: take {gap.pattern} off {_GAPS}"
        elif gap is not None and not gap.expects(wrong):
            yield f"{name}: {wrong:.1%} of the pairs are in another order; {gap.deviation} expects {gap.low:.1%} to {gap.high:.1%}"
