"""Do programs that call cuRAND get the sequences that NVIDIA has published, on every kind of machine, and a status for every wrong call?"""
import hashlib
import re
import sys

import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry
from archdef.exec.libraries import curand, sobol
from archdef.exec.libraries.sequences import Mrg32k3a, Philox, Xorwow
from archdef.runtime.status import Refusal

MACHINES = [name for name in ("g80", "gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
OFFSET = 4 * 65536 - 51
"""Sequences are gone through to their end, and those of Philox begun in the midst of their four numbers."""
KINDS = {101: Xorwow, 121: Mrg32k3a, 161: Philox}
# What functions of curand_kernel.h (cuRAND 10.3.0) give, compiled for the host: generator, seed, sequence, offset, two times 32 bits, a uniform number
# instead of these, two normal numbers instead of these.
PUBLISHED = """xorwow 0 0 7 1414583917 618755781 0.329358488 1.17224216 0.920361459
mrg 0 0 7 1527118054 584065775 0.355559886 1.08461797 0.94431293
philox 0 0 7 159317863 83534633 0.037094079 0.312897086 2.54768348
xorwow 0 5 7 687254123 1550020431 0.160013825 1.46821868 -1.22854567
mrg 0 5 7 3093972471 525780575 0.720371604 0.563335836 0.581918359
philox 0 5 7 1017148250 1568747246 0.236823276 1.27139366 -1.12447345
xorwow 0 4095 7 3479322188 3282200549 0.810092807 -0.646428764 0.0578161292
mrg 0 4095 7 2038445327 4191379016 0.474612534 -0.184303984 1.20687413
philox 0 4095 7 4119999206 614805838 0.959262073 0.225815788 0.179413393
xorwow 1234 0 7 3379045701 1291806421 0.786745369 0.657660067 -0.2172198
mrg 1234 0 7 3440381920 1389802694 0.801026344 0.59618032 -0.297139615
philox 1234 0 7 343858512 1070188760 0.0800607949 2.24717617 0.0116805658
xorwow 1234 5 7 3351265907 3629609298 0.780277371 -0.582404733 0.396252871
mrg 1234 5 7 2068833513 469510173 0.481687844 0.766436994 0.934608161
philox 1234 5 7 1925342002 648658203 0.448278606 1.02961588 0.73795104
xorwow 1234 4095 7 4226405774 1139539729 0.984036803 0.178568438 -0.017241748
mrg 1234 4095 7 2551696145 3417699075 0.594113052 -0.978612959 0.289288461
philox 1234 4095 7 3812939031 3981241656 0.887769043 -0.216163725 0.437447786
xorwow 81985529216486895 0 7 1387829929 482560626 0.323129326 0.975163639 1.14387989
mrg 81985529216486895 0 7 3417139591 2809298297 0.795614839 -0.557111859 -0.383283943
philox 81985529216486895 0 7 2996427327 4157483423 0.697660089 -0.16951941 0.831450403
xorwow 81985529216486895 5 7 2201582793 734578180 0.512595952 1.01667702 0.550365865
mrg 81985529216486895 5 7 3909350219 2136333078 0.91021651 0.00707525713 -0.433699787
philox 81985529216486895 5 7 2713524505 1682633417 0.631791651 0.602617621 -0.745146453
xorwow 81985529216486895 4095 7 1154177021 3842315075 0.268727779 -0.996757925 1.27850938
mrg 81985529216486895 4095 7 1246557676 2710785323 0.290236831 -1.15439487 -1.06840479
philox 81985529216486895 4095 7 3748260643 3586202656 0.87270993 -0.449195892 0.265569419"""

# What host generators of cuRAND 10.4.5 give (the real library, on a computer without a GPU): generator, seed, offset; of calls one behind another the
# first 16 digits of the SHA-256 of 300,002 times 32 bits, 7 uniform numbers, 300,003 and 9 of double precision; of 300,000 normal numbers the first
# three and the last, and of as many of double precision.
LIBRARY = """xorwow 1234 0 962a4848da9d4bc5 0d2c437b48bc98a1 75b1666f8bbad9c4 882078303031c2c5 -0.636142969 0.0151247932 1.79283094 0.689775646 -0.0851546450217699 1.31691783639428 -0.169958093508164 0.120803006152953
xorwow 5 262147 f451808a4933cbdb 7887e5c33a2e2871 e49f41a57fa2c5cd 0b6f325f0836d587 -1.02132881 -0.0472177975 -2.05585003 -0.0998851582 -0.587946703667829 -0.960434112683198 -1.96468092148933 -0.48818001353063
mrg 1234 0 016db54099800a35 96f63bf8ff05910c 08ed9c6882dfbf70 70f2ef5498327b4a 1.50644374 -0.00501724845 -1.46644187 0.467399448 2.28795723938275 -0.468862800146588 0.419934553421679 -1.3306584548414
mrg 5 262147 620512db39b60375 9a330ea28c73a1b9 1e5ecb7a53a65748 4ad6c63e9b7bffb0 -1.47804534 -1.15406084 -0.134951726 -0.881696761 -0.161372721086029 -1.52233752851521 0.827856906861948 -1.06080603236728
philox 1234 0 9ec85d05ed2c2ac7 589e55eee11f8c82 d1016b46f87a3968 21310e0d45caea97 -0.152368471 0.326850861 0.892773926 -0.977661788 -0.575806398891767 -0.455039744143303 -0.668742621592753 0.358648350112869
philox 5 262147 18ff755c1c53b38c 2e7c2e66ea1be339 df515a3b8520edd2 057669f8ae288501 -0.73519516 -0.36133039 1.68006265 -1.18346274 -0.767019654938241 -0.471403114702514 0.49141251544716 1.12161683102004"""


def run(build, machine, tmp_path, *arguments):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("curand"), *map(str, arguments)], machine, 1, output)
        output.seek(0)
        lines = [line.split(" ", 1) for line in output.read().splitlines() if found.exit_code == 0]
        return found, [(name, np.array(rest.split(), "f8")) for name, rest in lines]


