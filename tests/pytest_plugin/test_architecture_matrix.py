"""Does the pytest plugin make matrices of tests, choose by capability, and tell what failed where?"""
import importlib.metadata
import subprocess
import sys

import pytest

import archdef.device
import archdef.testing.conformance       # noqa: F401
from archdef import registry

pytest_plugins = "pytester"

INSTALLED = any(point.value == "archdef.testing.plugin" for point in importlib.metadata.entry_points(group="pytest11"))
"""Whether every pytest session loads the plugin; else tests load it themselves."""
pytestmark = pytest.mark.skipif(not {"g80", "gt200", "k40", "c500"} <= set(registry.names()), reason="needs the plugins of this repository")

COPY = '''
import numpy as np
import pytest

PTX = """.version 6.0
.target sm_30
.address_size 64
.visible .entry copy(.param .u64 out, .param .u64 in)
{ .reg .b32 %r<3>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3; ld.global.u32 %r2, [%rd5]; st.global.u32 [%rd4], %r2; ret; }"""
'''
KERNEL = COPY + '''
def test_copy(device):
    numbers = np.arange(48, dtype="u4")
    out = device.zeros(48, "u4")
    run = device.compile(PTX).copy[1, 48](out, device.to_device(numbers))
    assert (out.to_host() == numbers).all()
    assert run.counters.warps == -(-48 // device.architecture.warp.size)
'''


@pytest.fixture
def go(pytester):
    """Run pytest on the text of a test file."""
    def run(text, *options, name="test_it.py"):
        pytester.makepyfile(**{name.removesuffix(".py"): text})
        return pytester.runpytest_inprocess(*([] if INSTALLED else ["-p", "archdef.testing.plugin"]), "-p", "no:cacheprovider",
                                            "--strict-markers", "-v", "-rs", *options, name)
    return run


def passed(result) -> list[str]:
    """Names in brackets of the tests that passed."""
    return [line.split("[")[1].split("]")[0] for line in result.outlines if "PASSED" in line and "[" in line]


def test_a_test_of_a_device_runs_on_every_installed_architecture(go):
    assert passed(go(KERNEL)) == list(registry.names())


def test_options_choose_by_name_alias_and_glob(go):
    assert passed(go(KERNEL, "--archdef-arch=gt200", "--archdef-arch=G80")) == ["g80", "gt200"]
    assert passed(go(KERNEL, "--archdef-arch=g*0*")) == [n for n in registry.names() if n[0] == "g" and "0" in n]
    assert passed(go(KERNEL, "--archdef-arch", registry.get("k40").aliases[0])) == ["k40"]
    assert passed(go(KERNEL, "--archdef-arch=g80,c500")) == ["c500", "g80"]


@pytest.mark.parametrize("option, message", [
    ("gt2001", "--archdef-arch=gt2001: no architecture is called 'gt2001' (did you mean gt200?)"),
    ("zz*", "--archdef-arch=zz* matches no architecture; installed: ")])
def test_an_option_that_matches_nothing_is_an_error_that_says_so(go, option, message):
    result = go(KERNEL, f"--archdef-arch={option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize("mark, holds", [
    ('requires="shuffle"', lambda a: "shuffle" in a.isa.features),
    ('requires="warp.vote"', lambda a: "vote" in a.isa.features),
    ('requires=["vote_ballot", "fp64"]', lambda a: a.isa.features >= {"vote_ballot", "fp64"}),
    ('requires="caches.l2"', lambda a: a.caches.l2 is not None),
    ('requires="caches.l1.enabled"', lambda a: a.caches.l1 is not None and a.caches.l1.enabled),
    ('warp_size=64', lambda a: a.warp.size == 64),
    ('warp_size={32, 64}, names=["g*", "c500"]', lambda a: a.name[0] == "g" or a.name == "c500"),
    ('fields={"shared.banks": 16}', lambda a: a.shared.banks == 16),
    ('fields={"warp.reconvergence": "convergence_barriers"}', lambda a: a.warp.reconvergence.independent),
    ('when=lambda a: a.chip.multiprocessors > 30', lambda a: a.chip.multiprocessors > 30)])
def test_marks_select_by_capability(go, mark, holds):
    expected = [name for name in registry.names() if holds(registry.get(name))]
    assert expected and passed(go(f"import pytest\n@pytest.mark.arch({mark})\ndef test_it(arch): pass")) == expected


def test_marks_of_function_and_module_hold_together(go):
    text = "import pytest\npytestmark = pytest.mark.arch(requires='shuffle')\n@pytest.mark.arch(names=['gt200', 'k40'])\ndef test_it(arch): pass"
    assert passed(go(text)) == ["k40"]


