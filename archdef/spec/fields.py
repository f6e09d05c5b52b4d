"""Declarative fields: what a value may be stands beside its name, and one walk over the tree finds every fault at once."""
from __future__ import annotations

import abc
import difflib
import math
import string
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import attrs

from archdef import values
from archdef._deprecation import renamed_word
from archdef.errors import SpecError

if TYPE_CHECKING:
    from archdef.spec.policy import Named, PolicyValue

KiB, MiB, GiB = 1 << 10, 1 << 20, 1 << 30

MOST_WHOLE, MOST_REAL, LEAST_REAL = 1 << 48, 1e12, 1e-9
"""Bounds of every number, whatever its field allows beside: products of a few of them stay within 64 bits of the engine and doubles."""

_RULE = "archdef.rule"
_BYTE_UNITS = {"B": 1, "KiB": KiB, "MiB": MiB, "GiB": GiB}
_UNITS = (  # a field's unit is the end of its name; longer endings first
    ("_bytes_per_cycle", "B/cycle"), ("_gb_s", "GB/s"), ("_bytes", "B"), ("_bits", "bit"), ("_cycles", "cycles"),
    ("_mhz", "MHz"), ("_ns", "ns"), ("_us", "us"))


def with_article(name: str) -> str:
    """Give a class's name behind "a" or "an"."""
    return f"{'an' if name[:1] in 'AEIO' or name.startswith('L2') else 'a'} {name}"


def unit_of(name: str) -> str:
    """Give the unit that a field's name ends in (``"B"``, ``"ns"``, ``"cycles"`` …), or an empty string for counts."""
    if "_bytes_per_" in name and not name.endswith("_per_cycle"):
        return "B"
    return next((unit for ending, unit in _UNITS if name.endswith(ending)), "")


K = TypeVar("K")
V_co = TypeVar("V_co", covariant=True)


class FrozenMap(Mapping[K, V_co]):
    """A dict that cannot change, keeps its order, hashes and pickles."""

    __slots__ = ("_items",)
    _items: dict[K, V_co]

    def __init__(self, items: Mapping[K, V_co] | Iterable[tuple[K, V_co]] = ()):
        object.__setattr__(self, "_items", dict(items))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a FrozenMap cannot change")

    def __getitem__(self, key: K) -> V_co:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> tuple[type[FrozenMap[K, V_co]], tuple[dict[K, V_co]]]:
        return FrozenMap, (self._items,)


# --------------------------------------------------------------------------------------------------------------- rules
@attrs.frozen(kw_only=True)
class Rule(abc.ABC):
    """What one field may hold. Subclasses say it for one kind of value."""

    optional: bool = False
    """None is allowed, and means that the machine does not have it."""
    needs_evidence: bool = True
    """False for names and other words that claim nothing about the machine."""

    def faults(self, path: str, value: object) -> Iterator[SpecError]:
        """Yield every fault of `value`, which stands at `path`."""
        if value is None:
            if not self.optional:
                yield SpecError(path, value, "must be given")
        else:
            yield from self.check(path, value)

    @abc.abstractmethod
    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        """Yield the faults of a value that is present."""

    def parse(self, name: str, text: str) -> object:
        """Read a value written as text (a sweep, a command line); text that does not fit is left for `check` to refuse."""
        return None if self.optional and text.lower() == "none" else text


@attrs.frozen(kw_only=True)
class Number(Rule):
    """A number within bounds."""

    whole: bool = True
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    power_of_two: bool = False

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        wanted = int if self.whole else (int, float)
        if not isinstance(value, wanted) or isinstance(value, bool) or not -math.inf < value < math.inf:
            yield SpecError(path, value, "must be a whole number" if self.whole else "must be a number")
        elif self.at_least is not None and value < self.at_least:
            yield SpecError(path, value, f"must be at least {self.at_least}")
        elif self.above is not None and value <= self.above:
            yield SpecError(path, value, f"must be more than {self.above}")
        elif self.at_most is not None and value > self.at_most:
            yield SpecError(path, value, f"must be at most {self.at_most}")
        elif abs(value) > (MOST_WHOLE if self.whole else MOST_REAL):
            yield SpecError(path, value, f"must be at most {MOST_WHOLE if self.whole else MOST_REAL:g}, as every number of a description")
        elif not self.whole and 0 < abs(value) < LEAST_REAL:
            yield SpecError(path, value, f"must be 0 or at least {LEAST_REAL:g}, as every number of a description")
        elif self.power_of_two and isinstance(value, int) and value & (value - 1):
            yield SpecError(path, value, "must be a power of two", hint=str(1 << value.bit_length()))

    def parse(self, name: str, text: str) -> object:
        given = text.strip()
        number = given.rstrip(f"{string.ascii_letters}/")
        unit = given[len(number):]
        scale = _BYTE_UNITS.get(unit) if unit_of(name) == "B" else 1 if unit == unit_of(name) else None
        try:
            if not unit or scale is None:
                return int(text, 0) if self.whole else float(text)
            scaled = float(number) * scale
            return int(scaled) if self.whole and scaled.is_integer() else scaled
        except (ValueError, OverflowError):  # no number, or one of too many digits
            return Rule.parse(self, name, text)


