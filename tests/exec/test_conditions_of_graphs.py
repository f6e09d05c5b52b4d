"""Do graphs whose nodes decide what runs do what a kernel has said before, and is every wrong call refused?"""
import gc
import signal

import pytest
from fat import HEAD, binary, entry
from test_foreign_programs import run

from archdef import registry
from archdef.exec.server import Server
from archdef.host import Graph, Node

MACHINES = [name for name in ("gf100", "h100") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
CODE = binary(entry((HEAD + """
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry counts(.param .u64 p, .param .u32 by)
{
    .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [by]; ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3;
    ret;
}
.visible .entry sets(.param .u64 handle, .param .u64 p)
{
    .reg .b32 %r<2>; .reg .b64 %rd<3>; .param .b64 p0; .param .b32 p1;
    ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [p]; ld.global.u32 %r1, [%rd2]; st.param.b64 [p0], %rd1; st.param.b32 [p1], %r1;
    call.uni cudaGraphSetConditional, (p0, p1);
    ret;
}
""").encode()))


@pytest.mark.parametrize("part", ["loops", "updated", "branches", "choices", "nested", "captured", "wrong", "within_a_child", "wrong_within_a_body"])
@pytest.mark.parametrize("machine", MACHINES)
def test_conditions_do_what_they_shall(build, machine, part, tmp_path):
    found, printed = run([build("conditions", fat=CODE), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}, found.failures
    assert part != "loops" or {each.kernel: each.launches for each in found.kernels} == {"counts": 2 * 2 + 2 * 9, "sets": 9}


def test_a_loop_without_end_ends_with_the_program(build, tmp_path):
    found, printed = run([build("conditions", fat=CODE), "endless"], MACHINES[0], tmp_path)
    assert printed == "" and found.exit_code == -signal.SIGALRM and [each.kernel for each in found.kernels] == ["counts"]
    assert found.kernels[0].launches > 1


def test_nothing_is_left_of_graphs_that_the_program_has_destroyed(build):
    server = Server([MACHINES[0]])
    assert server.run([build("conditions", fat=CODE), "many"]) == 0
    gc.collect()
    (session,) = server.sessions
    assert not session.conditions and not any(isinstance(each, Graph | Node) for each in session._handles.values())
