"""Rules of plugins: asked beside archdef's own, named where they go wrong, and never in the way of others."""
import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

import archdef
from archdef import registry
from archdef.advice import RULES, Rule, advise, known_rules
from archdef.advice import plugins as plugins_of_advice
from archdef.advice import rules as own_rules
from archdef.cli import main
from archdef.errors import ArchdefError, PluginWarning

pytestmark = pytest.mark.skipif("gf100" not in registry.names(), reason="needs the plugins of this repository")
GOOD = """
from archdef import hookimpl
from archdef.advice import Finding, Rule, Supposed

def find(run):
    faster = run.architecture.evolve({"clocks.memory_mhz": 2 * run.architecture.clocks.memory_mhz})
    yield Finding("slow-memory", Supposed("memory were twice as fast", architecture=faster), {"mhz": 1.0}, "memory is slow", "buy another")

@hookimpl
def archdef_advice_rules():
    return [Rule("slow-memory", "Memory that is slow.", find)]
"""
RAISES = GOOD.replace('yield Finding("slow-memory"', 'raise SystemExit("\\x1b[2J no more")\n    yield Finding("slow-memory"')
CONFIRMS = GOOD.replace('"buy another")', '"buy another", confirm=lambda again: 1 / 0)')
BROKEN = {
    "absent": ("import module_that_does_not_exist_anywhere", "ModuleNotFoundError"), "no_hook": ("", "implements no archdef_advice_rules hook"),
    "not_marked": ("def archdef_advice_rules(): return []", "implements no archdef_advice_rules hook"),
    "no_rule": ("from archdef import hookimpl\n@hookimpl\ndef archdef_advice_rules(): return [3]", "gave 3, not an archdef.advice.Rule"),
    "a_number": ("from archdef import hookimpl\n@hookimpl\ndef archdef_advice_rules(): return 3", "TypeError"),
    "exits": ("raise SystemExit(3)", "SystemExit"), "signature": ("from archdef import hookimpl\n@hookimpl\ndef archdef_advice_rules(oops): return []", "oops"),
    "taken": (GOOD.replace('Rule("slow-memory"', 'Rule("bank-conflicts"'), "the name 'bank-conflicts' is taken")}


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    """Install modules of rules by their names → sources."""
    monkeypatch.syspath_prepend(str(tmp_path))
    written = []

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.py").write_text(source)
            written.append(name)
        monkeypatch.setattr(plugins_of_advice, "installed", lambda group: [EntryPoint(name, name, group) for name in written])

    yield write
    for name in written:
        sys.modules.pop(name, None)


def test_archdefs_own_rules_come_by_the_same_hook():
    assert own_rules.archdef_advice_rules() == RULES and [known.rule for known in known_rules([]).values()] == [*RULES]


def test_a_rule_of_a_plugin_is_asked_listed_and_found_by_its_name(plugins):
    plugins(gizmo=GOOD)
    found = advise("vector_add", "gf100", least_gain=0)
    assert "slow-memory" in [each.rule for each in found]
    (advice,) = advise("vector_add", "gf100", rules=["slow-memory"], least_gain=0)
    assert advice.gain > 1 and advice.remedy == "buy another" and advice.evidence == {"mhz": 1.0}
    listed = json.loads(CliRunner().invoke(main, ["advise", "--list", "--json"]).output)
    assert listed[-1] == {"name": "slow-memory", "about": "Memory that is slow."} and len(listed) == len(RULES) + 1
    assert "Memory that is slow." in CliRunner().invoke(main, ["advise", "--list"]).output
    result = CliRunner().invoke(main, ["advise", "vector_add", "-a", "gf100", "-r", "slow-memory", "--least", "1"])
    assert result.exit_code == 0 and "slow-memory" in result.output


def test_plugins_are_not_imported_for_rules_that_archdef_has(plugins):
    plugins(gizmo="raise SystemExit")
    advise("vector_add", "gf100", rules=["bank-conflicts"])
    assert "gizmo" not in sys.modules


@pytest.mark.parametrize("source, error", [(RAISES, r"SystemExit: .*no more"), (CONFIRMS, "ZeroDivisionError"), (GOOD.replace("yield Finding", "yield str"), "TypeError"),
                                           (GOOD.replace("yield Finding(", "yield ("), "not a Finding")])
def test_a_rule_that_fails_is_named_and_the_others_go_on(plugins, source, error):
    plugins(bad=source, good=GOOD.replace('"slow-memory"', '"slow-dram"'))
    with pytest.warns(PluginWarning, match=f"(?s)rule slow-memory of plugin bad fails: .*{error}") as warned:
        found = advise("transpose", "gf100", ["naive"], least_gain=0)
    assert {"uncoalesced-access", "slow-dram"} <= {each.rule for each in found} and "slow-memory" not in {each.rule for each in found}
    assert len(warned) == 1 and "\x1b" not in str(warned[0].message)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_is_named_and_the_others_go_on(plugins, kind):
    source, error = BROKEN[kind]
    plugins(**{f"rules_{kind}": source}, zz_good=GOOD)
    with pytest.warns(PluginWarning, match=f"(?s)rules of plugin rules_{kind}.*{error}"):
        known = known_rules()
    assert [*known] == [*(rule.name for rule in RULES), "slow-memory"] and known["slow-memory"].plugin == "zz_good"


def test_a_rule_that_the_user_brings_fails_with_its_own_error():
    with pytest.raises(ZeroDivisionError):
        advise("vector_add", "gf100", rules=[Rule("mine", "Mine.", lambda run: 1 / 0)])
    with pytest.raises(ArchdefError, match="no rule is called 'bank-conflict'.*bank-conflicts"):
        advise("vector_add", "gf100", rules=["bank-conflict"])


def test_an_installed_distribution_brings_its_rules(tmp_path):
    """As pip leaves it: a module, and metadata that names it."""
    (tmp_path / "archdef_gizmo_rules.py").write_text(GOOD)
    (info := tmp_path / "archdef_gizmo_rules-1.0.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: archdef-gizmo-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[archdef.advice]\ngizmo = archdef_gizmo_rules\n")
    program = dedent(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from archdef.advice import known_rules
        print(known_rules()["slow-memory"].plugin)
    """)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(archdef.__file__).parents[1])
    assert run.stdout.strip() == "archdef-gizmo-rules"
