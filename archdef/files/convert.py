"""A description as plain data, and back: cattrs carries the classes, the rule of each field says what its value looks like.

Plain data are mappings, lists, texts, numbers and yes or no, as TOML and JSON have them:

- parts and tables are mappings, units by name; what the machine has not (None) is left out, or says ``"none"``;
- a policy is a mapping whose `type` is its short name, or just the short name;
- what plugins may bring more of, such as an assembler, says its `type` too where it is not archdef's own;
- numbers may be texts with a unit (``"48 KiB"``) wherever `Architecture.evolve` takes them;
- evidence is a list of sources, each with the paths that it covers.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from types import GenericAlias
from typing import Any

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from archdef._deprecation import renamed_word
from archdef.errors import SpecError, SpecErrors, UnknownField, nearest
from archdef.spec import Architecture, Cite
from archdef.spec.fields import (Choice, Exceptions, Extensible, FrozenMap, Number, Numbers, Pairs, Part, Parts, Policy, Rule, Table, Texts, Words,
                                 closest, rule_of)

FORMAT = "archdef-architecture/1"
"""What a file says it is; another number is refused."""
NONE = "none"
"""What stands for None where it must be said."""


class _Unfit(Exception):
    """A value of the wrong shape; `path` is counted from where it was raised."""

    def __init__(self, value: object, allowed: str, hint: str | None = None):
        self.value, self.allowed, self.hint = value, allowed, hint
        super().__init__(allowed)


# --------------------------------------------------------------------------------------------------------- plain → value
@functools.singledispatch
def _read(rule: Rule, name: str, value: Any) -> Any:
    """Turn plain data into the value of a field; what does not fit is left for the field's rule to refuse."""
    if isinstance(value, str) and (rule.optional or isinstance(rule, Number)):
        return rule.parse(name, value)
    return value


@_read.register
def _(rule: Numbers | Texts, name: str, value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@_read.register
def _(rule: Choice, name: str, value: Any) -> Any:
    return rule.parse(name, value) if isinstance(value, str) and rule.optional else renamed_word(value, rule.allowed)


@_read.register
def _(rule: Words, name: str, value: Any) -> Any:
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(word, str) for word in value)):
        return value
    raise _Unfit(value, f"must be a list of {rule.what}s")


@_read.register
def _(rule: Pairs, name: str, value: Any) -> Any:
    fits = isinstance(value, list) and all(isinstance(pair, list) and all(isinstance(unit, str) for unit in pair) for pair in value)
    return tuple(map(frozenset, value)) if fits else value


@_read.register
def _(rule: Exceptions, name: str, value: Any) -> Any:
    return _tuples(value)


@_read.register
def _(rule: Part, name: str, value: Any) -> Any:
    return CONVERTER.structure(value, rule.of) if isinstance(value, Mapping) else None if rule.optional and value == NONE else value


