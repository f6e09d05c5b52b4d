"""Each microbenchmark belongs to a ladder, and each ladder of a machine that somebody has gone through is a case, or says where figures were looked for."""
import fnmatch

import pytest
from ladder_table import KERNELS, LADDERS, counted, missing, named, searched, table

from archdef import registry
from archdef.microbench import suite
from archdef.validate import load


def test_every_microbenchmark_belongs_to_one_ladder():
    for name in suite.load():
        at = [ladder for ladder, globs in LADDERS.items() if any(fnmatch.fnmatchcase(f"microbench.{name}", glob) for glob in globs)]
        assert len(at) == 1, f"{name}: {at}; give it a place in LADDERS"


@pytest.mark.parametrize("ladder", KERNELS)
def test_kernels_that_draw_a_ladder_are_cases(ladder):
    assert ladder in LADDERS
    for glob in KERNELS[ladder]:
        machine = glob.split()[0]
        assert any(fnmatch.fnmatchcase(named(case), glob) for case in load.references(machine).cases), f"{glob} names no case"


@pytest.mark.parametrize("machine", searched())
def test_a_ladder_without_a_case_says_where_figures_were_looked_for(machine):
    assert machine in registry.names()
    assert all(missing(machine).values()), [name for name, note in missing(machine).items() if not note]
    assert set(searched()[machine]) <= {"all", *LADDERS}


def test_the_matrix_counts_what_was_fitted_apart_from_what_judges():
    k40 = counted("k40")
    assert k40["latency of operations"]["fitted"] and k40["results by chains and warps"]["judged"] and not k40["latency of operations"]["judged"]
    assert "9 judged" in next(line for line in table(["k40"]).splitlines() if line.startswith("| results by chains"))
