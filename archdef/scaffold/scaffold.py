"""Write the files of a new plugin."""
from __future__ import annotations

import importlib.resources
import os
import re
from collections.abc import Iterator
from pathlib import Path
from string import Template
from textwrap import shorten
from typing import Any

import archdef
from archdef import registry
from archdef._plugins import installed
from archdef.errors import ScaffoldError
from archdef.files.atomic import new_folder
from archdef.hookspecs import PROJECT
from archdef.occupancy import occupancy
from archdef.formatting import size
from archdef.spec import Architecture, unit_of
from archdef.spec.documented import field_docs

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_FILES = {  # file of the plugin: template
    "pyproject.toml": "pyproject.toml", "README.md": "README.md", ".gitignore": "gitignore", "src/archdef_$name/__init__.py": "declaration",
    "src/archdef_$name/DEVIATIONS.md": "DEVIATIONS.md", "src/archdef_$name/data/README.md": "data.md", "src/archdef_$name/data/cases.toml": "cases.toml",
    "tests/test_$name.py": "tests"}
_LIKELY = """chip.multiprocessors chip.multiprocessors_per_cluster clocks.core_mhz clocks.shader_mhz clocks.memory_mhz
    limits.registers_per_multiprocessor limits.shared_bytes_per_multiprocessor caches.l1.size_bytes caches.l2.size_bytes
    schedulers.policy shared.banks dram.partitions dram.interleave_bytes dram.bus_bits dram.capacity_bytes""".split()
"""Fields in which variants of a machine differ most often; a new declaration lists those that its base has."""


def new_plugin(name: str, *, base: str | None = None, folder: str | os.PathLike[str] = ".") -> Path:
    """Write a plugin that declares the architecture `name`, into ``archdef-NAME`` in `folder`, as a whole or not at all.

    base : an installed architecture of which the new one is a variant; None: a small machine with everything spelled out.

    Gives the new folder. Raises ScaffoldError for a name that cannot be used and a folder that is there, UnknownArchitecture.
    """
    _check(name)
    distribution = f"archdef-{name.replace('_', '-')}"
    target = Path(folder) / distribution
    if os.path.lexists(target):
        raise ScaffoldError(f"{target} exists; choose another name, or another folder with --in")
    if not Path(folder).is_dir():
        raise ScaffoldError(f"{folder} is no folder")
    words = {"name": name, "constant": name.upper(), "class_name": "".join(map(str.capitalize, name.split("_"))), "distribution": distribution,
             "supported": supported(archdef.__version__)}
    words |= _small_machine() if base is None else _variant(registry.get(base))
    kind = "empty" if base is None else "variant"
    try:
        with new_folder(target) as made:
            for file, template in _FILES.items():
                path = made / Template(file).substitute(words)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_template(template, kind).substitute(words), encoding="utf-8", newline="\n")
    except FileExistsError as error:
        raise ScaffoldError(str(error)) from error
    except OSError as error:
        raise ScaffoldError(f"cannot write {target}: {error.strerror or error}") from error
    return target


def supported(version: str) -> str:
    """Give the versions that a plugin written for `version` of a distribution supports: until the next minor release."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return f">={major}.{minor},<{major}.{minor + 1}"


def _check(name: str) -> None:
    if not _NAME.fullmatch(name):
        tidy = re.sub(r"[^a-z0-9]+", "_", name.lower().removeprefix("archdef-").removeprefix("archdef_")).strip("_")
        hint = f" (did you mean {tidy}?)" if _NAME.fullmatch(tidy) else ""
        raise ScaffoldError(f"{name!r} cannot name an architecture: names are small letters, digits and single underscores, a letter first{hint}")
    if len(name) > 40:
        raise ScaffoldError(f"{name!r} is longer than 40 letters")
    taken = {known.lower(): machine for machine in registry.all().values() for known in (machine.name, *machine.aliases)}
    if name in taken or name in registry.names():
        whose = taken.get(name)
        raise ScaffoldError(f"the name {name!r} is taken by an installed plugin" + (f": {whose}" if whose else ""))


def _template(name: str, kind: str) -> Template:
    folder = importlib.resources.files("archdef.scaffold") / "templates"
    file = folder / f"{name}.txt"
    if not file.is_file():
        file = folder / f"{name}_{kind}.txt"
    return Template(file.read_text(encoding="utf-8"))


def _small_machine() -> dict[str, str]:
    return {"like": "", "based_on": "", "dependencies": "", "resident_blocks": "16"}


def _variant(base: Architecture) -> dict[str, str]:
    found = [point for point in installed(PROJECT) if point.name == base.name]
    owners = {point.dist.name: point.dist.version for point in found if point.dist is not None}
    if not owners:
        raise ScaffoldError(f"{base.name} is declared by no installed distribution, so that no plugin can depend on it")
    dependencies = "".join(f', "{owner}{supported(version)}"' for owner, version in sorted(owners.items()))
    return {"like": f", like {base.vendor} {base.title}", "based_on": base.name, "dependencies": dependencies, "base_title": f"{base.vendor} {base.title}",
            "vendor": repr(base.vendor), "family": repr(base.family), "compute_capability": repr(base.compute_capability),
            "fields": "\n".join(_lines(base)), "gb_s": f"{base.dram_bandwidth_gb_s:.6g}",
            "resident_blocks": str(occupancy(base, threads=64, registers=16).active_blocks)}


def _lines(base: Architecture) -> Iterator[str]:
    """Write a line for each likely field, with its value in `base` and what it means."""
    values: dict[str, Any] = {path: value for path, value, _ in base.walk()}
    for path in _LIKELY:
        value = values.get(path)
        if value is None:
            continue
        owner, _, field = path.rpartition(".")
        if not isinstance(value, (int, float)):
            written = f'"{value.short_name}"' if value == type(value)() else None
        else:
            written = f'"{size(value)}"' if isinstance(value, int) and unit_of(field) == "B" and "," not in size(value) else repr(value)
        if written is not None:
            described: type = type(values[owner])
            doc = " ".join(field_docs(described).get(field, "").split()).replace(" …", "").rstrip(".")
            yield f'    "{path}": {written},  # {shorten(doc, 70, placeholder=" …")}'
