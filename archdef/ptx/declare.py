"""Variable and parameter declarations, with array sizes, alignment and initialisers."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from .expression import constant, integer, starts_constant
from .ir import Immediate, Symbol, Variable, Where
from .names import REGISTER_TYPES, VARIABLE_TYPES
from .scan import Cursor, clip, suggest

SPACES = frozenset((".global", ".const", ".shared", ".local", ".param"))
OPAQUE = frozenset((".texref", ".samplerref", ".surfref"))
"""Types of variables that stand for a texture, sampler or surface."""
_FLOAT_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_LARGEST_INITIAL = 64 << 20
"""Bytes of initial contents in one module: ``x[2][1000000000] = {{1}, {2}}`` must not eat the host's memory."""
_MOST_DIMENSIONS = 16
_MOST_BYTES = 1 << 40


class Declarations:
    """Reads declarations from a cursor; one per module, because the budget of initial contents is the module's."""

    def __init__(self, cursor: Cursor, address_size: int, where: Callable[[int], Where]):
        self.cursor, self.address_size = cursor, address_size
        self.where = where
        """Gives the place of a token; a variable's is its name's."""
        self.budget = _LARGEST_INITIAL
        self.opaque: str | None = None
        """Kind of reference that the declaration being read makes."""
        self.managed = False
        """Whether the variables of that declaration are managed."""
        self.references: list[tuple[str, int]] = []
        """Names of initialisers, with their tokens: they may be declared later."""

    def variables(self, space: str, extern: bool) -> list[Variable]:
        """Read what follows a space, ``.align 8 .b8 a[4] = {1, 2}, b;``, up to and with the semicolon."""
        cursor = self.cursor
        if space == "const" and cursor.next_is("["):  # .const[2]: numbered banks of PTX 1
            integer(cursor, "the bank")
            cursor.expect("]", "the bank")
        type, lanes, align, pointer = self._type(space)
        found = [self._declarator(space, type, lanes, align, pointer, extern)]
        while cursor.next_is(","):
            found.append(self._declarator(space, type, lanes, align, pointer, extern))
        cursor.expect(";", "the declaration")
        return found

    def parameters(self) -> list[Variable]:
        """Read ``(.param .u64 a, .reg .u32 %b)``; the space of registers is ``reg``."""
        cursor, found = self.cursor, []
        cursor.expect("(", "the name")
        while not cursor.next_is(")"):
            if found:
                cursor.expect(",", "a parameter")
            if cursor.next_is(".reg"):
                type, where = register_type(cursor), self.where(cursor.at)
                found.append(Variable(cursor.word("a register"), "reg", type, 1, 1, where=where))
                continue
            if not cursor.next_is(".param"):
                raise cursor.fail(f"expected `.param`, `.reg` or `)`, got {cursor.shown()}")
            type, lanes, align, pointer = self._type("param")
            found.append(self._declarator("param", type, lanes, align, pointer, False))
        return found

    # ------------------------------------------------------------------------------------------------------------ parts
    def _type(self, space: str) -> tuple[str, int, int, bool]:
        cursor, type, lanes, align, pointer, self.opaque, self.managed = self.cursor, None, 1, 0, False, None, False
        while (word := cursor.texts[cursor.at])[:1] == ".":
            at = cursor.at
            cursor.at += 1
            if word == ".align":
                at, n = cursor.at, integer(cursor, "an alignment", 1)
                if n & (n - 1) or n > 1 << 20:
                    raise cursor.fail(f"an alignment must be a power of two, got {n}", at)
                align = align if pointer else n  # behind .ptr it is the alignment of what the pointer points at
            elif word == ".ptr":
                pointer = True
            elif pointer and word in SPACES:
                pass
            elif word in (".v2", ".v4", ".v8"):
                lanes = int(word[2:])
            elif word == ".attribute":
                first = cursor.at
                skip_parentheses(cursor)
                self.managed |= ".managed" in cursor.texts[first:cursor.at]
            elif word in OPAQUE and space in ("global", "param") and type is None:
                type, self.opaque = "b64", word[1:]  # a cell that stands for what the host binds to it
            elif word[1:] in VARIABLE_TYPES and type is None:
                type = word[1:]
            else:
                raise cursor.fail(
                    f"`{word}` is not a type of a .{space} variable{suggest(word[1:], VARIABLE_TYPES)}", at
                )
        if type is None:
            raise cursor.fail(f"a .{space} variable needs a type, got {cursor.shown()}")
        return type, lanes, align or int(type[1:]) // 8 * lanes, pointer

    def _declarator(self, space, type, lanes, align, pointer, extern) -> Variable:
        cursor = self.cursor
        at = cursor.at
        unnamed = space == "param" and cursor.texts[at] in (",", ")", "[")  # a prototype may leave names out
        name = "_" if unnamed else cursor.word("a variable's name")
        dimensions: list[int] = []
        while cursor.next_is("["):
            if cursor.next_is("]"):
                if dimensions:
                    raise cursor.fail("only the first size of an array may be left out", cursor.at - 1)
                dimensions.append(-1)
                continue
            dimensions.append(integer(cursor, "an array size"))
            cursor.expect("]", "the array size")
            if len(dimensions) > _MOST_DIMENSIONS:
                raise cursor.fail(f"array `{clip(name)}` has more than {_MOST_DIMENSIONS} dimensions", at)
        if lanes > 1:
            dimensions.append(lanes)
        initial, relocations = None, ()
        if cursor.next_is("="):
            if self.opaque:
                raise cursor.fail("a texture reference is bound by the host and takes no initial value", cursor.at - 1)
            if space not in ("global", "const"):
                raise cursor.fail(f"a .{space} variable cannot be initialised", cursor.at - 1)
            initial, relocations = self._initialiser(type, dimensions)
        if dimensions[:1] == [-1]:
            if initial is None and not extern and space != "param":
                raise cursor.fail(f"array `{clip(name)}` has no size", at)
            inner = math.prod(dimensions[1:]) * (int(type[1:]) // 8)
            dimensions[0] = -(-len(initial) // inner) if initial and inner else 0
        count = math.prod(dimensions)
        if count * (int(type[1:]) // 8) >= 1 << (self.address_size - 1):
            raise cursor.fail(f"`{clip(name)}` does not fit {self.address_size}-bit addresses", at)
        if count * (int(type[1:]) // 8) > _MOST_BYTES:
            raise cursor.fail(f"`{clip(name)}` takes more than {_MOST_BYTES:,} bytes, which no machine has", at)
        return Variable(
            name, space, type, count, align, initial, relocations, extern, pointer, self.where(at), opaque=self.opaque,
            shape=tuple(dimensions), managed=self.managed
        )

    # ----------------------------------------------------------------------------------------------------- initialisers
    def _initialiser(self, type: str, dimensions: list[int]) -> tuple[bytes, tuple[tuple[int, Symbol], ...]]:
        cursor, size = self.cursor, int(type[1:]) // 8
        data, relocations = bytearray(), []
        if not dimensions:
            self._element(type, size, 0, 1, data, relocations)
            return bytes(data), tuple(relocations)
        # strides[d] is the number of elements one step of dimension d spans; an open size counts as unlimited.
        strides = [math.prod(dimensions[d + 1 :]) for d in range(len(dimensions))]
        ends = [math.prod(dimensions) if dimensions[0] >= 0 else 1 << 62]
        position = 0
        cursor.expect("{", "`=` of an array")
        while ends:
            # Invariant: position is the next element; ends[d] is where the list opened at depth d must stop.
            if cursor.next_is("}"):
                end = ends.pop()
                position = end if ends else position
                if ends and cursor.texts[cursor.at] != "}":
                    cursor.expect(",", "`}`")
                continue
            if cursor.next_is("{"):
                if len(ends) == len(dimensions):
                    raise cursor.fail("more braces than the array has dimensions", cursor.at - 1)
                end = position + strides[len(ends) - 1]
                if end > ends[-1]:
                    raise cursor.fail("more initial values than the array has elements", cursor.at - 1)
                ends.append(end)
                continue
            self._element(type, size, position, ends[-1], data, relocations)
            position += 1
            if cursor.texts[cursor.at] != "}":
                cursor.expect(",", "an initial value")
        return bytes(data), tuple(relocations)

    def _element(self, type, size, position, end, data, relocations) -> None:
        cursor = self.cursor
        if position >= end:
            raise cursor.fail("more initial values than the array has elements")
        missing = (position + 1) * size - len(data)
        self.budget -= missing
        if self.budget < 0:
            raise cursor.fail(f"the initial contents take more than {_LARGEST_INITIAL >> 20} MiB")
        at = cursor.at
        symbol = None if starts_constant(cursor.texts[at]) else self._address(size)
        if symbol is None:
            value = constant(cursor)
            encoded = encode(value, type)
            if encoded is None:
                raise cursor.fail(f"{value.value} does not fit .{type}", at)
        else:
            encoded = bytes(size)
            relocations.append((position * size, symbol))
        data.extend(bytes(missing - size))
        data += encoded

    def _address(self, size: int) -> Symbol:
        """Read ``x``, ``x+8`` or ``generic(x)+8``."""
        cursor = self.cursor
        at, name, generic = cursor.at, cursor.word("an initial value"), False
        if name == "generic" and cursor.next_is("("):
            generic, at, name = True, cursor.at, cursor.word("a variable's name")
            cursor.expect(")", "the variable")
        if size * 8 < self.address_size:
            raise cursor.fail(f"an address takes {self.address_size} bits, the variable's elements have {size * 8}", at)
        self.references.append((name, at))
        distance = offset(cursor) if cursor.texts[cursor.at] in ("+", "-") else 0
        return Symbol(name, distance, generic)


def encode(value: Immediate, type: str) -> bytes | None:
    """Give the little-endian bytes of a literal stored as `type`; None if it does not fit."""
    size = int(type[1:]) // 8
    number = value.value
    if value.bits is not None and value.bits_width == size * 8:
        return value.bits.to_bytes(size, "little")
    if type in _FLOAT_FORMATS:
        try:
            return struct.pack(_FLOAT_FORMATS[type], float(number))
        except OverflowError:
            return None
    if not isinstance(number, int) or not -(1 << size * 8 - 1) <= number < 1 << size * 8:
        return None
    return (number & (1 << size * 8) - 1).to_bytes(size, "little")


def register_type(cursor: Cursor) -> str:
    """Read a register's type."""
    word = cursor.texts[cursor.at]
    if word in (".v2", ".v4", ".v8"):
        raise cursor.fail(f"vector registers (`.reg {word}`) are not supported: use one register per element")
    if word[:1] != "." or word[1:] not in REGISTER_TYPES:
        raise cursor.fail(f"expected a register's type, got {cursor.shown()}{suggest(word[1:], REGISTER_TYPES)}")
    cursor.at += 1
    return word[1:]


def skip_parentheses(cursor: Cursor) -> None:
    """Step over ``(…)``, which holds no further parentheses."""
    cursor.expect("(", "the directive")
    while not cursor.next_is(")"):
        if cursor.texts[cursor.at] in ("", ";", "{", "}"):
            raise cursor.missing(")", "the directive")
        cursor.at += 1


def offset(cursor: Cursor) -> int:
    """Read ``+8``, ``-8`` or ``+-8`` behind a name: the sign is part of the expression."""
    at = cursor.at
    value = constant(cursor).value
    if not isinstance(value, int):
        raise cursor.fail("an address offset must be a whole number", at)
    return value
