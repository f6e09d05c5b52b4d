"""Forms of instruction that cost something else than their class, and halves of registers that cost nothing."""
import numpy as np
import pytest
from small_machine import gizmo

import archdef
from archdef import registry
from archdef.errors import SpecErrors
from archdef.lower.encoding import Kind
from archdef.spec import GlobalAtomic, Operation, SharedAtomic, SlowPath, forms


def evolved(**isa):
    return gizmo().evolve({f"isa.{name}": value for name, value in isa.items()})


def test_of_the_patterns_that_fit_the_longest_counts():
    isa = evolved(forms=forms([(Operation("alu", 40), "fp32_rcp:rcp.*"), (Operation("alu", 9), "fp32_rcp:rcp.approx.ftz.f32")])).isa
    assert [isa.cost("fp32_rcp", form).latency_cycles for form in ("rcp.approx.f32", "rcp.approx.ftz.f32", "div.approx.f32", "")] == [40, 9, 8, 8]
    assert isa.cost("fp32_add", "rcp.approx.f32") == isa.operations["fp32_add"]


@pytest.mark.parametrize("cost, what, fault", [
    (Operation("alu", 4), "fp32_rpc:rcp.*", "gizmo.isa.forms.rcp.operation must name a class of isa.operations, got 'fp32_rpc' (did you mean fp32_rcp?)"),
    (Operation("alo", 4), "fp32_rcp:rcp.*", "gizmo.isa.forms.rcp.unit must name a unit (alu, lsu), got 'alo' (did you mean alu?)"),
    (Operation("alu", 0), "fp32_rcp:rcp.*", "gizmo.isa.forms.rcp.latency_cycles must be at least 1, got 0")])
def test_a_form_of_nothing_is_refused(cost, what, fault):
    with pytest.raises(SpecErrors) as caught:
        evolved(forms=forms([(cost, what)]))
    assert fault in [str(one) for one in caught.value.exceptions]


def test_two_forms_of_one_name_are_refused():
    with pytest.raises(SpecErrors) as caught:
        forms([(Operation("alu", 4), "fp32_rcp:rcp.*"), (Operation("alu", 5), "fp32_rcp:rcp*")])
    assert [str(one) for one in caught.value.exceptions] == [
        "isa.forms.rcp must be declared once, not for Operation(unit='alu', latency_cycles=4) and for Operation(unit='alu', latency_cycles=5), "
        "got 'fp32_rcp:rcp*'"]


def test_a_form_is_charged_as_declared_and_the_rest_as_its_class():
    architecture = gizmo().evolve({"isa.forms": forms([(Operation("lsu", 40, 2.5, issues=3), "fp32_transcendental:ex2.*")])})
    module = archdef.Device(architecture).compile("""
.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .b64 %a; .reg .f32 %x, %y; ld.param.u64 %a, [out]; ld.global.f32 %x, [%a]; ex2.approx.f32 %y, %x; lg2.approx.f32 %x, %y;
  st.global.f32 [%a], %x; ret; }""")
    ops = module["k"].program.ops
    costs = [(op["unit"], op["latency"], op["issues"], op["interval"] + op["fraction"] / 256) for op in ops[ops["kind"] == Kind.ALU]]
    assert costs == [(1, 40, 3, 7.5), (0, 8, 1, 2)]      # 3 issues of 2.5 cycles; 32 lanes over 16


@pytest.mark.parametrize("interval", [8, 8.5, 6.25])
def test_parts_of_cycles_for_which_a_unit_is_held_add_up(interval):
    device = archdef.Device(gizmo().evolve({"isa.forms": forms([(Operation("alu", 4, interval), "fp32_transcendental:ex2.*")]),
                                            "schedulers.issue_interval_cycles": 1, "schedulers.instruction_gap_cycles": 1}))

    def cycles(count):
        module = device.compile(f""".version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out)
{{ .reg .b64 %a; .reg .f32 %x, %y<{count}>; ld.param.u64 %a, [out]; ld.global.f32 %x, [%a];
  {" ".join(f"ex2.approx.f32 %y{k}, %x; st.global.f32 [%a+{4 * k}], %y{k};" for k in range(count))} ret; }}""")
        return module.k[(1,), (8,)](device.zeros(256)).cycles
    assert (cycles(168) - cycles(40)) / 128 == pytest.approx(interval, rel=0.01)


