"""Reads reference cases: TOML files, with CSV tables beside them, in the folder ``data`` of the package that an architecture's entry point
of the group ``archdef.evidence`` names, or of the package that declares it; and the latter's DEVIATIONS.md, whose ids the known gaps name.

The files are found with `importlib.resources`, so a distribution may be installed, editable or zipped.
"""
from __future__ import annotations

import collections
import csv
import functools
import importlib.resources
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import attrs

from archdef import _evidence, registry
from archdef.errors import PluginError, ReferenceCaseError
from archdef.spec import Architecture
from archdef.validate.case import MEAN, ORDER, Case, Gap, Group, References, Source

FOLDER, GAPS, DEVIATIONS = "data", "gaps.toml", "DEVIATIONS.md"
_DEVIATION = re.compile(r"^\|\s*([A-Z]+\d+)\s*\|\s*(.*?)\s*\|", re.MULTILINE)
_Kind = TypeVar("_Kind", Source, Group, Case)
_PLACE = re.compile(r"\{(\w+)\}")
_CASE = {field.name for field in attrs.fields(Case)} - {"id"} | {"group", "name"}
_TEMPLATE = _CASE | {"points"}
_SET = _CASE - {"at"} | {"table", "benchmark", "long_above", "cases"}


def references(architecture: Architecture | str) -> References:
    """Give the reference cases of an architecture; none if its plugin ships none.

    None, too, if they are in a distribution that is not installed: `not_installed` of what is given names it.

    Raises UnknownArchitecture; PluginError if that distribution cannot be used; ReferenceCaseError, naming the file, if one is not as it should be.
    """
    name = architecture if isinstance(architecture, str) else architecture.name
    own = registry.get(name)
    root, declared = evidence_of(own.name), package_of(own.name)
    if root is None or not (root / FOLDER).is_dir():
        return References(own.name, (), {}, (), {}, _evidence.not_installed(own.name))
    everything = _read(root)  # type: ignore[arg-type]  # a Path, which can be hashed, or equal to itself only
    known = {own.name.lower(), *(alias.lower() for alias in own.aliases)}
    cases = tuple(case for case in everything.cases if case.arch.lower() in known)
    groups = {case.group for case in cases}
    own_gaps = tuple(gap for gap in everything.gaps if gap.arch == own.name or (not gap.arch and (
        _named(gap, cases) or not _named(gap, everything.cases))))  # what names nothing at all is everybody's fault
    deviations = {**everything.deviations, **(_deviations(declared) if declared is not None else {})}
    return attrs.evolve(everything, arch=own.name, cases=cases, groups={k: g for k, g in everything.groups.items() if k in groups}, gaps=own_gaps,
                        deviations=deviations)


def _named(gap: Gap, cases: Iterable[Case]) -> bool:
    return any(gap.names(case.id) or gap.pattern in (f"{case.group}/{MEAN}", f"{case.group}/{ORDER}") for case in cases)


def package_of(name: str) -> Traversable | None:
    """Give the root of the package that declares an architecture; None for one that was registered without a package."""
    package = registry.REGISTRY.package(name)
    return None if package is None else importlib.resources.files(package)


def evidence_of(name: str) -> Traversable | None:
    """Give the root of the package with the reference data of an architecture: that of its evidence, or else the one that declares it.

    Raises UnknownArchitecture; PluginError if its evidence cannot be used, or has no folder ``data``.
    """
    own = registry.get(name).name
    package = evidence_package(own)
    root = None if package is None else importlib.resources.files(package)
    if root is not None and not (root / FOLDER).is_dir() and package != registry.REGISTRY.package(own):
        raise PluginError(f"the evidence of {own}: the package {package} has no folder {FOLDER}")
    return root


def evidence_package(name: str) -> str | None:
    """Name the package with the reference data of an architecture. Raises UnknownArchitecture, PluginError."""
    own = registry.get(name).name
    found = _evidence.package(own)
    return registry.REGISTRY.package(own) if found is None else found.__name__


