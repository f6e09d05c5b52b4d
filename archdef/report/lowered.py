"""What kernels become on a machine: their micro-ops, and what each pass of lowering did to them."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import attrs
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from archdef.errors import ArchdefError
from archdef.lower import Options, Program, Ran, lower

if TYPE_CHECKING:
    from archdef.run.module import Module


@attrs.frozen
class Lowered:
    """One kernel on one machine."""

    kernel: str
    architecture: str
    program: Program | None
    """None where the machine refuses it."""
    passes: tuple[Ran, ...] = ()
    refused: str = ""

    def to_dict(self, passes: bool = False) -> dict[str, Any]:
        """Give plain data, ready for JSON: the program's figures and its listing, or what each pass did."""
        found: dict[str, Any] = {"kernel": self.kernel, "architecture": self.architecture}
        if self.program is None:
            return found | {"refused": self.refused}
        found |= {"micro_ops": len(self.program.ops), "instructions": self.program.instructions, "registers": self.program.registers}
        return found | ({"passes": [attrs.asdict(one) for one in self.passes]} if passes else {"listing": self.program.listing().splitlines()})


def lowered(module: Module, kernels: Iterable[str] = ()) -> list[Lowered]:
    """Lower kernels of a module, all of them if none is named, and keep what each pass did."""
    answers = []
    for kernel in [module[name] for name in tuple(kernels) or module.kernels]:
        ran: list[Ran] = []
        architecture = module.device.architecture
        try:
            program = lower(module.ptx, kernel.symbol, architecture, options=module.lowering or Options(), trace=ran)
        except ArchdefError as error:
            answers.append(Lowered(kernel.name, architecture.label, None, refused=str(error)))
        else:
            answers.append(Lowered(kernel.name, architecture.label, program, tuple(ran)))
    return answers


def render_program(answers: Sequence[Lowered]) -> str:
    """Give the listings of all kernels, one after the other."""
    return "\n".join(f"{one.kernel} on {one.architecture}: {one.refused}\n" if one.program is None else one.program.listing() for one in answers)


def render_passes(answers: Sequence[Lowered]) -> Group:
    """Lay out what each pass did, a table for each function of each kernel."""
    parts: list[Table | Text] = []
    for answer in answers:
        if answer.program is None:
            parts.append(Text(f"{answer.kernel} on {answer.architecture}: {answer.refused}", style="red"))
        for function, ran in groupby(answer.passes, key=lambda one: one.function):
            parts.append(Text(f"{function} for {answer.architecture}", style="bold"))
            parts.append(_table(list(ran)))
    return Group(*parts)


def _table(ran: Sequence[Ran]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("pass", no_wrap=True)
    for heading in ("micro-ops", "changed"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", max_width=25)
    for one in ran:
        if one.skipped:
            table.add_row(Text(one.name, style="dim"), "", "", Text(f"off: {one.skipped}", style="dim"))
        else:
            count = str(one.after) if one.before == one.after else f"{one.before} > {one.after}"
            table.add_row(one.name, count, str(one.changed) if one.changed else "", "in another order" if one.moved else "")
    return table
