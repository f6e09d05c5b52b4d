"""What a reference case is: an experiment on an architecture, one quantity of its outcome, and what hardware gave."""
from __future__ import annotations

import fnmatch
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from archdef.errors import ReferenceCaseError
from archdef.values import cut

CONFIDENCES = ("measured", "seen", "derived", "recalled")
"""How well a value is known: measured here; read in the source; computed from what was read; remembered of the source."""
EXACT = "exact"
"""The tolerance of counts: equality."""
MEAN = "mean"
"""``group/mean`` stands for the mean error of a group in the list of gaps."""
ORDER = "order"
"""``group/order`` stands for the share of pairs in a group that come in another order than on hardware."""


def _within(*allowed: str) -> Callable[[object, attrs.Attribute[Any], object], None]:
    def check(instance: object, attribute: attrs.Attribute[Any], value: object) -> None:
        if value not in allowed:
            raise ReferenceCaseError(f"{attribute.name} must be one of {', '.join(allowed)}, got {value!r}")
    return check


def _text(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ReferenceCaseError(f"{attribute.name} must be a text that is not empty, got {value!r}")


def _number(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ReferenceCaseError(f"{attribute.name} must be a number, got {value!r}")


def _tolerance(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    if value != EXACT and (isinstance(value, (bool, str)) or not isinstance(value, (int, float)) or not 0 < value < math.inf):
        raise ReferenceCaseError(f"{attribute.name} must be {EXACT!r} or a share such as 0.05, got {value!r}")


def _paths(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    if value is not None and not all(isinstance(path, str) and path for path in value):
        raise ReferenceCaseError(f"{attribute.name} must be a list of paths such as 'caches.l2.latency_cycles', got {list(value)!r}")


def _tuple(value: Any) -> tuple[Any, ...] | None:
    """Take a list for what it holds; anything else is for the validator to refuse."""
    return value if value is None else tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _share(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    if isinstance(value, (bool, str)) or not isinstance(value, (int, float)) or not 0 <= value < 1:
        raise ReferenceCaseError(f"{attribute.name} must be a share of the value, from 0 to below 1, got {value!r}")


@attrs.frozen
class Source:
    """Where hardware's values are from."""

    title: str = attrs.field(validator=_text)
    authors: str = ""
    year: int | None = None
    where: str = ""
    """Page, table, address; how it was measured."""

    def __str__(self) -> str:
        parts = [self.authors, self.title, str(self.year or "")]
        return ", ".join(part for part in parts if part)


@attrs.frozen
class Group:
    """Cases that belong together, and what is asked of them."""

    name: str
    about: str = ""
    tolerance: float | str = attrs.field(default=0.2, validator=_tolerance)
    """`EXACT`, or the largest accepted relative error of a case that names none itself."""
    mean: float | None = None
    """The largest accepted mean absolute relative error of the group's cases; None asks for none."""
    slack: float = 0
    """A difference up to this, in the unit of the cases, is accepted whatever its relative size."""
    spread: float = attrs.field(default=0, validator=_share)
    """Of a case that names none itself."""
    ordered: bool = False
    """Whether the cases have to come in hardware's order, as far as hardware tells them apart."""


@attrs.frozen
class Case:
    """One figure of hardware, and what to run for the model's."""

    id: str = attrs.field(validator=_text)
    """``group/name``."""
    arch: str = attrs.field(validator=_text)
    """Name of the architecture."""
    experiment: str = attrs.field(validator=_text)
    quantity: str = attrs.field(validator=_text)
    """Which of the experiment's quantities."""
    value: float = attrs.field(validator=_number)
    """What hardware gave."""
    source: Source
    confidence: str = attrs.field(validator=_within(*CONFIDENCES))
    tolerance: float | str = attrs.field(validator=_tolerance)
    slack: float = attrs.field(default=0, validator=_number)
    """A difference up to this, in the unit, is accepted whatever its relative size."""
    spread: float = attrs.field(default=0, validator=_share)
    """Share of the value by which it may be off either way: how exactly it was printed, how far repetitions lie apart. Values whose ranges
    meet are ties in every order."""
    unit: str = ""
    parameters: Mapping[str, Any] = attrs.field(factory=dict)
    """Of the experiment."""
    evolve: Mapping[str, Any] = attrs.field(factory=dict)
    """Fields in which the machine of the source differs from `arch`, by path."""
    usable: bool = True
    """False: printed figures that are in doubt, or machines that are alike only; they rank, and fail nothing."""
    series: str = ""
    """Cases of one series differ in `size` alone; the slope over sizes is taken over them."""
    size: float | None = None
    fitted_to: tuple[str, ...] | None = attrs.field(default=None, converter=_tuple, validator=_paths)
    """Fields or parts of the description, by path, that are this figure or were chosen so that it comes out. Empty: there are none, so the case
    judges the model. None: nobody knows, so that it may have been fitted to."""
    ladder: str = ""
    """``group/name`` of the ladder of which the case is one point: a curve that was published, over `along`; empty for a case by itself."""
    along: str = ""
    """The parameter of the experiment in which the points of a ladder differ …"""
    at: float | None = attrs.field(default=None, validator=attrs.validators.optional(_number))
    """… and its value at this one."""
    long: bool = False
    """It takes more than a few seconds."""
    note: str = ""

    def __attrs_post_init__(self) -> None:
        if not bool(self.ladder) == bool(self.along) == (self.at is not None):
            raise ReferenceCaseError(f"a ladder ({self.ladder or self.along or self.at}) needs along and points, or each of its cases ladder, along and at")

    @property
    def fitted(self) -> bool:
        """Whether something of the description was, or may have been, fitted to the figure: then it says little about the model."""
        return self.fitted_to is None or bool(self.fitted_to)

    @property
    def group(self) -> str:
        """What stands before the first slash."""
        return self.id.partition("/")[0]

    @property
    def place(self) -> float:
        """The value of `along` at a point of a ladder. Raises ValueError for another case."""
        if self.at is None:
            raise ValueError(f"{self.id} is no point of a ladder")
        return self.at

    @property
    def exact(self) -> bool:
        """Whether only equality will do."""
        return self.tolerance == EXACT

    @property
    def counts(self) -> bool:
        """Whether the case may fail: neither in doubt nor from memory."""
        return self.usable and self.confidence != "recalled"

    @property
    def key(self) -> str:
        """Equal for cases that one run of the experiment serves."""
        return json.dumps([self.arch, self.experiment, dict(self.parameters), dict(self.evolve)], sort_keys=True)

    def error(self, model: float) -> float:
        """Give the signed relative error of the model's value; the difference itself where hardware's value is 0."""
        return model / self.value - 1 if self.value else model

    def meets(self, model: float) -> bool:
        """Say whether the model's value is within the tolerance."""
        if isinstance(self.tolerance, str):     # EXACT
            return math.isclose(model, self.value, rel_tol=1e-9, abs_tol=1e-12)
        return abs(model - self.value) <= self.slack or abs(self.error(model)) <= self.tolerance


@attrs.frozen
class Gap:
    """A known difference: which cases miss, why, and by how much they are expected to."""

    pattern: str
    """A case's id, or a glob of several."""
    deviation: str
    """Id of the line in the plugin's DEVIATIONS.md."""
    low: float
    high: float
    """The band of the signed relative error."""
    arch: str = ""
    """The architecture that it is about; empty: every one of the plugin."""

    def names(self, id: str) -> bool:
        """Say whether it is about this case."""
        return fnmatch.fnmatchcase(id, self.pattern)

    def expects(self, error: float) -> bool:
        """Say whether the error is as large as expected."""
        return self.low <= error <= self.high


@attrs.frozen(repr=False)
class References:
    """What a plugin ships for one architecture."""

    arch: str
    cases: tuple[Case, ...]
    groups: Mapping[str, Group]
    gaps: tuple[Gap, ...]
    deviations: Mapping[str, str]
    """Id → how the machine differs, from DEVIATIONS.md."""
    not_installed: tuple[str, ...] = ()
    """Distributions that hold its reference cases, and are not installed: why there are none."""
    problem: str = ""
    """Why what is installed cannot be used."""

    def __repr__(self) -> str:
        return f"<References of {cut(self.arch)}: {len(self.cases)} cases, {len(self.gaps)} gaps>"

    def gap_of(self, id: str) -> Gap | None:
        """Find the gap that names a case: one that names it alone before those that name several."""
        naming = [gap for gap in self.gaps if gap.names(id)]
        return min(naming, key=lambda gap: gap.pattern != id, default=None)

    def only(self, patterns: Iterable[str]) -> tuple[Case, ...]:
        """Choose cases by globs of their ids; a group's name alone stands for all of it."""
        patterns = tuple(patterns)
        return tuple(case for case in self.cases if not patterns or any(
            fnmatch.fnmatchcase(case.id, pattern) or fnmatch.fnmatchcase(case.group, pattern) for pattern in patterns))