@attrs.frozen(kw_only=True)
class Numbers(Rule):
    """A tuple of whole numbers, each from `at_least` to `at_most`."""

    at_least: int = 1
    at_most: int = MOST_WHOLE
    length: int | None = None
    longest: int | None = None

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, tuple) or (self.length is not None and len(value) != self.length):
            yield SpecError(path, value, f"must be a tuple of {self.length or 'whole'} numbers")
        elif self.longest is not None and len(value) > self.longest:
            yield SpecError(path, value, f"must hold at most {self.longest} numbers")
        elif any(not isinstance(v, int) or isinstance(v, bool) or not self.at_least <= v <= self.at_most for v in value):
            yield SpecError(path, value, f"must hold whole numbers of at least {self.at_least} and at most {self.at_most}")

    def parse(self, name: str, text: str) -> object:
        try:
            return tuple(int(part, 0) for part in text.strip("() ").split(",") if part.strip())
        except ValueError:
            return text


@attrs.frozen(kw_only=True)
class Flag(Rule):
    """True or False."""

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, bool):
            yield SpecError(path, value, "must be True or False")

    def parse(self, name: str, text: str) -> object:
        return {"true": True, "yes": True, "on": True, "1": True,
                "false": False, "no": False, "off": False, "0": False}.get(text.lower(), text)


@attrs.frozen(kw_only=True)
class Text(Rule):
    """A name or other words."""

    needs_evidence: bool = False

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, str) or not value.strip():
            yield SpecError(path, value, "must be a text that is not empty")
        elif values.printable(value) != value:
            yield SpecError(path, value, "must hold no control characters and no halves of surrogate pairs")


@attrs.frozen(kw_only=True)
class Texts(Rule):
    """A tuple of names."""

    needs_evidence: bool = False

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, tuple) or not all(isinstance(v, str) and v for v in value):
            yield SpecError(path, value, "must be a tuple of names")
        elif any(values.printable(v) != v for v in value):
            yield SpecError(path, value, "must hold no control characters and no halves of surrogate pairs")


@attrs.frozen(kw_only=True)
class Choice(Rule):
    """One of a few fixed values."""

    allowed: tuple[object, ...]

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not any(value == a and type(value) is type(a) for a in self.allowed):
            listed = ", ".join(repr(a) for a in self.allowed)
            yield SpecError(path, value, f"must be one of {listed}", hint=closest(value, map(str, self.allowed)))

    def parse(self, name: str, text: str) -> object:
        text = renamed_word(text, self.allowed)
        return next((a for a in self.allowed if str(a) == text), text)


@attrs.frozen(kw_only=True)
class Words(Rule):
    """A set of words out of a vocabulary (a dict word → meaning)."""

    known: Mapping[str, str]
    what: str = "word"

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, frozenset):
            yield SpecError(path, value, f"must be a frozenset of {self.what} names")
            return
        for word in sorted(map(str, value)):
            if word not in self.known:
                yield SpecError(path, word, f"must hold known {self.what}s", hint=closest(word, self.known))

    def parse(self, name: str, text: str) -> object:
        return frozenset(text.replace(",", " ").split())


@attrs.frozen(kw_only=True)
class Pairs(Rule):
    """A tuple of frozensets of two names, or of one that is paired with itself."""

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, tuple) or not all(isinstance(v, frozenset) and len(v) in (1, 2) for v in value):
            yield SpecError(path, value, "must be a tuple of frozensets of one or two names")


