"""Do programs that call cuBLAS get what numpy computes, on every kind of machine, and a status for every wrong call?"""
import subprocess
import sys

import numpy as np
import pytest
from guest_kernels import COMPILER

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "gf100", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
LETTERS = {"S": ("f4", 2e-5), "D": ("f8", 1e-13)}


class Numbers:
    """The numbers that programs/cublas.c makes."""

    def __init__(self, state=1):
        self.state = state

    def __call__(self, n, dtype="f4"):
        found = np.empty(n)
        for i in range(n):
            self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
            found[i] = (self.state >> 8) / 16777216.0 - 0.5
        return found.astype(dtype)

    def matrix(self, rows, columns, dtype="f4"):
        return self(rows * columns, dtype).reshape(columns, rows).T.astype("f8")


def run(program, machine, tmp_path, *arguments):
    """The account, and the lines that were printed: their first word and the rest."""
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([program, *map(str, arguments)], machine, 1, output)
        output.seek(0)
        return found, [line.split(" ", 1) for line in output.read().splitlines()]


def numbers(lines):
    return [(name, np.array(rest.split(), "f8")) for name, rest in lines]


def columns(matrix):
    return np.asarray(matrix).T.reshape(-1)


def near(got, expected, tolerance):
    return np.abs(np.asarray(got) - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("machine", MACHINES)
def test_products_are_those_of_numpy(build, machine, letter, tmp_path):
    if letter == "D" and "fp64" not in registry.get(machine).isa.features:
        found, printed = run(build("cublas"), machine, tmp_path, "products", letter, 4, 4, 4)
        assert found.exit_code == 1 and printed[0][0].startswith("cublasDgemm_v2")
        assert any("has no double precision" in text for text in found.failures)
        return
    dtype, tolerance = LETTERS[letter]
    for m, n, k in ((20, 17, 33), (70, 65, 19)):
        found, printed = run(build("cublas"), machine, tmp_path, "products", letter, m, n, k)
        assert found.exit_code == 0 and found.failures == () and found.missing == {}
        got = numbers(printed)
        for number, (a_turned, b_turned) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
            make = Numbers()
            a = make.matrix(*((k, m) if a_turned else (m, k)), dtype)
            b = make.matrix(*((n, k) if b_turned else (k, n)), dtype)
            c = make.matrix(m, n, dtype)
            expected = 1.5 * (a.T if a_turned else a) @ (b.T if b_turned else b) - 0.5 * c
            assert near(got[number][1], columns(expected), tolerance)
        make = Numbers()
        assert near(got[4][1], columns(1.5 * make.matrix(m, k, dtype) @ make.matrix(k, n, dtype)), tolerance)
        (kernel,) = found.kernels
        (kernel,) = found.kernels
        assert kernel.launches == 5 and kernel.kernel.startswith(f"archdef_{letter.lower()}gemm_")
        assert machine not in ("v100", "c500") or kernel.kernel.endswith("_64" if min(m, n) >= 64 else "_16")
        assert kernel.cycles > 0


@pytest.mark.parametrize("machine", [name for name in ("g80", "v100", "c500") if name in MACHINES])
def test_many_products_at_once(build, machine, tmp_path):
    found, printed = run(build("cublas"), machine, tmp_path, "many")
    make = Numbers()
    a, b = make(5 * 3 * 3).reshape(3, 3, 5), make(3 * 4 * 3).reshape(3, 4, 3)
    expected = np.stack([a[i].T @ b[i].T for i in range(3)]).transpose(0, 2, 1).reshape(-1)
    got = numbers(printed)
    assert [name for name, _ in got] == ["strided", "batched"] and all(near(value, expected, 1e-6) for _, value in got)
    assert sum(each.launches for each in found.kernels) == 2


@pytest.mark.parametrize("machine", [name for name in ("v100", "c500") if name in MACHINES])
def test_products_of_other_types(build, machine, tmp_path):
    _, printed = run(build("cublas"), machine, tmp_path, "types")
    square = (np.arange(9) - 4).reshape(3, 3).T
    assert printed == [["half", "0x4ac0 13.5"], ["bfloat", "0x4158"], ["bytes", " ".join(map(str, columns(square @ square)))]]


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("machine", [name for name in ("gt200", "v100", "c500") if name in MACHINES])
def test_vectors(build, machine, letter, tmp_path):
    n, (dtype, tolerance) = 700, LETTERS[letter]
    _, printed = run(build("cublas"), machine, tmp_path, "vectors", letter, n)
    got, make = dict(numbers(printed)), Numbers()
    x, y = make(n, dtype).astype("f8"), make(n, dtype).astype("f8")
    y += 0.75 * x
    assert near(got["axpy"], y, tolerance)
    y[:n // 2] += 0.75 * x[:n:2][::-1][:n // 2]
    assert near(got["backwards"], y, tolerance)
    y[:n:2] *= 0.75
    assert near(got["scal"], y, tolerance)
    assert near(got["numbers"], [x @ y, np.linalg.norm(x), np.abs(x).sum(), x @ y], tolerance)
    assert near(got["swapped"], y, tolerance)


def bfloat(numbers):
    """The bits of the nearest numbers of bfloat16, of two the even one."""
    bits = np.asarray(numbers, "f4").view("u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")


NARROW = {2: (lambda numbers: np.asarray(numbers, "f4").astype("f2").view("u2"), lambda bits: bits.view("f2").astype("f4")),
          14: (bfloat, lambda bits: (bits.astype("u4") << 16).view("f4"))}


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("machine", [name for name in ("gt200", "v100", "c500") if name in MACHINES])
def test_vectors_of_half_and_of_bfloat16_are_computed_with_in_single_precision_and_rounded_once(build, machine, kind, tmp_path):
    n, (rounded, read) = 300, NARROW[kind]
    make = Numbers()
    x, y = (rounded(4 * make(n)) for _ in range(2))
    found, printed = run(build("cublas"), machine, tmp_path, "narrow", kind, *x, *y)
    if kind == 2 and "fp16" not in registry.get(machine).isa.features:
        assert found.exit_code == 1 and any("has no half precision" in text for text in found.failures)
        return
    got = {name: np.array(rest.split(), "u2") for name, rest in printed}
    x, y = read(x), read(y)
    assert near(read(got["numbers"]), [x @ y, np.linalg.norm(x)], 2**-8 if kind == 14 else 2**-11)
    assert (got["vectors"][n:] == rounded(y + np.float32(0.75) * x)).all()
    x[:n:2] *= np.float32(0.75)
    assert (got["vectors"][:n] == rounded(x)).all()
    assert got["refused"].tolist() == [15, 15, 15]


@pytest.mark.parametrize("machine", [name for name in ("g80", "v100", "c500") if name in MACHINES])
def test_places_and_lengths(build, machine, tmp_path):
    _, printed = run(build("cublas"), machine, tmp_path, "places")
    assert printed[0] == ["places", "78 6"] and near(float(printed[1][1]) / 3e38, np.hypot(3e38, 4e37) / 3e38, 1e-6)


def _solved(make, t, which, m=7, n=5):
    side, upper, turned, unit = which & 1, which >> 1 & 1, which >> 2 & 1, which >> 3
    matrix = (np.triu if upper else np.tril)(t)
    if unit:
        np.fill_diagonal(matrix, 1)
    matrix = matrix.T if turned else matrix
    right = make.matrix(n, m) if side else make.matrix(m, n)
    return columns(np.linalg.solve(matrix.T, 2 * right.T).T if side else np.linalg.solve(matrix, 2 * right))


@pytest.mark.parametrize("machine", [name for name in ("g80", "v100", "c500") if name in MACHINES])
def test_matrices(build, machine, tmp_path):
    m, n = 7, 5
    _, printed = run(build("cublas"), machine, tmp_path, "matrices")
    got, make = numbers(printed), Numbers()
    a, x, y = make.matrix(m, n), make(m).astype("f8"), make(m).astype("f8")
    y = 2 * a @ x[:n] + 0.5 * y
    assert got[0][0] == "gemv" and near(got[0][1], y, 1e-6)
    x[:n] = 2 * a.T @ y + 0.5 * x[:n]
    assert got[1][0] == "transposed" and near(got[1][1], x[:n], 1e-6)
    a += 2 * np.outer(y, x[:n])
    assert got[2][0] == "ger" and near(got[2][1], columns(a), 1e-6)
    assert got[3][0] == "geam" and near(got[3][1], columns(2 * a.T + 0.5 * make.matrix(n, m)), 1e-6)
    t = make.matrix(m, m)
    np.fill_diagonal(t, 3)
    for which in range(16):
        assert got[4 + which][0] == "trsm" and near(got[4 + which][1], _solved(Numbers(7), t, which), 1e-5)
    after = Numbers(7)
    after(m * n)
    made, factors, pivots = after.matrix(m, m), got[20][1].reshape(m, m).T, got[21][1].astype(int)
    order = np.arange(m)
    for row, chosen in enumerate(pivots[:m] - 1):
        order[[row, chosen]] = order[[chosen, row]]
    assert pivots[m] == 0 and near(columns((np.tril(factors, -1) + np.eye(m)) @ np.triu(factors)), columns(made[order]), 1e-5)
    assert np.abs(np.tril(factors, -1)).max() <= 1 + 1e-6       # it took the largest of each column


@pytest.mark.parametrize("machine", [name for name in ("g80", "v100", "c500") if name in MACHINES])
def test_what_a_factor_of_0_leaves_out_is_not_read_and_what_is_no_number_has_the_last_place(build, machine, tmp_path):
    m, n = 37, 35
    _, printed = run(build("cublas"), machine, tmp_path, "edges")
    got, make = dict(numbers(printed)), Numbers()
    x, y, a = make(m).astype("f8"), make(m).astype("f8"), make.matrix(m, n).astype("f8")
    assert near(got["axpy"], y, 1e-7) and near(got["gemv"], 0.5 * y, 1e-7) and near(got["transposed"], 0.25 * y, 1e-7)
    assert near(got["written"], 2 * a @ x[:n][::-1], 1e-6)
    a += 2 * np.outer(x, (0.25 * y)[:n][::-1])
    assert near(got["ger"], columns(a), 1e-6) and near(got["geam"], columns(2 * a.T), 1e-6)
    assert not got["trsm"].any() and got["apart"].tolist() == [7, 7]
    expected = []
    for first in range(3):
        sizes = np.where(np.arange(300) % 3 == first, 1 + np.arange(300) % 100 / 128, np.nan)
        expected += [np.nanargmax(sizes) + 1, np.nanargmin(sizes) + 1]
    assert got["places"].tolist() == expected


@pytest.mark.parametrize("machine", [name for name in ("g80", "v100") if name in MACHINES])
def test_the_api_before_cuda_4(build, machine, tmp_path):
    _, printed = run(build("cublas"), machine, tmp_path, "legacy")
    make = Numbers()
    a, b = make.matrix(6, 6), make.matrix(6, 6)
    b = 2 * a.T @ a + 0.5 * b
    assert near(numbers(printed[:1])[0][1], columns(b), 1e-6)
    b = columns(b)
    b[:6] += 0.25 * columns(a)[:6]
    assert near(float(printed[1][1]), columns(a)[:6] @ b[:6], 1e-6) and printed[2:] == [["errors", "7 0"], ["kept", "0"]]


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build("cublas"), MACHINES[-1], tmp_path, "wrong")
    statuses = dict.fromkeys(["create", "negative", "leading", "operation", "alpha", "null", "host", "mode"], "7")
    assert dict(printed) == statuses | {"handle": "1", "type": "15", "stream": "1", "missing": "15", "last": "0", "right": "0 invalid value", "destroyed": "1"}
    assert found.missing == {"cublasSsyrk_v2": 1} and any("leading" not in text and "ldb must be at least 4" not in text for text in found.failures)
    assert "cublasSgemm_v2: m must be at least 0, got -1" in found.failures and "cublasSsyrk_v2" in str(found)


@pytest.mark.parametrize("library", ["libcublas.so.11", "libcublas.so.12"])
def test_a_program_that_asks_for_a_version_of_the_library_finds_it(library, tmp_path):
    """NVIDIA's libraries give their symbols versions, and programs that were linked with them ask for these."""
    if COMPILER is None:
        pytest.skip("no C compiler")
    (tmp_path / "theirs.c").write_text("int cublasCreate_v2(void **h) { return 99; }\nint cublasDestroy_v2(void *h) { return 99; }\n")
    (tmp_path / "map").write_text(f"{library} {{ global: *; }};\n")
    (tmp_path / "main.c").write_text("int cublasCreate_v2(void **), cublasDestroy_v2(void *);\n"
                                     "int main(void) { void *h; return cublasCreate_v2(&h) + cublasDestroy_v2(h); }\n")
    there = tmp_path / "theirs"
    there.mkdir()
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", there / library, tmp_path / "theirs.c", f"-Wl,-soname,{library}",
                    f"-Wl,--version-script={tmp_path / 'map'}"], check=True)
    subprocess.run([COMPILER, "-o", tmp_path / "main", tmp_path / "main.c", there / library, "-Wl,-z,now"], check=True)
    with open(tmp_path / "errors", "w+") as errors:
        code = f"import archdef\nprint(archdef.exec.run([{str(tmp_path / 'main')!r}], {MACHINES[-1]!r}).exit_code)"
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=errors, text=True, cwd=tmp_path)
        errors.seek(0)
        assert done.stdout == "0\n" and errors.read() == ""
