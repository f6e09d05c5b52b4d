"""What a program says of the PTX that it was made from: its parameters, addresses that the host fills in, its statements."""
from __future__ import annotations

import attrs


@attrs.frozen(slots=True)
class Parameter:
    """One kernel parameter in the parameter buffer."""

    name: str
    offset: int
    """Bytes from the start of the buffer."""
    type: str
    """PTX type; of the elements for an array (a struct passed by value is a `b8` array)."""
    bytes: int
    pointer: bool = False
    """Declared ``.ptr``."""


@attrs.frozen(slots=True)
class Relocation:
    """A place in a module image that holds an address known only to the host."""

    space: str
    """Image to patch: ``global`` or ``const``."""
    offset: int
    bytes: int
    kind: int
    """ConstantKind of the address that belongs there."""
    value: int
    """Offset to add to it."""


@attrs.frozen(slots=True)
class Statement:
    """One PTX instruction: what counters are charged to."""

    line: int
    """Line of the PTX text."""
    column: int
    file: str | None
    """CUDA source file, where `.loc` says so."""
    source_line: int | None
    text: str
    opcode: str
    function: str
    """PTX function that holds it."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.source_line}, " if self.file and self.source_line is not None else ""
        return f"{place}PTX line {self.line} `{self.text}`"
