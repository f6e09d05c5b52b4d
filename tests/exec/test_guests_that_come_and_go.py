"""Do programs that ask in a loop come to an end, and does archdef outlive those that die or leave others behind?"""
import functools
import os
import queue
import resource
import shutil
import socket
import struct
import subprocess
import sys
import threading

import pytest
from fat import binary, entry

from archdef import exec as programs
from archdef import registry
from archdef.exec.server import Server
from archdef.exec.session import Session
from archdef.exec.wire import Connection

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
KERNEL = """
.visible .entry {name}(.param .u64 data)
{{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data]; mov.u32 %r1, 0;
LOOP: st.global.u32 [%rd1], %r1; add.u32 %r1, %r1, 1; {branch}
    ret;
}}
"""
CODE = binary(entry((".version 6.0\n.target sm_20\n.address_size 64\n" + KERNEL.format(name="never_ends", branch="bra LOOP;")
                     + KERNEL.format(name="counts", branch="setp.lt.u32 %p1, %r1, 200; @%p1 bra LOOP;")).encode()))


def ran(build, part, tmp_path, machine="gt200"):
    with open(tmp_path / "output", "w+") as output:
        return programs.run([build("guests", "shared", CODE), part], machine, output=output)


@pytest.mark.parametrize("call_us", [None, 0])
def test_asking_in_a_loop_comes_to_an_end(build, tmp_path, call_us):
    machine = registry.get("gf100")
    found = ran(build, "polls", tmp_path, machine if call_us is None else machine.evolve({"host_link.call_us": call_us}))
    assert found.exit_code == 0 and found.launches == 6 and found.failures == ()


@pytest.mark.parametrize("options", [["--max-instructions", "100000"], ["--max-cycles", "100000"], ["--max-instructions", "100000", "--functional"]])
def test_a_kernel_that_never_ends_ends_with_its_budget(build, options, tmp_path):
    command = [sys.executable, "-m", "archdef", "exec", "-a", "gt200", *options, "--", build("guests", "shared", CODE), "endless"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert done.returncode == 7 and "cudaErrorLaunchTimeout" in done.stdout and "exit code 7, 1 launch failed" in said, done.stdout + done.stderr
    assert "kernel never_ends at PTX line 8 `st.global.u32" in said or "kernel never_ends at PTX line 8 `add.u32" in said or "never_ends at PTX line 9" in said
    assert "budget of" in said


def test_a_program_that_is_killed_while_a_kernel_runs_is_reported(build, tmp_path):
    found = ran(build, "killed", tmp_path)
    assert found.exit_code == -14 and found.left == {"never_ends": 1}
    assert ran(build, "polls", tmp_path).exit_code == 0


@pytest.mark.parametrize("part", ["leaves", "leaves_while_another_waits"])
def test_what_a_program_has_not_waited_for_ends_with_it(build, tmp_path, part):
    found = ran(build, part, tmp_path)
    assert found.exit_code == 0 and found.good and found.failures == ()
    assert [(each.kernel, each.launches) for each in found.kernels] == [("counts", 2)] and found.left == {"never_ends": 1, "counts": 2}
    assert "Ended with the program, before they were done: counts (2), never_ends" in " ".join(str(found).split())


def test_a_child_that_is_left_behind_keeps_nobody_waiting(build, tmp_path):
    assert ran(build, "leaves_a_child", tmp_path).exit_code == 0
    assert ran(build, "polls", tmp_path).exit_code == 0


def test_children_launch_what_was_registered_before_they_were_made(build, tmp_path):
    found = ran(build, "children_launch", tmp_path)
    assert found.exit_code == 0 and found.failures == () and [(each.kernel, each.launches) for each in found.kernels] == [("counts", 4)]
    assert len(found.timelines) == 4


def test_memory_of_a_process_is_given_back_when_it_ends_though_the_program_goes_on(build, tmp_path, monkeypatch):
    ended = queue.Queue()
    monkeypatch.setattr(Session, "_end", lambda session, end=Session._end: (end(session), ended.put(session)))
    reading, writing = os.pipe()
    monkeypatch.setattr(subprocess, "Popen", functools.partial(subprocess.Popen, stdin=reading))
    server = Server(["gf100"])
    running = threading.Thread(target=server.run, args=([build("guests", "shared", CODE), "outlives_a_child"],))
    running.start()
    try:
        child = ended.get(timeout=60)
        parent, found = server.sessions
        assert found is child and running.is_alive()
        assert [each.runtime.device(0).memory.engine.used_bytes for each in (parent, child)] == [1 << 20, 0]
    finally:
        os.close(writing)
        running.join(60)
        os.close(reading)


def test_what_stands_between_the_brackets_is_kept(build, tmp_path):
    found = ran(build, "configurations", tmp_path)
    assert found.exit_code == 0 and any("<<<" in text for text in found.failures)


def test_threads_that_have_ended_hold_no_files_open(build, tmp_path):
    assert ran(build, "threads", tmp_path).exit_code == 0


def test_threads_for_which_there_is_no_file_are_refused_and_do_not_wait(build, tmp_path):
    program = build("guests", "shared", CODE)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 60, limits[1]))
    try:
        found = programs.run([program, "many_threads"], "gt200")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert found.exit_code == 0 and any("ulimit -n" in text for text in found.failures)


def test_a_callback_that_calls_cuda_is_refused_and_keeps_nobody_waiting(build, tmp_path):
    found = ran(build, "callback_asks", tmp_path)
    assert found.exit_code == 0 and found.launches == 1 and found.failures == ()


def test_an_error_that_comes_while_a_program_asks_for_nothing_is_left_for_it(build, tmp_path):
    found = ran(build, "fails_before_a_callback", tmp_path)
    assert found.exit_code == 0 and found.failed == 1


def test_a_process_that_runs_another_program_begins_anew(build, tmp_path):
    found = ran(build, "runs_itself", tmp_path)
    assert found.exit_code == 0 and (tmp_path / "output").read_text() == "cudaErrorMemoryAllocation\n" * 2


def test_a_program_that_has_ended_leaves_no_thread_here(build, tmp_path):
    before = set(threading.enumerate())
    assert ran(build, "callback_asks", tmp_path).exit_code == 0
    for each in set(threading.enumerate()) - before:
        each.join(10)
        assert not each.is_alive()


def test_a_process_is_known_by_the_number_that_the_system_gives_it(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as end, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as thread:
        end.bind(str(tmp_path / "socket"))
        end.listen()
        thread.connect(str(tmp_path / "socket"))
        thread.send(struct.pack("<IIQQQQQIII4x", 1, 1, *range(8)))      # as process 1 of a container says
        accepted, _ = end.accept()
        with accepted:
            assert Connection(accepted).hello().process == os.getpid()


def test_a_program_runs_in_a_namespace_of_its_own(build, tmp_path):
    """Where containers are made, as `archdef exec docker run …` makes them."""
    apart = [shutil.which("unshare") or "unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]
    if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL, check=False).returncode if shutil.which("unshare") else True:
        pytest.skip("the system makes no namespaces for this user")
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([*apart, build("guests", "shared", CODE), "polls"], "gf100", output=output)
    assert found.exit_code == 0 and found.launches == 6 and found.failures == ()
