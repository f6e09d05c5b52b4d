"""Is the suite a class, an option of pytest, a command and a function that agree, and are its excuses strict?"""
import importlib.metadata
import json
import xml.dom.minidom

import pytest
from click.testing import CliRunner

import archdef.testing.choosing       # noqa: F401  before pytester takes its picture of the modules: numpy cannot be imported twice
from archdef import registry
from archdef.cli import main
from archdef.testing import conformance, examine
from archdef.testing.checks import CHECKS, Subject, check, expect, results
from archdef.testing.compare import Mismatch
from archdef.testing.forms import forms

pytest_plugins = "pytester"
INSTALLED = any(point.value == "archdef.testing.plugin" for point in importlib.metadata.entry_points(group="pytest11"))
pytestmark = pytest.mark.skipif(not {"g80", "gt200"} <= set(registry.names()), reason="needs the plugins of this repository")


@check(cases=lambda subject: ["one", "two"])
def words_are_known(subject: Subject, case: str) -> None:
    """A check whose case "two" fails."""
    expect(case == "one", "two is one too many")


@check(quick=False)
def names_are_short(subject: Subject) -> None:
    """A check that passes."""
    expect(len(subject.architecture.name) < 99, "too long")


@pytest.fixture
def two_checks(monkeypatch):
    """A suite of two checks, of which a case fails."""
    monkeypatch.setattr(conformance, "CHECKS", (words_are_known, names_are_short))


def command(*words):
    return CliRunner().invoke(main, ["check", "g80", *words])


# ------------------------------------------------------------------------------------------------------------ the function
def test_outcomes_carry_names_and_reasons(two_checks):
    report = examine("g80")
    assert [(o.name, o.status, o.message) for o in report.outcomes] == [
        ("test_words_are_known[one]", "passed", ""), ("test_words_are_known[two]", "failed", "two is one too many"),
        ("test_names_are_short", "passed", "")]
    assert not report.good and report.to_dict()["checks"][1]["proves"] == 'A check whose case "two" fails.'


def test_an_excused_failure_is_as_it_should_be(two_checks):
    report = examine("g80", excuses={"test_words_are_known[two]": "known"})
    assert report.good and report.outcomes[1].status == "excused"


@pytest.mark.parametrize("excuse", ["test_words_are_known[one]", "test_names_are_short", "test_words_are_known"])
def test_an_excused_check_that_passes_is_not(two_checks, excuse):
    report = examine("g80", excuses={excuse: "wrongly", "test_words_are_known[two]": "known"})
    assert not report.good and "unexpected pass" in [o.status for o in report.outcomes]


def test_an_excuse_of_no_check_is_not(two_checks):
    report = examine("g80", excuses={"test_words_are_known[two]": "known", "test_words_are_known[three]": "?"})
    assert not report.good and report.unknown == ("test_words_are_known[three]",)


def test_quick_leaves_out_what_is_not(two_checks):
    assert [o.name for o in examine("g80", quick=True).outcomes] == ["test_words_are_known[one]", "test_words_are_known[two]"]


def test_an_unexpected_exception_is_a_failure_that_names_its_type(monkeypatch):
    def break_down(subject):
        """Break."""
        raise ZeroDivisionError("oh")
    monkeypatch.setattr(conformance, "CHECKS", (check()(break_down),))
    assert examine("g80").outcomes[0].message == "ZeroDivisionError: oh"


def test_a_suite_of_many_cases_takes_some_of_them_quickly():
    subject = Subject(registry.get("g80"))
    for one in CHECKS:
        whole, quick = one.cases_of(subject), one.cases_of(subject, quick=True)
        assert set(quick) <= set(whole) and len(quick) <= (len(whole) if one.quick is True else int(one.quick)), one.name
        assert one.proves.endswith(".") and len(set(whole)) == len(whole)


