"""Write docs/reference/api.md: the public names, with the first line of what each says of itself.

python tests/docs/api_page.py
"""
import ast
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "api.md"
HEAD = """# Public interface

<!-- written by tests/docs/api_page.py -->

These names are promised: one that goes away, or changes what it does, warns (`archdef.errors.ArchdefDeprecationWarning`) for at least one
minor release before. So are the fields of descriptions, the names of metrics, the command line with its `--json`, the hooks and the format
of [description files](description-files.md). Everything else may change without notice, whatever it is called.

A plugin says which versions of archdef it supports where pip reads it too, in its distribution's metadata:
`dependencies = ["archdef>=0.1,<0.2"]`. One that does not fit is refused by name with both versions; the others go on.
"""


def said(module: str, name: str) -> str:
    """Give the first line of what a public name says of itself; constants: of the text below them."""
    try:
        importlib.import_module(module)
    except ImportError:  # it needs an extra that is not installed
        return _in_source(module, name)
    if not hasattr(importlib.import_module(module), "__all__") or module == "archdef.policies.jit":
        return _in_source(module, name)
    value = getattr(importlib.import_module(module), name)
    if inspect.isroutine(value) or inspect.isclass(value):
        doc = "" if inspect.isclass(value) and value.__doc__ == getattr(value.__base__, "__doc__", None) else inspect.getdoc(value) or ""
    elif type(value).__module__.startswith("archdef") and not isinstance(value, type):
        doc = _below(module, name) or inspect.getdoc(type(value)) or ""
    else:
        doc = _below(module, name) or (inspect.getdoc(value) if type(value).__module__ == "pluggy._hooks" else "") or ""
    return " ".join(doc.partition("\n\n")[0].split())


def _in_source(module: str, name: str) -> str:
    tree = ast.parse(Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8"))
    (node,) = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name]
    return " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())


def _below(module: str, name: str) -> str:
    """Find the text below an assignment, in the module or in the one that it imports the name from."""
    tree = ast.parse(Path(inspect.getsourcefile(importlib.import_module(module))).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names):
            return _below(node.module, next(alias.name for alias in node.names if (alias.asname or alias.name) == name))
    for node, below in zip(tree.body, [*tree.body[1:], None]):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        names = [element.id for target in targets for element in ast.walk(target) if isinstance(element, ast.Name)]
        if name in names and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return inspect.cleandoc(str(below.value.value))
    return ""


def page() -> str:
    """Give the text of the page."""
    from archdef._public import GIVEN, MODULES

    parts = [HEAD]
    for module, purpose in MODULES.items():
        names = {name: said(module, name) for name in sorted(importlib.import_module(module).__all__, key=str.lower)}
        parts.append(f"\n## {module}\n\n{purpose}\n\n| name | |\n|---|---|\n")
        parts += [f"| `{name}` | {_cell(text)} |\n" for name, text in names.items() if text]
        if plain := [f"`{name}`" for name, text in names.items() if not text]:
            parts.append("\n" + "\n".join(wrap("Constants: " + ", ".join(plain), 138, break_long_words=False, break_on_hyphens=False)) + "\n")
    parts.append("\n## Single names\n\nThey lie in modules that are not public as a whole. Documented attributes and methods of the types are promised too.\n\n| name | from or for | |\n|---|---|---|\n")
    for path, source in GIVEN.items():
        module, _, name = path.rpartition(".")
        parts.append(f"| `{path}` | {source} | {_cell(said(module, name))} |\n")
    return "".join(parts)


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(page(), encoding="utf-8")
