"""Is a flag that CUDA does not have refused by every function that takes flags, before the function does anything?"""
import inspect
import re
import subprocess

import pytest
from guest_kernels import COMPILER
from test_argument_widths import headers

from archdef import exec as programs
from archdef import registry
from archdef.exec.arguments import RULES
from archdef.exec.calls import CALLS, is_drivers
from archdef.exec.server import NotHere, stand_in

MACHINE = next((name for name in ("v100", "gt200") if name in registry.names()), None)
pytestmark = pytest.mark.skipif(MACHINE is None or COMPILER is None, reason="needs a plugin of this repository and a C compiler")
UNKNOWN = "0x40000000"
EXTENT = "cudaExtent"
"""A structure of more than 16 bytes, which is passed on the stack."""
ELSEWHERE = {"cudaMallocMipmappedArray", "cudaStreamUpdateCaptureDependencies", *(f"cuStreamWaitValue{bits}{version}" for bits in (32, 64) for version in ("", "_v2"))}
"""What is not there, whatever its flags, what has its flags at another place before CUDA 13, and what has a flag of this number."""


def calls_with_flags():
    """Give a call in C of each answered function whose last version has flags that are passed by value: everything else is zero, or a place to write to."""
    found = {}
    for text in headers():
        for name, parameters in re.findall(r"^[^#\n]*?\b(cu\w+)\(([^(){};]*)\);", text, re.MULTILINE):
            kinds = [each.strip() for each in parameters.split(",")]
            flags = [number for number, each in enumerate(kinds) if re.fullmatch(r"(unsigned int|unsigned long long|cuuint64_t) \w*[fF]lags( .*)?", each)]
            if (name.startswith("cuda") or is_drivers(name)) and name in CALLS and not CALLS[name].refused and name not in ELSEWHERE and flags:
                found[name] = [UNKNOWN if number in flags else "none" if EXTENT in each else "room" if "*" in each else "0" for number, each in enumerate(kinds)]
    return found


def test_flags_that_there_are_not_are_an_invalid_value(tmp_path):
    wanted = calls_with_flags()
    assert len(wanted) > 25
    lines = [f'    printf("{name} %d\\n", ((int (*)()){name})({", ".join(arguments)}));' for name, arguments in sorted(wanted.items())]
    (tmp_path / "program.c").write_text("\n".join([
        "#include <stdio.h>", "static struct { unsigned long long width, height, depth; } none;", "static char room[1 << 16];",
        *(f"int {name}();" for name in wanted), "int cuInit(unsigned), cuCtxCreate_v2(void **, unsigned, int);", "int main(void)", "{",
        "    if (cuInit(0) || cuCtxCreate_v2((void **)room, 0, 0)) return 1;", *lines, "    return 0;", "}"]))
    try:
        for soname in ("libcudart.so.13", "libcuda.so.1"):
            (tmp_path / soname).symlink_to(stand_in())
    except NotHere as reason:
        pytest.skip(str(reason))
    subprocess.run([COMPILER, "-w", "-std=gnu11", "-o", tmp_path / "program", tmp_path / "program.c", "-L", tmp_path, "-l:libcudart.so.13", "-l:libcuda.so.1"],
                   check=True)
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([str(tmp_path / "program")], MACHINE, 1, output)
        output.seek(0)
        got = dict(line.split() for line in output)
    assert got == dict.fromkeys(wanted, "1"), found.failures
    assert found.exit_code == 0 and found.missing == {}


FINE, WRONG = (0, 1, 2, 4, 8, 0x10, 0x80, 0x84), (3, 5, 7, 0x100)
"""Flags of devices and contexts: at most one way to wait, and other bits that there are."""


@pytest.mark.parametrize("name, parameter, fine, wrong", [
    ("cudaSetDeviceFlags", "flags", FINE, WRONG), ("cuCtxCreate_v2", "flags", FINE, WRONG), ("cuDevicePrimaryCtxSetFlags_v2", "value", FINE, WRONG),
    ("cudaEventCreateWithFlags", "flags", (0, 1, 2, 3, 6, 7), (4, 5, 8)), ("cudaFuncSetCacheConfig", "config", range(4), (4, -1)),
    ("cudaDeviceSetSharedMemConfig", "config", range(3), (3, -1)), ("cudaStreamAttachMemAsync", "flags", (1, 2, 4), (0, 3, 8)),
    ("cudaMemAdvise_v2", "what", range(1, 7), (0, 7)), ("cudaHostRegister", "flags", range(16), (16,))])
def test_values_are_those_of_the_headers(name, parameter, fine, wrong):
    named, rule = RULES[name]
    assert named == parameter and all(map(rule, fine)) and not any(map(rule, wrong))


def test_every_rule_is_about_a_parameter_of_a_function_that_is_answered():
    for name, (parameter, _) in RULES.items():
        assert parameter in inspect.signature(CALLS[name].answer).parameters


def test_what_has_no_place_for_what_it_makes_makes_nothing(build, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("nowhere", "driver")], MACHINE, 1, output)
        output.seek(0)
        assert (output.read(), found.exit_code, found.missing) == ("PASSED\n", 0, {}), found.failures
