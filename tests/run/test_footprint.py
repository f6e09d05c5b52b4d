"""Where a launch's data lie: shares of device memory that add up, and what one warp holds, in the vendor's words."""
import gc
import json

import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import main

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")

PTX = """.version 7.8
.target sm_35
.address_size 64
.const .b32 weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.global .b32 counter[5];
.visible .entry k(.param .u64 out)
{
    .reg .b64 %rd<4>; .reg .b32 %r<4>;
    .local .b32 room[9];
    .shared .b32 tile[64];
    ld.param.u64 %rd1, [out];
    mov.u64 %rd2, weights; mov.u64 %rd3, counter;
    ld.const.u32 %r1, [weights+4]; st.local.u32 [room+8], %r1; ld.local.u32 %r2, [room+8]; st.shared.u32 [tile], %r2;
    st.global.u32 [counter], %r1; st.global.u32 [%rd1], %r2; ret;
}
"""


@pytest.fixture(params=registry.names())
def device(request):
    return archdef.Device(request.param)


def test_the_shares_of_a_launch_add_up_to_the_memory(device):
    assert device.memory_map.used_bytes == 0 and device.memory_map.free_bytes == device.architecture.dram.capacity_bytes
    out = device.zeros(100, "i4")
    assert device.memory_map.global_bytes == 400
    module = device.compile(PTX)
    run = module.k[1, 64](out)
    found, machine = run.memory_map, device.architecture
    assert (found.global_bytes, found.constant_bytes, found.parameter_bytes, found.heap_bytes) == (420, 32, 8, 0)
    assert found.private_bytes_per_thread == 48  # 36 bytes, laid out in steps of 16
    lanes = machine.chip.multiprocessors * run.occupancy.active_warps * machine.warp.size
    assert found.resident_threads == lanes and found.private_bytes == 48 * lanes
    assert found.used_bytes + found.free_bytes == found.capacity_bytes == machine.dram.capacity_bytes
    assert "private" in str(found) and run.to_dict()["memory_map"] == found.to_dict()
    del out
    gc.collect()
    assert device.memory_map.global_bytes == 20, "an array that is gone is counted no more"


def test_what_a_warp_holds(device):
    out = device.zeros(1, "i4")
    run = device.compile(PTX).k[1, 96](out)
    found, machine = run.warp_contents, device.architecture
    independent = machine.warp.reconvergence.independent
    assert (found.lanes, found.program_counters) == (machine.warp.size, machine.warp.size if independent else 1)
    assert found.registers_per_lane == run.registers and found.register_bytes >= 4 * run.registers * machine.warp.size
    assert found.private_bytes == 48 * machine.warp.size and found.shared_bytes == 256 + run.program.launch_shared_bytes
    assert found.warps_per_block == -(-96 // machine.warp.size) and found.resident == run.occupancy.active_warps
    assert f"a {machine.vocabulary.warp} holds {machine.warp.size} lanes" in str(found)
    assert f"per {machine.vocabulary.multiprocessor} at once" in str(found) and machine.vocabulary.shared in str(found)


def test_the_register_file_bounds_what_warps_hold(device):
    """What all resident warps hold is no more than the file has."""
    limits = device.architecture.limits
    for registers in (8, 20, 33, 60):
        answer = archdef.occupancy(device.architecture, threads=128, registers=registers)
        from archdef.run.footprint import warp_contents

        assert warp_contents(device.architecture, answer).register_bytes * answer.active_warps <= 4 * limits.registers_per_multiprocessor


def test_the_command_says_it_in_the_vendors_words(device):
    name, machine = device.architecture.name, device.architecture
    arguments = ["occupancy", "-a", name, "-t", "128", "-r", "16", "-s", "1024", "-p", "40"]
    text = CliRunner().invoke(main, arguments).output
    assert f"a {machine.vocabulary.warp} holds" in text and "48 B for each of" in " ".join(text.split())
    (answer,) = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).output)
    assert answer["warp_contents"]["private_bytes"] == 48 * machine.warp.size
    assert answer["memory_map"]["private_bytes"] == 48 * answer["active_warps"] * machine.warp.size * machine.chip.multiprocessors


def test_a_heap_is_a_share_where_a_kernel_allocates():
    source = "__global__ void k(int *out) { int *p = (int *)malloc(16); *p = 3; *out = *p; free(p); }"
    able = [n for n in registry.names() if "device_heap" in registry.get(n).isa.features]
    if not able:
        pytest.skip("no machine has a heap")
    pytest.importorskip("nvidia")
    device = archdef.Device(able[0], heap_bytes=1 << 20)
    assert device.compile(source).k[1, 1](device.zeros(1, "i4")).memory_map.heap_bytes == 1 << 20
