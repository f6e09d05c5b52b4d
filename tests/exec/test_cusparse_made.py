"""Do functions of cuSPARSE that make sparse matrices of others give what numpy computes, on every kind of machine, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


def run(build, machine, tmp_path, what):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cusparse_made"), what], machine, 1, output)
        output.seek(0)
        return found, [line.split(" ") for line in output.read().splitlines()]


def matrix(rows, columns, step):
    """Which elements a matrix has, and their values, as the program makes it."""
    i, j = np.mgrid[:rows, :columns]
    there = ((7 * i + 3 * j) % step == 0) & (i % 4 != 3)
    return there, np.where(there, (i * columns + j) % 9 - 4.0, 0)


A, B, C = matrix(40, 50, 5), matrix(50, 30, 4), matrix(40, 50, 3)
NONE = np.zeros((40, 50), bool), np.zeros((40, 50))


def by_rows(there, values, base=0):
    """Give starts, places and values of a matrix."""
    return np.cumsum([0, *there.sum(axis=1)]) + base, np.nonzero(there)[1] + base, values[there]


def product(a, b):
    """Give where a product has elements, and these: also those that come out as 0."""
    return a[0].astype(int) @ b[0] > 0, a[1] @ b[1]


def numbers(count):
    return np.arange(count) % 13 - 6.0


@pytest.fixture(scope="module")
def outputs(build, tmp_path_factory):
    """What the program printed, line by line."""
    known = {}

    def printed(machine, what):
        if (machine, what) not in known:
            found, lines = run(build, machine, tmp_path_factory.mktemp("run"), what)
            assert found.exit_code == 0 and found.failures == (), (found.failures, lines[-1:])
            known[machine, what] = [(name, np.array(rest, "f8")) for name, *rest in lines]
        return known[machine, what]
    return printed


def sections(lines):
    """Part what was printed at the lines that say how large something is."""
    found = []
    for name, values in lines:
        if name.endswith("_counts"):
            found.append((name.removesuffix("_counts"), {"counts": list(values)}))
        else:
            found[-1][1][name] = values
    return found


KINDS = [(machine, what) for machine in MACHINES for what in ("single", "double") if what == "single" or "fp64" in registry.get(machine).isa.features]


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_products_of_sparse_matrices_are_those_of_numpy(outputs, machine, what):
    got = sections(outputs(machine, what))[:4]
    assert [name for name, _ in got] == ["plain", "based", "third", "none"]
    for (name, found), base in zip(got, (0, 1, 0, 0), strict=True):
        a = NONE if name == "none" else A
        there, values = product(a, B)
        starts, places, wanted = by_rows(there, 2 * values, base)
        products = (a[0].sum(axis=0) * B[0].sum(axis=1)).sum()
        assert found["counts"] == [40, 30, len(places), products], name
        assert (found["starts"] == starts).all() and (found["places"] == places).all() and (found["values"] == wanted).all(), name
        assert (found["again"] == 0).all(), name
    assert got[0][1]["counts"][3] > 1000      # several blocks of the kernels, and several steps of the one that adds up


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_transposed_matrices_are_those_of_numpy(outputs, machine, what):
    got = [found for name, found in sections(outputs(machine, what)) if name == "transpose"]
    for found, (there, values), base in zip(got, (A, B, NONE, B), (0, 1, 0, 0), strict=True):
        starts, places, wanted = by_rows(there.T, values.T, base)
        assert found["counts"] == [*there.T.shape, there.sum()]
        assert (found["starts"] == starts).all() and (found["places"] == places).all()
        if found is got[-1]:        # the pattern alone was asked for
            assert np.isnan(found["values"]).all()
        else:
            assert (found["values"] == wanted).all()


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_sums_of_sparse_matrices_are_those_of_numpy(outputs, machine, what):
    got = [found for name, found in sections(outputs(machine, what)) if name == "sum"]
    for found, (a, b), base in zip(got, ((A, C), (A, A), (NONE, NONE)), (1, 0, 1), strict=True):
        starts, places, wanted = by_rows(a[0] | b[0], 2 * a[1] - 3 * b[1], base)
        assert found["counts"] == [40, 50, len(places)]
        assert (found["starts"] == starts).all() and (found["places"] == places).all() and (found["values"] == wanted).all()


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_batches_are_computed_one_by_one(outputs, machine, what):
    (name, found), there = sections(outputs(machine, what))[-1], matrix(9, 11, 3)[0]
    count = there.sum()
    assert name == "sddmm" and found["counts"] == [9, 11, count, 3]
    a, x = numbers(54).reshape(9, 6), numbers(55).reshape(5, 11).T
    old, b = numbers(3 * count), numbers(240).reshape(3, 80)
    for i in range(3):
        turned = b[i, :72].reshape(6, 12)[:, :11]
        wanted = 2 * (a @ turned)[there] - old[i * count:(i + 1) * count]
        assert (found["values"][i * count:(i + 1) * count] == wanted).all()
        c = np.zeros((9, 11))
        c[there] = wanted
        assert (found["spmm"][45 * i:45 * (i + 1)] == (2 * c @ x).T.reshape(-1)).all()


def test_machines_without_double_precision_say_so(build, tmp_path):
    for machine in MACHINES:
        if "fp64" not in registry.get(machine).isa.features:
            found, _ = run(build, machine, tmp_path, "double")
            assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert {name: int(status) for name, status in printed} == {
        "state": 1, "size": 3, "turned": 10, "shape": 3, "elements": 10, "type": 10, "algorithm": 3, "compute_first": 3, "products_first": 3, "too_little": 11,
        "estimated": 0, "compute_little": 11, "copy_first": 3, "reuse": 10, "batch": 3, "stride": 3, "sddmm_shape": 3, "sddmm_batches": 3, "spmv_batches": 10,
        "action": 3, "half": 10, "buffer": 3, "negative": 3, "total": 3, "complex": 10}
    assert found.missing == {"cusparseSpGEMMreuse_nnz": 1, "cusparseCcsrgeam2": 1}
