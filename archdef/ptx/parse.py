"""Parse PTX text into the typed form of `archdef.ptx.ir`, by recursive descent over the tokens of one regex."""

from __future__ import annotations

import re

import attrs

from archdef.errors import PtxError
from .declare import OPAQUE, SPACES, Declarations, offset, register_type, skip_parentheses
from .expression import constant, integer, literal, starts_constant
from .ir import (
    Address,
    CallTarget,
    Function,
    Instruction,
    Label,
    Module,
    Operand,
    Predicate,
    PredicatePair,
    Register,
    Symbol,
    Variable,
    Vector,
    Where,
)
from .names import SINK, SPECIALS, TYPES, Scope
from .scan import Cursor, Source, clip, is_name, suggest, words

_LINKAGE = frozenset((".visible", ".extern", ".weak", ".common"))
_FUNCTION_DIRECTIVES = words(
    ".maxntid .reqntid .minnctapersm .maxnctapersm .maxnreg .noreturn .explicitcluster .reqnctapercluster"
    " .maxclusterrank .blocksareclusters .abi_preserve .abi_preserve_control"
)
_NUMBERS_OF = {".maxntid": (1, 3), ".reqntid": (1, 3), ".reqnctapercluster": (1, 3), ".minnctapersm": (1, 1), ".maxnctapersm": (1, 1),
               ".maxnreg": (1, 1), ".maxclusterrank": (1, 1), ".abi_preserve": (1, 1), ".abi_preserve_control": (1, 1)}
"""Least and most numbers behind a directive of a function; others take none."""
_TIGHT_AFTER, _TIGHT_BEFORE = frozenset("[(@!{+-~|"), frozenset("],;)}+|")
"""Tokens without a blank behind, or before them, in listings."""
_COMPILERS_OWN = "__nv_nvrtc_builtin_header.h"
"""A header without text: instructions that were inlined from it belong to the line that calls it. So do those of a front end's own
headers, whose names it begins with ``<``."""
SELECTING = frozenset(f"v{op}{lanes}" for op in "add sub absdiff min max set avrg".split() for lanes in ("", "2", "4")) | {"vshl", "vshr", "vmad"}
"""Video instructions: their operands may be parts of registers."""
SELECTOR = re.compile(r"b[0-7]{1,4}|h[0-3]{1,2}")
_DEEPEST_SCOPE = 256
"""Nesting of braces in a body: names are looked up through every enclosing scope."""


def parse(text: str, file: str = "<ptx>", *, defer: bool = False) -> Module:
    """Parse one PTX module.

    Parameters
    ----------
    text : str
        PTX text, as a compiler writes it.
    file : str
        Name for messages.
    defer : bool
        Keep what is wrong inside a function's body as `Function.broken`, so that the rest of the module can be used.

    Returns
    -------
    Module
        Names declared inside nested braces are made unique by a suffix ``@n`` that PTX itself cannot spell.

    Raises
    ------
    PtxError
        At ``file:line:column``, for anything that is not well formed; no other exception leaves, whatever the text.

    Notes
    -----
    Opcodes are not checked: the instruction table decides what is known. An operand ``[t, {x, y}]`` of a texture or
    bulk-copy instruction becomes several operands in a row, ``Address(t)`` and the vector; a lone ``_`` becomes a
    vector of one sink. A ``.reg`` parameter of a function is a `Variable` of space ``reg``. An indirect call carries
    its prototype's label as a second operand. Of a ``.loc`` with ``inlined_at`` the place inside the inlined function
    is kept, unless that is in a header of the compiler or its toolkit.
    """
    return _Parser(text, file, defer).module()


@attrs.define(slots=True, eq=False)
class _Body:
    """A function while its body is read."""

    name: str
    scope: Scope
    parameters: frozenset[str]
    """Names of the function's own .param parameters and return values."""
    variables: dict[str, Variable] = attrs.Factory(dict)
    instructions: list[Instruction] = attrs.Factory(list)
    labels: dict[str, int] = attrs.Factory(dict)
    rolled: set[int] = attrs.Factory(set)
    targets: dict[str, tuple[str, ...]] = attrs.Factory(dict)
    jumps: list[tuple[int, Scope, str, int]] = attrs.Factory(list)
    """``(instruction, scope, label as written, token)`` of every use of a label: labels are known only at the end."""
    target_lists: list[tuple[str, Scope, list[tuple[str, int]]]] = attrs.Factory(list)
    prototypes: dict[str, tuple[tuple[Variable, ...], tuple[Variable, ...]]] = attrs.Factory(dict)
    call_targets: dict[str, tuple[str, ...]] = attrs.Factory(dict)
    scopes: list[Scope] = attrs.Factory(list)
    """Every scope of the function, for its registers."""


