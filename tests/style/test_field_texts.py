"""Is what a description says of each field short enough to read beside its value?"""
import re
from collections.abc import Iterator

import attrs
import pytest

from archdef.spec import Architecture
from archdef.spec.documented import field_docs
from archdef.spec.fields import Part, Parts, Policy, Table, rule_of


def classes(cls: type) -> Iterator[type]:
    """A class of descriptions, and those of its parts and of the policies that it may name."""
    yield cls
    for attribute in attrs.fields(cls):
        rule = rule_of(attribute)
        if isinstance(rule, Policy):
            yield from (one for one in rule.of.by_name().values() if one.__module__.startswith("archdef."))
        elif isinstance(rule, (Part, Parts, Table)):
            yield from classes(rule.of)


TEXTS = [(cls.__name__, name, " ".join(text.split())) for cls in dict.fromkeys(classes(Architecture)) for name, text in field_docs(cls).items()]


@pytest.mark.parametrize("owner, field, text", TEXTS, ids=[f"{owner}.{field}" for owner, field, _ in TEXTS])
def test_a_field_is_explained_in_at_most_two_sentences(owner, field, text):
    assert text and len(re.findall(r"\.(?=\s+[A-Z`0-9]|$)", text)) <= 2, f"{owner}.{field}: {text}"
