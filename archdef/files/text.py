"""Descriptions as text: TOML to write by hand, JSON for programs."""
from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from archdef import registry, values
from archdef._deprecation import move_renamed
from archdef.errors import DescriptionFileError, MissingExtra, nearest
from archdef.files.atomic import write_text
from archdef.files.convert import FORMAT, from_plain, to_plain
from archdef.files.variant import completed
from archdef.spec import Architecture

FORMATS = ("toml", "json")
"""Formats of description files, which are also the endings of their names."""
MOST_BASES = 50
"""Bases of bases that one file may have behind it."""
MOST_NESTED = 30
"""Tables and lists in one another; a description has less than ten."""


def dumps(architecture: Architecture, format: str = "toml") -> str:
    """Write a description as text; `loads` gives the same description back.

    Raises MissingExtra where TOML is asked for and tomlkit is not installed.
    """
    _known(format)
    data = to_plain(architecture)
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n" if format == "json" else _toml(architecture, data)


def loads(text: str, format: str = "toml", *, source: str = "<text>", folder: str | os.PathLike[str] = ".") -> Architecture:
    """Read a description; `source` is what errors call it, `folder` is where a base that is a file is looked for.

    Raises DescriptionFileError for text that is not well formed; SpecErrors with every fault of what it describes.
    """
    values.text(text, "a description", DescriptionFileError)
    return _made(_parsed(text, format, source), source, Path(folder), ())


def save(architecture: Architecture, path: str | os.PathLike[str]) -> None:
    """Write a description to a ``.toml`` or ``.json`` file, as a whole or not at all."""
    path = _path_of(path)
    write_text(path, dumps(architecture, _format_of(path)))


def load(path: str | os.PathLike[str]) -> Architecture:
    """Read a description from a ``.toml`` or ``.json`` file.

    A file with ``base = "NAME"`` (an installed architecture) or ``base = "other.toml"`` holds only what differs.

    Raises DescriptionFileError, SpecErrors, UnknownArchitecture.
    """
    return _loaded(_path_of(path), ())


def looks_like_a_file(name: str) -> bool:
    """Say whether a name given for an architecture means a file."""
    return name.endswith(tuple(f".{format}" for format in FORMATS)) or os.sep in name


def _loaded(path: Path, inside: tuple[Path, ...]) -> Architecture:
    format = _format_of(path)
    if path.resolve() in inside:
        raise DescriptionFileError(f"{path} is its own base: " + " → ".join(str(p.name) for p in [*inside, path]))
    if len(inside) > MOST_BASES:
        raise DescriptionFileError(f"{inside[0]} has more than {MOST_BASES} bases behind one another; write one out with 'archdef export'")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionFileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    return _made(_parsed(text, format, str(path)), str(path), path.parent, (*inside, path.resolve()))


def _made(data: dict[str, Any], source: str, folder: Path, inside: tuple[Path, ...]) -> Architecture:
    if "base" not in data:
        move_renamed(data)
        return from_plain(data, source)
    base = data["base"]
    if not isinstance(base, str) or not base:
        raise DescriptionFileError(f"{source}: base must be the name of an architecture or a file, got {base!r}")
    if looks_like_a_file(base):
        found = _loaded(folder / values.text(base, f"{source}: base", DescriptionFileError), inside)
    else:
        found = registry.get(base)
    move_renamed(data, found)
    return from_plain(completed({key: value for key, value in data.items() if key != "base"}, found, source), source)


def _parsed(text: str, format: str, source: str) -> dict[str, Any]:
    _known(format)
    try:
        data = tomllib.loads(text) if format == "toml" else json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise DescriptionFileError(f"{source} is not well formed {format.upper()}: {error}") from error
    if _depth(data) > MOST_NESTED:
        raise DescriptionFileError(f"{source} nests its values more than {MOST_NESTED} deep, which no description does")
    if isinstance(data, dict):
        data.pop("$schema", None)  # for editors
    else:
        raise DescriptionFileError(f"{source} must hold one table of fields")
    if data.get("format", FORMAT) != FORMAT:
        raise DescriptionFileError(f"{source} has the format {values.shown(data['format'])}; this archdef reads {FORMAT!r}")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object whose keys are there once, as TOML's are."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is there twice in one object")
    return made


def _depth(data: Any) -> int:
    """Count the levels of nested tables and lists, without recursion of its own."""
    depth, level = 0, [data]
    while level:
        depth += 1
        level = [nested for one in level if isinstance(one, (dict, list)) for nested in (one.values() if isinstance(one, dict) else one)]
    return depth


def _path_of(path: Any) -> Path:
    if not isinstance(path, os.PathLike):
        values.text(path, "the name of a description file", DescriptionFileError)
    return Path(path)


def _known(format: str) -> None:
    if not isinstance(format, str) or format not in FORMATS:
        raise DescriptionFileError(f"no format is called {values.shown(format)}{nearest(format, FORMATS)}; there are {' and '.join(FORMATS)}")


def _format_of(path: str | os.PathLike[str]) -> str:
    ending = Path(path).suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise DescriptionFileError(f"{path}: descriptions are .toml or .json files")
    return ending


def _toml(architecture: Architecture, data: Mapping[str, Any]) -> str:
    """Write TOML to be read: policies, costs and units take a line each."""
    try:
        import tomlkit
    except ImportError:
        raise MissingExtra("writing TOML", "tomlkit", "kit") from None

    document = tomlkit.document()
    document.add(tomlkit.comment(f"{architecture}"))
    document.add(tomlkit.comment("Units are in the names; numbers of bytes may be written as \"48 KiB\"; 'archdef schema' says what may stand here"))
    for key, value in data.items():
        if key == "evidence":
            sources = tomlkit.aot()
            for source in value:
                table = tomlkit.table()
                for name, words in source.items():
                    table.add(name, _long(tomlkit, words) if isinstance(words, list) else words)
                sources.append(table)
            document.add(key, sources)
        elif isinstance(value, dict):
            document.add(key, _table(tomlkit, value, key))
        else:
            document.add(key, value)
    text: str = tomlkit.dumps(document)
    return text


_ROWS = ("isa.operations", "isa.forms", "units", "changes")
"""Tables whose entries take a line each."""
_MOST_IN_A_ROW = 8
"""Fields of the longest policy that is one line; longer ones, such as an assembler, are tables."""


def _table(tomlkit: ModuleType, value: Mapping[str, Any], path: str) -> Any:
    table = tomlkit.table()
    for key, nested in sorted(value.items(), key=lambda item: _is_table(item[1], path)):  # a table's own values come first
        if not isinstance(nested, dict):
            table.add(key, _long(tomlkit, nested) if isinstance(nested, list) and len(str(nested)) > 100 else nested)
        elif _is_table(nested, path):
            table.add(key, _table(tomlkit, nested, f"{path}.{key}"))
        else:
            row = tomlkit.inline_table()
            row.update(nested)
            table.add(key, row)
    return table


def _is_table(value: Any, inside: str) -> bool:
    return isinstance(value, dict) and ("type" not in value or len(value) > _MOST_IN_A_ROW) and inside not in _ROWS


def _long(tomlkit: ModuleType, values: list[Any]) -> Any:
    array = tomlkit.array()
    for value in values:
        array.append(value)
    return array.multiline(len(str(values)) > 100)
