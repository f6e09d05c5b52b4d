"""Do functions of cuSPARSE that solve triangular systems and make incomplete factors give what numpy computes, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
KINDS = [(machine, what) for machine in MACHINES for what in ("single", "double") if what == "single" or "fp64" in registry.get(machine).isa.features]
TOLERANCES = {"single": 1e-5, "double": 1e-13}
N = 150
I, J = np.mgrid[:N, :N]
THERE = (I == J) | (((3 * I + 5 * J) % 17 == 0) & (I % 11 != 1))
A = np.where(THERE, np.where(I == J, 4 + I % 3, ((I * N + J) % 9 - 4) / 16), 0)


def run(build, machine, tmp_path, what):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cusparse_solved"), what], machine, 1, output)
        output.seek(0)
        return found, [line.split(" ", 1) for line in output.read().splitlines()]


def numbers(count):
    return np.arange(count) % 13 - 6.0


def near(got, expected, tolerance):
    expected = np.asarray(expected).T.reshape(-1)
    return np.abs(np.array(got.split(), "f8") - expected).max() <= tolerance * np.abs(expected).max()


def triangle(upper, unit):
    found = np.triu(A) if upper else np.tril(A)
    if unit:
        np.fill_diagonal(found, 1)
    return found


def incomplete():
    """L and U of A without what A has not, by the textbook's loops."""
    found = A.copy()
    for i in range(N):
        for k in np.nonzero(THERE[i, :i])[0]:
            found[i, k] /= found[k, k]
            beyond = THERE[i] & THERE[k] & (np.arange(N) > k)
            found[i, beyond] -= found[i, k] * found[k, beyond]
    return found


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_systems_and_factors_are_those_of_numpy(build, machine, what, tmp_path):
    found, printed = run(build, machine, tmp_path, what)
    assert found.exit_code == 0, found.failures
    tolerance, square = TOLERANCES[what], numbers(4 * N).reshape(N, 4)[:, :3]
    for which in range(8):
        upper, unit, turned = which & 1, which >> 1 & 1, which >> 2
        a = triangle(upper, unit).T if turned else triangle(upper, unit)
        (vector, x), (matrix, c) = printed[2 * which:2 * which + 2]
        assert vector == "vector" and near(x, np.linalg.solve(a, 2 * numbers(N)), tolerance), which
        b = numbers(3 * (N + 1)).reshape(3, N + 1)[:, :N].T if turned else square
        assert matrix == "matrix" and near(c, np.linalg.solve(a, 2 * b), tolerance), which
    factors = incomplete()
    lower, upper = np.tril(factors, -1) + np.eye(N), np.triu(factors)
    assert not np.allclose(lower @ upper, A)        # something was left out
    for base in range(2):
        lines = dict(printed[16 + 5 * base:21 + 5 * base])
        assert lines["pivot"] == "-1" and near(lines["factors"], factors[THERE], tolerance)
        assert near(lines["solved"], np.linalg.solve(upper, np.linalg.solve(lower, numbers(N))), tolerance)
        assert lines["zero"] == f"9 {1 + base}" and lines["missing"] == f"9 {1 + base}"
    assert {each.kernel for each in found.kernels} == {f"archdef_{what[0]}_solved", f"archdef_{what[0]}_factored"}


def test_machines_without_double_precision_say_so(build, tmp_path):
    for machine in MACHINES:
        if "fp64" not in registry.get(machine).isa.features:
            found, _ = run(build, machine, tmp_path, "double")
            assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert {name: status if name == "unit" else int(status) for name, status in printed} == {
        "state": 1, "size": 3, "early": 3, "buffer": 3, "host": 3, "type": 10, "algorithm": 3, "shape": 3, "square": 3, "operation": 3, "alpha": 3,
        "turned": 3, "other": 3, "attribute": 3, "bytes": 3, "value": 3, "changed": 3, "got": 1, "update": 10, "negative": 3, "rows": 3, "columns": 3, "first": 3,
        "position": 3, "unit": "0-1", "kind": 8, "destroyed": 1}
    assert found.missing == {"cusparseSpSV_updateMatrix": 1}