def test_a_quick_suite_tries_one_form_of_each_row_that_the_whole_tries():
    quick, whole = Subject(registry.get("gt200"), quick=True), Subject(registry.get("gt200"))
    counts = {}
    for opcode in results._opcodes(whole):
        few, every = ([(form.row, form.name) for form in results._tried(subject, opcode)] for subject in (quick, whole))
        assert [row for row, _ in few] == [*dict.fromkeys(row for row, _ in every)] and set(few) <= set(every)
        counts[opcode] = len(few), len(every)
    assert counts["set"][0] < counts["set"][1]


@pytest.mark.parametrize("quick", [False, True])
def test_the_quick_option_reaches_the_checks(monkeypatch, quick):
    seen = []

    def look(subject):
        """Look."""
        seen.append(subject.quick)
    monkeypatch.setattr(conformance, "CHECKS", (check()(look),))
    assert command(*["--quick"] * quick).exit_code == 0 and seen == [quick]


def test_forms_say_whether_they_have_a_kernel():
    for form in {form.row.builder: form for form in forms()}.values():
        assert form.has_kernel == (form.launch() is not None), form.name


def test_samples_are_compared_with_the_reference(monkeypatch):
    subject = Subject(registry.get("g80"))
    expected = subject.expected
    monkeypatch.setattr(subject, "expected", lambda name, launch: expected(name, launch) + (name == "shared"))
    results.samples_equal_the_reference(subject, "stream")
    with pytest.raises(Mismatch, match="g80, 32 lanes: array 0 differs"):
        results.samples_equal_the_reference(subject, "shared")


# ------------------------------------------------------------------------------------------------------------- the command
def test_the_command_prints_what_failed_and_why(two_checks):
    result = command()
    assert result.exit_code == 1
    assert "2 of 3 checks passed, 1 failed" in result.output and "failed: test_words_are_known[two]\n    two is one too many" in result.output


def test_the_command_takes_excuses(two_checks):
    assert command("--excuse", "test_words_are_known[two]=known").exit_code == 0
    result = command("--excuse", "test_words_are_known[two]=known", "--excuse", "test_nothing=known")
    assert result.exit_code == 2 and "no such check: test_nothing" in result.output


def test_the_command_takes_a_part(two_checks):
    assert command("-k", "short").exit_code == 0


def test_the_command_gives_json(two_checks):
    result = command("--json")
    data = json.loads(result.output)
    assert result.exit_code == 1 and data["good"] is False and [c["status"] for c in data["checks"]] == ["passed", "failed", "passed"]


def test_the_command_refuses_what_is_not_installed():
    result = CliRunner().invoke(main, ["check", "g81"])
    assert result.exit_code == 2 and "did you mean g80?" in result.output


@pytest.mark.parametrize("words, message, color", [
    ((), "2 of 3 checks", "red"), (("--excuse", "test_words_are_known[two]=known"), "2 of 3 checks, 1 excused", "yellow"),
    (("-k", "short"), "1 of 1 checks", "brightgreen")])
def test_badges_say_how_it_went(two_checks, tmp_path, words, message, color):
    for name in ("badge.json", "badge.svg"):
        command("--badge", str(tmp_path / name), *words)
    data = json.loads((tmp_path / "badge.json").read_text())
    assert data == {"schemaVersion": 1, "label": "archdef g80", "message": message, "color": color}
    picture = xml.dom.minidom.parse(str(tmp_path / "badge.svg")).documentElement
    assert picture.tagName == "svg" and picture.getAttribute("aria-label") == f"archdef g80: {message}"


# --------------------------------------------------------------------------------------------------------------- the class
CLASS = """
from archdef.testing import Conformance

class TestIt(Conformance):
    architecture = "g80"
    expected_failures = {excuses}
"""
SOME = "(evidence or names_lead or excuses or limit)"


def run(pytester, text, *options):
    if text is not None:
        pytester.makepyfile(test_it=text)
    return pytester.runpytest_inprocess(*([] if INSTALLED else ["-p", "archdef.testing.plugin"]), "-p", "no:cacheprovider", "-v", *options)


