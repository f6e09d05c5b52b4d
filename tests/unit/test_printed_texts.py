"""Can a text of a plugin, a file or a kernel style, hide or break what commands print?"""
import io
import json

import attrs
import pytest
from archdef import registry
from archdef.cli import main
from archdef.console import console, text
from archdef.errors import SpecErrors
from click.testing import CliRunner
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from small_machine import gizmo

EVIL = "[/x] [bold]fat[/bold] :smile: [link=http://example.org]here"
HOSTILE = "\x1b[2J\x1b]0;title\x07 \x9b31m \u202egnp \udcff"  # the last: a byte of the command line that is no UTF-8


def table(cell):
    made = Table(title=cell)
    made.add_column(cell)
    made.add_row(cell)
    return Group(cell, made, Panel(cell, title=Text(cell)), Text(cell))


def test_markup_is_printed_as_it_is():
    assert text(EVIL) == EVIL and text(table(EVIL)).count(EVIL) >= 6


@pytest.mark.parametrize("terminal", [False, True])
def test_control_characters_are_printed_as_escapes(terminal):
    file = io.StringIO()
    console(file=file, width=200, force_terminal=terminal, color_system=None).print(table(HOSTILE))
    assert not set(file.getvalue()) & set("\x1b\x07\x9b\u202e\udcff") and r"\x1b[2J\x1b]0;title" in file.getvalue()


@pytest.mark.parametrize("field", ["title", "vendor", "family", "name", "compute_capability"])
def test_descriptions_hold_no_control_characters(field):
    for evil in ("a\x1b[31mb", "a\ud800", "a\u202eb"):
        with pytest.raises(SpecErrors) as caught:
            gizmo(**{field: evil})
        assert f"{field} must hold no control characters" in str(caught.value) and evil not in str(caught.value)


@pytest.fixture
def evil(monkeypatch):
    """Put a machine whose every text is markup in the place of all installed ones."""
    machine = gizmo(title=EVIL, vendor=EVIL, family=EVIL)
    machine = attrs.evolve(machine, evidence={key: attrs.evolve(cite, document=EVIL, note=EVIL) for key, cite in machine.evidence.items()})
    for place in (registry, registry.REGISTRY):
        monkeypatch.setattr(place, "get", lambda name: machine)
        monkeypatch.setattr(place, "all", lambda: {"gizmo": machine})
        monkeypatch.setattr(place, "problems", lambda: {"bad": registry.PluginError(EVIL + HOSTILE)})
    return machine


@pytest.mark.parametrize("command", [
    ["archs"], ["show", "gizmo"], ["diff", "gizmo", "gizmo"], ["occupancy", "-a", "gizmo", "-t", "64"], ["roofline", "-a", "gizmo"],
    ["show", "gizmo", "--only", "dram" + HOSTILE], ["show", "gizmo", "--set", HOSTILE + "=1"], ["diff", "gizmo", "gizmo", "--only", EVIL],
    ["metrics", HOSTILE], ["compare", HOSTILE], ["run", HOSTILE, "k", "-a", "gizmo", "-g", "1", "-b", "1"], ["microbench", "--list"],
    ["occupancy", "-a", "gizmo", "-t", HOSTILE], ["new-plugin", HOSTILE], ["check", "gizmo", "-k", HOSTILE], ["export", "gizmo", "-f", "json"]])
def test_every_command_prints_texts_as_they_are(evil, command):
    result = CliRunner().invoke(main, command)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not set(result.output) & set("\x1b\x07\x9b\u202e\udcff")
    if command in (["archs"], ["show", "gizmo"]):
        assert "[/x]" in result.output


def test_json_is_ascii_where_a_text_is_not(evil):
    shown = json.loads(CliRunner().invoke(main, ["archs", "--json"]).stdout)
    assert shown["architectures"][0]["title"] == EVIL
