"""The command line: what needs no kernel to run."""
import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from archdef import registry
from archdef.cli import COMMANDS, main
from archdef.metrics import BUILT_IN
from archdef.errors import Interrupted

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")


def archdef(*arguments, columns=""):
    """Call the command line."""
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(main, [str(a) for a in arguments])


@pytest.fixture
def name():
    return registry.names()[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    result = archdef(command, "--help")
    assert result.exit_code == 0 and "--json" in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_listed_as_it_describes_itself(command):
    whole = main.get_command(click.Context(main), command)
    assert " ".join(whole.help.partition("\n\n")[0].split()) == COMMANDS[command]
    assert f"  {command:10}  {whole.get_short_help_str(80 - 6 - max(map(len, COMMANDS)))}\n" in archdef("--help").output


def test_a_shell_completes_commands_and_options():
    completed = {word: [item.value for item in main.shell_complete(click.Context(main), word)] for word in ("s", "--v", "x")}
    assert completed == {"s": ["schema", "show"], "--v": ["--version", "--verbose"], "x": []}
    assert [item.help for item in main.shell_complete(click.Context(main), "diff")] == ["Print the fields in which A and B differ,..."]


def test_all_architectures_are_listed():
    result = archdef("archs")
    assert result.exit_code == 0
    assert set(registry.names()) <= {line.split()[0] for line in result.output.splitlines() if line}


def test_the_list_is_json_too():
    listed = json.loads(archdef("archs", "--json").output)
    assert [a["name"] for a in listed["architectures"]] == list(registry.names()) and listed["broken"] == {}


def test_show_gives_every_field_with_its_evidence(name):
    architecture = registry.get(name)
    shown = {row["path"]: row for row in json.loads(archdef("show", name, "--json").output)["fields"]}
    assert set(shown) == {path for path, _, _ in architecture.leaves()}
    assert shown["warp.size"]["value"] == architecture.warp.size and shown["warp.size"]["kind"]
    printed = archdef("show", name).output
    assert all(path.rpartition(".")[2] in printed for path in shown if not path.startswith("isa.operations."))


def test_show_can_be_restricted(name):
    assumed = json.loads(archdef("show", name, "--assumed", "--json").output)["fields"]
    assert {row["path"] for row in assumed} == set(registry.get(name).assumed())
    dram = json.loads(archdef("show", name, "--only", "dram", "--json").output)["fields"]
    assert dram and all(row["path"].startswith("dram.") for row in dram)


def test_fields_can_be_set(name):
    result = archdef("show", name, "--only", "dram", "--set", "dram.extra_latency_ns=5", "--json")
    assert {field["path"]: field["value"] for field in json.loads(result.output)["fields"]}["dram.extra_latency_ns"] == 5


def test_occupancy_names_limits_and_limiter(name):
    result = archdef("occupancy", "-a", name, "--threads", 256, "--registers", 16, "--shared", 3072)
    assert result.exit_code == 0 and "limits" in result.output
    (answer,) = json.loads(archdef("occupancy", "-a", name, "-t", 256, "-r", 16, "-s", 3072, "--json").output)
    assert answer["active_blocks"] == min(answer["limits"].values()) and 0 < answer["occupancy"] <= 1


@pytest.mark.parametrize("arguments, message", [
    (("show", "gt2O0"), "no architecture is called 'gt2O0' (did you mean gt200?)"),
    (("show", "gt200", "--only", "dramm"), "gt200 has no field 'dramm' (did you mean dram?)"),
    (("show", "gt200", "--set", "dram.partition=4"),
     "gt200 has no field 'dram.partition' (did you mean dram.partitions?)"),
    (("show", "gt200", "--set", "shared.banks=24"), "gt200.shared.banks must be a power of two, got 24"),
    (("show", "gt200", "--set", "shared.banks"), "'shared.banks' is not of the form PATH=VALUE"),
    (("occupancy", "-a", "gt200", "-t", 1024, "-r", 8),
     "gt200: limits.threads_per_block is 512, the launch needs 1024"),
    (("compare", "transpos", "-a", "gt200"), "unknown workload 'transpos' (did you mean transpose?)"),
    (("compare", "transpose", "-a", "gt200", "-n", 33), "size of transpose must be a positive multiple of 32, got 33"),
    (("compare", "transpose", "-a", "gt200", "-k", "til"), "workload transpose has no kernel 'til'"),
    (("run", "absent.cu", "f", "-a", "gt200", "-g", 1, "-b", 1), "'absent.cu' does not exist"),
    (("occupancy", "-a", "gt200", "-t", 64, "-p", "9" * 400), "is not in the range"),
    (("comare",), "no such command 'comare' (did you mean compare?)")])
def test_wrong_input_is_answered_in_one_message_and_exit_code_2(arguments, message):
    if "gt200" not in registry.names():
        pytest.skip("the messages are those of gt200")
    result = archdef(*arguments)
    assert result.exit_code == 2
    assert message in result.output and "Traceback" not in result.output


def test_a_file_that_cannot_be_is_refused_before_the_work():
    result = archdef("schema", "-o", "a" * 300)
    assert result.exit_code == 1 and "File name too long" in result.output


@pytest.mark.parametrize("option, value, message", [
    ("--grid", "0", "'0' is no shape"), ("--arg", "f4[", "'f4[' is no argument"),
    ("--save", "x=y.npy", "no array argument or variable is called 'x'")])
def test_wrong_launch_options_are_named(tmp_path, option, value, message):
    (tmp_path / "k.cu").write_text("")
    arguments = {"--grid": "1", "--block": "1"} | {option: value}
    result = archdef("run", tmp_path / "k.cu", "f", "-a", "gt200",
                     *(text for pair in arguments.items() for text in pair))
    assert result.exit_code == 2 and message in result.output


def test_an_interruption_has_its_own_exit_code(monkeypatch):
    def stop(context):
        raise Interrupted("k was interrupted at cycle 7")
    monkeypatch.setattr(click.Group, "invoke", lambda self, context: stop(context))
    result = archdef("archs")
    assert result.exit_code == 130 and "interrupted at cycle 7" in result.output


def test_a_metric_is_explained_under_any_of_its_names():
    (metric,) = json.loads(archdef("metrics", "gld_request", "--json").output)
    assert metric["name"] == "global_load_requests" and "gld_request" in metric["aliases"] and metric["formula"] and metric["about"]
    listed = archdef("metrics").output
    assert all(f"\n{m.name} [" in f"\n{listed}" for m in BUILT_IN)
    refused = archdef("metrics", "branch_eficiency")
    assert refused.exit_code == 2 and "did you mean branch_efficiency?" in refused.output


def test_the_package_is_the_command_too():
    done = subprocess.run([sys.executable, "-m", "archdef", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("Usage: archdef ")


def test_a_malformed_kernel_leaves_the_others_alone(tmp_path, name):
    text = ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry good() { ret; }\n.visible .entry bad() { mov.b32 %r1, 1; }\n"
    file = tmp_path / "two.ptx"
    file.write_text(text)
    where = ("-a", name, "--grid", 1, "--block", 1)
    assert archdef("run", file, "good", *where).exit_code == 0
    result = archdef("run", file, "bad", *where)
    assert result.exit_code == 2 and "two.ptx:5:33: unknown register `%r1`" in result.output


# ------------------------------------------------------------------------------------------------------------------ lower
STORE = """.version 6.0
.target sm_20
.address_size 64
.visible .entry put(.param .u64 out)
{
    .reg .b64 %rd<3>; .reg .b32 %r<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    add.s32 %r2, %r1, 7;
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry nothing() { ret; }
"""


@pytest.fixture
def stores(tmp_path):
    (tmp_path / "put.ptx").write_text(STORE)
    return tmp_path / "put.ptx"


def test_lower_prints_the_micro_ops_of_every_kernel(stores, name):
    printed = archdef("lower", stores, "-a", name).output
    assert printed.count(f" for {name}: ") == 2 and "put for" in printed and "add_b32" in printed
    assert archdef("lower", stores, "-a", name, "-k", "nothing").output.count(" for ") == 1


def test_lower_says_what_each_pass_did_in_the_width_of_a_terminal(stores, name):
    printed = archdef("lower", stores, "-a", name, "-k", "put", "--passes", columns=80).output
    lines = [line.split() for line in printed.splitlines()]
    assert ["drop_labels", "5"] in lines and any(line[:1] == ["propagate"] for line in lines)
    assert max(map(len, printed.splitlines())) <= 80


def test_lower_gives_its_passes_as_json_and_what_was_set_shows(stores, name):
    one, = json.loads(archdef("lower", stores, "-a", name, "-k", "put", "--passes", "--json").output)
    assert one["kernel"] == "put" and one["micro_ops"] == one["passes"][-1]["after"] > 2
    assert {"function", "name", "summary", "skipped", "before", "after", "changed", "moved"} == set(one["passes"][0])
    other, = json.loads(archdef("lower", stores, "-a", name, "-k", "put", "--passes", "--json", "-G").output)
    assert len(other["passes"]) < len(one["passes"])


def test_lower_says_what_a_machine_refuses(stores, name):
    stores.write_text(STORE.replace("add.s32 %r2, %r1, 7;", ".reg .pred %p; elect.sync %r2|%p, -1;"))
    machine = next(one for one in registry.names() if "elect" not in registry.get(one).isa.features)
    result = archdef("lower", stores, "-a", machine, "-k", "put")
    assert result.exit_code == 2 and "elect" in result.output
