"""One kernel on its way from PTX to a program: selection, passes, registers and spilling, packing."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from archdef.errors import ArchdefError, PtxError, nearest
from archdef.lower.allocate import Assignment, assign, assign_passed
from archdef.lower.calls import Calls, call_of, calls_of
from archdef.lower.encoding import Flag, Kind, Space
from archdef.lower.frames import needs_stack, rounded, save_across_calls
from archdef.lower.child_arguments import kernels_taken
from archdef.lower.layout import Layout, lay_out
from archdef.lower.options import Options
from archdef.lower.pack import pack
from archdef.lower.parameter_copies import with_copies
from archdef.lower.passes.spin_loops import mark_spin_loops
from archdef.lower.pipeline import Context, Pass, Ran, run
from archdef.lower.pressure import Demand, demand, free_registers
from archdef.lower.program import Program
from archdef.lower.records import Statement
from archdef.lower.registers import Registers, budget, register_unit, registers_of
from archdef.lower.select import Accesses, Selection
from archdef.lower.select.children import CHILD_SERVICES
from archdef.lower.select.interface import interfaces_of
from archdef.lower.size import check_length, code_bytes
from archdef.lower.spill import Spills, spill
from archdef.lower.suppose import supposed
from archdef.lower.virtual import Code, Const, Unit, immediate
from archdef.ptx import ir


@attrs.frozen(kw_only=True)
class Recipe:
    """How a target makes programs."""

    passes: Sequence[Pass]
    accesses: Accesses
    result_scoreboards: int


@attrs.define(eq=False, kw_only=True)
class Kernel:
    """What is known of a kernel while it is lowered."""

    module: ir.Module
    function: ir.Function
    architecture: Any
    options: Options
    calls: Calls
    layout: Layout
    unit: Unit = attrs.Factory(Unit)
    local_bytes: int = 0
    source: list[ir.Instruction] = attrs.Factory(list)
    """Instructions of all functions, one after the other."""
    codes: list[Code] = attrs.Factory(list)
    """Code of all functions, the kernel's own first."""
    statements: list[Statement] = attrs.Factory(list)
    warnings: dict[str, None] = attrs.Factory(dict)
    barriers: int = 0
    rolled: frozenset[int] = frozenset()
    addresses: dict[str, set[int]] = attrs.Factory(dict)
    """Function → registers that are charged as 32-bit pointers."""
    places: Assignment = attrs.Factory(Assignment)


@attrs.frozen
class _Budget:
    """How many registers there are."""

    plan: Registers
    reserved: int
    """Registers of a thread that are the machine's own."""
    most: int
    """Registers that the kernel is given at most."""
    room: int
    """Registers of a thread that cost nothing."""

    @property
    def left(self) -> int:
        """Registers that the program's values may take."""
        return self.plan.most - self.reserved


@attrs.frozen
class _Assigned:
    """How registers were assigned."""

    needed: int
    spills: Spills
    moved: int
    """Bytes by which the call stack moves up: spilled values lie before it."""


def lower_kernel(module: ir.Module, entry: str, architecture: Any, recipe: Recipe, options: Options, trace: list[Ran] | None = None) -> Program:
    """Lower one kernel of a module as a target does; with `trace`, say there what each pass did."""
    module = supposed(module, options)
    kernel = _begun(module, entry, architecture, options)
    _select(kernel, recipe.accesses)
    budgeted = _budget(kernel)
    for code in kernel.codes:
        context = Context(code=code, unit=kernel.unit, architecture=architecture, options=options, module=module, source=kernel.source,
                          layout=kernel.layout, room=budgeted.room, rolled=kernel.rolled)
        run(recipe.passes, context, trace)
        kernel.addresses[code.function.name] = context.addresses
        save_across_calls(code, kernel.unit, kernel.calls)
    if architecture.warp.reconvergence.independent:
        mark_spin_loops(kernel.codes, kernel.source)
    return _program(kernel, budgeted, _allocate(kernel, budgeted), recipe.result_scoreboards)


