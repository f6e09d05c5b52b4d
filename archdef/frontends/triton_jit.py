"""Triton kernels to PTX, through the package triton: no GPU or driver takes part.

``device.compile(kernel, signature={"x": "*fp32", "n": "i32"}, constants={"BLOCK": 256}, num_warps=4)``. A type may say
``:16``, as in Triton's own ahead-of-time compiler, to promise that the value is a multiple of 16: loads can then be vectors.
A kernel under ``triton.autotune`` is compiled in one of its configurations, ``config=2``.
Compilation fixes the block, so the kernel is launched with a grid alone: ``module.kernel[grid](x, n)``.
"""
from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import json
import os
import re
import sys
import tempfile
import threading
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from archdef.errors import CompileError, LaunchError, PtxError
from archdef.frontends import cache, source
from archdef.frontends import triton_tuned as tuned
from archdef.frontends.options import Compiled, Interface, Options
from archdef.frontends.signatures import Declared, Element
from archdef.ptx import parse, table

INSTALL = "Triton is not installed; 'pip install archdef[triton]' brings it as a wheel (no GPU or driver needed)"
TARGETS = (50, 60, 70, 75, 80, 90)
"""The newest that the machine takes comes first; see `_targets`."""
WARP = 32
"""Lanes of a warp that Triton generates code for."""
_MULTIPLE = 16
_LOCK = threading.Lock()
_SHOWN_LINES = 6
"""Lines of an assembler's log that a message shows."""
_SCRATCH = ("global_scratch", "profile_scratch")
"""What the launcher of Triton allocates, in the order of the parameters that it adds."""
_SCRATCH_ALIGNMENT = 256
_ELEMENTS = {"i1": "b1", "fp16": "f2", "bf16": "x2", "fp32": "f4", "fp64": "f8", **{f"{sign}{8 * n}": f"{sign}{n}" for sign in "iu" for n in (2, 4, 8)}}
"""Triton's type → numpy's letter and bytes; ``x`` where numpy has no such type. Memory of single bytes takes anything."""
_LAYOUT = "3"  # part of the cache key: count up when what is kept beside the PTX changes


class Triton:
    """The front end for functions decorated with ``triton.jit``."""

    name = "triton"
    takes = "a Triton kernel"

    def accepts(self, given, options: Options) -> bool:
        """Take what ``triton.jit`` makes of a function."""
        return type(given).__module__.partition(".")[0] == "triton" and hasattr(given, "arg_names")

    def missing(self) -> str | None:
        """Name the extra if Triton is not installed."""
        return None if importlib.util.find_spec("triton") else INSTALL

    def compile(self, given, options: Options) -> Compiled:
        """Compile for the newest target that the machine takes, or else one that takes the kernel. Raises CompileError."""
        if problem := self.missing():
            raise CompileError(f"{getattr(given, '__name__', given)}: {problem}")
        options.check_settings(self.name, (*_settings(), "config"))
        given, options = tuned.chosen(given, options)
        kernel = _Kernel.of(given, options)
        return kernel.compile(options)


