"""A plugin can compile against the engine: declarations and headers lie beside the compiled modules."""
from pathlib import Path

import pytest

import archdef.engine
from archdef.engine import core

POLICY = """# cython: language_level=3
from libc.stdint cimport int64_t, uint64_t
from archdef.engine.bits cimport lowest_bit
from archdef.engine.machine cimport MachineTable
from archdef.engine.schedule cimport Scheduler, pick_function

cdef int newest(const MachineTable *machine, Scheduler *scheduler, uint64_t candidates, int64_t cycle) noexcept nogil:
    return lowest_bit(candidates)

cdef pick_function policy = newest
"""


def test_a_policy_translates_against_the_installed_declarations(tmp_path):
    compile_pyx = pytest.importorskip("Cython.Compiler.Main", reason="Cython is not installed")
    folder = Path(core.__file__).parent
    if not (folder / "schedule.pxd").exists():
        pytest.skip("an editable installation keeps the declarations in ext/")
    source = tmp_path / "policy.pyx"
    source.write_text(POLICY)
    options = compile_pyx.CompilationOptions(compile_pyx.default_options, include_path=[str(folder.parents[1])])
    result = compile_pyx.compile([str(source)], options)
    assert result.num_errors == 0 and (tmp_path / "policy.c").exists()


def test_every_compiled_module_has_a_stub():
    folder = Path(archdef.engine.__file__).parent
    compiled = {path.name.partition(".")[0] for path in Path(core.__file__).parent.glob("*.so")}
    public = {"coalesce", "core", "counters", "lanes", "machine", "memory", "program", "schedule", "shared"}
    assert public <= compiled
    assert {path.stem for path in folder.glob("*.pyi")} >= public
