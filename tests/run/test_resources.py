"""What kernels take: registers and who counted them, launch bounds, spills, banks."""
import json

import numpy as np
import pytest
from click.testing import CliRunner

from archdef import Device, occupancy, ptxas, registry
from archdef.cli import main
from archdef.errors import CompileError
from archdef.examples import workloads

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")
needs_ptxas = pytest.mark.skipif(not ptxas.assemblers(), reason="no ptxas: pip install archdef[ptxas]")

WIDE = """.version 7.8
.target sm_35
.address_size 64
.const .b32 weights[4] = {1, 2, 3, 4};
.visible .entry wide(.param .u64 out)
BOUNDS
{
    .reg .b64 %rd<12>;
    .reg .b32 %r<20>;
    .local .b32 room[4];
    .shared .b32 tile[64];
    mov.u64 %rd0, weights;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
LOADS
ADDS
    mov.u64 %rd3, room;
    st.local.u32 [%rd3], %r0;
    ld.local.u32 %r1, [%rd3];
    mov.u64 %rd4, tile;
    st.shared.u32 [%rd4], %r1;
    ld.shared.u32 %r2, [%rd4];
    st.global.u32 [%rd2], %r2;
    ret;
}
"""
VALUES = 12
BODY = WIDE.replace("LOADS", "\n".join(f"    ld.volatile.global.u32 %r{i}, [%rd2+{4 * i}];" for i in range(VALUES))).replace(
    "ADDS", "\n".join(f"    add.u32 %r0, %r0, %r{i};" for i in range(VALUES - 1, 0, -1)))


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def device():
    return Device(registry.names()[0])


def compiled(device, bounds="", **options):
    return device.compile(BODY.replace("BOUNDS", bounds), **options)


def test_liveness_counts_unless_asked_otherwise(device):
    module = compiled(device)
    (taken,) = module.resources.values()
    assert taken.kernel == "wide" and taken.registers >= VALUES and taken.registers_from == "liveness"
    assert taken.spilled_registers == 0 and taken.stack_bytes == 16 and taken.shared_bytes == 256
    assert taken.parameter_bytes == 8 and taken.constant_bytes == 16 and taken.constant_banks is None
    assert (taken.max_registers, taken.max_threads, taken.min_blocks) == (None, None, None)
    run = module.wide[1, 32](device.to_device(np.arange(VALUES, dtype="u4")))
    assert run.registers == taken.registers and run.registers_from == run.to_dict()["registers_from"] == "liveness"
    assert f"{taken.registers} registers per thread (from liveness), " in str(run)


def test_maxnreg_caps_the_registers_and_the_rest_lives_in_local_memory(device):
    free = compiled(device).wide.resources
    module = compiled(device, ".maxnreg 8")
    taken = module.wide.resources
    assert taken.registers == taken.max_registers == 8 and taken.spilled_registers == free.registers - 8
    out = device.to_device(np.arange(VALUES, dtype="u4"))
    run = module.wide[1, 32](out)
    assert out.to_host()[0] == sum(range(VALUES)), "a cap changes no result"
    assert run.registers == run.occupancy.registers == 8
    assert taken.spill_store_bytes == taken.spill_load_bytes >= 4 * taken.spilled_registers and taken.unspilled_registers == 0
    assert taken.stack_bytes == free.stack_bytes + taken.spill_store_bytes
    assert f"8 registers per thread (from liveness, {taken.spilled_registers} more spilled to local memory: " in str(run)
    assert run.metrics["local_load_requests"] == run.metrics["local_store_requests"] == 1 + taken.spill_store_bytes // 4  # one of its own


def test_the_machines_own_limit_caps_them_too():
    machine = registry.get(registry.names()[0]).evolve({"limits.registers_per_thread": 10})
    module = compiled(Device(machine))
    assert module.wide.registers == 10 and module.wide.resources.spilled_registers > 0
    assert module.wide[1, 32](module.device.to_device(np.arange(VALUES, dtype="u4"))).registers == 10


def test_launch_bounds_are_noted(device):
    taken = compiled(device, ".maxntid 64, 2, 1\n.minnctapersm 3").wide.resources
    assert taken.max_threads == 128 and taken.min_blocks == 3


def test_blocks_that_shall_be_resident_cap_the_registers(device):
    limits, lanes = device.architecture.limits, device.architecture.warp.size
    blocks = limits.warps_per_multiprocessor
    device = Device(device.architecture.evolve({
        "limits.registers_per_multiprocessor": 8 * blocks * lanes, "limits.registers_per_block": 8 * blocks * lanes,
        "limits.register_file_partitions": None, "limits.register_allocation_unit": lanes}))
    taken = compiled(device, f".maxntid {lanes}, 1, 1\n.minnctapersm {blocks}").wide.resources
    assert taken.registers == 8 and taken.spill_load_bytes > 0
    assert occupancy(device.architecture, threads=lanes, registers=taken.registers).limits["registers"] >= blocks


def test_what_no_spilling_saves_is_said(device):
    taken = compiled(device, ".maxnreg 1").wide.resources
    assert taken.registers == 1 and taken.unspilled_registers > 0


