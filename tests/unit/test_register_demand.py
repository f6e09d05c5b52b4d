"""Registers are counted in the order in which data flow, as far as that costs no warp."""
import pytest
from lowering import kernel, lowered, machine

from archdef.lower.pressure import Demand, free_registers

SUM = """ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
""" + "".join(f"ld.global.u32 %r{k}, [%rd3+{4 * k}]; add.u32 %r2, %r2, %r{k};\n" for k in range(10, 30)) + "st.global.u32 [%rd3], %r2;"


def limited(**limits):
    arch = machine()
    vars(arch.limits).update(limits)
    return arch


def registers(text, **limits):
    return lowered(kernel(text), limited(**limits)).registers


def test_loads_go_first_and_hold_registers_until_they_are_added_up():
    most = registers(SUM, registers_per_multiprocessor=1 << 20)
    assert most >= 20 + 2, "twenty loads under way, and their address"


@pytest.mark.parametrize("each, expected", [(8, 8), (16, 16)])
def test_no_more_than_what_leaves_all_warps_resident(each, expected):
    assert registers(SUM, registers_per_multiprocessor=each * 32 * 64) == expected


def test_but_never_less_than_the_order_of_the_text_needs():
    sixteen = "".join(f"ld.global.u32 %r{k}, [%rd3+{4 * k}];\n" for k in range(10, 26)) + "bar.sync 0;"
    sixteen += "".join(f"add.u32 %r2, %r2, %r{k};" for k in range(10, 26)) + "st.global.u32 [%rd3], %r2;"
    start = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; "
    assert registers(start + sixteen, registers_per_multiprocessor=4 * 32 * 64) >= 18


def test_a_store_to_perhaps_the_same_place_keeps_loads_behind_it():
    apart = SUM.replace("add.u32 %r2", "st.global.u32 [%rd3+4096], %r2; add.u32 %r2")
    elsewhere = SUM.replace("add.u32 %r2", "st.shared.u32 [%r1], %r2; add.u32 %r2")
    assert registers(apart, registers_per_multiprocessor=1 << 20) < registers(elsewhere, registers_per_multiprocessor=1 << 20) - 10


def test_reserved_registers_come_on_top():
    plain = "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1;"
    assert registers(plain, registers_reserved_per_thread=3) == registers(plain) + 3


def test_a_cap_is_kept_to_if_the_order_allows_it():
    text = kernel(SUM).replace(")\n{", ")\n.maxnreg 12\n{", 1)
    program = lowered(text, limited(registers_per_multiprocessor=1 << 20))
    assert program.registers == 12 and program.spilled_registers == 0


def test_free_registers_count_in_units_of_allocation():
    assert free_registers(limited(registers_per_multiprocessor=32768, warps_per_multiprocessor=48, register_allocation_unit=64)) == 20
    assert free_registers(limited(registers_per_multiprocessor=8192, warps_per_multiprocessor=24, register_allocation_scope="block")) == 10
    assert Demand(7, 30).within(20) == 20 and Demand(25, 30).within(20) == 25 and Demand(7, 9).within(20) == 9
