"""Do functions of cuSPARSE that convert, count and sort give what numpy computes, on every kind of machine, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
KINDS = [(machine, what) for machine in MACHINES for what in ("single", "double") if what == "single" or "fp64" in registry.get(machine).isa.features]
ROWS, COLUMNS = 40, 50
I, J = np.mgrid[:ROWS, :COLUMNS]
A = np.where(((7 * I + 3 * J) % 5 == 0) & (I % 4 != 3), (I * COLUMNS + J) % 9 - 4.0, 0)


def run(build, machine, tmp_path, what):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cusparse_converted"), what], machine, 1, output)
        output.seek(0)
        return found, [line.split() for line in output.read().splitlines()]


def check_conversions(printed):
    rows, places = np.nonzero(A)
    for which in range(4):
        base, by_rows, by_element = which & 1, which >> 1, which in (1, 2)
        got = {name: np.array(values, "f8") for name, *values in printed[6 * which:6 * which + 6]}
        starts = rows if by_element else np.cumsum([0, *(A != 0).sum(axis=1)])
        assert (got["starts"] == starts + base).all() and (got["places"] == places + base).all() and (got["values"] == A[rows, places]).all()
        dense = got["dense"].reshape(ROWS, COLUMNS + 1)
        assert (dense[:, :COLUMNS] == A).all() and np.isnan(dense[:, COLUMNS]).all()
        counted = A.T if by_rows else A       # as it lies column by column
        assert (got["counts"] == (counted != 0).sum(axis=0 if by_element else 1)).all() and (got["total"] == len(rows)).all()


def check_order(printed):
    for base in range(2):
        got = {name: np.array(values, int) for name, *values in printed[4 * base:4 * base + 4]}
        row_of = np.repeat(np.arange(ROWS), np.arange(ROWS))
        order = np.lexsort((got["before"], row_of))
        assert (got["before"] != got["sorted"]).any() and set(got["before"] - base) <= set(range(COLUMNS))
        assert (got["identity"] == np.arange(len(order))).all() and (got["order"] == order).all() and (got["sorted"] == got["before"][order]).all()


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_conversions_counts_and_orders_are_those_of_numpy(build, machine, what, tmp_path):
    found, printed = run(build, machine, tmp_path, what)
    assert found.exit_code == 0 and found.failures == (), found.failures
    check_conversions(printed[:24])
    assert len(printed) == (32 if what == "single" else 24)
    if what == "single":
        check_order(printed[24:])


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    _, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert {name: int(status) for name, status in printed} == {
        "handle": 1, "size": 3, "swapped": 1, "shape": 3, "type": 10, "algorithm": 3, "buffer": 3, "unplaced": 3, "by_rows": 3, "direction": 3, "leading": 3, "total": 3,
        "negative": 3, "order": 3, "permutation": 3}