@needs_ptxas
def test_spills_only_if_ptxas_does_where_ptxas_counts(device):
    fits = compiled(device, ".maxnreg 24", registers="ptxas")
    if fits.wide.resources.spill_load_bytes == 0:
        assert fits.wide.program.spill_load_bytes == 0


@needs_ptxas
def test_ptxas_counts_when_asked(device):
    module = compiled(device, registers="ptxas")
    taken = module.wide.resources
    run = module.wide[1, 32](device.to_device(np.arange(VALUES, dtype="u4")))
    assert taken.registers == run.registers == run.occupancy.registers
    assert taken.registers_from == run.registers_from and taken.registers_from.startswith("ptxas ")
    assert taken.shared_bytes == 256 and taken.constant_banks[0] >= 8
    assert taken.spilled_registers is None and taken.spill_store_bytes == taken.spill_load_bytes == 0


@needs_ptxas
def test_ptxas_spills_under_a_cap(device):
    many = "\n".join(f"    ld.volatile.global.u32 %r{i}, [%rd2+{4 * i}];" for i in range(100))
    add = "\n".join(f"    add.u32 %r0, %r0, %r{i};" for i in range(99, 0, -1))
    text = WIDE.replace("%r<20>", "%r<100>").replace("LOADS", many).replace("ADDS", add).replace("BOUNDS", ".maxnreg 32")
    taken = device.compile(text, registers="ptxas").wide.resources
    assert taken.registers <= 32 and taken.spill_store_bytes > 0 and taken.spill_load_bytes > 0


def test_ptxas_asked_for_and_missing_is_an_error(device, monkeypatch):
    monkeypatch.setattr(ptxas, "assemblers", lambda: ())
    with pytest.raises(CompileError, match="ptxas is not installed"):
        compiled(device, registers="ptxas").wide[1, 32](device.zeros(VALUES, "u4"))


def archdef(*arguments):
    """Call the command line."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_the_command_prints_a_line_per_kernel_and_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "wide.ptx").write_text(BODY.replace("BOUNDS", ".maxntid 128, 1, 1\n.minnctapersm 2\n.maxnreg 8"))
    result = archdef("resources", tmp_path / "wide.ptx")
    rows = [line for line in result.output.splitlines() if line.startswith("wide ")]
    assert result.exit_code == 0 and len(rows) == len(registry.names())
    assert all("128 threads, 2 blocks, 8 regs" in row and "liveness" in row and "256 B" in row for row in rows)
    assert max(map(len, result.output.splitlines())) <= 120
    listed = json.loads(archdef("resources", tmp_path / "wide.ptx", "-a", registry.names()[0], "--json").output)
    assert [(row["kernel"], row["registers"]) for row in listed] == [("wide", 8)]


def test_a_kernel_that_a_machine_refuses_says_why(tmp_path):
    (tmp_path / "odd.ptx").write_text(BODY.replace("BOUNDS", "").replace("add.u32 %r0, %r0, %r1;", "frobnicate.u32 %r0, %r0;"))
    result = archdef("resources", tmp_path / "odd.ptx", "-a", registry.names()[0])
    assert result.exit_code == 2 and "frobnicate" in result.output and "Traceback" not in result.output


@needs_ptxas
def test_the_command_asks_ptxas(tmp_path):
    (tmp_path / "wide.ptx").write_text(BODY.replace("BOUNDS", ""))
    result = archdef("resources", tmp_path / "wide.ptx", "-a", registry.names()[0], "--registers", "ptxas")
    assert result.exit_code == 0 and "ptxas" in result.output and "c0 " in result.output


def test_a_run_says_who_counted(tmp_path):
    (tmp_path / "wide.ptx").write_text(BODY.replace("BOUNDS", ""))
    launch = ["run", tmp_path / "wide.ptx", "wide", "-a", registry.names()[0], "-g", 1, "-b", 32, "--arg", "u4[12]=ones", "--json"]
    (run,) = json.loads(archdef(*launch).output)
    assert run["registers_from"] == "liveness" and run["spilled_registers"] == 0
    if ptxas.assemblers():
        (run,) = json.loads(archdef(*launch, "--registers", "ptxas").output)
        assert run["registers_from"].startswith("ptxas ")


@needs_ptxas
def test_how_liveness_and_ptxas_differ_on_the_examples(capsys):
    from register_differences import PAGE, differences, table

    rows = differences()
    with capsys.disabled():
        print("\n" + table(rows))
    kernels = {(workload.name, case.kernel) for workload in workloads() for case in workload.launches(
        registry.get(registry.names()[0]))}
    assert {(row.workload, row.kernel) for row in rows} >= kernels
    assert all(0 < row.liveness and 0 < row.ptxas for row in rows)
    if rows[0].assembler == "ptxas 11.8, sm_90" and rows[0].compiler.startswith("NVRTC 11.8"):
        assert table(rows) in PAGE.read_text(encoding="utf-8"), "refresh it with: python tests/run/register_differences.py"
