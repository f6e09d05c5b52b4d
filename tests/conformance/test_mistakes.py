"""Does the suite catch mistakes? Each check fails for an architecture, or an engine, that is wrong in what it proves."""
import importlib
import itertools

import attrs
import numpy as np
import pytest

from archdef import registry
from archdef.errors import GuestFault, MissingFeature, PtxError
from archdef.lower import cost
from archdef.lower.select import selection
from archdef.metrics.counters import Counters
from archdef.run import limits, plan
from archdef.run.array import DeviceArray
from archdef.spec import Cite, Interleaved, MulticastBroadcast, SingleWordBroadcast, StrictHalfWarp
from archdef.testing.checks import CHECKS, Subject

pytestmark = pytest.mark.skipif(not {"g80", "gf100", "c500"} <= set(registry.names()), reason="needs the plugins of this repository")
BY_NAME = {check.name: check for check in CHECKS}


def with_evidence(name, changed):
    declared = registry.get(name)
    return attrs.evolve(declared, evidence={**declared.evidence, **changed})


# ---------------------------------------------------------------------------------------------- what is wrong, and on which machine
def a_source_without_a_place(patch):
    return with_evidence("g80", {"warp": Cite("a guide", " ")})


def a_number_without_a_source(patch):
    made = with_evidence("g80", {})
    object.__setattr__(made, "evidence", {path: cite for path, cite in made.evidence.items() if not path.startswith("chip")})
    return made


def a_measurement_of(card):
    return lambda patch: with_evidence("g80", {"warp": Cite("a benchmark", "table 1", "measured", card=card)})


def pickling_that_forgets_the_evidence(patch):
    made = registry.get("g80")
    patch.setattr("pickle.loads", lambda data: with_evidence("g80", {"warp": Cite("another", "place")}))
    return made


def an_alias_of_another(patch):
    return attrs.evolve(registry.get("g80"), aliases=("gf100",))


def results(change):
    """Memory in which the first word that a kernel leaves is changed, where `change` says so."""
    def made(patch):
        honest = DeviceArray.to_host

        def to_host(array):
            values = honest(array)
            words = values.reshape(-1).view("u1")
            if words.size and change(array):
                words[0] ^= 1
            return values
        patch.setattr(DeviceArray, "to_host", to_host)
        return registry.get("gf100")
    return made


def features_that_are_not_asked_for(patch):
    patch.setattr(selection, "need", lambda *asked: None)
    return registry.get("gf100")


def a_refusal_that_names_another_machine(patch):
    def need(architecture, feature, module, instruction):
        if feature not in architecture.isa.features:
            raise MissingFeature(f"somebody needs {feature}", architecture="?", feature=feature)
    patch.setattr(selection, "need", need)
    return registry.get("gf100")


def a_fused_product_where_it_should_be_cut(patch):
    forms = importlib.import_module("archdef.lower.passes.fuse")._FLOAT_FORMS
    patch.setitem(forms, "truncated", forms["fused"])
    return registry.get("g80")


def counted(change):
    """Counters that are changed when they come out of the engine."""
    def made(patch):
        honest = Counters.of.__func__

        def of(cls, result):
            return change(honest(cls, result))
        patch.setattr(Counters, "of", classmethod(of))
        return registry.get("gf100")
    return made


def times(factor):
    return counted(lambda c: attrs.evolve(c, cycles=int(c.cycles * factor)))


LATER = itertools.count(1)
drifting = counted(lambda c: attrs.evolve(c, cycles=c.cycles + next(LATER)))


def row_hits_twice(c):
    partition = c.partition.copy()
    partition["row_hits"] *= 2
    return attrs.evolve(c, partition=partition)


def stalls_that_vanish(c):
    statements = c.statements.copy()
    statements["stall_cycles"][:, 1] = 0
    return attrs.evolve(c, statements=statements)


def longer_latencies(patch):
    honest = cost.Costs.of
    patch.setattr(cost.Costs, "of", lambda *asked: (found := honest(*asked))._replace(latency=2 * found.latency + 9))
    return registry.get("gf100")


