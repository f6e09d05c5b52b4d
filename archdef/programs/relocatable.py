"""Device code of several files that is linked when the program starts (``-rdc=true``): the object by which all of it is registered at once."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from archdef.errors import CompileError
from archdef.programs.linking import call

REGISTER: Final = "archdef_register_part"
_BY_CLANG: Final = re.compile(rb"__cudaRegisterLinkedBinary__nv_[0-9a-f]+")
"""What each of clang's objects calls, by a name of its own; nvcc's do so by other names, which nvcc defines as it links."""
_LIBRARY: Final = ".a"
_ARCHIVE, _HEADER, _SIZE, _OBJECT = b"!<arch>\n", 60, slice(48, 58), b"\x7fELF"
"""How a static library begins, the bytes in front of each of its objects, where among these its size stands, and how an object begins."""
_LINKED: Final = re.compile(rb"archdef links (\d+) parts")
"""What the object says by which they are registered."""
_TEXT: Final = """#include <stdlib.h>
const char archdef_parts_linked[] = "archdef links NUMBER parts";
typedef void (*callback)(void **);
typedef struct { int magic, version; const void *data, *parts; } wrapper;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
enum { COUNT = NUMBER };
static const void *parts[COUNT + 1];
static callback callbacks[COUNT];
static wrapper whole = {0x466243b1, 2, 0, parts};
static void **handle;
static int have;
static void end(void) { __cudaUnregisterFatBinary(handle); }
void archdef_register_part(callback tell, const wrapper *part)
{
    parts[have] = part->data;
    callbacks[have++] = tell;
    if (have < COUNT)
        return;
    whole.data = parts[0];
    handle = __cudaRegisterFatBinary(&whole);
    for (int each = 0; each < COUNT; each++)
        callbacks[each](handle);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(end);
}
"""


def is_part(path: Path) -> bool:
    """Say whether an object, or one in a static library, has device code that is linked with that of others, made by NVRTC or by clang."""
    return any(map(_is_part, _objects(path)))


def opened(files: Sequence[Path], folder: Path) -> list[Path]:
    """Put the objects of static libraries with such device code in place of these: all are linked, as only those that start tell what they have."""
    found: list[Path] = []
    for path in files:
        if path.suffix == _LIBRARY and is_part(path):
            for data in _objects(path):
                found.append(folder / f"{path.stem}.{len(found)}.o")
                found[-1].write_bytes(data)
        else:
            found.append(path)
    return found


def libraries(names: Sequence[str], folders: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Tell static libraries with such device code apart from others: gives the names of others, and where those are."""
    others, found = [], []
    for name in names:
        place = next((Path(folder) for folder in folders if any((Path(folder) / f"lib{name}{suffix}").is_file() for suffix in (".so", _LIBRARY))), None)
        path = place / f"lib{name}{_LIBRARY}" if place is not None and not (place / f"lib{name}.so").is_file() else None
        if path is not None and is_part(path):
            found.append(path)
        else:
            others.append(name)
    return others, found


def _is_part(data: bytes) -> bool:
    return (REGISTER.encode() in data or _BY_CLANG.search(data) is not None) and not _LINKED.search(data)


def _objects(path: Path) -> Iterator[bytes]:
    """Give the objects of a file: itself, or those that a static library holds."""
    if path.suffix not in (".o", _LIBRARY):
        return
    data = path.read_bytes()
    if path.suffix == ".o" or not data.startswith(_ARCHIVE):
        yield data
        return
    at = len(_ARCHIVE)
    while at + _HEADER <= len(data) and data[at + _SIZE.start:at + _SIZE.stop].strip().isdigit():
        begin, size = at + _HEADER, int(data[at + _SIZE.start:at + _SIZE.stop])
        if data.startswith(_OBJECT, begin):     # and no table of names
            yield data[begin:begin + size]
        at = begin + size + size % 2


def is_registered(objects: Sequence[Path], parts: Sequence[Path]) -> bool:
    """Say whether one of the objects is that of `registration`. Raises CompileError if it is that of other parts."""
    found = [int(said[1]) for each in objects if each.suffix == ".o" and (said := _LINKED.search(each.read_bytes()))]
    if found and found != [len(parts)]:
        raise CompileError(f"{len(parts)} objects with device code, and -dlink has linked {' and '.join(map(str, found))}: give it all of them, once")
    return bool(found)


def registration(compiler: str, objects: Sequence[Path], folder: Path) -> Path:
    """Write the object that the `objects` with device code tell what they have; when all did, the runtime gets it as one. Raises CompileError."""
    names = sorted({found.decode() for each in objects for found in _BY_CLANG.findall(each.read_bytes())})
    text = _TEXT.replace("NUMBER", str(len(objects)))
    text += "".join(f'void {name}(callback, const wrapper *, void *, void *) __attribute__((alias("{REGISTER}")));\n' for name in names)
    (folder / "parts.c").write_text(text, encoding="ascii")
    call([compiler, "-x", "c", "-c", "-w", "-fPIC", "-o", str(folder / "parts.o"), str(folder / "parts.c")], "what registers device code does not compile")
    return folder / "parts.o"
