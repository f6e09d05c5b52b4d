"""Do the libraries' kernels do all their work on a machine that takes fewer blocks than the work has parts?"""
import attrs
import pytest

from archdef import exec as programs
from archdef import registry

MACHINE = next((name for name in ("v100", "p100", "gf100") if name in registry.names()), None)
CALLS = ("cublas products S 37 150 9", "cublas products D 150 37 9", "cublas vectors S 900", "cublas many", "cublas types", "cublas matrices", "cublas edges", "cublas legacy",
         "cublaslt products", "cublaslt epilogues", "cublaslt types", "cudnn single", "cufft 29 -1 0 3 8 60", "cufft 2a -1 0 2 300", "cufft 2c 1 0 2 300",
         "cufft many", "curand sobol d", "cusolver single", "cusparse single",
         "cusparse_converted single", "cusparse_made single", "cusparse_solved single")
pytestmark = pytest.mark.skipif(MACHINE is None, reason="needs the plugins of this repository")


def printed(command, machine, place):
    with open(place, "w+") as output:
        found = programs.run(command, machine, 1, output, functional=True)
        output.seek(0)
        assert found.exit_code == 0, found.failures
        return output.read()


def parts(text):
    """Give words apart from numbers, which sums of another order of addition need not give to the last digit."""
    words, numbers = [], []
    for word in text.split():
        try:
            numbers.append(float(word))
        except ValueError:
            words.append(word)
    return words, numbers


@pytest.fixture(scope="module")
def small():
    usual = registry.get(MACHINE)
    return attrs.evolve(usual, limits=attrs.evolve(usual.limits, grid_dimensions=(2, 2, 2)))


@pytest.mark.parametrize("call", CALLS)
def test_small_grids_leave_nothing_out(build, call, small, tmp_path):
    name, *arguments = call.split()
    command = [build(name), *arguments]
    (words, numbers), (words_there, numbers_there) = (parts(printed(command, machine, tmp_path / "output")) for machine in (MACHINE, small))
    assert numbers and words_there == words
    assert numbers_there == pytest.approx(numbers, rel=1e-5, abs=1e-5, nan_ok=True)


def test_sequences_that_need_a_thread_each_are_refused_where_there_are_too_few(build, small, tmp_path):
    found = programs.run([build("curand"), "100", "d", "5", "0", "few"], small, 1, (tmp_path / "output").open("w"), functional=True)
    assert found.exit_code and any("grid" in text for text in found.failures)
