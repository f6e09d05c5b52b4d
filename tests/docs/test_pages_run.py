"""What the pages of docs/tutorial and docs/howto tell people to type works as written."""
import re
import shlex
import sys
import tomllib
from pathlib import Path

import click
import pytest

from archdef import registry
from archdef.cli import COMMANDS, main
from archdef.frontends import nvrtc
from archdef.lower import lower
from archdef.ptx import parse

sys.path.append(str(Path(__file__).parents[1] / "unit"))
from elsewhere import can_install, elsewhere  # noqa: F401  a fixture

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*(DOCS / "tutorial").glob("*.md"), *(DOCS / "howto").glob("*.md")])
needs = pytest.mark.skipif(nvrtc.toolchain() is None or not {"g80", "gf100", "gt200", "c500", "v100", "h100"} <= set(registry.names()),
                           reason="needs the NVRTC wheel and the plugins of this repository")


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name, language="python"):
    """The blocks of a language in a page, in order."""
    return re.findall(rf"```{language}\n(.*?)```", text_of(name), re.DOTALL)


def files(name):
    """The files that a page lets people write, by name."""
    return dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text_of(name), re.DOTALL))


def commands(name):
    """The calls of archdef in a page: lines of shell blocks and indented lines; names in capitals stand for anything."""
    lines = "\n".join([*blocks(name, "sh"), *re.findall(r"^    (\S.*)$", re.sub(r"```.*?```", "", text_of(name), flags=re.DOTALL), re.MULTILINE)])
    return list(re.findall(r"^(?:for .*?; do )?(archdef [^\n#;>]+)", lines, re.MULTILINE))


CALLS = [(page.relative_to(DOCS).as_posix(), line.strip()) for page in PAGES for line in commands(page.relative_to(DOCS).as_posix())]


@pytest.mark.parametrize("page, line", CALLS, ids=[f"{Path(page).stem}: {line}" for page, line in CALLS])
def test_each_command_of_a_page_exists_with_its_options(page, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file, block in files(page).items():
        (tmp_path / file).write_text(block)
    for call in line.replace("$n", "4").split(" && "):
        _, name, *arguments = shlex.split(call)
        for source in (word for word in arguments if word.endswith((".cu", ".cpp", ".maca"))):
            (tmp_path / source).touch()
        command = main.get_command(click.Context(main), name)
        assert name in COMMANDS and command is not None
        command.make_context(name, arguments)       # raises where an option or argument is not one


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_a_page_can_be_read(page):
    text = page.read_text(encoding="utf-8")
    for language, block in re.findall(r"```(python|py|toml)\n(.*?)```", text, re.DOTALL):
        if language == "toml":
            tomllib.loads(block)
        elif not block.startswith(" "):
            compile(block, page.name, "exec")


# ---------------------------------------------------------------------------------------------------------------- tutorials
@needs
def test_the_first_kernel_runs(tmp_path, monkeypatch, capsys):
    for name, block in files("tutorial/first-kernel.md").items():
        (tmp_path / name).write_text(block)
    monkeypatch.chdir(tmp_path)
    exec(compile((tmp_path / "first.py").read_text(), "first.py", "exec"), {})
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["g80", "gf100", "c500"]
    (line,) = commands("tutorial/first-kernel.md")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(line)[1:])
    assert not ended.value.code and "scale.cu:5" in capsys.readouterr().out


