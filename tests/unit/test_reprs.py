"""Is the repr of what users get a line that they can read, however much it holds?"""
import attrs
import numpy as np
import pytest

import archdef
from archdef.bounds import ceilings, needed
from archdef.examples import comparison, workloads
from archdef.formatting import seconds
from archdef.microbench.results import Results, Row
from archdef.testing import conformance
from archdef.validate.case import Case, References, Source
from archdef.validate.run import MET, Outcome, Report

MOST = 300
PTX = (".version 6.0\n.target sm_20\n.address_size 64\n.const .b32 table[64];\n" + "\n".join(
    ".visible .entry %s_%d(.param .u64 p) { .reg .u64 %%p; .reg .u32 %%t; .local .b8 l[64]; ld.param.u64 %%p, [p]; "
    "mov.u32 %%t, %%tid.x; st.global.u32 [%%p], %%t; ret; }" % ("a_kernel_with_a_name_as_long_as_templates_make_them" * 3, number) for number in range(8)))


def _of_a_launch():
    """Give what a launch of a kernel with a long name gives, on a machine with many changes."""
    machine = archdef.architecture("gf100").evolve({"l1.size_bytes": "48 KiB", "shared.pass_cycles": 3, "chip.multiprocessors": 8, "dram.partitions": 4,
                                                    "limits.warps_per_multiprocessor": 40, "clocks.shader_mhz": 1000, "clocks.memory_mhz": 900})
    device = archdef.Device(machine)
    module = device.compile(PTX)
    kernel = module[next(iter(module.resources))]
    launcher = kernel[64, 256]
    array = device.to_device(np.zeros((16, 4, 256), "f4"))
    run = launcher.launch(array, lanes=archdef.LaneWindow())
    return {"run": run, "line": run.lines[0], "statement": run.statements[0], "counters": run.counters, "metrics": run.metrics, "metric": run.metrics.definitions["ipc"],
            "measurement": run.metrics.measurement, "bounds": run.bounds, "bound": run.bounds.binding, "reason": run.reasons[0], "program": run.program,
            "statement of the program": run.program.statements[0], "lane trace": run.lane_trace, "step": run.lane_trace.steps()[0], "recorded": run.recorded,
            "contents": run.warp_contents, "memory map": run.memory_map, "occupancy": run.occupancy, "output": run.output, "device": device,
            "machine": machine, "module": module, "kernel": kernel, "launcher": launcher, "array": array, "compiled": module.compiled, "symbols": module.symbols,
            "symbol": module.symbols["table"], "resources": kernel.resources, "options": archdef.Options(),
            "stream": device.stream(), "ceiling": ceilings(machine)[0], "needed": needed(machine)[0]}


def _of_a_comparison():
    (workload, *_) = workloads()
    compared = comparison.compare(workload, [archdef.architecture("gf100"), archdef.architecture("g80")], workload.multiple * 64)
    case = compared.rows[0].case
    return {"workload": workload, "comparison": compared, "row": compared.rows[0], "case": case, "roofline": compared.rows[0].run.roofline,
            **{f"argument {k}": argument for k, argument in enumerate(case.arguments)},
            "a failed row": attrs.evolve(compared.rows[0], run=None, correct=False, failure="no room " * 100)}


@pytest.mark.parametrize("given", [_of_a_launch, _of_a_comparison], ids=["a launch", "a comparison"])
def test_what_a_program_is_given_has_a_short_repr(given):
    shown = {name: repr(value) for name, value in given().items()}
    assert {name: text for name, text in shown.items() if len(text) > MOST or "\n" in text} == {}


def test_a_run_says_kernel_machine_grid_block_cycles_and_time():
    device = archdef.Device("gf100")
    run = device.compile(PTX.replace("a_kernel_with_a_name_as_long_as_templates_make_them" * 3, "k")).k_1[(4, 2), 64](device.zeros(64, "u4"))
    assert repr(run) == f"<Run of k_1 (4, 2, 1) x (64, 1, 1) on gf100: {run.cycles:,} cycles, {seconds(run.elapsed_s)}>"
    assert len(repr(run)) < 200


def test_a_list_of_changes_is_cut_short():
    machine = archdef.architecture("gf100").evolve({"l1.size_bytes": "48 KiB", "shared.pass_cycles": 3, "dram.partitions": 4, "chip.multiprocessors": 8,
                                                    "limits.warps_per_multiprocessor": 40, "limits.blocks_per_multiprocessor": 7, "clocks.shader_mhz": 1000,
                                                    "clocks.memory_mhz": 900})
    assert len(machine.label) > 200 and repr(machine).endswith("…>")


def test_a_suite_that_ran_has_a_short_repr():
    outcomes = tuple(conformance.Outcome(f"test_{k}", conformance.PASSED, 0.1, "a rule") for k in range(500))
    report = conformance.Report("gizmo", "Gizmo", outcomes)
    measured = Results("gizmo", {"date": "2026"}, tuple(Row("copy", {"bytes": k}, {"GB/s": 1.0}) for k in range(500)))
    assert repr(report) == "<Report of 500 checks of gizmo: good>"
    assert repr(measured) == "<Results of gizmo: 500 points>"


def test_reference_cases_that_were_judged_have_a_short_repr():
    case = Case("group/name", "gizmo", "copy", "GB/s", 2.0, Source("a paper", "table 1"), "measured", 0.1)
    judged = References("gizmo", (case,) * 500, {}, (), {})
    report = Report(archdef.architecture("gf100"), judged, tuple(Outcome(case, 2.1, MET) for _ in range(500)))
    assert repr(judged) == "<References of gizmo: 500 cases, 0 gaps>"
    assert repr(report) == "<Report of 500 cases of gf100: good>"
    assert len(repr(report.outcomes[0])) < MOST
