"""Does every field of a component mean something that no shipped machine has? It is added to one, and its fields are given other values."""
import functools

import pytest
from probes import PROBE_KINDS
from variants import MACHINES, variants
from verdicts import PAGES

from archdef import registry
from archdef.errors import ArchdefError
from archdef.spec import AddressTranslation, PageWalk, Tlb

pytestmark = pytest.mark.skipif("gf100" not in MACHINES, reason="needs the plugins of this repository")
TLB = AddressTranslation(
    page_bytes=8192, l1=Tlb(entries=8, ways=4, latency_cycles=4, lookups_per_cycle=1, misses_in_flight=4),
    l2=Tlb(entries=32, ways=8, latency_cycles=40, lookups_per_cycle=1, misses_in_flight=8),
    walk=PageWalk(walkers=2, levels=3, level_cycles=60, table_entries=16, cached_entries=2))


OTHERWISE = ({}, {"caches.tlb.hit_under_miss": False})
"""A field may show where misses let others pass, or where they do not."""


@functools.cache
def machine(which=0):
    return registry.get("gf100").evolve({"caches.tlb": TLB, **OTHERWISE[which]})


@functools.cache
def as_it_is(probe, which):
    return PROBE_KINDS[probe](machine(which))


def tried():
    """Path below the component → variants of it."""
    found = {}
    for variant in variants(machine()) if "gf100" in MACHINES else ():
        if variant.path.startswith("caches.tlb."):
            found.setdefault(variant.path, []).append(variant)
    return found


@pytest.mark.parametrize("path, given", tried().items(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_field_of_translation_shows_in_what_a_probe_sees(path, given):
    """Of the ups and downs of a number one that shows is enough; any other value must show, or be refused."""
    unseen = {}
    for variant in given:
        try:
            others = [machine(which).evolve({path: variant.value}) for which in range(len(OTHERWISE))]
        except ArchdefError:
            continue
        shows = any(PROBE_KINDS[probe](other) != as_it_is(probe, which) for which, other in enumerate(others) for probe in PAGES)
        if shows and variant.kind == "number":
            return
        if not shows:
            unseen[variant.kind, str(variant.value)] = variant
    assert not unseen


def test_all_fields_of_the_component_are_tried():
    assert {path.removeprefix("caches.tlb.") for path in tried()} >= {
        "page_bytes", "hit_under_miss", "l2", *(f"{level}.{field}" for level in ("l1", "l2") for field in (
            "entries", "ways", "latency_cycles", "lookups_per_cycle", "misses_in_flight")),
        *(f"walk.{field}" for field in ("walkers", "levels", "level_cycles", "table_entries", "cached_entries"))}