class _Parser(Cursor):
    __slots__ = (
        "address_size",
        "aliases",
        "body",
        "declarations",
        "defer",
        "files",
        "functions",
        "globals",
        "heads",
        "loc_file",
        "loc_line",
        "references",
        "scope",
        "variables",
    )

    def __init__(self, text: str, file: str, defer: bool):
        super().__init__(Source(text, file))
        self.defer = defer
        self.globals = self.scope = Scope()
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.files = self._file_table()
        self.references: dict[tuple[str, str], int] = {}
        """Function, and name not yet declared where that uses it → token of the first use."""
        self.aliases: list[tuple[str, str, int]] = []
        self.heads: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
        """Dotted opcode → opcode, modifiers, types."""
        self.body: _Body | None = None
        self.loc_file: str | None = None
        self.loc_line: int | None = None
        self.address_size = 32

    # ----------------------------------------------------------------------------------------------------------- module
    def module(self) -> Module:
        version, target = self._header()
        self.declarations = Declarations(self, self.address_size, self._where)
        while self.texts[self.at]:
            self._module_statement()
        aliases = {alias: name for alias, name, _ in self.aliases}
        for name, at in self.declarations.references:
            if not self._is_declared(name, aliases):
                raise self._unknown(name, at, [*self.variables, *self.functions])
        for (user, name), at in self.references.items():
            if not self._is_declared(name, aliases):
                error = self._unknown(name, at, [*self.variables, *self.functions])
                if not self.defer:
                    raise error
                self.functions[user] = attrs.evolve(self.functions[user], body=(), labels={}, broken=error)
        for alias, name, at in self.aliases:
            if name not in self.functions:
                raise self.fail(f"`{clip(name)}` is not a function{suggest(name, self.functions)}", at)
            self.functions[alias] = attrs.evolve(self.functions[name], name=alias)
        return Module(
            self.source.file, version, target, self.address_size, self.functions, self.variables, self.source.lines
        )

    def _is_declared(self, name: str, aliases: dict[str, str]) -> bool:
        return name in self.functions or name in self.variables or name in aliases

    def _header(self) -> tuple[tuple[int, int], str]:
        if not self.texts[0]:
            raise self.fail("the file holds no PTX")
        if not self.next_is(".version"):
            raise self.fail(f"PTX starts with `.version`, got {self.shown()}")
        major, _, minor = self.texts[self.at].partition(".")
        if not (major.isdigit() and minor.isdigit() and len(major + minor) < 6):
            raise self.fail(f"expected a version such as 7.8, got {self.shown()}")
        self.at += 1
        if not self.next_is(".target"):
            raise self.fail(f"expected `.target` after `.version`, got {self.shown()}")
        target = self.word("a target such as sm_75")
        while self.next_is(","):
            self.word("a target option")
        if self.next_is(".address_size"):
            at, size = self.at, integer(self, "the address size")
            if size not in (32, 64):
                raise self.fail(f"the address size must be 32 or 64, got {size}", at)
            self.address_size = size
        return (int(major), int(minor)), target

    def _module_statement(self) -> None:
        start, text = self.at, self.texts[self.at]
        linkage = set()
        while text in _LINKAGE:
            linkage.add(text)
            self.at += 1
            text = self.texts[self.at]
        self.at += 1
        if text in {".entry", ".func"}:
            self._function(text == ".entry", start, _linkage(linkage))
        elif text in SPACES and text != ".param":
            self._declare_variables(text[1:], self.variables, ".extern" in linkage, _linkage(linkage - {".extern"}))
        elif linkage:
            raise self.fail(f"expected a function or a variable, got {self.shown(self.at - 1)}", self.at - 1)
        elif text == ".file":
            self._skip_file()
        elif text == ".loc":
            self._loc()
        elif text == ".section":
            self._skip_section()
        elif text == ".pragma":
            self._pragma()
        elif text == ".alias":
            alias = self.word("a function")
            self.expect(",", "the alias")
            self.aliases.append((alias, self.word("a function"), self.at - 1))
            self.expect(";", "`.alias`")
        elif text in (".tex", *OPAQUE):
            raise self.fail(f"`{text}` variables are declared in the global space: `.global .texref name;`", self.at - 1)
        elif text in (".version", ".target", ".address_size"):
            raise self.fail(f"`{text}` belongs at the start, once: a file holds one module", self.at - 1)
        elif text != ";":
            known = [*_LINKAGE, *SPACES, ".entry", ".func", ".file", ".section", ".pragma", ".alias"]
            raise self.fail(f"expected a directive, got {self.shown(self.at - 1)}{suggest(text, known)}", self.at - 1)

    def _declare_variables(self, space: str, into: dict[str, Variable], extern: bool, linkage: str = "") -> None:
        for variable in self.declarations.variables(space, extern):
            name = variable.name + self.scope.tag
            known = into.get(name)
            # A declaration may follow or precede the definition; both orders occur.
            if not self.scope.declare_variable(variable.name) and not (known and (known.extern or extern)):
                raise self._twice(variable)
            if known is None or known.extern:
                into[name] = attrs.evolve(variable, name=name, linkage=linkage) if self.scope.tag or linkage else variable

    def _twice(self, variable: Variable) -> Exception:
        where = variable.where
        place = self.source.line_starts[where.line - 1] + where.column - 1
        return self.source.error(f"`{clip(variable.name)}` is declared twice", place)

    # -------------------------------------------------------------------------------------------------------- functions
    def _function(self, entry: bool, start: int, linkage: str) -> None:
        self.loc_file = self.loc_line = None  # a line of the function before says nothing about this one
        where = self._where(start)
        returns = self.declarations.parameters() if not entry and self.texts[self.at] == "(" else []
        at, name = self.at, self.word("a function's name")
        parameters = self.declarations.parameters() if self.texts[self.at] == "(" else []
        directives = self._directives()
        known = self.functions.get(name)
        defined = self.texts[self.at] == "{"
        if known is None:
            if not self.globals.declare_variable(name):
                raise self.fail(f"`{clip(name)}` is declared twice", at)
        elif known.defined and defined:
            raise self.fail(f"function `{clip(name)}` has two bodies", at)
        body, broken = self._opened(name, returns, parameters), None
        if defined:
            opened = self.at
            try:
                self.at += 1
                self._statements(body)
                self._resolve_labels(body)
            except PtxError as error:
                end = self._end_of_body(opened) if self.defer else None
                if end is None:
                    raise
                self.at, self.body, self.scope, broken = end, None, self.globals, error.with_traceback(None)
                self.references = {use: at for use, at in self.references.items() if use[0] != name}
                body = self._opened(name, returns, parameters)
        else:
            self.expect(";", "a function without a body")
        if known is not None and known.defined:
            return
        registers = {
            operand.name: operand.type if isinstance(operand, Register) else "pred"
            for scope in body.scopes
            for operand in scope.names.values()
            if not isinstance(operand, Symbol)
        }
        self.functions[name] = Function(
            name,
            entry,
            tuple(parameters),
            tuple(returns),
            registers,
            body.variables,
            tuple(body.instructions),
            body.labels,
            body.targets,
            directives,
            where,
            defined,
            body.prototypes,
            body.call_targets,
            linkage,
            frozenset(body.rolled),
            broken,
        )

    def _opened(self, name: str, returns: list[Variable], parameters: list[Variable]) -> _Body:
        """Begin a function's body: its scope knows what is passed."""
        body = _Body(
            name, Scope(parent=self.globals), frozenset(v.name for v in (*returns, *parameters) if v.space == "param")
        )
        body.scopes.append(body.scope)
        for variable in (*returns, *parameters):
            new = (
                body.scope.declare_register(variable.name, variable.type)
                if variable.space == "reg"
                else body.scope.declare_variable(variable.name)
            )
            if not new and variable.name != "_":
                raise self._twice(variable)
        return body

    def _end_of_body(self, opened: int) -> int | None:
        """Give the token behind the brace that closes a body; None if a brace is missing."""
        depth = 0
        for at in range(opened, len(self.texts)):
            text = self.texts[at]
            if text in (".entry", ".func", ".visible", ""):
                break
            depth += (text == "{") - (text == "}")
            if not depth:
                return at + 1
        return None

    def _directives(self) -> dict[str, tuple[int, ...]]:
        found = {}
        while (word := self.texts[self.at])[:1] == ".":
            self.at += 1
            if word == ".pragma":
                self._pragma()
            elif word == ".attribute":
                skip_parentheses(self)
            elif word in _FUNCTION_DIRECTIVES:
                at, values = self.at, []
                if starts_constant(self.texts[self.at]):
                    values.append(integer(self, f"`{word}`"))
                    while self.next_is(","):
                        values.append(integer(self, f"`{word}`"))
                least, most = _NUMBERS_OF.get(word, (0, 0))
                if not least <= len(values) <= most or any(not 0 <= value < 1 << 32 for value in values):
                    raise self.fail(f"`{word}` takes {f'{least} to {most}' if least < most else most} numbers of 32 bits", at)
                found[word[1:]] = tuple(values)
            else:
                raise self.fail(f"unknown directive `{clip(word)}`{suggest(word, _FUNCTION_DIRECTIVES)}", self.at - 1)
        return found

    # ------------------------------------------------------------------------------------------------------- statements
    def _statements(self, body: _Body) -> None:
        """Read statements up to the brace that closes the body; nested scopes are a chain, not recursion."""
        opened = self.at - 1
        self.body, self.scope = body, body.scope
        texts = self.texts
        while True:
            text = texts[self.at]
            first = text[:1]
            if first.isalpha() or first in "$_%" and first:
                if texts[self.at + 1] == ":":
                    self._label(text)
                else:
                    self._instruction(None, self.at)
            elif first == "@":
                self._guarded()
            elif first == ".":
                self._body_directive(text)
            elif first == "{":
                if self.scope.depth == _DEEPEST_SCOPE:
                    raise self.fail(f"braces nested more than {_DEEPEST_SCOPE} deep")
                self.scope = Scope(self.scope, f"@{len(body.scopes)}", self.scope.depth + 1)
                body.scopes.append(self.scope)
                self.at += 1
            elif first == "}":
                self.at += 1
                if self.scope is body.scope:
                    break
                self.scope = self.scope.parent
            elif first == ";":
                self.at += 1
            elif first == "":
                raise self.fail("the body has no closing `}`", opened)
            else:
                raise self.fail(f"expected an instruction, got {self.shown()}")
        self.body, self.scope = None, self.globals

    def _label(self, name: str) -> None:
        scope, body = self.scope, self.body
        if not is_name(name):
            raise self.fail(f"`{clip(name)}` cannot be a label")
        if name in scope.labels:
            raise self.fail(f"label `{clip(name)}` is declared twice")
        unique = scope.labels[name] = name + scope.tag
        self.at += 2
        follows = self.texts[self.at]
        if follows in (".branchtargets", ".calltargets"):
            self.at += 1
            listed = [(self.word("a label"), self.at - 1)]
            while self.next_is(","):
                listed.append((self.word("a label"), self.at - 1))
            self.expect(";", f"`{follows}`")
            if follows == ".branchtargets":
                body.target_lists.append((unique, scope, listed))
            else:
                body.call_targets[unique] = tuple(function for function, _ in listed)
                for function, where in listed:
                    self.references.setdefault((body.name, function), where)
        elif follows == ".callprototype":
            self.at += 1
            returns = self.declarations.parameters() if self.texts[self.at] == "(" else []
            self.word("`_`")
            taken = self.declarations.parameters() if self.texts[self.at] == "(" else []
            body.prototypes[unique] = tuple(returns), tuple(taken)
            self._directives()
            self.expect(";", "`.callprototype`")
        else:
            body.labels[unique] = len(body.instructions)

    def _body_directive(self, text: str) -> None:
        start = self.at
        self.at += 1
        if text == ".reg":
            self._registers()
        elif text in SPACES:
            self._declare_variables(text[1:], self.body.variables, False)
        elif text == ".loc":
            self._loc()
        elif text == ".pragma":
            self._pragma()
        elif text == ".file":
            self._skip_file()
        elif text == ".extern":
            space = self.texts[self.at]
            if space not in SPACES:
                raise self.fail(f"expected a variable, got {self.shown()}")
            self.at += 1
            self._declare_variables(space[1:], self.body.variables, True)
        elif text in (".entry", ".func", ".visible", ".weak", ".version"):
            raise self.fail(f"`{text}` inside a body: the body before it has no closing `}}`", start)
        elif text == ".section":
            self._skip_section()
        else:
            known = (".reg", ".loc", ".pragma", *SPACES)
            raise self.fail(f"unknown directive `{clip(text)}`{suggest(text, known)}", start)

    def _registers(self) -> None:
        type = register_type(self)
        scope = self.scope
        while True:
            name_at, name = self.at, self.word("a register's name")
            if self.next_is("<"):
                count = literal(self).value  # no expression: its `>` would be a comparison
                if not isinstance(count, int):
                    raise self.fail("the number of registers must be a whole number", self.at - 1)
                self.expect(">", "the number of registers")
                new = scope.declare_range(name, count, type)
            else:
                new = scope.declare_register(name, type)
            if not new:
                raise self.fail(f"register `{clip(name)}` is declared twice", name_at)
            if not self.next_is(","):
                self.expect(";", "the registers")
                return

    # ----------------------------------------------------------------------------------------------------- instructions
    def _guarded(self) -> None:
        start = self.at
        self.at += 1
        negated = self.next_is("!")
        found = self._named(self.texts[self.at], self.at)
        if not isinstance(found, Predicate):
            raise self.fail(f"a guard must be a predicate register, got {self.shown()}")
        self.at += 1
        if not self.texts[self.at][:1].isalpha():
            raise self.fail(f"expected an instruction after the guard, got {self.shown()}")
        self._instruction(Predicate(found.name, True) if negated else found, start)

    def _instruction(self, guard: Predicate | None, start: int) -> None:
        texts, seen = self.texts, self.scope.seen
        word = texts[self.at]
        head = self.heads.get(word) or self._head(word)
        opcode, modifiers, types = head
        self.at += 1
        while texts[self.at][:1] == ".":  # `ld .global .u32`: blanks before a modifier are allowed
            modifiers += (texts[self.at][1:],)
            self.at += 1
            types = tuple(m for m in modifiers if m in TYPES)
        operands: list[Operand] = []
        selectors: tuple[str, ...] = ()
        if opcode in SELECTING:
            selectors = self._selected(operands)
        elif opcode == "call":
            self._call(operands)
        elif opcode in {"bra", "brx"}:
            self._branch(opcode, operands)
        elif texts[self.at] != ";":
            at = self.at
            while True:
                # The common operand, one token that this scope has met before, costs one look-up.
                operand, follows = seen.get(texts[at]), texts[at + 1]
                if operand is not None and (follows in {",", ";"}):
                    operands.append(operand)
                    at += 1
                else:
                    self.at = at
                    self._operand(operands)
                    at = self.at
                    follows = texts[at]
                if follows != ",":
                    self.at = at
                    break
                at += 1
        if texts[self.at] != ";":
            raise self.missing(",` or `;" if operands else ";", f"`{clip(texts[self.at - 1])}`")
        first = self.starts[start]
        text = self.source.text[first : self.starts[self.at] + 1]
        if "\n" in text or "\t" in text or "/" in text or "  " in text:
            text = _one_line(texts[start : self.at + 1])
        self.at += 1
        line, column = self.source.place(first)
        self.body.instructions.append(
            Instruction(
                opcode,
                modifiers,
                types,
                tuple(operands),
                guard,
                Where(line, column, self.loc_file, self.loc_line),
                text,
                selectors,
            )
        )

    def _head(self, word: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        opcode, *modifiers = word.split(".")
        if not (opcode.isalnum() and opcode[0].isalpha()):
            raise self.fail(f"expected an instruction, got the name {self.shown()}: is the opcode missing?")
        head = self.heads[word] = opcode, tuple(modifiers), tuple(m for m in modifiers if m in TYPES)
        return head

    def _selected(self, operands: list[Operand]) -> tuple[str, ...]:
        """Read operands that may be parts of registers, ``-%r1.b0``; give the parts."""
        parts = []
        while self.texts[self.at] != ";" or operands:
            at, text = self.at, self.texts[self.at]
            negated = text == "-" and not starts_constant(self.texts[at + 1])
            if negated:
                self.at, text = at + 1, self.texts[at + 1]
            head, dot, part = text.partition(".")
            register = self.scope.find(head) if dot else None
            if isinstance(register, Register):
                if not SELECTOR.fullmatch(part):
                    raise self.fail(f"`.{clip(part)}` is no part of a register: .b0 to .b3, .h0 and .h1, or several digits behind .b or .h")
                self.at += 1
                operands.append(register)
            else:
                part = ""
                self._operand(operands)
            parts.append("-" * negated + part)
            if not self.next_is(","):
                break
        return tuple(parts)

    def _branch(self, opcode: str, operands: list[Operand]) -> None:
        if opcode == "brx":
            self._operand(operands)
            self.expect(",", "the index")
        at, name = self.at, self.word("a label")
        self.body.jumps.append((len(self.body.instructions), self.scope, name, at))
        operands.append(Label(name))

    def _call(self, operands: list[Operand]) -> None:
        returns: list[Operand] = []
        if self.texts[self.at] == "(":
            self._listed(returns)
            self.expect(",", "the return values")
        callee = self._named(self.texts[self.at], self.at)
        if not isinstance(callee, (Symbol, Register)):
            raise self.fail(f"expected a function, got {self.shown()}")
        self.at += 1
        arguments: list[Operand] = []
        prototype = None
        if self.next_is(","):
            if self.texts[self.at] == "(":
                self._listed(arguments)
                if self.next_is(","):
                    prototype = self.at
            else:
                prototype = self.at
        names = []
        for value in returns:
            if not isinstance(value, (Symbol, Register, Predicate)):
                raise self.fail("a return value of a call must be a .param variable or a register")
            names.append(value.name)
        operands.append(
            CallTarget(
                callee,
                tuple(names),
                tuple(a.name if isinstance(a, Symbol) and self._is_parameter(a) else a for a in arguments),
            )
        )
        if prototype is not None:
            name = self.word("a prototype or a list of targets")
            self.body.jumps.append((len(self.body.instructions), self.scope, name, prototype))
            operands.append(Label(name))

    def _is_parameter(self, symbol: Symbol) -> bool:
        local = self.body.variables.get(symbol.name)
        return symbol.offset == 0 and (local.space == "param" if local else symbol.name in self.body.parameters)

    def _listed(self, into: list[Operand]) -> None:
        """Read ``(a, b)`` of a call."""
        self.at += 1
        while not self.next_is(")"):
            if into:
                self.expect(",", "an argument")
            self._operand(into)

    # --------------------------------------------------------------------------------------------------------- operands
    def _operand(self, into: list[Operand]) -> None:
        """Read one operand; a bracket with a list in it gives several."""
        text = self.texts[self.at]
        if text == "[":
            self._address(into)
            return
        operand = self._vector() if text == "{" else self._simple()
        if self.texts[self.at] == "|":
            self.at += 1
            at, second = self.at, self._simple()
            first = None if operand == SINK else operand
            if second == SINK:
                second = None
            elif not isinstance(second, Predicate) or second.negated:
                raise self.fail("the second destination, behind `|`, must be a predicate register", at)
            operand = PredicatePair(first, second)
        into.append(operand)

    def _simple(self) -> Operand:
        """Read a register, symbol, immediate or ``!%p``."""
        at, text = self.at, self.texts[self.at]
        if text[:1].isalpha() or text[:1] in "$_%" and text:
            operand = self._named(text, at)
            self.at += 1
            if isinstance(operand, Symbol) and self.texts[self.at] in ("+", "-"):
                return Symbol(operand.name, offset(self))
            return operand
        if text == "!" and not starts_constant(self.texts[at + 1]):
            self.at += 1
            operand = self._named(self.texts[self.at], self.at)
            if not isinstance(operand, Predicate):
                raise self.fail(f"`!` takes a predicate register, got {self.shown()}")
            self.at += 1
            return Predicate(operand.name, True)
        if text == "-" and self.texts[at + 1][:1] == "%":
            raise self.fail("a register operand cannot be negated here: use `neg`")
        if starts_constant(text):
            if self.texts[at + 1] in (",", ";", "}"):
                value = self.scope.seen[text] = literal(self)
                return value
            return constant(self)
        raise self.fail(f"expected an operand, got {self.shown()}")

    def _vector(self) -> Vector:
        """Read ``{a, b}``."""
        self.at += 1
        elements: list[Operand | None] = []
        texts, seen = self.texts, self.scope.seen
        while True:
            operand = seen.get(texts[self.at])
            if operand is not None and texts[self.at + 1] in (",", "}"):
                self.at += 1
            else:
                operand = self._simple()
            elements.append(None if operand is SINK else operand)
            if texts[self.at] == "}":
                self.at += 1
                return Vector(tuple(elements))
            self.expect(",", "a vector's element")

    def _address(self, into: list[Operand]) -> None:
        """Read ``[base+offset]``, and whatever else a texture or bulk-copy instruction lists inside its brackets."""
        self.at += 1
        text = self.texts[self.at]
        if starts_constant(text):
            into.append(Address(None, offset(self)))
        else:
            base = self._named(text, self.at) if is_name(text) else None
            if not isinstance(base, (Register, Symbol)):
                raise self.fail(f"expected an address, got {self.shown()}")
            self.at += 1
            distance = 0
            if self.texts[self.at] in ("+", "-"):
                if self.texts[self.at + 1][:1] == "%":
                    raise self.fail("an address is a register plus a constant, not two registers", self.at + 1)
                distance = offset(self)
            into.append(Address(base, distance))
        while self.next_is(","):
            into.append(self._vector() if self.texts[self.at] == "{" else self._simple())
        self.expect("]", "the address")
        self.next_is(".unified")  # a promise about the address that changes nothing

    def _named(self, text: str, at: int) -> Operand:
        """Give what a name stands for; one that is not declared yet must turn up later in the module."""
        operand = self.scope.seen.get(text)
        if operand is not None:
            return operand
        operand = self._known(text)
        if operand is None:
            operand = self._undeclared(text, at)
        self.scope.seen[text] = operand
        return operand

    def _known(self, text: str) -> Operand | None:
        return SINK if text == "_" else self.scope.find(text)

    def _undeclared(self, text: str, at: int) -> Symbol:
        if not text or not (text[0].isalpha() or text[0] in "$_%"):
            raise self.fail(f"expected a name, got {self.shown(at)}", at)
        head, dot, part = text.partition(".")
        if dot and isinstance(self.scope.find(head), (Register, Predicate)):
            raise self.fail(f"`.{clip(part)}` of a register is not supported: vector elements and byte selectors", at)
        if not is_name(text) or text[0] == "%":
            raise self._unknown(text, at, [*self.scope.known(), *SPECIALS])
        self.references.setdefault((self.body.name, text), at)
        return Symbol(text)

    def _unknown(self, name: str, at: int, known) -> Exception:
        reach = self.scope.range_of(name)
        if reach is not None:
            return self.fail(f"register `{clip(name)}` is outside the declared `{reach}`", at)
        kind = "register" if name[0] == "%" else "name"
        return self.fail(f"unknown {kind} `{clip(name)}`{suggest(name, known)}", at)

    # ----------------------------------------------------------------------------------------------------------- labels
    def _resolve_labels(self, body: _Body) -> None:
        for index, scope, name, at in body.jumps:
            unique = scope.label(name)
            if unique is None:
                known = [label for s in body.scopes for label in s.labels]
                raise self.fail(f"unknown label `{clip(name)}`{suggest(name, known)}", at)
            instruction = body.instructions[index]
            if instruction.opcode == "bra" and unique not in body.labels:
                raise self.fail(f"`{clip(name)}` is a list or a prototype, not a branch target", at)
            if unique != name:
                operands = (*instruction.operands[:-1], Label(unique))
                body.instructions[index] = attrs.evolve(instruction, operands=operands)
        for name, scope, listed in body.target_lists:
            found = []
            for label, at in listed:
                unique = scope.label(label)
                if unique not in body.labels:
                    raise self.fail(f"unknown label `{clip(label)}`{suggest(label, body.labels)}", at)
                found.append(unique)
            body.targets[name] = tuple(found)
        for index, _, name, at in body.jumps:
            instruction = body.instructions[index]
            if instruction.opcode == "brx" and instruction.operands[-1].name not in body.targets:
                raise self.fail(f"`{clip(name)}` is not a `.branchtargets` list", at)

    # ----------------------------------------------------------------------------------------------------- source lines
    def _where(self, at: int) -> Where:
        line, column = self.source.place(self.starts[at])
        return Where(line, column, self.loc_file, self.loc_line)

    def _file_table(self) -> dict[int, str]:
        # nvcc writes .file behind the functions that refer to it, so the table is read before anything else.
        table: dict[int, str] = {}
        texts, at = self.texts, 0
        for _ in range(texts.count(".file")):
            at = texts.index(".file", at) + 1
            if texts[at].isdigit() and len(texts[at]) < 10 and texts[at + 1][:1] == '"':
                table.setdefault(int(texts[at]), texts[at + 1][1:-1])
        return table

    def _skip_file(self) -> None:
        integer(self, "the file's number")
        if self.texts[self.at][:1] != '"':
            raise self.fail(f"expected the file's name, got {self.shown()}")
        self.at += 1
        while self.next_is(","):
            integer(self, "a time or a size")

    def _loc(self) -> None:
        before = self.loc_file, self.loc_line
        self.loc_file = self.files.get(integer(self, "the file's number"))
        self.loc_line = integer(self, "the source line")
        if self.texts[self.at].isdigit():
            self.at += 1
        while self.next_is(","):
            attribute = self.word("`function_name` or `inlined_at`")
            if attribute == "function_name":
                self.word("a label")
                if self.next_is("+"):
                    literal(self)
            elif attribute == "inlined_at":
                caller = []
                for what in ("the file's number", "the source line", "the column"):
                    if not self.texts[self.at].isdigit():
                        raise self.fail(f"expected {what}, got {self.shown()}")
                    caller.append(integer(self, what))
                if _built_in(self.loc_file):  # nobody wrote it: its caller did; one that it is itself was just read
                    outer = self.files.get(caller[0])
                    self.loc_file, self.loc_line = before if _built_in(outer) else (outer, caller[1])
            else:
                raise self.fail(f"unknown `.loc` attribute `{clip(attribute)}`", self.at - 1)

    def _pragma(self) -> None:
        while True:
            if self.texts[self.at][:1] != '"':
                raise self.fail(f"`.pragma` takes strings, got {self.shown()}")
            if self.texts[self.at] == '"nounroll"' and self.body is not None:
                self.body.rolled.add(len(self.body.instructions))
            self.at += 1
            if not self.next_is(","):
                break
        self.expect(";", "`.pragma`")

    def _skip_section(self) -> None:
        start = self.at - 1
        texts = self.texts
        while texts[self.at] not in ("{", ""):
            self.at += 1
        depth = 0
        while texts[self.at]:
            depth += {"{": 1, "}": -1}.get(texts[self.at], 0)
            self.at += 1
            if depth == 0:
                return
        raise self.fail("`.section` without its closing `}`", start)


def _linkage(words: set[str]) -> str:
    """Give the one word that says who sees a name."""
    return next((word[1:] for word in (".weak", ".common", ".extern", ".visible") if word in words), "")


def _built_in(file: str | None) -> bool:
    return file is not None and (file.endswith(_COMPILERS_OWN) or file.startswith("<"))


def _one_line(tokens: list[str]) -> str:
    """Write tokens the way PTX is usually written."""
    line, previous = [], ""
    for token in tokens:
        if previous and previous not in _TIGHT_AFTER and token not in _TIGHT_BEFORE:
            line.append(" ")
        line.append(token)
        previous = token
    return "".join(line)
