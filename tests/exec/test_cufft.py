"""Do programs that call cuFFT get what numpy computes, for any length, layout and machine, and a status for every wrong call?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
# type, direction, in place, batch, lengths
CASES = [("29", -1, 0, 1, (64,)), ("29", 1, 1, 3, (120,)), ("29", -1, 1, 1, (4,)), ("29", -1, 0, 2, (31,)), ("29", -1, 1, 1, (12, 10)), ("29", 1, 0, 2, (4, 3, 14)),
         ("29", -1, 0, 1, (1,)), ("2a", -1, 0, 3, (32,)), ("2a", -1, 1, 2, (15,)), ("2a", -1, 0, 1, (6, 9)), ("2a", -1, 1, 1, (3, 4, 6)), ("2c", 1, 0, 2, (32,)),
         ("2c", 1, 1, 1, (6, 10)), ("2c", 1, 0, 1, (21,)), ("69", -1, 0, 1, (60,)), ("6a", -1, 0, 1, (4, 8)), ("6c", 1, 1, 1, (18,))]


def numbers(count):
    state, found = 1, np.empty(count)
    for i in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        found[i] = (state >> 8) / 16777216.0 - 0.5
    return found


def run(build, machine, tmp_path, *arguments):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("cufft"), *map(str, arguments)], machine, 1, output)
        output.seek(0)
        return found, output.read()


def compare(got, expected, is_double):
    tolerance = 1e-14 if is_double else 2e-6
    assert got.shape == expected.shape and np.abs(got - expected).max() <= tolerance * max(1, np.abs(expected).max())


def expected_of(kind, direction, in_place, batch, lengths):
    """What is printed, in the layout in which it is."""
    axes, last = tuple(range(1, 1 + len(lengths))), lengths[-1]
    padded = (batch, *lengths[:-1], 2 * (last // 2 + 1))
    if kind in ("29", "69"):
        data = numbers(2 * batch * np.prod(lengths)).view("c16").reshape(batch, *lengths)
        made = np.fft.fftn(data, axes=axes) if direction < 0 else np.fft.ifftn(data, axes=axes, norm="forward")
        return made.reshape(-1).view("f8"), slice(None)
    if kind in ("2a", "6a"):
        shape = padded if in_place else (batch, *lengths)
        data = numbers(np.prod(shape)).reshape(shape)[..., :last]
        return np.fft.rfftn(data, axes=axes).reshape(-1).view("f8"), slice(None)
    half = numbers(np.prod(padded)).view("c16").reshape(batch, *lengths[:-1], last // 2 + 1)
    full = np.empty((batch, *lengths), "c16")
    for at in np.ndindex(full.shape):
        mirrored = at[0], *((n - i) % n for i, n in zip(at[1:], lengths, strict=True))
        full[at] = half[at] if at[-1] <= last // 2 else half[mirrored].conj()
    made = np.fft.ifftn(full, axes=axes, norm="forward").real
    if in_place:
        made = np.concatenate([made, np.zeros((*made.shape[:-1], padded[-1] - last))], axis=-1)
    return made.reshape(-1), (np.arange(made.size) % padded[-1] < last if in_place else slice(None))


@pytest.mark.parametrize("kind, direction, in_place, batch, lengths", CASES)
@pytest.mark.parametrize("machine", MACHINES)
def test_transforms_are_those_of_numpy(build, machine, kind, direction, in_place, batch, lengths, tmp_path):
    found, printed = run(build, machine, tmp_path, kind, direction, in_place, batch, *lengths)
    is_double = kind > "60"
    if is_double and "fp64" not in registry.get(machine).isa.features:
        assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)
        return
    assert found.exit_code == 0 and found.failures == ()
    wanted, where = expected_of(kind, direction, in_place, batch, lengths)
    compare(np.array(printed.split(), "f8")[where], wanted[where], is_double)
    assert lengths == (1,) or all(each.kernel.startswith("archdef_fft_") for each in found.kernels)


def test_transforms_in_larger_arrays(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "many")
    first, second = printed.splitlines()
    data, got = numbers(480).view("c16"), np.array(first.split(), "f8").view("c16").reshape(3, 4, 8)
    assert first == second
    assert found.exit_code == 0 and (got[:, :, 6:] == 0).all()
    source = np.stack([data[80 * k:80 * k + 70].reshape(5, 7, 2)[:4, :6, 0] for k in range(3)])
    compare(got[:, :, :6], np.fft.fft2(source), False)


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, printed = run(build, MACHINES[-1], tmp_path, "wrong")
    assert dict(line.split() for line in printed.splitlines()) == {
        "type": "3", "size": "8", "negative": "8", "null": "4", "handle": "1", "direction": "4", "data": "4", "other": "3", "unmade": "3", "made": "0",
        "twice": "1", "stream": "1", "missing": "16", "destroy": "0", "destroyed": "1"}
    assert found.missing == {"cufftXtSetCallback": 1}
