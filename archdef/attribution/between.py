"""From one machine to another, a group of rules at a time."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from archdef import registry
from archdef.attribution.groups import AttributionError, Grouping, grouping
from archdef.attribution.measure import Failure, Launches, Measurements, Outcome, Program, Time, loaded
from archdef.attribution.mixture import differing_groups, mixture
from archdef.attribution.result import Attribution, Factor, Joined
from archdef.attribution.shapley import Coalition, Plan, least_needed, plan
from archdef.errors import ArchdefError, SpecErrors
from archdef.examples import Workload
from archdef.spec import Architecture

Players: TypeAlias = tuple[tuple[str, ...], ...]
"""What moves one after the other: groups, some of them together."""
Said: TypeAlias = Callable[[int, int, str], None]


def attribute(workload: str | Workload | Program, a: Architecture | str, b: Architecture | str, *, kernel: str | None = None, size: int | None = None,
              groups: Mapping[str, Iterable[str]] | Iterable[str] | None = None, orders: int = 8, runs: int = 256, seed: int = 2009, jobs: int = 1,
              said: Said = lambda done, total, machine: None) -> Attribution:
    """Say by which of their rules two machines take different times for a program.

    The rules of `a` are replaced by those of `b` a group at a time, in several orders, and the program runs on every machine between the two, compiled anew for
    it. A group's factor is the geometric mean of what it brings over the orders: its Shapley value of the logarithm of the time.

    workload : a workload, its name or file, as `archdef compare` takes them; or a function that runs something on the architecture that it is
               given, and returns the `Run`, several of them, or seconds.
    kernel   : of the workload; may be left out if it has but one.
    groups   : what to tell apart, a mapping of name → paths, or a list of groups and paths, where ``+`` joins several; None: all groups there are.
               What is not named is the group ``other``.
    orders   : how many orders are drawn, in pairs of an order and its reverse; all count where that takes no more runs.
    runs     : most machines to run it on.
    jobs     : processes; with more than one a function must be one that `pickle` finds by its name.
    said     : called after each run with the number of those done, of those planned, and the label of the machine.

    Groups that cannot move apart, because some machine between the two would contradict itself or could not run the program, are joined.

    Raises AttributionError if `a` or `b` cannot run it, or if so many runs do not suffice; WorkloadError; UnknownArchitecture.
    """
    first, second = (registry.get(one) if isinstance(one, str) else one for one in (a, b))
    program, name = _program(workload, kernel, size, (first, second))
    if orders < 2:
        raise AttributionError(f"orders must be at least 2, one and its reverse, got {orders}")
    with Measurements(program, jobs, said) as measurements:
        way = _Way(first, second, grouping(groups, first, second), measurements)
        way.plan(orders, runs, seed)        # what cannot be done is said before anything runs
        way.check_ends()
        found, outcomes = way.walk(orders, runs, seed)
    times = {coalition: outcome for coalition, outcome in outcomes.items() if isinstance(outcome, Time)}
    contributions = found.contributions(lambda coalition: -math.log(times[coalition].seconds))
    factors = [Factor(player, tuple(path for group in player for path in way.differing[group]), contribution)
               for player, contribution in zip(way.players, contributions, strict=True)]
    whole = frozenset(range(len(way.players)))
    return Attribution(name, first.label, second.label, (times[frozenset()], times[whole]),
                       tuple(sorted(factors, key=lambda factor: -abs(factor.contribution.mean))), None if found.orders is None else len(found.orders), seed,
                       len(measurements.outcomes), tuple(way.joined))


def _program(workload: str | Workload | Program, kernel: str | None, size: int | None, machines: Iterable[Architecture]) -> tuple[Program, str]:
    """Give what runs on each machine, and its name."""
    if not isinstance(workload, (str, Workload)):
        if kernel is not None or size is not None:
            raise AttributionError("kernel and size are those of a workload; a function runs what it likes")
        return workload, getattr(workload, "__name__", type(workload).__name__)
    recipe = loaded(workload)
    size = recipe.size if size is None else size
    for machine in machines:
        names = list(dict.fromkeys(case.kernel for case in recipe.launches(machine, size, () if kernel is None else (kernel,))))
        if len(names) != 1:
            raise AttributionError(f"workload {recipe.name} has several kernels, choose one: {', '.join(names)}")
    return Launches(workload, names[0], size), f"{recipe.name} {names[0]}, {size:,} {recipe.size_means}" if names[0] != recipe.name else (
        f"{recipe.name}, {size:,} {recipe.size_means}")


class _Way:
    """The way from one machine to another, in steps that are as small as they can be."""

    def __init__(self, first: Architecture, second: Architecture, grouping: Grouping, measurements: Measurements):
        self.first, self.second, self.grouping, self.measurements = first, second, grouping, measurements
        self.differing = differing_groups(first, second, grouping)
        self.players: Players = tuple((name,) for name in self.differing)
        self.joined: list[Joined] = []
        self._known: dict[frozenset[str], Architecture | Failure] = {}

    def plan(self, orders: int, runs: int, seed: int) -> Plan:
        """Plan the orders in which groups move. Raises AttributionError if so many runs do not suffice."""
        found = plan(len(self.players), orders, runs, seed)
        if found is None:
            raise AttributionError(f"{runs} runs are too few for {len(self.players)} groups, of which one order and its reverse take "
                                   f"{least_needed(len(self.players))}; name fewer groups, or allow more runs")
        return found

    def check_ends(self) -> None:
        """Refuse a program that does not run on the two machines themselves."""
        outcomes = self.measurements.of({0: self.first, 1: self.second})
        for machine, outcome in zip((self.first, self.second), outcomes.values(), strict=True):
            if isinstance(outcome, Failure):
                raise AttributionError(f"it does not run on {machine.label}: {outcome.why}")

    def walk(self, orders: int, runs: int, seed: int) -> tuple[Plan, dict[Coalition, Outcome]]:
        """Measure every machine that the orders lead over; join groups until all of them do."""
        while True:
            found = self.plan(orders, runs, seed)
            coalitions = {coalition: self._groups(coalition) for coalition in found.coalitions()}
            outcomes = self._outcomes(coalitions)
            failed = next((coalition for coalition, outcome in outcomes.items() if isinstance(outcome, Failure)), None)
            if failed is None:
                return found, outcomes
            self._join(failed, outcomes[failed])

    def _outcomes(self, coalitions: Mapping[Coalition, frozenset[str]]) -> dict[Coalition, Outcome]:
        """Measure machines; if a description among them is refused, none is run."""
        machines = {coalition: self._machine(groups) for coalition, groups in coalitions.items()}
        refused: dict[Coalition, Outcome] = {coalition: machine for coalition, machine in machines.items() if isinstance(machine, Failure)}
        return refused or self.measurements.of({coalition: machine for coalition, machine in machines.items() if isinstance(machine, Architecture)})

    def _groups(self, coalition: Coalition) -> frozenset[str]:
        return frozenset(group for player in coalition for group in self.players[player])

    def _machine(self, groups: frozenset[str]) -> Architecture | Failure:
        """Give the machine with the rules of some groups of the second; Failure: there can be none."""
        if groups not in self._known:
            try:
                self._known[groups] = self.first if not groups else self.second if len(groups) == len(self.differing) else mixture(
                    self.first, self.second, groups, self.grouping)
            except SpecErrors as error:
                self._known[groups] = Failure(str(error.exceptions[0]))
            except ArchdefError as error:
                self._known[groups] = Failure(str(error))
        return self._known[groups]

    def _runs(self, coalition: Coalition) -> bool:
        """Tell whether the machine of a coalition does, for which it may have to be run."""
        outcome, = self._outcomes({coalition: self._groups(coalition)}).values()
        return isinstance(outcome, Time)

    def _join(self, failed: Coalition, outcome: Outcome) -> None:
        """Join the fewest groups of which some have moved and others have not where that fails."""
        assert isinstance(outcome, Failure)
        left = frozenset(range(len(self.players))) - failed
        together = _fewest(left, lambda chosen: self._runs(failed | chosen)) | _fewest(failed, lambda chosen: self._runs(failed - chosen))
        moved = self._groups(failed & together)
        groups = tuple(name for name in self.differing if name in self._groups(together))
        self.joined = [one for one in self.joined if not set(one.groups) <= set(groups)]
        self.joined.append(Joined(groups, tuple(name for name in groups if name in moved), outcome.why.partition("\n")[0]))
        first = min(together)
        self.players = tuple(groups if k == first else player for k, player in enumerate(self.players) if k == first or k not in together)


def _fewest(players: Coalition, suffices: Callable[[Coalition], bool]) -> Coalition:
    """Leave players out one by one as long as those that stay suffice, which all of them do."""
    chosen = players
    for player in sorted(players):
        if len(chosen) > 1 and suffices(chosen - {player}):
            chosen = chosen - {player}
    return chosen

