"""What the engine is told of a component is made of the class that describes it."""
import re

import attrs
import pytest
from parameters_header import HEADER

from archdef import parameters, registry
from archdef.parameters import COMPONENTS, PLACES, classes, component_tables, header, members, number_of
from archdef.spec import Architecture, Cache, Dram
from archdef.spec.fields import integer, real

ENGINE = HEADER.parent


def test_the_header_is_what_the_classes_say():
    assert HEADER.read_text(encoding="utf-8") == header(), "refresh it with: python tests/engine/parameters_header.py"


@pytest.mark.parametrize("cls", COMPONENTS, ids=lambda cls: cls.__name__)
def test_every_name_of_the_table_is_one_of_the_class(cls):
    assert cls in classes()
    component, fields = COMPONENTS[cls], {attribute.name for attribute in attrs.fields(cls)}
    assert {*component.left_out, *component.core_cycles} <= fields
    assert component.absent.keys() <= {one.name for one in members(cls)}


def test_the_engine_reads_every_member():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in ENGINE.glob("*.p[yx][xd]") if path != HEADER)
    named = {one.name for cls in classes() for one in members(cls) if not one.name.endswith("_count") and not one.of}
    assert [name for name in sorted(named) if not re.search(rf"\.{name}\b", sources)] == []


def test_a_new_field_is_a_member_in_the_engines_units_without_further_ado(monkeypatch):
    @attrs.frozen(kw_only=True)
    class Prefetcher:
        lines: int = integer()
        idle_cycles: float = real()
        wait_ns: float = real()
        distance_cycles: float = real()
    monkeypatch.setitem(COMPONENTS, Prefetcher, parameters.Component(core_cycles=("distance_cycles",)))
    arch = registry.get(registry.names()[0])
    made = parameters.values(Prefetcher, Prefetcher(lines=3, idle_cycles=1.5, wait_ns=2.5, distance_cycles=2), arch)
    assert made == {"lines": 3, "idle_64ths": 96, "wait_fs": 2_500_000, "distance_fs": round(2 * parameters.period_fs(arch.clocks.core_mhz))}
    assert parameters.values(Prefetcher, None, arch) == dict.fromkeys(made, 0)


def test_a_field_that_nobody_says_how_to_tell_is_refused_by_name(monkeypatch):
    @attrs.frozen(kw_only=True)
    class Prefetcher:
        share: float = real()
    monkeypatch.setitem(COMPONENTS, Prefetcher, parameters.Component())
    with pytest.raises(TypeError, match="share"):
        list(members(Prefetcher))


@pytest.mark.parametrize("name", registry.names())
def test_a_machine_has_a_number_for_every_member(name):
    tables = component_tables(registry.get(name))
    assert tuple(tables) == PLACES

    def check(cls, table):
        assert table.keys() == {one.name for one in members(cls)}
        for one in members(cls):
            if one.of:
                check(one.of, table[one.name])
            else:
                numbers = table[one.name] if one.count else [table[one.name]]
                assert len(numbers) == (one.count or 1) and all(type(n) is int and abs(n) < 1 << 63 for n in numbers), one.name
    for place in PLACES:
        check(attrs.fields_dict(Architecture)[place].metadata["archdef.rule"].of, tables[place])


def test_words_have_numbers_from_one_on_so_that_nothing_is_none_of_them():
    assert number_of(Cache, "scope", "scheduler") == number_of(Dram, "page_policy", "open") == 1
