"""Are regular expressions read alike by every Python that archdef supports?"""
import re
from pathlib import Path

import pytest

import archdef

GROUP = re.compile(r"\)\s*(?:[*+?]|\{\d*,?\d*\})\+")
SOURCES = sorted(Path(archdef.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("text, found", [(r"(?:a|b)*+", True), (r"(a b) {2,3}+", True), (r"[ab]*+ \s++ (?> (?:a|b)* )", False), (r"(a)+", False)])
def test_possessive_groups_are_told_from_possessive_characters(text, found):
    assert bool(GROUP.search(text)) == found


def test_no_quantifier_of_a_group_is_possessive():
    """Before Python 3.11.5 such a group may match nothing (python/cpython#106052): the 3.11.2 of Debian 12 took no PTX at all. Atomic groups do as well."""
    assert SOURCES
    found = [f"{source.name}:{number}: {line.strip()}" for source in SOURCES for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
             if GROUP.search(line)]
    assert not found, "\n".join(found)
