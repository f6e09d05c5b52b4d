"""Do programs that call cuSPARSE get what numpy computes, on every kind of machine, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


def run(build, machine, tmp_path, what):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cusparse"), what], machine, 1, output)
        output.seek(0)
        return found, [line.split(" ", 1) for line in output.read().splitlines()]


def matrix():
    found = np.zeros((5, 7))
    for value, (row, column) in enumerate(zip([0, 0, 0, 2, 3, 3, 3, 3, 4], [0, 2, 6, 1, 0, 3, 4, 5, 6], strict=True), 1):
        found[row, column] = value
    return found


@pytest.mark.parametrize("what", ["single", "double"])
@pytest.mark.parametrize("machine", MACHINES)
def test_products_are_those_of_numpy(build, machine, what, tmp_path):
    found, printed = run(build, machine, tmp_path, what)
    if what == "double" and "fp64" not in registry.get(machine).isa.features:
        assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)
        return
    assert found.exit_code == 0 and found.failures == () and printed[0] == ["bytes", "0"]
    got = {name: np.array(rest.split(), "f8") for name, rest in printed}
    numbers, a = np.arange(64) % 11 - 4.0, matrix()
    x = a @ numbers[:7]
    assert (got["csr"] == 2 * x - numbers[:5]).all() and (got["coo"] == 2 * x).all() and (got["device"] == 2 * x).all()
    c = numbers[:18].reshape(3, 6).copy()
    c[:, :5] = (2 * a @ numbers[:21].reshape(3, 7).T).T - c[:, :5]
    assert (got["spmm"].reshape(3, 6) == c).all()
    c[:, :5] = (2 * a @ numbers[:24].reshape(3, 8)[:, :7].T).T
    assert (got["turned"].reshape(3, 6) == c).all()
    y = -numbers[:12]
    y[[0, 3, 4, 5]] += 2 * np.arange(1.0, 5)
    assert (got["axpby"] == y).all()
    y[[0, 3, 4, 5]] = np.arange(1.0, 5)
    assert (got["scatter"] == y).all() and (got["gather"] == [0, 0, 0, 0, 5, 6, 7, 8, 9]).all()
    assert what == "double" or (got["older"] == a @ np.arange(7.0)).all()
    assert {each.kernel for each in found.kernels} == {f"archdef_{what[0]}_{name}" for name in ("spmv", "spmm", "scaled", "axpy", "scatter", "gather")}


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert dict(printed) == {"create": "3", "handle": "1", "matrix": "1", "alpha": "3", "size": "3", "operation": "3", "turned": "10", "type": "10",
                             "negative": "3", "complex": "10", "base": "3", "stream": "1", "missing": "10", "text": "0 invalid value"}
    assert found.missing == {"cusparseSpSV_updateMatrix": 1}
