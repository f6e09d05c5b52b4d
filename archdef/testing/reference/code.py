"""From an IR instruction to a step: a Python function that does to one thread what the manual says.

Meanings register themselves with `means`. Each gets the instruction's dotted words and must take every one of them: what is left over
is unknown to the reference, and an error.
"""
from __future__ import annotations

import struct
from collections.abc import Callable

import attrs

from archdef.ptx import ir
from archdef.ptx.names import TYPES
from archdef.testing.reference import specials
from archdef.testing.reference.errors import unknown
from archdef.testing.reference.layout import Layout
from archdef.testing.reference.types import FLOATS, extend, width

Act = Callable
"""Takes a thread; what it returns depends on the kind of step."""


@attrs.define(slots=True, eq=False)
class Step:
    """One instruction, ready to run."""

    kind: str
    """``plain``; ``branch``, ``call``, ``return``, ``exit``, ``trap``; ``barrier``, ``warp``; ``until``, which waits until it holds."""
    act: Act
    instruction: ir.Instruction = None
    holds: Act | None = None
    """The guard."""
    details: object = None


Meaning = Callable[["Context", ir.Instruction, "Words"], Step]
MEANINGS: dict[str, Meaning] = {}


def means(*opcodes: str):
    """Register what opcodes mean; ``cp.async.bulk`` is every instruction that begins so, and goes before ``cp.async`` and ``cp``."""
    def register(meaning: Meaning) -> Meaning:
        MEANINGS.update(dict.fromkeys(opcodes, meaning))
        return meaning
    return register


class Words:
    """The dotted words of an instruction that are no types, taken one by one."""

    def __init__(self, instruction: ir.Instruction):
        self.instruction = instruction
        self.left = [m for m in instruction.modifiers if m not in TYPES]

    def flag(self, word: str) -> bool:
        """Take a word if it is there."""
        if word in self.left:
            self.left.remove(word)
            return True
        return False

    def one(self, *choices: str, default: str | None = None) -> str:
        """Take one of several words; without a default it must be there."""
        found = [w for w in self.left if w in choices]
        if not found:
            if default is None:
                raise unknown(self.instruction, f"form without one of .{' .'.join(choices)}")
            return default
        self.left.remove(found[0])
        return found[0]

    def ignore(self, *words: str) -> None:
        """Take words that change no value."""
        self.left = [w for w in self.left if w not in words]

    def finish(self) -> None:
        """Refuse what nobody took."""
        if self.left:
            raise unknown(self.instruction, f"meaning for .{self.left[0]} here")


