"""Is all PTX that compilers wrote read, and read fast?"""

import os
from pathlib import Path

import pytest

from archdef.ptx import parse, post_dominators, register_demand, successors, verify

DATA = Path(__file__).parents[1] / "data" / "ptx"
FILES = sorted(DATA.glob("*.ptx"))
OTHERS = sorted(Path(os.environ["ARCHDEF_PTX"]).rglob("*.ptx")) if "ARCHDEF_PTX" in os.environ else []


@pytest.mark.parametrize("path", [*FILES, *OTHERS], ids=lambda path: path.name)
def test_a_compilers_ptx_is_read_and_sound(path):
    text = path.read_text()
    module = parse(text, str(path))
    verify(module)
    for function in module.functions.values():
        assert len(post_dominators(successors(function))) == len(function.body)
        assert (register_demand(function) > 0) == function.defined
        for instruction in function.body:
            line = module.lines[instruction.where.line - 1]
            assert line[instruction.where.column - 1 :].startswith(("@", instruction.opcode))


def test_the_feature_file_keeps_what_it_is_there_for():
    module = parse((DATA / "features.sm_60.ptx").read_text())
    kernel = module.functions["features"]
    assert kernel.directives == {"maxntid": (256, 1, 1), "minnctapersm": (2,)}
    assert module.variables["text"].initial == b"hello\0"
    assert [(at, s.name, s.offset) for at, s in module.variables["pointer"].relocations] == [(0, "table", 8)]
    assert {i.where.file for i in kernel.body if i.where.file} >= {"features.cu"}
    lines = {i.where.source_line for i in kernel.body if i.opcode == "call"}
    source = (DATA / "features.cu").read_text().splitlines()
    assert all(any(word in source[line - 1] for word in ("helper", "printf", "fib")) for line in lines)
