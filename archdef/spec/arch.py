"""The description of one machine: checked as a whole, changed by path, printed leaf by leaf."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import attrs

from archdef import values
from archdef._deprecation import redirected, renamed, renamed_path, says_absent
from archdef._lazy import submodules
from archdef.errors import SpecError, SpecErrors, UnknownField, nearest
from archdef.spec import check
from archdef.spec.evidence import KINDS, UNSTATED, Cite, covering
from archdef.spec.fields import (Extensible, FrozenMap, Part, Parts, Policy, Rule, Table, children, holds_fields, part, parts, rule_of, text, texts, unit_of,
                                 walk)
from archdef.spec.isa import Isa, Operation, Unit
from archdef.spec.machine import BlockClusters, Chip, Clocks, DeviceLaunches, HostLink, Limits, Schedulers, Vocabulary, Warp
from archdef.spec.memory import Caches, Coalescing, Dram, Interconnect, LoadStore, SharedMemory, TextureUnits


_PLAIN_WORDS = Vocabulary()
_packages = submodules("archdef", "tables")       # what prints tables takes long to import, and declarations seldom need it


def _frozen(given: Any) -> Any:
    """Freeze a mapping from paths; what is none is left for `check` to refuse."""
    return FrozenMap({renamed_path(path): value for path, value in given.items()}) if isinstance(given, Mapping) else given


@attrs.frozen(kw_only=True, repr=False)
class Architecture:
    """One machine, as data.

    A description that contradicts itself is refused with all its faults at once (`SpecErrors`). Two descriptions are equal
    when they describe the same machine; evidence and history do not count.
    """

    name: str = text()
    """Short name by which everything finds it; lower case."""
    title: str = text()
    """Name of the product."""
    vendor: str = text()
    """Who makes it."""
    family: str = text()
    """Vendor's name of the architecture family."""
    compute_capability: str = text()
    """Version of the instruction set and its limits, as the vendor counts."""
    aliases: tuple[str, ...] = texts(default=())
    """Other names."""
    vocabulary: Vocabulary | None = part(Vocabulary, optional=True, default=None)
    """The vendor's words, for reports; None: those of archdef (`words`)."""
    warp: Warp = part(Warp)
    """Threads that issue together."""
    chip: Chip = part(Chip)
    """Multiprocessors, and how blocks reach them."""
    limits: Limits = part(Limits)
    """What a launch may ask for."""
    clocks: Clocks = part(Clocks)
    """Clock domains."""
    schedulers: Schedulers = part(Schedulers)
    """What issues."""
    units: tuple[Unit, ...] = parts(Unit, at_most=16)
    """What executes."""
    isa: Isa = part(Isa)
    """Features, and the cost of every class of operation."""
    shared: SharedMemory = part(SharedMemory)
    """Shared memory's banks."""
    coalescing: Coalescing = part(Coalescing)
    """From a warp's addresses to transactions."""
    caches: Caches = part(Caches, default=Caches())
    """Caches."""
    texture: TextureUnits | None = part(TextureUnits, optional=True, default=None)
    """What texture fetches compute; None: no texture units."""
    load_store: LoadStore = part(LoadStore)
    """What a multiprocessor can have under way."""
    interconnect: Interconnect = part(Interconnect)
    """Between multiprocessors and partitions."""
    dram: Dram = part(Dram)
    """Device memory."""
    block_clusters: BlockClusters | None = part(BlockClusters, optional=True, default=None)
    """Clusters of blocks; None: a block is its own cluster."""
    device_launches: DeviceLaunches | None = part(DeviceLaunches, optional=True, default=None)
    """Launches by kernels; None: there are none."""
    host_link: HostLink | None = part(HostLink, optional=True, default=None)
    """The way to the host; None: on the same die."""
    evidence: Mapping[str, Cite] = attrs.field(converter=_frozen, eq=False)
    """Path, or beginning of a path → where the numbers below it come from; the longest match wins."""
    changes: Mapping[str, tuple[object, object]] = attrs.field(default=FrozenMap(), converter=_frozen, eq=False)
    """What `evolve` has changed since the plugin's declaration: path → (declared value, value now)."""

    def __attrs_post_init__(self) -> None:
        if faults := check.faults(self):
            raise SpecErrors(f"{self.name if isinstance(self.name, str) else 'architecture'} is not a usable description", faults)

    # ---------------------------------------------------------------------------------------------------- reading
    def walk(self) -> Iterator[tuple[str, object, Rule]]:
        """Yield ``(path, value, rule)`` of everything described, parents before what is nested in them."""
        return _walk(self._parts())

    def leaves(self) -> Iterator[tuple[str, object, str]]:
        """Yield ``(path, value, unit)`` of every value that holds no further description; policies are leaves, and so are
        their numbers."""
        for path, value, rule in self.walk():
            if not isinstance(rule, (Parts, Table)) and (value is None or not holds_fields(rule)):
                yield path, value, unit_of(path.rpartition(".")[2])

    def __getitem__(self, path: str) -> Any:
        """Give the value at a path: ``arch["caches.l1.size_bytes"]``."""
        return _found(self._parts(), _full(self._parts(), path, self.name))

    def evidence_for(self, path: str) -> Cite:
        """Say where the value at a path comes from."""
        if isinstance(path, str) and path in self._sources:       # in full already
            return self._sources[path]
        full = _full(self._parts(), path, self.name)
        if (found := self._sources.get(full) or covering(self.evidence, full)) is None:
            raise UnknownField(f"{self.name} has no evidence for {full}, which is a name or holds several numbers")
        return found

    def sources(self) -> dict[str, Cite]:
        """Say where every value comes from that claims something: path → source.

        A source of a part states what is declared of it. What is left at the default of its class (nothing is charged, a
        switch is off) is assumed, unless its own path has a source.
        """
        return dict(self._sources)

    @cached_property
    def _sources(self) -> dict[str, Cite]:
        left = check.left_at_default(self)
        unclaimed = left - set(self.evidence)
        found = {path: UNSTATED if path in unclaimed else covering(self.evidence, path) for path, _, _ in check.evident(self)}
        return {path: source for path, source in found.items() if source is not None}       # a checked description has one for each

    def assumed(self) -> tuple[str, ...]:
        """List the paths of all values of which nobody says anything, those left at their defaults too."""
        return tuple(path for path, source in self.sources().items() if source.kind == "assumed")

    def evidence_counts(self) -> dict[str, int]:
        """Count the values by where they come from, the surest kind first, and after the assumed ones those that are left at
        their defaults ("not modelled"); kinds that do not occur are left out."""
        counted = Counter(UNSTATED.document if source is UNSTATED else source.kind for source in self.sources().values())
        return {kind: counted[kind] for kind in (*KINDS, UNSTATED.document) if counted[kind]}

    def unit(self, name: str) -> Unit:
        """Give a unit by name. Raises UnknownField."""
        known = {unit.name: unit for unit in self.units}
        return known[name] if isinstance(name, str) and name in known else _no_entry(self.name, "unit", name, known)

    def interval_cycles(self, operation: str | Operation) -> float:
        """Give the SM cycles for which one warp instruction of a class of operation occupies its unit. Raises UnknownField."""
        known = self.isa.operations
        cost = operation if isinstance(operation, Operation) else (
            known[operation] if isinstance(operation, str) and operation in known else _no_entry(self.name, "operation", operation, known))
        return cost.interval_cycles or -(-self.warp.size // self.unit(cost.unit).lanes)

    @property
    def words(self) -> Vocabulary:
        """The words for reports: the vendor's, or those of archdef."""
        return self.vocabulary or _PLAIN_WORDS

    @property
    def dram_bandwidth_gb_s(self) -> float:
        """Peak rate of device memory in 10⁹ bytes per second, before error correction."""
        return self.dram.bandwidth_gb_s(self.clocks.memory_mhz)

    @property
    def l2_bytes(self) -> int:
        """All of the L2 together; 0 without one."""
        l2 = self.caches.l2
        return 0 if l2 is None else l2.size_bytes * (self.dram.partitions if l2.scope == "partition" else 1)

    @property
    def shared_memory_units(self) -> frozenset[str]:
        """Units that schedulers share and that access memory, textures apart."""
        accessing = {operation.unit for name, operation in self.isa.operations.items() if name.rpartition("_")[2] in ("global", "shared", "local")}
        return frozenset(unit.name for unit in self.units if unit.scope != "scheduler" and unit.name in accessing)

    @property
    def label(self) -> str:
        """The name, and what `evolve` has changed: ``gizmo with dram.partitions=7``."""
        if not self.changes:        # asked for at every launch
            return self.name
        changed = ", ".join(f"{path}={now}" for path, (_, now) in self.changes.items())
        return f"{self.name} with {changed}"

    def __str__(self) -> str:
        return f"{self.label}: {self.vendor} {self.title} ({self.family}, compute capability {self.compute_capability})"

    def _repr_html_(self) -> str:
        tables, words = _packages("tables"), self.words
        rows = (("vendor", self.vendor), ("title", self.title), ("compute capability", str(self.compute_capability)),
                (f"{words.multiprocessor}s", f"{self.chip.multiprocessors:,}"), (f"lanes of a {words.warp}", str(self.warp.size)),
                (f"{words.warp}s per {words.multiprocessor}", f"{self.limits.warps_per_multiprocessor:,}"),
                (f"registers per {words.multiprocessor}", f"{self.limits.registers_per_multiprocessor:,}"),
                (f"bytes of shared memory per {words.multiprocessor}", f"{self.limits.shared_bytes_per_multiprocessor:,}"),
                ("bytes of L2", f"{self.l2_bytes:,}"), ("MHz of its core clock", f"{self.clocks.core_mhz:,}"),
                ("GB/s of device memory", f"{self.dram_bandwidth_gb_s:,.1f}"))
        table = tables.Table(tables.Column(""), tables.Column("", tables.Kind.NUMBER), title=self.label, header=False)
        for row in rows:
            table.add(*row)
        html: str = tables.to_html(table)
        return html

    def __repr__(self) -> str:
        return f"<Architecture {values.cut(self.label, 200)}>"

    # --------------------------------------------------------------------------------------------------- changing
    def evolve(self, changes: Mapping[str, object]) -> Architecture:
        """Give the same machine with some values changed, checked anew.

        changes : mapping of path → value. Text is read the way the field wants it: ``"48 KiB"`` for bytes, a policy's short
                  name for a policy, ``"none"`` for a part that is left out. A part of a path that is not ambiguous will do:
                  ``"l1.size_bytes"``. A path below `units`, `isa.operations` or another table that the machine has not adds
                  an entry: ``"units.tensor": Unit(…)``; None, or ``"none"``, takes one away.

        A part may be given as a whole, and fields of it after it; what would undo an earlier change is refused. Fields of a
        part that the machine has not make one: ``{"caches.l1_prefetcher.entries": 64}``.

        Raises UnknownField, naming the nearest path; SpecErrors with every fault of the changed machine, or naming two
        changes of the same field.

        >>> arch.evolve({"caches.l1.size_bytes": "48 KiB", "schedulers.policy": "gto", "warp.size": 16})  # doctest: +SKIP
        """
        parts, history, evidence = self._parts(), dict(self.changes), dict(self.evidence)
        given = _applied(parts, changes, self.name)
        for path, _before, now in _differing(self._parts(), parts, given):
            if above := next((p for p in history if path.startswith(p + ".")), None):   # a field of what was changed as a whole
                path, now = above, _found(parts, above)
            declared = history.pop(path)[0] if path in history else _declared(self._parts(), path, history)
            for inner in [p for p in history if p.startswith(path + ".")]:
                del history[inner]
            for inner in [p for p in evidence if p.startswith(path + ".")]:
                del evidence[inner]
            if now != declared:
                history[path] = (declared, now)
            if now is None:     # nothing is claimed of what is not there
                evidence.pop(path, None)
            else:
                evidence[path] = Cite("evolve", path, kind="assumed", note=f"declared: {_told(declared)}")
        return attrs.evolve(self, **parts, changes=history, evidence=evidence)

    def derive(self, changes: Mapping[str, object], *, name: str, evidence: Mapping[str, Cite] | None = None,
               **words: object) -> Architecture:
        """Declare another machine by what differs from this one.

        changes  : as for `evolve`; but this is a machine of its own, so it must satisfy every rule of a declaration.
        name     : its name.
        evidence : where its numbers come from: a field's own path, or the beginning of paths, which covers the changed
                   fields below it. Changed numbers without evidence are assumed, the others keep theirs; what was measured
                   is inferred, as this is another machine.
        words    : `title`, `vendor`, `family`, `compute_capability`, `aliases` (not inherited), `vocabulary`.

        Raises UnknownField, naming the nearest path; SpecErrors with every fault.

        >>> arch.derive({"dram.partitions": 5, "dram.bus_bits": 320}, name="gizmo5", title="Gizmo 5")  # doctest: +SKIP
        """
        parts = self._parts()
        given = _applied(parts, changes, self.name)
        changed = {path: before for path, before, _ in _differing(self._parts(), parts, given)}
        evidence = {} if evidence is None else evidence
        if not isinstance(evidence, Mapping):
            raise SpecErrors(f"{name} is not a usable description", [SpecError("evidence", evidence, "must map paths to Cites")])
        parts |= {"aliases": (), **words, "name": name}
        paths = (path for path, value, _ in _walk(parts) if value is not None)
        return attrs.evolve(self, **parts, changes=FrozenMap(), evidence=inherited_evidence(self, name, changed, evidence, paths))

    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _RULES}