def tables(name, component, **changed):
    """An engine that is given other numbers of a component than the description's."""
    def made(patch):
        from archdef import pack
        honest = pack.machine_tables

        def dishonest(arch):
            given = honest(arch)
            return given | {component: given[component] | {key: change(given[component][key]) for key, change in changed.items()}}
        patch.setattr(pack, "machine_tables", dishonest)
        return registry.get(name)
    return made


def policy(name, kind, method, answer):
    """A policy whose readable definition says something else than the engine does."""
    def made(patch):
        honest = getattr(kind, method)
        patch.setattr(kind, method, lambda self, *asked: answer(honest(self, *asked)))
        return registry.get(name)
    return made


def an_occupancy_rule_that_promises_more(patch):
    honest = plan.occupancy
    patch.setattr(plan, "occupancy", lambda *a, **k: attrs.evolve(found := honest(*a, **k), active_blocks=found.active_blocks + 1))
    return registry.get("gf100")


def limits_that_nobody_heeds(patch):
    patch.setattr(limits, "check_launch", lambda *asked: None)
    return registry.get("gf100")


def an_error_without_words(name, error, words="oh"):
    def made(patch):
        honest = error.__init__
        patch.setattr(error, "__init__", lambda self, *a, **k: honest(self, words, **({"line": 0} if name == "PtxError" else {})))
        return registry.get("g80")
    return made


def evolved(array):
    return bool(array.memory.architecture.changes)


