"""Is the target whole: are its passes in order, do its fields switch them, do machines name it and share it?"""
import random

import attrs
import pytest
from archdef_sass import Sass
from archdef_sass.target import SASS_PASSES, SassTarget

import archdef
from archdef.errors import PluginError, SpecErrors
from archdef.files import load, save
from archdef.lower import Options, lower
from archdef.lower.pipeline import AT_FIRST, check
from archdef.lower.target import PASSES, target_of
from archdef.ptx import parse
from archdef.spec import Assembler

LOOP = """.version 6.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, 0; mov.u32 %r3, 1;
L:
    xor.b32 %r3, %r3, %r2; add.s32 %r3, %r3, 3;
    add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;
    st.global.u32 [%rd1], %r3;
    ret;
}
"""
NAMES = archdef.architectures()
OWN = [a.name for a in attrs.fields(Sass) if a.name not in attrs.fields_dict(Assembler)]
APART = {"orders_by_fences", "result_scoreboards"}
"""Fields of selection and of what is packed behind all passes."""
OF_OTHERS = {name for name in OWN if name.startswith(("unroll_", "list_scheduling_"))} | {"operand_read_cycles"}
"""Numbers of what another field switches, which the functions of passes read by themselves."""


def machine(**fields):
    return archdef.architecture(next(name for name in ("v100", *NAMES) if name in NAMES)).evolve({"isa.assembler": Sass(**fields)})


def ran(**fields):
    trace = []
    lower(parse(LOOP, "k.ptx"), "k", machine(**fields), trace=trace)
    return {one.name: one for one in trace}


def test_its_passes_are_in_an_order_that_each_is_made_for():
    check(SASS_PASSES)
    assert {one.name for one in PASSES} < {one.name for one in SASS_PASSES}
    shared = [one.name for one in SASS_PASSES if one.name in {other.name for other in PASSES}]
    assert shared == [one.name for one in PASSES]


@pytest.mark.parametrize("name", [one.name for one in SASS_PASSES if one.requires - AT_FIRST])
def test_a_pass_before_what_it_needs_is_refused(name):
    moved = next(one for one in SASS_PASSES if one.name == name)
    with pytest.raises(PluginError, match=f"the pass {name} n"):
        check([moved, *(one for one in SASS_PASSES if one is not moved)])


def test_shuffled_passes_are_refused():
    passes = list(SASS_PASSES)
    for seed in range(20):
        random.Random(seed).shuffle(passes)
        with pytest.raises(PluginError):
            check(passes)


def test_every_field_is_one_of_a_pass_or_read_where_another_field_is_declared():
    named = {field for one in SASS_PASSES for field in (*one.fields.values(), *one.declared, *[one.unless] * bool(one.unless))}
    assert set(OWN) <= named | APART | OF_OTHERS
    assert named <= {a.name for a in attrs.fields(Sass)}


def test_nothing_declared_makes_the_programs_of_archdefs_own_assembler():
    plain = machine().evolve({"isa.assembler": Assembler()})
    assert isinstance(target_of(machine()), SassTarget) and not isinstance(target_of(plain), SassTarget)
    assert lower(parse(LOOP, "k.ptx"), "k", machine()).listing() == lower(parse(LOOP, "k.ptx"), "k", plain).listing()
    assert all(one.changed == 0 and one.before == one.after for name, one in ran().items() if name not in {other.name for other in PASSES})


def test_a_declared_field_switches_its_pass():
    assert ran()["unroll"].skipped == "the assembler has no unroll_factor"
    unrolled = ran(unroll_factor=4, unroll_max_instructions=64)["unroll"]
    assert not unrolled.skipped and unrolled.after > unrolled.before + 4
    ordered = ran(list_scheduling=True)
    assert ordered["start_loads_early"].skipped == "the assembler has list_scheduling" and not ordered["list_schedule"].skipped


@pytest.mark.parametrize("option", ["unroll", "merge_loads"])
def test_options_of_lowering_switch_its_passes_too(option):
    trace = []
    declared = machine(unroll_factor=4, unroll_max_instructions=64, shared_load_bytes=16)
    lower(parse(LOOP, "k.ptx"), "k", declared, options=Options(**{option: False}), trace=trace)
    off = {one.name for one in trace if one.skipped == f"option {option} is off"}
    assert off == {one.name for one in SASS_PASSES if option in one.options} != set()


@pytest.mark.parametrize("fields, taken", [
    (dict(unroll_factor=4, unroll_max_instructions=64, unroll_atomic_instructions=1), True), (dict(unroll_max_instructions=64), False),
    (dict(unroll_known_max_instructions=5), False), (dict(list_scheduling_barriers=4), False), (dict(list_scheduling=True, list_scheduling_barriers=4), True),
    (dict(operand_read_cycles=9), False), (dict(list_scheduling=True, operand_read_cycles=9), True)])
