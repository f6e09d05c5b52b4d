"""What a front end is: three questions. A plugin's implementation needs no base class.

A front end turns something that a user has (a file, a text, a Python function) into PTX. It knows nothing of architectures:
what PTX a machine can run is decided instruction by instruction when a kernel is lowered. How a plugin brings one of its own:
``docs/howto/front-end.md``.
"""
from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from archdef.frontends.options import Compiled, Options


@runtime_checkable
class FrontEnd(Protocol):
    """One way to get PTX."""

    name: str
    """What `Options.compiler` calls it."""
    takes: str
    """What it takes, for messages: ``a .cu file or CUDA C++ text``."""

    def accepts(self, source: Any, options: Options) -> bool:
        """Say, without importing anything heavy, whether `source` is of its kind. Of several, the first is asked to compile."""

    def missing(self) -> str | None:
        """Say what to install before it can compile here; None if it is ready. Nothing heavy is imported either."""

    def compile(self, source: Any, options: Options) -> Compiled:
        """Compile `source`, which was accepted. Raises CompileError with file and line, or with `missing`'s answer."""
