"""Factors of groups of rules multiply to the speed-up between two machines, and each says what its rules bring."""
import itertools
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from small_machine import gizmo

import archdef
from archdef import registry
from archdef.attribution import AttributionError
from archdef.attribution.groups import grouping
from archdef.attribution.measure import Launches, Time, measure
from archdef.attribution.mixture import differing_groups, mixture
from archdef.cli import main
from archdef.errors import ArchdefError
from archdef.examples import Case, Input, Output, Workload
from archdef.examples.workload import FOLDER

COPY = """.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 out, .param .u64 in)
{
    .reg .b64 %rd<6>; .reg .b32 %r<6>; .reg .f32 %f<2>;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mul.wide.s32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd5]; st.global.f32 [%rd4], %f1;
    ret;
}"""
needs_machines = pytest.mark.skipif(not {"g80", "gt200"} <= set(registry.names()), reason="the plugin archdef-tesla is not installed")


def copied(architecture):
    """Copy 4096 numbers; check them."""
    device = archdef.Device(architecture)
    numbers = np.arange(4096, dtype="f4")
    out, given = device.zeros(numbers.shape, "f4"), device.to_device(numbers)
    run = device.compile(COPY).copy[32, 128](out, given)
    assert (out.to_host() == numbers).all()
    return run


def other(**changes):
    return gizmo().derive({path.replace("__", "."): value for path, value in changes.items()}, name="other")


def product(found):
    return math.exp(math.fsum(math.log(factor.factor) for factor in found.factors))


def test_the_only_difference_makes_all_of_the_speed_up():
    b = other(dram__t_cl_ns=300)
    found = archdef.attribute(copied, gizmo(), b)
    factor, = found.factors
    assert factor.groups == ("dram",) and factor.paths == ("dram.t_cl_ns",) and found.runs == 2
    assert found.times == tuple(Time(run.elapsed_s, run.cycles) for run in map(copied, (gizmo(), b)))
    assert factor.factor == factor.alone == factor.last == pytest.approx(found.speedup) and found.speedup < 0.9


def test_factors_multiply_to_the_speed_up_and_ends_are_the_machines_themselves():
    b = other(dram__t_cl_ns=60, chip__multiprocessors=2, clocks__shader_mhz=700, clocks__core_mhz=700, caches__l2__latency_cycles=80,
              interconnect__request_latency_ns=90, isa__operations__int_add__latency_cycles=40)
    found = archdef.attribute(copied, gizmo(), b, orders=20)
    assert found.orders is None and found.runs == 2 ** 6 and product(found) == pytest.approx(found.speedup)
    assert found.times == tuple(Time(run.elapsed_s, run.cycles) for run in map(copied, (gizmo(), b)))
    assert set(found.by_group) == {"dram", "multiprocessors", "clocks", "caches", "network", "latencies"}
    assert all(factor.factor < 1.001 and factor.relative_error == 0 for factor in found.factors if factor.name != "clocks")
    assert [abs(math.log(factor.factor)) for factor in found.factors] == sorted((abs(math.log(factor.factor)) for factor in found.factors), reverse=True)


def test_a_factor_alone_and_last_is_what_a_what_if_gives():
    changes = {"dram.t_cl_ns": 60, "caches.l2.latency_cycles": 80, "interconnect.request_latency_ns": 90}
    b = gizmo().derive(changes, name="other")
    factor = archdef.attribute(copied, gizmo(), b).by_group["network"]
    alone = copied(gizmo()).elapsed_s / copied(gizmo().evolve({"interconnect.request_latency_ns": 90})).elapsed_s
    last = copied(gizmo().evolve({"dram.t_cl_ns": 60, "caches.l2.latency_cycles": 80})).elapsed_s / copied(b).elapsed_s
    assert (factor.alone, factor.last) == pytest.approx((alone, last)) and factor.bounds[0] <= factor.factor <= factor.bounds[1]


def test_programs_that_give_seconds_are_attributed_exactly():
    """Clock and multiprocessors work together, the latency of DRAM comes on top: the values follow by hand."""
    def seconds(machine):
        return 8 / (machine.clocks.shader_mhz * machine.chip.multiprocessors) + (0.001 if machine.dram.t_cl_ns > 20 else 0)
    found = archdef.attribute(seconds, gizmo(), other(clocks__shader_mhz=2000, chip__multiprocessors=8))
    assert {name: factor.factor for name, factor in found.by_group.items()} == pytest.approx({"clocks": 2, "multiprocessors": 2}) and found.times[0].cycles is None
    found = archdef.attribute(seconds, gizmo(), other(clocks__shader_mhz=2000, dram__t_cl_ns=40))
    clocks, dram = math.log(0.002 / 0.001), math.log(0.002 / 0.003)
    both = math.log(0.002 / 0.002)
    assert found.by_group["clocks"].factor == pytest.approx(math.exp((clocks + both - dram) / 2))
    assert found.by_group["dram"].factor == pytest.approx(math.exp((dram + both - clocks) / 2))


