"""Texture and surface references, as CUDA 11 and older have them: variables of the host without annotation, which kernels read by their name."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from archdef.programs.syntax import Edits, Item, Source

LAST_CUDA: Final = 11
"""The last CUDA that has them."""
_TYPE: Final = re.compile(rb"(?:::\s*)?(texture|surface)\s*<")
REGISTER: Final = """
extern "C" void __cudaRegisterTexture(void **, const struct textureReference *, const void **, const char *, int, int, int);
extern "C" void __cudaRegisterSurface(void **, const struct surfaceReference *, const void **, const char *, int, int);
template <typename T, int dimensions, enum cudaTextureReadMode mode>
static inline void archdef_refer(void **handle, const texture<T, dimensions, mode> &each, const char *name)
{
    __cudaRegisterTexture(handle, &each, nullptr, name, dimensions, mode == cudaReadModeNormalizedFloat, 0);
}
template <typename T, int dimensions>
static inline void archdef_refer(void **handle, const surface<T, dimensions> &each, const char *name)
{
    __cudaRegisterSurface(handle, &each, nullptr, name, dimensions, 0);
}
"""
"""What tells the runtime of one, by the type that it has."""


def is_reference(source: Source, item: Item) -> bool:
    """Whether a declaration is one of references; a class of the source's own may have the same name."""
    type_ = item.core.child_by_field_name("type")
    if item.kind != "variable" or item.in_class or type_ is None:
        return False
    name = _TYPE.match(source.text(type_))
    return name is not None and not any(name[1] in each.names for each in source.items if each.kind == "type")


def made_static(source: Source, items: Sequence[Item], edits: Edits) -> list[str]:
    """Keep references of several files apart, as CUDA does, and give their names, as ``&name`` finds them."""
    found = []
    for item in items:
        if is_reference(source, item) and b"extern" not in item.words:
            if b"static" not in item.words:
                edits.insert(item.core.start_byte, b"static ")
            found += ["::".join(["", *item.scope, name.decode()]) for name in sorted(source.declared(item.core))]
    return found


def without_modes(item: Item, edits: Edits) -> None:
    """Take the arguments of constructors away, which are for the host alone."""
    for declarator in item.core.children_by_field_name("declarator"):
        name = declarator.child_by_field_name("declarator")
        if name is not None:
            edits.replace(name.end_byte, declarator.end_byte)