@attrs.define(slots=True, eq=False)
class Context:
    """The function that a step belongs to."""

    module: ir.Module
    function: ir.Function
    layout: Layout
    warp_size: int

    def compile(self, instruction: ir.Instruction) -> Step:
        """Make the step of an instruction."""
        words = (instruction.opcode, *instruction.modifiers)
        meaning = next(filter(None, (MEANINGS.get(".".join(words[:count])) for count in (3, 2, 1))), None)
        if meaning is None:
            raise unknown(instruction, f"meaning for {instruction.opcode}")
        words = Words(instruction)
        step = meaning(self, instruction, words)
        words.finish()
        step.instruction = instruction
        if instruction.guard is not None:
            step.holds = self.predicate(instruction, instruction.guard)
        return step

    # ---------------------------------------------------------------------------------------------------------- sources
    def source(self, i: ir.Instruction, operand: ir.Operand, type: str) -> Act:
        """Give a function of a thread: the operand's pattern, cut to the width of `type`."""
        bits = width(type)
        mask = (1 << bits) - 1
        if isinstance(operand, ir.Register):
            name, has = operand.name, width(operand.type)
            if has < bits:
                raise unknown(i, f"meaning for the {has}-bit register {name} read as .{type}")
            return lambda t: t.registers.get(name, 0) & mask
        if isinstance(operand, ir.Immediate):
            value = literal(operand, type) & mask
            return lambda t: value
        if isinstance(operand, ir.Special):
            read = specials.reader(operand.name, self.warp_size)
            if read is None:
                raise unknown(i, f"special register {operand.name}")
            return lambda t: read(t) & mask
        if isinstance(operand, ir.Symbol):
            value = self.layout.address(self.function.name, operand)
            place = self.layout.find(self.function.name, operand.name)
            if place is not None and place[0] == "local":
                return lambda t: value + t.local_base & mask
            return lambda t: value & mask
        raise unknown(i, "meaning for this operand")

    def sources(self, i: ir.Instruction, types) -> list[Act]:
        """Give the sources behind the destination, with one type each."""
        types = list(types)
        if len(i.operands) != len(types) + 1:
            raise unknown(i, f"form with {len(i.operands)} operands")
        return [self.source(i, operand, type) for operand, type in zip(i.operands[1:], types)]

    def predicate(self, i: ir.Instruction, operand: ir.Operand) -> Act:
        """Give a predicate source as a function to bool."""
        if isinstance(operand, ir.Immediate):
            value = bool(operand.value)
            return lambda t: value
        if not isinstance(operand, ir.Predicate):
            raise unknown(i, "meaning for a predicate that is none")
        name = operand.name
        if operand.negated:
            return lambda t: not t.registers.get(name, 0)
        return lambda t: bool(t.registers.get(name, 0))

    # ----------------------------------------------------------------------------------------------------- destinations
    def destination(self, i: ir.Instruction, operand: ir.Operand | None, type: str) -> Callable:
        """Give a function of a thread and a pattern that stores it; a wider register takes it extended by its type."""
        if operand is None or isinstance(operand, ir.Vector) and operand.elements == (None,):
            return lambda t, pattern: None
        if not isinstance(operand, ir.Register):
            raise unknown(i, "meaning for a destination that is no register")
        name, has = operand.name, width(operand.type)
        if has < width(type):
            raise unknown(i, f"meaning for a result of .{type} in the {has}-bit register {name}")

        mask = (1 << width(type)) - 1
        if type[0] != "s" or has == width(type):
            def store(t, pattern):
                t.registers[name] = pattern & mask
        else:
            def store(t, pattern):
                t.registers[name] = extend(type, pattern, has)
        return store

    def predicate_destinations(self, i: ir.Instruction, operand: ir.Operand) -> tuple[Callable, Callable]:
        """Give what stores ``p`` and ``q`` of ``p|q``; either may be absent."""
        pair = (operand.first, operand.second) if isinstance(operand, ir.PredicatePair) else (operand, None)

        def storer(part):
            if part is None or isinstance(part, ir.Vector):
                return lambda t, value: None
            if not isinstance(part, ir.Predicate):
                raise unknown(i, "meaning for a predicate destination that is none")
            name = part.name

            def store(t, value):
                t.registers[name] = int(value)
            return store
        return storer(pair[0]), storer(pair[1])

    def calculate(self, i: ir.Instruction, type: str, types, function: Callable) -> Step:
        """Make the usual step: patterns in, ``function`` of them, pattern out."""
        read, store = self.sources(i, types), self.destination(i, i.operands[0], type)
        bits = (1 << width(type)) - 1
        return Step("plain", lambda t: store(t, function(*[r(t) for r in read]) & bits))


def literal(operand: ir.Immediate, type: str) -> int:
    """Give the pattern of a constant as an operand of a type."""
    value = operand.value
    if operand.bits is not None and operand.bits_width == width(type):
        return operand.bits
    if type in FLOATS or isinstance(value, float):
        form = {16: "<e", 32: "<f", 64: "<d"}[width(type)]  # of bf16 PTX has no literals
        try:
            return int.from_bytes(struct.pack(form, float(value)), "little")
        except OverflowError:
            return int.from_bytes(struct.pack(form, float("inf") if value > 0 else float("-inf")), "little")
    return value
