"""Does a program get from every call what it would from CUDA, once one of its kernels has failed?"""
import re
from pathlib import Path

import pytest

from archdef import exec as programs
from archdef import registry

MEASURED = Path(__file__).parents[1] / "data" / "h100" / "calls_after_a_failure.txt"
MACHINE = next((name for name in ("h100", "v100", "gf100") if name in registry.names()), None)


@pytest.mark.skipif(MACHINE is None, reason="needs the plugins of this repository")
@pytest.mark.parametrize("kind", [0, 1], ids=["an illegal address", "a misaligned address"])
def test_every_call_gives_the_error_until_the_process_ends(build, kind, tmp_path):
    of_kind = MEASURED.read_text().split("-- kind ")[1 + kind].splitlines()[1:]
    expected = [re.sub(r"(\w+)(\(.*\))? +(\d+)", r"\1 \3", line) for line in of_kind]
    assert len(expected) > 50
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("after_failure", "driver"), str(kind)], MACHINE, 1, output)
        output.seek(0)
        assert output.read().splitlines() == expected
    assert found.exit_code == 0 and found.failed == 3       # the kernel, and the launches behind it and behind the reset
    assert len(found.failures) == 1 and not found.good      # told once


@pytest.mark.skipif(MACHINE is None, reason="needs the plugins of this repository")
def test_libraries_do_nothing_more_either(build, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("libraries_after_failure")], MACHINE, 1, output)
        output.seek(0)
        printed = [tuple(line.split()) for line in output.read().splitlines()]
    execution_failed = {"cublas": "13", "cusolver": "6", "cusparse": "6", "cufft": "6", "curand": "201"}
    expected = {"cublasSetStream_v2": "0", "cublasDestroy_v2": "0", "cudaDeviceSynchronize": "700", "cuLaunchKernel": "700",
                "cublasCreate_v2": "1", "cusolverDnCreate": "1", "cusparseCreate": "1", "cudnnCreate": "1001"}       # not initialized
    for name, status in printed:
        assert status == expected.get(name, next((number for prefix, number in execution_failed.items() if name.startswith(prefix)), None)), name
    assert len(printed) == 17 and found.exit_code == 0
    assert not found.kernels and found.failed == 6      # the kernel, the driver's, and four of libraries; sums and random numbers want memory first
