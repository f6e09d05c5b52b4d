"""One small PTX kernel for each form of the instruction table: a GPU and the engine run the same text.

A *recipe* per builder of the table writes the kernel (`recipes`, `recipes_memory`; textures and surfaces: `textures`). A recipe says with
`CannotWrite` which forms it leaves out and why; `every_form` keeps that in `BEYOND`.
"""
from __future__ import annotations

import itertools
from collections.abc import Iterator

from kernel import CannotWrite, Form
from recipes import ARITHMETIC
from recipes_memory import MEMORY

from archdef.ptx.table import TABLE, Row, find

SIDE = {"order", "scope", "cache", "nc", "evict1", "fetch"}
"""Groups of modifiers that change no value: used one at a time, not in every combination."""
RANK = {"sync": 0, "to": 0, "order": 1, "scope": 2, "space": 3}
AS_WRITTEN = {"cp", "mbarrier", "createpolicy"}
"""Opcodes whose modifiers stand in the row's order."""
LAST = {"prmt"}
"""Opcodes whose modifier is written after the type."""
RECIPES = ARITHMETIC | MEMORY
MATRICES = {"matrix_load", "matrix_store", "matrix_transpose", "matrix_product", "wmma_load", "wmma_store", "wmma_product"}
"""Builders whose kernels are those of `matrix_forms`."""
WARPGROUPS = {"group_product", "group_of_products"}
"""Builders whose kernels are those of `warpgroup_forms`."""
TEXTURES = {"texture", "texture_gather", "texture_query", "surface_load", "surface_store"}
"""Builders that `textures` has cases for."""
LAUNCHES = {"bulk_copy", "bulk_group", "store_async", "atomic_async", "barrier_cluster", "map_rank", "rank_of", "surface_formatted",
            "surface_reduce"}
"""Builders that `row_launches` has kernels for."""
NO_VALUE = {"hint": "computes nothing", "register_count": "computes nothing", "branch": "control flow", "branch_indexed": "control flow", "call": "control flow",
            "return": "control flow", "exit": "control flow", "trap": "ends the kernel", "barrier": "computes nothing",
            "barrier_warp": "computes nothing", "shuffle_width": "no instruction of this vendor"}
"""Builders that need no kernel here, and why."""


def wordings(row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every form of a row: its name, in the order in which PTX wants the words, and its words."""
    groups = [g for g in row.groups if g.name != "hint"]
    choices = {g.name: ([""] if g.optional else []) + list(g.meanings) for g in groups}
    value = [g for g in groups if g.name not in SIDE]
    side = [g for g in groups if g.name in SIDE]
    bases = [dict(zip([g.name for g in value], c)) for c in itertools.product(*(choices[g.name] for g in value))]
    types = [tuple(t) for t in itertools.product(*(sorted(s) for s in row.type_sets))]
    picked = [(b, t) for b in bases for t in types]
    for g in side:
        picked += [(bases[k] | {g.name: word}, types[0]) for word in g.meanings for k in range(min(len(bases), 4))]
    if {"order", "scope"} <= {g.name for g in side}:
        picked += [(b | {"order": o, "scope": s}, types[0]) for b in bases[:4] for o in choices["order"] for s in choices["scope"] if o and s]
    for chosen, ts in picked:
        ordered = sorted((g for g in groups if chosen.get(g.name)), key=lambda g: 9 if row.opcode in {"match"} | AS_WRITTEN else RANK.get(g.name, 9))
        words = [chosen[g.name] for g in ordered]
        written = [row.opcode, *ts, *words] if row.opcode in LAST else [row.opcode, *words, *ts]
        yield ".".join(written), (*words, *ts)


def every_form() -> dict[str, Form]:
    """Make all kernels, by name."""
    made: dict[str, Form] = {}
    for row in TABLE:
        recipe = RECIPES.get(row.builder)
        for name, words in wordings(row) if recipe else ():
            found = find(row.opcode, words)
            if found is not None and found.row is row and name not in made:
                try:
                    made.update({form.name: form for form in recipe(row, name, found)})
                except CannotWrite as reason:
                    BEYOND[name] = str(reason)
    return made


BEYOND: dict[str, str] = {}
"""Forms that no kernel is made of, and why; `every_form` collects them."""


def without_kernel() -> set[str]:
    """Rows that no recipe covers and that `NO_VALUE` does not excuse."""
    return {row.form for row in TABLE if row.builder not in {*RECIPES, *TEXTURES, *MATRICES, *WARPGROUPS, *LAUNCHES, *NO_VALUE}}


def row_of(name: str) -> str:
    """The row that a form or a case's instruction belongs to."""
    words = name.partition("/")[0].split(".")
    return find(words[0], tuple(words[1:])).row.form
