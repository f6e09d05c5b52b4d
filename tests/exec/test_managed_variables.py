"""Do a program and its kernels see one variable where it says __managed__?"""
import pytest
from fat import HEAD, binary, entry
from test_foreign_programs import run

from archdef import registry

KERNEL = HEAD + """
.visible .global .align 4 .u32 other = 3;
.visible .global .attribute(.managed) .align 4 .u32 total = 5;
.visible .global .attribute(.managed) .align 8 .u32 table[4] = {10, 20, 30, 40};
.visible .entry adds()
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; atom.global.add.u32 %r2, [total], %r1;
    mov.u64 %rd1, table; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3]; shl.b32 %r4, %r3, 1; st.global.u32 [%rd3], %r4;
    ret;
}
"""
FAT = binary(entry(KERNEL.encode()))
ABLE = [name for name in registry.names() if name in ("k40", "v100", "h100")]
LACKING = [name for name in registry.names() if name in ("g80", "gt200")]


@pytest.mark.parametrize("machine", ABLE)
def test_the_program_and_kernels_have_one_variable(build, machine, tmp_path):
    found, printed = run([build("managed_variables", fat=FAT)], machine, tmp_path)
    assert printed == "PASSED\n" and found.good, found.failures


@pytest.mark.skipif(not ABLE, reason="needs the plugins of this repository")
def test_they_are_one_device_s(build, tmp_path):
    found, printed = run([build("managed_variables", fat=FAT), "another device"], ABLE[-1], tmp_path, devices=2)
    assert printed == "cudaErrorNotSupported\nPASSED\n" and any("__managed__" in text for text in found.failures)


@pytest.mark.parametrize("machine", LACKING)
def test_a_machine_without_managed_memory_says_so(build, machine, tmp_path):
    found, _ = run([build("managed_variables", fat=FAT)], machine, tmp_path)
    assert found.exit_code == 5 and any("no managed memory" in text for text in found.failures)


@pytest.mark.skipif(not ABLE, reason="needs the plugins of this repository")
def test_threads_allocate_and_free_managed_memory_at_once(build, tmp_path):
    found, printed = run([build("managed_threads")], ABLE[0], tmp_path)
    assert printed == "PASSED\n" and found.good, found.failures


@pytest.mark.parametrize("machine", [name for name in ABLE if name != "k40"])      # there the host may not touch any while a kernel runs
def test_managed_memory_is_allocated_while_a_kernel_runs(build, machine, tmp_path):
    found, printed = run([build("managed_beside_kernels")], machine, tmp_path)
    assert printed == "PASSED\n" and found.good, found.failures
