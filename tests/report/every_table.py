"""Everything that commands print as tables, made once: one launch each, and results of many machines."""
import attrs
import numpy as np

import archdef
from archdef import examples, metrics, registry, report
from archdef.errors import LaunchError
from archdef.examples.command import Table as ExampleTable
from archdef.examples.comparison import Comparison, Row, compare
from archdef.microbench.results import Results
from archdef.microbench.results import Row as Point
from archdef.microbench.suite import load
from archdef.ncu.beside import laid
from archdef.ncu.launch import Launch, Measured
from archdef.ncu.pairs import PAIRS
from archdef.run.footprint import memory_map, warp_contents
from archdef.run.table import render as render_run
from archdef.testing.conformance import EXCUSED, FAILED, PASSED
from archdef.testing.conformance import Outcome as Checking
from archdef.testing.conformance import Report as Checked
from archdef.validate.run import MET, NEW, Outcome
from archdef.validate.run import Report as Judged

MACHINES = tuple(name for name in ("h100", "c500", "g80") if name in registry.names())
SOURCE = "value[threadIdx.x * 1234567 + 8] = first_operand_of_the_sum[threadIdx.x + 1024] + second_operand_of_the_sum[threadIdx.x + 65536] * 3.14159f;"


def machines():
    return [registry.get(name) for name in MACHINES]


def _comparison():
    return compare(examples.load("transpose"), machines(), 64, ("copy", "naive", "diagonal"))


def _of_all(found):
    """Pretend that the same kernels ran on every machine."""
    rows = [attrs.evolve(row, architecture=machine)
            for machine in registry.all().values() for row in found.rows[:3]]
    failed = Row(machines()[0], rows[0].case, None, None, False, "limits.threads_per_block is 512, the launch needs 1,024")
    return Comparison(found.workload, found.size, (*rows, failed), found.compilers)


def _run(row):
    """Give a launch whose source lines and file names are long."""
    (file,) = (name for name in row.run.sources if name.endswith(".cu"))
    renamed = row.run.sources | {file: tuple(SOURCE if line.strip().endswith(";") else line for line in row.run.sources[file])}
    return attrs.evolve(row.run, sources=renamed)


def _traced(name):
    device = archdef.Device(name)
    out = device.zeros((64 * 64,), "f4")
    launch = device.compile(examples.load("transpose").source).naive[(2, 2), (32, 8)]
    run = launch.launch(out, device.to_device(np.zeros(64 * 64, "f4")), 64, 64, lanes=archdef.LaneWindow(cycles=(0, 1 << 16)))
    for _ in range(3):
        stream, half = device.stream(), device.empty((1 << 16,))
        half.copy_from(device.pinned((1 << 16,)), stream=stream)
        half.copy_to(device.pinned((1 << 16,)), stream=stream)
    device.synchronize()
    return run, device


def _microbenchmarks(label, factor):
    rows = [Point("global_latency", {"stride_bytes": 128, "footprint_bytes": 1 << k}, {"cycles": factor * (300 + 10 * k)}) for k in range(10, 30, 2)]
    rows += [Point("latency", {"operation": "fma_f32"}, {"cycles": factor * 4}), Point("latency", {"operation": "rcp_f32"}, reason="needs the feature mufu")]
    assert {row.benchmark for row in rows} <= set(load())
    return Results(label, {"device": "H100 80GB HBM3", "date": "2026-11-21"}, tuple(rows))


def _checked():
    outcomes = [Checking(f"test_{name.replace(' ', '_')}[{k}]", status, 12.34, f"A description of which {name} says what the engine is told, all of it.", message)
                for k in range(3) for name, status, message in (
                    ("every field has evidence", PASSED, ""), ("shared memory serves one word of a bank at a time", EXCUSED, "not modelled, see D3"),
                    ("counters conserve", FAILED, "128 transactions were asked for, 127 served"))]
    return Checked("h100", "H100 80GB HBM3 (SXM)", tuple(outcomes), ("test_nothing",))