EVERY = results(lambda array: array.dtype != np.uint8)
MISTAKES = [
    ("evidence_is_complete", None, a_source_without_a_place, "the source of warp names no place"),
    ("evidence_is_complete", None, a_number_without_a_source, "chip.multiprocessors = 16 has no source"),
    ("measured_names_this_card", None, a_measurement_of("GeForce 8800 GTS"), "not on a card that is called GeForce 8800 GTX or g80 or"),
    ("measured_names_this_card", None, a_measurement_of(""), "not on a card that is called GeForce 8800 GTX or g80 or"),
    ("description_round_trips", None, pickling_that_forgets_the_evidence, "changes when it is pickled"),
    ("names_lead_to_it", None, an_alias_of_another, "names that lead to another architecture: {'gf100': 'gf100'}"),
    ("features", "fp64", EVERY, "engine .* reference"),
    ("features", "unified_addressing", EVERY, "word 0 is 0x1, should be 0x0"),
    ("features", "globaltimer", features_that_are_not_asked_for, "does not declare globaltimer, but takes a kernel that needs it"),
    ("features", "shuffle", a_refusal_that_names_another_machine, "must name it and the architecture, got: .*somebody needs shuffle"),
    ("samples_equal_the_reference", "stream", EVERY, "array 0 differs in 1 of"),
    ("instructions_equal_the_reference", "add", EVERY, "add.s16: .* differs"),
    ("random_kernels_equal_the_reference", "3", EVERY, "differs"),
    ("multiply_add_rounds_as_declared", "mad", EVERY, "by isa.float_mad = fused"),
    ("multiply_add_rounds_as_declared", "mul, add", a_fused_product_where_it_should_be_cut, "by isa.float_mad = truncated"),
    ("cycles_do_not_depend_on_epochs", "7 cycles", drifting, "cycles instead of the same"),
    ("cycles_do_not_depend_on_order_or_threads", "two at a time", drifting, "cycles instead of the same"),
    ("cycles_lie_within_bounds", "floats", times(1 / 20), "less than the .* of"),
    ("cycles_lie_within_bounds", "floats", times(500), "more than the .* of everything one after the other"),
    ("chains_take_the_declared_latency", "fp32_add", longer_latencies, "each fp32_add of a chain takes 45"),
    ("chains_take_the_declared_latency", "int_add", times(1 / 2), "each int_add of a chain takes 9"),
    ("warps_reach_the_declared_rate", "fp32_add", tables("gf100", "schedulers", issue_interval_cycles=lambda n: 2 * n),
     "a warp's fp32_add takes 2 cycles of a full multiprocessor; .* it is 1"),
    ("warps_reach_the_declared_rate", "int_mul32", times(1 / 2), "a warp's int_mul32 takes 1 cycles of a full multiprocessor; .* it is 2"),
    ("loads_take_the_declared_way", "l2", tables("gf100", "interconnect", request_latency_fs=lambda fs: 3 * fs), "a load from l2 takes"),
    ("loads_take_the_declared_way", "dram", tables("g80", "dram", t_cl_fs=lambda fs: 20 * fs), "a load from dram takes"),
    ("shared_accesses_take_the_declared_passes", "stride 2, 32 bits", policy("gf100", MulticastBroadcast, "passes", lambda n: n + 1),
     "2 passes over the banks, by MulticastBroadcast.* and 32 banks 3"),
    ("shared_accesses_take_the_declared_passes", "broadcast, 32 bits", tables("g80", "shared", banks=lambda n: 1, single_word_broadcast=lambda n: 0,
     conflict_lanes=lambda n: 8), "passes"),
    ("shared_accesses_take_the_declared_passes", "two words, 32 bits", policy("g80", SingleWordBroadcast, "passes", lambda n: 1), "passes"),
    ("global_accesses_make_the_declared_transactions", "backwards, 32 bits",
     policy("g80", StrictHalfWarp, "transactions", lambda sent: sent[:1]), "ld.global of backwards, 32 bits: 32 transactions"),
    ("partitions_hold_the_declared_addresses", None, policy("g80", Interleaved, "partition", lambda p: p ^ 1), "reach partitions"),
    ("residency_equals_occupancy", "small blocks", an_occupancy_rule_that_promises_more, "8 blocks were resident, occupancy says 9"),
    ("counters_conserve", "stream", counted(row_hits_twice), "DRAM row hits . misses = reads . writes"),
    ("counters_conserve", "shared", counted(stalls_that_vanish), "warp cycles by cause = warp cycles"),
    ("counters_conserve", "floats", counted(lambda c: attrs.evolve(c, warps=c.warps + 1)), "warps launched = warps of the grid"),
    ("extreme_machines_finish_with_the_right_results", "64 lanes", results(evolved), "leaves 1 of 1200 words wrong"),
    ("an_unknown_instruction_is_a_clear_error", None, an_error_without_words("PtxError", PtxError), "the error does not say"),
    ("a_launch_past_a_limit_is_refused", "grid_dimensions.x", limits_that_nobody_heeds, "."),
    ("an_access_out_of_bounds_is_a_fault", None, an_error_without_words("GuestFault", GuestFault), "the error does not say"),
    ("a_kernel_that_never_ends_is_stopped", None, an_error_without_words("BudgetExceeded", GuestFault), "the error does not say 'k'"),
]


@pytest.mark.parametrize("name, case, mistake, message", MISTAKES, ids=lambda v: getattr(v, "__name__", None) if callable(v) else v)
def test_a_mistake_fails_the_check_that_is_about_it(name, case, mistake, message, monkeypatch):
    subject = Subject(mistake(monkeypatch))
    assert case in BY_NAME[name].cases_of(subject)
    with pytest.raises(Exception, match=message) as caught:
        BY_NAME[name](subject, case)
    assert isinstance(caught.value, AssertionError) or message == "."


def test_every_check_is_shown_to_fail():
    assert {name for name, *_ in MISTAKES} == set(BY_NAME)


@pytest.mark.parametrize("name, case", sorted({(name, case) for name, case, *_ in MISTAKES}, key=str))
def test_without_the_mistake_it_passes(name, case):
    BY_NAME[name](Subject(registry.get("gf100")), case)


def test_a_declaration_that_the_engine_cannot_keep_fails():
    """Matrix fragments are defined for 32 lanes: a machine of 64 that declares them promises too much."""
    if "h100" not in registry.names():
        pytest.skip("needs h100")
    wide = registry.get("h100").evolve({"warp.size": 64, "limits.warps_per_multiprocessor": 32})
    with pytest.raises(Exception, match="fragments of matrices are defined for warps of 32 lanes"):
        BY_NAME["features"](Subject(wide), "matrix")
