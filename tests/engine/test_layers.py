"""Is the engine below every front end?"""
import re
from pathlib import Path

import pytest
from archdef.lower.encoding import MICRO_OP

SOURCES = Path(__file__).parents[2] / "ext" / "archdef" / "engine"
IMPORT = re.compile(r"^\s*(?:from|import|cimport)\s+([\w.]+)", re.MULTILINE)
BELOW = re.compile(r"archdef\.engine(\.\w+)?|archdef\.errors|bisect|libc\.\w+|cpython(\.\w+)?|cython|gc|numpy|threading|time|types")


@pytest.fixture(scope="module")
def sources():
    if not SOURCES.is_dir():
        pytest.skip("an installation without the engine's sources")
    return [path for path in sorted(SOURCES.iterdir()) if path.suffix in (".pyx", ".pxd", ".pxi")]


def test_the_engine_imports_nothing_but_itself_and_errors(sources):
    assert len(sources) > 50
    above = {f"{path.name}: {name}" for path in sources for name in IMPORT.findall(path.read_text("utf-8")) if not BELOW.fullmatch(name)}
    assert not above


def test_a_micro_op_names_no_instruction_of_a_front_end():
    """It is numbers of fixed width alone; the text that it stands for is its statement's, which whoever makes the program keeps."""
    assert all(field.subdtype is not None or field.kind in "iu" for field, _ in MICRO_OP.fields.values())
    assert "statement" in MICRO_OP.names
