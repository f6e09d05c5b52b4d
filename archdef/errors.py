"""Every error that archdef raises on purpose: one tree, and the data behind the message stays on the exception.

Whatever value an argument, a file, a description or a program holds, of whatever type: what archdef cannot use it refuses with an
`ArchdefError`. Python's own errors remain for mistakes in the calling program that no value causes: TypeError where arguments are missing
or have unknown names, AttributeError for an attribute that is not there, TypeError and ValueError of Python's protocols (`len`, `numpy.asarray`).
"""
from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from archdef.values import printable, shown

__all__ = [
    "ArchdefDeprecationWarning", "ArchdefError", "BudgetExceeded", "CaptureError", "CompileError", "DescriptionFileError", "DeviceMemoryError",
    "EngineLimit", "GraphError", "GuestFault", "GuestWarning", "HostError", "Interrupted", "LaunchError", "MissingExtra", "MissingFeature", "PluginError",
    "PluginWarning", "PolicyError", "PtxError",
    "ReferenceCaseError", "RuntimeApiError", "ScaffoldError", "SpecError", "SpecErrors", "UndefinedFunction", "UnknownArchitecture",
    "UnknownField", "UnsupportedInstruction",
    "UnsupportedPolicy", "nearest"]


class ArchdefError(Exception):
    """Root of the tree: catch this to catch everything that archdef raises on purpose."""


