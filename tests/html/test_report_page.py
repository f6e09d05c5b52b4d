"""A report is one whole HTML file: it loads nothing, runs nothing that is not its own, and leads nowhere that is not there."""
import base64
import hashlib
import importlib.util
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from reported import HOSTILE, divergent, gizmo, places, products, records, runs, spread, transposes, unpacked

from archdef import Device, registry
from archdef.cli import main
from archdef.errors import ArchdefError, MissingExtra
from archdef.examples import load
from archdef.examples.comparison import compare
from archdef.html import charts

for _package in ("jinja2", "pygments", "vl_convert"):
    pytest.importorskip(_package, reason="reports need archdef[report]")

VOID = {"meta", "br", "input"}
MOST_BYTES = 3_000_000
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "report.md"


class Page(HTMLParser):
    """Checks that elements nest, and gathers what there is."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.scripts, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.texts.append(data)

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "all.html"
    first, *others = runs()
    assert first.report(path, *others) == path
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_page_is_well_formed_and_no_two_elements_have_one_name(page):
    assert page.open == [] and len(page.ids) == len(set(page.ids))


def test_nothing_is_loaded(page, text):
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "audio", "video")
        assert "src" not in attributes and "srcset" not in attributes and not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith("#")
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style and "@import" not in style


def test_only_the_pages_own_scripts_may_run(page, text):
    (policy,) = [attributes["content"] for tag, attributes in page.elements if attributes.get("http-equiv") == "Content-Security-Policy"]
    allowed = set(re.findall(r"'(sha256-[^']+)'", policy))
    data, *own = page.scripts
    assert len(own) == 2 and allowed == {"sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in own}
    assert policy.startswith("default-src 'none'") and "unsafe-eval" not in policy and "http" not in policy
    json.loads(data)


def test_whatever_is_clicked_leads_to_something(page):
    data = json.loads(page.scripts[0])
    ids = set(page.ids) | {f"{run['id']}-{place}" for run in data["runs"] for place in places(run)}
    links = {attributes["href"][1:] for tag, attributes in page.elements if tag == "a"}
    charts = json.dumps(unpacked([data["charts"], *(run["charts"] for run in data["runs"])]))
    leads = set(re.findall(r'"to": "([^"]+)"', charts))
    others = {f"{run['id']}-{place}" for run in data["runs"] for place in run["to"].values()}
    assert len(links) > 20 and len(leads) > 10 and others
    assert links - ids == set() and leads - ids == set() and others - ids == set()


def test_labels_of_charts_that_are_cut_keep_the_machine_at_their_end():
    import vl_convert

    names = [f"a_kernel_with_a_rather_long_name on {machine}" for machine in ("v100", "k40")]
    chart = charts._chart([{"run": name, "time": 1} for name in names], mark={"type": "bar"},
                          encoding={"y": charts._nominal("run", names), "x": {"field": "time", "type": "quantitative"}})
    drawn = vl_convert.vegalite_to_svg(chart | {"width": 300, "autosize": "pad"})
    assert re.findall(r">(a_kernel_[^<]*)</text>", drawn) == ["a_kernel_with_…_name on v100", "a_kernel_with_…g_name on k40"]


def test_each_chart_of_the_page_has_its_data_and_is_valid(page):
    import vl_convert

    data = json.loads(page.scripts[0])
    known = {run["id"]: run["charts"] for run in data["runs"]} | {None: data["charts"]}
    named = {(attributes.get("data-run"), attributes["data-chart"]) for _, attributes in page.elements if "data-chart" in attributes}
    assert named == {(run, name) for run, charts in known.items() for name in charts}
    for run, name in sorted(named, key=str):
        made = vl_convert.vegalite_to_vega(unpacked(known[run][name]))
        assert made["marks"] and any(source.get("values") for source in made["data"]), (run, name)


def test_hostile_text_stays_text(page, text):
    assert text.count("<img src=x") == 0 and text.count("onerror=alert(1)") >= 2
    shown = "\n".join(kept["text"] for kept in json.loads(page.scripts[0])["texts"])
    assert HOSTILE.replace("\f", "\N{REPLACEMENT CHARACTER}").replace("\u2028", "\N{REPLACEMENT CHARACTER}") in shown


def test_a_hostile_title_and_failure_stay_text(tmp_path):
    from archdef.html.document import document
    from archdef.run.html_report import shown

    page = Page(document([shown(divergent(), HOSTILE)], HOSTILE, [HOSTILE]))
    assert len(page.scripts) == 3 and "".join(page.texts).count("onerror=alert(1)") >= 4


def test_all_code_that_costs_is_in_the_page_and_each_text_once(page):
    data = json.loads(page.scripts[0])
    texts = [kept["text"].split("\n") for kept in data["texts"]]
    assert len({tuple(kept) for kept in texts}) == len(texts)
    for run, packed in zip(runs(), data["runs"], strict=True):
        by_level = {level: [file for file in packed["files"] if file["level"] == level] for level in ("source", "ptx")}
        for cost in (*run.lines, *run.statements):
            if cost.warp_cycles and cost.line and cost.line <= len(run.sources.get(cost.file, ())):
                (own,) = [file for files in by_level.values() for file in files if file["name"] == cost.file.rpartition("/")[2]]
                assert texts[own["text"]][cost.line - 1] == "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}"
                                                                    for c in run.sources[cost.file][cost.line - 1])
                assert any(first <= cost.line <= last for first, last in own["parts"])


def test_costs_of_the_page_are_those_of_the_run(page):
    data = json.loads(page.scripts[0])
    for run, packed in zip(runs(), data["runs"], strict=True):
        lines = records({name: column for name, column in (packed["lines"] or packed["statements"]).items() if name != "stalls"})
        assert [line["number"] for line in lines] == [cost.line for cost in run.lines]
        for k, (line, cost) in enumerate(zip(lines, run.lines, strict=True)):
            assert line["issued"] == cost.counters.instructions
            assert (line.get("partitions") or 0) == pytest.approx(run.metrics_of(cost.counters)["partitions_per_request"] or 0, rel=1e-3)
            stalls = {cause: spread(column, len(lines))[k] for cause, column in (packed["lines"] or packed["statements"])["stalls"].items()}
            assert {cause: n for cause, n in stalls.items() if n} == {cause: n for cause, n in cost.counters.stalls.items() if n}
        ops = records(packed["ops"])
        assert [op["issued"] for op in ops] == run.counters.issued.tolist()
        assert all(data["strings"][op["text"]] in run.program.listing() for op in ops)


def test_pieces_of_a_line_make_it_up():
    """… for whatever a file holds; a character beyond the first plane is two units for a script."""
    from archdef.html.colours import coloured

    text = ["/* \U0001f600 begins", "ends */ int x = 1;\r", "\ufeffmov.u32 %r1, 0x10; // \U0001f600", "", '"""']
    for language in ("cuda", "python", "ptx", "text"):
        for line, colours in coloured(text, language):
            assert not colours or sum(int(re.match(r"\d+", piece)[0]) for piece in colours.split(",")) == len(line.encode("utf-16-le")) // 2
    assert any(colours for _, colours in coloured(text, "cuda"))


