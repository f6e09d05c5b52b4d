"""Does every way to go wrong end in a named error, with device memory readable and the process alive?"""
import numpy as np
import pytest
from assembler import Assembler, Kind, SpecialRegister

from archdef import registry
from archdef.engine import core
from archdef.errors import BudgetExceeded, DeviceMemoryError, GuestFault


def run(bench, assembler, *addresses, match, error=GuestFault, **options):
    data = bench.array(np.full(64, 7, np.uint32))
    with pytest.raises(error, match=match) as caught:
        bench.run(assembler.program(**options.pop("memory", {})), *(addresses or (data,)), **options)
    assert (bench.read(data, 64) == 7).all()
    bench.memory.free(bench.memory.allocate(100))     # the device can be used again
    return caught.value


def access(kind=Kind.STORE, *, offset=0, scale=4, **fields) -> Assembler:
    """Each thread accesses parameter 0 + scale * thread + offset."""
    a = Assembler()
    tid, at, address, value = a.special(SpecialRegister.TID_X), a.pair(), a.pair(), a.row()
    a.alu("mul_wide_u32", at, tid, a.constant(scale), width=8)
    a.alu("add_b64", address, at, a.parameter(0), width=8)
    operands = dict(s=(address, value)) if kind == Kind.STORE else dict(d=(value,), s=(address,))
    a.op(kind, flags=2, offset=offset, **operands, **fields)
    a.exit()
    return a


def test_a_store_past_the_array_names_block_thread_and_address(bench):
    small = bench.array(np.zeros(16, np.uint32))
    with pytest.raises(GuestFault, match="outside global memory") as caught:
        bench.run(access().program(), small, block=32)
    assert caught.value.data["thread"] == (16, 0, 0)
    assert caught.value.data["block"] == (0, 0, 0)
    assert caught.value.data["address"] == small + 64
    assert "op 2" in str(caught.value)


def test_a_null_pointer_faults(bench):
    run(bench, access(Kind.LOAD), 0, match="outside global memory")


def test_a_misaligned_access_faults(bench):
    run(bench, access(Kind.LOAD, offset=2), match="not a multiple of the 4 bytes")


def test_shared_memory_ends_where_it_was_declared(bench):
    a = Assembler()
    tid, at, value = a.special(SpecialRegister.TID_X), a.row(), a.row()
    a.alu("mul_lo_b32", at, tid, a.constant(4))
    a.op(Kind.STORE, s=(at, value), space=1)
    a.exit()
    error = run(bench, a, match="outside shared memory", memory=dict(shared_bytes=40))
    assert error.data["thread"] == (10, 0, 0)


def test_a_barrier_that_part_of_a_warp_skips_opens(bench):
    """For a warp with a stack any of its lanes arrives; where lanes progress independently, those that skip it end, and are not waited for."""
    a = Assembler()
    tid, p = a.special(SpecialRegister.TID_X), a.predicate()
    a.setp("lt_u32", p, tid, a.constant(3))
    a.op(Kind.BRANCH, target="skip", reconverge="skip", guard_predicate=p)
    a.op(Kind.BARRIER, s=(a.constant(0),))
    a.label("skip")
    a.exit()
    assert bench.run(a.program(), 0, block=32)["warps"] == 1


def test_warps_that_wait_at_different_barriers_are_a_deadlock(bench):
    a = Assembler()
    tid, number, p = a.special(SpecialRegister.TID_X), a.row(), a.predicate()
    a.setp("lt_u32", p, tid, a.constant(bench.arch.warp.size))
    a.alu("mov_b32", number, a.constant(0))
    a.alu("mov_b32", number, a.constant(1), guard_predicate=p)
    a.op(Kind.BARRIER, s=(number,))
    a.exit()
    run(bench, a, match="not all its threads reach", block=2 * bench.arch.warp.size)


def test_an_endless_loop_ends_with_its_budget(bench):
    a = Assembler()
    a.label("head")
    row = a.row()
    a.alu("add_b32", row, row, a.constant(1))
    a.op(Kind.BRANCH, target="head")
    run(bench, a, match="budget of 5000 warp instructions", error=BudgetExceeded, max_instructions=5000)
    run(bench, a, match="budget of 3000 cycles", error=BudgetExceeded, max_cycles=3000)


def test_a_trap_is_reported_as_one(bench):
    a = Assembler()
    tid, p = a.special(SpecialRegister.TID_X), a.predicate()
    a.setp("eq_u32", p, tid, a.constant(9))
    a.op(Kind.TRAP, guard_predicate=p)
    a.exit()
    assert run(bench, a, match="trap").data["thread"] == (9, 0, 0)


@pytest.mark.parametrize("arch", list({type(registry.get(name).warp.reconvergence): name for name in registry.names()}.values()))
def test_endless_calls_are_refused(bench_of, arch):
    """Once for each way in which warps meet again: what is full is the stack."""
    bench, a = bench_of(registry.get(arch)), Assembler()
    a.label("again")
    a.op(Kind.CALL, target="again")
    a.exit()
    run(bench, a, match="nested too deeply")


@pytest.mark.parametrize("field, value", [
    ("unit", 200), ("fn", 60000), ("target", 99), ("statement", 77), ("issues", 0), ("kind", 99), ("latency", 1 << 30)])
def test_a_program_with_a_number_out_of_range_is_refused(bench, field, value):
    a = Assembler()
    row = a.row()
    a.alu("add_b32", row, row, a.constant(1))
    a.op(Kind.BRANCH, target="end")
    a.label("end")
    a.exit()
    program = a.program()
    program.ops[1 if field == "target" else 0][field] = value
    with pytest.raises(core.ProgramError):
        bench.run(program)


def test_device_memory_refuses_what_it_cannot_do():
    memory = core.DeviceMemory(1 << 20)
    address = memory.allocate(1000)
    with pytest.raises(DeviceMemoryError, match="out of device memory"):
        memory.allocate(1 << 20)
    with pytest.raises(DeviceMemoryError, match="not inside one allocation"):
        memory.read(address, np.zeros(1001, np.uint8))
    with pytest.raises(DeviceMemoryError, match="not the start"):
        memory.free(address + 4)
    memory.write(address, np.full(1000, 3, np.uint8))
    memory.free(address)
    again = memory.allocate(1000)
    out = np.ones(1000, np.uint8)
    memory.read(again, out)
    assert again == address and not out.any()
