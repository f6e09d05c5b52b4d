"""Every figure of a report is the run's own, and leads to a place that the page has."""
import pytest
from reported import DIVERGENT, divergent, gizmo, products, runs, transposes

from archdef import TimelineWindow, occupancy, registry
from archdef.errors import LaunchError
from archdef.examples import load
from archdef.examples.comparison import compare
from archdef.html.model import model
from archdef.html.occupied import _warps, curves
from archdef.run.html_report import shown

RUNS = runs()
EACH = pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.kernel}-{run.architecture.chip.multiprocessors}")


def of(run):
    (launch,) = model([shown(run)], "a launch")["runs"]
    return launch


@EACH
def test_lines_cost_what_the_run_says(run):
    lines = of(run)["lines"]
    assert len(lines) == len(run.lines)
    for line, cost in zip(lines, run.lines):
        metrics = run.metrics_of(cost.counters)
        assert (line["file"], line["line"], line["text"], line["share"], line["warp_cycles"]) == (cost.file, cost.line, cost.text, cost.share, cost.warp_cycles)
        assert line["issued"] == cost.counters.instructions
        assert line["stalls"] == {cause: cycles for cause, cycles in cost.counters.stalls.items() if cycles}
        assert (line["load_transactions"], line["store_transactions"]) == (metrics["gld_transactions_per_request"], metrics["gst_transactions_per_request"])
        assert line["bank_conflicts"] in (None, metrics["shared_bank_conflicts"]) and line["divergent_branches"] == cost.counters.divergent_branches
        assert line["active_lanes"] is None or line["active_lanes"] * line["issued"] == pytest.approx(cost.counters.thread_instructions)


@EACH
def test_nothing_is_lost_between_the_levels(run):
    launch = of(run)
    for level in ("lines", "statements"):
        assert sum(cost["issued"] for cost in launch[level]) == run.counters.instructions
        assert sum(cost["warp_cycles"] for cost in launch[level]) == sum(run.counters.stalls.values())
    assert [op["issued"] for op in launch["ops"]] == run.counters.issued.tolist()
    listing = run.program.listing()
    assert all(op["text"] in listing and op["cost"] in listing for op in launch["ops"])


@EACH
def test_each_op_belongs_to_a_line_of_ptx_and_each_of_these_to_a_source_line(run):
    launch = of(run)
    ptx, lines = {cost["place"] for cost in launch["statements"]}, {cost["place"] for cost in launch["lines"]}
    assert {op["ptx"] for op in launch["ops"]} <= ptx
    assert {cost["source"] for cost in (*launch["statements"], *launch["ops"])} == lines


def test_code_of_no_line_leads_to_its_costliest_statement():
    nowhere = 0
    for run in RUNS:
        launch = of(run)
        for line in launch["lines"]:
            own = [cost for cost in launch["statements"] if cost["source"] == line["place"]]
            assert line["to"] == (line["place"] if line["line"] else max(own, key=lambda cost: cost["warp_cycles"])["place"])
            nowhere += not line["line"]
    assert nowhere


def test_statements_on_one_line_are_one_line():
    number = 1 + next(k for k, line in enumerate(DIVERGENT.split("\n")) if "and.b32" in line and "mov.u32" in line)
    found = [cost for cost in of(divergent())["statements"] if cost["text"].startswith("mov.u32 %r1")]
    assert [(cost["line"], "and.b32" in cost["text"]) for cost in found] == [(number, True)]
    assert found[0]["issued"] == sum(cost.counters.instructions for cost in divergent().statements if cost.line == number)


@EACH
def test_waits_add_up_to_the_cycles_per_instruction(run):
    stack = of(run)["stack"]
    assert sum(each["share"] for each in stack) == pytest.approx(1)
    assert {each["cause"]: each["per_instruction"] for each in stack} == {cause: n for cause, n in run.cpi_stack.items() if n}


@EACH
def test_memory_and_chip_are_the_counters(run):
    launch, partition = of(run), run.partition
    memory, chip = launch["memory"], launch["chip"]
    assert (memory["read_bytes"], memory["written_bytes"]) == (partition["bytes_read"].sum(), partition["bytes_written"].sum())
    assert memory["moved_bytes"] == run.counters.global_load_bytes_moved + run.counters.global_store_bytes_moved
    assert [row["read_bytes"] for row in chip["partitions"]] == partition["bytes_read"].tolist()
    assert sum(row["busy"] for row in chip["partitions"]) / len(partition) * 100 == pytest.approx(run.metrics["dram_utilization"])
    assert len(chip["multiprocessors"]) == run.architecture.chip.multiprocessors and all(0 <= row["issuing"] <= 1 for row in chip["multiprocessors"])


def test_the_curves_of_occupancy_go_through_the_launch():
    for run in RUNS:
        found = curves(run)
        for resource, points in found["curves"].items():
            assert [found["own"][resource], run.occupancy.active_warps] in points


