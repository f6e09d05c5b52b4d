"""CUDA C++ to PTX through NVRTC, called by ctypes from its wheel: no GPU, driver or toolkit takes part."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import attrs

from archdef.errors import CompileError
from archdef.frontends import cache, source, standard_headers
from archdef.frontends.hostcode import host_code
from archdef.frontends.includes import user_files
from archdef.frontends.options import Compiled, Interface, Options

INSTALL = ("NVRTC is not installed; 'pip install archdef[cuda]' brings it as wheels "
           "(no GPU, driver or CUDA toolkit needed)")
# Sub-folders of the `nvidia` namespace package, by wheel generation: library, headers, C++ library's headers, nvcc's (mma.h needs them), those of libraries.
_LAYOUTS = (("cuda_nvrtc/lib", "cuda_runtime/include", "cuda_cccl/include", "cuda_nvcc/include", "cuda_nvrtc/include",
             *(f"{name}/include" for name in ("cublas", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nvtx"))),
            ("cu13/lib", "cu13/include", "cu13/include/cccl", "cudnn/include"))
_EXTRAS = {"crt/": "ptxas", "cuda/": "thrust", "thrust/": "thrust", "cub/": "thrust"}
"""What names of headers begin with that come in wheels of their own → the extra that brings them beside CUDA 11; those of CUDA 12 have the last three."""
_SUCCESS = 0
_POSTPROCESSING = "5"  # part of the cache key: count up when the standard headers change, or what is done to NVRTC's output


@attrs.frozen
class Toolchain:
    """One NVRTC library with the headers that go with it."""

    library: Path
    include: tuple[Path, ...]
    """Folders of headers."""
    version: tuple[int, int]
    targets: tuple[int, ...]
    """Virtual architectures that it compiles for, ascending: 35 for ``compute_35``."""

    def __str__(self) -> str:
        return f"NVRTC {self.version[0]}.{self.version[1]}"


def toolchain() -> Toolchain | None:
    """Give the installed toolchain that reaches back to the oldest target, or None.

    ``ARCHDEF_NVRTC`` (a version such as ``12.9``) picks among several.
    """
    wanted = os.environ.get("ARCHDEF_NVRTC", "")
    found = [chain for chain in _installed() if not wanted or str(chain) == f"NVRTC {wanted}"]
    return min(found, key=lambda chain: chain.targets, default=None)


def absent() -> str:
    """Say why there is no toolchain, and what to do."""
    wanted = os.environ.get("ARCHDEF_NVRTC")
    return f"no NVRTC {wanted} among the installed ones ({', '.join(map(str, _installed())) or 'none'})" if wanted else INSTALL


class Nvrtc:
    """The front end for CUDA C++ with device code alone."""

    name = "nvrtc"
    takes = "a .cu file or CUDA C++ text"

    def accepts(self, given, options: Options) -> bool:
        """Take files with a C++ suffix, and text that is not PTX."""
        return source.is_cuda(given)

    def missing(self) -> str | None:
        """Name the extra if no NVRTC is installed; a version that was asked for and is absent is an error of its own."""
        return None if os.environ.get("ARCHDEF_NVRTC") or toolchain() else INSTALL

    def compile(self, given, options: Options) -> Compiled:
        """Compile."""
        options.check_settings(self.name, (), instances=True)
        return source.compiled(given, options, compile)


def compile(text: str, name: str, folder: Path | None, options: Options, own_headers: Mapping[str, str] | None = None) -> Compiled:
    """Compile CUDA C++.

    text        : the source.
    name        : its file name, for messages and line tables.
    folder      : where quoted includes are looked up first, or None.
    own_headers : name → text of headers that come before all others of that name; given with a text that has been rid of host code.

    Raises CompileError with the compiler's log, or with the way to get NVRTC if it is missing.
    """
    chain = toolchain()
    if chain is None:
        raise CompileError(f"{name}: {absent()}")
    folders = ([folder] if folder else []) + [Path(p) for p in options.include]
    flags = (f"--gpu-architecture={source.target(str(chain), chain.targets, options)}", f"--std={options.standard}",
             f"--fmad={str(options.fused_multiply_add).lower()}", "--device-debug" if options.debug else "--generate-line-info",
             "--device-as-default-execution-space", *(f"--define-macro={macro}" for macro in options.defines))
    wanted = options.name_expressions
    made = Compiled("", f"{name}.ptx", source_text=text, compiler=str(chain), again=lambda names: compile(
        text, name, folder, options.changed(name_expressions=names), own_headers))
    headers = user_files(text, folders)
    given = dict(own_headers or {})
    entry = None
    if headers is not None:
        entry = cache.key(_POSTPROCESSING, str(chain), name, text, *flags, *options.extra, *(f"name expression {n}" for n in wanted),
                          *(part for item in sorted({**headers, **given}.items()) for part in item))
        symbols = json.loads((cache.get(f"{entry}.names") if wanted else None) or "{}")
        if (ptx := cache.get(entry)) is not None and len(symbols) == len(wanted):
            return attrs.evolve(made, ptx=ptx, compiler=f"{chain}, cached", log=cache.get(f"{entry}.log") or "",
                                **_named(symbols))
    flags = (*flags, *(f"--include-path={f}" for f in (*folders, *chain.include)), *options.extra)     # folders among these come last
    declared = standard_headers.beside(folders) | given
    try:
        ptx, log, symbols = _run(chain, text, name, flags, wanted, declared)
    except CompileError as error:       # a kernel that launches kernels
        if "requires separate compilation mode" not in str(error):
            raise (_whole_program(text, name, chain, error) if own_headers is None else error) from None
        ptx, log, symbols = _run(chain, text, name, (*flags, "--relocatable-device-code=true"), wanted, declared)
    for path in options.include:        # as `#include` names them: what is cached must not say where it was made
        ptx, log = ptx.replace(f'"{path}/', '"'), log.replace(f"{path}/", "")
    for path in chain.include:          # what a header of the toolkit does is the work of the line that calls it: `<` says that nobody wrote it
        ptx = ptx.replace(f'"{path}/', '"<toolkit>/')
    if entry is not None:
        if log:
            cache.put(f"{entry}.log", log)
        if wanted:
            cache.put(f"{entry}.names", json.dumps(symbols))
        cache.put(entry, ptx)
    return attrs.evolve(made, ptx=ptx, log=log, **_named(symbols))


def _whole_program(text: str, name: str, chain: Toolchain, error: CompileError) -> CompileError:
    """Say what to do with a source that has a program's host code besides its kernels; others keep the compiler's own words."""
    if (found := host_code(text)) is None:
        return error
    line, what, shown = found
    first = next((said for said in str(error).splitlines()[1:] if "error" in said), "").strip()
    return CompileError(
        f"{name}:{line}: {what} is host code: `{shown}`; {chain} compiles kernels alone. Compile the whole program by "
        f"compiler=\"nvcc\" (--compiler nvcc), which needs the CUDA toolkit, or keep host code under #ifndef __CUDACC_RTC__, and launch the "
        f"kernels from Python: module.kernel[grid, block](…)" + (f"\nThe first error was: {first}" if first else ""))


def _named(symbols: dict[str, str]) -> dict[str, dict]:
    """Give instances of templates the names by which they were asked for; the first of several for one stays."""
    return {"instances": symbols, "interfaces": {symbol: Interface(name) for name, symbol in reversed(symbols.items())}}


def _run(chain: Toolchain, text: str, name: str, flags: tuple[str, ...], wanted: tuple[str, ...],
         declared: dict[str, str]) -> tuple[str, str, dict[str, str]]:
    library = _library(chain.library)
    with _keep_locale():
        return _compile(library, chain, text, name, flags, wanted, declared)


@contextlib.contextmanager
def _keep_locale():
    """NVRTC 11.8 leaves the calling thread in the C locale, in which Python would read files as ASCII from then on."""
    uselocale = ctypes.CDLL(None).uselocale
    uselocale.restype, uselocale.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    before = uselocale(None)
    try:
        yield
    finally:
        uselocale(before)


def _compile(library: ctypes.CDLL, chain: Toolchain, text: str, name: str, flags: tuple[str, ...],
             wanted: tuple[str, ...], declared: dict[str, str]) -> tuple[str, str, dict[str, str]]:
    program = ctypes.c_void_p()
    count = len(declared)
    _check(library, library.nvrtcCreateProgram(
        ctypes.byref(program), text.encode(), name.encode(), count,
        (ctypes.c_char_p * count)(*(body.encode() for body in declared.values())),
        (ctypes.c_char_p * count)(*(header.encode() for header in declared))))
    try:
        for expression in wanted:
            _check(library, library.nvrtcAddNameExpression(program, expression.encode()))
        encoded = [flag.encode() for flag in flags]
        status = library.nvrtcCompileProgram(program, len(encoded), (ctypes.c_char_p * len(encoded))(*encoded))
        log = _text(library, "nvrtcGetProgramLog", program).strip()
        if status != _SUCCESS:
            reason = log or library.nvrtcGetErrorString(status).decode()
            if missing := next((extra for start, extra in _EXTRAS.items() if f'cannot open source file "{start}' in reason), None):
                reason += f"\n'pip install archdef[{missing}]' brings that header"
            raise CompileError(f"{name} does not compile ({chain}):\n{reason}")
        # NVRTC writes the source's name into the line table as if it lay in the working directory; PTX that may come
        # from the cache, or be shipped, must not say where it was made.
        ptx = _text(library, "nvrtcGetPTX", program).replace(f'"{Path.cwd() / name}"', f'"{name}"')
        return ptx, log, {expression: _lowered(library, program, expression) for expression in wanted}
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _text(library: ctypes.CDLL, getter: str, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    _check(library, getattr(library, f"{getter}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(library, getattr(library, getter)(program, buffer))
    return buffer.value.decode(errors="replace")


def _lowered(library: ctypes.CDLL, program: ctypes.c_void_p, expression: str) -> str:
    symbol = ctypes.c_char_p()
    _check(library, library.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(symbol)))
    return symbol.value.decode()


def _check(library: ctypes.CDLL, status: int) -> None:
    if status != _SUCCESS:
        raise CompileError(f"NVRTC failed: {library.nvrtcGetErrorString(status).decode()}")


@functools.cache
def _library(path: Path) -> ctypes.CDLL:
    major = path.name.partition(".so.")[2].partition(".")[0]
    for other in sorted(path.parent.glob(f"libnvrtc-builtins.so.{major}*")):    # NVRTC 13 does not look beside itself for its other half
        ctypes.CDLL(str(other))
    library = ctypes.CDLL(str(path))
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


@functools.cache
def _installed() -> tuple[Toolchain, ...]:
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        spec = None
    chains = []
    for root in (spec.submodule_search_locations or ()) if spec else ():
        for lib, *include in _LAYOUTS:
            headers = tuple(folder for name in include if (folder := Path(root) / name).is_dir())
            for library in sorted((Path(root) / lib).glob("libnvrtc.so.*")):
                if (chain := _probe(library, headers)) and _major(headers) == chain.version[0]:
                    chains.append(chain)
    return tuple(chains)


def _major(headers: tuple[Path, ...]) -> int | None:
    """Give the CUDA version of the headers: wheels of 11 and 12 put theirs into one folder, over each other."""
    for folder in headers:
        if (api := folder / "cuda_runtime_api.h").is_file():
            found = re.search(r"#define\s+CUDART_VERSION\s+(\d+)", api.read_text(encoding="utf-8", errors="replace"))
            return int(found[1]) // 1000 if found else None
    return None


def _probe(path: Path, include: tuple[Path, ...]) -> Toolchain | None:
    try:
        library = _library(path)
    except OSError:  # built for another machine: as good as not installed
        return None
    major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    if (library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) != _SUCCESS
            or library.nvrtcGetNumSupportedArchs(ctypes.byref(count)) != _SUCCESS):
        return None
    targets = (ctypes.c_int * count.value)()
    if library.nvrtcGetSupportedArchs(targets) != _SUCCESS or not count.value:
        return None
    return Toolchain(path, include, (major.value, minor.value), tuple(sorted(targets)))