def _beside(run):
    """Pretend that everything of it was measured, and more."""
    names = [name for pair in PAIRS for name in pair.names]
    metrics = {name: Measured(1234567.25 * k, pair_unit, "") for k, (name, pair_unit) in enumerate(zip(names, [p.unit for p in PAIRS for _ in p.names], strict=True))}
    others = {f"lts__t_sectors_srcunit_tex_aperture_device_{k}.sum": Measured(1.0, "sector", "1") for k in range(20)}
    return laid(Launch("0", "other", (2, 2, 1), (32, 8, 1), "1.0", metrics | others), run, ["the export's only launch is of other, what ran is naive"])


def _renderables():
    """Give what each command prints: name → renderable."""
    one, *others = machines()
    found, lane_run, device = _comparison(), *_traced(MACHINES[0])
    module = device.compile(examples.load("transpose").source)
    lowered, known = report.lowered.lowered(module, ("naive", "diagonal")), list(registry.all().values())
    made = {
        "archs": report.described.render_list(known, {"bad": registry.PluginError("archdef-bad 1.0 cannot be loaded: it declares nothing")}),
        "compare": report.compared.render(found, explain_all=True), "compare all machines": report.compared.render(_of_all(found)),
        "lanes": lane_run.lane_trace, "memory": lane_run.memory_map, "timeline": device.host.timeline(),
        "beside": _beside(lane_run),
        "lower": report.lowered.render_program(lowered), "lower --passes": report.lowered.render_passes(lowered),
        "resources": report.resources.render([module[name].resources for name in module.kernels]), "metrics": report.measures.render(metrics.BUILT_IN),
        "microbench": report.microbenched.render([_microbenchmarks(machine.label, k + 1) for k, machine in enumerate(known)]),
        "microbench --against": report.microbenched.render([_microbenchmarks(name, 1.25) for name in MACHINES], [_microbenchmarks("h", 1)] * len(MACHINES)),
        "microbench --list": report.microbenched.listing(list(load().values())), "check": report.checked.render(_checked(), verbose=True),
        "occupancy refused": report.occupied.render([LaunchError("g80: limits.threads_per_block is 512, the launch needs 1,024")]),
        "roofline": report.roofs.render(machines()),
        "example": ExampleTable("g80: a sum of 1,048,576 integers", ("kernel", *(f"rate {k}" for k in range(16))),
                                [(f"unrolled_{k}", *(f"{k},{123 + j}.5" for j in range(16))) for k in range(4)], ("neighbored refused: 1,024 threads",)),
    }
    for row in found.rows[1::3]:
        made[f"run {row.architecture.name}"] = render_run(_run(row))
    for machine in machines():
        answer = archdef.occupancy(machine, threads=256, registers=20, shared_bytes=3072)
        made[f"occupancy {machine.name}"] = report.occupied.render([(answer, warp_contents(machine, answer, 64), memory_map(
            machine, resident_warps=answer.active_warps, local_bytes=64))])
        made[f"show {machine.name}"] = report.described.render_fields(machine, report.described.fields(machine))
    for other in others:
        made[f"diff {other.name}"] = report.differing.render(one, other, report.differing.differences(one, other))
    return made


def _validated():
    """Judge every case of some machines as if the model were now near, now far from it."""
    found = []
    for machine in machines()[1:]:
        references = archdef.validate.references(machine.name)
        if not references.cases:
            return {}
        outcomes = [Outcome(case, case.value if case.exact else case.value * (1 + k % 7 / 10), (MET, NEW)[k % 7 > 5], message="" if k % 50 else "not as listed")
                    for k, case in enumerate(references.cases)]
        found.append(Judged(machine, references, tuple(outcomes)))
    return {"validate": report.validated.render(found), "validate --list": report.validated.listing([one.references for one in found])}


def every_table():
    """Name of what a command prints → the renderable."""
    return _renderables() | _validated()
