"""The accounts of one program on several machines, beside each other."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
from rich.console import Console, ConsoleOptions, RenderResult

from archdef.console import text
from archdef.formatting import seconds
from archdef.tables import Column, Kind, Table

if TYPE_CHECKING:
    from archdef.exec.account import Account

_NONE = "-"


@attrs.frozen(eq=False)
class Beside:
    """What a program took on each machine: prints as a table with a column for each."""

    accounts: Sequence[Account]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(Column("time", Kind.PROSE, least=16), *(Column(each.architecture, Kind.NUMBER, part=k) for k, each in enumerate(self.accounts)))
        for name, times in self._rows():
            table.add(name, *(_NONE if each is None else seconds(each) for each in times))
        table.add("first to last work", *(seconds(each.makespan_s) if each.launches or each.copies else _NONE for each in self.accounts))
        if any(each.exit_code for each in self.accounts):
            table.add("exit code", *(each.ended.partition(",")[0].removeprefix("exit code ").removeprefix("ended by ") for each in self.accounts))
        if any(each.failed for each in self.accounts):
            table.add("failed launches", *(f"{each.failed:,}" for each in self.accounts))
        yield table

    def _rows(self) -> Iterator[tuple[str, list[float | None]]]:
        """Give kernels and then copies, those first that took longest on any machine; None where a machine had none."""
        for found in ([{each.kernel: each.seconds for each in account.kernels} for account in self.accounts],
                      [{each.name: each.seconds for each in account.copies} for account in self.accounts]):
            names = dict.fromkeys(name for times in found for name in times)
            for name in sorted(names, key=lambda name: -max(times.get(name, 0.0) for times in found)):
                yield name, [times.get(name) for times in found]

    def __str__(self) -> str:
        return text(self)
