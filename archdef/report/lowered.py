"""What kernels become on a machine: their micro-ops, and what each pass of lowering did to them."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Group
from rich.text import Text

from archdef.errors import ArchdefError
from archdef.lower import Options, Program, Ran, listing, lower
from archdef.tables import Column, Kind, Table

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


def render_program(answers: Sequence[Lowered]) -> Group:
    """Lay out the listings of all kernels, one after the other."""
    parts: list[Table | Text] = []
    for one in answers:
        if one.program is None:
            parts.append(Text(f"{one.kernel} on {one.architecture}: {one.refused}", style="red"))
        else:
            parts += [Text(listing.head(one.program), style="bold"), _ops(one.program)]
    return Group(*parts)


def _ops(program: Program) -> Table:
    table = Table(Column("", Kind.NUMBER), Column("PTX\nline", Kind.NUMBER), Column("micro-op", Kind.PROSE, least=20), Column("unit", Kind.NUMBER, 4),
                  Column("issues", Kind.NUMBER, 2), Column("interval", Kind.NUMBER, 3), Column("latency", Kind.NUMBER, 1))
    for register in listing.given(program):
        table.add("", "", register)
    for op in listing.lines(program):
        table.add(str(op.op), str(op.ptx_line), op.text, str(op.unit), str(op.issues), f"{op.interval:g}", str(op.latency))
    return table


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
    table = Table(Column("pass"), Column("micro-ops", Kind.NUMBER), Column("changed", Kind.NUMBER, priority=2),
                  Column("", Kind.PROSE, priority=1, called="why it is off"))
    for one in ran:
        if one.skipped:
            table.add(Text(one.name, style="dim"), "", "", Text(f"off: {one.skipped}", style="dim"))
        else:
            count = str(one.after) if one.before == one.after else f"{one.before} > {one.after}"
            table.add(one.name, count, str(one.changed) if one.changed else "", "in another order" if one.moved else "")
    return table
