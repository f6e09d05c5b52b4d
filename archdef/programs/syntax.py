"""What a preprocessed CUDA source declares, and where it launches kernels, found by tree-sitter's grammar of CUDA."""
from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import attrs

from archdef.errors import CompileError, MissingExtra

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SPACES: Final = {f"__{name}__": name for name in ("global", "device", "host", "constant", "managed", "shared")}
NEWLINE: Final = b"\n"
WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_UNKNOWN: Final = re.compile(rb"\b__(?:align|builtin_align|cluster_dims|maxnreg)__\s*\((?:[^()]|\([^()]*\))*\)")
"""Attributes that the grammar does not know: what it makes of the rest of the declaration is anything."""
_MARKER: Final = re.compile(rb'^#(?:line)? (\d+) "([^"]*)".*$', re.MULTILINE)
_NAMES: Final = ("identifier", "field_identifier", "type_identifier", "namespace_identifier", "operator_name", "destructor_name", "operator_cast")
_TYPES: Final = ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
_CLASSES: Final = _TYPES[:3]
_WRAPPERS: Final = ("pointer_declarator", "reference_declarator", "array_declarator", "init_declarator", "attributed_declarator")


class Unsupported(CompileError):
    """Something of CUDA that this way of building does not translate, and CUDA's own compiler does."""


@attrs.frozen(eq=False)
class Item:
    """One declaration of a namespace or of a class."""

    node: Node
    """All of it, ``template <…>`` included."""
    core: Node
    """Without ``template <…>``."""
    kind: str
    """``function`` (a definition), ``prototype``, ``variable``, ``type``, ``other``."""
    spaces: frozenset[str]
    """``global``, ``device``, ``host``, ``constant`` …, as it is annotated."""
    names: frozenset[bytes]
    """What it declares."""
    words: frozenset[bytes]
    """Specifiers before the declared name: ``static``, ``constexpr`` …"""
    scope: tuple[str, ...] = ()
    """Namespaces it is in; those without a name are left out."""
    members: tuple[Item, ...] = ()
    """Those of a class that it defines."""
    in_class: bool = False

    @property
    def on_device(self) -> bool:
        """Whether it belongs to the device, and perhaps to the host too."""
        return bool(self.spaces & {"global", "device", "constant", "managed", "shared"})

    @property
    def device_only(self) -> bool:
        """Whether it is a function that only devices execute, and no kernel."""
        return self.kind in ("function", "prototype") and "device" in self.spaces and "host" not in self.spaces


@functools.cache
def _parser() -> Parser:
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ImportError:
        raise MissingExtra("translating CUDA host code without nvcc", "tree-sitter and tree-sitter-cuda", "build") from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


