"""Machines between two others: the rules of some groups are those of the one, the rest those of the other."""
from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

import attrs

from archdef.attribution.groups import WORDS, Grouping
from archdef.errors import SpecError, SpecErrors
from archdef.spec import Architecture, Cite, Form, FrozenMap, Isa, Operation, Unit
from archdef.spec.fields import Parts, Rule, Table, children, rule_of

Pair: TypeAlias = tuple[Architecture, Architecture]


def differing_groups(a: Architecture, b: Architecture, grouping: Grouping) -> dict[str, tuple[str, ...]]:
    """Give the groups in which two machines differ, in order, each with the paths at which they do."""
    found: dict[str, list[str]] = {}
    for path in _differing(a, b):
        found.setdefault(grouping.of(path), []).append(path)
    return {name: tuple(found[name]) for name in grouping.names if name in found}


def _differing(a: Architecture, b: Architecture) -> list[str]:
    """List the paths at which two machines differ; of a policy that both have with other numbers, those of the numbers."""
    sides = [{path: value for path, value, _ in one.leaves() if path not in WORDS and path.partition(".")[0] not in WORDS} for one in (a, b)]
    paths = [path for path in dict.fromkeys([*sides[0], *sides[1]]) if path not in sides[0] or path not in sides[1] or sides[0][path] != sides[1][path]]
    above = {path.rpartition(".")[0] for path in paths}
    both = sides[0].keys() & sides[1].keys()
    return [path for path in paths if path not in above or path not in both or type(sides[0][path]) is not type(sides[1][path])]


def mixture(a: Architecture, b: Architecture, moved: Collection[str], grouping: Grouping) -> Architecture:
    """Give the machine whose rules are those of `b` in the groups `moved`, and those of `a` in all others.

    Whether there is a part at all (a cache, a class of operation, a feature) is decided by the group that names it. An operation that only that
    machine has comes as it is there, with its unit if the other one has none of that name; a form of instruction has in each field
    what its machine charges for it, be it by a form of its own or by its class. With no group moved this is `a`, with all of them `b`,
    but for the words of `WORDS`, which stay those of `a`.

    Raises SpecErrors if these rules cannot hold together.
    """
    mixed = _Mixed((a, b), frozenset(moved), grouping)
    parts = {field.name: mixed.value(field.name, rule, getattr(a, field.name), getattr(b, field.name))
             for field in attrs.fields(Architecture) if (rule := rule_of(field)) is not None}
    parts["isa"] = attrs.evolve(parts["isa"], forms=mixed.forms())
    parts["units"] = mixed.with_units(parts["units"], parts["isa"])
    # No path of the description is named, so that rules about what a what-if asks for do not refuse what comes along and says nothing here.
    changes = FrozenMap({f"rules of {b.name}": ("", ", ".join(name for name in grouping.names if name in moved))})
    found = Architecture(**parts, evidence=_evidence(a, b, parts), changes=changes)
    _l1_is_left(found)
    return found


def _evidence(a: Architecture, b: Architecture, parts: Mapping[str, Any]) -> dict[str, Cite]:
    cite = Cite(f"declarations of {a.name} and {b.name}", "rules of both", kind="assumed")
    return {name: cite for name, value in parts.items() if value is not None}


def _l1_is_left(arch: Architecture) -> None:
    """Refuse shared memory that takes all of an L1 which it shares with: no machine is built so, the engine would leave it one set."""
    l1, sizes = arch.caches.l1, arch.limits.shared_carveouts
    most = max(sizes, default=arch.limits.shared_bytes_per_multiprocessor)
    if arch.caches.unified_l1_shared and l1 is not None and l1.size_bytes <= most:
        raise SpecErrors(f"{arch.name} is not a usable description", [SpecError(
            f"{arch.name}.caches.l1.size_bytes", l1.size_bytes, f"must be more than the {most} bytes that shared memory can take of it")])


@attrs.frozen
class _Mixed:
    """Chooses, for each path, whose value it is."""

    machines: Pair
    moved: frozenset[str]
    grouping: Grouping

    def side(self, path: str) -> int:
        """0: the first machine's, 1: the second's."""
        return int(self.grouping.of(path) in self.moved)

    def value(self, path: str, rule: Rule, a: Any, b: Any) -> Any:
        """Mix two values of one path; what both machines have is mixed field by field where groups divide it."""
        if path in WORDS:
            return a
        own, other = ((a, b), (b, a))[self.side(path)]
        if not self.grouping.divides(path) or type(own) is not type(other):
            return own
        ours, theirs = ({name: (value, nested) for name, value, nested in children(one, rule)} for one in (a, b))
        there = ours if own is a else theirs
        mixed = {name: self.value(f"{path}.{name}", nested, ours[name][0], theirs[name][0]) if name in ours and name in theirs else value
                 for name, (value, nested) in there.items()}
        if isinstance(rule, Table):
            return FrozenMap(mixed)
        return tuple(mixed.values()) if isinstance(rule, Parts) else attrs.evolve(own, **mixed) if mixed else own

    def forms(self) -> FrozenMap[str, Form]:
        """Mix the forms of instruction that cost something else than their class on one of the machines, or on both."""
        known = self.machines[self.side("isa.operations")].isa.operations
        made: dict[str, Form] = {}
        for name, form, declaring in self._all_forms():
            path = f"isa.forms.{name}"
            sides = [self.side(f"{path}.{field.name}") for field in attrs.fields(Operation)]
            if form.operation in known and declaring.keys() & set(sides):
                a, b = (declaring.get(k) or self._as_form(k, form) or next(iter(declaring.values())) for k in (0, 1))
                made[name] = attrs.evolve(form, **{field.name: getattr((a, b)[self.side(f"{path}.{field.name}")], field.name)
                                                   for field in attrs.fields(Form) if field.name not in ("operation", "pattern")})
        return FrozenMap(made)

    def _as_form(self, side: int, form: Form) -> Form | None:
        """Give what a machine charges for a form of which it says nothing by that pattern; None: it has no such operation."""
        isa = self.machines[side].isa
        if form.operation not in isa.operations:
            return None
        cost = isa.cost(form.operation, re.sub(r"\[(.)[^]]*\]", r"\1", form.pattern))
        charged = {field.name: getattr(cost, field.name) for field in attrs.fields(Operation)}
        return Form(operation=form.operation, pattern=form.pattern, shared_atomic=getattr(cost, "shared_atomic", None),
                    global_atomic=getattr(cost, "global_atomic", None), **charged)

    def _all_forms(self) -> Iterator[tuple[str, Form, dict[int, Form]]]:
        """Yield the forms of both machines under names of their own, each with the machines that declare it."""
        found: dict[tuple[str, str], tuple[str, Form, dict[int, Form]]] = {}
        for k, one in enumerate(self.machines):
            for name, form in one.isa.forms.items():
                taken = {other for other, _, _ in found.values()}
                _, _, declaring = found.setdefault((form.operation, form.pattern), (name if name not in taken else f"{name}_of_{one.name}", form, {}))
                declaring[k] = form
        yield from found.values()

    def with_units(self, units: tuple[Unit, ...], isa: Isa) -> tuple[Unit, ...]:
        """Add to the units of one machine those of the other that operations need which only it has."""
        there = {unit.name for unit in units}
        lacking = {cost.unit for cost in (*isa.operations.values(), *isa.forms.values())} - there
        theirs = {unit.name: unit for one in self.machines for unit in one.units}
        wholes = {part.unit for name in lacking if (part := theirs[name].part_of) is not None} - there
        return (*units, *(theirs[name] for name in sorted(lacking | wholes)))