def test_the_same_launches_give_the_same_file(tmp_path):
    one, other = (transposes().report(tmp_path / name).read_bytes() for name in ("one.html", "other.html"))
    assert one == other


def test_a_report_is_small_enough_to_send(tmp_path):
    names = [name for name in ("g80", "gt200", "gf100", "h100", "c500") if name in registry.names()]
    if not names:
        pytest.skip("no architecture plugin is installed")
    comparison = compare(load("transpose"), [registry.get(name) for name in names], 128, ("naive", "tiled"))
    assert comparison.correct and comparison.report(tmp_path / "all.html").stat().st_size < MOST_BYTES


def test_a_report_of_much_code_is_small_enough_to_send(tmp_path):
    sums = "\n".join(f"    add.f32 %f{k % 7 + 1}, %f{(k + 1) % 7 + 1}, %f{(k + 3) % 7 + 1};" for k in range(2000))
    ptx = (".version 4.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .f32 %f<9>; .reg .u64 %d<2>;\n"
           f"ld.param.u64 %d1, [out];\nld.global.f32 %f1, [%d1];\n{sums}\nst.global.f32 [%d1], %f1;\nst.global.f32 [%d1+4], %f5;\nret;\n}}\n")
    launches = []
    for multiprocessors in (2, 3, 4):
        device = Device(gizmo().evolve({"chip.multiprocessors": multiprocessors}))
        launches.append(device.compile(ptx).k[8, 64](device.zeros(4)))
    path = launches[0].report(tmp_path / "x.html", *launches[1:])
    data = json.loads(Page(path.read_text(encoding="utf-8")).scripts[0])
    assert path.stat().st_size < MOST_BYTES / 2 and len(data["texts"]) == 1 and data["texts"][0]["lines"] > 2000


