"""Views of descriptions: machines, their fields with evidence, what they could do at most, and how full they get."""
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from archdef.bounds import ceilings as ceilings_of
from archdef.bounds import needed
from archdef.data.view import Row, real, text, view, whole
from archdef.html.occupied import resident
from archdef.occupancy import Occupancy
from archdef.report import described, differing
from archdef.spec import Architecture

MACHINE = text("architecture", "Machine, as its label says.")


@view("architectures", "A machine in a few figures.", MACHINE, text("title", "Product."), text("vendor", "Vendor."), text("family", "Family of machines."),
      text("compute_capability", "Compute capability, of NVIDIA's."), whole("multiprocessors", "Multiprocessors."), whole("warp_size", "Lanes of a warp."),
      whole("warps_per_multiprocessor", "Warps that a multiprocessor can hold."),
      whole("shared_bytes_per_block", "Shared memory that a block can have.", "bytes"), whole("l2_bytes", "Size of L2.", "bytes"),
      whole("partitions", "Memory partitions."), real("bandwidth_gb_s", "Peak of DRAM.", "GB/s"), real("clock_mhz", "Clock of a multiprocessor.", "MHz"),
      whole("assumed_values", "Values of the description that nobody has published or measured."))
def architectures(results: Sequence[Architecture]) -> Iterable[Row]:
    """Give a row for each machine."""
    for machine in results:
        f = described.facts(machine)
        yield (machine.label, f["title"], f["vendor"], f["family"], f["compute_capability"], f["multiprocessors"], f["warp_size"],
               f["warps_per_multiprocessor"], f["shared_bytes_per_block"], f["l2_bytes"], f["partitions"], f["bandwidth_gb_s"], f["shader_mhz"],
               f["assumed_values"])


@view("fields", "A field of a description, with where its value is from.", MACHINE, text("path", "Path of the field."), text("value", "The value in JSON."),
      real("number", "The same, where it is a number."), text("unit", "Unit of the value."),
      text("evidence", "``documented``, ``measured``, ``inferred``, ``fitted``, ``recalled`` or ``assumed``."), text("source", "Where it is from."))
def fields(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each field."""
    for one in results:
        machine, *which = (one,) if isinstance(one, Architecture) else (one.architecture, one.only, one.assumed)
        for row in described.fields(machine, *which):
            yield (machine.label, row["path"], _json(row["value"]), _number(row["value"]), row["unit"], row["kind"], row["source"])


@view("field_differences", "A field in which two descriptions differ.", text("path", "Path of the field."), text("unit", "Unit of the values."),
      *(column for side in ("first", "second") for column in (
          text(f"{side}_value", f"The value of the {side} machine in JSON; missing: it has no such field."), text(f"{side}_evidence", "How that is known."),
          text(f"{side}_source", "Where that is from."))),
      real("ratio", "The second's number over the first's."))
def field_differences(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each field."""
    for pair in results:
        for row in differing.differences(pair.first, pair.second, pair.only):
            sides = [(_json(side["value"]), side["kind"], side["source"]) if side else (None, None, None) for side in (row["a"], row["b"])]
            yield (row["path"], row["unit"], *sides[0], *sides[1], row["ratio"])


def _json(value: Any) -> str:
    return json.dumps(value, default=str)


def _number(value: Any) -> float | None:
    return value if type(value) in (int, float) else None


@view("ceilings", "A rate that a machine cannot exceed.", MACHINE, text("ceiling", "What it is a rate of."), real("rate", "In the unit beside it."),
      text("unit", "``GFLOP/s``, ``Gop/s`` or ``GB/s``."), text("how", "How the number comes about."))
def ceilings(results: Sequence[Architecture]) -> Iterable[Row]:
    """Give a row for each rate."""
    for machine in results:
        yield from ((machine.label, each.name, each.rate, each.unit, each.about) for each in ceilings_of(machine))


@view("parallelism", "What must be in flight on a multiprocessor to reach a rate, by Little's law.", MACHINE,
      text("operation", "Class of instructions, or ``DRAM reads``, which count bytes."), real("latency_cycles", "From the start to the result.", "cycles"),
      real("per_cycle", "Started each cycle at the full rate: instructions of warps, or bytes."), real("in_flight", "Latency times rate."),
      whole("warps", "Warps that suffice with one instruction, or one load of 4 bytes a lane, each."))
def parallelism(results: Sequence[Architecture]) -> Iterable[Row]:
    """Give a row for each class."""
    for machine in results:
        yield from ((machine.label, each.name, each.latency_cycles, each.per_cycle, each.in_flight, each.warps) for each in needed(machine))


BLOCK = (whole("threads", "Threads of the block."), whole("registers", "Registers of a thread."), whole("shared_bytes", "Shared memory of the block.", "bytes"))


@view("occupancy", "How many blocks and warps a multiprocessor holds.", MACHINE, *BLOCK, whole("warps_per_block", "Warps of the block."),
      whole("active_blocks", "Blocks that a multiprocessor holds."), whole("active_warps", "Warps of those."),
      whole("max_warps", "Most warps that it can hold."), real("occupancy", "Those warps over the most, 0 to 1."),
      text("limiter", "What limits it: ``warps``, ``blocks``, ``registers``, ``shared``; several with commas between."))
def occupancy(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each machine."""
    for one in results:
        o = one.occupancy
        yield (*_block(one.architecture, o), o.warps_per_block, o.active_blocks, o.active_warps, o.max_warps, o.occupancy, ",".join(o.limiter))


@view("occupancy_limits", "How many blocks a resource alone allows on a multiprocessor.", MACHINE, *BLOCK,
      text("resource", "``warps``, ``blocks``, ``registers`` or ``shared``."), whole("allowed_blocks", "Blocks that it allows."))
def occupancy_limits(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each resource."""
    for one in results:
        yield from ((*_block(one.architecture, one.occupancy), resource, blocks) for resource, blocks in one.occupancy.limits.items())


@view("occupancy_curves", "How full a multiprocessor would be with more or less of one resource, the others as they are.", MACHINE, *BLOCK,
      text("resource", "What varies: ``threads``, ``registers`` or ``shared_bytes``."), whole("resource_value", "How much of it there would be."),
      whole("active_warps", "Warps that a multiprocessor would hold; 0: such a block cannot run."),
      real("occupancy", "Those warps over the most that it can hold, 0 to 1."))
def occupancy_curves(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each value of each resource; launches of one kernel in one shape on one machine have one curve."""
    seen = set()
    for machine, found in _occupied(results):
        block = _block(machine, found)
        if block not in seen:
            seen.add(block)
            for resource, points in resident(machine, found).items():
                yield from ((*block, resource, value, warps, warps / found.max_warps) for value, warps in points)


def _block(machine: Architecture, o: Occupancy) -> Row:
    return machine.label, o.threads, o.registers, o.shared_bytes


def _occupied(results: Sequence[Any]) -> Iterator[tuple[Architecture, Occupancy]]:
    """Give machines and occupancies: of launches, of a comparison's, or as they are."""
    for result in results:
        for one in [row.run for row in result.rows if row.run] if hasattr(result, "rows") else [result]:
            yield one.architecture, one.occupancy