def _begun(module: ir.Module, entry: str, architecture: Any, options: Options) -> Kernel:
    """Find a kernel, and lay out its memory."""
    function = module.functions.get(entry)
    if function is None or not function.entry or not function.defined:
        kernels = [f.name for f in module.functions.values() if f.entry and f.defined]
        raise ArchdefError(f"{module.file} has no kernel {entry}{nearest(entry, kernels)}; it has {', '.join(kernels) or 'none'}")
    calls = calls_of(module, function)
    if (copying := with_copies(module, calls.functions)) is not module:
        module, calls = copying, calls_of(copying, function)
    check_length(entry, sum(len(f.body) for f in calls.functions), architecture, options.max_instructions, *module.place(function.where.line))
    kernel = Kernel(module=module, function=function, architecture=architecture, options=options, calls=calls, layout=lay_out(module, function, calls))
    kernel.local_bytes = kernel.layout.local_bytes
    return kernel


def _select(kernel: Kernel, accesses: Accesses) -> None:
    """Make micro-ops of the instructions of all functions."""
    module, unit = kernel.module, kernel.unit
    interfaces, carriers = interfaces_of(module, kernel.calls, unit)
    if needs_stack(kernel.calls):
        unit.stack = unit.new(4)
        kernel.local_bytes = kernel.layout.stack_start + kernel.architecture.limits.stack_bytes_per_thread
    for f in kernel.calls.functions:
        first = len(kernel.source)
        kernel.rolled |= {first + k for k in f.rolled}
        selection = Selection(module, f, kernel.architecture, unit, kernel.layout, interfaces, carriers, kernel.calls, first, accesses)
        kernel.source.extend(f.body)
        kernel.statements.extend(Statement(i.where.line, i.where.column, i.where.file, i.where.source_line, i.text, i.opcode, f.name) for i in f.body)
        kernel.codes.append(selection.run())
        kernel.barriers = max(kernel.barriers, selection.barriers)
        kernel.warnings.update(dict.fromkeys(selection.warnings))
    if not kernel.source:
        raise PtxError(f"kernel {kernel.function.name} is empty", file=module.file, line=kernel.function.where.line)
    assign_passed(interfaces.values(), unit, kernel.codes, kernel.places)


def _budget(kernel: Kernel) -> _Budget:
    """Count the registers that a kernel may have."""
    architecture = kernel.architecture
    reserved = architecture.limits.registers_reserved_per_thread
    asked = budget(kernel.function.directives, architecture)
    plan = registers_of(kernel.calls.functions, asked, architecture)
    most = min(asked or architecture.limits.registers_per_thread, architecture.limits.registers_per_thread)
    return _Budget(plan, reserved, most, min(free_registers(architecture), plan.most) - reserved)


