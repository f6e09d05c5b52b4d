"""The JSON Schema of description files, made from the classes and their rules."""
from __future__ import annotations

import functools
from typing import Any

import attrs

from archdef.files.convert import FORMAT, NONE
from archdef.spec import KINDS, Architecture, Cite
from archdef.spec.documented import field_docs, summary
from archdef.spec.fields import (Choice, Exceptions, Extensible, Flag, Number, Numbers, Pairs, Part, Parts, Policy, Rule, Table, Text, Texts, Words,
                                 rule_of, unit_of)
from archdef.spec.isa import OPERATION_CLASSES

URI = "https://json-schema.org/draft/2020-12/schema"
_WHOLE, _PARTIAL = "", "Changed"


def schema() -> dict[str, Any]:
    """Give the schema of a description file: a whole description, or what differs from a `base`."""
    definitions: dict[str, Any] = {}
    for variant in (_WHOLE, _PARTIAL):
        _definition(Architecture, variant, definitions)
    _evidence(definitions)
    return {
        "$schema": URI, "title": "A machine, as archdef describes it", "description": summary(Architecture), "type": "object",
        "if": {"required": ["base"]}, "then": {"$ref": f"#/$defs/Architecture{_PARTIAL}"}, "else": {"$ref": "#/$defs/Architecture"},
        "$defs": dict(sorted(definitions.items()))}


def _definition(cls: type, variant: str, definitions: dict[str, Any], named: bool = True) -> dict[str, str]:
    """Define a class, unless it is defined already, and refer to it."""
    name = cls.__name__ + variant
    if name not in definitions:
        definitions[name] = {}  # before its fields, which may refer to it
        docs = field_docs(cls)
        fields = [(a, rule) for a in attrs.fields(cls) if (rule := rule_of(a)) is not None and (named or a.name != "name")]
        properties = {a.name: _told(a.name, rule, docs.get(a.name), variant, definitions) for a, rule in fields}
        required = [a.name for a, _ in fields if a.default is attrs.NOTHING]
        if cls is Architecture:
            properties = {"format": {"const": FORMAT}, "$schema": {"type": "string"}, **properties,
                          "evidence": {"$ref": "#/$defs/Evidence"}, "changes": {"$ref": "#/$defs/Changes"}}
            required.append("evidence")
            if variant == _PARTIAL:
                base = {"type": "string", "description": "An installed architecture, or a file beside this one."}
                properties = {"base": base, **properties}
        if variant == _PARTIAL:
            required = ["base", "name"] if cls is Architecture else []
        definitions[name] = {"description": summary(cls), "type": "object", "properties": properties, "additionalProperties": False,
                             **({"required": required} if required else {})}
    return {"$ref": f"#/$defs/{name}"}