@pytest.mark.parametrize("row", PUBLISHED.splitlines())
def test_sequences_are_those_of_the_header(row):
    name, seed, sequence, offset, *numbers = row.split()
    kind = {each.name: each for each in KINDS.values()}[name]

    if kind is Philox:      # of the library, each sequence gives four numbers at its turn; normal numbers are of other bits than the header's there
        def place(word):
            return 4 * (kind.count * (word // 4) + int(sequence)) + word % 4
        assert [kind(int(seed), place(int(offset) + i)).draw("bits", 1)[0] for i in (0, 1)] == list(map(int, numbers[:2]))
        assert kind(int(seed), place(int(offset))).draw("uniform", 1)[0] == np.float32(numbers[2])
        return

    def after(make):
        begun = kind(int(seed), kind.count * int(offset))
        mine = begun.states[int(sequence):int(sequence) + 1]
        return np.array([getattr(begun, each)(mine) for each in make]).reshape(-1)
    assert list(after(["bits", "bits"])) == list(map(int, numbers[:2]))
    assert after(["uniform"])[0] == np.float32(numbers[2])
    np.testing.assert_allclose(after(["normal"]), np.array(numbers[3:], "f4"), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("row", LIBRARY.splitlines())
def test_numbers_come_in_the_order_of_the_library(row):
    name, seed, offset, *digests = row.split()
    begun = {each.name: each for each in KINDS.values()}[name](int(seed), int(offset))
    for (what, count), digest in zip((("bits", 300002), ("uniform", 7), ("uniform_double", 300003), ("uniform_double", 9)), digests[:4], strict=True):
        assert hashlib.sha256(begun.draw(what, count).tobytes()).hexdigest()[:16] == digest, (what, count)
    for what, expected, most in (("normal", digests[4:8], 2e-6), ("normal_double", digests[8:], 1e-14)):
        got = begun.draw(what, 300000)
        np.testing.assert_allclose(got[[0, 1, 2, -1]], np.array(expected, "f8"), rtol=0, atol=most)


def test_numbers_of_double_precision_are_those_of_the_header():
    begun = Xorwow(1234, 4096 * 7)
    assert begun.uniform_double(begun.states[5:6])[0] == 0.845084632748764
    begun = Xorwow(1234, 4096 * 7)
    np.testing.assert_allclose(begun.normal_double(begun.states[5:6])[0], [0.57408677750461135, -0.084031964018545333], rtol=1e-14)


def test_an_offset_leaves_out_so_many_numbers():
    for kind in KINDS.values():
        whole, later = kind(5, 0), kind(5, kind.count + 3)
        assert list(whole.draw("bits", kind.count + 10)[kind.count + 3:]) == list(later.draw("bits", 7))


@pytest.mark.parametrize("where", ["device", "host"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("machine", MACHINES)
def test_generators_give_their_sequences(build, machine, kind, where, tmp_path):
    doubles = "fp64" in registry.get(machine).isa.features
    found, got = run(build, machine, tmp_path, kind, where, 1234, OFFSET, *([] if doubles or where == "host" else ["single"]))
    if kind == 121 and where == "device" and not doubles:
        assert found.exit_code == 1 and any("has no double precision" in text for text in found.failures)
        return
    assert found.exit_code == 0 and found.failures == ()
    expected = KINDS[kind](1234, OFFSET)
    for name, numbers in got:
        if name.startswith("normal"):
            np.testing.assert_allclose(numbers, 2 + 0.5 * expected.draw(name, 300), atol=1e-5 if name == "normal" else 1e-13)
        else:
            wanted = expected.draw(name, len(numbers))
            assert (numbers.astype(wanted.dtype) == wanted).all(), name
    assert len(got) == (6 if doubles or where == "host" else 4)
    assert sorted({each.kernel.split("_")[1] for each in found.kernels}) == ([] if where == "host" else [KINDS[kind].name])


def test_wrong_calls_get_the_librarys_own_statuses(build, tmp_path):
    found, got = run(build, MACHINES[-1], tmp_path, "wrong")
    assert {name: int(status[0]) for name, status in got} == {
        "kind": 103, "sobol": 103, "null": 104, "handle": 101, "output": 104, "odd": 105, "odd_philox": 0, "dimensions": 103, "order": 104, "stream": 101, "host": 104, "room": 104, "missing": 103, "none": 0,
        "destroy": 0, "destroyed": 101}
    assert found.missing == {"curandGeneratePoisson": 1} and "curandCreateGenerator: generator 202 (Sobol's, scrambled)" in found.failures


# The first and the last numbers of dimensions 0, 1, 2, 9999 and 19999 that cuRAND 10.4.5 gives (the real library, called on its host).
DIRECTIONS = [(1073741824, 536870912, 1), (3221225472, 2684354560, 4294967295), (3221225472, 1610612736, 3305133397), (3221225472, 3758096384, 913378407), (3221225472, 536870912, 1883665875)]
LONG_DIRECTIONS = [(4611686018427387904, 2305843009213693952, 1), (13835058055282163712, 11529215046068469760, 18446744073709551615), (13835058055282163712, 6917529027641081856, 10400218915913684309), (13835058055282163712, 16140901064495857664, 15287051684218357917), (13835058055282163712, 2305843009213693952, 8556189201205195361)]


def test_direction_vectors_are_those_of_the_library(build, tmp_path):
    pytest.importorskip("scipy")
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("curand"), "directions"], MACHINES[-1], 1, output)
        output.seek(0)
        lines = [line.split() for line in output.read().splitlines()]
    assert found.exit_code == 0
    assert lines[:5] == [["null", "104"], ["scrambled", "103", "103"], ["other", "104", "104", "104"], ["none", "0"], ["status", "0", "0"]]
    assert lines[-1] == ["same", "1", "1"]
    vectors = {name: [[int(each) for each in rest] for first, *rest in lines if first == name] for name in ("vectors", "long_vectors")}
    assert [(row[1], row[2], row[31]) for row in vectors["vectors"]] == DIRECTIONS
    assert [(row[1], row[2], row[63]) for row in vectors["long_vectors"]] == LONG_DIRECTIONS
    assert all(row[0] == 1 << 31 for row in vectors["vectors"])


def place(dimension, number):
    """Give a number of a sequence, by the definition."""
    gray, found = (number ^ number >> 1) & 0xFFFFFFFF, 0
    for bit in range(32):
        found ^= int(sobol.directions(32)[dimension, bit]) if gray >> bit & 1 else 0
    return found


@pytest.mark.parametrize("where", ["device", "host"])
@pytest.mark.parametrize("machine", MACHINES)
def test_quasirandom_numbers_are_those_of_their_definition(build, machine, where, tmp_path):
    """The order, what is refused, and where sequences go on, are those of a host generator of cuRAND 10.4.5."""
    pytest.importorskip("scipy")
    doubles = where == "host" or "fp64" in registry.get(machine).isa.features
    found, got = run(build, machine, tmp_path, "sobol", where, *([] if doubles else ["single"]))
    assert found.exit_code == 0 and {each.kernel for each in found.kernels} == (
        set() if where == "host" else {"archdef_sobol_bits", "archdef_sobol_uniform", *(["archdef_sobol_d_uniform"] if doubles else [])})
    assert [list(numbers) for _, numbers in got[:3]] == [[104, 104], [103, 104, 0, 103], [105]]
    at, offset = 3, 0xFFFFFFFD
    for dimensions, (name, numbers) in zip([3] * (3 + doubles) + [2, 1], got[at:], strict=True):
        each = len(numbers) // dimensions
        shown = range(each) if each < 10 else [0, 1, 65534, 65535, 65536, each - 1]
        bits = np.array([place(dimension, offset + i & 0xFFFFFFFF) for dimension in range(dimensions) for i in shown], "u4")
        wanted = bits if name == "bits" else bits.astype("f4") * np.float32(2 ** -32) + np.float32(2 ** -33) if name == "uniform" else bits * 2.0 ** -32 + 2.0 ** -32
        assert (numbers.reshape(dimensions, each)[:, shown].reshape(-1) == wanted).all(), (name, dimensions)
        offset += each


def test_a_missing_table_is_said_by_the_extra_that_brings_it(build, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setattr(sobol, "directions", sobol.directions.__wrapped__)
    monkeypatch.setattr(curand, "directions", sobol.directions)
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("curand"), "directions"], MACHINES[-1], 1, output)
        output.seek(0)
        assert output.read().splitlines()[-1] == "status 999 999"
    assert "curandGetDirectionVectors32: the table of Sobol's direction vectors needs scipy: pip install 'archdef[quasirandom]'" in found.failures


def test_another_table_than_the_librarys_is_not_given(monkeypatch):
    scipy = pytest.importorskip("scipy")
    monkeypatch.setitem(sobol.DIGESTS, 32, "0" * 64)
    with pytest.raises(Refusal, match=f"scipy {re.escape(scipy.__version__)} has other direction vectors"):
        sobol.directions.__wrapped__(32)
