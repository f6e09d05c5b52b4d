"""Do programs that talk to the driver, without the runtime, run unchanged?"""
import pytest
from guest_kernels import CODE, KERNELS
from fat import binary, entry
from hypothesis import given, settings
from hypothesis import strategies as st
from test_foreign_programs import run

from archdef import exec as programs
from archdef import registry
from archdef.errors import ArchdefError, LaunchError
from archdef.exec.cuda_driver import images
from archdef.exec.cuda_driver.calls import driver_number
from archdef.exec.cuda_driver.errors import error_name
from archdef.runtime.status import STATUS, Refusal

MACHINES = [name for name in ("gt200", "gf100", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
TEXT = KERNELS.encode() + b"\0"
PARTS = ["launches", "images", "handles", "entry_points", "contexts", "without_context", "memory", "linking", "limits", "uninitialised", "asked"]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("machine", [name for name in ("gf100", "h100") if name in MACHINES])
def test_a_part_of_the_driver_does_what_it_shall(build, machine, part, tmp_path):
    found, printed = run([build("driver", "driver", TEXT), part], machine, tmp_path, devices=2)
    assert printed == "PASSED\n" and found.exit_code == 0, found.failures


@pytest.mark.skipif("h100" not in MACHINES, reason="needs the plugins of this repository")
def test_kernels_end_and_print_before_their_module_or_context_goes(build, tmp_path):
    found, printed = run([build("driver", "driver", TEXT), "endings"], "h100", tmp_path)
    assert printed == "within, unloaded\nwithin, PASSED\n" and found.left == {} and found.launches == 2


@pytest.mark.parametrize("machine", MACHINES)
def test_a_kernel_is_launched_in_every_way_on_every_kind_of_machine(build, machine, tmp_path):
    found, printed = run([build("driver", "driver", CODE), "launches"], machine, tmp_path)
    assert printed == "PASSED\n" and [(each.kernel, each.launches) for each in found.kernels] == [("vector_add", 4)]


def test_why_calls_failed_is_told_with_the_name_of_the_function(build, tmp_path):
    found, _ = run([build("driver", "driver", TEXT), "images"], "gf100", tmp_path)
    assert any(text.startswith("cuModuleLoadData: a cubin holds machine code") for text in found.failures)
    assert any(text.startswith("cuModuleGetFunction: the module has no kernel 'nonesuch'; it has vector_add, scale") for text in found.failures)


def test_rows_are_set_at_once(build, tmp_path):
    found, _ = run([build("driver", "driver", TEXT), "memory"], "gf100", tmp_path)
    assert [each.copies for each in found.copies if each.name == "memset"] == [4]


def test_what_is_missing_is_named(build, tmp_path):
    found, _ = run([build("driver", "driver", TEXT), "handles"], "gf100", tmp_path)
    assert found.missing == {"cuMemBatchDecompressAsync": 1}


def test_a_program_without_ptx_is_told_what_to_do(build, tmp_path):
    found, printed = run([build("driver", "driver", binary(entry(b"\x7fELF", 2, 70))), "launches"], "gf100", tmp_path)
    assert printed.startswith("cuModuleLoadData(&module, device_code): CUDA_ERROR_NO_BINARY_FOR_GPU") and "compile it with -gencode" in found.failures[0]


@pytest.mark.parametrize("status", STATUS)
def test_every_error_has_a_number_that_the_driver_knows(status):
    assert error_name(driver_number(Refusal(status, ""))) is not None


class Memory:
    """The memory of a program that has a few bytes only."""

    START = 0x1000

    def __init__(self, data):
        self.data = data

    def get(self, address, nbytes):
        """Read, or refuse."""
        if not self.START <= address <= address + nbytes <= self.START + len(self.data):
            raise Refusal("InvalidValue", f"{address:#x} is no memory of the program")
        return self.data[address - self.START:][:nbytes]

    def text(self, address, most_bytes):
        """Read a string of C, or refuse."""
        return self.get(address, self.data.find(b"\0", address - self.START) + 1)[:-1].decode(errors="replace")


@given(st.sampled_from([b"", b"\x50\xed\x55\xba", b"\xb1\x43\x62\x46", b"\x7fELF", images.linked([".version 6.0", ".version 7.0"]), binary(entry(TEXT[:500]))]),
       st.binary(max_size=100), st.integers(0, 100))
@settings(max_examples=300, deadline=None)
def test_whatever_a_program_gives_to_be_loaded_is_read_or_refused(begin, noise, place):
    data = begin[:place] + noise + begin[place:]
    try:
        texts = images.image_at(Memory(data), Memory.START).texts(70)
    except ArchdefError as error:
        assert str(error)
    else:
        assert texts and all(isinstance(text, str) for text in texts)


def test_several_texts_survive_being_handed_out():
    texts = [".version 6.0\n", ".version 7.0\n"]
    assert images.image_at(Memory(images.linked(texts)), Memory.START).texts(70) == texts
    limited = images.image_at(Memory(images.linked(texts[:1], 38)), Memory.START)
    assert (limited.texts(70), limited.most_registers) == (texts[:1], 38)


@pytest.mark.parametrize("most, timed", [(0, 0), (1, 1), (3, 3), (4, 4), (9, 4)])
def test_the_first_launches_of_a_program_are_timed(build, most, timed, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("driver", "driver", CODE), "launches"], MACHINES[0], 1, output, max_launches=most)
        output.seek(0)
        assert output.read() == "PASSED\n"
    (kernel,) = found.kernels
    assert (kernel.launches, kernel.timed, found.timed, found.to_dict()["timed"]) == (4, timed, timed, timed)
    assert (kernel.longest is not None) == (kernel.seconds > 0) == (kernel.cycles > 0) == (timed > 0)
    assert (f"{timed} of 4 launches timed" in " ".join(str(found).split())) == (timed < 4)


@pytest.mark.parametrize("wrong", [-1, 1.5, "all"])
def test_a_number_of_launches_that_cannot_be_is_refused(wrong):
    with pytest.raises(LaunchError, match="max_launches"):
        programs.run(["true"], MACHINES[0], max_launches=wrong)


def test_a_program_may_have_functions_of_the_drivers_names(build, tmp_path):
    """As matrixMulDynlinkJIT of cuda-samples has: the driver is never linked into a program, so that they are its own."""
    found, printed = run([build("looks_up")], MACHINES[0], tmp_path, devices=2)
    assert printed == "0 2\n" and found.exit_code == 0
