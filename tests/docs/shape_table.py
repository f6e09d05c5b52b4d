"""Count the shape of the code and write the table into CONTRIBUTING.md: ``python tests/docs/shape_table.py``.

Beside today's counts stand those of commit 69779e9 (``tests/data/shape_at_69779e9.json``). They are what ``python tests/docs/shape_table.py TREE``
prints, where TREE is a checkout of that commit and Python has the archdef and the plugins of that commit installed.
"""
import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import attrs

from archdef import registry
from archdef.spec import Architecture
from archdef.spec.fields import Part, Parts, Policy, Rule, Table, rule_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
THEN = ROOT / "tests" / "data" / "shape_at_69779e9.json"
MARKS = "<!-- shape -->\n", "<!-- end of shape -->\n"
ROWS = {
    "fields": "fields of a description: of its parts and of the policies that it may name",
    "one_plugin": "… that only one plugin sets to something else than the default",
    "one_plugin_outside": "… of those, outside of optional components and of policies",
    "at_default": "… at their default in every machine of this repository",
    "machine_table": "members of the engine's `MachineTable` that are not made of classes of descriptions",
    "modules": "modules of the engine",
    "header_modules": "… that cimport `state.pxd`, all that a multiprocessor has",
    "circles": "… that cimport each other, one directly or through others",
    "pxd_lines": "lines of the longest `.pxd` that is written by hand",
    "pyx_lines": "lines of the longest `.pyx`",
    "engine_long_functions": "functions of more than 60 lines in the engine",
    "archdef_imports": "imports of archdef's modules within functions of `archdef/`",
    "package_imports": "… of packages that archdef requires",
    "long_functions": "functions of more than 60 lines in `archdef/`"}
"""Key → what is counted."""


def nested(rule: Rule) -> list[type]:
    """The classes of archdef that what stands in a field may have; none for a plain value."""
    if isinstance(rule, Policy):
        return [choice for choice in rule.of.by_name().values() if choice.__module__.startswith("archdef.")]
    return [rule.of] if isinstance(rule, (Part, Parts, Table)) else []


def fields(cls: type) -> Iterator[tuple[attrs.Attribute, Rule, tuple[str, str] | None]]:
    """Every field of a class of descriptions: its rule; the class that declares it and its name, None where it only holds further fields."""
    for attribute in attrs.fields(cls):
        if (rule := rule_of(attribute)) is not None:
            owner = next(one for one in reversed(cls.__mro__) if attribute.name in one.__dict__.get("__annotations__", {}))  # noqa: RUF063  of the class itself
            yield attribute, rule, (owner.__name__, attribute.name) if isinstance(rule, Policy) or not nested(rule) else None


def declared(cls: type) -> Iterator[tuple[str, str]]:
    """The fields of a class of descriptions, and of those that are nested in it."""
    for _, rule, field in fields(cls):
        yield from [field] if field else []
        yield from (inner for choice in nested(rule) for inner in declared(choice))


def always_there(cls: type) -> Iterator[tuple[str, str]]:
    """The fields that every description has: neither in a component that is optional nor a policy's own."""
    for _attribute, rule, field in fields(cls):
        yield from [field] if field else []
        if isinstance(rule, (Part, Parts, Table)) and not isinstance(rule, Policy) and not rule.optional:
            yield from (inner for choice in nested(rule) for inner in always_there(choice))


def changed(value: object) -> Iterator[tuple[str, str]]:
    """The fields of a description that are not at their default."""
    for attribute, rule, field in fields(type(value)):
        inner = getattr(value, attribute.name)
        if field and inner != attribute.default:
            yield field
        if nested(rule) and inner is not None:
            for one in inner if isinstance(rule, Parts) else inner.values() if isinstance(rule, Table) else [inner]:
                yield from changed(one)


def setters_of(tree: Path) -> dict[tuple[str, str], set[str]]:
    """Give each field with those of the tree's plugins that set it to something else than its default."""
    shipped = {package.name for package in tree.glob("plugins/*/src/*")}
    machines = [(package, set(changed(registry.get(name)))) for name in registry.names() if (package := registry.REGISTRY.package(name)) in shipped]
    return {field: {package for package, theirs in machines if field in theirs} for field in declared(Architecture)}