@_read.register
def _(rule: Policy, name: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return rule.parse(name, value) if isinstance(value, str) else value
    known = rule.of.by_name()
    tag = renamed_word(value.get("type"), known)
    if tag not in known:
        raise _Unfit(tag, f"needs a type: one of {', '.join(known)}", closest(tag, known))
    return CONVERTER.structure({key: v for key, v in value.items() if key != "type"}, known[tag])


@_read.register
def _(rule: Extensible, name: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return rule.parse(name, value) if isinstance(value, str) else value
    known = rule.of.by_name()
    tag = value["type"] if "type" in value else _with_fields(known, value, rule.of.short_name)
    if tag not in known:
        raise _Unfit(tag, f"needs a type that is one of {', '.join(known)}; plugins bring others", closest(tag, known))
    return CONVERTER.structure({key: v for key, v in value.items() if key != "type"}, known[tag])


def _with_fields(known: Mapping[str, type[Any]], value: Mapping[str, Any], usual: str) -> str:
    """Give the choice that has all the fields of a mapping which does not say its type: files of before there were types do not. The usual one if that
    will do, or if none does, so that what it has not is refused by name; of several others none is chosen for the reader."""
    fit = [name for name, cls in known.items() if value.keys() <= attrs.fields_dict(cls).keys()]
    if len(fit) > 1 and usual not in fit:
        raise _Unfit(None, f"needs a type, as several have these fields: one of {', '.join(fit)}")
    return fit[0] if len(fit) == 1 else usual


@_read.register
def _(rule: Parts, name: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise _Unfit(value, f"must map names to {rule.of.__name__}")
    if wrong := [key for key, fields in value.items() if not isinstance(fields, Mapping)]:
        raise _Unfit(value[wrong[0]], f"must map names to {rule.of.__name__}, each a table: {wrong[0]} is none")
    named = {key: {**fields, "name": key} for key, fields in value.items()}
    return tuple(CONVERTER.structure(named, _by_name(rule.of)).values())


@_read.register
def _(rule: Table, name: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    read = CONVERTER.structure({key: fields for key, fields in value.items() if isinstance(fields, Mapping)}, _by_name(rule.of))
    return FrozenMap({key: read.get(key, fields) for key, fields in value.items()})  # the rule refuses what is no mapping


def _by_name(cls: type) -> Any:
    """Give the type of a mapping from names to what `cls` describes."""
    return GenericAlias(dict, (str, cls))


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


# --------------------------------------------------------------------------------------------------------- value → plain
@functools.singledispatch
def _write(rule: Rule, value: Any) -> Any:
    """Turn the value of a field into plain data."""
    return _lists(value)


@_write.register
def _(rule: Part, value: Any) -> Any:
    return CONVERTER.unstructure(value)


@_write.register
def _(rule: Policy, value: Any) -> Any:
    return None if value is None else {"type": value.short_name, **CONVERTER.unstructure(value)}


@_write.register
def _(rule: Extensible, value: Any) -> Any:
    return ({} if type(value) is rule.of else {"type": value.short_name}) | CONVERTER.unstructure(value)


@_write.register
def _(rule: Parts, value: Any) -> Any:
    return {v.name: {key: field for key, field in CONVERTER.unstructure(v).items() if key != "name"} for v in value}


@_write.register
def _(rule: Table, value: Any) -> Any:
    return {key: CONVERTER.unstructure(v) for key, v in value.items()}


def _lists(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return [_lists(v) for v in value] if isinstance(value, tuple) else value


# ------------------------------------------------------------------------------------------------------------- converter
def _described(cls: type) -> bool:
    return attrs.has(cls) and any(rule_of(a) is not None for a in attrs.fields(cls))


def _reader(cls: type) -> Callable[..., Any]:
    hooks: dict[str, Any] = {a.name: override(struct_hook=_reads(rule, a.name)) for a in attrs.fields(cls) if (rule := rule_of(a)) is not None}
    if cls is Architecture:
        hooks |= {"evidence": override(struct_hook=read_evidence), "changes": override(struct_hook=_read_changes)}
    return make_dict_structure_fn(cls, CONVERTER, _cattrs_forbid_extra_keys=True, _cattrs_use_linecache=False, **hooks)


def _reads(rule: Rule, name: str) -> Callable[[Any, Any], Any]:
    return lambda value, _: _read(rule, name, value)


def _writer(cls: type) -> Callable[[Any], dict[str, Any]]:
    hooks: dict[str, Any] = {a.name: override(unstruct_hook=functools.partial(_write, rule)) for a in attrs.fields(cls) if (rule := rule_of(a)) is not None}
    if cls is Architecture:
        hooks |= {"evidence": override(unstruct_hook=write_evidence), "changes": override(unstruct_hook=_write_changes)}
    whole: Callable[[Any], dict[str, Any]] = make_dict_unstructure_fn(cls, CONVERTER, _cattrs_use_linecache=False, **hooks)
    return lambda value: {key: v for key, v in whole(value).items() if v is not None}


def read_evidence(value: Any, _: object = None) -> dict[str, Cite]:
    """Turn a list of sources into what `Architecture.evidence` holds."""
    if not isinstance(value, list) or not all(isinstance(source, Mapping) and isinstance(source.get("covers"), list) for source in value):
        raise _Unfit(value, "must be a list of sources, each with the paths that it covers")
    evidence = {}
    for source in value:
        cite = CONVERTER.structure({key: v for key, v in source.items() if key != "covers"}, Cite)
        for path in source["covers"]:
            if path in evidence:
                raise _Unfit(path, "must cover each path once")
            evidence[path] = cite
    return evidence


def write_evidence(evidence: Mapping[str, Cite]) -> list[dict[str, Any]]:
    """Turn evidence into a list of sources, each with the paths that it covers."""
    paths: dict[Cite, list[str]] = {}
    for path, cite in evidence.items():
        paths.setdefault(cite, []).append(path)
    return [{key: text for key, text in attrs.asdict(cite).items() if text} | {"covers": covered} for cite, covered in paths.items()]


def _read_changes(value: Any, _: object) -> dict[str, tuple[Any, ...]]:
    if not isinstance(value, Mapping):
        raise _Unfit(value, "must map paths to what was declared and what is now")
    changes = {}
    for path, pair in value.items():
        rule = rule_at(path)
        if rule is None or not isinstance(pair, Mapping) or set(pair) != {"declared", "now"}:
            raise _Unfit(pair, f"must give declared and now of a field; {path} does not")
        changes[path] = tuple(None if pair[key] == NONE else _read(rule, path.rpartition(".")[2], pair[key]) for key in ("declared", "now"))
    return changes


def _write_changes(changes: Mapping[str, tuple[object, object]]) -> dict[str, dict[str, Any]] | None:
    def plain(path: str, value: object) -> Any:
        rule = rule_at(path)
        return NONE if value is None or rule is None else _write(rule, value)

    return {path: {"declared": plain(path, declared), "now": plain(path, now)} for path, (declared, now) in changes.items()} or None


def rule_at(path: str) -> Rule | None:
    """Give the rule of the field at a complete path, whatever machine; None if there is no such field."""
    rule: Rule | None = Part(of=Architecture)
    segments = path.split(".")
    while segments and rule is not None:
        if isinstance(rule, (Parts, Table)):
            rule, segments = Part(of=rule.of), segments[1:]
            continue
        classes: Collection[type[Any]] = rule.of.by_name().values() if isinstance(rule, (Policy, Extensible)) else [rule.of] if isinstance(rule, Part) else ()
        rule = next((rule_of(getattr(attrs.fields(cls), segments[0])) for cls in classes if segments[0] in attrs.fields_dict(cls)), None)
        segments = segments[1:]
    return rule


CONVERTER = cattrs.Converter(detailed_validation=True, forbid_extra_keys=True)
for _plain_type in (int, float, str, bool):  # nothing is rounded or made to fit: the rules refuse what is of the wrong type
    CONVERTER.register_structure_hook(_plain_type, lambda value, _: value)
CONVERTER.register_structure_hook_factory(_described, _reader)
CONVERTER.register_unstructure_hook_factory(_described, _writer)


# ------------------------------------------------------------------------------------------------------------ the whole
def to_plain(architecture: Architecture) -> dict[str, Any]:
    """Give a description as plain data."""
    return {"format": FORMAT, **CONVERTER.unstructure(architecture)}


def from_plain(data: Mapping[str, Any], source: str) -> Architecture:
    """Make the description that plain data holds; `source` is what errors call it.

    Raises SpecErrors with every fault: unknown keys with their path and the nearest name, values that their field refuses.
    """
    try:
        return CONVERTER.structure({key: value for key, value in data.items() if key != "format"}, Architecture)
    except cattrs.BaseValidationError as error:
        name = data["name"] if isinstance(data.get("name"), str) and data["name"] else "architecture"
        raise SpecErrors(f"{source} is not a usable description", list(faults_of(error, name))) from None


def faults_of(error: BaseException, path: str) -> Iterator[Exception]:
    """Yield every fault behind an error of cattrs, with its whole path."""
    if isinstance(error, SpecErrors):
        yield from error.exceptions
    elif isinstance(error, cattrs.BaseValidationError):
        for nested in error.exceptions:
            notes = [note for note in getattr(nested, "__notes__", ()) if hasattr(note, "name") or hasattr(note, "index")]
            below = [str(note.name if hasattr(note, "name") else note.index) for note in notes[:1]]
            yield from faults_of(nested, ".".join([path, *below]))
    elif isinstance(error, cattrs.ForbiddenExtraKeysError):
        known = [a.name for a in attrs.fields(error.cl)]
        for key in sorted(error.extra_fields):
            yield UnknownField(f"{path}.{key} is no field of {error.cl.__name__}{nearest(key, known)}")
    elif isinstance(error, KeyError):
        yield SpecError(path, None, "must be given")
    elif isinstance(error, _Unfit):
        yield SpecError(path, error.value, error.allowed, hint=error.hint)
    else:
        yield SpecError(path, None, f"cannot be read ({error})")
