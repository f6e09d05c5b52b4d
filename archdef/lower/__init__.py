"""Lowering: PTX and a description become the micro-ops that a machine of that description would issue.

`lower` selects micro-ops instruction by instruction (`select`), then runs passes over them (`passes`), each switched by a field of `Options`, assigns
registers and packs the result into a `Program`.
"""
from __future__ import annotations

import attrs

from archdef.errors import ArchdefError, PtxError, nearest
from archdef.lower.allocate import Assignment, assign, assign_passed, coalesce
from archdef.lower.calls import call_of, calls_of
from archdef.lower.frames import needs_stack, rounded, save_across_calls
from archdef.lower.handed import kernels_taken
from archdef.lower.layout import Layout, lay_out
from archdef.lower.pack import pack
from archdef.lower.passes.absorb import absorb, absorb_terms, clear_pairs
from archdef.lower.passes.addresses import fold_addresses
from archdef.lower.passes.ahead import compare_ahead
from archdef.lower.passes.branches import begin_within, copy_first, else_first, exit_early, invert_branches, join_tests, predicate_branches, predicate_loops
from archdef.lower.passes.charges import charge_overheads, named_here, shared_bases
from archdef.lower.passes.check import check_features, settle_caches
from archdef.lower.passes.constants import read_constants
from archdef.lower.passes.copies import propagate
from archdef.lower.passes.dead import drop_dead, drop_labels, drop_unreachable
from archdef.lower.passes.fold import fold_constants
from archdef.lower.passes.fuse import fuse, keep_sums_apart, share_products, split_sums, three_inputs, widen_indices
from archdef.lower.passes.interleave import interleave
from archdef.lower.passes.narrow import narrow_shared_addresses
from archdef.lower.passes.pointers import charge_addresses, narrow_addresses, scaled_indices
from archdef.lower.passes.predicates import combine_predicates
from archdef.lower.passes.schedule import start_loads_early
from archdef.lower.passes.shared_operands import read_shared_operands
from archdef.lower.passes.spaces import resolve_spaces
from archdef.lower.passes.unroll import unroll
from archdef.lower.passes.vector import merge_loads, uniform_values
from archdef.lower.passes.waits import mark_waits
from archdef.lower.passes.whole import guard_selections, join_halves, share_reciprocals, whole_products
from archdef.lower.passes.written import as_written
from archdef.lower.pressure import Demand, demand, free_registers
from archdef.lower.program import Program
from archdef.lower.records import Parameter, Relocation, Statement
from archdef.lower.registers import budget, register_unit, registers_of
from archdef.lower.select import Selection
from archdef.lower.select.children import CHILD_SERVICES
from archdef.lower.select.interface import interfaces_of
from archdef.lower.size import check_length, code_bytes
from archdef.lower.spill import Spills, spill
from archdef.lower.virtual import Code, Const, Unit, immediate
from archdef.ptx import ir

__all__ = ["Options", "Parameter", "Program", "Relocation", "Statement", "lower"]


@attrs.frozen(kw_only=True)
class Options:
    """Which passes run. All of them is what the machine's own compiler would do."""

    propagate: bool = True
    """Constants, parameters and copies become operands."""
    fold_addresses: bool = True
    """Additions of constants move into memory operands."""
    unroll: bool = True
    """Counted loops of one basic block make several trips a round."""
    fuse: bool = True
    """A multiply and the addition behind it become one operation, where the machine has it."""
    share_products: bool = True
    """The addition of a 64-bit product becomes a multiply-add, even where others read the product."""
    merge_loads: bool = True
    """Loads of neighbouring words of shared memory become wide ones."""
    combine_predicates: bool = True
    """Logic on the result of a comparison becomes part of it."""
    straighten: bool = True
    """A branch around a branch is inverted; a branch to the end becomes a guarded end."""
    predicate: bool = True
    """Short branches become predicated code."""
    debug: bool = False
    """Code for debugging, as ``-G`` makes it: none of these passes runs."""
    pointer_width: bool = True
    """64-bit address arithmetic is charged at the machine's pointer width."""
    start_loads_early: bool = True
    """What uses a load comes behind the loads that follow it."""
    coalesce: bool = True
    """A copy's source and destination share a register where they can, and the copy goes."""
    charge_overheads: bool = True
    """Instructions that an assembler needs besides those of the source are charged."""
    drop_dead: bool = True
    """Results that nobody reads are not computed."""
    spill: bool = True
    """What the register budget has no room for lives in local memory."""
    max_instructions: int = 2_000_000
    """PTX instructions of the longest kernel that is lowered, those of the functions that it calls among them. Each takes some tenths of a millisecond
    and some kilobytes on the host. A count and not a time, so that a kernel that is lowered once is lowered always."""