def read(root: Traversable) -> References:
    """Read every TOML file in the folder ``data`` of a package, whatever architectures its cases are of."""
    cases: list[Case] = []
    groups: dict[str, Group] = {}
    gaps: tuple[Gap, ...] = ()
    folder = root / FOLDER
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".toml"):
            continue
        try:
            data = tomllib.loads(file.read_text(encoding="utf-8"))
            if file.name == GAPS:
                gaps = tuple(_gaps(data))
            else:
                cases += _cases(data, folder, groups)
        except (tomllib.TOMLDecodeError, ReferenceCaseError, UnicodeDecodeError, TypeError, KeyError) as error:
            raise ReferenceCaseError(f"{file}: {error}") from error
    seen: set[tuple[str, str]] = set()
    for case in cases:
        if (case.arch, case.id) in seen:
            raise ReferenceCaseError(f"{folder}: two cases of {case.arch} are called {case.id}")
        seen.add((case.arch, case.id))
    return References("", tuple(cases), groups, gaps, _deviations(root))


_read = functools.lru_cache(maxsize=64)(read)


def _cases(data: Mapping[str, Any], folder: Traversable, groups: dict[str, Group]) -> Iterator[Case]:
    _refuse_unknown(data, {"sources", "groups", "set"}, "the file")
    sources = {key: _made(Source, values, f"sources.{key}") for key, values in data.get("sources", {}).items()}
    for name, values in data.get("groups", {}).items():
        if name in groups:
            raise ReferenceCaseError(f"groups.{name}: another file declares it, too")
        groups[name] = _made(Group, {"name": name, **values}, f"groups.{name}")
    for number, given in enumerate(data.get("set", []), start=1):
        where = f"set {number} ({given.get('group', 'without group')})"
        _refuse_unknown(given, _SET, where)
        common = {key: value for key, value in given.items() if key not in ("table", "benchmark", "long_above", "cases")}
        rows = _rows(folder, given["table"], where) if "table" in given else None
        if "benchmark" in given:
            if rows is None:
                raise ReferenceCaseError(f"{where}: benchmark = {given['benchmark']!r} chooses rows of a table, and there is none")
            rows = [row for row in rows if row["benchmark"] == given["benchmark"]]
        for template in given.get("cases", []):
            _refuse_unknown(template, _TEMPLATE, where)
            merged = {**common, **template, **{key: _both(common.get(key, {}), template.get(key, {})) for key in ("parameters", "evolve")}}
            found = _points(merged, given, where) if rows is None else _of_rows(merged, rows, given.get("long_above", {}))
            yield from (_case(values, sources, groups, where) for values in found)


def _points(merged: Mapping[str, Any], given: Mapping[str, Any], where: str) -> Iterator[dict[str, Any]]:
    """Give the case itself, or make one of each point of a ladder: ``points = [[place, value], ...]`` of the parameter `along`."""
    name, along, points = merged.get("name"), merged.get("along"), merged.get("points")
    if points is None:
        yield dict(merged)
        return
    if not isinstance(along, str) or not isinstance(points, list) or len(points) < 2 or not all(
            isinstance(point, list) and len(point) == 2 for point in points):
        raise ReferenceCaseError(f"{where}: a ladder ({name}) is a parameter, along = 'stride_words', and at least two points = "
                                 "[[place, value], ...]")
    most = given.get("long_above", {}).get(along)
    for at, value in points:
        yield {**{key: of for key, of in merged.items() if key != "points"}, "name": f"{name}, {along.replace('_', ' ')} {at}",
               "ladder": name, "at": at, "value": value, "parameters": {**merged["parameters"], along: at},
               "long": bool(merged.get("long")) or (most is not None and at > most)}


def _of_rows(merged: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], long_above: Mapping[str, float]) -> list[dict[str, Any]]:
    """Make a case of each row of a table that has a value; rows that differ in the parameter `along` alone are a ladder."""
    found = []
    for row in rows:
        values = _filled(merged, row)
        if long_above:
            values["long"] = bool(values.get("long")) or any(float(row.get(column, 0)) > most for column, most in long_above.items())
        if values.get("value", "") == "":
            continue
        along = values.pop("along", None)
        if along in values["parameters"]:
            others = [f"{key} {of}" for key, of in values["parameters"].items() if key != along]
            values |= {"along": along, "at": values["parameters"][along], "ladder": ", ".join(others) or f"by {along}"}
        found.append(values)
    points = collections.Counter((values.get("group"), values.get("ladder")) for values in found)
    return [{key: of for key, of in values.items() if key not in ("ladder", "along", "at")} if points[values.get("group"), values.get("ladder")] == 1
            else values for values in found]


