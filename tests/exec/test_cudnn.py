"""Do programs that call cuDNN get what numpy computes, on every kind of machine, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
KINDS = [(machine, what) for machine in MACHINES for what in ("single", "double") if what == "single" or "fp64" in registry.get(machine).isa.features]
CASES = ((0, 1, 1, 1, 1, 0, 0), (1, 2, 1, 0, 1, 0, 0), (2, 1, 2, 1, 2, 0, 3), (0, 1, 1, 1, 2, 1, 0), (1, 1, 2, 0, 1, 1, 2))
"""Padding, stride, dilation, mode, groups, whether channels are interleaved, and what lies between the rows of the result."""


def run(build, machine, tmp_path, what):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cudnn"), what], machine, 1, output)
        output.seek(0)
        return found, [line.split() for line in output.read().splitlines()]


def numbers(count, of):
    """The numbers that programs/cudnn.c makes."""
    return (np.arange(count) * 7 + of * 5) % 23 / 8 - 1.25


def tensor(sizes, of, interleaved):
    n, c, h, w = sizes
    return numbers(n * c * h * w, of).reshape(n, h, w, c).transpose(0, 3, 1, 2) if interleaved else numbers(n * c * h * w, of).reshape(sizes)


def convolved(x, f, pad, stride, dilation, mode, groups):
    """Add up products, place by place of the filter."""
    if mode == 0:
        f = f[:, :, ::-1, ::-1]
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad + 1, pad + 1)))
    h, w = ((size - (side - 1) * dilation - 1) // step + 1 for size, side, step in zip(x.shape[2:], f.shape[2:], (stride, stride + 1), strict=True))
    found = np.zeros((len(x), len(f), h, w))
    channels, filters = f.shape[1], len(f) // groups
    for group in range(groups):
        for r in range(f.shape[2]):
            for s in range(f.shape[3]):
                seen = x[:, group * channels:(group + 1) * channels, r * dilation:, s * dilation:][:, :, ::stride, ::stride + 1][:, :, :h, :w]
                part = slice(group * filters, (group + 1) * filters)
                found[:, part] += np.einsum("nchw,kc->nkhw", seen, f[part, :, r, s])
    return found


@pytest.mark.parametrize(("machine", "what"), KINDS)
def test_convolutions_are_those_of_numpy(build, machine, what, tmp_path):
    found, printed = run(build, machine, tmp_path, what)
    assert found.exit_code == 0 and found.failures == (), found.failures
    assert len(printed) == len(CASES)
    for line, (*how, groups, interleaved, gap) in zip(printed, CASES, strict=True):
        n, c, h, w = sizes = tuple(map(int, line[:4]))
        expected = convolved(tensor((2, 4, 11, 13), 0, interleaved), tensor((6, 4 // groups, 3, 2), 1, interleaved), *how, groups)
        assert sizes == expected.shape
        got = np.array(line[4:], "f8")
        if gap:
            old = numbers(n * c * h * (w + gap), 2).reshape(n, c, h, w + gap)
            assert (got.reshape(old.shape)[..., w:] == old[..., w:]).all()      # what lies between rows is left alone
            got, old = got.reshape(old.shape)[..., :w], old[..., :w]
        else:
            old = tensor(sizes, 2, interleaved)
            got = got.reshape(n, h, w, c).transpose(0, 3, 1, 2) if interleaved else got.reshape(sizes)
        assert (got == 2 * expected - old).all()
    (kernel,) = found.kernels
    assert kernel.kernel == f"archdef_{what[0]}convolution" and kernel.launches == len(CASES)


def test_machines_without_double_precision_say_so(build, tmp_path):
    for machine in MACHINES:
        if "fp64" not in registry.get(machine).isa.features:
            found, _ = run(build, machine, tmp_path, "double")
            assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert {name: int(status) for name, status in printed} == {
        "create": 2000, "handle": 1001, "tensor": 2000, "empty": 2000, "null": 2000, "result": 2000, "channels": 2000, "alpha": 2000, "algorithm": 2000,
        "size": 2000, "found": 2000, "format": 3000, "type": 3000, "large": 3000, "negative": 2000, "stride": 2000, "mode": 2000, "dilated": 2000, "window": 91,
        "read": 2525, "math": 1, "backward": 3000, "stream": 0, "version": 0, "text": 0, "destroyed": 2000}
    assert found.missing == {"cudnnConvolutionBackwardData": 1}
