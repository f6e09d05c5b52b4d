"""What is said to be fitted to which case: the paths exist, and what a description calls fitted names the cases that it was fitted to."""
from functools import cache

import pytest

from archdef import registry
from archdef.microbench.operations import STEPS
from archdef.report.described import fields
from archdef.spec.evidence import UNSTATED
from archdef.validate import read, references
from archdef.validate.load import evidence_of

NAMES = registry.names()
EACH = pytest.mark.parametrize("name", NAMES)


def rows(name):
    """Give path and kind of evidence of every field of a machine that claims something."""
    return [(row["path"], row["kind"]) for row in fields(registry.get(name)) if row["source"] != str(UNSTATED)]


def covers(part, path):
    return path == part or path.startswith(f"{part}.")


@cache
def named_by_plugin(name):
    """Give all paths to which a case of any machine of a plugin is fitted: what one machine was fitted to, others take over."""
    root = evidence_of(name)
    return {path for case in read(root).cases for path in case.fitted_to or ()} if root is not None else set()


@EACH
def test_a_case_is_fitted_to_fields_that_the_machine_has_and_claims(name):
    claimed = [path for path, _ in rows(name)]
    wrong = {(case.id, path) for case in references(name).cases for path in case.fitted_to or () if not any(covers(path, leaf) for leaf in claimed)}
    assert not wrong


@EACH
def test_what_evidence_calls_fitted_is_named_by_a_case(name):
    left = [path for path, kind in rows(name) if kind == "fitted" and not any(covers(part, path) for part in named_by_plugin(name))]
    assert not left, "no case says that these were fitted to it"


@EACH
def test_a_case_that_judges_is_no_figure_of_the_description(name):
    """An unfitted latency is not, to the digit, what the field that it measures was declared as from the same publication."""
    measured = {row["path"]: row for row in fields(registry.get(name)) if row["kind"] in ("measured", "recalled", "documented")}
    same = [(case.id, path) for case in references(name).cases if case.usable and not case.fitted and case.quantity == "cycles"
            for path, row in measured.items() if path.endswith("latency_cycles") and may_be_of(case, path)
            and row["value"] == case.value and same_publication(row["source"], case.source)]
    assert not same, "declared from that very figure: say fitted_to"


def may_be_of(case, path):
    """Say whether a latency may be what a case measures: where the case names an instruction, no other class's is."""
    step = STEPS.get(case.parameters.get("operation"))
    return step is None or not path.startswith("isa.operations.") or path.split(".")[2] in step.classes


def same_publication(cited, source):
    """Say whether a field's source and a case's are one publication: all the surnames and the year of the one are in the other."""
    surnames = [author.split()[-1] for author in source.authors.replace(" et al.", "").split(", ") if author]
    return bool(surnames) and surnames[0] in cited and str(source.year) in cited