def test_a_class_has_a_test_for_each_check_and_case(pytester):
    result = run(pytester, CLASS.format(excuses={}), "--collect-only", "-qq")
    found = {line.partition("::TestIt::")[2] for line in result.outlines if "::TestIt::" in line}
    subject = Subject(registry.get("g80"))
    assert found == {"test_excuses_name_checks", *(conformance.name_of(one, case) for one in CHECKS for case in one.cases_of(subject))}


def test_a_class_passes_and_needs_no_plugin_of_pytest(pytester):
    pytester.makepyfile(test_it=CLASS.format(excuses={}))
    result = pytester.runpytest_inprocess("-p", "no:archdef", "-p", "no:cacheprovider", "-k", SOME)
    result.assert_outcomes(passed=7)


@pytest.mark.parametrize("excuses, failed, message", [
    ({"test_evidence_is_complete": "hm"}, "test_evidence_is_complete", "passes, although it is excused: hm"),
    ({"test_a_launch_past_a_limit_is_refused[grid_dimensions.x]": "hm"}, "test_a_launch_past_a_limit_is_refused[grid_dimensions.x]",
     "passes, although it is excused: hm"),
    ({"test_evidence": "hm"}, "test_excuses_name_checks", "expected_failures name no check: test_evidence")])
def test_excuses_of_a_class_are_strict(pytester, excuses, failed, message):
    result = run(pytester, CLASS.format(excuses=excuses), "-k", SOME)
    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines([f"FAILED test_it.py::TestIt::{failed.replace('[', '[[]')}*"])
    assert message in result.stdout.str()


def test_an_excused_failure_is_an_expected_one(pytester):
    head = """
import attrs
from archdef import registry
from archdef.spec import Cite
g80 = registry.get("g80")
blank = attrs.evolve(g80, evidence={**g80.evidence, "warp": Cite("?", "?")})
"""
    text = CLASS.format(excuses={"test_evidence_is_complete": "nobody knows"}).replace('"g80"', "blank")
    result = run(pytester, head + text, "-k", "evidence", "-rx")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["XFAIL * - nobody knows"])


# -------------------------------------------------------------------------------------------------------------- the option
def test_the_option_alone_runs_the_suite(pytester):
    result = run(pytester, None, "--archdef-arch=g80", "--archdef-arch=gt200", "-k", SOME)
    result.assert_outcomes(passed=14)
    result.stdout.fnmatch_lines(["*archdef.testing.suite::TestConformance_g80::test_evidence_is_complete PASSED*",
                                 "*archdef.testing.suite::TestConformance_gt200::test_evidence_is_complete PASSED*"])


def test_the_suite_is_not_run_twice_where_a_class_has_it(pytester):
    excuses = {"test_evidence_is_complete": "hm"}
    result = run(pytester, CLASS.format(excuses=excuses), "--archdef-arch=g*0*", "-k", SOME + " and not gf100")
    names = [n for n in registry.names() if n[0] == "g" and "0" in n and n != "gf100"]
    result.assert_outcomes(passed=7 * len(names) - 1, failed=1)
    assert "TestConformance_g80" not in result.stdout.str() and "TestConformance_gt200" in result.stdout.str()


def test_classes_of_other_architectures_are_left_out(pytester):
    result = run(pytester, CLASS.format(excuses={}), "--archdef-arch=gt200", "test_it.py")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_class_of_no_architecture_is_run_for_each(pytester):
    text = "from archdef.testing import Conformance\nclass TestAll(Conformance): pass\n"
    result = run(pytester, text, "-k", "evidence")
    result.assert_outcomes(passed=len(registry.names()))


def test_the_quick_option_takes_less(pytester):
    text = "from archdef.testing import Conformance\nclass TestAll(Conformance): pass\n"
    counts = [len([line for line in run(pytester, text, "--archdef-arch=g80", "--collect-only", "-qq", "test_it.py", *more).outlines
                   if "::" in line]) for more in ((), ("--archdef-quick",))]
    assert counts[1] < counts[0] / 2
