"""Is it said why a program does not start, or why nothing can stand in for CUDA's libraries in one that did?"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest
from interruptible import INTERRUPTIBLE

from archdef import exec as programs
from archdef.errors import DeviceMemoryError
from archdef.exec import server, starting
from archdef.exec.server import NotHere


@pytest.mark.parametrize("name, data, mode, said", [
    ("garbage", b"garbage", 0o755, "neither a program nor a script whose first line names its interpreter"),
    ("words", b"echo words\n", 0o755, "such as #!/bin/sh"),
    ("script", b"#!/nowhere/sh\necho\n", 0o755, "the interpreter /nowhere/sh that it names is missing"),
    ("plain", b"#!/bin/sh\n", 0o644, "not executable: chmod"),
    ("other", b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00\x01" + bytes(43), 0o755, "for another processor")])
def test_the_reason_why_a_program_does_not_start_is_named(name, data, mode, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    path.chmod(mode)
    with pytest.raises(NotHere) as refused:
        programs.run([str(path)], "v100")
    assert said in str(refused.value) and str(refused.value).startswith(f"{path} cannot be started: ")


def test_a_folder_for_temporary_files_whose_name_is_too_long_for_a_socket_is_named(tmp_path, monkeypatch):
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with pytest.raises(NotHere, match="TMPDIR"):
        programs.run(["/bin/true"], "v100")


@pytest.mark.parametrize("before, expected", [(None, "glibc.malloc.hugetlb=1"), ("glibc.malloc.hugetlb=0:glibc.malloc.arena_max=1",
                                                                                 "glibc.malloc.hugetlb=1:glibc.malloc.hugetlb=0:glibc.malloc.arena_max=1")])
def test_a_program_gets_large_pages_unless_its_user_says_otherwise(before, expected, tmp_path, monkeypatch):
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    if before is not None:
        monkeypatch.setenv("GLIBC_TUNABLES", before)
    with open(tmp_path / "out", "w+") as out:
        assert programs.run(["/bin/sh", "-c", "echo $GLIBC_TUNABLES"], "v100", output=out).exit_code == 0
        out.seek(0)
        assert out.read().strip() == expected


def test_a_program_for_which_there_are_no_devices_is_told_so_and_goes_on(build, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise DeviceMemoryError("the host cannot reserve 5 bytes")
    monkeypatch.setattr(server, "Session", refuse)
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("unanswered")], "v100", output=output)
        output.seek(0)
        assert output.read() == "46 cudaErrorDevicesUnavailable\n"
    assert found.exit_code == 0 and any(each.endswith("the host cannot reserve 5 bytes") for each in found.failures)


def test_a_name_without_a_folder_and_a_folder_are_told_from_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy("/bin/true", "mine")
    with pytest.raises(NotHere, match=r"write \./mine"):
        programs.run(["mine"], "v100")
    with pytest.raises(NotHere, match="it is a folder"):
        programs.run([str(tmp_path)], "v100")
    with pytest.raises(NotHere, match="No such file"):
        programs.run(["./nowhere"], "v100")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_program_that_is_linked_statically_is_told_so_and_one_that_merely_has_no_kernels_is_not(tmp_path):
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    for how in ([], ["-static"]):
        if subprocess.run(["cc", *how, "-o", tmp_path / "program", tmp_path / "main.c"], capture_output=True, check=False).returncode:
            pytest.skip("the C library cannot be linked statically here")
        found = programs.run([str(tmp_path / "program")], "v100")
        assert found.exit_code == 0 and [("linked statically" in each) for each in found.failures] == [True] * bool(how)
    data = bytearray((tmp_path / "program").read_bytes())
    data[4] = 1
    (tmp_path / "program").write_bytes(data)
    assert "64 bits" in starting.out_of_reach(str(tmp_path / "program"))


def test_what_was_done_until_an_interrupt_is_told_and_no_other_machine_follows(build, tmp_path):
    program = build("forever")
    command = [*INTERRUPTIBLE, sys.executable, "-m", "archdef", "exec", "-a", "gt200", "-a", "v100", "--", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=tmp_path) as running:
        assert running.stdout.readline() == "launched\n"
        os.killpg(running.pid, signal.SIGINT)       # as a terminal does
        said = running.stdout.read()
    assert running.returncode == 128 + signal.SIGINT and "on gt200: ended by SIGINT" in said and "\nvector_add  " in said and "v100" not in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_archdef_ends_the_program_too(build, tmp_path, number):
    """The end of what they both write to says that neither is left."""
    command = [*INTERRUPTIBLE, sys.executable, "-m", "archdef", "exec", "-a", "gt200", "-a", "v100", "--", build("forever")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=tmp_path) as running:
        assert running.stdout.readline() == "launched\n"
        os.kill(running.pid, number)
        said = running.stdout.read()
    assert running.returncode == 128 + number and f"on gt200: ended by {number.name}" in said and "\nvector_add  " in said and "v100" not in said


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 128 + signal.SIGINT), (signal.SIGTERM, 128 + signal.SIGKILL)])
def test_a_program_that_ignores_a_signal_is_killed_by_the_second_and_told_of(tmp_path, number, code):
    ignores = "trap '' INT TERM; echo launched; while :; do sleep 0.05; done"
    command = [*INTERRUPTIBLE, sys.executable, "-m", "archdef", "exec", "-a", "gt200", "--", "sh", "-c", ignores]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=tmp_path) as running:
        assert running.stdout.readline() == "launched\n"
        os.kill(running.pid, number)
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(1)
        os.kill(running.pid, number)
        said = running.stdout.read()
    assert running.returncode == code and f"sh on gt200: ended by {signal.Signals(code - 128).name}" in said


def test_an_interrupt_that_comes_as_the_program_is_started_is_the_first(monkeypatch):
    """Popen is cut off in its midst by an interrupt, and the program that it has started goes on."""
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(signal.SIGINT)
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    found = programs.run(["sh", "-c", "exit 7"], "v100")
    assert found.exit_code == 7 and [each.returncode for each in started] == [7]
    with pytest.raises(KeyboardInterrupt):      # as before
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_comes_as_the_program_ends_loses_no_exit_code(monkeypatch):
    """What ends the program interrupts the call that waits for it, too: at worst just when that has taken the exit code from the system."""
    interrupted = []

    def interrupting(function):
        def called(*arguments):
            found = function(*arguments)
            if not interrupted:
                interrupted.append(function)
                raise KeyboardInterrupt
            return found
        return called
    for name in ("waitid", "waitpid"):
        monkeypatch.setattr(os, name, interrupting(getattr(os, name)))
    assert starting.ended(subprocess.Popen(["sh", "-c", "exit 7"])) == 7 and len(interrupted) == 1
