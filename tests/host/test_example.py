"""The example on overlap shows what its page says of it."""
import importlib.util
from pathlib import Path

import pytest

from archdef import registry
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None or "m2070" not in registry.names(), reason="needs NVRTC and the plugins of the README")
FILE = Path(__file__).parents[2] / "docs" / "examples" / "transfer_overlap.py"
_spec = importlib.util.spec_from_file_location("transfer_overlap", FILE)
example = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(example)


def times(name):
    return [example.overlap(registry.get(name), order).makespan_us for order in example.ORDERS]


def test_without_a_copy_engine_parts_only_add_latency():
    one, depth, breadth = times("g80")
    assert one < depth == pytest.approx(breadth)


def test_with_one_copy_engine_only_breadth_first_gains():
    one, depth, breadth = (example.overlap(registry.get("gt200"), order) for order in example.ORDERS)
    assert one.makespan_us < depth.makespan_us > 0.99 * (copying(depth) + depth.busy_us("gt200", "kernels"))
    assert one.makespan_us > breadth.makespan_us == pytest.approx(copying(breadth), rel=0.01)       # every kernel runs while something is copied


def test_what_breadth_first_gains_with_one_copy_engine_is_the_time_of_the_kernels():
    """An earlier bound, 0.85 of one stream, held while the kernel's MULs went to the SPs: no more can be gained than the kernels take, and beside its
    additions, in SFUs, they take a third less."""
    gt200 = registry.get("gt200")
    plain = gt200.evolve({"schedulers.dual_issue": (frozenset({"sp", "sfu"}),), "isa.operations.fp32_mul": gt200.isa.operations["fp32_add"]})
    (one, breadth), (slow, slow_breadth) = ([example.overlap(machine, example.ORDERS[k]) for k in (0, 2)] for machine in (gt200, plain))
    assert one.busy_us("gt200", "kernels") < 0.7 * slow.busy_us("gt200", "kernels")
    assert slow_breadth.makespan_us < 0.85 * slow.makespan_us
    for whole, parts in ((one, breadth), (slow, slow_breadth)):
        more = copying(parts) - copying(whole)      # parts have the latency of more copies
        assert whole.makespan_us - parts.makespan_us == pytest.approx(whole.busy_us("gt200", "kernels") - more, rel=0.1)


def copying(timeline):
    return timeline.busy_us("gt200", "copies")


def test_with_two_copy_engines_and_late_signals_depth_first_gains_more():
    one, depth, breadth = times("m2070")
    assert depth < 0.75 * one and depth < 0.75 * breadth


def test_with_a_queue_for_each_stream_the_order_does_not_matter():
    one, depth, breadth = times("k40")
    assert depth == pytest.approx(breadth, rel=0.01) and depth < 0.8 * one


def test_the_command_prints_the_times_and_writes_the_trace(tmp_path):
    from click.testing import CliRunner

    result = CliRunner().invoke(example.main, ["-a", "m2070", "--trace", str(tmp_path / "trace.json")], catch_exceptions=False)
    assert result.exit_code == 0 and "depth first" in result.output and "copies to device" in result.output
    assert (tmp_path / "trace.json").stat().st_size > 1000
