"""What kernels of a file take, in notes: what ``-Xptxas -v`` and ``--resource-usage`` ask for."""
from __future__ import annotations

from pathlib import Path

from archdef import ptxas
from archdef.errors import CompileError


def notes(path: Path, ptx: str, most_registers: int) -> tuple[str, ...]:
    """Give a line for each kernel, for the target that the PTX names; or the reason why nothing is known."""
    if not ptxas.assemblers():
        return (f"{path}: what kernels take is not told, since {ptxas.INSTALL}",)
    try:
        found = ptxas.usage(ptx, str(path), None, most_registers or None)
    except CompileError as error:
        return (f"what kernels take is not told, since {error}",)
    return tuple(f"{path}: {name} for {it.target}: {it.registers} registers, {it.stack_bytes} bytes stack frame, {it.spill_store_bytes} bytes spill stores, "
                 f"{it.spill_load_bytes} bytes spill loads, {it.shared_bytes} bytes smem, {it.barriers} barriers" for name, it in found.items())
