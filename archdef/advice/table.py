"""The rules as a table."""
from __future__ import annotations

from archdef.advice.plugins import known_rules
from archdef.tables import Column, Kind, Table


def listing() -> Table:
    """List the rules, those of plugins among them."""
    table = Table(Column("rule"), Column("looks for", Kind.PROSE, least=30))
    for known in known_rules().values():
        table.add(known.rule.name, known.rule.about)
    return table
