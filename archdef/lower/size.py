"""How long the machine code of a kernel is."""
from __future__ import annotations

from archdef.lower.encoding import Kind
from archdef.lower.virtual import Code, slow_paths


def code_bytes(codes: list[Code], source: list, instructions: int, isa) -> int:
    """Give the bytes of code of so many static instructions; `source` are those of the program, which ops name as their statements.

    Routines for operands out of the ordinary are there once, however often they are called. The assembler's filling comes last.
    """
    asked = {(op.operation, source[op.statement]) for code in codes for op in code.ops if slow_paths(op, isa.operations)}
    routines = {(operation, isa.cost(operation, ".".join((i.opcode, *i.modifiers))).slow_path_instructions or 0) for operation, i in asked}
    within = sum(op.count for code in codes for op in code.ops if op.kind in (Kind.SETP, Kind.BRANCH))      # what is executed of them
    length = instructions - within + sum(length for _, length in routines) + isa.code_tail_instructions
    return -(-length * isa.instruction_bytes // isa.code_alignment_bytes) * isa.code_alignment_bytes