def test_machines_that_do_not_differ_have_no_factors():
    found = archdef.attribute(copied, gizmo(), gizmo(name="twin", title="Twin"))
    assert found.factors == () and found.speedup == 1 and "1.00 times as fast" in str(found)


def test_groups_that_cannot_move_apart_are_joined_and_said():
    def stubborn(machine):
        if (machine.chip.multiprocessors == 8) != (machine.dram.t_cl_ns == 14):
            raise ArchdefError("these go together")
        return 1 / machine.chip.multiprocessors / machine.clocks.core_mhz
    found = archdef.attribute(stubborn, gizmo(), other(chip__multiprocessors=8, dram__t_cl_ns=14, clocks__core_mhz=1000))
    assert {factor.groups: round(factor.factor, 6) for factor in found.factors} == {("multiprocessors", "dram"): 2, ("clocks",): 2}
    joined, = found.joined
    assert joined.groups == ("multiprocessors", "dram") and joined.why == "these go together" and len(joined.moved) == 1
    assert "multiprocessors + dram move together" in str(found)


def test_descriptions_that_contradict_themselves_join_groups_without_a_run():
    b = other(caches__unified_l1_shared=True, limits__shared_carveouts=(0, 8192), limits__shared_bytes_per_multiprocessor=8192,
              limits__shared_bytes_per_block=8192)
    seen = []
    found = archdef.attribute(lambda machine: seen.append(machine) or 1.0, gizmo(), b)
    assert [factor.groups for factor in found.factors] == [("occupancy", "caches")] and len(seen) == 2
    assert "must be more than the 32768 bytes that shared memory can take of it" in found.joined[0].why


def test_three_groups_that_need_each_other_are_joined():
    def stubborn(machine):
        moved = [machine.chip.multiprocessors == 8, machine.dram.t_cl_ns == 14, machine.clocks.core_mhz == 1000]
        if any(moved) and not all(moved):
            raise ArchdefError("all or none")
        return 1.0
    found = archdef.attribute(stubborn, gizmo(), other(chip__multiprocessors=8, dram__t_cl_ns=14, clocks__core_mhz=1000, interconnect__header_bytes=8))
    assert sorted(factor.groups for factor in found.factors) == [("clocks", "multiprocessors", "dram"), ("network",)] and len(found.joined) == 1


def test_no_machine_is_run_twice():
    seen = []
    b = other(dram__t_cl_ns=60, chip__multiprocessors=2, clocks__shader_mhz=700, caches__l2__latency_cycles=80, interconnect__request_latency_ns=90,
              isa__operations__int_add__latency_cycles=40, shared__latency_cycles=30, load_store__transaction_cycles=3, schedulers__policy="gto")
    found = archdef.attribute(lambda machine: seen.append(machine) or 1.0, gizmo(), b, orders=4, said=lambda *told: None)
    assert len(seen) == len(set(seen)) == found.runs and found.orders == 4
    again = archdef.attribute(lambda machine: 1.0 + hash(machine.dram.t_cl_ns) % 7, gizmo(), b, orders=4, seed=7)
    assert again.seed == 7 and again.to_dict() == archdef.attribute(lambda machine: 1.0 + hash(machine.dram.t_cl_ns) % 7, gizmo(), b, orders=4, seed=7).to_dict()