@pytest.mark.parametrize("machine", [gizmo(), *(registry.get(name) for name in registry.names())], ids=lambda machine: machine.name)
def test_each_point_of_a_curve_is_the_rule_of_occupancy(machine):
    class Launch:
        architecture = machine
        occupancy = occupancy(machine, threads=96, registers=20, shared_bytes=3000)

    found = curves(Launch)
    for resource, points in found["curves"].items():
        for value, warps in points[::5]:
            try:
                told = occupancy(machine, **found["own"] | {resource: value}).active_warps
            except LaunchError:
                told = 0
            assert warps == told, (resource, value)


def test_a_curve_has_every_step():
    found, own = curves(RUNS[0]), curves(RUNS[0])["own"]
    points = dict(found["curves"]["registers"])
    last = None
    for registers in range(1, RUNS[0].architecture.limits.registers_per_thread + 1):
        warps = _warps(RUNS[0].architecture.limits, RUNS[0].architecture.warp.size, own | {"registers": registers})
        assert last in (None, warps) or points[registers] == warps
        last = warps


def test_the_roofline_is_the_runs():
    for row in products().rows:
        roof = of(row.run)["roof"]
        assert roof["points"] == row.run.roofline.to_dict()["points"] and roof["gflop_s"] == row.run.roofline.gflop_s
        for point in roof["points"]:
            assert point["level"] in roof["levels"] and roof["span"][0] <= point["intensity"] <= roof["span"][1]
            assert max(y for _, y in roof["levels"][point["level"]]) == pytest.approx(roof["peak"])
    assert all(of(row.run)["roof"] is None for row in transposes().rows)


def test_lanes_are_those_of_the_trace():
    run = divergent()
    warps = of(run)["lanes"]
    assert [(warp["block"], warp["warp"]) for warp in warps] == [(0, 0), (1, 1)]
    for warp in warps:
        counted = {}
        for step in warp["steps"]:
            for first, behind, state in step["lanes"]:
                counted[state] = counted.get(state, 0) + (behind - first) * (step["end"] - step["begin"])
        assert counted == {state: n for state, n in run.lane_trace.lane_cycles(warp["warp"], warp["block"]).items() if n}
    assert any(state == "second_path" for warp in warps for step in warp["steps"] for _, _, state in step["lanes"])
    (together,) = of(transposes().rows[0].run)["lanes"]
    assert together["together"] and together["steps"] == [] and of(products().rows[0].run)["lanes"] == []


def test_heat_maps_are_what_the_timeline_has():
    run = transposes().rows[1].run
    time, timeline = of(run)["time"], run.timeline()
    assert [tuple(block.values()) for block in time["blocks"]] == [tuple(int(block[name]) for name in ("multiprocessor", "slot", "block", "begin", "end"))
                                                                   for block in timeline.blocks]
    heats = {heat["name"]: heat for heat in time["heats"]}
    assert {"warps", "issues", "partitions", "queues"} <= set(heats)
    issued = sum(value * length for row, length in zip(heats["issues"]["values"], heats["issues"]["lengths"]) for value in row)
    assert issued == pytest.approx(run.counters.instructions)
    busy = sum(value / 100 * length for row, length in zip(heats["partitions"]["values"], heats["partitions"]["lengths"]) for value in row)
    assert busy / run.cycles == pytest.approx(run.partition["busy_fs"].sum() / run.elapsed_s / 1e15, rel=0.01)
    assert all(0 <= value <= 100.5 for heat in ("warps", "partitions") for row in heats[heat]["values"] for value in row)
    begins, words, _ = timeline.bank_activity()
    assert heats["banks"]["begins"] == begins.tolist() and heats["banks"]["values"] == [pytest.approx(row) for row in words.tolist()]
    assert "banks" not in {heat["name"] for heat in of(transposes().rows[0].run)["time"]["heats"]}     # it uses no shared memory
    assert of(products().rows[0].run)["time"] is None


def test_many_buckets_become_few():
    run = compare(load("transpose"), [gizmo()], 64, ("naive",), timeline=TimelineWindow("units", buckets=512)).rows[0].run
    assert len(run.timeline().begins) > 64
    for heat in of(run)["time"]["heats"]:
        assert len(heat["begins"]) == len(heat["lengths"]) == len(heat["values"]) <= 64
        assert sum(heat["lengths"]) == run.timeline().lengths.sum()


def test_lines_stand_beside_each_other():
    rows = [row.run for row in transposes().rows]
    found = model([shown(run) for run in rows], "all")["beside"]
    assert found
    for row in found:
        for value, run in zip(row["values"], rows):
            own = [line for line in run.lines if (line.file, line.line) == (row["file"], row["line"]) and line.warp_cycles]
            assert (value is None) == (not own) and all((value["share"], value["warp_cycles"]) == (line.share, line.warp_cycles) for line in own)
    shares = [max(value["share"] for value in row["values"] if value) for row in found]
    assert shares == sorted(shares, reverse=True)


def test_metrics_are_those_of_all_launches():
    found = model([shown(run) for run in RUNS], "all")["metrics"]
    assert all(row["values"] == [run.metrics[row["name"]] for run in RUNS] for row in found)
    assert {name for run in RUNS for name, value in run.metrics.items() if value is not None} == {row["name"] for row in found}
