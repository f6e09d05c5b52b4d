"""Reports of hand-made launches."""
from types import SimpleNamespace

import attrs
import numpy as np
import pytest
from small_machine import gizmo
from test_metrics import counters

from archdef import registry
from archdef.console import text
from archdef.examples import Case, Output, load
from archdef.lower.encoding import MICRO_OP
from archdef.metrics.counters import STALLS
from archdef.occupancy import occupancy
from archdef import formatting as numbers
from archdef.report.compared import render
from archdef.examples.comparison import Comparison, Row
from archdef.run.explain import costliest, why
from archdef.run.table import render as rendered
from archdef.run.result import Run
from archdef.spec import Cite, WeightedPriority

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")

SOURCE = {"k.cu": ("__global__ void k(float *out)", "{", "    out[threadIdx.x * 32] = 1;", "}")}


def statement(line, text="st.global.f32 [%rd1], %f1;", **more):
    """Make a statement of a program."""
    return SimpleNamespace(**({"line": 10 + line, "file": "k.cu", "source_line": line, "text": text} | more))


def run(architecture, *costs, lines=(1, 3)):
    """Make a finished launch with a statement for each line."""
    program = SimpleNamespace(file="k.cu.ptx", statements=[statement(line) for line in lines],
                              registers_from="liveness", spilled_registers=0, warnings=(), local_bytes=0,
                              ops=np.zeros(0, MICRO_OP), targets=())
    return Run("k", architecture, (4, 1, 1), (128, 1, 1), 1024, 10,
               occupancy(architecture, threads=128, registers=10, shared_bytes=1024),
               counters(*costs, sm=({"blocks": 4, "active_cycles": 200, "warp_cycles": 3200},), partition=({"bytes_read": 100}, {"bytes_written": 300})),
               program, SOURCE)


@pytest.fixture
def architecture():
    return registry.get(registry.names()[0])


def stalls(**cycles):
    """Warp cycles by cause, in the order of the counters."""
    assert set(cycles) <= set(STALLS)
    return [cycles.get(cause, 0) for cause in STALLS]


@pytest.fixture
def stores(architecture):
    cheap = {"instructions": 2, "stall_cycles": stalls(selected=4, alu_dependency=6)}
    dear = {"instructions": 2, "stall_cycles": stalls(selected=4, alu_dependency=6, memory_throttle=80), "global_stores": 2,
            "global_store_transactions": 64,
            "global_store_bytes_asked": 256, "global_store_bytes_moved": 2048}
    return run(architecture, cheap, dear)


def test_the_costliest_line_is_named_with_its_cause_and_its_accesses(stores):
    assert costliest(stores).line == 3 and costliest(stores).text == "out[threadIdx.x * 32] = 1;"
    first, second, *_ = stores.reasons
    assert why(stores) == f"line 3 takes 90 % of warp cycles; time goes to {first.short} and {second.short}"
    assert first.short == f"scattered accesses ({first.share:.0%}: 32.0 transactions per store)".replace("%:", " %:")
    reason = stores.reasons[0]
    assert (reason.cause, reason.text) == ("scattered accesses", "32.0 transactions per store; 87.5 % of the bytes moved were asked for by nobody")
    assert reason.share == pytest.approx(80 / 92 * 0.875, rel=0.05)     # the launch of its blocks is held for the rest


@pytest.mark.parametrize("kind, said", [
    ("assumed", "chooses among ready warps by assumed numbers (schedulers.policy.memory_weight, schedulers.policy.age_weight)"), ("documented", None)])