@pytest.mark.parametrize("package, distribution", [("jinja2", "jinja2"), ("pygments", "pygments"), ("vl_convert", "vl-convert-python")])
def test_a_missing_package_names_the_extra(tmp_path, monkeypatch, package, distribution):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == package else find(name, *rest))
    with pytest.raises(MissingExtra, match=rf"a report needs {distribution}: pip install 'archdef\[report\]'"):
        divergent().report(tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_results_are_imported_without_the_packages_of_reports(tmp_path):
    import subprocess

    code = "import archdef.run.result, archdef.examples.comparison, sys; print([m for m in ('jinja2', 'pygments', 'vl_convert') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "jinja2" not in done.stdout and "vl_convert" not in done.stdout


def test_a_report_is_an_html_file(tmp_path):
    with pytest.raises(ArchdefError, match=r"x.pdf: reports are .html files"):
        divergent().report(tmp_path / "x.pdf")


def test_a_failed_launch_is_told(tmp_path):
    import attrs

    row = attrs.evolve(transposes().rows[0], run=None, failure="it <b>fell</b> over", correct=False)
    comparison = attrs.evolve(transposes(), rows=(row, *transposes().rows[1:]))
    page = Page(comparison.report(tmp_path / "x.html").read_text(encoding="utf-8"))
    assert "naive on gizmo: it <b>fell</b> over" in page.texts
    comparison = attrs.evolve(transposes(), rows=(row,))
    page = Page(comparison.report(tmp_path / "x.html").read_text(encoding="utf-8"))
    assert "naive on gizmo: it <b>fell</b> over" in page.texts


def test_advice_leads_to_its_lines_the_greatest_gain_first(tmp_path):
    from types import SimpleNamespace

    row, other = transposes().rows[0], transposes().rows[1]
    line = next(line for line in row.run.lines if line.line and line.warp_cycles)
    given = [SimpleNamespace(rule=rule, file=file, line=number, text="", said=HOSTILE, remedy="pad the tile", supposed="it were so", cycles=300, cycles_if=cycles)
             for rule, file, number, cycles in (("little", line.file, line.line, 200), ("much", line.file, 999_999, 100), ("whole", "", 0, 250))]
    page = Page(transposes().report(tmp_path / "x.html", {(row.architecture.label, row.case.kernel): given, (other.architecture.label, other.case.kernel): []})
                .read_text(encoding="utf-8"))
    assert [text for text in page.texts if text in ("little", "much", "whole")] == ["much", "little", "whole"]
    assert [attributes["data-line"] for tag, attributes in page.elements if tag == "tr" and "data-line" in attributes] == [f"r0-0:{line.line}"]
    assert {"r0-advice", "r1-advice"} <= set(page.ids) and "r2-advice" not in page.ids and "3.00" in page.texts
    assert "None: nothing that the rules know would gain enough." in page.texts


def test_each_key_is_known_to_script_page_and_documentation(page, text):
    told = re.findall(r"<kbd>(.)</kbd>", text.partition('<dialog id="keys">')[2].partition("</dl>")[0])
    bound = re.findall(r'(?:"(.)"|\b([a-z])): ', text.partition("const KEYS = {")[2].partition("};")[0])
    table = re.findall(r"^\| (.*?) \| ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(told) == sorted(a or b for a, b in bound) == sorted(key for cell in table for key in re.findall("`(.)`", cell)) and len(told) == 9


needs_machine = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")


@needs_machine
def test_the_command_writes_a_report(tmp_path):
    path, name = tmp_path / "x.html", registry.names()[0]
    result = CliRunner().invoke(main, ["report", "transpose", "naive", "-a", name, "-n", "64", "-o", str(path), "--lanes", "0", "--json"])
    assert result.exit_code == 0 and json.loads(result.output) == {"files": [str(path)], "correct": True}
    page = Page(path.read_text(encoding="utf-8"))
    assert "r0-lanes" in page.ids and "r1" not in page.ids
    assert "r0-time" in page.ids
    result = CliRunner().invoke(main, ["report", "transpose", "naive", "-a", name, "-n", "64", "-o", str(path), "--not-over-time"])
    assert result.exit_code == 0 and "r0-time" not in Page(path.read_text(encoding="utf-8")).ids


@needs_machine
def test_the_command_refuses_a_file_before_it_works(tmp_path):
    (tmp_path / "k.ptx").write_text("no PTX at all")
    for name, why in (("x.pdf", "reports are .html files"), ("absent/x.html", "there is no folder")):
        for command in (["report", "transpose", "-o"], ["run", str(tmp_path / "k.ptx"), "k", "-a", registry.names()[0], "-g", "1", "-b", "1", "--report"]):
            result = CliRunner().invoke(main, [*command, str(tmp_path / name)])
            assert result.exit_code != 0 and why in result.output


@needs_machine
def test_a_launch_of_a_file_is_written_too(tmp_path):
    (tmp_path / "k.ptx").write_text(".version 4.0\n.target sm_20\n.address_size 64\n.visible .entry k() { ret; }\n")
    names = registry.names()[:2]
    result = CliRunner().invoke(main, ["run", str(tmp_path / "k.ptx"), "k", *(f"-a{name}" for name in names), "-g", "1", "-b", "32",
                                       "--report", str(tmp_path / "x.html")])
    assert result.exit_code == 0, result.output
    page = Page((tmp_path / "x.html").read_text(encoding="utf-8"))
    assert [i for i in page.ids if re.fullmatch(r"r\d+", i)] == [f"r{k}" for k in range(len(names))]
    assert "r0-time" in page.ids and "r0-lanes" in page.ids and "coherent" not in result.output


def test_products_are_shown_under_their_roofs(page):
    ids = page.ids
    assert sum(1 for _, attributes in page.elements if attributes.get("data-chart") == "roof") == len(products().rows)
    assert "r0-bounds-table" in ids
