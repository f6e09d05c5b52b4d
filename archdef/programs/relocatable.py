"""Device code of several files that is linked when the program starts (``-rdc=true``): the object by which all of it is registered at once."""
from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from archdef.programs.linking import call

REGISTER: Final = "archdef_register_part"
_BY_CLANG: Final = re.compile(rb"__cudaRegisterLinkedBinary__nv_[0-9a-f]+")
"""What each of clang's objects calls, by a name of its own; nvcc's do so by other names, which nvcc defines as it links."""
_TEXT: Final = """#include <stdlib.h>
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
    """Say whether an object has device code that is linked with that of others, made by NVRTC or by clang."""
    return path.suffix == ".o" and (REGISTER.encode() in (data := path.read_bytes()) or _BY_CLANG.search(data) is not None)


def registration(compiler: str, objects: Sequence[Path], folder: Path) -> Path:
    """Write the object that the `objects` with device code tell what they have; when all did, the runtime gets it as one. Raises CompileError."""
    names = sorted({found.decode() for each in objects for found in _BY_CLANG.findall(each.read_bytes())})
    text = _TEXT.replace("NUMBER", str(len(objects)))
    text += "".join(f'void {name}(callback, const wrapper *, void *, void *) __attribute__((alias("{REGISTER}")));\n' for name in names)
    (folder / "parts.c").write_text(text, encoding="ascii")
    call([compiler, "-x", "c", "-c", "-w", "-fPIC", "-o", str(folder / "parts.o"), str(folder / "parts.c")], "what registers device code does not compile")
    return folder / "parts.o"
