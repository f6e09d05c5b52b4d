"""The reference cases of every installed architecture: no gap has opened or closed unnoticed, and every id is in DEVIATIONS.md."""
import tomllib
from pathlib import Path

import pytest

from archdef import registry
from archdef.validate import references, validate

NAMES = registry.names()
EACH = pytest.mark.parametrize("name", NAMES)
PLUGINS = Path(__file__).parents[2] / "plugins"


@EACH
def test_no_gap_has_opened_or_closed(name):
    check(name, quick=True)


@EACH
@pytest.mark.long
def test_no_gap_of_a_long_case_has_opened_or_closed(name):
    check(name, quick=False)


def check(name, quick):
    found = references(name)
    assert not found.not_installed, f"pip install {' '.join(found.not_installed)}"
    if not found.cases:
        pytest.skip(f"nobody ships reference cases of {name}")
    (report,) = validate([registry.get(name)], quick=quick)
    wrong = [f"{outcome.case.id}: {outcome.message}" for outcome in report.outcomes if outcome.fault]
    assert not [*wrong, *report.faults], "\n".join([*wrong, *report.faults, f"refresh the list with: archdef validate {name} --draft-gaps"])


@pytest.mark.parametrize("folder", sorted(PLUGINS.glob("*/pyproject.toml")), ids=lambda path: path.parent.name)
def test_the_evidence_of_this_repository_is_installed_and_found(folder):
    """Where it is not, the tests above have nothing to ask, and pass."""
    declared = tomllib.loads(folder.read_text(encoding="utf-8"))["project"].get("entry-points", {})
    assert not [name for name in declared.get("archdef.evidence", {}) if name in NAMES and not references(name).cases], "pip install ./plugins/*"
    evidence = folder.parent.with_name(f"{folder.parent.name}-evidence") / "pyproject.toml"
    if machines := set(declared.get("archdef", {})):
        assert machines == set(tomllib.loads(evidence.read_text(encoding="utf-8"))["project"]["entry-points"]["archdef.evidence"])


@EACH
def test_sources_are_named_in_full(name):
    for source in {case.source for case in references(name).cases}:
        assert len(source.title) > 15 and source.year and (source.authors or source.where), source


@EACH
def test_every_group_says_what_it_is_about(name):
    assert all(group.about for group in references(name).groups.values())


@EACH
def test_ids_of_deviations_are_unique(name):
    from archdef.validate.load import package_of

    root = package_of(name)
    if root is not None and (root / "DEVIATIONS.md").is_file():
        ids = [line.split("|")[1].strip() for line in (root / "DEVIATIONS.md").read_text(encoding="utf-8").splitlines()
               if line.startswith("|") and line.split("|")[1].strip()[-1:].isdigit()]
        assert len(ids) == len(set(ids)) == len(references(name).deviations or ids)
