"""Views of advice on kernels."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from archdef.data.view import Row, real, text, view, whole

OF = (text("workload", "Workload."), text("kernel", "Kernel."), text("architecture", "Machine, as its label says."), text("rule", "Rule that found it."),
      text("file", "File of the line; missing: it is about the whole kernel."), whole("line", "The line, from 1."))


def _each(results: Sequence[Any]) -> Iterable[tuple[Row, Any]]:
    for found in results:
        for one in found:
            yield (found.workload, one.kernel, one.architecture, one.rule, one.file or None, one.line or None), one


@view("advice", "Something to change in a kernel.", *OF, text("line_text", "Text of the line."), text("said", "What was found, in a line."),
      text("remedy", "What to write instead."), text("supposed", "What was supposed when the launch ran again."),
      whole("duration_cycles", "What the launch takes, in cycles of a multiprocessor.", "cycles"),
      whole("duration_if_cycles", "What it takes under the supposition.", "cycles"), real("gain", "The one over the other: 2 is twice as fast."))
def advice(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each piece of advice."""
    for of, one in _each(results):
        yield (*of, one.text or None, one.said, one.remedy, one.supposed, one.cycles, one.cycles_if, one.gain)


@view("advice_evidence", "A number by which advice was found.", *OF, text("evidence", "Its name, with the unit."), real("value", "The number."))
def advice_evidence(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each number."""
    for of, one in _each(results):
        yield from ((*of, name, float(value)) for name, value in one.evidence.items())
