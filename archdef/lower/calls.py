"""Who calls whom: the functions that a kernel reaches, which of them can be active twice, and which pass values alike."""
from __future__ import annotations

from collections.abc import Iterator

import attrs

from archdef.ptx import ir

Signature = tuple[tuple[int, ...], tuple[int, ...]]
"""Bytes of each return and of each parameter: what an indirect call and its target must agree on."""


@attrs.define(slots=True, eq=False)
class Calls:
    """The call graph below one kernel."""

    functions: list[ir.Function]
    """Functions with a body: callers before callees unless they call each other, the kernel first."""
    circles: dict[str, int]
    """Function → number of its circle of recursion, for those that can be active more than once."""
    signatures: dict[str, Signature]
    """Function → signature, for those that an indirect call can reach."""
    taken: tuple[str, ...]
    """Functions of the module whose address is used somewhere."""

    def passes_by_frame(self, name: str) -> bool:
        """Tell whether a function keeps its values apart from the registers in which they are passed."""
        return name in self.circles or name in self.signatures

    def recursive(self, caller: str, callees: Iterator[str]) -> bool:
        """Tell whether one of these callees can lead back to the caller."""
        circle = self.circles.get(caller)
        return circle is not None and any(self.circles.get(name) == circle for name in callees)


def signature(returns: tuple[ir.Variable, ...], parameters: tuple[ir.Variable, ...]) -> Signature:
    """Give the signature of a function or a prototype."""
    return tuple(v.bytes for v in returns), tuple(v.bytes for v in parameters)


def number_of(module: ir.Module, name: str) -> int:
    """Give the number that stands for a function's address, the same in every kernel of the module; 0 is null."""
    return list(module.functions).index(name) + 1


def stands_in(function: ir.Function) -> bool:
    """Tell whether a function is what a compiler puts in place of one of the device runtime without relocatable code: it only fails."""
    return function.linkage == "weak" and function.name.startswith(("cuda", "__cudaCDP2"))


def call_of(instruction: ir.Instruction) -> ir.CallTarget | None:
    """Give the call that an instruction makes."""
    return next((o for o in instruction.operands if isinstance(o, ir.CallTarget)), None)


def candidates(module: ir.Module, function: ir.Function, instruction: ir.Instruction, taken: tuple[str, ...]) -> tuple[str, ...]:
    """List the functions that an indirect call can reach: those listed, or those of its prototype whose address is used."""
    label = instruction.operands[-1].name if isinstance(instruction.operands[-1], ir.Label) else ""
    listed = function.call_targets.get(label)
    if listed is not None:
        return tuple(name for name in listed if name in module.functions and module.functions[name].defined)
    prototype = function.prototypes.get(label)
    if prototype is None:
        return ()
    wanted = signature(*prototype)
    return tuple(name for name in taken if signature_of(module.functions[name]) == wanted)


def signature_of(function: ir.Function) -> Signature:
    """Give the signature of a function."""
    return signature(function.returns, function.parameters)


def calls_of(module: ir.Module, kernel: ir.Function) -> Calls:
    """Follow the calls of a kernel.

    Raises the PtxError of a function on the way that could not be read.
    """
    taken = _addresses_taken(module)
    ahead: dict[str, list[str]] = {}
    indirect: dict[str, Signature] = {}
    waiting = [kernel.name]
    while waiting:
        name = waiting.pop()
        if name in ahead:
            continue
        function, found = module.functions[name], {}
        if function.broken is not None:
            raise function.broken
        for instruction in function.body:
            call = call_of(instruction)
            if call is None:
                continue
            if isinstance(call.callee, ir.Symbol):
                found[call.callee.name] = None
                continue
            for target in candidates(module, function, instruction, taken):
                found[target] = None
                indirect[target] = signature_of(module.functions[target])
        ahead[name] = [n for n in found if n in module.functions and module.functions[n].defined and not stands_in(module.functions[n])]
        waiting.extend(reversed(ahead[name]))
    order, circles = _order(ahead, kernel.name)
    return Calls([module.functions[name] for name in order], circles, indirect, taken)


def _addresses_taken(module: ir.Module) -> tuple[str, ...]:
    names = {}
    variables = [*module.variables.values(), *(v for f in module.functions.values() for v in f.variables.values())]
    for variable in variables:
        names.update((symbol.name, None) for _, symbol in variable.relocations)
    for function in module.functions.values():
        for instruction in function.body:
            names.update((o.name, None) for o in instruction.operands if isinstance(o, ir.Symbol))
            call = call_of(instruction)
            if call is not None:
                names.update((a.name, None) for a in call.arguments if isinstance(a, ir.Symbol))
    return tuple(f.name for f in module.functions.values() if f.name in names and f.defined and not f.entry)


def _order(ahead: dict[str, list[str]], root: str) -> tuple[list[str], dict[str, int]]:
    """Order callers before callees, and number the circles (Tarjan's components that call themselves)."""
    index: dict[str, int] = {root: 0}
    low: dict[str, int] = {root: 0}
    stack, stacked, finished = [root], {root}, []
    circles: dict[str, int] = {}
    path = [(root, iter(ahead[root]))]
    while path:
        name, left = path[-1]
        for callee in left:
            if callee not in index:
                index[callee] = low[callee] = len(index)
                stack.append(callee)
                stacked.add(callee)
                path.append((callee, iter(ahead[callee])))
                break
            if callee in stacked:
                low[name] = min(low[name], index[callee])
        else:
            path.pop()
            finished.append(name)
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[name])
            if low[name] == index[name]:
                members = [stack.pop()]
                while members[-1] != name:
                    members.append(stack.pop())
                stacked.difference_update(members)
                if len(members) > 1 or name in ahead[name]:
                    circles.update(dict.fromkeys(members, len(circles) + 1))
    return finished[::-1], circles
