"""Programs as a compiler of CUDA makes them, made by the C compiler alone."""
import subprocess
import sys
from pathlib import Path

import pytest

from archdef.exec.calls import NAMES
from archdef.exec.server import NotHere, stand_in

sys.path.insert(0, str(Path(__file__).parent))
from guest_kernels import CODE, COMPILER

PROGRAMS = Path(__file__).parent / "programs"


def code(data: bytes) -> str:
    """Device code as C."""
    return f"const unsigned char device_code[] __attribute__((aligned(8))) = {{{', '.join(map(str, data))}}};\n"


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """What compiles a program of the folder: ``build(name, how, fat binary, macros)``; how: ``shared`` or ``static``, as the runtime is
    linked, ``driver`` to link with the driver, too, ``loaded`` or ``needed`` to have it all in a library with a runtime of its own. ``archive``: a runtime
    to be linked in place of the one that is written here."""
    if COMPILER is None:
        pytest.skip("no C compiler")
    try:
        library = stand_in()
    except NotHere as reason:
        pytest.skip(str(reason))
    folder = tmp_path_factory.mktemp("programs")
    for linked_as in ("libcudart.so.12", "libcuda.so.1"):
        (folder / linked_as).symlink_to(library)
    known = {}

    def compiled(name, how="shared", fat=CODE, defined=(), archive=None):
        if (name, how, fat, defined, archive) not in known:
            place = folder / f"{name}{len(known)}"
            place.mkdir()
            (place / "code.c").write_text(code(fat))
            sources = [PROGRAMS / f"{name}.c", place / "code.c"]
            linked = ["-L", folder, "-l:libcudart.so.12", *(["-l:libcuda.so.1"] if how == "driver" else [])]
            if how == "static":     # a runtime of which every function ends the program: none of them may be reached
                (place / "runtime.c").write_text("#include <stdlib.h>\n" + "".join(
                    f"__attribute__((noinline)) int {f}(void) {{ abort(); return {k}; }}\n" for k, f in enumerate(NAMES) if f.startswith(("cuda", "__cuda"))))
                sources, linked = [*sources, archive or place / "runtime.c"], ["-ldl", "-lrt"]
            if how in ("loaded", "needed"):     # the same, hidden in a library, whose constructors register the device code
                (place / "runtime.c").write_text("#include <stdlib.h>\n" + "".join(
                    f"__attribute__((noinline, visibility(\"hidden\"))) int {f}(void) {{ abort(); return {k}; }}\n"
                    for k, f in enumerate(NAMES) if f.startswith(("cuda", "__cuda"))))
                subprocess.run([COMPILER, "-O1", "-w", "-shared", "-fPIC", "-fno-ipa-pure-const", "-fno-ipa-cp", "-fno-inline", "-Dmain=part", "-o",
                                place / "libpart.so", *sources, archive or place / "runtime.c", "-ldl", "-lrt", f"-I{PROGRAMS}"], check=True)
                sources, linked = [PROGRAMS / f"{how}.c"], ["-ldl"] if how == "loaded" else [place / "libpart.so", f"-Wl,-rpath,{place}"]
            # without builtins, so that no call is taken for one that does not return
            flags = [*(f"-D{each}" for each in defined), "-O1", "-w", "-fno-ipa-pure-const", "-fno-ipa-cp", "-fno-inline", "-pthread"]
            subprocess.run([COMPILER, *flags, "-o", place / name, *sources, *linked, f"-I{PROGRAMS}"], check=True)
            known[name, how, fat, defined, archive] = place / name
        return str(known[name, how, fat, defined, archive])
    return compiled
