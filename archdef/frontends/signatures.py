"""What the author of a kernel declared its parameters as: PTX has only numbers of so many bits, and calls every pointer ``u64``.

Mangled symbols tell the types, as the compiler resolved them; the text of the source tells names and spelling, and the types of
``extern "C"`` kernels as far as they are C++'s own or CUDA's. What neither tells is not known, and nothing is refused for it.
"""
from __future__ import annotations

import re
from collections.abc import Iterator

import attrs
import numpy as np

from archdef.frontends.demangling import demangled

_SCALARS = {
    "bool": "b1", "char": "i1", "signed char": "i1", "unsigned char": "u1", "short": "i2", "unsigned short": "u2", "int": "i4", "unsigned int": "u4",
    "long": "i8", "unsigned long": "u8", "long long": "i8", "unsigned long long": "u8", "float": "f4", "double": "f8",
    "int8_t": "i1", "uint8_t": "u1", "int16_t": "i2", "uint16_t": "u2", "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8", "uint64_t": "u8",
    "size_t": "u8", "ssize_t": "i8", "ptrdiff_t": "i8", "intptr_t": "i8", "uintptr_t": "u8",
    "__half": "f2", "half": "f2", "__nv_bfloat16": "x2", "nv_bfloat16": "x2"}
"""Type → numpy's letter and bytes; ``x`` where numpy has no such type."""
_LANES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
          "longlong": "i8", "ulonglong": "u8", "float": "f4", "double": "f8"}
"""What CUDA's vector types are of, such as ``float`` of ``float4``."""
_BYTES = ("void", "char", "signed char", "unsigned char", "int8_t", "uint8_t")
"""Pointers to these take memory of any kind."""
_QUALIFIERS = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict|__grid_constant__|struct|std::|typename)\b|\bstd::")
_ORDER = ("unsigned", "signed", "short", "long", "int", "char", "double")


@attrs.frozen
class Element:
    """A number, or a short vector of them."""

    kind: str
    """numpy's letter: ``b i u f``; ``x``: any of so many bytes."""
    bytes: int
    """Of one lane."""
    lanes: int = 1

    def __str__(self) -> str:
        """Give the name of its type in numpy."""
        return np.dtype(f"{self.kind}{self.bytes}").name if self.kind != "x" else f"{self.bytes} bytes each"

    def takes(self, dtype: np.dtype) -> bool:
        """Whether an array of `dtype` holds such elements; bytes (``u1``) and structures may be anything."""
        if dtype.kind == "V" or dtype == np.uint8:
            return True
        if self.kind == "x":
            return dtype.itemsize == self.bytes
        if dtype.kind == "c":
            return self.kind == "f" and dtype.itemsize == 2 * self.bytes
        if dtype.itemsize != self.bytes:
            return False
        return dtype.kind == self.kind or "f" not in (dtype.kind, self.kind) or self.bytes == 2   # halves come as their bits, too


@attrs.frozen
class Declared:
    """A parameter as its author declared it."""

    name: str = ""
    """Empty: not known."""
    type: str = ""
    """As the source has it: ``const float *``; empty: not known."""
    element: Element | None = None
    """Of a pointer what it points to, else what the value is; None: not known, or bytes of any kind."""
    pointer: bool = False

    @property
    def constant(self) -> bool:
        """Whether what it points to is ``const``."""
        return "const" in self.type.rpartition("*")[0].split()

    def __str__(self) -> str:
        """Give type and name as in a declaration."""
        return f"{self.type}{'' if self.type.endswith('*') or not self.name else ' '}{self.name}"


def declared(symbol: str, name: str, source: str | None) -> tuple[Declared, ...]:
    """Say what is known of the parameters of a kernel; empty: nothing.

    symbol : as the compiler named it.
    name   : as its author did.
    source : C++ text, or None.
    """
    resolved = _of_symbol(symbol)
    written = list(_of_source(name.partition("<")[0].rpartition("::")[2], source or ""))
    if resolved is not None:
        written = [one for one in written if len(one) == len(resolved)]
    written = written[:1] if all(one == written[0] for one in written) else []
    if resolved is None:
        return tuple(_declared(called, type_) for called, type_ in written[0]) if written else ()
    names = written[0] if written else [("", type_) for type_ in map(_spelled, resolved)]
    return tuple(_declared(called, shown if read(shown) == read(true) else true) for (called, shown), true in zip(names, resolved, strict=True))


