"""What kernels take, a line each."""
from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from archdef.formatting import size
from archdef.run.resources import Resources


def render(answers: Sequence[Resources | tuple[str, str, Exception]]) -> Group:
    """Lay out resources; a kernel that a machine refuses, as ``(kernel, machine, error)``, says why below the table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("kernel", "on"):
        table.add_column(heading, no_wrap=True)
    for heading in ("registers", "spilled,\nst/ld", "stack", "shared", "parameters,\nconstants"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("launch bounds", "from"):
        table.add_column(heading)
    refused = []
    for answer in answers:
        if not isinstance(answer, Resources):
            refused.append(Text(f"{answer[0]} on {answer[1]}: {answer[2]}", style="red"))
            continue
        table.add_row(answer.kernel, answer.architecture, str(answer.registers), _spilled(answer), size(answer.stack_bytes),
                      size(answer.shared_bytes) + (" + dynamic" if answer.dynamic_shared else ""), _constant(answer),
                      _bounds(answer), answer.registers_from)
    return Group(*([table] if table.row_count else []), *refused)


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
