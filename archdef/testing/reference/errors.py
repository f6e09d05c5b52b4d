"""What the reference interpreter refuses, and what it catches a kernel doing."""
from __future__ import annotations

from archdef.errors import ArchdefError
from archdef.ptx import ir


class OracleError(ArchdefError):
    """Base of this package's errors."""


class Unknown(OracleError):
    """The reference has no meaning for an instruction, a modifier, an operand or a name."""


class Wrong(OracleError):
    """The kernel does what PTX does not define: out of bounds, misaligned, deadlock, too many steps."""


def unknown(instruction: ir.Instruction, why: str) -> Unknown:
    """Make the error for something that the reference does not know."""
    return Unknown(f"line {instruction.where.line}: `{instruction.text}`: the reference has no {why}")