def _both(common: Any, own: Any) -> Any:
    """Add a case's parameters to those of its set; a text stands for a column of a table that holds all of them."""
    return own or common if isinstance(common, str) or isinstance(own, str) else {**common, **own}


def _case(values: dict[str, Any], sources: Mapping[str, Source], groups: Mapping[str, Group], where: str) -> Case:
    values = dict(values)
    group, name = values.pop("group", None), values.pop("name", None)
    if group not in groups:
        raise ReferenceCaseError(f"{where}: there is no [groups.{group}]")
    values["id"], where = f"{group}/{name}", f"{group}/{name}"
    source = values.get("source")
    if not isinstance(source, str) or source not in sources:
        raise ReferenceCaseError(f"{where}: source {source!r} is none of {', '.join(sources) or 'the (missing) [sources]'}")
    values["source"] = sources[source]
    if values.get("ladder"):
        values["ladder"] = f"{group}/{values['ladder']}"
    values.setdefault("tolerance", groups[group].tolerance)
    values.setdefault("slack", groups[group].slack)
    values.setdefault("spread", groups[group].spread)
    return _made(Case, values, where)


def _rows(folder: Traversable, table: str, where: str) -> list[dict[str, Any]]:
    """Read a table: a CSV file, or results of ``archdef microbench --json``, whose columns are benchmark, parameters,
    each parameter, name, quantity and value."""
    file = folder / table
    if not file.is_file():
        raise ReferenceCaseError(f"{where}: there is no table {table}")
    if table.endswith(".json"):
        return [{**row["parameters"], "benchmark": row["benchmark"], "parameters": row["parameters"], "quantity": quantity, "value": value,
                 "name": ", ".join(f"{key} {of}" for key, of in row["parameters"].items()) or "by default"}
                for row in json.loads(file.read_text(encoding="utf-8"))["rows"] for quantity, value in row["values"].items()]
    return list(csv.DictReader(line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")))


def _filled(value: Any, row: Mapping[str, Any]) -> Any:
    """Put a row's columns where a text names them in braces; a text that is one column becomes a number if it can."""
    if isinstance(value, Mapping):
        return {key: _filled(part, row) for key, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, row) for part in value]
    if not isinstance(value, str):
        return value
    try:
        if (whole := _PLACE.fullmatch(value)) is not None:
            return _plain(row[whole[1]]) if isinstance(row[whole[1]], str) else row[whole[1]]
        return _PLACE.sub(lambda place: str(row[place[1]]), value)
    except KeyError as error:
        raise ReferenceCaseError(f"the table has no column {error}") from None


def _plain(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def _gaps(data: Mapping[str, Any]) -> Iterator[Gap]:
    """Read ``[ID]`` tables of ``"pattern" = [low, high]``, or ``"arch :: pattern"``."""
    for deviation, patterns in data.items():
        for pattern, band in patterns.items():
            arch, _, glob = pattern.rpartition(" :: ")
            if not (isinstance(band, list) and len(band) == 2 and band[0] <= band[1]):
                raise ReferenceCaseError(f"{deviation}, {pattern}: give the band of the relative error, such as [-0.2, -0.05]; got {band!r}")
            yield Gap(glob, deviation, low=band[0], high=band[1], arch=arch)


def _deviations(root: Traversable) -> dict[str, str]:
    file = root / DEVIATIONS
    return dict(_DEVIATION.findall(file.read_text(encoding="utf-8"))) if file.is_file() else {}


def _made(kind: type[_Kind], values: Mapping[str, Any], where: str) -> _Kind:
    _refuse_unknown(values, {field.name for field in attrs.fields(kind)}, where)
    try:
        return kind(**values)
    except (ReferenceCaseError, TypeError) as error:
        raise ReferenceCaseError(f"{where}: {error}") from error


def _refuse_unknown(values: Mapping[str, Any], allowed: set[str], where: str) -> None:
    if extra := sorted(set(values) - allowed):
        raise ReferenceCaseError(f"{where}: unknown {', '.join(extra)}; there are {', '.join(sorted(allowed))}")