@needs
def test_the_program_of_the_page_on_timelines_runs(tmp_path, monkeypatch, capsys):
    for name, block in files("howto/timeline.md").items():
        (tmp_path / name).write_text(block)
    monkeypatch.chdir(tmp_path)
    exec(compile((tmp_path / "when.py").read_text(), "when.py", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0].endswith(" 0") and (tmp_path / "warps.json.gz").stat().st_size > 1000


@needs
@can_install
def test_the_first_plugin_is_made_changed_checked_and_swept(tmp_path, elsewhere):  # noqa: F811  the fixture
    page = "tutorial/first-plugin.md"
    made, diff, check, compare, *_ = commands(page)
    elsewhere("-m", *shlex.split(made))
    (place, changes), = re.findall(r"<!-- in: (\S+) -->\n```python\n(.*?)```", text_of(page), re.DOTALL)
    declaration = tmp_path / place
    written = declaration.read_text()
    declaration.write_text(re.sub(r"^CHANGES = \{.*?^\}\n", lambda _: changes, written, flags=re.DOTALL | re.MULTILINE))
    assert declaration.read_text() != written
    elsewhere.install(tmp_path / "archdef-narrow")
    assert all(path in elsewhere("-m", *shlex.split(diff)) for path in ("warp.size", "dram.bus_bits"))
    elsewhere("-m", *shlex.split(check), "--quick")
    assert "narrow" in elsewhere("-m", *shlex.split(compare))
    (tmp_path / "sweep.py").write_text(files(page)["sweep.py"])
    cycles = eval(elsewhere("sweep.py"))
    assert cycles[2] > 1.05 * cycles[4] and abs(cycles[8] - cycles[4]) < 0.02 * cycles[4]        # four have all that its multiprocessors ask for


# ------------------------------------------------------------------------------------------------------------------ howtos
SOURCE = """
extern "C" __global__ void k(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = x[(i * 17) % 4096] * 2.0f + x[i]; }"""


@needs
def test_the_policy_in_python_and_its_compiled_form_decide_alike():
    import archdef

    python, compiled, *_ = blocks("howto/policy.md")
    method = next(block for block in blocks("howto/policy.md") if block.startswith("    def compiled"))
    plain, fast = {}, {}
    exec(python, plain)
    exec(compiled, fast)
    exec(python + "\n" + method, fast)

    def cycles(policy):
        device = archdef.Device(registry.get("gf100").evolve({"schedulers.policy": policy, "chip.multiprocessors": 1}))
        run = device.compile(SOURCE).k[6, 128](device.zeros(4096))
        return run.cycles, run.prototypes

    (slow, prototypes), (quick, none) = cycles(plain["MemoryFirst"](every=4)), cycles(fast["MemoryFirst"](every=4))
    assert slow == quick and prototypes == ("schedulers.policy",) and none == ()


@needs
@pytest.mark.parametrize("page", ["howto/speed-up.md", "howto/baseline.md"])
def test_what_a_page_asserts_holds(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        exec(compile(block, page, "exec"), {})
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@needs
def test_what_the_page_on_arrays_asserts_holds():
    exec(compile("\n".join(blocks("howto/arrays.md")), "howto/arrays.md", "exec"), {})


@needs
def test_launches_of_the_page_are_reported(tmp_path, monkeypatch, capsys):
    pytest.importorskip("vl_convert", reason="reports need archdef[report]")
    monkeypatch.chdir(tmp_path)
    exec(compile(files("howto/report.md")["reported.py"], "reported.py", "exec"), {})
    assert capsys.readouterr().out == "strided.html\n" and "strided on gt200" in (tmp_path / "strided.html").read_text()


@needs
def test_the_target_of_the_page_shifts():
    made: dict = {}
    exec(blocks("howto/target.md")[0], made)
    ptx = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 out) { .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [out]; " \
          "ld.global.u32 %r1, [%rd1]; mul.lo.s32 %r2, %r1, 16; st.global.u32 [%rd1], %r2; ret; }"
    plain, shifts = (lower(parse(ptx, "k.ptx"), "k", registry.get("gf100").evolve({"isa.assembler": made["Shifts"](shift_bits=bits)})).listing() for bits in (3, 4))
    assert "mul_lo_b32" in plain and "shl_b32" not in plain and "shl_b32" in shifts and "mul_lo_b32" not in shifts


@needs
def test_the_front_end_of_the_page_is_one():
    from archdef.frontends import FrontEnd

    names = {}
    exec(blocks("howto/front-end.md")[0], names)
    (made,) = names["archdef_frontends"]()
    assert isinstance(made, FrontEnd) and made.accepts("x.maca", None) and not made.accepts("x.cu", None)


@needs
def test_the_benchmarks_of_the_page_are_measured(tmp_path, monkeypatch):
    first = blocks("howto/microbenchmarks.md")[0]
    exec(first, {})
    ((name, block),) = files("howto/microbenchmarks.md").items()
    (tmp_path / name).write_text(block)
    monkeypatch.syspath_prepend(str(tmp_path))
    plugin = __import__(name.removesuffix(".py"))
    registry.REGISTRY._plugins.register(plugin)
    try:
        from archdef.microbench import measure

        assert measure("two_barriers", "gf100", warps=4)["us"] > 0
    finally:
        registry.REGISTRY._plugins.unregister(plugin)


@needs
def test_partitions_camp_where_the_page_says_so():
    """docs/howto/new-plugin.md: hashed, eight partitions are in use as six are; interleaved, `naive` takes three times as long."""
    from click.testing import CliRunner

    def naive(*changes):
        options = [word for change in ("dram.partitions=8", "dram.bus_bits=512", *changes) for word in ("--set", change)]
        done = CliRunner().invoke(main, ["compare", "transpose", "-a", "gf100", "-k", "naive", *options])
        assert done.exit_code == 0, done.output
        (row,) = [line for line in done.output.splitlines() if line.strip().startswith("naive ")]
        return int(row.split()[1].replace(",", "")), float(re.search(r"([\d.]+)/8", row)[1])

    (hashed, spread), (in_turn, camped) = naive(), naive("dram.partition_map=interleaved")
    assert in_turn > 2.5 * hashed and camped < 4.5 < 6 < spread
