"""Triton's own compiler for CUDA, without its last stage: code ends as PTX, which archdef lowers, and no assembler takes part."""
from __future__ import annotations

import functools
from typing import Any


@functools.cache
def ptx_backend() -> type:
    """Make the backend that ends with PTX."""
    from triton.backends.nvidia.compiler import CUDABackend

    class PtxBackend(CUDABackend):
        """The backend ``cuda`` whose binaries are PTX."""

        def __init__(self, target: Any):
            super().__init__(target)
            self.binary_ext = "ptx"

        def add_stages(self, stages: dict[str, Any], *arguments: Any) -> None:
            """Leave out the assembler; binaries are bytes."""
            super().add_stages(stages, *arguments)
            del stages["cubin"]
            text = stages["ptx"]
            stages["ptx"] = lambda source, metadata: text(source, metadata).encode()

        def hash(self) -> str:
            """Keep what is compiled apart from cubins in Triton's cache."""
            return f"archdef-ptx-{super().hash()}"

    return PtxBackend