@attrs.frozen
class _Kernel:
    """A Triton function with the types of its parameters."""

    function: Any
    name: str
    file: Path
    place: str
    types: dict[str, str]
    """Parameters that a launch gives, in order, and their types without a promise."""
    multiples: frozenset[str]
    """Those of them that are promised to be multiples of 16."""
    constants: dict[str, Any]

    @classmethod
    def of(cls, function: Any, options: Options) -> _Kernel:
        """Match signature and constants with the function's parameters. Raises CompileError."""
        inner = function.fn
        name, file = inner.__name__, Path(inner.__code__.co_filename)
        place = f"{file.name}:{inner.__code__.co_firstlineno}"
        names = list(function.arg_names)
        constants = dict(options.constants)
        if unknown := [c for c in constants if c not in names]:
            raise CompileError(f"{place}: {name} has no parameter {unknown[0]!r}; it has {', '.join(names)}")
        rest = [n for n in names if n not in constants]
        types = options.signature
        if isinstance(types, str):
            types = [t.strip() for t in types.split(",")] if types.strip() else []
        if isinstance(types, Sequence) and len(types) == len(rest):
            types = dict(zip(rest, types, strict=True))
        if not isinstance(types, Mapping) or set(types) != set(rest):
            given = ", ".join(types) if isinstance(types, Mapping) else repr(types)
            raise CompileError(f"{place}: {name} needs a type or a constant for each of {', '.join(names)}: "
                               'compile(kernel, signature={"x": "*fp32", "n": "i32"}, constants={"BLOCK": 256}), got '
                               f"types for {given} and constants for {', '.join(constants) or 'none'}")
        split = {n: str(types[n]).partition(":") for n in rest}
        for n, (_, colon, promise) in split.items():
            if colon and promise != str(_MULTIPLE):
                raise CompileError(f"{place}: the type of {n} can promise :{_MULTIPLE} alone, got {types[n]!r}")
        return cls(function, name, file, place, {n: t for n, (t, _, _) in split.items()},
                   frozenset(n for n, (_, colon, _) in split.items() if colon), constants)

    def compile(self, options: Options) -> Compiled:
        """Compile, or find the result in the cache."""
        version = importlib.metadata.version("triton")
        settings = {"enable_fp_fusion": options.fused_multiply_add, **options.settings}
        targets = _targets(options) if options.target is None else (_number(options),)
        mark = self._mark(version)
        entry = None if mark is None else cache.key(
            _LAYOUT, version, _table(), mark, repr(self.types), repr(sorted(self.multiples)), repr(sorted(settings.items())), str(targets),
            str(self.file))
        kept = cache.get(entry) if entry else None
        if kept is None:
            kept = self._run(targets, settings, version)
            if entry:
                cache.put(entry, kept)
            compiler = f"Triton {version}"
        else:
            compiler = f"Triton {version}, cached"
        head, _, ptx = kept.partition("\n")
        facts = json.loads(head)
        interface = Interface(self.name, _Arguments(self.name, tuple(self.types.items()), self.multiples),
                              (facts["warps"] * WARP, 1, 1), facts["shared"], tuple(facts["scratch"]), WARP,
                              tuple(_declared(name, kind) for name, kind in self.types.items()))
        return Compiled(ptx.replace(f'"{self.file}"', f'"{self.file.name}"'), f"{self.file.name}.ptx",
                        self.file if self.file.is_file() else None, source.text_of(self.file), compiler, facts["log"],
                        interfaces={facts["symbol"]: interface})

    def _mark(self, version: str) -> str | None:
        """Give what tells this kernel and its constants from all others; None if that cannot be written down."""
        try:
            own = [self.function.cache_key, *(f"{name} {space.get(name)!r}" for (name, _), (_, space) in
                                              sorted(self.function.used_global_vals.items(), key=lambda item: item[0][0]))]
            for name, value in self.constants.items():
                key = getattr(value, "cache_key", None)
                if key is None and type(value) not in (int, float, bool, str, type(None)) and type(value).__module__ != "triton.language.core":
                    return None
                own.append(f"{name} {key or repr(value)}")
        except Exception as error:
            raise CompileError(f"{self._where(error)}: {self.name} does not compile (Triton {version}):\n{error}") from error
        return cache.key(*own)

    def _run(self, targets: Sequence[int], settings: dict[str, Any], version: str) -> str:
        """Compile for the first target that takes the kernel, and whose code has no instruction that archdef does not execute."""
        failed: Exception | None = None
        told, made, log = "", None, ""
        for target in targets:
            printed: list[str] = []
            try:
                found = self._made(target, settings, version, printed)
            except _Lacking as error:  # an instruction that this target lacks; another may have it
                if failed is None:
                    failed, told = error.__cause__, _shortened("\n".join((str(error.__cause__), *printed)))
                continue
            made = made or found
            if (why := _refused(found.asm["ptx"], f"{self.file.name}.ptx")) is None:
                made = found
                break
            log += f"{self.place}: not compiled for compute_{target}: {why}\n"
        if made is None:
            raise CompileError(f"{self.place}: {self.name} does not compile for any of "
                               f"{', '.join(f'compute_{t}' for t in targets)} (Triton {version}):\n{told}") from failed
        facts = made.metadata
        for need in _SCRATCH:
            if getattr(facts, f"{need}_align", 1) > _SCRATCH_ALIGNMENT:
                raise CompileError(f"{self.place}: {self.name} needs scratch memory at multiples of {getattr(facts, f'{need}_align')} bytes; "
                                   f"device memory is allocated at multiples of {_SCRATCH_ALIGNMENT}")
        if getattr(facts, "num_ctas", 1) != 1:
            raise CompileError(f"{self.place}: {self.name} needs clusters of {facts.num_ctas} blocks; use num_ctas=1")
        head = json.dumps({"symbol": facts.name, "warps": facts.num_warps, "shared": facts.shared, "log": log if why is None else "",
                           "scratch": [getattr(facts, f"{need}_size") for need in _SCRATCH if hasattr(facts, f"{need}_size")]})
        return f"{head}\n{made.asm['ptx']}"

    def _made(self, target: int, settings: dict[str, Any], version: str, printed: list[str]) -> Any:
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        from triton.compiler.errors import CompilationError
        from triton.errors import TritonError

        names = list(self.function.arg_names)
        hints = {(names.index(n),): [["tt.divisibility", _MULTIPLE]] for n in self.multiples}
        try:
            with warnings.catch_warnings(), _anew(), _captured(printed):
                warnings.simplefilter("ignore")  # notices about future defaults: every setting that matters is explicit
                return triton.compile(ASTSource(self.function, {n: self.types.get(n, "constexpr") for n in names}, self.constants, hints),
                                      target=GPUTarget("cuda", target, WARP), options=settings)
        except CompilationError as error:
            raise CompileError(f"{self._where(error)}: {self.name} does not compile (Triton {version}):\n{error}") from error
        except (RuntimeError, TritonError) as error:
            raise _Lacking from error
        except Exception as error:
            raise CompileError(f"{self.place}: {self.name} does not compile (Triton {version}):\n{type(error).__name__}: {error}") from error

    def _where(self, error: Exception) -> str:
        line = getattr(getattr(error, "node", None), "lineno", None)
        start, text = (getattr(self.function, name, None) for name in ("starting_line_number", "raw_src"))
        if not (line and start and text):
            return self.place
        # Triton counts lines from the `def`, behind the decorators with which the function's text begins.
        decorators = next((n for n, source_line in enumerate(text) if source_line.lstrip().startswith("def ")), 0)
        return f"{self.file.name}:{start + decorators + line - 1}"