def test_lanes_leave_out_what_is_for_operands_out_of_the_ordinary():
    def counted(slow_path=None):
        device = archdef.Device(gizmo().evolve({"isa.forms": forms([(Operation("alu", 40, issues=9, slow_path=slow_path), "int_div32:div.*")])}))
        module = device.compile(""".version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .b64 %a; .reg .b32 %x; ld.param.u64 %a, [out]; ld.global.u32 %x, [%a]; div.u32 %x, %x, %x; st.global.u32 [%a], %x; ret; }""")
        return module.k[(1,), (8,)](device.to_device(np.ones(1, "u4"))).counters
    all_, some = counted(), counted(SlowPath(guarded_issues=2))
    assert some.instructions == all_.instructions and some.thread_instructions == all_.thread_instructions - 2 * 8
    assert some.predicated_off == all_.predicated_off + 2 * 8


HALVES = """
.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out)
{{ .reg .b64 %a, %v; .reg .b32 %l, %h, %t; .reg .pred %p;
  mov.u32 %t, %tid.x; ld.param.u64 %a, [out]; mad.wide.u32 %a, %t, 8, %a; ld.global.u64 %v, [%a];
  setp.lt.u32 %p, %t, 5;
  {body}
  st.global.u64 [%a], %v; ret; }}"""
SWAP = "mov.b64 {%l, %h}, %v; mov.b64 %v, {%h, %l}; "


@pytest.mark.parametrize("name", archdef.architectures())
def test_halves_of_a_register_take_no_time_and_no_issue(name):
    device = archdef.Device(name)
    values = np.arange(40, dtype="u8") << np.uint64(33) | np.uint64(7)
    runs, buffer = [], device.to_device(values)
    for body in ("", SWAP * 2, SWAP * 21):
        buffer.copy_from_host(values)
        runs.append(device.compile(HALVES.format(body=body)).k[(1,), (40,)](buffer))
        swapped = values if len(body) < 200 else values >> np.uint64(32) | values << np.uint64(32)
        assert (buffer.to_host() == swapped).all()
    assert len({run.counters.instructions for run in runs}) == 1
    assert len({run.cycles for run in runs}) == 1


@pytest.mark.parametrize("name", archdef.architectures())
def test_guarded_halves_leave_other_lanes_alone(name):
    device = archdef.Device(name)
    values = np.arange(40, dtype="u8") << np.uint64(33) | np.uint64(7)
    buffer = device.to_device(values)
    device.compile(HALVES.format(body="mov.b64 {%l, %h}, %v; @%p mov.b64 %v, {%h, %l};")).k[(1,), (40,)](buffer)
    swapped = values >> np.uint64(32) | values << np.uint64(32)
    assert (buffer.to_host() == np.where(np.arange(40) < 5, swapped, values)).all()


@pytest.mark.parametrize("path, value, allowed", [
    ("isa.operations.exit.slow_path.paths", 1, "only arithmetic"), ("isa.operations.load_global.slow_path.paths", 1, "only arithmetic"),
    ("isa.operations.fp32_add.slow_path.cycles", 9, "unless issues"), ("isa.operations.fp32_add.slow_path.instructions", 9, "unless paths"),
    ("isa.operations.fp64_div.slow_path.branches", 64, "less than issues = 64"),
    ("isa.operations.fp64_div.slow_path.guarded_issues", 16, "at most issues = 15"),
    ("isa.forms.ex2_x2.shared_atomic", SharedAtomic(bank_passes=2), "of atomic_shared alone"),
    ("isa.forms.shared_cas.global_atomic", GlobalAtomic(operands=2), "of atomic_global alone"),
    ("isa.forms.rcp_r_f32.slow_path.paths", 2, "that of isa.operations.fp32_div_exact")])
def test_costs_that_nothing_would_read_are_refused(path, value, allowed):
    if "h100" not in registry.names():
        pytest.skip("needs the Hopper plugin")
    with pytest.raises(SpecErrors) as caught:
        registry.get("h100").evolve({path: value})
    assert path in str(caught.value) and allowed in str(caught.value)
