"""The rules as a table."""
from __future__ import annotations

from archdef.advice.rules import RULES
from archdef.tables import Column, Kind, Table


def listing() -> Table:
    """List the rules."""
    table = Table(Column("rule"), Column("looks for", Kind.PROSE, least=30))
    for rule in RULES:
        table.add(rule.name, rule.about)
    return table
