"""Do programs get memory at reserved addresses as CUDA's driver maps it, and is every wrong call refused?"""
import os
import resource

import pytest
from guest_kernels import KERNELS
from test_foreign_programs import run

from archdef import registry

MACHINES = [name for name in ("gf100", "v100") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
TEXT = KERNELS.encode() + b"\0"


@pytest.mark.parametrize("part", ["maps", "aliases", "wrong", "textures", "touches"])
@pytest.mark.parametrize("machine", MACHINES)
def test_mapped_memory_does_what_it_shall(build, machine, part, tmp_path):
    found, printed = run([build("virtual_memory", "driver", TEXT), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures


def test_a_program_may_have_more_of_it_than_this_process_may_open_files(build, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    program = build("virtual_memory", "driver", TEXT)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 100, hard))
    try:
        found, printed = run([program, "many"], MACHINES[-1], tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert printed == "PASSED\n" and found.exit_code == 0, found.failures


@pytest.mark.parametrize("machine", MACHINES)
def test_memory_that_is_mapped_to_be_read_is_not_written(build, machine, tmp_path):
    found, printed = run([build("virtual_memory", "driver", TEXT), "reads"], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures
    assert any("store to memory that is mapped to be read" in said for said in found.failures)


@pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository")
def test_a_peer_accesses_it_while_it_may(build, tmp_path):
    found, printed = run([build("virtual_memory", "driver", TEXT), "peers"], "v100", tmp_path, devices=2)
    assert printed == "PASSED\n" and found.exit_code == 0, found.failures
    assert any(each.link_bytes_read for each in found.kernels)


@pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
def test_machines_without_unified_addressing_say_that_they_map_none(build, tmp_path):
    _, printed = run([build("virtual_memory", "driver", TEXT), "maps"], "gt200", tmp_path)
    assert printed == "wrong: has == 1\n"
