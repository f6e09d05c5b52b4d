"""Variables of the device, by the host's shadows of them."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread, answers
from archdef.exec.cuda_runtime.memory import copy
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal


def place(thread: Thread, shadow: int, nbytes: int, offset: int) -> int:
    """Give the address of bytes of a variable. Raises Refusal."""
    symbol = thread.session.symbol(shadow)
    if offset + nbytes > symbol.nbytes:
        raise Refusal("InvalidValue", f"{nbytes} bytes from byte {offset} on, and {symbol.name} has {symbol.nbytes}")
    thread.session.variable(Pointer(symbol.address, symbol.memory, symbol.nbytes))
    return symbol.address + offset


@answers("cudaMemcpyToSymbol", "cudaMemcpyToSymbol_ptds")
def to_symbol(thread: Thread, shadow: int, source: int, nbytes: int, offset: int, kind: Int) -> None:
    """Copy into a variable and wait."""
    copy(thread, place(thread, shadow, nbytes, offset), source, nbytes, kind, 0, wait=True)


@answers("cudaMemcpyToSymbolAsync", "cudaMemcpyToSymbolAsync_ptsz")
def to_symbol_async(thread: Thread, shadow: int, source: int, nbytes: int, offset: int, kind: Int, stream: int) -> None:
    """Put a copy into a variable into a stream."""
    copy(thread, place(thread, shadow, nbytes, offset), source, nbytes, kind, stream, wait=False)


@answers("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbol_ptds")
def from_symbol(thread: Thread, to: int, shadow: int, nbytes: int, offset: int, kind: Int) -> None:
    """Copy out of a variable and wait."""
    copy(thread, to, place(thread, shadow, nbytes, offset), nbytes, kind, 0, wait=True)


@answers("cudaMemcpyFromSymbolAsync", "cudaMemcpyFromSymbolAsync_ptsz")
def from_symbol_async(thread: Thread, to: int, shadow: int, nbytes: int, offset: int, kind: Int, stream: int) -> None:
    """Put a copy out of a variable into a stream."""
    copy(thread, to, place(thread, shadow, nbytes, offset), nbytes, kind, stream, wait=False)


@answers("cudaGetSymbolAddress")
def symbol_address(thread: Thread, out: int, shadow: int) -> None:
    """Say where a variable lies."""
    thread.memory.put_word(out, place(thread, shadow, 0, 0))


@answers("cudaGetSymbolSize")
def symbol_size(thread: Thread, out: int, shadow: int) -> None:
    """Count its bytes."""
    thread.memory.put_word(out, thread.session.symbol(shadow).nbytes)
