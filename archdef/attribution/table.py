"""An attribution as a table of at most 80 columns."""
from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from archdef.attribution.groups import MEANINGS, RULES
from archdef.formatting import NOTHING, count, seconds, three

if TYPE_CHECKING:
    from archdef.attribution.result import Attribution, Factor

_WIDTH = 80
_NOTABLE = math.log(1.005)
"""What changes the time by less, in whatever order, gets no row of its own."""


def render(attribution: Attribution) -> Group:
    """Lay an attribution out: the whole, a row per group, what has no effect, what moves together, what the columns are."""
    shown = [factor for factor in attribution.factors if _shows(factor)]
    hidden = [factor for factor in attribution.factors if not _shows(factor)]
    return Group(_head(attribution), *([_factors(attribution, shown, hidden)] if attribution.factors else []), *_without_effect(hidden), *_joined(attribution),
                 _legend(attribution))


def _shows(factor: Factor) -> bool:
    return max(abs(math.log(bound)) for bound in (*factor.bounds, factor.factor)) >= _NOTABLE


def _head(attribution: Attribution) -> Text:
    took = [seconds(time.seconds) + (f" ({count(time.cycles)} cycles)" if time.cycles is not None else "") for time in attribution.times]
    speed = f"{three(attribution.speedup)} times as fast" if attribution.speedup >= 1 else f"{three(1 / attribution.speedup)} times as slow"
    return Text(_folded(f"{attribution.program}: {attribution.first} {took[0]} → {attribution.second} {took[1]}, {speed}"), style="bold")


def _factors(attribution: Attribution, shown: list[Factor], hidden: list[Factor]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("rules", overflow="fold")
    for heading in ("factor", "± std. error", "alone", "last", "least … most"):
        table.add_column(heading, justify="right", no_wrap=True)
    for factor in shown:
        least, most = factor.bounds
        table.add_row(Text(factor.name), Text(_times(factor.factor), style="bold"), _error(factor), _times(factor.alone), _times(factor.last),
                      f"{_times(least)} … {_times(most)}")
    if hidden:
        table.add_row("all others", _times(math.exp(math.fsum(factor.contribution.mean for factor in hidden))))
    table.add_section()
    table.add_row("product", Text(_times(attribution.speedup), style="bold"))
    return table


def _times(factor: float) -> str:
    return f"{factor:.3g}x" if factor < 0.1 else f"{three(factor)}x"


def _error(factor: Factor) -> str:
    error = factor.relative_error
    return NOTHING if error is None else "" if error == 0 else f"{100 * error:.1f} %"


def _without_effect(hidden: list[Factor]) -> list[Text]:
    if not hidden:
        return []
    return [Text(_folded(f"all others, less than 0.5 % in whatever order: {', '.join(factor.name for factor in hidden)}"))]


def _joined(attribution: Attribution) -> list[Text]:
    return [Text(_folded(f"{' + '.join(joined.groups)} move together: with {', '.join(joined.moved)} of {attribution.second} and the rest of "
                         f"{attribution.first}, {' '.join(joined.why.split())}")) for joined in attribution.joined]


def _legend(attribution: Attribution) -> Text:
    how = "the mean over all orders in which the rules can move" if attribution.orders is None else (
        f"the mean over {attribution.orders} orders in which the rules can move, drawn with the seed {attribution.seed}")
    lines = [f"factor: how many times as fast the rules make it, {how} (geometric, Shapley values of the logarithm); {attribution.runs} machines were run.",
             f"alone: on {attribution.first}, these rules of {attribution.second} and no others. last: {attribution.second}, against the same with these rules "
             f"of {attribution.first}. least … most: of any order looked at."]
    apart = "" if all(map(_shows, attribution.factors)) and not attribution.joined else "\n"      # a table ends with an empty line
    return Text(apart + "\n".join(map(_folded, lines)), style="dim")


def listing() -> Table:
    """Lay out the groups that there are: what each is, and the paths that it moves."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, width=_WIDTH)
    table.add_column("rules", no_wrap=True)
    table.add_column("what they are", overflow="fold", ratio=2)
    table.add_column("paths", overflow="fold", ratio=3)
    for name, meaning in MEANINGS.items():
        table.add_row(name, meaning, ", ".join(RULES.get(name, ())))
    return table


def _folded(words: str) -> str:
    return fill(words, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
