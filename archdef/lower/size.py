"""How long a kernel is: in PTX, where one that is too long is refused before anything is done with it, and in machine code."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from archdef.errors import PtxError
from archdef.lower.encoding import Kind
from archdef.lower.virtual import Code, slow_paths

if TYPE_CHECKING:
    from archdef.spec import Architecture

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ENTRY = re.compile(r"\.(entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
_DIRECTIVE = re.compile(r"(?<![\w.])\.(?:reg|param|local|shared|global|const|pragma|branchtargets|calltargets|callprototype)\b")


def check_text(text: str, file: str, architecture, most: int) -> None:
    """Refuse PTX with a kernel that is too long, by counting what ends its statements: long before it could be parsed.

    Never counts more than there is; `check_length` counts exactly, once the code is parsed. `most` is what lowering takes on.
    """
    allowed = min(architecture.limits.kernel_instructions, most)
    if text.count(";") <= allowed:
        return
    bare = _COMMENT.sub("", text) if "//" in text or "/*" in text else text
    found = list(_ENTRY.finditer(bare))
    for function, end in zip(found, [*(f.start() for f in found[1:]), len(bare)], strict=True):
        if function[1] == "entry" and bare.count(";", function.end(), end) > allowed:
            directives = sum(1 for _ in _DIRECTIVE.finditer(bare, function.end(), end))
            place = re.search(rf"\.entry\s+{re.escape(function[2])}(?![\w$])", text)
            check_length(function[2], bare.count(";", function.end(), end) - directives, architecture, most, file,
                         text.count("\n", 0, place.start()) + 1 if place else 1)


def check_length(kernel: str, count: int, architecture, most: int, file: str, line: int) -> None:
    """Refuse a kernel of so many PTX instructions, those of the functions that it calls among them. Raises PtxError.

    A machine's limit is one of machine instructions, which are counted in the end. Here PTX stands for them: a kernel a little beyond the limit, of
    which less would be left, is refused too.
    """
    limit = architecture.limits.kernel_instructions
    if count > limit:
        raise PtxError(f"kernel {kernel} has at least {count} PTX instructions; {architecture.name} takes kernels of at most {limit} instructions "
                       "(limits.kernel_instructions)", file=file, line=line)
    if count > most:
        raise PtxError(f"kernel {kernel} has at least {count} PTX instructions; lowering takes on at most {most}, since each takes time and memory: "
                       "archdef.lower.Options(max_instructions=...) allows more", file=file, line=line)


def code_bytes(codes: list[Code], source: list, instructions: int, architecture: Architecture) -> int:
    """Give the bytes of code of so many static instructions; `source` are those of the program, which ops name as their statements.

    Routines for special operands are there once, however often they are called. The assembler's filling comes last.
    """
    isa, fetch = architecture.isa, architecture.caches.code_fetch
    asked = {(op.operation, source[op.statement]) for code in codes for op in code.ops if slow_paths(op, isa.operations)}
    routines = {(operation, isa.cost(operation, ".".join((i.opcode, *i.modifiers))).slow.instructions or 0) for operation, i in asked}
    within = sum(op.count for code in codes for op in code.ops if op.kind in (Kind.SETP, Kind.BRANCH))      # what is executed of them
    length = instructions - within + sum(length for _, length in routines) + (fetch.tail_instructions if fetch else 0)
    alignment_bytes = fetch.alignment_bytes if fetch else 16
    return -(-length * isa.instruction_bytes // alignment_bytes) * alignment_bytes
