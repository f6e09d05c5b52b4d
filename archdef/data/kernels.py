"""Views of kernels before they run, and of what metrics mean."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from archdef.data.view import Row, flag, real, text, view, whole
from archdef.lower import listing

KERNEL = (text("kernel", "Kernel."), text("architecture", "Machine, as its label says."))


@view("resources", "What a kernel takes of a machine; what only an assembler, or only liveness, can know may be missing.", *KERNEL,
      whole("registers", "Registers of a thread."), text("registers_from", "``liveness``, or the assembler."),
      whole("spilled_registers", "Registers beyond what there is room for."), whole("stack_bytes", "Local memory of a thread.", "bytes"),
      whole("spill_store_bytes", "What spilling stores, each thread and pass through the code.", "bytes"), whole("spill_load_bytes", "What it loads.", "bytes"),
      whole("shared_bytes", "Static shared memory of a block.", "bytes"), flag("dynamic_shared", "Whether the launch adds to that."),
      whole("parameter_bytes", "Parameters.", "bytes"), whole("constant_bytes", "Constant variables of the module.", "bytes"),
      whole("barriers", "Barriers of a block."), whole("max_registers", "Most registers that the author allows."),
      whole("max_threads", "Largest block that the author allows."), whole("min_blocks", "Blocks on a multiprocessor that the author asks for."))
def resources(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each kernel."""
    for r in results:
        yield (r.kernel, r.architecture, r.registers, r.registers_from, r.spilled_registers, r.stack_bytes, r.spill_store_bytes, r.spill_load_bytes,
               r.shared_bytes, r.dynamic_shared, r.parameter_bytes, r.constant_bytes, r.barriers, r.max_registers, r.max_threads, r.min_blocks)


@view("micro_ops", "A micro-op of a kernel.", *KERNEL, whole("micro_op", "Number of the micro-op, from 0."), whole("ptx_line", "Line of the PTX, from 1."),
      text("text", "What it does."), whole("unit", "Number of the unit that executes it."), whole("issues", "Issue slots that it takes."),
      real("interval_cycles", "For which it holds the unit.", "cycles"), whole("latency_cycles", "Until its result is there.", "cycles"))
def micro_ops(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each micro-op of kernels that the machine takes."""
    for one in results:
        if one.program is not None:
            yield from ((one.kernel, one.architecture, *line) for line in listing.lines(one.program))


@view("passes", "What a pass of lowering did.", *KERNEL, text("function", "Function of the kernel."), text("pass_name", "Name of the pass."),
      text("summary", "What the pass is for."), text("skipped", "Why it did not run."), whole("micro_ops_before", "Micro-ops that it found."),
      whole("micro_ops_after", "Micro-ops that it left."), whole("changed", "Of those that it left, the ones that are new or not what they were."),
      flag("moved", "Whether those that it left as they were are in another order."))
def passes(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each pass."""
    for one in results:
        yield from ((one.kernel, one.architecture, p.function, p.name, p.summary, p.skipped, p.before, p.after, p.changed, p.moved) for p in one.passes)


@view("metric_definitions", "What a metric means.", text("metric", "Name of the metric."), text("unit", "Its unit."), text("meaning", "What it says."),
      text("formula", "How it follows from counters."), text("aliases", "Other tools' names of it, with commas between."))
def metric_definitions(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each metric."""
    yield from ((m.name, m.unit, m.about, m.formula, ", ".join(m.aliases)) for m in results)
