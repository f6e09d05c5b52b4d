"""Are functions and errors called as the program's own language calls them?"""
import pytest

from archdef.exec import vocabulary

SAID = "cudaMalloc: cudaErrorInvalidPtx, cublasSgemm_v2 and my_cudaThing"


@pytest.mark.parametrize("content, own", [
    (b"\x7fELF" + bytes(9000) + b"\0.archdef.maca\0.text\0", "mcMalloc: mcErrorInvalidKernelFile, mcblasSgemm and my_cudaThing"),
    (b"\x7fELF\0.archdef.maca", SAID), (b"", SAID)])
def test_a_program_says_by_a_section_which_words_are_its_own(content, own, tmp_path):
    program = tmp_path / "program"
    program.write_bytes(content)
    assert vocabulary.of(str(program))(SAID) == own


def test_a_command_that_is_no_file_here_is_none_of_mxmaca(tmp_path):
    assert vocabulary.of(str(tmp_path))(SAID) == SAID == vocabulary.of("nonesuch")(SAID)