# --------------------------------------------------------------------------------------------------------------- paths
# `parts` is a description taken apart: name of a top-level field → value. Nothing is checked until it is put together again.
_RULES: dict[str, Rule] = {a.name: rule for a in attrs.fields(Architecture) if (rule := rule_of(a)) is not None}


def inherited_evidence(base: Architecture, name: str, changed: Mapping[str, object], given: Mapping[str, Cite],
                       paths: Iterable[str]) -> dict[str, Cite]:
    """Give the evidence of a machine that differs from `base` at some paths.

    changed : path → value that `base` has there. given : evidence for the new machine alone. paths : everything that it has.

    Raises SpecErrors for evidence that covers nothing: it must name a field, or the beginning of changed ones.
    """
    paths = list(paths)
    own_paths = _only_leaves(paths)
    prefixes = {".".join(segments[:length]) for segments in (path.split(".") for path in paths) for length in range(1, len(segments) + 1)}
    kept = {key: cite.elsewhere() for key, cite in base.evidence.items()
            if key in prefixes and not any(key == path or key.startswith(path + ".") for path in changed)}
    own = {path: covering(given, path) or Cite(f"declaration of {name}", path, kind="assumed", note=f"{base.name}: {_told(before)}")
           for path, before in changed.items() if path in prefixes}
    for key in given:
        if key in own_paths:
            own[key] = given[key]       # also where the value is that of the base: it is documented anew
        elif key in prefixes and not any(path == key or path.startswith(key + ".") or key.startswith(path + ".") for path in changed):
            raise SpecErrors(f"{name} is not a usable description", [SpecError(
                f"{name}.evidence", key, f"must cover something that differs from {base.name}, or name a single field")])
        elif key not in prefixes or any(key.startswith(path + ".") for path in changed):
            own[key] = given[key]       # what is unknown is refused with the rest
    return kept | own


