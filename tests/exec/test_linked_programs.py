"""Do programs of separate compilation (``nvcc -rdc=true``) get the device code of all their sources linked?"""
import struct

import pytest
from fat import ELF, binary, entry, parts
from fat import HEAD
from test_foreign_programs import run

from archdef import registry
from archdef.exec import fatbin

MACHINES = [name for name in ("gf100", "v100", "h100") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
KERNEL = HEAD + """
.extern .func (.param .b32 result) stepped (.param .b32 value);
.visible .entry twice(.param .u64 data)
{
    .reg .b32 %r<3>; .reg .b64 %rd<2>; .param .b32 in; .param .b32 out;
    ld.param.u64 %rd1, [data]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, %r1;
    st.param.b32 [in], %r1; call.uni (out), stepped, (in); ld.param.b32 %r2, [out];
    st.global.u32 [%rd1], %r2;
    ret;
}
"""
FUNCTION = HEAD + """
.visible .global .align 4 .u32 step = 1;
.visible .func (.param .b32 result) stepped (.param .b32 value)
{
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [value]; ld.global.u32 %r2, [step]; add.u32 %r3, %r1, %r2; st.param.b32 [result], %r3;
    ret;
}
"""
RUNTIME = binary(entry(b"\x7fELF" + bytes(60) + b"_22_cuda_device_runtime_cu_f78b5b52\0__cudaCDP2DeviceGetLimit\0", ELF, 75),
                 entry(b".version 9.5\n.target sm_121\n.entry cuda_device_runtime_cu() { nonsense }\n", target=121))


@pytest.mark.parametrize("rest", [(), (RUNTIME,)], ids=["alone", "with the device runtime"])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_parts_of_a_program_are_linked(build, machine, rest, tmp_path):
    lines = b'.file 1 "include/cuda_device_runtime_api.h"\n'        # as nvcc -lineinfo has it
    code = parts(binary(entry(KERNEL.encode() + lines)), binary(entry(FUNCTION.encode())), *rest)
    found, printed = run([build("linked", fat=code)], machine, tmp_path)
    assert printed == f"{2 * (2 * 5 + 1) + 100}\n" and found.failures == () and found.missing == {}


@pytest.mark.parametrize("code, why", [
    (parts(binary(entry(KERNEL.encode()))), "stepped"),
    (parts(binary(entry(KERNEL.encode())), binary(entry(b"\x7fELF of another library", ELF, 75))), "machine code (sm_75) and no PTX"),
    (parts(), "machine code (nothing) and no PTX")])
def test_what_cannot_be_linked_is_named(build, code, why, tmp_path):
    found, printed = run([build("linked", fat=code)], MACHINES[0], tmp_path)
    assert found.exit_code == 1 and printed.startswith("cudaLaunchKernel") and any(why in text for text in found.failures)


def test_a_list_of_parts_that_never_ends_is_refused():
    part, place, parts_at = binary(), 1 << 40, 1 << 32

    def get(address, nbytes):
        if address >= place:
            return part[:nbytes]
        return place.to_bytes(8, "little") if address >= parts_at else struct.pack("<IIQQ", fatbin.WRAPPER_MAGIC, 2, place, parts_at)[:nbytes]
    with pytest.raises(fatbin.FatbinError, match="parts to be linked"):
        fatbin.read(get, 0)