@attrs.frozen(kw_only=True)
class Exceptions(Rule):
    """A tuple of ``((number, …), unit)``: numbers to which another unit applies."""

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        fine = isinstance(value, tuple) and all(
            isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], tuple) and isinstance(v[1], int) and v[1] > 0
            and all(isinstance(n, int) and abs(n) <= MOST_WHOLE for n in (*v[0], v[1])) for v in value)
        if not fine:
            yield SpecError(path, value, "must be a tuple of ((number, …), unit) pairs")


@attrs.frozen(kw_only=True)
class Part(Rule):
    """A nested description of class `of`."""

    of: type

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, self.of):
            yield SpecError(path, value, f"must be {with_article(self.of.__name__)}")


@attrs.frozen(kw_only=True)
class Policy(Part):
    """A policy: a typed value of class `of`, whose own fields are checked too."""

    of: type[PolicyValue]

    def parse(self, name: str, text: str) -> object:
        known = self.of.by_name()
        text = renamed_word(text, known)
        return known[text]() if text in known else super().parse(name, text)

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, self.of):
            known = self.of.by_name()
            listed = ", ".join(f"{cls.__name__}() = {name!r}" for name, cls in known.items()) or "installed plugins bring none"
            yield SpecError(path, value, f"must be {with_article(self.of.__name__)} ({listed}){' or None' if self.optional else ''}",
                            hint=closest(value, known))


@attrs.frozen(kw_only=True)
class Extensible(Part):
    """A nested description of class `of`, or of a class derived from it that a plugin brings under a name of its own, with further fields."""

    of: type[Named]

    def parse(self, name: str, text: str) -> object:
        known = self.of.by_name()
        return known[text]() if text in known else text

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, self.of):
            known = self.of.by_name()
            listed = ", ".join(f"{cls.__name__}() = {name!r}" for name, cls in known.items())
            yield SpecError(path, value, f"must be {with_article(self.of.__name__)} ({listed})", hint=closest(value, known))


@attrs.frozen(kw_only=True)
class Parts(Rule):
    """A tuple of descriptions of class `of`, addressed by their `name`."""

    of: type[Any]
    at_most: int

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, tuple) or not value or not all(isinstance(v, self.of) for v in value):
            yield SpecError(path, value, f"must be a tuple of {self.of.__name__}, at least one")
            return
        if len(value) > self.at_most:
            yield SpecError(path, tuple(v.name for v in value), f"must be at most {self.at_most}")
        names = [v.name for v in value]
        for name in sorted({n for n in names if names.count(n) > 1}):
            yield SpecError(f"{path}.{name}", names.count(name), "must be declared once")


@attrs.frozen(kw_only=True)
class Table(Rule):
    """A mapping from names to descriptions of class `of`."""

    of: type[Any]

    def check(self, path: str, value: Any) -> Iterator[SpecError]:
        if not isinstance(value, Mapping):
            yield SpecError(path, value, f"must map names to {self.of.__name__}")
            return
        for key, entry in value.items():
            if not isinstance(entry, self.of):
                yield SpecError(f"{path}.{key}", entry, f"must be {with_article(self.of.__name__)}")