def _only_leaves(paths: list[str]) -> set[str]:
    """Give the paths below which there is nothing."""
    above = {path.rpartition(".")[0] for path in paths}
    return {path for path in paths if path not in above}


def _no_entry(machine: str, what: str, name: object, known: Iterable[str]) -> NoReturn:
    raise UnknownField(f"{machine} has no {what} {values.shown(name)}{nearest(name, known) if isinstance(name, str) else ''}")


def _applied(parts: dict[str, Any], changes: Mapping[str, object], name: str) -> list[str]:
    """Change `parts` one path after the other; give the complete paths. Raises SpecErrors where one undoes another."""
    done: dict[str, str] = {}
    if not isinstance(changes, Mapping):
        raise SpecErrors(f"{name} cannot be changed", [SpecError("changes", changes, "must map paths to values")])
    for given, value in _with_parts_made(parts, changes, name).items():
        path = _full(parts, given, name, value)
        for earlier, as_given in done.items():
            if earlier == path or earlier.startswith(path + "."):
                raise SpecErrors(f"{name} cannot be changed", [SpecError(f"{name}.{path}", given, (
                    f"must be changed once, and as a whole before its fields: {as_given!r} came before"))])
        done[path] = given
        head, *rest = path.split(".")
        parts[head] = _replaced(parts[head], _RULES[head], rest, path, _plain(value))
    return list(done)


