"""What an attribution gives back: factors of groups of rules whose product is the whole speed-up."""
from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import attrs

from archdef.attribution.measure import Time
from archdef.attribution.shapley import Contribution
from archdef.attribution.table import render
from archdef.console import text
from archdef.tables import to_html

if TYPE_CHECKING:
    import pandas


@attrs.frozen
class Factor:
    """How many times as fast the rules of one group make a program, of those that move together."""

    groups: tuple[str, ...]
    """One group; several if they cannot move apart."""
    paths: tuple[str, ...]
    """Paths of the description in which the two machines differ there."""
    contribution: Contribution
    """Logarithms of the factors below."""

    @property
    def name(self) -> str:
        """The groups in one word: ``caches + coalescing``."""
        return " + ".join(self.groups)

    @property
    def factor(self) -> float:
        """Geometric mean over the orders in which the groups can move; factors of all groups multiply to the whole."""
        return math.exp(self.contribution.mean)

    @property
    def relative_error(self) -> float | None:
        """Standard error of the factor as a part of it, because orders were drawn; 0: there is none, None: a single pair of orders tells none."""
        return self.contribution.standard_error

    @property
    def alone(self) -> float:
        """Factor where this group moves first: on the first machine, these rules changed alone."""
        return math.exp(self.contribution.alone)

    @property
    def last(self) -> float:
        """Factor where it moves last: the second machine, against the same with these rules of the first."""
        return math.exp(self.contribution.last)

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest factor of any order that was looked at."""
        return math.exp(self.contribution.least), math.exp(self.contribution.most)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"groups": list(self.groups), "factor": self.factor, "relative_standard_error": self.relative_error, "alone": self.alone, "last": self.last,
                "least": self.bounds[0], "most": self.bounds[1], "paths": list(self.paths)}


@attrs.frozen
class Joined:
    """Groups that move together, because a machine between the two would not do."""

    groups: tuple[str, ...]
    moved: tuple[str, ...]
    """Groups whose rules that machine would have of the second machine, the others of the first."""
    why: str
    """What is wrong with it."""

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"groups": list(self.groups), "moved": list(self.moved), "why": self.why}


@attrs.frozen(slots=False)
class Attribution:
    """Why a program takes another time on one machine than on another, by groups of rules in which these differ."""

    program: str
    """What ran: workload, kernel and size, or the name of the function."""
    first: str
    second: str
    """Labels of the two machines."""
    times: tuple[Time, Time]
    """What they took."""
    factors: tuple[Factor, ...]
    """By group, that of the greatest effect first, whichever way it goes."""
    orders: int | None
    """Orders in which groups moved that were looked at; None: all there are."""
    seed: int
    """By which they were drawn."""
    runs: int
    """Different machines on which the program ran."""
    joined: tuple[Joined, ...]
    """Groups that could not move apart."""

    @property
    def speedup(self) -> float:
        """How many times as fast the second machine is; the product of all `factors`."""
        return self.times[0].seconds / self.times[1].seconds

    @functools.cached_property
    def by_group(self) -> dict[str, Factor]:
        """Group → its factor; groups that move together have the same."""
        return {group: factor for factor in self.factors for group in factor.groups}

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        return {"format": "archdef.attribution", "version": 1, "program": self.program, "first": self.first, "second": self.second,
                "elapsed_s": [time.seconds for time in self.times], "cycles": [time.cycles for time in self.times], "speedup": self.speedup,
                "orders": self.orders, "seed": self.seed, "runs": self.runs, "factors": [factor.to_dict() for factor in self.factors],
                "joined": [joined.to_dict() for joined in self.joined]}

    def to_pandas(self) -> pandas.DataFrame:
        """Give a DataFrame with a row per group, or of groups that move together.

        Raises ImportError if pandas is missing (``pip install archdef[pandas]``).
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install archdef[pandas]") from error
        rows = [factor.to_dict() | {"groups": factor.name, "paths": len(factor.paths)} for factor in self.factors]
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        return text(render(self))

    def _repr_html_(self) -> str:
        return to_html(render(self))