def test_progress_counts_the_machines():
    told = []
    archdef.attribute(lambda machine: 1.0, gizmo(), other(dram__t_cl_ns=60, chip__multiprocessors=2), said=lambda *one: told.append(one[:2]))
    assert told == [(1, 2), (2, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("options, message", [
    (dict(runs=3, orders=2), "3 runs are too few for 2 groups"), (dict(orders=1), "orders must be at least 2"), (dict(kernel="k"), "a function runs what it likes"),
    (dict(groups=["cashes"]), "did you mean caches")])
def test_what_cannot_be_asked_is_refused(options, message):
    with pytest.raises(AttributionError, match=message):
        archdef.attribute(lambda machine: 1.0, gizmo(), other(dram__t_cl_ns=60, chip__multiprocessors=2), **options)


def test_a_program_that_does_not_run_on_an_end_is_refused():
    def fails(machine):
        raise ArchdefError("no such instruction") if machine.name == "other" else None
    with pytest.raises((AttributionError, TypeError), match="does not run on other: no such instruction"):
        archdef.attribute(lambda machine: 1.0 if machine.name == "gizmo" else fails(machine), gizmo(), other(dram__t_cl_ns=60))
    with pytest.raises(AttributionError, match="must take some time"):
        archdef.attribute(lambda machine: 0.0, gizmo(), other(dram__t_cl_ns=60))


def wrong(size, random, architecture):
    """Expect another sum than there is."""
    a, b = random.random(size, dtype="f4"), random.random(size, dtype="f4")
    yield Case("vector_add", (-(-size // 256),), (256,), (Output(a - b), Input(a), Input(b), size), 3 * a.nbytes)


@needs_machines
def test_results_are_checked_on_every_machine():
    workload = Workload("wrong", "sums that are wrong", FOLDER / "vector_add.cu", wrong, size=1024)
    assert "its output is wrong by" in measure(Launches(workload, "vector_add", 1024), registry.get("g80")).why
    with pytest.raises(AttributionError, match="does not run on g80: its output is wrong"):
        archdef.attribute(workload, "g80", "gt200")


@needs_machines
def test_several_processes_find_the_same():
    one, two = (archdef.attribute("vector_add", "g80", "gt200", size=2048, groups=["multiprocessors", "clocks+dram"], jobs=jobs).to_dict() for jobs in (1, 2))
    assert one == two and one["runs"] == 8


@needs_machines
def test_a_workload_of_several_kernels_asks_for_one():
    with pytest.raises(AttributionError, match="has several kernels, choose one: copy, naive, tiled, padded, diagonal"):
        archdef.attribute("transpose", "g80", "gt200", size=32)


def test_results_are_plain_data_and_frames():
    pandas = pytest.importorskip("pandas")
    found = archdef.attribute(copied, gizmo(), other(dram__t_cl_ns=60, chip__multiprocessors=2))
    data = json.loads(json.dumps(found.to_dict()))
    assert data["format"] == "archdef.attribution" and data["version"] == 1 and math.prod(one["factor"] for one in data["factors"]) == pytest.approx(data["speedup"])
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["groups"]) == [factor.name for factor in found.factors]


def test_the_table_fits_80_columns_and_its_product_is_the_speed_up():
    b = other(dram__t_cl_ns=60, chip__multiprocessors=2, clocks__shader_mhz=700, caches__l2__latency_cycles=80, shared__latency_cycles=30)
    found = archdef.attribute(copied, gizmo(), b)
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 80 and any(line.split() == ["product", f"{found.speedup:.2f}x"] for line in lines)
    assert "all others, less than 0.5 % in whatever order: shared" in str(found)


@needs_machines
def test_the_command_prints_the_table_or_json():
    arguments = ["attribute", "vector_add", "-n", "1024", "-a", "g80", "-a", "gt200", "--groups", "multiprocessors,dram", "-j", "1"]
    shown, data = (CliRunner().invoke(main, [*arguments, *more]) for more in ((), ("--json",)))
    assert shown.exit_code == data.exit_code == 0 and "multiprocessors" in shown.output
    assert {name for factor in json.loads(data.output)["factors"] for name in factor["groups"]} == {"multiprocessors", "dram", "other"}


def test_the_groups_are_listed():
    listed = CliRunner().invoke(main, ["attribute", "--list"])
    assert listed.exit_code == 0 and all(f" {name} " in listed.output for name in archdef.attribution.RULES)


@needs_machines
@pytest.mark.parametrize("names", [["-a", "g80"], ["-a", "g80", "-a", "gt200", "-a", "g80"], []])
def test_the_command_goes_from_one_machine_to_another(names):
    refused = CliRunner().invoke(main, ["attribute", "vector_add", *names])
    assert refused.exit_code == 2 and "two architectures must be given" in refused.output


@pytest.mark.parametrize("names", list(itertools.pairwise(registry.names())), ids="-".join)
def test_all_rules_together_take_the_cycles_of_the_other_machine(names):
    a, b = map(registry.get, names)
    groups = grouping(None, a, b)
    program = Launches("vector_add", "vector_add", 3000)
    assert measure(program, mixture(a, b, differing_groups(a, b, groups), groups)) == measure(program, b)