def _told(name: str, rule: Rule, doc: str | None, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """Say what a field may hold, with its documentation."""
    allowed = _allowed(rule, name, variant, definitions)
    if rule.optional:
        allowed = {"anyOf": [allowed, {"const": NONE}, {"type": "null"}]}
    return {"description": " ".join(doc.split()), **allowed} if doc else allowed


@functools.singledispatch
def _allowed(rule: Rule, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    raise TypeError(f"field {name}: no schema is registered for rules of type {type(rule).__name__}")


@_allowed.register
def _(rule: Number, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    bounds = {"minimum": rule.at_least, "exclusiveMinimum": rule.above, "maximum": rule.at_most}
    number = {"type": "integer" if rule.whole else "number"} | {key: value for key, value in bounds.items() if value is not None}
    return {"anyOf": [number, {"type": "string", "pattern": rf"^\s*[0-9][0-9a-fA-FxX._]*\s*({_units(name)})?$"}]} if unit_of(name) else number


def _units(name: str) -> str:
    return "B|KiB|MiB|GiB" if unit_of(name) == "B" else unit_of(name)


@_allowed.register
def _(rule: Numbers, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    lengths = {"minItems": rule.length, "maxItems": rule.length or rule.longest}
    return {"type": "array", "items": {"type": "integer", "minimum": rule.at_least},
            **{key: value for key, value in lengths.items() if value is not None}}


@_allowed.register
def _(rule: Flag, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "boolean"}


@_allowed.register
def _(rule: Text, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "string", "pattern": r"\S"}


@_allowed.register
def _(rule: Texts, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "minLength": 1}}


@_allowed.register
def _(rule: Choice, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"enum": list(rule.allowed)}


@_allowed.register
def _(rule: Words, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"enum": sorted(rule.known)}, "uniqueItems": True}


@_allowed.register
def _(rule: Pairs, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2, "uniqueItems": True}}


@_allowed.register
def _(rule: Exceptions, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    numbers = {"type": "array", "items": {"type": "integer"}}
    return {"type": "array", "items": {"type": "array", "prefixItems": [numbers, {"type": "integer", "minimum": 1}], "items": False,
                                       "minItems": 2}}


@_allowed.register
def _(rule: Part, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return _definition(rule.of, variant, definitions)


@_allowed.register
def _(rule: Extensible, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """That of archdef, which needs no type, or that of a plugin, whose further fields only the plugin knows."""
    definition = f"{rule.of.__name__}{variant}"
    if definition not in definitions:
        _definition(rule.of, variant, definitions)
        definitions[definition]["properties"] |= {"type": {"const": rule.of.short_name}}
    return {"anyOf": [{"$ref": f"#/$defs/{definition}"}, {"description": "Its name alone.", "type": "string", "pattern": r"\S"},
                      {"description": "A plugin's own.", "type": "object", **({} if variant else {"required": ["type"]}),
                       "properties": {"type": {"type": "string", "not": {"const": rule.of.short_name}}}}]}


@_allowed.register
def _(rule: Policy, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """One of the policies that archdef brings, or that of a plugin, whose numbers only the plugin knows."""
    known = {name: cls for name, cls in rule.of.by_name().items() if cls.__module__.startswith("archdef.")}
    kind = rule.of.__name__
    if kind not in definitions:
        definitions[kind] = {}
        choices = [_definition_of_policy(short_name, cls, definitions) for short_name, cls in known.items()]
        definitions[kind] = {"description": summary(rule.of), "anyOf": [
            *choices, {"enum": list(known)},
            {"description": "A plugin's own.", "type": "object", "required": ["type"],
             "properties": {"type": {"type": "string", "not": {"enum": list(known)}}}}]}
    if variant == _WHOLE:
        return {"$ref": f"#/$defs/{kind}"}
    return {"anyOf": [{"$ref": f"#/$defs/{kind}"}, {"type": "object", "not": {"required": ["type"]}}]}


def _definition_of_policy(short_name: str, cls: type, definitions: dict[str, Any]) -> dict[str, Any]:
    docs = field_docs(cls)
    properties = {a.name: _told(a.name, rule, docs.get(a.name), _WHOLE, definitions)
                  for a in attrs.fields(cls) if (rule := rule_of(a)) is not None}
    return {"description": summary(cls), "type": "object", "required": ["type"], "additionalProperties": False,
            "properties": {"type": {"const": short_name}, **properties}}


@_allowed.register
def _(rule: Parts, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": _definition(rule.of, variant, definitions, named=False),
            "minProperties": 0 if variant else 1, **({} if variant else {"maxProperties": rule.at_most})}


@_allowed.register
def _(rule: Table, name: str, variant: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": _definition(rule.of, variant, definitions),
            **({"propertyNames": {"enum": sorted(OPERATION_CLASSES)}} if name == "operations" else {})}


def _evidence(definitions: dict[str, Any]) -> None:
    docs = field_docs(Cite)
    texts = {name: {"type": "string", "description": docs[name]} for name in ("document", "place", "note", "card")}
    definitions["Evidence"] = {
        "description": summary(Cite), "type": "array", "items": {
            "type": "object", "required": ["document", "place", "covers"], "additionalProperties": False,
            "properties": {**texts, "kind": {"enum": list(KINDS), "default": "documented", "description": docs["kind"]},
                           "covers": {"description": "Paths, or beginnings of paths; the longest that fits a number is its source.",
                                      "type": "array", "items": {"type": "string"}}}}}
    definitions["Changes"] = {
        "description": field_docs(Architecture)["changes"], "type": "object",
        "additionalProperties": {"type": "object", "required": ["declared", "now"], "additionalProperties": False,
                                 "properties": {"declared": {}, "now": {}}}}
