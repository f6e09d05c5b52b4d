"""Instruction selection: PTX instructions become micro-ops over virtual registers.

`selection` walks through a function and looks up the builder of each instruction, by its row of the table. The builders are in the other
modules, one for each kind of instruction; importing this package registers all of them.
"""
from archdef.lower.select import (arithmetic, asynchronous, children, control, convert, matrix, memory, multimem, stack, system, tensor, texture, video, warp,
                                  warpgroup, wmma)
from archdef.lower.select.selection import BUILDERS, Accesses, Selection

__all__ = ["BUILDERS", "Accesses", "Selection", "arithmetic", "asynchronous", "children", "control", "convert", "matrix", "memory", "multimem", "stack",
           "system", "tensor", "texture", "video", "warp", "warpgroup", "wmma"]