def of_the_schema(tree: Path) -> dict[str, int]:
    """Count fields, by which of the tree's plugins set them."""
    setters = setters_of(tree)
    alone = [field for field, packages in setters.items() if len(packages) == 1]
    everywhere = set(always_there(Architecture))
    return {"fields": len(setters), "one_plugin": len(alone), "one_plugin_outside": sum(field in everywhere for field in alone),
            "at_default": sum(not packages for packages in setters.values())}


def function_lines(text: str) -> list[int]:
    """Count the lines of each function of a Cython module, which end before the next line that is not indented further than its first."""
    lengths, open_ = [], []
    for number, line in enumerate(text.splitlines()):
        indent = len(line) - len(line.lstrip())
        if line.strip():
            while open_ and open_[-1][0] >= indent:
                lengths.append(open_.pop()[2])
            for function in open_:
                function[2] = number - function[1] + 1
            if re.match(r"\s*(?:def|cpdef|cdef(?! class\b))\b.*\(", line):
                open_.append([indent, number, 1])
    return lengths + [function[2] for function in open_]


def cimports(text: str) -> set[str]:
    """Name the engine's modules that a module of the engine takes something from, in Cython or in Python."""
    whole = re.findall(r"^\s*from archdef\.engine c?import ([^(\n]+)$", text, re.MULTILINE)
    return {*re.findall(r"^\s*from archdef\.engine\.(\w+) c?import", text, re.MULTILINE),
            *(name.split()[0] for names in whole for name in names.split(","))}


def in_circles(sources: dict[Path, str]) -> set[str]:
    """Name the modules from which the way of cimports leads back to themselves."""
    beyond: dict[str, set[str]] = {}
    for path, text in sources.items():
        beyond.setdefault(path.stem, set()).update(cimports(text) - {path.stem})
    grown = True
    while grown:
        further = {module: near.union(*(beyond.get(one, set()) for one in near)) for module, near in beyond.items()}
        grown, beyond = further != beyond, further
    return {module for module, reached in beyond.items() if module in reached}


def of_the_sources(tree: Path) -> dict[str, int]:
    """Count what the engine's modules hold and share, and long functions and imports within functions of the package."""
    engine = {path: path.read_text(encoding="utf-8") for path in tree.glob("ext/archdef/engine/*.p[yx][xdi]") if path.stem != "__init__"}
    lines = {path: text.count("\n") for path, text in engine.items()}
    table = re.search(r"cdef struct MachineTable:\n((?:    .*\n|\n)+)", "\n".join(engine.values()))[1]
    members = [line.partition("#")[0].strip() for line in table.splitlines()]
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.match(r"[\w-]+", one)[0] for one in project["dependencies"]} | {"attr"}
    modules = [ast.parse(path.read_text(encoding="utf-8")) for path in tree.glob("archdef/**/*.py")]
    functions = [node for module in modules for node in ast.walk(module) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inside = {node for function in functions for node in ast.walk(function) if isinstance(node, (ast.Import, ast.ImportFrom))}
    first = [(node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0] for node in inside]
    return {"machine_table": sum(1 + line.count(",") for line in members if line and "Parameters " not in line), "modules": len({path.stem for path in engine}),
            "header_modules": len({path.stem for path, text in engine.items() if re.search(r"from \S*\.state cimport", text)}),
            "circles": len(in_circles(engine)),
            "pxd_lines": max(lines[path] for path in lines if path.suffix == ".pxd" and path.stem != "parameters"),
            "pyx_lines": max(lines[path] for path in lines if path.suffix == ".pyx"),
            "engine_long_functions": sum(length > 60 for text in engine.values() for length in function_lines(text)),
            "archdef_imports": first.count("archdef"), "package_imports": sum(name in required for name in first),
            "long_functions": sum(node.end_lineno - node.lineno + 1 > 60 for node in functions)}


def counts(tree: Path = ROOT) -> dict[str, int]:
    """Every count of a tree whose archdef and plugins are installed."""
    return of_the_schema(tree) | of_the_sources(tree)


def page() -> str:
    """The page with its table."""
    text, now, then = PAGE.read_text(encoding="utf-8"), counts(), json.loads(THEN.read_text(encoding="utf-8"))
    rows = ["| what | at 69779e9 | now |", "|---|---|---|", *(f"| {what} | {then[name]} | {now[name]} |" for name, what in ROWS.items())]
    return text[:text.index(MARKS[0]) + len(MARKS[0])] + "\n".join(rows) + "\n" + text[text.index(MARKS[1]):]


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(counts(Path(sys.argv[1])), indent=1))
    else:
        PAGE.write_text(page(), encoding="utf-8")
