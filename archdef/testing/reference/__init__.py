"""A slow, plain interpreter of PTX: what the manual says, thread by thread. The oracle for the engine.

It shares the parser and its IR with the rest of archdef, and nothing else: no instruction table, no lowering, no lane arithmetic.
Integers are Python's, floating-point results are rounded from exact ones. It times nothing.

What PTX leaves open is decided here as GPUs do it, and said where it is: NaN payloads of f64 (`formats`), division by zero
(`integer`), a shuffle from a lane that is not there (`lanes`), registers that nobody wrote read zero (`code`).
"""
from __future__ import annotations

from collections.abc import Sequence

from archdef.ptx import ir
from archdef.testing.reference import (  # noqa: F401  modules that register meanings
    access, asynchronous, atomics, bulk, comparison, control, conversion, floating, images, integer, lanes, moves, multicast, stack, video)
from archdef.testing.reference.images import Image
from archdef.testing.reference.errors import OracleError, Unknown, Wrong
from archdef.testing.reference.layout import lay_out
from archdef.testing.reference.machine import Program, run_block
from archdef.testing.reference.memory import Memory

__all__ = ["Image", "Memory", "OracleError", "Unknown", "Wrong", "run"]


def run(module: ir.Module, entry: str, grid: Sequence[int], block: Sequence[int], arguments: Sequence[int | bytes], *,
        warp_size: int, memory: Memory, dynamic_shared_bytes: int = 0, max_steps: int = 10_000_000) -> Memory:
    """Run a kernel to its end.

    Parameters
    ----------
    module : Module
        Parsed PTX.
    entry : str
        Name of the kernel in it.
    grid, block : sequence of int
        Blocks and threads, one to three dimensions.
    arguments : sequence of int or bytes
        One per parameter: addresses and integers, or the parameter's bytes.
    warp_size : int
        Lanes of a warp, any number.
    memory : Memory
        Holds what the arguments point at; changed in place. Module variables are placed in it, anew for each run.
    dynamic_shared_bytes : int
        Shared memory that the launch adds.
    max_steps : int
        Steps of all threads together, before the run is given up.

    Returns
    -------
    Memory
        The same memory.

    Raises
    ------
    Unknown
        For what the reference has no meaning for.
    Wrong
        For what PTX does not define: accesses out of bounds, threads that wait for ever, too many steps.
    """
    grid, block = ((*shape, 1, 1)[:3] for shape in (tuple(grid), tuple(block)))
    function = module.functions.get(entry)
    if function is None or not function.entry or not function.defined:
        raise Unknown(f"{module.file} has no kernel {entry}")
    layout = lay_out(module, function, memory, arguments, dynamic_shared_bytes)
    program = Program(module, entry, layout, warp_size)
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                max_steps = run_block(program, memory, layout, (x, y, z), grid, block, dynamic_shared_bytes, max_steps)
    return memory