@contextlib.contextmanager
def _anew():
    """Let Triton compile: what it keeps by a function's text alone names the file in which that text was seen first."""
    before = os.environ.get("TRITON_ALWAYS_COMPILE")
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["TRITON_ALWAYS_COMPILE"]
        else:
            os.environ["TRITON_ALWAYS_COMPILE"] = before


@contextlib.contextmanager
def _captured(printed: list[str]):
    """Append what is printed to standard error, which Triton's compiler does on its own, past Python's streams."""
    with _LOCK, tempfile.TemporaryFile() as file:
        sys.stderr.flush()
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(before, 2)
            os.close(before)
            file.seek(0)
            printed.append(file.read().decode(errors="replace"))


def _declared(name: str, kind: str) -> Declared:
    known = _ELEMENTS.get(kind.removeprefix("*").removeprefix("const "))
    return Declared(name, kind, known and Element(known[0], int(known[1])), kind.startswith("*"))


class _Arguments:
    """Checks what was promised."""

    def __init__(self, kernel: str, types: tuple[tuple[str, str], ...], multiples: frozenset[str]):
        self.kernel, self.types, self.multiples = kernel, types, multiples

    def __call__(self, arguments: Sequence[Any], parameters: Sequence[Any]) -> list[Any]:
        if len(arguments) != len(self.types):
            raise LaunchError(f"{self.kernel} takes {len(self.types)} argument{'s' * (len(self.types) != 1)} "
                              f"({', '.join(f'{n}: {t}' for n, t in self.types) or 'none'}), got {len(arguments)}")
        for (name, kind), argument in zip(self.types, arguments, strict=True):
            value = getattr(argument, "address", argument)
            if name in self.multiples and isinstance(value, int) and value % _MULTIPLE:
                raise LaunchError(f"{self.kernel} was compiled for {name} ({kind}:{_MULTIPLE}) a multiple of {_MULTIPLE}, "
                                  f"got {value}")
        return list(arguments)


@functools.cache
def _table() -> str:
    return cache.key(*map(repr, table.TABLE))


@functools.cache
def _settings() -> tuple[str, ...]:
    from triton.backends.nvidia.compiler import CUDAOptions

    known = [f.name for f in CUDAOptions.__dataclass_fields__.values()]
    return tuple(name for name in known if name not in ("arch", "backend_name", "warp_size"))


def _targets(options: Options) -> tuple[int, ...]:
    """Order the targets: what the machine takes, the newest first; then those above, of which a kernel may need an instruction."""
    suited = int(re.sub(r"\D", "", source.target("Triton", TARGETS, options)))
    return (*(t for t in reversed(TARGETS) if t <= suited), *(t for t in TARGETS if t > suited))


class _Lacking(Exception):
    """A target has no code for a kernel."""


def _refused(ptx: str, file: str) -> str | None:
    """Say which instruction of some code archdef does not execute on any machine; None if there is none."""
    module = parse(ptx, file, defer=True)
    try:
        for function in module.functions.values():
            if function.broken is not None:
                raise function.broken
            for instruction in function.body:
                table.match(instruction, module)
    except PtxError as error:
        return str(error).splitlines()[0]
    return None


def _shortened(text: str) -> str:
    """Give the first few errors of the many lines that compilers and assemblers print."""
    lines = [line for line in text.splitlines() if line.strip()]
    told = lines if len(lines) <= _SHOWN_LINES else [line for line in lines if "error" in line.lower()] or lines
    rest = f"\n… and {len(told) - _SHOWN_LINES} more" if len(told) > _SHOWN_LINES else ""
    return "\n".join(told[:_SHOWN_LINES]) + rest


def _number(options: Options) -> int:
    return int(re.sub(r"\D", "", source.target("Triton", TARGETS, options)))
