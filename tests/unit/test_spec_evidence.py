"""Every number of every installed machine says where it comes from."""
import re

import pytest
from archdef import registry
from archdef.errors import UnknownField
from archdef.spec import KINDS, Cite, unit_of
from archdef.spec.evidence import UNSTATED
from small_machine import MADE_UP, SECTIONS, gizmo

ALL = [*list(registry.all().values()), gizmo()]


@pytest.mark.parametrize("arch", ALL, ids=lambda a: a.name)
def test_every_number_has_a_source(arch):
    numbers = [path for path, value, _ in arch.leaves() if isinstance(value, (int, float))]
    assert len(numbers) > 200 and all(arch.evidence_for(path).kind in KINDS for path in numbers)


@pytest.mark.parametrize("arch", ALL, ids=lambda a: a.name)
def test_a_name_that_ends_in_a_unit_tells_it(arch):
    units = {path: unit for path, _, unit in arch.leaves()}
    assert units["dram.t_rcd_ns"] == "ns" and units["limits.shared_bytes_per_multiprocessor"] == "B"
    assert units["interconnect.injection_bytes_per_cycle"] == "B/cycle" and units["warp.size"] == ""
    assert units["schedulers.issue_interval_cycles"] == "cycles" and units["clocks.core_mhz"] == "MHz"


def test_the_longest_path_wins():
    cite = Cite("guide", "table 1")
    machine = gizmo(evidence=dict.fromkeys(SECTIONS, MADE_UP) | {"caches.l2": cite, "caches.l2.ways": MADE_UP})
    assert machine.evidence_for("caches.l2.line_bytes") == cite and machine.evidence_for("l2.ways") == MADE_UP
    assert "caches.l2.ways" in machine.assumed() and "caches.l2.line_bytes" not in machine.assumed()


def test_what_is_left_at_its_default_is_not_covered_by_the_source_of_the_part():
    guide = Cite("guide", "table 3")
    machine = gizmo(evidence=dict.fromkeys(SECTIONS, guide))
    assert machine.caches.l2.set_hash_bits == () and machine.evidence_for("caches.l2.set_hash_bits") == UNSTATED
    assert machine.evidence_for("caches.l2.ways") == guide and "caches.l2.set_hash_bits" in machine.assumed()
    stated = gizmo(evidence=dict.fromkeys(SECTIONS, guide) | {"caches.l2.set_hash_bits": guide})
    assert stated.evidence_for("caches.l2.set_hash_bits") == guide
    assert stated.evidence_counts()["documented"] == machine.evidence_counts()["documented"] + 1


@pytest.mark.parametrize("arch", ALL, ids=lambda a: a.name)
def test_what_is_documented_or_measured_was_read_at_a_place_that_it_names(arch):
    cites = {cite for cite in arch.sources().values() if cite.kind in ("documented", "measured")}
    assert [str(cite) for cite in cites if not (cite.document.strip() and cite.place.strip()) or "from memory" in f"{cite.place} {cite.note}"] == []


@pytest.mark.parametrize("arch", ALL, ids=lambda a: a.name)
def test_what_is_measured_was_so_on_the_card_that_is_declared(arch):
    cites = {cite for cite in arch.evidence.values() if cite.kind == "measured"}
    assert [str(cite) for cite in cites if not cite.of_card((arch.title, arch.name, *arch.aliases))] == []
    assert [str(cite) for cite in arch.evidence.values() if cite.card and cite.kind != "measured"] == []


@pytest.mark.parametrize("card, same", [("Tesla V100-SXM2-16GB", True), ("tesla v100", True), ("V100 SXM2", True), ("GV100", True), ("", False),
                                        ("Tesla V100-PCIE-16GB", False), ("Tesla V100 SXM2 32GB", False), ("Quadro GV100", False), ("TITAN V", False)])
def test_a_card_is_known_by_its_title_the_beginning_of_it_or_another_name(card, same):
    names = ("Tesla V100 SXM2 16GB", "v100", "v100_sxm2", "gv100")
    assert Cite("a benchmark", "table 1", "measured", card=card).of_card(names) == same


@pytest.mark.parametrize("arch", ALL, ids=lambda a: a.name)
def test_a_text_on_rates_documents_no_latency(arch):
    latencies = {str(cite): path for path, cite in arch.sources().items() if path.endswith("latency_cycles") and cite.kind == "documented"}
    assert [(path, cite) for cite, path in latencies.items() if not re.search("latenc|cycles|reference values", cite, re.IGNORECASE)] == []


@pytest.mark.parametrize("arch", ALL, ids=lambda a: a.name)
def test_counts_by_kind_are_all_there_is(arch):
    assert sum(arch.evidence_counts().values()) == len(arch.sources())


def test_what_a_derived_machine_inherits_was_measured_on_another():
    base = gizmo(evidence=dict.fromkeys(SECTIONS, MADE_UP) | {"dram": Cite("a benchmark", "table 1", "measured", "twice", "Gizmo 4")})
    inherited = base.derive({"chip.block_turnover_cycles": 7}, name="gizmo7").evidence_for("dram.banks")
    assert inherited == Cite("a benchmark", "table 1", "inferred", "measured on Gizmo 4; twice")


def test_only_whole_words_of_a_path_match():
    machine = gizmo(evidence=dict.fromkeys(SECTIONS, MADE_UP) | {"dram.row_bytes": Cite("guide", "table 2")})
    assert machine.evidence_for("dram.banks") == MADE_UP


def test_a_name_has_no_source():
    with pytest.raises(UnknownField, match="gizmo has no evidence for title"):
        gizmo().evidence_for("title")


def test_a_cite_of_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind"):
        Cite("guide", "table", kind="guessed")


@pytest.mark.parametrize("name, unit",
                         [("size_bytes", "B"), ("bandwidth_gb_s", "GB/s"), ("banks", ""), ("pointer_bits", "bit"),
                                        ("launch_overhead_us", "us"), ("shared_reserved_bytes_per_block", "B")])
def test_units_are_read_off_names(name, unit):
    assert unit_of(name) == unit
