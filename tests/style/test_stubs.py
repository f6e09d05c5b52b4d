"""Do the stubs of compiled modules, which type checkers and editors read, say what the modules have?"""
import ast
import enum
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import archdef

PACKAGE = Path(archdef.__file__).parent
STUBS = {".".join(("archdef", *stub.relative_to(PACKAGE).with_suffix("").parts)): stub for stub in sorted(PACKAGE.rglob("*.pyi"))}


def names_in(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """What a module or a class of a stub declares."""
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname: node for alias in node.names if alias.asname}       # "import x as x" makes x public
    return {name: node for name, node in found.items() if not name.startswith("_")}


def names_of(thing: ModuleType | type) -> dict[str, object]:
    """What a compiled module or class has for others: not what it imports, nor its enumerators beside their enumeration."""
    if isinstance(thing, type):
        return {name: value for name, value in vars(thing).items() if not name.startswith("_")}
    public = getattr(thing, "__all__", None)
    values = {name: value for name, value in vars(thing).items() if (name in public if public is not None else not name.startswith("_"))}
    members = {name for value in values.values() if isinstance(value, type) and issubclass(value, enum.Enum) for name in value.__members__}
    return {name: value for name, value in values.items() if name not in members and not inspect.ismodule(value)
            and (public is not None or getattr(value, "__module__", thing.__name__) == thing.__name__)}


def parameters_in(node: ast.FunctionDef) -> list[str]:
    """The names of a function's parameters in a stub, in their order."""
    given = node.args
    rest = [one.arg for one in (given.vararg,) if one] + [one.arg for one in given.kwonlyargs] + [one.arg for one in (given.kwarg,) if one]
    return [one.arg for one in (*given.posonlyargs, *given.args)] + rest


def differences(where: str, stub: list[ast.stmt], real: ModuleType | type):
    """Say in which names, enumerators and parameters the two differ."""
    told, there = names_in(stub), names_of(real)
    yield from (f"{where}.{name} is only in the stub" for name in told if not hasattr(real, name))
    yield from (f"{where}.{name} is not in the stub" for name in there if name not in told)
    for name, node in told.items():
        value = getattr(real, name, None)
        if isinstance(node, ast.ClassDef) and isinstance(value, type) and issubclass(value, enum.Enum):
            numbers = {entry.targets[0].id: ast.literal_eval(entry.value) for entry in node.body
                       if isinstance(entry, ast.Assign) and isinstance(entry.targets[0], ast.Name)}
            if numbers != {member.name: member.value for member in value.__members__.values()}:
                yield f"{where}.{name} has other members than in the stub: {list(value)}"
        elif isinstance(node, ast.ClassDef) and isinstance(value, type):
            yield from differences(f"{where}.{name}", node.body, value)
        elif isinstance(node, ast.FunctionDef) and callable(value):
            parameters = list(inspect.signature(value).parameters)
            if parameters != parameters_in(node):
                yield f"{where}.{name} takes {', '.join(parameters)}, in the stub {', '.join(parameters_in(node))}"


@pytest.mark.parametrize("module", STUBS)
def test_a_stub_says_what_the_compiled_module_has(module):
    found = list(differences(module, ast.parse(STUBS[module].read_text()).body, importlib.import_module(module)))
    assert not found, "\n".join(found)


def test_there_are_stubs_of_what_python_imports_from_the_engine():
    imported = {node.module for source in PACKAGE.rglob("*.py") for node in ast.walk(ast.parse(source.read_text()))
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("archdef.engine.")}
    assert imported and not imported - set(STUBS)
