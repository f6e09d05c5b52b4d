"""Does it compute what PTX says?"""
from __future__ import annotations

from archdef.testing.checks.check import Subject, check


@check(cases=lambda subject: list(subject.samples))
def samples_equal_the_reference(subject: Subject, case: str) -> None:
    """A small kernel of every kind of memory and control flow leaves what the reference interpreter leaves, bit for bit."""
    from archdef.testing.compare import equals_reference

    equals_reference(subject.architecture, subject.samples[case])
