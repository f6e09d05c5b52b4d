"""Machines are given in the same ways to every command."""
import json

import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.cli import COMMANDS, main

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
WITHOUT = {"archs", "build", "completion", "exec", "metrics", "new-plugin", "schema"}
"""Commands that look at no machine, at one by -a alone, or at all, or whose words are those of a program."""
BEFORE = {"advise": ["vector_add"], "attribute": ["vector_add", "gf100"], "report": ["vector_add"], "run": ["k.ptx", "k"], "why": ["k.ptx", "k"], "lower": ["k.ptx"], "resources": ["k.ptx"], "compare": ["vector_add"]}
BEHIND = {"advise": ["-n", "1024"], "attribute": ["-n", "1024", "--groups", "clocks", "-j", "1"], "report": ["-n", "256", "-o", "x.html"], "run": ["-g", "1", "-b", "1", "--arg", "u1[4]"], "why": ["-g", "1", "-b", "1", "--arg", "u1[4]", "-w", "0", "-c", "0"], "compare": ["-n", "1024"], "occupancy": ["-t", "64"], "page": ["-o", "page.md"],
          "check": ["-k", "test_names_lead_to_it"], "microbench": ["barrier", "-p", "warps=1"], "validate": ["--list"]}
MANY = sorted({*COMMANDS} - WITHOUT - {"attribute", "check", "export", "page", "show", "diff"})
PTX = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.ptx").write_text(PTX)
    archdef.save(registry.get("g80"), tmp_path / "mine.toml")


def called(command, *machines):
    """The document that a command gives for machines as they are written, without what is measured in seconds."""
    done = CliRunner().invoke(main, [command, *BEFORE.get(command, []), *machines, *BEHIND.get(command, []), "--json"])
    assert done.exit_code == 0, done.output

    def timeless(value):
        if isinstance(value, dict):
            return {key: timeless(one) for key, one in value.items() if key != "seconds"}
        return [timeless(one) for one in value] if isinstance(value, list) else value
    return timeless(json.loads(done.stdout))


@pytest.mark.parametrize("command", sorted({*COMMANDS} - WITHOUT - {"diff"}))
def test_words_and_options_mean_the_same(command):
    assert called(command, "gt200") == called(command, "-a", "gt200") == called(command, "--arch", "gtx280")
    assert called(command, "mine.toml") == called(command, "-a", "mine.toml")


@pytest.mark.parametrize("command", MANY)
def test_several_are_taken_in_any_mixture(command):
    assert called(command, "gt200", "gf100") == called(command, "-a", "gt200", "-a", "gf100") == called(command, "gt200", "-a", "gf100")


@pytest.mark.parametrize("command", sorted({*COMMANDS} - WITHOUT - {"diff", "validate"}))
def test_fields_are_set_in_every_command(command):
    refused = CliRunner().invoke(main, [command, *BEFORE.get(command, []), "gt200", *BEHIND.get(command, []), "--set", "warp.sise=16"])
    assert refused.exit_code == 2 and "did you mean warp.size?" in refused.output


@pytest.mark.parametrize("command", ["check", "export", "page", "show"])
@pytest.mark.parametrize("machines, got", [((), "none"), (("gt200", "g80"), "gt200 and g80"), (("gt200", "-a", "g80"), "gt200 and g80")])
def test_a_command_for_one_machine_says_so(command, machines, got):
    refused = CliRunner().invoke(main, [command, *machines, *BEHIND.get(command, [])])
    assert refused.exit_code == 2 and f"takes one architecture, got {got}" in refused.output


def test_differences_are_of_two_or_of_one_and_what_is_set():
    assert called("diff", "gt200", "g80") == called("diff", "-a", "gt200", "-a", "g80")
    (changed,) = called("diff", "gt200", "--set", "warp.size=16")["differences"]
    assert changed["path"] == "warp.size" and called("diff", "gt200", "gt200", "--set", "warp.size=16")["differences"] == [changed]
    refused = CliRunner().invoke(main, ["diff", "gt200"])
    assert refused.exit_code == 2 and "takes two architectures, or one and --set, got gt200" in refused.output


@pytest.mark.parametrize("left_out, missing", [("-a", "--arch"), ("-g", "--grid"), ("-b", "--block")])
def test_run_says_what_it_lacks(left_out, missing):
    given = {"-a": "gt200", "-g": "1", "-b": "1"}
    del given[left_out]
    refused = CliRunner().invoke(main, ["run", "k.ptx", "k", *(word for pair in given.items() for word in pair)])
    assert refused.exit_code == 2 and f"Missing option '{missing}'" in refused.output
