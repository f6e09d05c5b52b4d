"""Does every kind of micro-ops have what reads and what executes it, and is what comes of reading as small as it was?"""
import re
from pathlib import Path

import numpy as np
import pytest
from archdef.engine.program import LoadedProgram, ProgramError, layout
from archdef.lower.encoding import Kind
from assembler import Assembler

SOURCES = Path(__file__).parents[2] / "ext" / "archdef" / "engine"
BECOME_OTHERS = {Kind.TEXTURE, Kind.SURFACE, Kind.MATRIX_LOAD, Kind.MATRIX_STORE}
"""Kinds that are loads, stores or atomic operations once they have been read."""


def kinds_in(module: str, table: str) -> set[Kind]:
    """Name the kinds for which a module puts a function into its table."""
    if not SOURCES.is_dir():
        pytest.skip("an installation without the engine's sources")
    return {Kind[name] for name in re.findall(rf"{table}\[<int>(?:T\.)?K_(\w+)\] = ", (SOURCES / module).read_text("utf-8"))}


def of_one_op(kind: int, **fields):
    """Make a program of one op and an end."""
    a = Assembler()
    a.op(Kind.NOP)
    a.exit()
    program = a.program()
    for name, value in ({"kind": kind} | fields).items():
        program.ops[0][name] = value
    return program


def test_every_kind_has_a_reader():
    assert kinds_in("program.pyx", "_reader") == set(Kind)


def test_every_kind_that_is_left_after_reading_has_an_executor():
    assert kinds_in("execute.pxi", "_executor") == set(Kind) - BECOME_OTHERS


@pytest.mark.parametrize("kind", sorted({*range(64), 255} - set(Kind)))
def test_a_kind_that_does_not_exist_is_refused(kind):
    with pytest.raises(ProgramError, match=rf"op 0 \(kind {kind}\): unknown kind"):
        LoadedProgram(of_one_op(kind), 32, 3)


@pytest.mark.parametrize("kind, count", [(kind, count) for kind in (Kind.BRANCH_INDEXED, Kind.CALL_INDIRECT) for count in (2, 2**31 - 1)])
def test_a_list_that_leaves_its_table_is_refused(kind, count):
    """Also one whose end is too large a number for the engine's integers."""
    program = of_one_op(kind, s=[0, *[0x7fffffff] * 4], target=1, count=count, reconverge=-1)
    program.rows, program.targets = 2, np.array([0, 1], np.int32)
    with pytest.raises(ProgramError, match=f"list of {count}"):
        LoadedProgram(program, 32, 3)


def test_a_checked_op_takes_four_lines_of_the_hosts_cache():
    assert layout()["Uop"] == 256