def _allocate(kernel: Kernel, budgeted: _Budget) -> _Assigned:
    """Assign registers, and spill what has none."""
    unit, architecture, addresses = kernel.unit, kernel.architecture, kernel.addresses
    needs: dict[str, Demand] = {}
    spills = Spills(kernel.layout.stack_start if unit.stack is not None else -(-kernel.local_bytes // 8) * 8)
    for code in reversed(kernel.codes):  # callees first
        name = code.function.name
        needs[name] = demand(code, unit, addresses[name], needs, architecture)
        if kernel.options.spill and needs[name].in_order > budgeted.left:
            spill(code, unit, kernel.calls, addresses[name], needs, unit.stack if budgeted.reserved else None, budgeted.left, spills)
            needs[name] = demand(code, unit, addresses[name], needs, architecture)
    moved = rounded(spills.bytes) if unit.stack is not None else 0
    if spills.bytes:
        kernel.local_bytes = _make_room(kernel, spills, moved)
    for code in kernel.codes:
        assign(code, unit, kernel.places)
    needed = max(1, needs[kernel.function.name].within(budgeted.room) + budgeted.reserved)
    if not kernel.options.spill:
        spills.registers = max(0, needed - budgeted.plan.most)
    return _Assigned(needed, spills, moved)


def _make_room(kernel: Kernel, spills: Spills, moved: int) -> int:
    """Put spilled values into the layout of local memory; give its new size."""
    stack = kernel.unit.stack
    if stack is None:
        return spills.start + spills.bytes
    for op in kernel.codes[0].ops:
        if op.d == [stack] and isinstance(op.s[0], Const) and len(op.s) == 1:     # where the kernel sets the stack pointer up
            op.s = [immediate(op.s[0].value + moved)]
    return kernel.local_bytes + moved


def _program(kernel: Kernel, budgeted: _Budget, assigned: _Assigned, scoreboards: int) -> Program:
    """Pack the code, and say what the kernel takes."""
    module, architecture, layout, functions, spills = kernel.module, kernel.architecture, kernel.layout, kernel.calls.functions, assigned.spills
    shared_parameters = getattr(architecture.limits, "shared_parameters", None)
    ops, targets, operands, constants, specials, instructions = pack(kernel.codes, kernel.unit, kernel.places, architecture, module, kernel.source,
                                                                       scoreboards)
    if kernel.options.together:
        _suppose_together(ops, kernel.statements, module.file, kernel.options.together)
    return Program(
        entry=kernel.function.name, file=module.file, architecture=architecture.name, warp_size=architecture.warp.size,
        ops=ops, targets=targets, operands=operands, constants=constants, specials=specials, rows=kernel.places.row_count,
        predicates=kernel.places.predicate_count, registers=budgeted.plan.start or min(assigned.needed, budgeted.most), registers_from="liveness",
        spilled_registers=spills.registers, spill_store_bytes=spills.store_bytes, spill_load_bytes=spills.load_bytes,
        spill_slot_bytes=spills.bytes, register_unit=register_unit(architecture.limits, architecture.warp.size),
        unspilled_registers=max(0, assigned.needed - budgeted.plan.most), shared_bytes=layout.shared_bytes,
        launch_shared_bytes=0 if shared_parameters is None else shared_parameters.launch_bytes + layout.parameter_bytes,
        dynamic_shared=layout.dynamic_shared, local_bytes=kernel.local_bytes,
        uses_local=layout.uses_local or kernel.unit.stack is not None or spills.bytes > 0,
        stack_start=min(layout.stack_start + assigned.moved, kernel.local_bytes),
        barriers_used=kernel.barriers, global_image=layout.image("global"), const_image=layout.image("const"),
        relocations=tuple(layout.relocations), parameter_layout=layout.parameters, parameter_bytes=layout.parameter_bytes,
        statements=tuple(kernel.statements), directives=dict(kernel.function.directives), functions=tuple(f.name for f in functions),
        instructions=instructions, code_bytes=code_bytes(kernel.codes, kernel.source, instructions, architecture),
        calls_runtime=(asks := any(_asks(f) for f in functions)), launches=kernels_taken(module, functions) if asks else (),
        references=tuple((v.name, layout.offsets[None, v.name][1]) for v in module.variables.values() if v.opaque),
        warnings=tuple(kernel.warnings))


def _suppose_together(ops: Any, statements: Sequence[Statement], file: str, lines: frozenset[tuple[str, int]]) -> None:
    """Mark loads, stores and atomic operations of some lines, so that the engine times them as if their lanes lay behind each other."""
    places = [(s.file, s.source_line) if s.file and s.source_line is not None else (file, s.line) for s in statements]
    marked = np.array([place in lines for place in places])
    accesses = np.isin(ops["kind"], (Kind.LOAD, Kind.STORE, Kind.ATOM)) & np.isin(ops["space"], (Space.GLOBAL, Space.SHARED, Space.GENERIC))
    ops["flags"] |= np.where(accesses & marked[ops["statement"]], Flag.TOGETHER, 0).astype(ops["flags"].dtype)


def _asks(function: ir.Function) -> bool:
    """Tell whether a function calls the device runtime."""
    calls = (call_of(i) for i in function.body)
    return any(c is not None and isinstance(c.callee, ir.Symbol) and c.callee.name in CHILD_SERVICES for c in calls)
