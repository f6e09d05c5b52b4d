"""Do graphs repeat what libraries do, if their first call was captured, and do later calls outside of graphs what they would have done without?"""
import numpy as np
import pytest

from archdef import exec as programs
from archdef import registry

pytestmark = pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository")
HOST = np.arange(128, dtype="f4")
TRANSFORM = np.fft.fft(HOST.view("c8")).astype("c8").view("f4")


def run(build, part, mode, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("captured_libraries"), part, str(mode)], "v100", 1, output, functional=True)
        output.seek(0)
        return found, [(name, [float(each) for each in numbers]) for name, *numbers in map(str.split, output)]


@pytest.mark.parametrize("mode", range(3))
@pytest.mark.parametrize("part, expected", [
    ("fft", [TRANSFORM] * 3), ("dot", [[float(HOST[:64] @ HOST[:64])]] * 3), ("vector", [HOST[:12:3], HOST[:12:3] + 1, HOST[:12:3] + 2])])
def test_a_first_call_that_is_captured_leaves_nothing_to_the_graph_that_later_ones_need(build, part, expected, mode, tmp_path):
    found, printed = run(build, part, mode, tmp_path)
    assert found.exit_code == 0 and [name for name, _ in printed] == ["outside", "graph", "graph"]
    for (_, numbers), wanted in zip(printed, expected, strict=True):
        assert np.allclose(numbers, wanted, rtol=1e-5, atol=1e-2)


@pytest.mark.parametrize("mode", range(3))
def test_a_generator_without_states_is_refused_in_a_capture_and_goes_on_behind_it(build, mode, tmp_path):
    found, printed = run(build, "numbers", mode, tmp_path)
    (_, first), (_, second) = printed
    assert found.exit_code == 0 and first == [0.740219, 0.920994, 0.0390205, 0.968963]
    assert all(0 < number <= 1 for number in second) and not set(first) & set(second)       # each sequence has gone on
    assert any("curandGenerateSeeds before" in text for text in found.failures)


def test_quasirandom_numbers_have_their_place_from_the_call_that_was_captured(build, tmp_path):
    """As on an H100: each launch of the graph gives them again, and a call behind it goes on."""
    pytest.importorskip("scipy")
    found, printed = run(build, "quasirandom", 2, tmp_path)
    first = [1.16415e-10, 0.5, 0.75, 0.25]
    assert found.exit_code == 0 and printed == [("graph", first), ("graph", first), ("outside", [0.375, 0.875, 0.625, 0.125])]
