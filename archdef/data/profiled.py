"""Views of what Nsight Compute measured, and of that beside the model."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from archdef.data.view import Row, real, text, view, whole

if TYPE_CHECKING:
    from archdef.ncu import Launch

MEASURED = (text("export_launch", "Number of the launch in the export."), text("export_kernel", "Its kernel as the export has it."))


@view("measured", "A metric of a launch as Nsight Compute exported it.", *MEASURED, text("name", "The kernel's name without parameters."),
      *(whole(f"{what}_{axis}", f"{meaning} in {axis}.") for what, meaning in (("grid", "Blocks"), ("block", "Threads of a block")) for axis in "xyz"),
      text("compute_capability", "Of the GPU."), text("metric", "Nsight Compute's name of the metric."),
      real("value", "In the unit beside it; missing: it is no number."), text("unit", "Unit without prefix: ``byte``, ``s``, ``hz``, ``inst`` and others."),
      text("exported_text", "The value as the export has it."))
def measured(results: Sequence[Launch]) -> Iterable[Row]:
    """Give a row for each metric of each launch."""
    for launch in results:
        about = (launch.id, launch.kernel, launch.name, *(launch.grid or (None,) * 3), *(launch.block or (None,) * 3), launch.capability)
        yield from ((*about, name, metric.value, metric.unit, metric.text) for name, metric in launch.metrics.items())


@view("beside", "A metric that Nsight Compute measured, beside the model's figure; those without counterpart, too.", *MEASURED,
      text("kernel", "Kernel of the model's launch."),
      text("architecture", "Machine of the model, as its label says."),
      text("metric", "Nsight Compute's name of the metric; several with + between were added up."),
      text("modelled_name", "What it is compared with; missing: it has no counterpart."), text("unit", "Unit of both, without prefix."),
      real("measured", "What was measured; missing: no number."), real("modelled", "The model's figure."),
      real("difference_percent", "Model / measured - 1; missing where nothing was measured.", "%"), text("why", "Why they may differ."))
def beside(results: Sequence[Any]) -> Iterable[Row]:
    """Give a row for each metric of each launch."""
    for one in results:
        about = (one.launch.id, one.launch.kernel, one.run.kernel, one.run.architecture.label)
        yield from ((*about, row.pair.measured, row.pair.modelled, row.pair.unit, row.measured, row.modelled, row.difference, row.pair.why) for row in one.rows)
        yield from ((*about, name, None, metric.unit, metric.value, None, None, None) for name, metric in one.unmatched.items())
