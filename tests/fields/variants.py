"""Every other value that a field of a description can be given, made from its rule: numbers up and down, flags, choices, policies, words, references."""
from collections import defaultdict
from collections.abc import Iterator

import attrs

from archdef import registry
from archdef.spec.fields import (Choice, Exceptions, Flag, Number, Numbers, Pairs, Part, Parts, Policy, Table, Text, Texts, Words, children)

MACHINES = tuple(name for name in registry.names() if name in {
    "a100", "c500", "g80", "g92", "gf100", "gf104", "gt200", "gt215", "gtx680", "h100", "k20", "k40", "m2070", "m2090", "p100", "p2000", "rtx2080ti",
    "titan_x", "v100"})


@attrs.frozen
class Variant:
    """One field with another value."""

    path: str
    value: object
    kind: str
    """``number`` for the ups and downs of a number, and ``reference`` for names of other units, of which one that is seen is enough; else the value
    counts by itself."""


def variants(arch) -> Iterator[Variant]:
    """Give the variants of every field of a description, in its order."""
    for path, value, rule in arch.walk():
        for other, kind in _others(arch, path, value, rule):
            yield Variant(path, other, kind)


def _others(arch, path, value, rule):
    if getattr(rule, "optional", False) and value is not None and not _is_what_none_means(arch, path, value):
        yield None, "none"
    match rule:
        case Number():
            for number in _numbers(path, value, rule):
                yield number, "number"
        case Flag():
            yield not value, "flag"
        case Choice():
            for one in rule.allowed:
                if one != value:
                    yield one, "choice"
        case Policy():
            for name, cls in rule.of.by_name().items():
                if cls.__module__.startswith("archdef.") and type(value) is not cls:
                    yield _made(cls, path), f"policy {name}"
        case Words():
            for word in sorted(rule.known):
                yield value ^ {word}, f"word {word}"
        case Exceptions():
            for given in (*_tuples(arch, path, value), (((16, 20, 21, 32, 33, 40, 45, 72), 1024),)):
                yield given, "number"
        case Numbers() | Pairs():
            for given in _tuples(arch, path, value):
                yield given, "number"
        case Part() if value is None:
            for donor in _elsewhere(path)[:1]:
                yield donor, "part"
        case Text() | Texts() if not path.startswith("evidence"):
            kind = "reference" if path.endswith((".unit", ".operation", ".pattern")) else "text"
            yield from ((one, kind) for one in _texts(arch, path, value))
        case Part() | Parts() | Table() | Text() | Texts():
            pass


def _is_what_none_means(arch, path, value):
    """Tell whether a description says in full what would be so by itself."""
    segments = path.split(".")
    if segments[0] != "isa" or segments[1] not in ("operations", "forms") or len(segments) < 4:
        return False
    cost = getattr(arch.isa, segments[1])[segments[2]]
    by_itself = {"interval_cycles": -(-arch.warp.size // next(unit.lanes for unit in arch.units if unit.name == cost.unit)),
                 "address_cycles": arch.load_store.atomic_cycles}
    if segments[1] == "forms" and len(segments) > 4 and segments[3] == "slow_path":        # those of the class
        return segments[4] != "instructions" and getattr(arch.isa.operations[cost.operation].slow, segments[4], None) == value
    return by_itself.get(segments[-1]) == value


def _numbers(path, value, rule):
    """Twice, half, one more, one less, far up, the ends of the range: as far as the rule allows."""
    now = value if value is not None else (_elsewhere(path) or [rule.at_least or 1])[0]
    tried = [2 * now, now / 2, now + 1, now - 1, 16 * now + 64, rule.at_least, rule.at_most]
    if rule.power_of_two:
        tried = [2 * now, now / 2, 16 * now, 4 * now, 1, 128 * now]
    if value is None:
        tried.insert(0, now)
    elif value == 0 or path.endswith("latency_cycles"):
        tried.insert(-2, 4096)      # what begins beside something else, or ends in its time, shows where it lasts longer
    seen = {value}
    for number in tried:
        if number is None:
            continue
        number = int(number) if rule.whole else float(number)
        if number not in seen and not list(rule.check(path, number)):
            seen.add(number)
            yield number


def _made(cls, path):
    """A policy with its default numbers, or with those that a shipped machine gives it; without either, with none."""
    given = [value for value in _elsewhere(path) if type(value) is cls]
    return given[0] if given else cls()


_known: dict[str, list] = {}


def _elsewhere(path):
    """Different values, other than None, that shipped machines give a field."""
    if not _known:
        found = defaultdict(dict)
        for name in MACHINES:
            for at, value, _ in registry.get(name).walk():
                if value is not None:
                    found[at].setdefault(repr(value), value)
        _known.update({at: list(values.values()) for at, values in found.items()})
    return _known.get(path, [])


def _tuples(arch, path, value):
    given = [other for other in _elsewhere(path) if other != value]
    if value and all(isinstance(n, int) for n in value):
        given += [tuple(max(1, n // 2) for n in value), tuple(2 * n for n in value)]
    elif value:
        given += [value[:-1]]
    if path == "schedulers.dual_issue":
        given += [(*value, frozenset({arch.units[0].name}))]
    seen = []
    for other in given:
        if other != value and other not in seen:
            seen.append(other)
    return seen


def _texts(arch, path, value):
    """References become those to everything else of their kind; names become another name."""
    last = path.rpartition(".")[2]
    if last == "unit" and path != "vocabulary":
        return [unit.name for unit in arch.units if unit.name != value]
    if last == "operation":
        return [name for name in list(arch.isa.operations)[:3] if name != value]
    if last == "pattern":
        return ["nothing.at.all"]
    if isinstance(value, tuple):
        return [(*value, "another_name")]
    return ["9.9" if last == "compute_capability" else "another"]


def leaf_children(value, rule):
    """The names of what is nested in a value."""
    return [name for name, _, _ in children(value, rule)]