class Source:
    """A preprocessed text and its tree."""

    def __init__(self, text: str):
        self.data = text.encode()
        self.tree = _parser().parse(_UNKNOWN.sub(lambda match: re.sub(rb"[^\n]", b" ", match[0]), self.data))
        self._without_markers = _MARKER.sub(lambda match: b" " * len(match[0]), self.data)      # names of files are no code
        self.items = tuple(self._items(self.tree.root_node, ()))
        found = [(match.end() + 1, int(match[1]), match[2].decode(errors="replace"))
                 for match in _MARKER.finditer(self.data)]
        self._markers, self._starts = found, [start for start, _, _ in found]

    def text(self, node: Node) -> bytes:
        """Give what a node spans."""
        return self.data[node.start_byte:node.end_byte]

    def where(self, at: int) -> str:
        """Give file and line of a byte, as the user knows them."""
        number = bisect.bisect_right(self._starts, at) - 1
        start, line, file = self._markers[max(0, number)]
        return f"{file}:{line + self.data.count(NEWLINE, start, at)}"

    def words(self, start: int, end: int) -> set[bytes]:
        """List the identifiers between two bytes."""
        return set(WORD.findall(self._without_markers, start, end))

    def every(self, kind: str, node: Node | None = None) -> Iterator[Node]:
        """Walk nodes of one kind."""
        todo = [node or self.tree.root_node]
        while todo:
            each = todo.pop()
            if each.type == kind:
                yield each
            todo.extend(reversed(each.children))

    def all_items(self) -> Iterator[Item]:
        """List all declarations, those of classes included."""
        todo = list(self.items)
        while todo:
            item = todo.pop(0)
            yield item
            todo[:0] = item.members

    def _items(self, parent: Node, scope: tuple[str, ...], in_class: bool = False) -> Iterator[Item]:
        for node in parent.children:
            if not node.is_named or node.type in ("comment", "preproc_call", "access_specifier"):
                continue
            if node.type == "namespace_definition" and (body := node.child_by_field_name("body")):
                name = node.child_by_field_name("name")
                inner = tuple(self.text(name).decode().replace(" ", "").split("::")) if name else ()
                yield from self._items(body, scope + inner)
            elif node.type == "linkage_specification" and (body := node.child_by_field_name("body")):
                if body.type == "declaration_list":
                    yield from self._items(body, scope)
                else:
                    yield self._item(node, body, scope, in_class)
            else:
                yield self._item(node, self._core(node), scope, in_class)

    @staticmethod
    def _core(node: Node) -> Node:
        while node.type in ("template_declaration", "template_instantiation", "friend_declaration"):
            inner = [child for child in node.named_children if child.type not in ("template_parameter_list", "comment", "requires_clause")]
            if not inner:
                break
            node = inner[-1]
        return node

    def _item(self, node: Node, core: Node, scope: tuple[str, ...], in_class: bool) -> Item:
        declarators = core.children_by_field_name("declarator")
        function = function_of(declarators[0]) if declarators else None
        type_ = core if core.type in _TYPES else core.child_by_field_name("type")
        body = type_.child_by_field_name("body") if type_ is not None and type_.type in _TYPES else None
        names = self.declared(core)
        if body is not None or core.type in _TYPES:
            names |= self._type_names(type_)
        if core.type in ("alias_declaration", "namespace_alias_definition", "concept_definition") and (name := core.child_by_field_name("name")):
            names.add(self.text(name))
        if core.type == "using_declaration":
            names |= {WORD.findall(self.text(core))[-1]}
        members = tuple(self._items(body, scope, True)) if body is not None and type_ is not None and type_.type in _CLASSES else ()
        words = self._specifiers(core, function or (declarators[0] if declarators else None), body)
        return Item(node, core, self._kind(core, function, bool(declarators)), frozenset(SPACES[word] for each in words if (word := each.decode()) in SPACES),
                    frozenset(names), frozenset(words), scope, members, in_class)

    @staticmethod
    def _kind(core: Node, function: Node | None, declares: bool) -> str:
        if core.type == "function_definition":
            return "function"
        if core.type in ("declaration", "field_declaration"):
            return "prototype" if function is not None else "variable" if declares else "type"
        return "type" if core.type in (*_TYPES, "type_definition", "alias_declaration") else "other"

    def declared(self, core: Node) -> set[bytes]:
        """List what a declaration's declarators name."""
        return {self.text(name) for declarator in core.children_by_field_name("declarator") for name in self.declared_by(declarator)}

    def declared_by(self, declarator: Node) -> Iterator[Node]:
        """Find the name that a declarator declares."""
        node: Node | None = declarator
        while node is not None and node.type not in _NAMES:
            if node.type in ("qualified_identifier", "template_function"):
                node = node.child_by_field_name("name")
            else:
                inner = (child for child in node.named_children if child.type.endswith("declarator") or child.type in _NAMES)
                node = node.child_by_field_name("declarator") or next(inner, None)
        if node is not None:
            yield node

    def _type_names(self, type_: Any) -> set[bytes]:
        name = type_.child_by_field_name("name")
        found = set(WORD.findall(self.text(name))) if name else set()
        if type_.type == "enum_specifier":
            found |= {self.text(name) for each in self.every("enumerator", type_) if (name := each.child_by_field_name("name"))}
        return found

    def _specifiers(self, core: Node, declarator: Node | None, body: Node | None) -> set[bytes]:
        """List the words of a declaration before what it declares."""
        name = next(self.declared_by(declarator), None) if declarator is not None else None
        end = name.start_byte if name is not None else body.start_byte if body is not None else core.end_byte
        words = self.words(core.start_byte, min(end, body.start_byte) if body is not None else end)
        return words | (self.words(body.end_byte, end) if body is not None and end > body.end_byte else set())


def function_of(declarator: Node | None) -> Node | None:
    """Give the declarator of a function behind pointers and references of what it returns; None for variables, pointers to functions included."""
    while declarator is not None:
        if declarator.type == "function_declarator":
            inner = declarator.child_by_field_name("declarator")
            return None if inner is None or inner.type == "parenthesized_declarator" else declarator
        declarator = (declarator.child_by_field_name("declarator") or next((c for c in declarator.named_children if c.type.endswith("declarator")), None)
                      if declarator.type in _WRAPPERS else None)
    return None


class Edits:
    """Changes of a text: parts that are replaced, with as many lines as before."""

    def __init__(self, data: bytes):
        self.data = data
        self._made: list[tuple[int, int, bytes]] = []

    def replace(self, start: int, end: int, by: bytes = b"") -> None:
        """Replace a part; `by` gets the line ends that it lacks."""
        lines = self.data.count(b"\n", start, end) - by.count(b"\n")
        self._made.append((start, end, by + b"\n" * max(0, lines)))

    def insert(self, at: int, text: bytes) -> None:
        """Insert text."""
        self._made.append((at, at, text))

    def apply(self) -> str:
        """Give the changed text; changes within a part that is replaced as a whole are part of it."""
        done, at = [], 0
        for start, end, by in sorted(self._made, key=lambda each: (each[0], each[0] != each[1], -each[1])):
            if start < at:
                continue
            done += [self.data[at:start], by]
            at = end
        return b"".join([*done, self.data[at:]]).decode(errors="replace")