def closest(word: object, known: Iterable[str]) -> str | None:
    """Give the known word that was perhaps meant, or None."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5) if isinstance(word, str) else []
    return found[0] if found else None


# -------------------------------------------------------------------------------------------------------------- fields
def _field(rule: Rule, default: object, **more: Any) -> Any:
    return attrs.field(default=default, metadata={_RULE: rule}, **more)


def integer(*, at_least: int | None = 1, at_most: int | None = None, power_of_two: bool = False, optional: bool = False,
            default: object = attrs.NOTHING) -> Any:
    """Declare a whole number; at least 1 unless said otherwise."""
    return _field(Number(at_least=at_least, at_most=at_most, power_of_two=power_of_two, optional=optional), default)


def real(*, at_least: float | None = None, above: float | None = None, at_most: float | None = None,
         optional: bool = False, default: object = attrs.NOTHING) -> Any:
    """Declare a number; more than 0 unless a lower bound is given."""
    above = 0 if at_least is None and above is None else above
    return _field(Number(whole=False, at_least=at_least, above=above, at_most=at_most, optional=optional), default)


def integers(*, at_least: int = 1, at_most: int = MOST_WHOLE, length: int | None = None, longest: int | None = None,
             default: object = attrs.NOTHING) -> Any:
    """Declare a tuple of whole numbers, of exactly `length` or at most `longest` entries."""
    return _field(Numbers(at_least=at_least, at_most=at_most, length=length, longest=longest), default)


def flag(*, default: object = attrs.NOTHING) -> Any:
    """Declare a yes or no."""
    return _field(Flag(), default)


def text(*, optional: bool = False, default: object = attrs.NOTHING) -> Any:
    """Declare a name or other words."""
    return _field(Text(optional=optional), default)


def texts(*, needs_evidence: bool = False, default: object = attrs.NOTHING) -> Any:
    """Declare a tuple of names; without any it claims nothing."""
    return _field(Texts(needs_evidence=needs_evidence), default)


def choice(*allowed: object, default: object = attrs.NOTHING) -> Any:
    """Declare one of a few fixed values."""
    return _field(Choice(allowed=allowed), default)


def words(known: Mapping[str, str], what: str, *, default: object = attrs.NOTHING) -> Any:
    """Declare a set of words out of a vocabulary; any iterable of words will do."""
    return _field(Words(known=known, what=what), default,
                  converter=_word_set)


def _word_set(given: object) -> object:
    """Make a set of any iterable of words; what is none is left for the rule to refuse."""
    if isinstance(given, str):
        return frozenset(given.split())
    return frozenset(given) if isinstance(given, Iterable) and all(isinstance(word, str) for word in given) else given


def pairs(*, default: object = attrs.NOTHING) -> Any:
    """Declare a tuple of pairs of names."""
    return _field(Pairs(), default)


def exceptions(*, default: object = attrs.NOTHING) -> Any:
    """Declare a tuple of ``((number, …), unit)``."""
    return _field(Exceptions(), default)


def part(of: type, *, optional: bool = False, default: object = attrs.NOTHING) -> Any:
    """Declare a nested description."""
    return _field(Part(of=of, optional=optional), default)


def extensible(of: type[Named], *, default: object = attrs.NOTHING) -> Any:
    """Declare a nested description that plugins may bring more of."""
    return _field(Extensible(of=of), default)


def policy(of: type[PolicyValue], *, optional: bool = False, default: object = attrs.NOTHING) -> Any:
    """Declare a policy value."""
    return _field(Policy(of=of, optional=optional), default)


def parts(of: type, *, at_most: int, default: object = attrs.NOTHING) -> Any:
    """Declare a tuple of named descriptions."""
    return _field(Parts(of=of, at_most=at_most), default)


def table(of: type, *, default: object = attrs.NOTHING) -> Any:
    """Declare a mapping from names to descriptions."""
    return _field(Table(of=of), default, converter=lambda v: FrozenMap(v) if isinstance(v, Mapping) else v)


# ---------------------------------------------------------------------------------------------------------------- walk
def holds_fields(rule: Rule) -> bool:
    """Tell whether a value of this rule is nothing but the fields in it; a policy is a value by itself."""
    return isinstance(rule, (Part, Parts, Table)) and not isinstance(rule, Policy)


def rule_of(attribute: attrs.Attribute[Any]) -> Rule | None:
    """Give the rule of an attrs attribute, or None if it is not part of the description."""
    return attribute.metadata.get(_RULE)


def children(value: object, rule: Rule) -> Iterator[tuple[str, object, Rule]]:
    """Yield ``(name, value, rule)`` of what is nested in a value; nothing for a plain value, or one of the wrong type."""
    if isinstance(rule, Part) and isinstance(value, rule.of):
        described: Any = type(value)
        for attribute in attrs.fields(described):
            if (nested := rule_of(attribute)) is not None:
                yield attribute.name, getattr(value, attribute.name), nested
    elif isinstance(rule, Parts) and isinstance(value, tuple):
        yield from ((v.name, v, Part(of=rule.of)) for v in value if isinstance(v, rule.of))
    elif isinstance(rule, Table) and isinstance(value, Mapping):
        yield from ((k, v, Part(of=rule.of)) for k, v in value.items() if isinstance(v, rule.of))


def walk(path: str, value: object, rule: Rule) -> Iterator[tuple[str, object, Rule]]:
    """Yield ``(path, value, rule)`` of a value and of everything nested in it, parents first."""
    yield path, value, rule
    for name, nested, nested_rule in children(value, rule):
        yield from walk(f"{path}.{name}" if path else name, nested, nested_rule)