def lower(module: ir.Module, entry: str, architecture, *, predicate: bool = True, options: Options = Options()) -> Program:
    """Lower one kernel of a module for an architecture.

    predicate : turn short branches into predicated code (also needs `options.predicate`).

    Raises UnsupportedInstruction, MissingFeature (both with file, line, column) or LaunchError (kernel too long).

    A kernel that has to spill is lowered once more without what makes values live longer, and the one that spills less is taken.
    """
    program = _lower(module, entry, architecture, predicate, options)
    if program.spill_store_bytes + program.spill_load_bytes == 0:
        return program
    shorter = attrs.evolve(options, unroll=False, share_products=False, merge_loads=False)
    return min((program, _lower(module, entry, architecture, predicate, shorter)), key=lambda p: p.spill_store_bytes + p.spill_load_bytes)


def _lower(module: ir.Module, entry: str, architecture, predicate: bool, options: Options) -> Program:
    """Lower one kernel."""
    function = module.functions.get(entry)
    if function is None or not function.entry or not function.defined:
        kernels = [f.name for f in module.functions.values() if f.entry and f.defined]
        raise ArchdefError(f"{module.file} has no kernel {entry}{nearest(entry, kernels)}; it has {', '.join(kernels) or 'none'}")
    calls = calls_of(module, function)
    check_length(entry, sum(len(f.body) for f in calls.functions), architecture, options.max_instructions, *module.place(function.where.line))
    layout = lay_out(module, function, calls)
    unit = Unit()
    interfaces, carriers = interfaces_of(module, calls, unit)
    local_bytes = layout.local_bytes
    if needs_stack(calls):
        unit.stack = unit.new(4)
        local_bytes = layout.stack_start + architecture.limits.stack_bytes_per_thread
    source: list[ir.Instruction] = []
    statements: list[Statement] = []
    codes: list[Code] = []
    warnings: dict[str, None] = {}
    barriers = 0
    rolled: frozenset[int] = frozenset()
    for f in calls.functions:
        rolled |= {len(source) + k for k in f.rolled}
        selection = Selection(module, f, architecture, unit, layout, interfaces, carriers, calls, len(source))
        source.extend(f.body)
        statements.extend(Statement(i.where.line, i.where.column, i.where.file, i.where.source_line, i.text, i.opcode, f.name)
                          for i in f.body)
        codes.append(selection.run())
        barriers = max(barriers, selection.barriers)
        warnings.update(dict.fromkeys(selection.warnings))
    if not source:
        raise PtxError(f"kernel {entry} is empty", file=module.file, line=function.where.line)
    places = Assignment()
    assign_passed(interfaces.values(), unit, codes, places)
    addresses: dict[str, set[int]] = {}
    reserved = architecture.limits.registers_reserved_per_thread
    asked = budget(function.directives, architecture)
    most = min(asked or architecture.limits.registers_per_thread, architecture.limits.registers_per_thread)
    plan = registers_of(calls.functions, asked, architecture)
    held = plan.most
    room = min(free_registers(architecture), held) - reserved
    for code in codes:
        addresses[code.function.name] = _optimise(code, unit, architecture, options, predicate, module, source, layout, room, rolled)
        save_across_calls(code, unit, calls)
    if architecture.warp.reconvergence.independent:
        mark_waits(codes, source)
    needs: dict[str, Demand] = {}
    spills = Spills(layout.stack_start if unit.stack is not None else -(-local_bytes // 8) * 8)
    for code in reversed(codes):  # callees first
        name = code.function.name
        needs[name] = demand(code, unit, addresses[name], needs, architecture)
        if options.spill and needs[name].in_order > held - reserved:
            spill(code, unit, calls, addresses[name], needs, unit.stack if reserved else None, held - reserved, spills)
            needs[name] = demand(code, unit, addresses[name], needs, architecture)
    if spills.bytes:
        local_bytes = _make_room(codes[0], unit, spills, local_bytes)
    for code in codes:
        assign(code, unit, places)
    needed = max(1, needs[entry].within(room) + reserved)
    if not options.spill:
        spills.registers = max(0, needed - held)
    stack_start = layout.stack_start + _moved(unit, spills)
    launch_data = getattr(architecture.limits, "shared_launch_bytes_per_block", None)
    ops, targets, operands, constants, specials, instructions = pack(codes, unit, places, architecture, module, source)
    return Program(
        entry=entry, file=module.file, architecture=architecture.name, warp_size=architecture.warp.size,
        ops=ops, targets=targets, operands=operands, constants=constants, specials=specials, rows=places.row_count,
        predicates=places.predicate_count, registers=plan.start or min(needed, most), registers_from="liveness",
        spilled_registers=spills.registers, spill_store_bytes=spills.store_bytes, spill_load_bytes=spills.load_bytes,
        spill_slot_bytes=spills.bytes, register_unit=register_unit(architecture.limits, architecture.warp.size),
        unspilled_registers=max(0, needed - held), shared_bytes=layout.shared_bytes,
        launch_shared_bytes=0 if launch_data is None else launch_data + layout.parameter_bytes,
        dynamic_shared=layout.dynamic_shared, local_bytes=local_bytes,
        uses_local=layout.uses_local or unit.stack is not None or spills.bytes > 0, stack_start=min(stack_start, local_bytes),
        barriers_used=barriers, global_image=layout.image("global"), const_image=layout.image("const"),
        relocations=tuple(layout.relocations), parameter_layout=layout.parameters, parameter_bytes=layout.parameter_bytes,
        statements=tuple(statements), directives=dict(function.directives), functions=tuple(f.name for f in calls.functions),
        instructions=instructions, code_bytes=code_bytes(codes, source, instructions, architecture.isa),
        calls_runtime=(asks := any(_asks(f) for f in calls.functions)), launches=kernels_taken(module, calls.functions) if asks else (),
        references=tuple((v.name, layout.offsets[None, v.name][1]) for v in module.variables.values() if v.opaque),
        warnings=tuple(warnings))


def _moved(unit: Unit, spills: Spills) -> int:
    """Give the bytes by which the call stack moves up: spilled values lie before it."""
    return rounded(spills.bytes) if unit.stack is not None else 0


def _make_room(kernel: Code, unit: Unit, spills: Spills, local_bytes: int) -> int:
    """Put spilled values into the layout of local memory; give its new size."""
    if unit.stack is None:
        return spills.start + spills.bytes
    for op in kernel.ops:
        if op.d == [unit.stack] and isinstance(op.s[0], Const) and len(op.s) == 1:     # where the kernel sets the stack pointer up
            op.s = [immediate(op.s[0].value + _moved(unit, spills))]
    return local_bytes + _moved(unit, spills)


def _asks(function: ir.Function) -> bool:
    """Tell whether a function calls the device runtime."""
    calls = (call_of(i) for i in function.body)
    return any(c is not None and isinstance(c.callee, ir.Symbol) and c.callee.name in CHILD_SERVICES for c in calls)


def _optimise(code: Code, unit: Unit, architecture, options: Options, predicate: bool, module: ir.Module,
              source: list[ir.Instruction], layout: Layout, room: int, rolled: frozenset[int]) -> set[int]:
    """Run the passes on one function; give the registers that are charged as 32-bit pointers."""
    if options.debug:
        as_written(code, unit, architecture, module, source)
        return set()
    drop_unreachable(code)
    drop_labels(code)
    resolve_spaces(code, unit)
    check_features(code, architecture, module, source)
    narrow = options.pointer_width and architecture.isa.pointer_bits == 32
    if options.straighten and options.predicate and predicate and architecture.isa.assembler.falls_through_to_else:
        else_first(code)
    if architecture.isa.assembler.splits_wide_mads:
        keep_sums_apart(code, source)
    bases = shared_bases(code, source, layout)
    if options.propagate:
        propagate(code, unit, architecture)
    join_halves(code, architecture)
    if narrow:
        narrow_addresses(code, unit)
    if architecture.isa.assembler.narrow_shared_addresses and narrow_shared_addresses(code, unit) and options.propagate:
        propagate(code, unit, architecture)
    if options.fold_addresses:
        fold_addresses(code, unit)
    if options.fuse and not narrow:
        widen_indices(code, unit, architecture)
    if options.drop_dead:
        drop_dead(code, architecture.isa.assembler.drops_exchanges)
    if options.unroll:
        if options.predicate and predicate and architecture.isa.assembler.unroll_factor > 1:
            predicate_loops(code, unit, architecture, architecture.isa.assembler.unroll_most_instructions)
        unroll(code, unit, architecture, rolled)
        if architecture.isa.assembler.unroll_whole_instructions:
            fold_constants(code)
        if options.drop_dead:
            drop_dead(code)
    if options.fuse:
        whole_products(code, unit, architecture)
        share_reciprocals(code, unit, architecture)
        fuse(code, unit, architecture, scaled_indices(code, unit) if narrow else frozenset())
        three_inputs(code, unit, architecture)
    if options.share_products and not narrow:
        share_products(code, unit, architecture)
        if options.drop_dead:
            drop_dead(code)
    if options.fuse and not narrow and architecture.isa.assembler.splits_wide_mads:
        split_sums(code, unit, architecture)
    if options.fuse and not narrow:
        absorb(code, architecture)
    if options.merge_loads:
        merge_loads(code, unit, architecture)
        unit.uniform |= uniform_values(code, architecture)
    if options.straighten and options.predicate and predicate:
        join_tests(code, unit, architecture)
    if options.combine_predicates:
        combine_predicates(code, architecture.isa.assembler.branches_take_two, architecture.isa.assembler.repeats_comparisons)
    if options.straighten:
        invert_branches(code)
        exit_early(code)
        drop_unreachable(code)
    drop_labels(code)
    if options.predicate and predicate:
        predicate_branches(code, unit, architecture)
        drop_labels(code)
        if options.combine_predicates and architecture.isa.assembler.repeats_comparisons:      # what branches kept apart
            combine_predicates(code, architecture.isa.assembler.branches_take_two, True)
    if options.straighten and options.predicate and predicate and architecture.isa.assembler.falls_through_to_else:
        copy_first(code)
        begin_within(code)
        drop_labels(code)
    if options.predicate and predicate:
        guard_selections(code, architecture)
    if options.fuse and not narrow:
        absorb_terms(code, architecture)
    read_constants(code, unit, architecture)
    if options.coalesce:
        coalesce(code, unit)
        clear_pairs(code, architecture)
    if options.start_loads_early and architecture.isa.assembler.interleaves:
        compare_ahead(code)
    if options.fuse:
        read_shared_operands(code, architecture)
    if options.charge_overheads:
        charge_overheads(code, unit, architecture, bases, named_here(code, source), room)
    addresses = charge_addresses(code, unit) if narrow else set()
    if options.start_loads_early:       # while flags still say which loads are ordered, and not which caches they use
        (interleave if architecture.isa.assembler.interleaves else start_loads_early)(code, unit, addresses, room, architecture)
        if options.coalesce and architecture.isa.assembler.interleaves:
            coalesce(code, unit)        # what was read behind a copy may stand before it now
    settle_caches(code, architecture, source)
    return addresses
