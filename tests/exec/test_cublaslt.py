"""Do programs that call cuBLASLt get what numpy computes, on every kind of machine, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


def run(build, machine, tmp_path, what):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cublaslt"), what], machine, 1, output)
        output.seek(0)
        return found, [line.split(" ", 1) for line in output.read().splitlines()]


def numbers(count, of):
    """The numbers that programs/cublaslt.c makes."""
    return (np.arange(count) * 7 + of * 5) % 23 / 8 - 1.25


def matrices(rows, columns, by_rows, more, of):
    """Two matrices as they lie in memory, and which elements these are."""
    stride, leading = (rows + more) * (columns + more), (columns if by_rows else rows) + more
    i, j = np.mgrid[:rows, :columns]
    places = (i * leading + j if by_rows else i + j * leading) + stride * np.arange(2)[:, None, None]
    return numbers(2 * stride, of), places


@pytest.mark.parametrize("what", ["products", "double"])
@pytest.mark.parametrize("machine", MACHINES)
def test_products_of_all_orders_are_those_of_numpy(build, machine, what, tmp_path):
    found, printed = run(build, machine, tmp_path, what)
    if what == "double" and "fp64" not in registry.get(machine).isa.features:
        assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)
        return
    assert found.exit_code == 0 and found.failures == () and len(printed) == 32
    m, n, k = 9, 6, 5
    for which, (_, text) in enumerate(printed):
        of_a, of_b, rows_a, rows_b, rows_d = (which >> bit & 1 for bit in range(5))
        a, at_a = matrices(*((k, m) if of_a else (m, k)), rows_a, 1, 0)
        b, at_b = matrices(*((n, k) if of_b else (k, n)), rows_b, 2, 1)
        (c, at_c), (d, at_d) = matrices(m, n, rows_d, 3, 2), matrices(m, n, rows_d, 1, 3)
        left, right = (values[at].transpose(0, 2, 1) if turned else values[at] for values, at, turned in ((a, at_a, of_a), (b, at_b, of_b)))
        d[at_d] = 1.5 * left @ right - 0.5 * c[at_c]
        assert (np.array(text.split(), "f8") == d).all(), which


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def after(epilogue, product, bias, aux):
    """What an epilogue makes of a product, of the bias and of the other matrix."""
    m, n = product.shape
    a, b = numbers(m * 7, 0).reshape(m, 7), numbers(n * 7, 1).reshape(n, 7)
    d = product + bias[:m, None] if epilogue in (4, 6, 36, 164) else product
    if epilogue in (160, 164):
        aux = np.vstack([d, aux[m:]])
    if epilogue & 2 and epilogue < 8:
        d = np.maximum(d, 0)
    elif epilogue == 192:
        x, step = aux[:m], 1e-4
        d = d * (gelu(x + step) - gelu(x - step)) / (2 * step)
    elif epilogue & 32:
        d = gelu(d)
    sums = {256: a, 512: b}.get(epilogue)
    return d, bias if sums is None else np.concatenate([sums.sum(axis=1), bias[len(sums):]]), aux


def check_epilogues(printed, tolerance):
    m, n = 20, 9
    product = numbers(m * 7, 0).reshape(m, 7) @ numbers(n * 7, 1).reshape(n, 7).T
    seen = []
    for first in range(0, len(printed), 4):
        epilogue = int(printed[first][1])
        seen.append(epilogue)
        wanted = after(epilogue, product, numbers(m + n, 4), numbers((m + 1) * n, 5).reshape(n, m + 1).T)
        for (name, text), expected in zip(printed[first + 1:first + 4], wanted, strict=True):
            expected = expected.T.reshape(-1)
            assert np.abs(np.array(text.split(), "f8") - expected).max() <= tolerance * np.abs(expected).max(), (epilogue, name)
    assert seen == [1, 2, 4, 6, 32, 36, 160, 164, 192, 256, 512]


@pytest.mark.parametrize("machine", MACHINES)
def test_epilogues(build, machine, tmp_path):
    found, printed = run(build, machine, tmp_path, "epilogues")
    assert found.exit_code == 0 and found.failures == ()
    check_epilogues(printed[:44], 1e-6)
    check_epilogues(printed[44:], 2 ** -8)
    assert {each.kernel.rstrip("168") for each in found.kernels} == {
        f"archdef_{each}" for each in ("sgemm_", "bgemm_", "lt_sgemm_", "lt_bgemm_", "lt_ssums", "lt_bsums")}


def check_types(printed, least_bits):
    a, b = numbers(9, 0).reshape(3, 3).T, numbers(9, 1).reshape(3, 3).T
    for (name, text), bits in zip(printed, least_bits, strict=True):
        expected = ((2 if name == "typed" else 1) * a @ b).T.reshape(-1) * (64 if bits is None else 1)
        assert np.abs(np.array(text.split(), "f8") - expected).max() <= (0 if bits is None else 2.0 ** -bits * np.abs(expected).max())


@pytest.mark.parametrize("machine", MACHINES)
def test_types(build, machine, tmp_path):
    found, printed = run(build, machine, tmp_path, "types")
    assert found.exit_code == 0 and found.failures == ()
    check_types(printed, [24, 24, 8, 8, 24, 24, None, None])


@pytest.mark.parametrize("machine", MACHINES)
def test_half_precision(build, machine, tmp_path):
    found, printed = run(build, machine, tmp_path, "half")
    if "fp16" not in registry.get(machine).isa.features:
        assert found.exit_code == 1 and any("has no half precision" in text for text in found.failures)
        return
    assert found.exit_code == 0 and found.failures == ()
    check_epilogues(printed[:44], 2 ** -11)
    check_types(printed[44:], [11, 11, 11, 24, 24])


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert dict(printed) == {
        "create": "7", "handle": "1", "null": "7", "layout": "7", "garbage": "7", "kind": "7", "alpha": "7", "shape": "7", "types": "15", "batches": "7",
        "order": "15", "algorithm": "7", "leading": "0", "far": "15", "back": "7", "attribute": "7", "bytes": "7", "scale": "15", "none": "7", "small": "3", "compute": "0",
        "epilogue": "0", "heuristic": "15 0", "bias": "0", "aux": "0", "by_rows": "0", "bias_type": "0", "missing": "15", "read": "0 1 4 0 8", "cublas": "0",
        "text": "CUBLAS_STATUS_NOT_SUPPORTED", "destroyed": "7"}
    assert found.missing == {"cublasLtMatrixTransform": 1}
    assert any("epilogue 130 of cuBLASLt" in text for text in found.failures)
