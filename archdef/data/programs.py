"""Views of programs that were run."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from archdef.data.view import Row, real, text, view, whole

OF = (text("program", "The program and its arguments."), text("architecture", "Its devices, as their label says."))


def _each(results: Sequence[Any]) -> Iterable[tuple[Row, Any]]:
    for account in results:
        yield (" ".join(account.command), account.architecture), account


@view("programs", "A program on a machine.", *OF, whole("exit_code", "Its exit code; negative: the signal that ended it."),
      whole("launches", "Grids that it launched."), whole("failed_launches", "Launches that were refused, or ended with an error."),
      whole("missing_functions", "Functions that it called and that are not supported."),
      real("makespan_s", "From the first work of a device to the last, on the simulated host's clock.", "s"),
      real("busy_s", "Time in which a device had work.", "s"))
def programs(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each program."""
    for of, one in _each(results):
        yield (*of, one.exit_code, one.launches, one.failed, len(one.missing), one.makespan_s, one.busy_s)


@view("program_kernels", "A kernel of a program, all launches together.", *OF, text("kernel", "Kernel."), whole("launches", "How often it was launched."),
      whole("timed_launches", "How many of these launches were timed, the others executed only."),
      whole("duration_cycles", "What all that were timed took, in cycles of a multiprocessor.", "cycles"), real("duration_s", "The same in seconds.", "s"))
def program_kernels(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each kernel."""
    for of, one in _each(results):
        yield from ((*of, each.kernel, each.launches, each.timed, each.cycles, each.seconds) for each in one.kernels)


@view("program_copies", "Copies of one kind, and sets of memory.", *OF, text("name", "What they are."), whole("copies", "How many."),
      whole("moved_bytes", "What they moved.", "bytes"), real("duration_s", "What they took.", "s"))
def program_copies(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each kind."""
    for of, one in _each(results):
        yield from ((*of, each.name, each.copies, each.nbytes, each.seconds) for each in one.copies)
