"""What lowering is asked to do."""
from __future__ import annotations

import attrs


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
    together: frozenset[tuple[str, int]] = frozenset()
    """Lines, each ``(file, line)`` as `Cost` names them, whose loads and stores of global and shared memory are timed as if the lanes of a warp reached
    addresses behind each other, and whose atomic operations as if a warp had one on each word: what would these accesses cost if nothing were wrong with
    their order? What they reach stays the same."""
    without_barriers: frozenset[tuple[str, int]] = frozenset()
    """Lines, each ``(file, line)``, whose barriers of the block are left out: what would the launch take without them?"""
    thread_order: tuple[int, ...] = ()
    """Of each bit of the index of a thread in its block, which bit of the place that the thread has there it is; empty: threads lie in the order of their
    indices. Of blocks of one dimension with as many threads as these bits tell apart: the same threads, in other warps and lanes."""
    max_instructions: int = 2_000_000
    """PTX instructions of the longest kernel that is lowered, those of the functions that it calls among them. Each takes some tenths of a millisecond
    and some kilobytes on the host. A count and not a time, so that a kernel that is lowered once is lowered always."""