def test_a_mark_that_no_installed_architecture_satisfies_is_an_error(go):
    result = go("import pytest\n@pytest.mark.arch(warp_size=57, requires='vote')\ndef test_it(arch): pass")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*no architecture satisfies the mark arch(requires='vote', warp.size=57); there were *c500, *"])


def test_a_mark_that_no_chosen_architecture_satisfies_skips(go):
    result = go("import pytest\n@pytest.mark.arch(warp_size=64)\ndef test_it(arch): pass", "--archdef-arch=g80")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*no architecture satisfies the mark arch(warp.size=64); there were g80*"])


@pytest.mark.parametrize("mark, message", [
    ('requires="shufle"', "requires 'shufle', which is neither a feature nor a field (did you mean shuffle?)"),
    ('fields={"warp.sise": 3}', "did you mean warp.size?"), ('wrap_size=64', "no argument 'wrap_size' (did you mean warp_size?)"),
    ('"shuffle"', "keywords only")])
def test_a_mistaken_mark_is_a_clear_error(go, mark, message):
    result = go(f"import pytest\n@pytest.mark.arch({mark})\ndef test_it(arch): pass")
    assert result.ret == pytest.ExitCode.INTERRUPTED and message in result.stdout.str()


def test_a_failure_shows_architecture_and_counters(go):
    result = go(KERNEL.replace("assert run.counters.warps ==", "assert run.counters.warps != "), "--archdef-arch=gt200")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*- archdef -*", "gt200: NVIDIA GeForce GTX 280 *", "launch 1 of 1: copy (1, 1, 1) x (48, 1, 1), * cycles, *",
                                 "*warps 2 *threads 48", "*global_loads 2 *global_load_transactions 3*", "*warp cycles by cause:*"])


def test_a_test_that_passes_shows_nothing(go):
    assert "launch 1" not in go(KERNEL, "-rA", "--archdef-arch=gt200").stdout.str()


def test_only_the_last_launches_of_many_are_listed(go):
    text = KERNEL.replace("    run = ", "    for _ in range(11): run = ") + "    assert False\n"
    shown = go(text, "--archdef-arch=g80").stdout.str()
    assert "launch 7 of 11" in shown and "launch 11 of 11" in shown and "launch 6 of 11" not in shown


def test_each_test_gets_a_device_of_its_own(go):
    text = "def test_a(device): device.zeros(100)\ndef test_b(device): assert not device.memory.engine.allocations\n"
    go(text, "--archdef-arch=g80").assert_outcomes(passed=2)


def test_parameters_and_fixtures_of_the_users_own_stay_theirs(go):
    text = """
import pytest
@pytest.fixture(params=[1, 2])
def arch(request): return request.param
def test_a(arch): assert arch in (1, 2)
"""
    go(text).assert_outcomes(passed=2)
    go("import pytest\n@pytest.mark.parametrize('arch', ['gt200'])\ndef test_b(device): assert device.architecture.name == 'gt200'").assert_outcomes(passed=1)
    go("import pytest\n@pytest.fixture\ndef device(): return 7\ndef test_c(device): assert device == 7").assert_outcomes(passed=1)


def test_other_parameters_multiply(go):
    text = "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_it(arch, n): pass"
    assert sorted(passed(go(text, "--archdef-arch=g80", "--archdef-arch=k40"))) == ["g80-1", "g80-2", "k40-1", "k40-2"]


def test_workers_of_xdist_agree(pytester):
    pytest.importorskip("xdist")
    pytester.makepyfile(test_it=KERNEL.replace("== -(-48", "!= -(-48"))
    command = [sys.executable, "-m", "pytest", *([] if INSTALLED else ["-p", "archdef.testing.plugin"]), "-n", "2", "-p", "no:cacheprovider",
               "--archdef-arch=g*", "test_it.py"]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    names = [n for n in registry.names() if n[0] == "g"]
    assert f"{len(names)} failed" in output and all(f"test_copy[{name}]" in output for name in names)
    assert "launch 1 of 1: copy" in output and "gt200: NVIDIA" in output


def test_the_plugin_imports_nothing_of_archdef_before_a_test_asks():
    code = ("import sys, pytest; before = set(sys.modules); import archdef.testing.plugin; "
            "print(sorted(m for m in set(sys.modules) - before))")
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "['archdef', 'archdef.testing', 'archdef.testing.plugin']"


def test_a_session_without_such_tests_never_imports_the_engine(pytester):
    pytester.makepyfile(test_it="import sys\ndef test_it(): assert 'numpy' not in sys.modules and 'archdef.spec' not in sys.modules")
    command = [sys.executable, "-m", "pytest", *([] if INSTALLED else ["-p", "archdef.testing.plugin"]), "-p", "no:hypothesispytest",
               "-p", "no:cacheprovider", "test_it.py"]
    assert "1 passed" in subprocess.run(command, capture_output=True, text=True).stdout
