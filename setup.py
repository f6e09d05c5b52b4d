"""Build the compiled core: every ``ext/a/b/c.pyx`` becomes the extension module ``a.b.c``; and the stand-in for CUDA's libraries."""
import importlib.util
import os
import platform
import shutil
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).parent
EXT = Path("ext")

# Guest arithmetic is exact: no contraction of a multiply and an add that the guest keeps apart, no reordering.
# -fno-trapping-math and -fno-math-errno change no result; they let the compiler vectorise selects and square roots.
FLAGS = ["-O3", "-g0", "-std=gnu11", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wno-unused-function"]
# Masks of lanes and of warps are counted at every issue; numpy's own wheels need more than this.
FLAGS += ["-mpopcnt"] if platform.machine() in ("x86_64", "AMD64") and platform.system() != "Windows" else []


class BuildWithDeclarations(build_py):
    """Ship ``.pxd`` and ``.h`` files, so that a plugin can compile its own policy against the engine."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        for pattern in ("*.pxd", "*.h"):
            for declaration in (ROOT / EXT).rglob(pattern):
                target = Path(self.build_lib) / declaration.relative_to(ROOT / EXT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(declaration, target)


class BuildWithStandIn(build_ext):
    """Give the stand-in, which is no module of Python, a name that Python does not take for one."""

    def get_ext_filename(self, fullname):
        found = super().get_ext_filename(fullname)
        return os.path.join(os.path.dirname(found), "libstandin.so.1") if fullname.rpartition(".")[2] == "standin" else found


class SourceWithDeclarations(sdist):
    """Put all of ``ext/`` into a source distribution, not only the sources of the extension modules."""

    def add_defaults(self):
        super().add_defaults()
        self.filelist.extend(str(p) for pattern in ("*.h", "*.pxd", "*.pxi", "*.pyx", "standin/*.c", "standin/*.py") for p in EXT.rglob(pattern))


def extensions():
    headers = sorted(str(p) for p in EXT.rglob("*.h"))
    for source in sorted(EXT.rglob("*.pyx")):
        name = ".".join(source.relative_to(EXT).with_suffix("").parts)
        yield Extension(name, [str(source)], include_dirs=[str(EXT)], depends=headers,
                        extra_compile_args=FLAGS, libraries=[] if platform.system() == "Windows" else ["m"])


def writer(name):
    """A module that writes a header of the stand-in."""
    found = importlib.util.spec_from_file_location(name, EXT / "standin" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def stand_in():
    """The library that foreign programs load in place of libcuda and libcudart; it uses registers and ELF as x86-64 Linux has them."""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64"):
        return []
    exports, runtimes = writer("exports"), writer("runtimes")
    folder = Path("build") / "standin"
    folder.mkdir(parents=True, exist_ok=True)
    names = Path("archdef") / "exec" / "functions.txt"
    functions = sorted(names.read_text(encoding="ascii").split())
    (folder / "exports.h").write_text(exports.header(functions), encoding="ascii")
    layouts = Path("archdef") / "exec" / "static_runtimes.txt"
    (folder / "static_runtimes.h").write_text(runtimes.header(runtimes.read(layouts.read_text(encoding="ascii")), functions), encoding="ascii")
    libraries = Path("archdef") / "exec" / "sonames.txt"
    script = folder / "versions.map"
    script.write_text(exports.versions(libraries.read_text(encoding="ascii").split()), encoding="ascii")
    sources = [str(EXT / "standin" / name) for name in ("standin.c", "nvrtc.c", "nvjitlink.c", "runtimes.c")]
    read = [str(names), str(libraries), str(layouts), *(str(EXT / "standin" / name) for name in ("exports.py", "runtimes.py", "compilers.h", "runtimes.h"))]
    return [Extension("archdef.exec.standin", sources, include_dirs=[str(folder)], libraries=["pthread", "dl"], depends=read,
                      extra_compile_args=["-O2", "-g0", "-std=gnu11"], extra_link_args=["-Wl,-z,initfirst", f"-Wl,--version-script={script}"])]


setup(
    ext_modules=stand_in() + cythonize(
        list(extensions()), include_path=[str(EXT)], nthreads=os.cpu_count() or 1,
        compiler_directives=dict(language_level=3, boundscheck=False, wraparound=False, cdivision=True,
                                 initializedcheck=False, embedsignature=True)),
    options={"build_ext": {"parallel": os.cpu_count()}},
    cmdclass={"build_ext": BuildWithStandIn, "build_py": BuildWithDeclarations, "sdist": SourceWithDeclarations},
)
