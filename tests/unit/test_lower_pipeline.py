"""Are passes run in an order that each of them is made for, and does lowering say what each did?"""
import random

import attrs
import pytest
from lowering import kernel, machine

from archdef import registry
from archdef.errors import PluginError
from archdef.lower import Options, lower
from archdef.lower.pipeline import AT_FIRST, FACTS, Pass, after, before, changed, check
from archdef.lower.target import AS_WRITTEN, PASSES, Target, target_of
from archdef.ptx import parse
from archdef.spec import Assembler
import itertools

WAYS = (Options(), Options(debug=True))
BODY = "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; add.s32 %r3, %r1, 0; mul.lo.s32 %r4, %r3, %r2; add.s32 %r5, %r4, 7; " \
       "setp.lt.s32 %p1, %r2, %r1; @%p1 bra A; bra B; A: st.global.u32 [%rd1+4], %r5; B: st.global.u32 [%rd1], %r5;"


def nothing(code):
    """Do nothing."""


class Brought(Target):
    """A target with passes of a test."""

    def passes(self, options):
        return self.brought


def lowered_by(passes, trace):
    """Lower one small kernel by some passes."""
    target = Brought(machine())
    target.brought = passes
    return target.lower(parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", Options(), trace)


def traced(architecture=None, body=BODY, **options):
    """What passes did to one small kernel."""
    ran = []
    lower(parse(kernel(body, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", architecture or machine(), options=Options(**options), trace=ran)
    return {one.name: one for one in ran}


# ------------------------------------------------------------------------------------------------------------------------ order
@pytest.mark.parametrize("options", WAYS, ids=("optimised", "as written"))
@pytest.mark.parametrize("name", registry.names())
def test_every_pipeline_of_every_machine_meets_its_requirements(name, options):
    passes = target_of(registry.get(name)).passes(options)
    check(passes)
    assert len({one.name for one in passes}) == len(passes) > 5


def in_order(passes) -> bool:
    """Whether every pass finds what it requires; said once more, in other words than those of `check`."""
    def holds(fact, place):
        for one in reversed(passes[:place]):
            if fact in one.gives:
                return True
            if fact in one.invalidates:
                return False
        return fact in AT_FIRST
    return all(holds(fact, place) for place, one in enumerate(passes) for fact in one.requires)


@pytest.mark.parametrize("seed", range(60))
def test_shuffled_passes_are_refused_where_one_does_not_find_what_it_requires(seed):
    rng, passes = random.Random(seed), list(PASSES)
    if seed % 2:
        rng.shuffle(passes)
    else:       # one pass elsewhere: some of these orders are as good
        passes.insert(rng.randrange(len(passes)), passes.pop(rng.randrange(len(passes))))
    if in_order(passes):
        check(passes)
    else:
        with pytest.raises(PluginError, match="the pass .* needs "):
            check(passes)


@pytest.mark.parametrize("passes", [PASSES, AS_WRITTEN], ids=("optimised", "as written"))
def test_no_pass_may_come_before_all_that_give_what_it_requires(passes):
    asking = [one for one in passes if one.requires - AT_FIRST]
    assert asking
    for one in asking:
        with pytest.raises(PluginError, match=f"the pass {one.name} needs"):
            check([one, *(other for other in passes if other is not one)])


def test_every_fact_is_required_and_lost_or_given_by_some_pass():
    required = {fact for one in (*PASSES, *AS_WRITTEN) for fact in one.requires}
    assert required == set(FACTS)
    assert set(FACTS) == AT_FIRST | {fact for one in PASSES for fact in one.gives}
    assert {fact for one in PASSES for fact in one.invalidates} >= AT_FIRST


def test_a_pass_behind_what_takes_its_fact_away_is_refused_by_both_names():
    moved = next(one for one in PASSES if one.name == "scaled_indices")
    rest = [one for one in PASSES if one is not moved]
    with pytest.raises(PluginError, match="the pass scaled_indices needs 'unfused' .*: fuse before it takes that away"):
        check(after(rest, "fuse", moved))
    check(before(rest, "fuse", moved))


@pytest.mark.parametrize("wrong, said", [
    (dict(takes="code units"), "names 'units', which is not an attribute of a context, nor what a pass before it finds"),
    (dict(options="unrol"), "names 'unrol', which is not an option"), (dict(requires="label"), "names 'label', which is not a fact"),
    (dict(name="coalesce"), "two passes of lowering are called coalesce")])
def test_a_pass_that_names_what_nobody_knows_is_refused(wrong, said):
    with pytest.raises(PluginError) as refused:
        check([*PASSES, Pass(**{"name": "mine", "function": nothing} | wrong)])
    assert said.partition(";")[0] in str(refused.value)


def test_what_a_pass_finds_is_given_to_those_behind_it_by_its_name_and_to_no_others():
    told = []

    def count(code):
        """Count operations."""
        return len(code.ops)

    finds, takes = Pass(name="count", function=count, result="operations"), Pass(name="tell", function=told.append, takes="operations")
    with pytest.raises(PluginError, match="the pass tell names 'operations'"):
        check([*PASSES, takes, finds])
    passes = (*PASSES, finds, takes)
    check(passes)
    ran = []
    lowered_by(passes, ran)
    assert told == [ran[-1].after] and told[0] > 3


def test_a_plugin_may_say_facts_of_its_own_by_names_with_a_dot():
    gives, needs = Pass(name="gives", function=nothing, gives="mine.sorted"), Pass(name="needs", function=nothing, requires="mine.sorted")
    check([*PASSES, gives, needs])
    with pytest.raises(PluginError, match="the pass needs needs 'mine.sorted' .*: no pass before it gives that"):
        check([*PASSES, needs, gives])


def test_a_place_beside_a_pass_that_is_not_there_is_refused_with_the_nearest_name():
    with pytest.raises(PluginError, match="there is no pass 'coalesced'.*coalesce"):
        after(PASSES, "coalesced")


def test_passes_are_put_before_behind_and_in_place_of_others():
    mine = Pass(name="mine", function=nothing)
    names = [one.name for one in before(after(PASSES, "fuse", mine), "fuse", attrs.evolve(mine, name="first"))]
    place = names.index("fuse")
    assert names[place - 1:place + 2] == ["first", "fuse", "mine"] and len(names) == len(PASSES) + 2
    assert next(one for one in changed(PASSES, "fuse", function=nothing) if one.name == "fuse").function is nothing


# ---------------------------------------------------------------------------------------------------------------------- running
def test_the_trace_counts_what_a_pass_drops_and_changes():
    ran = traced()
    assert ran["drop_labels"].before == ran["drop_labels"].after > 8
    assert ran["propagate"].changed >= 3
    assert ran["fuse"].after == ran["fuse"].before - 1 and ran["fuse"].changed == 1
    assert ran["exit_early"].changed == 0 and not any(one.moved for one in ran.values() if one.skipped)


def test_the_trace_is_of_one_piece_and_changes_nothing():
    ran = list(traced().values())
    assert all(one.after == two.before for one, two in itertools.pairwise(ran))
    text = parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx")
    assert lower(text, "k", machine()).listing() == lower(text, "k", machine(), trace=[]).listing()


@pytest.mark.parametrize("options, name, why", [
    (dict(fuse=False), "fuse", "option fuse is off"), (dict(predicate=False), "predicate_branches", "option predicate is off"),
    (dict(), "charge_addresses", "pointers have 64 bits")])
def test_the_trace_says_why_a_pass_did_not_run(options, name, why):
    assert traced(machine(pointer_bits=64), **options)[name].skipped == why


@pytest.mark.parametrize("name", sorted({option for one in PASSES for option in one.options}))
def test_an_option_switches_the_passes_that_name_it_and_no_others(name):
    on, off = traced(), traced(**{name: False})
    assert {one for one in on if not on[one].skipped and off[one].skipped} == {
        one.name for one in PASSES if name in one.options and not on[one.name].skipped}


def test_every_option_that_is_a_switch_of_passes_has_some():
    apart = {"debug", "spill", "pointer_width"}     # of other passes, behind them all, and of what addresses are charged as
    switches = {a.name for a in attrs.fields(Options) if a.type in (bool, "bool")}
    of_targets = {"unroll", "merge_loads"}          # archdef's own passes do neither
    assert {option for one in PASSES for option in one.options} == switches - apart - of_targets


def test_every_pass_says_what_it_does():
    assert all(one.summary.endswith((".", ":")) and len(one.summary) > 15 for one in (*PASSES, *AS_WRITTEN)), [
        one.name for one in PASSES if not one.summary.endswith(".")]


def test_a_spilling_kernel_is_traced_once():
    """It is lowered twice; what is told is how the program that was taken came about."""
    ran, small = [], registry.get("k20").evolve({"limits.registers_per_thread": 20})
    loads = "".join(f"ld.global.u32 %r{k}, [%rd1+{4 * k}];" for k in range(10, 40))
    sums = "".join(f"add.s32 %r9, %r9, %r{k};" for k in range(39, 9, -1))
    text = kernel(f"ld.param.u64 %rd1, [out]; {loads} bar.sync 0; mov.u32 %r9, 0; {sums} st.global.u32 [%rd1], %r9;", ".param .u64 out, .param .u32 n")
    program = lower(parse(text, "k.ptx"), "k", small, trace=ran)
    assert program.spilled_registers and [one.name for one in ran] == [one.name for one in PASSES]


@pytest.mark.parametrize("wrong", [dict(declared="shift_bit"), dict(fields={"most": "shift_bit"})])
def test_a_pass_that_names_a_field_that_the_assembler_has_not_is_refused(wrong):
    """It would never run, and nobody would be told."""
    mine = Pass(name="mine", function=nothing, **wrong)
    with pytest.raises(PluginError, match="the pass mine names 'shift_bit', which is not a field of the assembler .did you mean shift_bits"):
        check([*PASSES, mine], frozenset(attrs.fields_dict(Assembler)) | {"shift_bits"})
    check([*PASSES, mine], frozenset(attrs.fields_dict(Assembler)) | {"shift_bit"})
