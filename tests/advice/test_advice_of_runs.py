"""Does a run that was kept give the advice that the workload gives, and is everything in memory afterwards as it was?"""
import copy
import pickle

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.advice import Finding, Rule, Supposed, advise
from archdef.errors import ArchdefError, LaunchError
from archdef.lower import Options

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
KERNEL = """.version 6.0
.target sm_30
.address_size 64
.global .u32 calls;
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .pred %p1; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd3, %r4, 128; add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r5, [%rd4];
    add.u32 %r5, %r5, 1; st.global.u32 [%rd4], %r5;
    mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r5;
    setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [calls], 1;
    ret;
}
"""
ROWS = 4096


def launched(machine="gf100", **options):
    device = archdef.Device(machine)
    module = device.compile(KERNEL)
    table = device.to_device(np.arange(ROWS * 32, dtype="u4"))
    out = device.zeros(ROWS, "u4")
    return module, table, out, module.k[ROWS // 128, 128].launch(out, table, **options)


def test_a_kept_run_is_advised_as_its_program_is():
    def program(architecture, lowering):
        device = archdef.Device(architecture)
        module = device.compile(KERNEL, lowering=lowering)
        table = device.to_device(np.arange(ROWS * 32, dtype="u4"))      # addresses decide about banks: all in the same order
        return module.k[ROWS // 128, 128](device.zeros(ROWS, "u4"), table)
    *_, run = launched(keep=True)
    of_run, of_program = advise(run), advise(program, "gf100")
    assert [each.to_dict() for each in of_run] == [each.to_dict() for each in of_program] and of_run.runs == of_program.runs
    assert [each.rule for each in of_run] == ["uncoalesced-access"] and of_run.workload == "k" and of_run.kernels == ("k",)


def test_memory_is_what_it_was_and_each_launch_finds_what_the_first_found():
    module, table, out, run = launched(keep=True)
    out.copy_from_host(np.full(ROWS, 7, "u4"))      # the user goes on
    before = table.to_host()
    again = run.kept.again(run.architecture, Options())
    assert again.same and again.run.cycles == run.cycles and (again.run.counters.statements == run.counters.statements).all()
    faster = run.kept.again(run.architecture.evolve({"clocks.memory_mhz": 2 * run.architecture.clocks.memory_mhz}), Options())
    assert faster.same and faster.run.cycles < run.cycles
    assert (table.to_host() == before).all() and (out.to_host() == 7).all() and int(module.symbols["calls"].to_host().ravel()[0]) == ROWS // 128


def test_a_launch_that_leaves_something_else_is_told():
    source = KERNEL.replace("%ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;", "%ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mov.u32 %r6, %warpid;").replace(
        "add.u32 %r5, %r5, 1;", "add.u32 %r5, %r5, %r6;")
    device = archdef.Device("gf100")
    run = device.compile(source).k[ROWS // 128, 128].launch(device.zeros(ROWS, "u4"), device.to_device(np.arange(ROWS * 32, dtype="u4")), keep=True)
    order = tuple(reversed(range(7)))
    assert not run.kept.again(run.architecture, Options(thread_order=order)).same and run.kept.again(run.architecture, Options()).same
    for certain in (True, False):
        rule = Rule("order", "Tries another order of threads.", lambda run: [Finding("order", Supposed("threads lay otherwise", thread_order=order, certain=certain), {}, "", "")])
        assert len(advise(run, rules=[rule], least_gain=0)) == certain


def test_kept_launches_in_streams_are_advised_too():
    device = archdef.Device("gf100")
    out, table = device.zeros(ROWS, "u4"), device.to_device(np.arange(ROWS * 32, dtype="u4"))
    stream = device.stream()
    run = device.compile(KERNEL).k[ROWS // 128, 128, 0, stream].launch(out, table, keep=True).result()
    assert [each.rule for each in advise(run)] == ["uncoalesced-access"]


def test_textures_are_those_of_the_launch():
    source = """.version 6.0
.target sm_30
.address_size 64
.global .texref image;
.visible .entry k(.param .u64 out)
{ .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [image, {%r1}];
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2; ret; }"""
    device = archdef.Device("gf100")
    module, out = device.compile(source), device.zeros(32, "u4")
    module.textures["image"] = device.texture(device.to_device(np.arange(32, dtype="u4")))
    run = module.k[1, 32].launch(out, keep=True)
    module.textures["image"] = device.texture(device.to_device(np.zeros(32, "u4")))
    assert run.kept.again(run.architecture, Options()).same and (out.to_host() == np.arange(32)).all()


def test_a_run_that_kept_nothing_says_how_to_launch():
    *_, run = launched()
    with pytest.raises(ArchdefError, match=r"launch it by kernel\[grid, block\]\.launch\(…, keep=True\)"):
        advise(run)
    *_, kept = launched(keep=True)
    for other in (pickle.loads(pickle.dumps(kept)), copy.copy(kept)):
        assert other.kept is None and other.cycles == kept.cycles
    with pytest.raises(ArchdefError, match="name no other machine"):
        advise(kept, "gt200")
    with pytest.raises(ArchdefError, match="name the machine"):
        advise("transpose")


def test_memory_that_was_freed_is_told():
    device = archdef.Device("gf100")
    bystander = device.zeros(64)
    run = device.compile(KERNEL).k[1, 32].launch(device.zeros(64, "u4"), device.zeros(32 * 64, "u4"), keep=True)
    del bystander
    with pytest.raises(LaunchError, match="1 of the .* allocations of its device that there were have been freed"):
        run.kept.again(run.architecture, Options())


def test_kernels_that_allocate_are_refused():
    source = """.version 6.0
.target sm_30
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 a);
.visible .entry k() { .reg .b64 %rd<3>; { .param .b64 a; .param .b64 r; st.param.b64 [a], 16; call (r), malloc, (a); ld.param.b64 %rd1, [r]; } ret; }"""
    with pytest.raises(LaunchError, match="k cannot be kept: it allocates device memory"):
        archdef.Device("gf100").compile(source).k[1, 32].launch(keep=True)
