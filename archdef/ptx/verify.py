"""Checks of a whole module that need no instruction table, and the call graph."""

from __future__ import annotations

from archdef.errors import PtxError
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
    Vector,
)
from .scan import clip, suggest


def verify(module: Module) -> None:
    """Check what the parser alone cannot, and everything again for a module that was built by hand.

    Labels exist; operand registers are declared with the type they are used with; named variables and functions
    exist; calls name declared functions with as many values as these take; kernels have a body. Code that nothing
    reaches is allowed.

    Raises
    ------
    PtxError
        At the first instruction that breaks a rule.
    """
    for function in module.functions.values():
        if function.entry and not function.defined:
            raise _error(module, function, f"kernel `{clip(function.name)}` has no body")
        for instruction in function.body:
            for operand in instruction.operands:
                if isinstance(operand, Label):
                    _check_label(module, function, instruction, operand)
                elif isinstance(operand, CallTarget):
                    _check_call(module, function, instruction, operand)
                else:
                    _check_operand(module, function, instruction, operand)
            if instruction.guard is not None:
                _check_operand(module, function, instruction, instruction.guard)


def call_graph(module: Module) -> dict[str, frozenset[str]]:
    """Give, per function, the functions that it calls by name; an indirect call adds nothing."""
    return {
        name: frozenset(
            operand.callee.name
            for instruction in function.body
            for operand in instruction.operands
            if isinstance(operand, CallTarget) and isinstance(operand.callee, Symbol)
        )
        for name, function in module.functions.items()
    }


def recursive(graph: dict[str, frozenset[str]]) -> tuple[str, ...]:
    """Give one cycle of a call graph, in calling order; empty if there is none."""
    finished: set[str] = set()
    for root in graph:
        path, on_path, waiting = [], set(), [(root, False)]
        while waiting:
            name, leave = waiting.pop()
            if leave:
                path.pop()
                on_path.discard(name)
                finished.add(name)
            elif name in on_path:
                return tuple(path[path.index(name) :])
            elif name not in finished:
                path.append(name)
                on_path.add(name)
                waiting.append((name, True))
                waiting.extend((callee, False) for callee in sorted(graph.get(name, ())))
    return ()


# --------------------------------------------------------------------------------------------------------------- checks
def _check_label(module: Module, function: Function, instruction: Instruction, label: Label) -> None:
    if instruction.opcode == "call":
        if label.name not in function.prototypes and label.name not in function.call_targets:
            raise _error(module, instruction, f"`{clip(label.name)}` is no prototype and no list of functions")
        return
    known = function.branch_targets if instruction.opcode == "brx" else function.labels
    if label.name not in known:
        raise _error(module, instruction, f"unknown label `{clip(label.name)}`{suggest(label.name, known)}")


def _check_operand(module: Module, function: Function, instruction: Instruction, operand: Operand | None) -> None:
    if isinstance(operand, Register):
        _check_register(module, function, instruction, operand.name, operand.type)
    elif isinstance(operand, Predicate):
        _check_register(module, function, instruction, operand.name, "pred")
    elif isinstance(operand, Symbol):
        if not _names_something(module, function, operand.name):
            known = [*function.variables, *module.variables, *(p.name for p in function.parameters)]
            raise _error(module, instruction, f"unknown name `{clip(operand.name)}`{suggest(operand.name, known)}")
    elif isinstance(operand, Address):
        _check_operand(module, function, instruction, operand.base)
    elif isinstance(operand, Vector):
        for element in operand.elements:
            _check_operand(module, function, instruction, element)
    elif isinstance(operand, PredicatePair):
        _check_operand(module, function, instruction, operand.first)
        _check_operand(module, function, instruction, operand.second)


def _check_register(module: Module, function: Function, instruction: Instruction, name: str, type: str) -> None:
    declared = function.registers.get(name)
    if declared is None:
        raise _error(module, instruction, f"unknown register `{clip(name)}`{suggest(name, function.registers)}")
    if declared != type:
        raise _error(module, instruction, f"register `{clip(name)}` is a .{declared}, used as a .{type}")


def _check_call(module: Module, function: Function, instruction: Instruction, call: CallTarget) -> None:
    for argument in call.arguments:
        if isinstance(argument, str):
            _check_operand(module, function, instruction, Symbol(argument))
        else:
            _check_operand(module, function, instruction, argument)
    for name in call.returns:
        if name not in function.registers and name != "_":
            _check_operand(module, function, instruction, Symbol(name))
    if isinstance(call.callee, Register):
        _check_operand(module, function, instruction, call.callee)
        return
    name = call.callee.name
    callee = module.functions.get(name)
    if callee is None:
        raise _error(module, instruction, f"`{clip(name)}` is not a function{suggest(name, module.functions)}")
    if callee.entry:
        raise _error(module, instruction, f"`{clip(name)}` is a kernel: only a .func can be called")
    variadic = bool(callee.parameters) and callee.parameters[-1].count == 0
    given, taken = len(call.arguments), len(callee.parameters)
    if given != taken and not (variadic and given >= taken - 1):
        raise _error(module, instruction, f"`{clip(name)}` takes {_count(taken, 'argument')}, got {given}")
    given, taken = len(call.returns), len(callee.returns)
    if given != taken:
        raise _error(
            module, instruction, f"`{clip(name)}` returns {_count(taken, 'value')}, got {given} to put them in"
        )


def _names_something(module: Module, function: Function, name: str) -> bool:
    return (
        name in function.variables
        or name in module.variables
        or name in module.functions
        or any(v.name == name for v in (*function.parameters, *function.returns))
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _error(module: Module, place: Function | Instruction, message: str) -> PtxError:
    line = place.where.line
    text = module.lines[line - 1] if 0 < line <= len(module.lines) else ""
    file, line = module.place(line)
    return PtxError(message, file=file, line=line, column=place.where.column, text=text)
