"""Do programs that call cuSOLVER get what numpy computes, on every kind of machine, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
KINDS = [(machine, what) for machine in MACHINES for what in ("single", "double") if what == "single" or "fp64" in registry.get(machine).isa.features]
TOLERANCES = {"single": 5e-5, "double": 1e-12}
SCALES = {"single": (1e-30, 1e30), "double": (1e-250, 1e250)}
N, M, FEWER = 37, 45, 20


def run(build, machine, tmp_path, what):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cusolver"), what], machine, 1, output)
        output.seek(0)
        return found, [line.split() for line in output.read().splitlines()]


def matrix(leading, columns, diagonal=0.0):
    """The matrix that programs/cusolver.c makes, with all rows that it has in memory."""
    i = np.arange(leading * columns)
    return ((i * 37 + i // 7 * 11) % 41 / 20 - 1 + np.where(i % (leading + 1) == 0, diagonal, 0)).reshape(columns, leading).T


class Printed:
    """What was printed, line by line."""

    def __init__(self, lines, what):
        self.lines, self.what, self.tolerance = iter(lines), what, TOLERANCES[what]

    def next(self, name, rows=1):
        found, *values = next(self.lines)
        assert found == name
        return np.array(values, "f8").reshape(-1, rows).T

    def near(self, got, expected):
        return np.abs(got - expected).max() <= self.tolerance * np.abs(expected).max()


def check_cholesky(printed):
    given, right = matrix(N + 2, N, 20), matrix(N + 1, 3)[:N]
    for upper in range(2):
        half = (np.triu if upper else np.tril)(given[:N])
        a = half + half.T - np.diag(np.diag(half))
        assert printed.next("info") == 0
        got = printed.next("potrf", N + 2)
        factor = np.linalg.cholesky(a)
        kept = np.tril(np.ones((N + 2, N), bool)) if not upper else np.triu(np.ones((N + 2, N), bool))
        kept[N:] = False
        assert printed.near(got[:N][kept[:N]], (factor.T if upper else factor)[kept[:N]])
        assert printed.near(got[~kept], given[~kept])       # the other half, and what lies between columns, is left alone
        assert printed.near(printed.next("potrs", N + 1)[:N], np.linalg.solve(a, right))
    a = matrix(N, N)
    assert printed.next("negative") == next(k for k in range(1, N + 1) if np.linalg.eigvalsh(np.tril(a)[:k, :k] + np.tril(a, -1)[:k, :k].T).min() <= 0)


def check_lu(printed):
    right = matrix(N + 1, 3)[:N]
    for which in range(3):
        a = matrix(N + 2, N, 0 if which < 2 else 20)[:N]
        assert printed.next("info") == 0
        factors, pivots = printed.next("getrf", N + 2)[:N], printed.next("pivots")[0].astype(int)
        order = np.arange(N)
        for row, chosen in enumerate(pivots - 1 if which < 2 else []):
            order[[row, chosen]] = order[[chosen, row]]
        assert printed.near((np.tril(factors, -1) + np.eye(N)) @ np.triu(factors), a[order])
        assert which == 2 or ((order != np.arange(N)).any() and np.abs(np.tril(factors, -1)).max() <= 1 + printed.tolerance)
        got = printed.next("getrs", N + 1)[:N]
        assert printed.near((a.T if which == 1 else a) @ got, right)
    assert printed.next("singular") == 2


def check_qr(printed):
    a = matrix(M + 1, FEWER)[:M]
    assert printed.next("info") == 0
    got, tau = printed.next("geqrf", M + 1)[:M], printed.next("tau")[0]
    q = np.eye(M)
    for k in range(FEWER):
        v = np.concatenate([np.zeros(k), [1], got[k + 1:, k]])
        q = q @ (np.eye(M) - tau[k] * np.outer(v, v))
    assert printed.near(q.T @ q, np.eye(M)) and printed.near(q[:, :FEWER] @ np.triu(got[:FEWER]), a)
    for which in range(4):
        right, turned = which & 1, which >> 1
        c = matrix(7, M) if right else matrix(M, 7)
        by = q.T if turned else q
        assert printed.near(printed.next("ormqr", len(c)), c @ by if right else by @ c)
    assert printed.next("info") == 0
    reflections = np.tril(got, -1)
    for by in SCALES[printed.what]:     # the squares of these numbers are none
        scaled, same = printed.next("scaled", M + 1)[:M], printed.next("tau")[0]
        assert printed.near(np.triu(scaled) / by, np.triu(got)) and printed.near(np.tril(scaled, -1), reflections) and printed.near(same, tau)


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_factors_and_systems_are_those_of_numpy(build, machine, what, tmp_path):
    found, lines = run(build, machine, tmp_path, what)
    assert found.exit_code == 0 and found.failures == (), found.failures
    printed = Printed(lines, what)
    check_cholesky(printed)
    check_lu(printed)
    check_qr(printed)
    assert next(printed.lines, None) is None
    assert {each.kernel for each in found.kernels} == {f"archdef_{what[0]}{name}" for name in ("potrf", "potrs", "getrf", "getrs", "geqrf", "ormqr")}


def test_machines_without_double_precision_say_so(build, tmp_path):
    for machine in MACHINES:
        if "fp64" not in registry.get(machine).isa.features:
            found, printed = run(build, machine, tmp_path, "double")
            assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)
            assert printed[0][0].startswith("cusolverDnDpotrf(")


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert {name: int(status) for name, status in printed} == {
        "create": 3, "handle": 1, "fill": 3, "negative": 3, "leading": 3, "null": 3, "info": 3, "size": 3, "rows": 3, "tau": 3, "operation": 3, "side": 3,
        "reflections": 3, "stream": 1, "complex": 9, "empty": 0, "empty_info": 0}
    assert found.missing == {"cusolverDnCpotrf": 1}
