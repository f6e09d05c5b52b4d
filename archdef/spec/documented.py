"""What the sources of description classes say about each field: the text below it."""
from __future__ import annotations

import ast
import functools
import inspect
import textwrap


@functools.cache
def field_docs(cls: type) -> dict[str, str]:
    """Give field → the text that stands below it in the class, those of its base classes included; {} where there is no source."""
    found: dict[str, str] = {}
    for owner in reversed(cls.__mro__[:-1]):
        try:
            (node,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
        except (OSError, TypeError, SyntaxError, ValueError):
            continue
        if not isinstance(node, ast.ClassDef):
            continue
        for field, below in zip(node.body, node.body[1:]):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr) \
                    and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
                found[field.target.id] = inspect.cleandoc(below.value.value)
    return found


def summary(cls: type) -> str:
    """Give the first paragraph of a class's documentation, on one line."""
    return " ".join((inspect.getdoc(cls) or "").partition("\n\n")[0].split())
