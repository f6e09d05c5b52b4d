"""The typed form of a PTX module: what the parser builds and every later step reads. Plain data, no behaviour.

Types are PTX's own names without the dot: ``u8 … u64, s8 … s64, b8 … b64, f16, f32, f64, pred``.
"""
from __future__ import annotations

import attrs

from archdef.errors import PtxError


@attrs.frozen(slots=True)
class Where:
    """A place in the PTX text, and the source line that the compiler's ``.loc`` ties to it."""

    line: int
    """1-based line of the PTX text."""
    column: int = 1
    """1-based column."""
    file: str | None = None
    """Source file of the last ``.loc``, or None."""
    source_line: int | None = None
    """Line in `file`, or None."""


# ------------------------------------------------------------------------------------------------------------ operands
@attrs.frozen(slots=True)
class Register:
    """A virtual register, ``%r1`` or a name declared by ``.reg``."""

    name: str
    type: str


@attrs.frozen(slots=True)
class Predicate:
    """A predicate register used as an operand or guard, possibly negated (``!%p1``)."""

    name: str
    negated: bool = False


@attrs.frozen(slots=True)
class Immediate:
    """A literal. Integers keep Python's exact value; floats are Python floats; ``0f…``/``0d…`` keep their exact bits."""

    value: int | float
    bits: int | None = None
    """Bit pattern of a hexadecimal floating-point literal, else None."""
    bits_width: int = 0
    """32 for ``0f…``, 64 for ``0d…``, else 0."""


@attrs.frozen(slots=True)
class Special:
    """A special register, ``%tid.x``, or the symbol ``WARP_SZ``."""

    name: str


@attrs.frozen(slots=True)
class Symbol:
    """The address of a variable, parameter or function, plus a byte offset."""

    name: str
    offset: int = 0
    generic: bool = False
    """Whether an initialiser asks for the generic address, ``generic(x)``, and not the one inside the variable's space."""


@attrs.frozen(slots=True)
class Address:
    """A memory operand ``[base + offset]``; base is a register, a variable or parameter, or None for an absolute address."""

    base: Register | Symbol | None
    offset: int = 0


@attrs.frozen(slots=True)
class Vector:
    """``{a, b, …}``; None stands for the sink ``_``."""

    elements: tuple[Operand | None, ...]


@attrs.frozen(slots=True)
class PredicatePair:
    """``%p|%q``: two destinations, the second takes the complement (or, for shuffles, is the validity predicate)."""

    first: Register | Predicate | None
    second: Predicate | None


@attrs.frozen(slots=True)
class Label:
    """A branch target."""

    name: str


@attrs.frozen(slots=True)
class CallTarget:
    """Callee, return parameters and arguments of a ``call``; names of ``.param`` variables, registers or immediates."""

    callee: Symbol | Register
    returns: tuple[str, ...]
    arguments: tuple[str | Operand, ...]


Operand = (Register | Predicate | Immediate | Special | Symbol | Address | Vector | PredicatePair | Label | CallTarget)


# ---------------------------------------------------------------------------------------------------------- statements
@attrs.frozen(slots=True)
class Instruction:
    """One PTX instruction: ``@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8];``.

    `opcode` is the first word (``ld``), `modifiers` all dotted words after it in order, types among them
    (``("global", "v2", "f32")``); `types` are those of them that are types, in order (``("f32",)``).
    """

    opcode: str
    modifiers: tuple[str, ...]
    types: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Predicate | None
    where: Where
    text: str
    """The instruction as written, in one line, for messages and listings."""
    selectors: tuple[str, ...] = ()
    """Of a video instruction, for each operand: the part that it takes, ``b0`` or ``h10``, behind ``-`` if it is negated; empty: the word."""

    def __str__(self) -> str:
        return f"PTX line {self.where.line} `{self.text}`"


@attrs.frozen(slots=True)
class Variable:
    """A declared variable, or a parameter."""

    name: str
    space: str
    """``global, const, shared, local, param``, or ``reg`` for a ``.reg`` parameter of a function."""
    type: str
    count: int
    """Number of elements of `type`; 1 for a scalar, 0 for an extern array of unknown size."""
    align: int
    initial: bytes | None = None
    """Initial contents; shorter than the variable if the rest is zero; None if not initialised."""
    relocations: tuple[tuple[int, Symbol], ...] = ()
    """``(byte offset, symbol)``: places of `initial` that hold the address of another variable."""
    extern: bool = False
    pointer: bool = False
    where: Where = Where(0)
    linkage: str = ""
    """``visible, weak, common``, or empty for what belongs to its module alone."""
    opaque: str | None = None
    """``texref``, ``samplerref`` or ``surfref``: a 64-bit cell whose address stands for what the host binds to it."""
    shape: tuple[int, ...] = ()
    """Sizes of an array as declared, the lanes of a vector last; empty for a scalar."""
    managed: bool = False
    """``.attribute(.managed)``: the host uses it too."""
    offset: int | None = None
    """Where it lies already, from where the module's variables of its space begin; None if that is still to be settled."""

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        return self.count * (int(self.type[1:]) // 8 if self.type != "pred" else 1)


@attrs.frozen(slots=True)
class Function:
    """An ``.entry`` or a ``.func`` with its body."""

    name: str
    entry: bool
    parameters: tuple[Variable, ...]
    returns: tuple[Variable, ...]
    registers: dict[str, str]
    """Declared register → type; parameterised ``%r<9>`` are listed one by one only as they are used."""
    variables: dict[str, Variable]
    """Variables declared inside the body: shared, local, param (call frames)."""
    body: tuple[Instruction, ...]
    labels: dict[str, int]
    """Label → index into `body` of the instruction that follows it (``len(body)`` at the end)."""
    branch_targets: dict[str, tuple[str, ...]]
    """``.branchtargets`` lists of ``brx.idx``, by name."""
    directives: dict[str, tuple[int, ...]]
    """``maxntid, reqntid, minnctapersm, maxnreg``."""
    where: Where = Where(0)
    defined: bool = True
    """False for a declaration without a body (``.extern .func vprintf``)."""
    prototypes: dict[str, tuple[tuple[Variable, ...], tuple[Variable, ...]]] = attrs.Factory(dict)
    """``.callprototype`` of indirect calls, by label: returns and parameters."""
    call_targets: dict[str, tuple[str, ...]] = attrs.Factory(dict)
    """``.calltargets`` lists of functions, by label."""
    linkage: str = ""
    """``visible, weak, extern``, or empty for what belongs to its module alone."""
    rolled: frozenset[int] = frozenset()
    """Indices into `body` behind each ``.pragma "nounroll"``: the loop that starts there stays as it is."""
    broken: PtxError | None = None
    """What is wrong with a body that could not be read, and is empty here: an error of the kernels that reach it."""


@attrs.frozen(slots=True)
class Module:
    """A parsed PTX file."""

    file: str
    version: tuple[int, int]
    target: str
    address_size: int
    functions: dict[str, Function]
    variables: dict[str, Variable]
    """Module-scope variables: global, const, shared (extern ones too)."""
    lines: tuple[str, ...]
    """The PTX text, line by line, for error messages and listings."""
    parts: tuple[tuple[int, str], ...] = ()
    """First line and file of each module that was linked into this one; empty if it is the only one."""

    def place(self, line: int) -> tuple[str, int]:
        """Give the file, and the line in it, of a line of this module."""
        first, file = max((part for part in self.parts if part[0] <= line), default=(1, self.file))
        return file, line - first + 1
