"""Is a CUDA runtime found whose symbols were stripped: by its code, if it is a known one, and never another?

The runtimes here are made by the C compiler, and the stand-in is compiled with a table of them. NVIDIA's archive is tried where a wheel has brought it.
"""
import importlib.metadata
import importlib.util
import platform
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from guest_kernels import COMPILER
from runtime_layouts import ARCHIVE, TABLE, layout
from runtimes import UNIT, WINDOW_BYTES, by_version, header, read, written
from test_foreign_programs import run

from archdef import registry
from archdef.exec.calls import NAMES
from archdef.exec.server import stand_in

EXT = Path(__file__).parents[2] / "ext" / "standin"
MACHINE = next((name for name in ("gt200", "v100") if name in registry.names()), None)
TOOLS = COMPILER and shutil.which("ar") and shutil.which("strip") and shutil.which("objcopy")
NEEDS = pytest.mark.skipif(MACHINE is None or not TOOLS or (platform.system(), platform.machine()) != ("Linux", "x86_64"),
                           reason="needs a plugin of this repository, a C compiler and binutils, on Linux on x86-64")
RUNTIME = [name for name in NAMES if name.startswith(("cuda", "__cuda"))]
HEAD = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
int calls_what_runtimes_call(void) { dlvsym(RTLD_DEFAULT, "", ""); nftw("", 0, 0, 0); shm_unlink(""); return get_nprocs(); }
"""
FINDER = """#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtimes.c"

/* Says which runtime each file has, and where. Behind a file lies nothing that may be read. */
int main(int count, char **arguments)
{
    for (int k = 1; k < count; ++k) {
        struct stat is;
        struct found_runtime found;
        int descriptor = open(arguments[k], O_RDONLY);
        if (descriptor < 0 || fstat(descriptor, &is))
            return 2;
        const size_t bytes = (is.st_size + 4095) / 4096 * 4096;
        uint8_t *room = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *file = room + bytes - is.st_size;
        if (room == MAP_FAILED || read(descriptor, file, is.st_size) != is.st_size || mprotect(room + bytes, 4096, PROT_NONE))
            return 2;
        if (standin_find_runtime(file, is.st_size, &found))
            printf("%d %lu\\n", (int)(found.runtime - static_runtimes), (unsigned long)found.text);
        else
            puts("none");
        munmap(room, bytes + 4096);
        close(descriptor);
    }
    return 0;
}
"""


def archive(folder, name, before=0):
    """A runtime of which every function ends the program: `before` bytes of code lie before the first, and all constants hang on it."""
    def body(k):
        return "".join(f" a {'^+'[j % 2]}= {(k * 8 + j) * 40503 + before:#x}u;" for j in range(8))
    source = HEAD + f'__asm__(".text\\n.zero {before}\\n");\n' + "".join(
        f"__attribute__((aligned({UNIT}))) int {f}(void) {{ volatile unsigned a = {k};{body(k)} abort(); }}\n" for k, f in enumerate(RUNTIME))
    (folder / f"{name}.c").write_text(source)
    subprocess.run([COMPILER, "-O1", "-w", "-fPIC", "-fvisibility=hidden", "-fno-toplevel-reorder", "-fno-reorder-functions", "-c", "-o", folder / f"{name}.o",
                    folder / f"{name}.c"], check=True)
    subprocess.run(["ar", "rcs", folder / f"{name}.a", folder / f"{name}.o"], check=True)
    return folder / f"{name}.a"


def compiled(folder, table, *arguments):
    """Compile C with the headers that the stand-in is built with, but for its table of runtimes."""
    spec = importlib.util.spec_from_file_location("exports", EXT / "exports.py")
    exports = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(exports)
    (folder / "exports.h").write_text(exports.header(list(NAMES)))
    (folder / "static_runtimes.h").write_text(header(table, list(NAMES)))
    subprocess.run([COMPILER, "-O1", "-std=gnu11", f"-I{folder}", f"-I{EXT}", *arguments], check=True)


class Made:
    """Two runtimes, what is known of them, and a stand-in that knows them."""

    def __init__(self, folder):
        self.archives = {"12.1.0": archive(folder, "twelve"), "13.2.0": archive(folder, "thirteen", 1200)}
        self.table = by_version([layout(path.read_bytes(), version, "made", set(NAMES)) for version, path in self.archives.items()])
        self.stand_in = folder / "libstandin.so.1"
        compiled(folder, self.table, "-shared", "-fPIC", "-Wl,-z,initfirst", "-o", self.stand_in,
                 *(EXT / name for name in ("standin.c", "nvrtc.c", "nvjitlink.c", "runtimes.c")), "-lpthread", "-ldl")
        (folder / "finder.c").write_text(FINDER)
        self.finder = folder / "finder"
        compiled(folder, self.table, "-o", self.finder, folder / "finder.c")

    def found(self, *files):
        """What is found in files: the version and where, or None."""
        lines = subprocess.run([self.finder, *files], check=True, capture_output=True, text=True).stdout.splitlines()
        return [None if line == "none" else (self.table[int(line.split()[0])].versions[0], int(line.split()[1])) for line in lines]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return Made(tmp_path_factory.mktemp("runtimes"))


@pytest.fixture
def known(made, monkeypatch):
    monkeypatch.setattr("archdef.exec.server.stand_in", lambda: made.stand_in)
    return made


def stripped(program, out, how="--strip-all"):
    """A copy without symbols; ``sections``: without a table of sections, too."""
    subprocess.run(["strip", *([how] if how.startswith("--") else []), "-o", out, program], check=True)
    if how == "sections":
        data = bytearray(out.read_bytes())
        struct.pack_into("<Q", data, 40, 0)
        struct.pack_into("<HH", data, 60, 0, 0)
        out.write_bytes(data)
    return out


@NEEDS
@pytest.mark.parametrize("how", ["--strip-all", "--strip-unneeded", "sections"])
@pytest.mark.parametrize("version", ["12.1.0", "13.2.0"])
def test_a_stripped_program_runs(build, known, version, how, tmp_path):
    program = stripped(build("vector_add", "static", archive=known.archives[version]), tmp_path / "program", how)
    found, printed = run([str(program), "300"], MACHINE, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.failures == () and found.launches == 1


@NEEDS
@pytest.mark.parametrize("how", ["loaded", "needed"])
def test_a_stripped_library_runs(build, known, how, tmp_path):
    program = Path(build("vector_add", how, archive=known.archives["13.2.0"]))
    library = program.with_name("libpart.so")
    stripped(library, library, "--strip-unneeded")
    found, printed = run([str(program), "300"], MACHINE, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.launches == 1


@NEEDS
@pytest.mark.parametrize("version", ["12.1.0", "13.2.0"])
def test_its_version_is_that_of_the_runtime_that_is_found(known, version, tmp_path):
    (tmp_path / "program.c").write_text("""#include <stdio.h>
