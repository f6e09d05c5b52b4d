"""A description that says only what differs from another one."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from archdef.errors import SpecError, SpecErrors
from archdef.files.convert import NONE, faults_of, read_evidence, rule_at, to_plain, write_evidence
from archdef.spec import Architecture
from archdef.spec.arch import inherited_evidence
from archdef.spec.fields import Extensible, Part, Parts, Policy, Table

WORDS = ("name", "title", "vendor", "family", "compute_capability", "aliases")


def completed(data: Mapping[str, Any], base: Architecture, source: str) -> dict[str, Any]:
    """Give the whole of a description of which `data` holds what differs from `base`.

    The name must be given, aliases are not inherited. Changed numbers are assumed unless the evidence in `data` covers them.
    """
    whole = to_plain(base)
    whole.pop("changes", None)
    whole.pop("aliases", None)
    name = data.get("name")
    if not isinstance(name, str) or name.lower() == base.name.lower():
        raise SpecErrors(f"{source} is not a usable description",
                         [SpecError("name", name, f"must be given, and differ from that of the base, {base.name!r}")])
    given, evidence = {}, {}
    for key, value in data.items():
        if key == "evidence":
            try:
                evidence = read_evidence(value, None)
            except Exception as error:  # noqa: BLE001  what cattrs collects, or a shape that is none of a list of sources
                raise SpecErrors(f"{source} is not a usable description", list(faults_of(error, f"{name}.evidence"))) from None
        else:
            given[key] = value
    changed = {path: _words(old) for path, old, new in _differences(given, whole, "") if path not in WORDS and old != new}
    merged: dict[str, Any] = _merged(whole, given, "")
    merged["evidence"] = write_evidence(inherited_evidence(base, name, changed, evidence, _paths(merged, "")))
    return merged


def _words(value: Any) -> Any:
    """Say what the base has, as a note tells it."""
    if not isinstance(value, Mapping) or "type" not in value:
        return NONE if value is None else value
    numbers = ", ".join(f"{key}={number}" for key, number in value.items() if key != "type")
    return value["type"] + (f" with {numbers}" if numbers else "")


def _goes_on(path: str, old: Any, new: Any) -> bool:
    """Say whether `new` is laid over `old` field by field, and does not replace it."""
    rule = rule_at(path) if path else Part(of=Architecture)
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return False
    if isinstance(rule, (Policy, Extensible)):
        usual = rule.of.short_name if isinstance(rule, Extensible) else None        # which a mapping need not name
        return "type" not in new or new["type"] == old.get("type", usual)
    return isinstance(rule, (Part, Parts, Table))


def _merged(old: Any, new: Any, path: str) -> Any:
    if not _goes_on(path, old, new):
        return new
    merged = {**old, **{key: _merged(old.get(key), value, _below(path, key)) for key, value in new.items()}}
    if isinstance(rule_at(path) if path else None, (Parts, Table)):      # an entry can be taken away
        merged = {key: value for key, value in merged.items() if value != NONE or key not in old}
    return merged


def _differences(new: Any, old: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if _goes_on(path, old, new):
        for key, value in new.items():
            if key != "type":
                yield from _differences(value, old.get(key), _below(path, key))
    else:
        yield path, old, new


def _paths(value: Any, path: str) -> Iterator[str]:
    if path and value not in (None, NONE):
        yield path
    rule = rule_at(path) if path else Part(of=Architecture)
    if isinstance(value, Mapping) and isinstance(rule, (Part, Parts, Table)):
        for key, nested in value.items():
            yield from _paths(nested, _below(path, str(key)))


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