def nearest(word: object, known: Iterable[str]) -> str:
    """Give `` (did you mean …?)`` for the known word closest to `word`, or an empty string."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5) if isinstance(word, str) else []
    return f" (did you mean {close[0]}?)" if close else ""


# ------------------------------------------------------------------------------------------------------- descriptions
class SpecError(ArchdefError):
    """One fault of a description: the field's full path, its value, what is allowed, and the value that was perhaps meant."""

    def __init__(self, path: str, value: object, allowed: str, hint: str | None = None):
        self.path, self.value, self.allowed, self.hint = path, value, allowed, hint
        super().__init__(f"{path} {allowed}, got {shown(value)}" + (f" (did you mean {hint}?)" if hint else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.value, self.allowed, self.hint)


class SpecErrors(ArchdefError, ExceptionGroup):
    """Every fault of one description at once."""

    def __str__(self) -> str:
        return printable("\n".join([self.message, *(f"  {e}" for e in self.exceptions)]))

    def derive(self, exceptions: Sequence[Exception]) -> SpecErrors:  # type: ignore[override]  # typeshed's is generic in the exceptions
        return SpecErrors(self.message, exceptions)


class UnsupportedPolicy(ArchdefError):
    """A policy of a description that the engine has no compiled form of: the field's path, the policy, and those that it has."""

    def __init__(self, path: str, policy: object, known: Iterable[str]):
        self.path, self.policy, self.known = path, policy, tuple(known)
        super().__init__(f"{path}: the engine carries out {', '.join(self.known[:-1])} and {self.known[-1]}, got {policy!r}"
                         if len(self.known) > 1 else f"{path}: the engine carries out {self.known[0]} only, got {policy!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.policy, self.known)


class EngineLimit(ArchdefError, ValueError):
    """A description that is sound, but larger than what the engine's tables hold."""


class DescriptionFileError(ArchdefError):
    """A file of a description that cannot be read, or is not well formed TOML or JSON."""


class MissingExtra(ArchdefError):
    """Something needs a package that is not installed: what, the package, the extra of archdef that brings it."""

    def __init__(self, what: str, package: str, extra: str):
        self.what, self.package, self.extra = what, package, extra
        super().__init__(f"{what} needs {package}: pip install 'archdef[{extra}]'")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.package, self.extra)


class PolicyError(ArchdefError):
    """A plugin's policy gave an answer that is none, or raised: the field's path, the policy, and its answer (None: it raised)."""

    def __init__(self, path: str, policy: object, what: str, answer: int | None = None):
        self.path, self.policy, self.what, self.answer = path, policy, what, answer
        super().__init__(f"{path}: {policy!r} {what}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.policy, self.what, self.answer)


class UnknownField(ArchdefError):
    """A path that names no field of the description."""


class ReferenceCaseError(ArchdefError):
    """A reference case that is not as it should be, or that names an experiment or quantity that does not exist."""


class ScaffoldError(ArchdefError):
    """A new plugin cannot be written: its name cannot be used, or its folder is there."""


class UnknownArchitecture(ArchdefError):
    """No installed plugin offers an architecture of this name."""


class PluginError(ArchdefError):
    """A plugin could not be loaded, or broke its contract."""


class PluginWarning(UserWarning):
    """An installed plugin cannot be used; the rest works."""


class GuestWarning(UserWarning):
    """A kernel ran to its end, but something in it failed and it did not look, or what it printed is lost."""


class ArchdefDeprecationWarning(DeprecationWarning):
    """Something of archdef's public interface goes away in a later release; the message says when, and what to use."""


# --------------------------------------------------------------------------------------------------------- front ends
class CompileError(ArchdefError):
    """A front end's compiler refused the source; the message holds its log, with file and line."""


class PtxError(ArchdefError):
    """PTX that is not well formed, at ``file:line:column``, with the line and a caret."""

    def __init__(self, message: str, *, file: str = "<ptx>", line: int = 0, column: int = 0, text: str = ""):
        self.reason, self.file, self.line, self.column, self.text = message, file, line, column, text
        where = f"{file}:{line}:{column}" if column else f"{file}:{line}" if line else file
        shown = f"\n    {text}\n    {_caret(text, column)}" if text and column else f"\n    {text}" if text else ""
        super().__init__(f"{where}: {message}{shown}")


class UnsupportedInstruction(PtxError):
    """An instruction that archdef does not know."""


class UndefinedFunction(PtxError):
    """A call of a function that has a body nowhere."""


class MissingFeature(PtxError):
    """A well-formed instruction that needs a feature which the architecture does not declare."""

    def __init__(self, message: str, *, architecture: str, feature: str, **where: Any):
        self.architecture, self.feature = architecture, feature
        super().__init__(message, **where)


def _caret(text: str, column: int) -> str:
    return "".join("\t" if c == "\t" else " " for c in text[:column - 1]) + "^"


# ------------------------------------------------------------------------------------------------------------ running
class LaunchError(ArchdefError):
    """A launch that the architecture's limits, or the kernel's own signature, refuse.

    kind : what it is about: ``shape`` of grid or block, ``resources`` of a multiprocessor, ``residency`` of all blocks at once, ``feature``
           that the architecture lacks, ``name`` of a kernel or variable that is not there, ``image``: code for another kind of machine; empty: anything else.
    """

    def __init__(self, message: str, kind: str = ""):
        self.kind = kind
        super().__init__(message)


class DeviceMemoryError(ArchdefError):
    """Device memory asked for, freed or copied in a way that cannot be done.

    kind : ``capacity``: there is not enough of it; empty: anything else.
    """

    def __init__(self, message: str, kind: str = ""):
        self.kind = kind
        super().__init__(message)


class GuestFault(ArchdefError):
    """The kernel did something illegal: where (kernel, source line, block, thread), what, and at which address.

    Device memory stays readable afterwards.
    """

    def __init__(self, message: str, **data: Any):
        self.data = data
        self.printed = ""
        """What the kernel had printed until then."""
        super().__init__(message)

    @property
    def kind(self) -> str:
        """What it is: ``bounds``, ``alignment``, ``assertion``, ``deadlock`` …, as the engine's fault codes are called; empty: not told."""
        kind: str = self.data.get("kind", "")
        return kind


class HostError(ArchdefError):
    """A stream, event or peer copy used in a way that the runtime refuses."""


class GraphError(HostError):
    """A graph of work that cannot be as it was asked for: a circle, a dependency that is there already, a node of another graph.

    supported : whether another graph could be; what graphs with memory of their own cannot do at all is not supported.
    """

    def __init__(self, message: str, supported: bool = True):
        self.supported = supported
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.supported)


class CaptureError(HostError):
    """A call that stream capture does not allow.

    kind : the runtime's word for it: ``Unsupported``, ``Invalidated``, ``Unmatched``, ``Unjoined``, ``Isolation``, ``Implicit``, ``Merge``,
           ``CapturedEvent``, ``WrongThread``, ``IllegalState``, ``Mode``.
    """

    def __init__(self, message: str, kind: str):
        self.kind = kind
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.kind)


class BudgetExceeded(GuestFault):
    """The kernel ran past its budget of instructions or cycles."""


class RuntimeApiError(ArchdefError, RuntimeError):
    """A call of `archdef.runtime` that failed: the runtime's own name and number of the error, and what was behind it.

    name, number : ``cudaErrorInvalidValue``, 1; in the other vocabulary ``mcErrorInvalidValue``.
    reason       : what went wrong, in archdef's words; the exception behind it is `__cause__`.
    kind         : the `kind` of that exception: ``bounds``, ``residency`` …; empty: it has none.
    """

    def __init__(self, name: str, number: int, reason: str):
        self.name, self.number, self.reason = name, number, reason
        super().__init__(f"{name} ({number}): {reason}")

    @property
    def kind(self) -> str:
        return getattr(self.__cause__, "kind", "")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.number, self.reason)


class Interrupted(ArchdefError):
    """The user stopped the run; the message says how far it had got.

    run : the `Run` with what was counted until then; None: nothing had begun.
    """

    def __init__(self, message: str = "", run: Any = None):
        self.run = run
        super().__init__(message)