class _Fields(dict[str, Any]):
    """Fields of a part that is to be made: name → value, or those of a part within."""


def _with_parts_made(parts: Mapping[str, Any], changes: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Put fields of parts that the machine has not together: ``{"caches.l1_prefetcher.entries": 64}`` asks for a whole prefetcher.

    Raises SpecErrors naming the fields without a default that are not among the changes, or what is changed twice.
    """
    walked = [*_walk(parts)]
    known = {path for path, _, _ in walked}
    absent = {path: rule.of for path, value, rule in walked if value is None and type(rule) is Part
              and not any(isinstance(given, str) and f".{path}".endswith(f".{given}") for given in changes)}
    made: dict[str, _Fields] = {}
    others: dict[str, object] = {}
    for given, value in changes.items():
        path, found = given, None
        if isinstance(given, str) and given not in known and not any(f".{one}".endswith(f".{given}") for one in known):
            path, value = redirected(given, value)
            found = _absent_field(absent, path)
            if path != given and says_absent(given, changes[given]) and (found is not None or path.rpartition(".")[0] in others or (
                    path in absent or path in others or path not in known and path.rpartition(".")[0] in known)):
                continue        # it has no such component, or has it no more, or its policy has no such field
        if found is not None:
            others.setdefault(found[0], None)        # where its first field stood
            twice = not _entered(made.setdefault(found[0], _Fields()), found[1], found[2], value)
        else:
            twice = path in others
            others[path] = value
        if twice:
            raise SpecErrors(f"{name} cannot be changed", [SpecError(f"{name}.{path}", given, "must be changed once, and as a whole before its fields")])
    lacking = [fault for place in made for fault in _lacking(absent[place], made[place], f"{name}.{place}", place)]
    if lacking:
        raise SpecErrors(f"{name} cannot be changed", lacking)
    return {path: _made(absent[path], made[path]) if path in made else value for path, value in others.items()}


def _entered(fields: _Fields, segments: list[str], rule: Rule, value: object) -> bool:
    """Enter a field of a part that is to be made, at its place in it. False: it, or a part around it, has been given."""
    for segment in segments[:-1]:
        within = fields.setdefault(segment, _Fields())
        if not isinstance(within, _Fields):
            return False
        fields = within
    if segments[-1] in fields:
        return False
    fields[segments[-1]] = rule.parse(segments[-1], value) if isinstance(value, str) else _plain(value)
    return True


def _absent_field(absent: Mapping[str, type], path: str) -> tuple[str, list[str], Rule] | None:
    """Find the only absent part in which a path names a field: the part, the way to the field in it, the field's rule."""
    found = []
    segments = path.split(".")
    for length in range(1, len(segments)):
        above, below = "." + ".".join(segments[:length]), segments[length:]
        for place, cls in absent.items():
            if f".{place}".endswith(above) and (rule := _rule_in(cls, below)) is not None:
                found.append((place, below, rule))
    return found[0] if len(found) == 1 else None


def _rule_in(cls: Any, segments: list[str]) -> Rule | None:
    """Give the rule of a field of a class of descriptions, or of the parts within it."""
    field = attrs.fields_dict(cls).get(segments[0])
    rule = None if field is None else rule_of(field)
    if len(segments) == 1:
        return rule
    return _rule_in(rule.of, segments[1:]) if type(rule) is Part else None


def _lacking(cls: Any, fields: Mapping[str, Any], path: str, place: str) -> Iterator[SpecError]:
    """Name the fields without a default that are not among those of a part that is to be made."""
    for one in attrs.fields(cls):
        rule, given = rule_of(one), fields.get(one.name, attrs.NOTHING)
        if given is attrs.NOTHING and one.default is not attrs.NOTHING:
            continue
        if type(rule) is Part and (given is attrs.NOTHING or isinstance(given, _Fields)):
            yield from _lacking(rule.of, _Fields() if given is attrs.NOTHING else given, f"{path}.{one.name}", place)
        elif given is attrs.NOTHING:
            yield SpecError(f"{path}.{one.name}", None, f"must be given, too: the machine has no {place} to change")


def _made(cls: Any, fields: Mapping[str, Any]) -> object:
    """Make a part of its fields, and the parts within it of theirs."""
    given = dict(fields)
    for one in attrs.fields(cls):
        rule = rule_of(one)
        if isinstance(rule, Part) and isinstance(given.get(one.name), _Fields):
            given[one.name] = _made(rule.of, given[one.name])
    made: object = cls(**given)
    return made


def _differing(old: Mapping[str, Any], new: Mapping[str, Any], given: Sequence[str]) -> list[tuple[str, object, object]]:
    """List the outermost paths at which two descriptions differ, with both values, in the order of the `given` changes.

    A part that both have is compared field by field: what was given as a whole differs only where it does.
    """
    found = [entry for name in new for entry in _unequal(name, _RULES[name], old[name], new[name])]
    first = {path: next((place for place, change in enumerate(given) if path == change or path.startswith(change + ".")), 0) for path, _, _ in found}
    return sorted(found, key=lambda entry: first[entry[0]])


def _declared(parts: dict[str, Any], path: str, history: Mapping[str, tuple[object, object]]) -> object:
    """Give the value at a path before the changes in `history` that lie below it."""
    for inner, (declared, _) in history.items():
        if inner.startswith(path + ".") and declared is not None:
            head, *rest = inner.split(".")
            parts = {**parts, head: _replaced(parts[head], _RULES[head], rest, inner, declared)}
    return _found(parts, path)


def _unequal(path: str, rule: Rule, old: object, new: object) -> Iterator[tuple[str, object, object]]:
    if old == new:
        return
    before, after = ({name: (value, nested) for name, value, nested in children(part, rule)} for part in (old, new))
    if before and after and (type(old) is type(new)):
        inner = [entry for name in dict.fromkeys([*before, *after])
                 for entry in _unequal(f"{path}.{name}", (after.get(name) or before[name])[1], before.get(name, (None,))[0], after.get(name, (None,))[0])]
        if inner:
            yield from inner
            return
    yield path, old, new


def _walk(parts: Mapping[str, Any]) -> Iterator[tuple[str, object, Rule]]:
    for name, value in parts.items():
        yield from walk(name, value, _RULES[name])


def _at(parts: Mapping[str, Any], path: str) -> tuple[object, Rule] | None:
    """Give the value at a complete path, and its rule; None if there is none. A description has a thousand paths: this one alone is walked."""
    head, *rest = path.split(".")
    if head not in parts:
        return None
    value, rule = parts[head], _RULES[head]
    for segment in rest:
        within = next(((nested, its) for name, nested, its in children(value, rule) if name == segment), None)
        if within is None:
            return None
        value, rule = within
    return value, rule


def _full(parts: Mapping[str, Any], path: str, name: str, value: object = None) -> str:
    """Complete a path: itself, or the only path that ends in it; also that of the new entry of a table that `value` is."""
    if not isinstance(path, str):
        raise UnknownField(f"{name} has no field {values.shown(path)}; a path is a text such as 'warp.size'")
    if _at(parts, path) is not None:
        return path
    known = {p: value for p, value, _ in _walk(parts)}
    if path in known or (isinstance(parts["isa"], Isa) and path in check.absent_operations(parts["isa"])):
        return path
    ending = [p for p in known if p.endswith("." + path)]
    if not ending and (now := renamed(path)) != path:
        return _full(parts, now, name, value)
    if not ending and (table := _table_of(parts, path, value)) is not None:
        return table
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise UnknownField(f"{name} has several fields {values.shown(path)}: {', '.join(ending)}")
    for absent, found, rule in _walk(parts):
        if found is None and path.startswith(absent + "."):
            fields = [f"{absent}.{one}" for one in attrs.fields_dict(rule.of)] if type(rule) is Part else []
            why = f"{name} has no field {values.shown(path)}, because {absent} is None"
            raise UnknownField(why + (_of_another(parts, path) or nearest(path, fields)))
    raise UnknownField(f"{name} has no field {values.shown(path)}{_of_another(parts, path) or nearest(path, known)}")


def _of_another(parts: Mapping[str, Any], path: str) -> str:
    """Say which other choice has the field at a path, where there is one for the part that it would be of."""
    above, _, field = path.rpartition(".")
    for where, _, rule in _walk(parts):
        if isinstance(rule, (Extensible, Policy)) and (where == above or where.endswith("." + above) or not above):
            having = [one for one, cls in rule.of.by_name().items() if field in attrs.fields_dict(cls)]
            if having:
                return f"; {where}={having[0]} has it, set that first"
    return ""


def _table_of(parts: Mapping[str, Any], path: str, value: object) -> str | None:
    """Complete the path of a new entry of a table, such as ``units.tensor``; None if `value` is no entry of it."""
    inside, _, entry = path.rpartition(".")
    tables = [p for p, _, rule in _walk(parts) if isinstance(rule, (Parts, Table)) and isinstance(value, rule.of)
              and (p == inside or p.endswith("." + inside))]
    return f"{tables[0]}.{entry}" if inside and entry and len(tables) == 1 else None


def _found(parts: Mapping[str, Any], path: str) -> Any:
    """Give what lies at a complete path; None where a mapping has no such entry."""
    found = _at(parts, path)
    return None if found is None else found[0]


def _replaced(value: Any, rule: Rule, segments: list[str], path: str, new: object) -> Any:
    """Give a copy of a value in which `new` stands at `segments` below it; `path` is the whole path."""
    if not segments:
        return rule.parse(path.rpartition(".")[2], new) if isinstance(new, str) else new
    head, *rest = segments
    there = {n: (v, r) for n, v, r in children(value, rule)}
    if not rest and head in there and isinstance(rule, (Table, Parts)) and (new is None or isinstance(new, str) and new.lower() == "none"):
        return FrozenMap({n: v for n, v in value.items() if n != head}) if isinstance(rule, Table) else tuple(v for v in value if v.name != head)
    nested, nested_rule = there.get(head, (None, Part(of=object)))
    changed: Any = _replaced(nested, nested_rule, rest, path, new)
    if isinstance(rule, Table):
        return FrozenMap({**value, head: changed})
    if isinstance(rule, Parts):
        if isinstance(changed, rule.of) and changed.name != head:
            raise SpecErrors(f"{path} cannot be changed", [SpecError(path, changed.name, f"must be named as its path says, {head!r}")])
        return tuple(changed if v.name == head else v for v in value) if head in there else (*value, changed)
    return attrs.evolve(value, **{head: changed})


def _told(value: object) -> object:
    """Say a value in a note; sets in one order, whatever the process."""
    return ", ".join(sorted(value)) if isinstance(value, frozenset) else value


def _plain(value: Any) -> object:
    """Turn a numpy scalar into the Python number that it stands for, an array or a list into a tuple."""
    if isinstance(value, list):
        return tuple(_plain(one) for one in value)
    if type(value).__module__ != "numpy" or not hasattr(value, "tolist"):
        return value
    return value.item() if value.shape == () else tuple(value.tolist())