def test_a_field_about_what_the_machine_does_not_do_is_refused(fields, taken):
    if taken:
        machine(**fields)
    else:
        with pytest.raises(SpecErrors) as refused:
            machine(**fields)
        assert all(" unless isa.assembler." in str(fault) for fault in refused.value.exceptions)


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_files_keep_it(tmp_path, suffix):
    made = machine(unroll_factor=4, merged_atomics=(5, 11), list_scheduling=True, list_scheduling_windows=(64, 32))
    save(made, tmp_path / f"made.{suffix}")
    assert load(tmp_path / f"made.{suffix}").isa.assembler == made.isa.assembler


def test_fitted_figures_are_fields_that_change_what_is_made():
    longest = dict(unroll_factor=4, unroll_max_instructions=4)
    assert ran(**longest)["unroll"].changed and not ran(**longest | {"unroll_max_instructions": 1})["unroll"].changed
    known = LOOP.replace("setp.lt.s32 %p1, %r2, %r1", "setp.lt.s32 %p1, %r2, 40")

    def straight(**fields):
        return "branch" not in lower(parse(known, "k.ptx"), "k", machine(unroll_factor=4, unroll_full_instructions=60, **fields)).listing()
    assert straight(unroll_full_trip_instructions=10) and not straight(unroll_full_trip_instructions=0)
    assert not straight(unroll_full_trips=39) and straight(unroll_full_trips=40)


def test_an_atomic_operation_counts_as_the_machine_declares():
    text = LOOP.replace("add.s32 %r3, %r3, 3;", "red.global.add.u32 [%rd1+64], %r3;")

    def unrolled(**fields):
        trace = []
        lower(parse(text, "k.ptx"), "k", machine(unroll_factor=4, unroll_max_instructions=13, **fields), trace=trace)
        return next(one.after > one.before for one in trace if one.name == "unroll")
    assert unrolled() and unrolled(unroll_atomic_instructions=5) and not unrolled(unroll_atomic_instructions=14)


def test_a_load_with_a_longer_way_to_go_is_waited_for_as_long_as_the_machine_declares():
    early = "".join(f"ld.global.u32 %r{20 + k}, [%rd1+{4 * k}];" for k in range(16))
    late = "".join(f"mad.lo.s32 %r3, %r3, %r3, {k + 3};" for k in range(8)) + "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3];"
    uses = "".join(f"xor.b32 %r5, %r5, %r{20 + k};" for k in range(16)) + "".join(f"mad.lo.s32 %r4, %r4, %r4, {k};" for k in range(2, 12))
    text = f"""{LOOP.partition("{")[0]}{{
    .reg .b32 %r<90>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [out]; mov.u32 %r3, %tid.x; mov.u32 %r5, 0;
    {early} {late} {uses} add.s32 %r5, %r5, %r4; st.global.u32 [%rd1], %r5; ret; }}"""
    soon, long = (lower(parse(text, "k.ptx"), "k", machine(list_scheduling=True, list_scheduling_wait_cycles=cycles)).listing() for cycles in (0, 100))
    assert soon != long and len(soon.splitlines()) == len(long.splitlines())


@pytest.mark.parametrize("body, moves", [
    ("add.u32 %r2, %r1, %r3;", 0), ("mad.lo.u32 %r2, %r3, 12, %r1;", 1), ("mad.lo.u32 %r2, %r3, %r1, %r4;", 0),
    ("mad.lo.u32 %r2, %r3, 12, %r1; mad.lo.u32 %r4, %r2, 12, %r1;", 1), ("mad.lo.u32 %r2, %r3, 12, %r1; bar.sync 0; mad.lo.u32 %r4, %r2, 20, %r1;", 2)])
def test_an_instruction_reads_one_constant_and_others_are_moved(body, moves):
    """As in code by ptxas 11.8 for sm_80: a factor of 12 is moved into a register where the other operand is a parameter."""
    text = f"""{LOOP.partition("{")[0]}{{
    .reg .b32 %r<9>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r3, %tid.x; mul.lo.u32 %r4, %r3, %r3;
    mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; {body} xor.b32 %r2, %r2, %r4; st.global.u32 [%rd3], %r2; ret; }}"""

    def instructions(**fields):
        return lower(parse(text, "k.ptx"), "k", machine(**fields)).instructions
    paid = instructions(moves_constants=True) - instructions()
    assert paid == moves + 1        # and the factor of 4 of the address