def test_a_launch_whose_warps_waited_for_their_turn_says_that_the_schedulers_numbers_are_assumed(kind, said):
    evidence = {"schedulers": Cite("a paper", "scheduling"), "schedulers.policy.memory_weight": Cite("nobody", "weights", kind),
                "schedulers.policy.age_weight": Cite("nobody", "weights", kind)}
    machine = gizmo().evolve({"schedulers.policy": WeightedPriority()})
    machine = attrs.evolve(machine, evidence={path: cite for path, cite in machine.evidence.items() if not path.startswith("schedulers")} | evidence)
    waited, alone = ({"instructions": 2, "stall_cycles": stalls(selected=4, alu_dependency=6, not_selected=turns)} for turns in (5, 0))
    assert (said is not None) == ("by assumed numbers" in text(rendered(run(machine, waited, waited))))
    assert said is None or said in " ".join(text(rendered(run(machine, waited, waited))).split())
    assert "chooses among" not in text(rendered(run(machine, alone, alone)))


def test_a_kernel_that_did_nothing_has_no_costliest_line(architecture):
    assert why(run(architecture, lines=())) == "no instruction was executed"


def test_instructions_without_a_line_are_listed_but_explain_nothing(architecture):
    nothing = run(architecture, {"stall_cycles": [9] * len(STALLS)}, {"stall_cycles": [1] * len(STALLS)}, lines=(0, 3))
    assert costliest(nothing).line == 3 and [line.line for line in nothing.lines] == [0, 3]


def test_ptx_without_a_line_table_is_charged_to_its_own_lines(architecture):
    plain = run(architecture, {"stall_cycles": [1] * len(STALLS)})
    plain.program.statements[:] = [statement(2, file=None, source_line=None)]
    assert [(line.file, line.line) for line in plain.lines] == [("k.cu.ptx", 12)]


def test_a_launch_prints_what_accounts_for_the_most_of_its_time(stores):
    printed = " ".join(str(stores).split())
    assert 0 < len(stores.reasons) and "why: " in printed
    for reason in stores.reasons[:3]:
        assert str(reason) in printed


def test_a_launch_prints_within_the_page(stores, architecture):
    printed = str(stores)
    assert max(map(len, text(rendered(stores), 120).splitlines())) <= 120
    assert "k.cu:3" in printed and "out[threadIdx.x * 32] = 1;" in printed and architecture.name in printed


def case():
    """Make a launch of a workload."""
    return Case("k", (4,), (128,), (Output(np.zeros(4)),), 4096)


def test_a_comparison_prints_every_row_the_reasons_and_the_assumptions(stores, architecture):
    rows = (Row(architecture, case(), stores, 0.0, True), Row(architecture, case(), stores, 0.5, False),
            Row(architecture, case(), None, None, False, "limits.threads_per_block is 64"))
    comparison = Comparison(load("transpose"), 64, rows, {architecture.label: "NVRTC 11.8"})
    printed = text(render(comparison), 120)
    assert not comparison.correct and len(comparison.to_dict()["rows"]) == 3
    assert max(map(len, printed.splitlines())) <= 120
    for part in ("correct", "WRONG 5e-01", "failed", "limits.threads_per_block is 64", "2.0/2", "32.0",
                 why(stores)[:30],
                 "Values that were not read in a source", "NVRTC 11.8"):
        assert part in printed


@pytest.mark.parametrize("value, shown", [(1.5, "1.50 s"), (0.0123, "12.3 ms"), (45.6e-6, "45.6 us"), (7e-9, "7.00 ns"),
                                          (None, "-"), (0, "0.00 ns")])
def test_times_have_three_digits_and_a_unit(value, shown):
    assert numbers.seconds(value) == shown


@pytest.mark.parametrize("value, shown", [(49152, "48 KiB"), (1 << 30, "1 GiB"), (1000, "1,000 B"), (0, "0 B"),
                                          (None, "-")])
def test_sizes_have_the_unit_in_which_they_are_whole(value, shown):
    assert numbers.size(value) == shown


@pytest.mark.parametrize("value, unit, shown", [
    (83.333, "%", "83.3 %"), (100.0, "%", "100 %"), (1234567, "count", "1,234,567"), (0.5, "ratio", "0.50"),
    (12.34, "GB/s", "12.3 GB/s"),
    (None, "%", "-")])
def test_metrics_are_shown_by_their_unit(value, unit, shown):
    assert numbers.metric(value, unit) == shown