def _declared(name: str, type_: str) -> Declared:
    pointer, element = read(type_)
    return Declared(name, _spelled(type_), element, pointer)


def read(type_: str) -> tuple[bool, Element | None]:
    """Read a C++ type: whether it is a pointer, and what the value, or what it points to, is; None where that is not known."""
    bare = " ".join(_QUALIFIERS.sub(" ", type_).split())
    depth = bare.count("*")
    base = " ".join(bare.replace("*", " ").split())
    if "(" in bare or "&" in bare:
        return False, None
    if "[" in bare:
        return True, None
    if depth > 1:
        return True, Element("u", 8)
    if depth and _canonical(base) in _BYTES:
        return True, None
    return bool(depth), _element(base)


def _element(base: str) -> Element | None:
    if (known := _SCALARS.get(_canonical(base))) is not None:
        return Element(known[0], int(known[1]))
    if (vector := re.fullmatch(r"([a-z]+?)([1-4])", base)) and vector[1] in _LANES:
        kind = _LANES[vector[1]]
        return Element(kind[0], int(kind[1]), int(vector[2]))
    return None


def _canonical(base: str) -> str:
    """Write ``long unsigned`` as ``unsigned long``, ``unsigned`` as ``unsigned int``, ``long long int`` as ``long long``."""
    words = base.split()
    if not words or not all(word in _ORDER for word in words):
        return base
    words.sort(key=_ORDER.index)
    if "int" in words and {"short", "long"} & set(words):
        words.remove("int")
    if words[0] == "signed" and words[1:] != ["char"]:
        words.remove("signed")
    return " ".join(words if words and words != ["unsigned"] else [*words, "int"])


def _spelled(type_: str) -> str:
    """Spell a type as people do: ``const float *`` for ``float const*``, without what only compilers want to know."""
    text = " ".join(re.sub(r"\b(?:__restrict__|__restrict|__grid_constant__)\b", " ", type_).split())
    if "(" in text:
        return text
    text = re.sub(r"^((?:[\w:]+ )*?[\w:<>, ]+?) const\b", r"const \1", text)
    return re.sub(r"\s*\*\s*", " *", text).replace("* *", "**").strip()


# ---------------------------------------------------------------------------------------------------------------- symbols
def _of_symbol(symbol: str) -> list[str] | None:
    """List the types in a mangled name; None if there are none in it."""
    text = demangled(symbol)
    if text is None or not text.endswith(")"):
        return None
    depth = 0
    for start in range(len(text) - 1, -1, -1):
        depth += (text[start] == ")") - (text[start] == "(")
        if depth == 0:
            inside = text[start + 1:-1]
            return [] if inside in ("", "void") else list(_parted(inside))
    return None


# ----------------------------------------------------------------------------------------------------------------- source
def _of_source(name: str, source: str) -> Iterator[list[tuple[str, str]]]:
    """Give names and types of the parameters for each declaration of a kernel in a text."""
    if not name.isidentifier() or "__global__" not in source:
        return
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL)
    for match in re.finditer(rf"\b__global__\b[^;{{}}]*?\b{name}\s*\(", text):
        depth = 1
        for end in range(match.end(), len(text)):
            depth += (text[end] == "(") - (text[end] == ")")
            if depth == 0:
                inside = " ".join(text[match.end():end].split())
                yield [_parameter(part) for part in _parted(inside)] if inside not in ("", "void") else []
                break


def _parted(text: str) -> Iterator[str]:
    """Split at the commas that stand in no brackets."""
    depth, start = 0, 0
    for k, character in enumerate(text):
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and depth == 0:
            yield text[start:k].strip()
            start = k + 1
    yield text[start:].strip()


def _parameter(text: str) -> tuple[str, str]:
    """Part a parameter into name and type."""
    text = text.partition("=")[0].strip()
    match = re.fullmatch(r"(.*[\s*&>])(\w+)\s*((?:\[[^\]]*\])*)", text)
    if match is None or "(" in text or match[3].count("[") > 1 or match[2] in (*_ORDER, "signed"):    # without a name
        return "", _spelled(text)
    return match[2], _spelled(match[1] + "*" * bool(match[3]))
