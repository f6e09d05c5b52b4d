"""Does a program with several devices get at the memory of each, and at no other?"""
import pytest
from test_foreign_programs import run

from archdef import registry

UNIFIED = [name for name in ("gf100", "v100", "h100") if name in registry.names()]
SEPARATE = [name for name in ("g80", "gt200") if name in registry.names()]
PEERS = [name for name in ("v100", "h100") if name in registry.names()]
pytestmark = pytest.mark.skipif(not UNIFIED, reason="needs the plugins of this repository")


@pytest.mark.parametrize("machine, part", [*((name, "unified") for name in UNIFIED), *((name, "separate") for name in SEPARATE),
                                           *((name, "boxes") for name in (*UNIFIED[:1], *SEPARATE[:1]))])
def test_an_address_means_the_memory_of_one_device(build, machine, part, tmp_path):
    found, printed = run([build("peers"), part], machine, tmp_path, devices=2)
    assert printed == "PASSED\n" and found.missing == {}, found.failures


@pytest.mark.parametrize("part", ["peers", "strangers", "no_longer", "one_way", "in_order"])
@pytest.mark.parametrize("machine", PEERS)
def test_kernels_access_the_memory_of_a_peer_while_they_may(build, machine, part, tmp_path):
    found, printed = run([build("peers"), part], machine, tmp_path, devices=2)
    assert printed == "PASSED\n", found.failures
    assert found.peers == (() if part in ("strangers", "one_way") else ("scale",))


def test_a_machine_alone_has_the_addresses_that_it_always_had(build, tmp_path):
    alone, _ = run([build("vector_add"), "300"], UNIFIED[0], tmp_path)
    beside, _ = run([build("vector_add"), "300"], UNIFIED[0], tmp_path, devices=3)
    assert [each.cycles for each in alone.kernels] == [each.cycles for each in beside.kernels]
