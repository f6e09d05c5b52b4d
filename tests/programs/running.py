"""Runs the programs that tests build, and says where they can be built."""
import shutil
import sys

import pytest

from archdef import exec as programs
from archdef import registry
from archdef.frontends import nvrtc

CHAIN = nvrtc.toolchain()


def building(*machines):
    """What marks a module that builds programs by g++ and NVRTC, and runs them on machines."""
    headers = CHAIN is None or any((folder / "crt" / "host_config.h").is_file() for folder in CHAIN.include)
    return [pytest.mark.skipif(CHAIN is None, reason="needs the NVRTC wheel"),
            pytest.mark.skipif(not headers, reason="needs the host's part of CUDA's headers, which the extra 'build' brings"),
            pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
            pytest.mark.skipif(sys.platform != "linux", reason="programs are Linux's"),
            pytest.mark.skipif(not set(machines) <= set(registry.names()), reason="needs the plugins of this repository")]


def printed(program, machine, tmp_path):
    """What a program prints on a machine, and its account."""
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([str(program)], machine, output=output)
        output.seek(0)
        return output.read(), found
