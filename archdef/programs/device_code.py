"""The device's half of a CUDA source: kernels, and all that they mention."""
from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from archdef.frontends import standard_headers
from archdef.programs import maca, references
from archdef.programs.syntax import WORD, Edits, Item, Source

if TYPE_CHECKING:
    from tree_sitter import Node

_STDINT: Final = {"stdint.h": re.sub(r"(?<=[0-9#U])LL\b", "L", standard_headers.HEADERS["stdint.h"].replace("long long", "long"))}
_WITH_TYPES: Final = ("cuda/std/cstdint", "cuda/std/__cuda/cstdint_prelude.h", "cuda_pipeline_helpers.h", "cuda_awbarrier_helpers.h")
"""Headers of CUDA that define the types for NVRTC."""
_ALL_OF_CUB: Final = "cub/cub.cuh"
_PARTS_OF_KERNELS: Final = ("block", "warp")
"""Folders of CUB for kernels; what hosts call beside them NVRTC refuses."""
_OF_THE_HOSTS_CXX: Final = re.compile(r"^\s*#\s*include\s*<[a-z_]+>", re.MULTILINE)
_HOST_ONLY: Final = ("cuda_runtime.h", "cuda_runtime_api.h", "cuda.h", "cuda_profiler_api.h", "cudaProfiler.h", "driver_types.h", "nvToolsExt.h",
                     "nvrtc.h")
"""Headers of CUDA that declare what hosts call; what they have for devices is built into NVRTC."""
_OF_HOST_LIBRARIES: Final = ("cublas", "cusparse", "cusolver")
"""Headers begin so that declare what hosts call; kernels know numbers by them."""
_OF_THE_RUNTIME: Final = re.compile(r"<<<|\bcuda[A-Z]\w*\s*\(")
_RUNTIME: Final = "#if __has_include(<cuda_device_runtime_api.h>)\n#include <cuda_device_runtime_api.h>\n#endif\n"
"""What kernels call to launch others; newer NVRTC know no launch without it."""
_IMPLIED: Final = {"limits.h": re.compile(r"\b(?:CHAR_BIT|(?:[SU]?CHAR|U?(?:SHRT|INT|L?LONG))_M(?:IN|AX))\b"),
                   "math.h": re.compile(r"\b(?:M_\w+|INFINITY|NAN)\b"),
                   "stdlib.h": re.compile(r"\b(?:u(?:short|int|long)|u_char|u?int\d+_t|EXIT_\w+)\b")}
"""Headers that ``cuda_runtime.h`` includes → names of them that sources use without a word of the header; C++ libraries of CUDA define some, too."""
_DEPRECATED: Final = "#pragma nv_diag_suppress 1215\n"
"""CUDA calls functions deprecated that read references."""
_USED: Final = re.compile(rb"using\s+namespace\s+(std::[\w:]+)\s*;")
_KEPT: Final = {b"virtual", b"constexpr", b"consteval"}


def device_code(source: Source, instances: str) -> str:
    """Take away what only hosts execute, and types, constants and names that nothing on the device mentions.

    instances : directives that instantiate templates of kernels; they are written behind the code.
    """
    edits = Edits(source.data)
    kept = _needed(source, set(WORD.findall(instances.encode())))
    for item in source.items:
        if item not in kept:
            edits.replace(item.node.start_byte, item.node.end_byte)
            continue
        for member in _hidden_members(item):
            edits.replace(member.node.start_byte, member.node.end_byte)
        if references.is_reference(source, item):
            references.without_modes(item, edits)
        if "managed" in item.spaces and b"static" in item.words:
            _show(source, item, edits)
    for literal in source.every("compound_literal_expression"):
        _make_standard(source, literal, edits)
    code = edits.apply()
    return _before(source, kept, code) + code + instances


def _show(source: Source, item: Item, edits: Edits) -> None:
    """Have a static variable stay, though no kernel uses it: the host finds it by its name."""
    for child in item.core.children:
        if child.type == "storage_class_specifier" and source.text(child) == b"static":
            edits.replace(child.start_byte, child.end_byte)


def headers(folders: Sequence[Path]) -> dict[str, str]:
    """Give headers that come before the toolkit's: names of kernels hold the types of their parameters, so 64-bit integers are ``long``, as the host's
    headers have them on Linux."""
    found = dict(_STDINT)
    for name in _WITH_TYPES:
        if path := next((folder / name for folder in folders if (folder / name).is_file()), None):
            found[name] = re.sub(r"(?<=signed )long long(?=\s+u?int64_t\b|;)", "long", path.read_text(encoding="utf-8"))
    for folder in folders:
        if (folder / _ALL_OF_CUB).is_file():
            of_kernels = sorted(path for part in _PARTS_OF_KERNELS for path in (folder / "cub" / part).glob("*.cuh")
                                if not _OF_THE_HOSTS_CXX.search(path.read_text(encoding="utf-8")))
            found[_ALL_OF_CUB] = "#pragma once\n" + "".join(f"#include <{path.relative_to(folder)}>\n" for path in of_kernels)
    return found


