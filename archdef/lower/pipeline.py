"""Passes as data: what each needs of the code, what it gives and what it takes away. `check` holds an order of passes to that, `run` runs them."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from archdef._deprecation import renamed_word
from archdef.errors import PluginError, nearest
from archdef.lower.layout import Layout
from archdef.lower.options import Options
from archdef.lower.virtual import Code, Op, Unit
from archdef.ptx import ir
from archdef.spec import FrozenMap

__all__ = ["AT_FIRST", "FACTS", "FLOW", "Context", "Pass", "Ran", "after", "before", "changed", "check", "run"]

FACTS: dict[str, str] = {
    "selected": "every operation is still the one that its instruction was selected as: nothing has become an operand of another",
    "unfused": "a product and the sum that reads it are two operations",
    "load order": "the flags of loads say which of them are ordered, and not yet which caches they use",
    "reachable": "control gets to every operation",
    "labels": "every block that has a name is one to which a branch goes, and no branch goes to what comes next anyway",
    "spaces": "accesses whose space is known name it",
    "checked": "the machine has what accesses ask for, and atomic operations are those of their space",
    "operands": "constants, parameters and copies are operands where they can be",
    "fused": "products and sums that the machine does as one are one",
    "branches": "branches that become guards have become guards",
    "coalesced": "copies whose ends can share a register are gone",
    "charged": "what is issued besides the operations of the source is there",
}
"""What may be so of the code of a function between two passes. A plugin may say more, by names with its own and a dot in front: ``mine.sorted``."""
AT_FIRST = frozenset(("selected", "unfused", "load order"))
"""What is so of code as it was selected."""
FLOW = "flow"
"""What `Pass.invalidates` names besides facts: what is kept of the ways among blocks, see `archdef.lower.graph.Graph`, is found out anew behind the pass."""


@attrs.define(eq=False, kw_only=True)
class Context:
    """One function on its way through the passes, and all that they may ask for by name."""

    code: Code
    unit: Unit
    architecture: Any
    options: Options
    module: ir.Module
    source: list[ir.Instruction]
    """Instructions of all functions of the kernel; `Op.statement` counts them."""
    layout: Layout
    room: int
    """Registers of a thread that cost nothing."""
    rolled: frozenset[int] = frozenset()
    """Statements at whose start the source forbids that a loop is unrolled."""
    found: dict[str, Any] = attrs.Factory(dict)
    """What passes found out for others, by the name that `Pass.result` gives it."""
    scaled: frozenset[int] = frozenset()
    """Products by a power of two that are part of a 32-bit address."""
    addresses: set[int] = attrs.Factory(set)
    """Registers that are charged as 32-bit pointers."""

    @property
    def assembler(self) -> Any:
        """What the machine declares of its assembler."""
        return self.architecture.isa.assembler

    @property
    def pointer_bits(self) -> int:
        """Width at which address arithmetic is charged."""
        return 32 if self.options.pointer_width and self.architecture.isa.pointer_bits == 32 else 64


_ASKED = frozenset(a.name for a in attrs.fields(Context)) | {"assembler", "pointer_bits"}
_SWITCHES = frozenset(a.name for a in attrs.fields(Options))


def _words(given: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(given.split() if isinstance(given, str) else given)


def _facts(given: str | Iterable[str]) -> frozenset[str]:
    """Facts, in one text with commas between them, or as words."""
    return frozenset(one.strip() for one in given.split(",") if one.strip()) if isinstance(given, str) else frozenset(given)


@attrs.frozen(kw_only=True, eq=False)
class Pass:
    """One pass: a function over the code of a function, what switches it, and what must be so of the code when it runs."""

    name: str
    """Its name, once in a pipeline."""
    function: Callable[..., Any]
    """What it does to the code, in place; the first sentence of its documentation says so."""
    takes: tuple[str, ...] = attrs.field(default=("code",), converter=_words)
    """What it is given, in this order: attributes of `Context`, or results of passes before it."""
    fields: Mapping[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap)
    """Keyword → the field of the machine's assembler whose value it is given."""
    result: str | None = None
    """Name of what it returns, by which passes behind it are given that: an attribute of `Context`, or a word of its own."""
    options: tuple[str, ...] = attrs.field(default=(), converter=_words)
    """Fields of `Options` all of which must be set."""
    declared: tuple[str, ...] = attrs.field(default=(), converter=_words)
    """Fields of the machine's assembler of which one at least must be declared: something else than their default."""
    unless: str | None = None
    """Field of the machine's assembler with which another pass takes its place."""
    pointer_bits: int | None = None
    """Width of address arithmetic with which alone it runs."""
    requires: frozenset[str] = attrs.field(default=frozenset(), converter=_facts)
    """`FACTS` that must be so."""
    gives: frozenset[str] = attrs.field(default=frozenset(), converter=_facts)
    """Facts that are so afterwards, as far as `Options` and the machine want them."""
    invalidates: frozenset[str] = attrs.field(default=frozenset(), converter=_facts)
    """Facts that are so no more, unless it gives them; and `FLOW`, where it makes blocks, or changes the ways among them."""

    @property
    def summary(self) -> str:
        """The first sentence of what its function says of itself."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    def skipped(self, context: Context) -> str:
        """Say why it does not run; empty: it runs."""
        assembler = context.assembler
        if off := [name for name in self.options if not getattr(context.options, name)]:
            return f"option {off[0]} is off"
        if self.declared and not any(_is_declared(assembler, name) for name in self.declared):
            return f"the assembler has no {' or '.join(self.declared)}"
        if self.unless is not None and getattr(assembler, self.unless, False):
            return f"the assembler has {self.unless}"
        if self.pointer_bits not in (None, context.pointer_bits):
            return f"pointers have {context.pointer_bits} bits"
        return ""

    def __call__(self, context: Context) -> None:
        """Run on the code of one function."""
        graph = context.code.graph
        version = graph.version
        made = self.function(*[getattr(context, name) if name in _ASKED else context.found[name] for name in self.takes],
                             **{keyword: getattr(context.assembler, name) for keyword, name in self.fields.items()})
        if FLOW in self.invalidates:
            graph.changed()
        elif graph.version != version:
            raise PluginError(f"the pass {self.name} changes the ways among blocks, and does not say that it invalidates {FLOW!r}")
        if self.result in _ASKED:
            setattr(context, self.result, made)
        elif self.result is not None:
            context.found[self.result] = made


def _is_declared(assembler: Any, name: str) -> bool:
    """Tell whether a field of an assembler is there and not at its default."""
    field = attrs.fields_dict(type(assembler)).get(name)
    return field is not None and getattr(assembler, name) != field.default


def check(passes: Sequence[Pass], fields: frozenset[str] | None = None) -> None:
    """Refuse an order in which a pass finds the code in a state that it is not made for. Raises PluginError.

    `fields` are those of the assembler that the passes are for; one that a pass names and the assembler has not is refused, too. A pass that is switched
    off counts as if it had run: what it would have given is then not wanted, and passes behind it leave that alone.
    """
    holds, lost, names, known = set(AT_FIRST), {}, set(), set(_ASKED)
    for one in passes:
        if one.name in names:
            raise PluginError(f"two passes of lowering are called {one.name}")
        names.add(one.name)
        _check_words(one, known, fields)
        for fact in sorted(one.requires - holds):
            why = f"{lost[fact]} before it takes that away" if fact in lost else "no pass before it gives that"
            raise PluginError(f"the pass {one.name} needs {fact!r} ({FACTS.get(fact, 'a fact of a plugin')}): {why}")
        lost |= dict.fromkeys(one.invalidates & holds, one.name)
        holds = holds - one.invalidates | one.gives
        known |= {one.result} - {None}


def _check_words(one: Pass, known: set[str], fields: frozenset[str] | None) -> None:
    """Refuse what a pass names and nobody knows; `known`: what passes may be given; `fields`: of the assembler. Raises PluginError."""
    facts = {fact for fact in one.requires | one.gives | one.invalidates - {FLOW} if "." not in fact}
    for given, words, what in ((one.takes, known, "an attribute of a context, nor what a pass before it finds"), (one.options, _SWITCHES, "an option"),
                               (facts, FACTS, "a fact"),
                               ((*one.declared, *one.fields.values()) if fields is not None else (), fields or (), "a field of the assembler")):
        for word in given:
            if word not in words:
                raise PluginError(f"the pass {one.name} names {word!r}, which is not {what}{nearest(word, words)}")


def before(passes: Sequence[Pass], name: str, *new: Pass) -> tuple[Pass, ...]:
    """Give a pipeline with more passes, which come right before the one of that name."""
    at = _place(passes, name)
    return (*passes[:at], *new, *passes[at:])


def after(passes: Sequence[Pass], name: str, *new: Pass) -> tuple[Pass, ...]:
    """Give a pipeline with more passes, which come right behind the one of that name."""
    at = _place(passes, name) + 1
    return (*passes[:at], *new, *passes[at:])


def changed(passes: Sequence[Pass], name: str, **changes: Any) -> tuple[Pass, ...]:
    """Give a pipeline in which the pass of that name is another in some of its fields."""
    at = _place(passes, name)
    return (*passes[:at], attrs.evolve(passes[at], **changes), *passes[at + 1:])


def _place(passes: Sequence[Pass], name: str) -> int:
    names = [one.name for one in passes]
    name = renamed_word(name, names)
    if name not in names:
        raise PluginError(f"there is no pass {name!r}{nearest(name, names)}")
    return names.index(name)


# ---------------------------------------------------------------------------------------------------------------- running
@attrs.frozen(kw_only=True)
class Ran:
    """What one pass did to the code of one function."""

    function: str
    """Function of the kernel."""
    name: str
    summary: str
    skipped: str
    """Why it did not run; empty: it ran."""
    before: int
    """Micro-ops that it found."""
    after: int
    """Micro-ops that it left."""
    changed: int
    """Of those that it left, those that are new or not what they were."""
    moved: bool
    """Whether those that it left as they were are in another order."""


def run(passes: Iterable[Pass], context: Context, trace: list[Ran] | None = None) -> None:
    """Run passes on the code of one function; with `trace`, say there what each did."""
    for one in passes:
        skipped = one.skipped(context)
        if trace is None:
            if not skipped:
                one(context)
            continue
        ops = context.code.ops                   # keeps what goes, so that nothing new has its identity
        found = {id(op): (place, _content(op)) for place, op in enumerate(ops)}
        if not skipped:
            one(context)
        left = context.code.ops
        kept = [found[id(op)][0] for op in left if id(op) in found and found[id(op)][1] == _content(op)]
        trace.append(Ran(function=context.code.function.name, name=one.name, summary=one.summary, skipped=skipped, before=len(ops),
                         after=len(left), changed=len(left) - len(kept), moved=kept != sorted(kept)))


def _content(op: Op) -> tuple:
    return tuple(tuple(value) if isinstance(value, list) else value for value in attrs.astuple(op, recurse=False))
