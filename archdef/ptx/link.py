"""Several modules become one: names that one declares and another defines, and names that each has for itself."""
from __future__ import annotations

from collections.abc import Iterable

import attrs

from archdef.errors import PtxError
from archdef.ptx.ir import Address, CallTarget, Function, Instruction, Module, Operand, Symbol, Variable, Vector, Where

_WEAK = frozenset(("weak", "common"))


def link(modules: Iterable[Module]) -> Module:
    """Link modules in order.

    Functions and variables that are ``.visible``, ``.weak``, ``.common`` or ``.extern`` and kernels are known to all modules under
    their names; the others belong to their module. What no module defines stays declared: it is an error of the kernel that uses it.

    Raises
    ------
    PtxError
        A name with two definitions, or declared otherwise than it is defined; modules of different address sizes.
    """
    modules = list(modules)
    if len(modules) == 1:
        return modules[0]
    sizes = {m.address_size for m in modules}
    if len(sizes) != 1:
        raise PtxError(f"modules of {sorted(sizes)} bit addresses cannot be linked", file=modules[-1].file)
    renamed = _private_names(modules)
    functions: dict[str, Function] = {}
    variables: dict[str, Variable] = {}
    lines: list[str] = []
    parts: list[tuple[int, str]] = []
    linked = Module(" + ".join(m.file for m in modules), max(m.version for m in modules), modules[0].target,
                    modules[0].address_size, functions, variables, (), ())
    for module, names in zip(modules, renamed):
        shift = len(lines)
        parts.append((shift + 1, module.file))
        lines += module.lines
        linked = attrs.evolve(linked, lines=tuple(lines), parts=tuple(parts))
        for variable in module.variables.values():
            _add(linked, variables, functions, _moved(variable, shift, names), names.get(variable.name, variable.name))
        for function in module.functions.values():
            _add(linked, functions, variables, _moved_function(function, shift, names), names.get(function.name, function.name))
    return linked


def extend(module: Module, more: Module) -> Module:
    """Add what `more` defines and `module` does not; `more` was compiled of the same source, so the rest is the same."""
    functions = {name: f for name, f in more.functions.items() if not (name in module.functions and module.functions[name].defined)}
    variables = {name: v for name, v in more.variables.items() if name not in module.variables}
    linked = link([module, attrs.evolve(more, functions=functions, variables=variables)])
    parts = (*(module.parts or ((1, module.file),)), (len(module.lines) + 1, more.file))
    return attrs.evolve(linked, file=module.file, parts=parts)


def _private_names(modules: list[Module]) -> list[dict[str, str]]:
    """Give, per module, new names for what is its own and is named like something elsewhere."""
    seen: dict[str, int] = {}
    for module in modules:
        for name in (*module.functions, *module.variables):
            seen[name] = seen.get(name, 0) + 1
    result = []
    for number, module in enumerate(modules):
        own = [f.name for f in module.functions.values() if not f.entry and not f.linkage and f.defined]
        own += [v.name for v in module.variables.values() if not v.linkage and not v.extern]
        result.append({name: f"{name}@{number}" for name in own if seen[name] > 1})  # PTX cannot spell an @ in a name
    return result


def _add(module: Module, into: dict, others: dict, new: Function | Variable, name: str) -> None:
    """Add a definition or declaration, and see that it agrees with what is known of that name."""
    if name in others:
        raise _error(module, new, f"`{name}` is a function in one module and a variable in another, {_place(module, others[name])}")
    old = into.get(name)
    if old is None:
        into[name] = new
        return
    if _shape(old) != _shape(new):
        raise _error(module, new, f"`{name}` is declared differently at {_place(module, old)}")
    if isinstance(new, Variable) and "common" not in (old.linkage, new.linkage) and old.bytes and new.bytes and old.bytes != new.bytes:
        raise _error(module, new, f"`{name}` has {new.bytes} bytes here and {old.bytes} at {_place(module, old)}")
    if not _defined(new):
        return
    larger = old.linkage == new.linkage == "common" and new.bytes > old.bytes      # of common ones the largest holds for all
    if not _defined(old) or old.linkage in _WEAK and new.linkage not in _WEAK or larger:
        into[name] = new
    elif new.linkage not in _WEAK:
        raise _error(module, new, f"`{name}` is defined twice, first at {_place(module, old)}")


def _defined(item: Function | Variable) -> bool:
    return item.defined if isinstance(item, Function) else not item.extern


def _shape(item: Function | Variable) -> tuple:
    """What a declaration and a definition must have in common."""
    if isinstance(item, Function):
        return item.entry, tuple(v.bytes for v in item.parameters), tuple(v.bytes for v in item.returns)
    return (item.space,)  # sizes are another matter: an extern array need not give one


def _place(module: Module, item: Function | Variable) -> str:
    file, line = module.place(item.where.line)
    return f"{file}:{line}"


def _error(module: Module, item: Function | Variable, message: str) -> PtxError:
    file, line = module.place(item.where.line)
    text = module.lines[item.where.line - 1] if 0 < item.where.line <= len(module.lines) else ""
    return PtxError(message, file=file, line=line, column=item.where.column, text=text)


# ------------------------------------------------------------------------------------------------- lines and names of one module
def _down(where: Where, shift: int) -> Where:
    return attrs.evolve(where, line=where.line + shift)


def _moved(variable: Variable, shift: int, names: dict[str, str]) -> Variable:
    relocations = tuple((at, attrs.evolve(symbol, name=names.get(symbol.name, symbol.name))) for at, symbol in variable.relocations)
    return attrs.evolve(variable, name=names.get(variable.name, variable.name), relocations=relocations,
                        where=_down(variable.where, shift))


def _moved_function(function: Function, shift: int, names: dict[str, str]) -> Function:
    own = {*function.variables, *(v.name for v in (*function.parameters, *function.returns))}
    inside = {old: new for old, new in names.items() if old not in own}
    body = tuple(attrs.evolve(i, where=_down(i.where, shift), operands=_operands(i, inside)) for i in function.body)
    return attrs.evolve(
        function, name=names.get(function.name, function.name), where=_down(function.where, shift), body=body,
        variables={name: _moved(v, shift, inside) for name, v in function.variables.items()},
        call_targets={label: tuple(inside.get(n, n) for n in listed) for label, listed in function.call_targets.items()})


def _operands(instruction: Instruction, names: dict[str, str]) -> tuple[Operand, ...]:
    return tuple(_operand(o, names) for o in instruction.operands) if names else instruction.operands


def _operand(operand, names: dict[str, str]):
    if isinstance(operand, Symbol):
        return attrs.evolve(operand, name=names.get(operand.name, operand.name))
    if isinstance(operand, Address):
        return attrs.evolve(operand, base=_operand(operand.base, names))
    if isinstance(operand, Vector):
        return Vector(tuple(_operand(e, names) for e in operand.elements))
    if isinstance(operand, CallTarget):
        return attrs.evolve(operand, callee=_operand(operand.callee, names),
                            arguments=tuple(_operand(a, names) for a in operand.arguments))
    return operand
