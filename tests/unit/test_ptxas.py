"""What ptxas prints is read; the target nearest to a machine is taken."""
import pytest

from archdef import ptxas
from archdef.errors import CompileError

PTX = """.version 7.8
.target sm_35
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    add.u32 %r2, %r1, %r1;
    st.global.u32 [%rd2], %r2;
    ret;
}
"""
LOG = """ptxas info    : 8 bytes gmem
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_35'
ptxas info    : Function properties for _Z1kPf
    48 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Function properties for _Z1fPf
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 31 registers, used 2 barriers, 64 bytes cumulative stack size, 2048 bytes smem, 348 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compiling entry function 'plain' for 'sm_35'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, 320 bytes cmem[0]
"""
needs_ptxas = pytest.mark.skipif(not ptxas.assemblers(), reason="no ptxas: pip install archdef[ptxas]")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path / "cache"))


def test_a_log_is_read_kernel_by_kernel():
    read = ptxas.read(LOG)
    assert read["_Z1kPf"] == dict(registers=31, stack_bytes=64, spill_store_bytes=12, spill_load_bytes=16, shared_bytes=2048,
                                  constant_banks={0: 348, 2: 8}, barriers=2)
    assert read["plain"] == dict(registers=4, stack_bytes=0, spill_store_bytes=0, spill_load_bytes=0, shared_bytes=0,
                                 constant_banks={0: 320}, barriers=0)


@pytest.mark.parametrize("declared, capability, target", [
    ("sm_35", "1.3", "sm_35"), ("sm_35", "5.1", "sm_50"), ("sm_35", "9.0", "sm_90"), ("sm_70", "5.0", "sm_70"),
    ("sm_35", None, "sm_35"), ("sm_51", None, "sm_70"), ("sm_90a", "9.0", "sm_90a"), ("sm_100", "9.0", None)])
def test_the_nearest_target_that_runs_the_ptx_is_taken(declared, capability, target):
    assert ptxas.nearest_target(f".version 7.8\n.target {declared}\n", (35, 50, 70, 90), capability) == target


@needs_ptxas
def test_a_kernel_is_assembled_and_kept():
    (usage,) = ptxas.usage(PTX, "k.ptx", "2.0").values()
    assert 2 < usage.registers < 16 and usage.constant_banks[0] >= 8 and usage.spill_store_bytes == 0
    assert usage.assembler.startswith("ptxas ") and usage.target.startswith("sm_")
    assert ptxas.usage(PTX, "k.ptx", "2.0")["twice"] == usage


@needs_ptxas
def test_what_ptxas_refuses_is_passed_on_with_the_line():
    with pytest.raises(CompileError, match=r"k\.ptx does not assemble \(ptxas [\d.]+, sm_\d+\):\n.*line 11"):
        ptxas.usage(PTX.replace("add.u32", "adz.u32"), "k.ptx", None)


def test_without_ptxas_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(ptxas, "assemblers", lambda: ())
    with pytest.raises(CompileError, match=r"k\.ptx: ptxas is not installed; 'pip install archdef\[ptxas\]'"):
        ptxas.usage(PTX, "k.ptx", None)