int cudaRuntimeGetVersion(int *);
int main(void) { int version = 0; printf("%d ", cudaRuntimeGetVersion(&version)); printf("%d\\n", version); return 0; }
""")
    subprocess.run([COMPILER, "-s", "-o", tmp_path / "program", tmp_path / "program.c", known.archives[version], "-ldl", "-lrt"], check=True)
    assert run([str(tmp_path / "program")], MACHINE, tmp_path)[1] == f"0 {version.split('.')[0]}000\n"


@NEEDS
def test_a_program_whose_runtime_is_not_known_keeps_it(build, known, tmp_path):
    other = archive(tmp_path, "other", 336)
    program = stripped(build("vector_add", "static", archive=other), tmp_path / "program")
    found, printed = run([str(program), "300"], MACHINE, tmp_path)
    assert printed == "" and found.exit_code == -6 and found.launches == 0      # its functions end the program


@NEEDS
def test_what_such_a_runtime_asks_the_driver_for_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "libcuda.so.1").symlink_to(stand_in())
    (tmp_path / "program.c").write_text("int cuGetExportTable(const void **, const void *);\n"
                                        'int main(void) { const void *table; return cuGetExportTable(&table, "sixteen bytes...") != 500; }\n')
    subprocess.run([COMPILER, "-o", tmp_path / "program", tmp_path / "program.c", "-L", tmp_path, "-l:libcuda.so.1"], check=True)
    found, _ = run([str(tmp_path / "program")], MACHINE, tmp_path)
    (why,) = found.failures
    assert found.exit_code == 0 and "symbols were stripped" in why and "--cudart shared" in why
    assert all(version in why for each in read(TABLE.read_text(encoding="ascii")) for version in each.versions)


@NEEDS
def test_wherever_code_differs_it_is_not_found(build, made, tmp_path):
    for runtime in made.table:
        version = runtime.versions[0]
        data = stripped(build("vector_add", "static", archive=made.archives[version]), tmp_path / "program").read_bytes()
        (found, text), = made.found(tmp_path / "program")
        assert found == version
        start = next(offset + text - address for kind, _, offset, address, size in loaded(data) if address <= text < address + size)
        windows = [start + UNIT * (place + window) for place, window in runtime.functions.values() if window is not None]
        assert len(windows) > 0.9 * len(RUNTIME)
        changed = []
        for k, window in enumerate(random.Random(1).sample(windows, 40)):
            other = bytearray(data)
            other[window + k % WINDOW_BYTES] ^= 1 << k % 8
            changed.append(tmp_path / f"changed{k}")
            changed[-1].write_bytes(other)
        assert made.found(*changed) == [None] * 40


def loaded(data):
    """The segments of a program that are loaded, with their type and flags."""
    start, = struct.unpack_from("<Q", data, 32)
    for k in range(struct.unpack_from("<H", data, 56)[0]):
        kind, flags, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, start + 56 * k)
        if kind == 1:
            yield kind, flags, offset, address, size


@NEEDS
def test_a_file_that_is_damaged_harms_nothing(build, made, tmp_path):
    data = stripped(build("vector_add", "static", archive=made.archives["12.1.0"]), tmp_path / "program").read_bytes()
    chosen, files = random.Random(2), []
    headers = struct.unpack_from("<Q", data, 32)[0]
    for k in range(300):
        other = bytearray(data[:chosen.choice((len(data), chosen.randrange(1, len(data)), chosen.randrange(1, 900)))])
        for _ in range(chosen.randrange(6)):        # words of the header and of the table of segments
            place = chosen.choice((32, 54, 56, headers + 8 * chosen.randrange(7 * 13)))
            if place + 8 <= len(other):
                other[place:place + 8] = chosen.choice((b"\xff" * 8, bytes(8), chosen.randbytes(8), struct.pack("<Q", chosen.randrange(2 * len(data)))))
        files.append(tmp_path / f"damaged{k}")
        files[-1].write_bytes(other)
    found = made.found(*files)
    assert len(found) == 300 and found.count(None) > 100


@NEEDS
@pytest.mark.parametrize("source, why", [
    ("int cudaFree(void) { return 0; }\n", "does not call dlvsym, get_nprocs, nftw, shm_unlink"),
    (HEAD + '__attribute__((section(".elsewhere"))) int cudaFree(void) { abort(); }\n', "cudaFree does not lie in .text"),
    (HEAD, "no function has code that there is once only")])
def test_what_is_made_otherwise_than_runtimes_gets_no_table(source, why, tmp_path):
    (tmp_path / "one.c").write_text(source)
    subprocess.run([COMPILER, "-O1", "-w", "-falign-functions=16", "-c", "-o", tmp_path / "one.o", tmp_path / "one.c"], check=True)
    subprocess.run(["ar", "rcs", tmp_path / "one.a", tmp_path / "one.o"], check=True)
    with pytest.raises(ValueError, match=why):
        layout((tmp_path / "one.a").read_bytes(), "12.0.0", "made", set(NAMES))


@NEEDS
def test_versions_with_the_same_code_are_one_runtime(made):
    twice = [*made.table, made.table[0]._replace(versions=("12.1.7",))]
    found = by_version(twice)
    assert [each.versions for each in found] == [("12.1.0", "12.1.7"), ("13.2.0",)] and found[0].functions == made.table[0].functions


def test_the_table_says_the_same_when_it_is_written_again():
    text = TABLE.read_text(encoding="ascii")
    table = read(text)
    versions = [version for each in table for version in each.versions]
    assert written(by_version(table)) == text and len(set(versions)) == len(versions) > 10
    assert all(each.functions.keys() <= set(NAMES) and len(each.functions) > 300 for each in table)


def nvidias():
    """Archives of NVIDIA that wheels have brought: version → path."""
    for package in ("nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"):
        try:
            wheel = importlib.metadata.distribution(package)
        except importlib.metadata.PackageNotFoundError:
            continue
        yield from ((wheel.version, Path(wheel.locate_file(path))) for path in wheel.files or () if path.name == ARCHIVE)


KNOWN = {version: each for each in read(TABLE.read_text(encoding="ascii")) for version in each.versions}
HERE = {version: path for version, path in nvidias() if version in KNOWN}


@NEEDS
@pytest.mark.skipif(not HERE, reason=f"no installed wheel has {ARCHIVE} of a version in the table")
@pytest.mark.parametrize("how", ["static", "loaded"])
@pytest.mark.parametrize("version", HERE)
def test_nvidias_runtime_is_found(build, version, how, tmp_path):
    assert layout(HERE[version].read_bytes(), version, "", set(NAMES)).is_same(KNOWN[version])
    program = Path(build("vector_add", how, archive=HERE[version]))
    for file in (program, program.with_name("libpart.so")):
        if file.exists():
            stripped(file, tmp_path / file.name)
    found, printed = run([str(tmp_path / program.name), "300"], MACHINE, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.launches == 1