def header(name: str, folders: tuple[Path, ...]) -> str | None:
    """Give the directive for a header of the system that devices can include; None for those of hosts."""
    inside = name[1:-1]
    if inside in _HOST_ONLY or inside.startswith(("thrust/", "nvtx3/")):
        return None
    if inside == "curand.h" or inside.startswith(_OF_HOST_LIBRARIES):
        return "#include <cuComplex.h>"
    if maca.is_half(inside) or inside in standard_headers.HEADERS or any((folder / inside).is_file() for folder in folders):
        return f"#include {name}"
    return None


def _before(source: Source, kept: set[Item], code: str) -> str:
    """Give what stands before the code: what the host's compiler has without a word of it."""
    parts = [f"#include <{name}>\n" for name, said in _IMPLIED.items() if said.search(code)]
    if any(references.is_reference(source, item) for item in kept):
        parts.append(_DEPRECATED)
    used = sorted({match[1].decode() for item in kept if (match := _USED.match(source.text(item.core)))})
    parts += ["namespace std {}\n", *(f"namespace {name} {{}}\n" for name in used)]
    if _OF_THE_RUNTIME.search(code):
        parts.append(_RUNTIME)
    return "".join(parts)


def _make_standard(source: Source, literal: Node, edits: Edits) -> None:
    """Write ``(Type){…}``, which is GNU's, as ``Type{…}``, which NVRTC knows too; types of more than a name stay."""
    opening = literal.children[0]
    type_, value = literal.child_by_field_name("type"), literal.child_by_field_name("value")
    if opening.type == "(" and type_ is not None and value is not None and len(type_.children) == 1:
        edits.replace(opening.start_byte, opening.end_byte)
        edits.replace(type_.end_byte, value.start_byte)


def _needed(source: Source, said: set[bytes]) -> set[Item]:
    """Find what is for the device by its annotations, then again and again what that mentions."""
    kept = {item for item in source.items if item.on_device or _says_device(source, item) or references.is_reference(source, item)}
    for item in kept:
        said |= _mentions(source, item)
    rest = [item for item in source.items if item not in kept and _may_be_mentioned(source, item)]
    while found := [item for item in rest if item.names & said or (item.core.type == "using_declaration" and b"namespace" in source.words(
            item.node.start_byte, item.node.end_byte) and item not in kept)]:
        kept.update(found)
        rest = [item for item in rest if item not in kept]
        for item in found:
            said |= _mentions(source, item)
    return kept


def _says_device(source: Source, item: Item) -> bool:
    """Whether a template is instantiated for a kernel, or what could not be understood speaks of the device."""
    if item.core.type == "ERROR" or item.node.type == "template_instantiation":
        return bool(source.words(item.node.start_byte, item.node.end_byte) & {b"__global__", b"__device__"})
    return False


def _may_be_mentioned(source: Source, item: Item) -> bool:
    """Whether an item without annotation can be of use on the device."""
    if item.kind in ("function", "prototype"):
        return b"constexpr" in item.words
    if item.kind == "variable":
        return bool(item.words & {b"const", b"constexpr"}) or _defines_a_type(item)
    return item.kind == "type" or item.core.type in ("using_declaration", "namespace_alias_definition", "concept_definition", "template_instantiation")


def _defines_a_type(item: Item) -> bool:
    type_ = item.core.child_by_field_name("type")
    return type_ is not None and type_.type.endswith("_specifier") and type_.child_by_field_name("body") is not None


def _hidden_members(item: Item) -> list[Item]:
    """List functions of a class that only hosts execute."""
    found = []
    for member in item.members:
        if member.members:
            found += _hidden_members(member)
        elif member.kind in ("function", "prototype") and not member.on_device and not member.words & _KEPT and not _is_implicit(member):
            found.append(member)
    return found


def _is_implicit(member: Item) -> bool:
    return any(child.type in ("default_method_clause", "delete_method_clause", "pure_virtual_clause") for child in member.core.children)


def _mentions(source: Source, item: Item) -> set[bytes]:
    found, at = set(), item.node.start_byte
    for member in sorted(_hidden_members(item), key=lambda each: each.node.start_byte):
        found |= source.words(at, max(at, member.node.start_byte))
        at = max(at, member.node.end_byte)
    return found | source.words(at, item.node.end_byte)
