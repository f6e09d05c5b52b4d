"""What kernels take, a line each."""
from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from archdef.formatting import size
from archdef.run.resources import Resources
from archdef.tables import Column, Kind, Table


def render(answers: Sequence[Resources | tuple[str, str, Exception]]) -> Group:
    """Lay out resources; a kernel that a machine refuses, as ``(kernel, machine, error)``, says why below the table."""
    table = Table(Column("kernel", Kind.PROSE, least=20), Column("on"), Column("registers", Kind.NUMBER), Column("spilled,\nst/ld", Kind.NUMBER, 1),
                  Column("stack", Kind.NUMBER, 4), Column("shared", Kind.NUMBER, 2),
                  Column("parameters,\nconstants", Kind.NUMBER, 5, called="parameters and constants"),
                  Column("launch bounds", Kind.PROSE, 3), Column("from", Kind.PROSE, 6, called="who counted the registers"))
    refused = []
    for answer in answers:
        if not isinstance(answer, Resources):
            refused.append(Text(f"{answer[0]} on {answer[1]}: {answer[2]}", style="red"))
            continue
        table.add(answer.kernel, answer.architecture, str(answer.registers), _spilled(answer), size(answer.stack_bytes),
                  size(answer.shared_bytes) + (" + dynamic" if answer.dynamic_shared else ""), _constant(answer), _bounds(answer), answer.registers_from)
    return Group(*([table] if table else []), *refused)


def _spilled(answer: Resources) -> str:
    stores, loads, left = answer.spill_store_bytes, answer.spill_load_bytes, answer.unspilled_registers
    traffic = f"{stores}/{loads} B" if stores or loads else ""
    return ", ".join(part for part in (traffic, f"{left} regs cannot" if left else "") if part) or "-"


def _constant(answer: Resources) -> str:
    if answer.constant_banks is not None:
        return ", ".join(f"c{bank} {size(nbytes)}" for bank, nbytes in sorted(answer.constant_banks.items())) or "-"
    return f"{size(answer.parameter_bytes)}, {size(answer.constant_bytes)}"


def _bounds(answer: Resources) -> str:
    parts = [f"{answer.max_threads} threads" if answer.max_threads else "",
             f"{answer.min_blocks} blocks" if answer.min_blocks else "",
             f"{answer.max_registers} regs" if answer.max_registers else ""]
    return ", ".join(part for part in parts if part) or "-"
