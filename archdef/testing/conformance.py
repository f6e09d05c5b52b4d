"""The conformance suite: the same checks for every architecture, as a class of pytest tests and as a function.

In a plugin's test file::

    from archdef.testing import Conformance

    class TestGizmo(Conformance):
        architecture = "gizmo"
        expected_failures = {"test_features[shuffle]": "not modelled yet, DEVIATIONS D3"}

One test for each check, and for each case of it; ``pytest -k features`` and the like choose among them. Excuses are strict.
"""
from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from archdef import registry
from archdef.errors import ArchdefError, Interrupted
from archdef.testing.checks import CHECKS, Check, Subject
from archdef.values import cut

if TYPE_CHECKING:
    from archdef.spec import Architecture

PASSED, FAILED, EXCUSED, UNEXPECTED = "passed", "failed", "excused", "unexpected pass"


def name_of(check: Check, case: str | None) -> str:
    """Give the name under which a check, and a case of it, is reported and excused: ``test_features[shuffle]``."""
    return f"test_{check.name}" if case is None else f"test_{check.name}[{case}]"


@attrs.frozen
class Outcome:
    """What became of one check."""

    name: str
    """As `name_of` gives it."""
    status: str
    """``passed``, ``failed``, ``excused`` (failed, as expected) or ``unexpected pass`` (of one that is excused)."""
    seconds: float
    proves: str
    """What the check proves."""
    message: str = ""
    """Why it failed; of an excused one and an unexpected pass, the excuse."""

    @property
    def good(self) -> bool:
        """Whether it is as it should be."""
        return self.status in (PASSED, EXCUSED)


@attrs.frozen(repr=False)
class Report:
    """What became of all checks of an architecture."""

    architecture: str
    title: str
    outcomes: tuple[Outcome, ...]
    unknown: tuple[str, ...] = ()
    """Excuses that name no check."""

    def __repr__(self) -> str:
        return f"<Report of {len(self.outcomes)} checks of {cut(self.architecture)}: {'good' if self.good else 'not good'}>"

    @property
    def good(self) -> bool:
        """Whether every check is as it should be, and every excuse names one."""
        return not self.unknown and all(outcome.good for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"architecture": self.architecture, "title": self.title, "good": self.good, "unknown_excuses": list(self.unknown),
                "checks": [attrs.asdict(outcome) for outcome in self.outcomes]}


def examine(architecture: Architecture | str, *, quick: bool = False, excuses: Mapping[str, str] | None = None,
            only: Callable[[str], bool] | None = None, progress: Callable[[Outcome], None] | None = None) -> Report:
    """Check an architecture.

    Parameters
    ----------
    architecture : Architecture or str
        A description, or the name of an installed one.
    quick : bool
        Leave out most cases of checks that have many, and most spellings of an instruction.
    excuses : mapping of str to str, optional
        Name of a check, with or without its case → why it fails. An excused check must fail.
    only : callable, optional
        Takes a name and says whether to carry it out.
    progress : callable, optional
        Gets each outcome when it is there.

    Examples
    --------
    >>> from archdef.testing import examine
    >>> report = examine("my_machine", quick=True)          # doctest: +SKIP
    >>> assert report.good                                  # doctest: +SKIP
    """
    subject, excuses, outcomes = subject_of(architecture, quick), dict(excuses or {}), []
    unknown = unknown_excuses(subject, excuses)
    for check in CHECKS:
        for case in check.cases_of(subject, quick):
            name = name_of(check, case)
            if only is None or only(name):
                outcomes.append(_outcome(check, subject, case, excuses.get(name, excuses.get(f"test_{check.name}"))))
                if progress is not None:
                    progress(outcomes[-1])
    return Report(subject.architecture.name, subject.architecture.title, tuple(outcomes), unknown)


def subject_of(architecture: Architecture | str, quick: bool = False) -> Subject:
    """Look an architecture up, if it is a name."""
    if isinstance(architecture, str):
        architecture = registry.get(architecture)
    return Subject(architecture, quick)


def unknown_excuses(subject: Subject, excuses: Mapping[str, str]) -> tuple[str, ...]:
    """List the excuses that name no check of the architecture."""
    return tuple(sorted(set(excuses) - set(_all_names(subject)))) if excuses else ()


def _all_names(subject: Subject) -> Iterator[str]:
    for check in CHECKS:
        yield f"test_{check.name}"
        yield from (name_of(check, case) for case in check.cases_of(subject))


def _outcome(check: Check, subject: Subject, case: str | None, excuse: str | None) -> Outcome:
    began, message = time.perf_counter(), None
    try:
        check(subject, case)
    except Interrupted:
        raise
    except Exception as error:  # noqa: BLE001  whatever a description makes go wrong is a failed check
        message = explained(error)
    seconds = time.perf_counter() - began
    if message is None:
        status, message = (PASSED, "") if excuse is None else (UNEXPECTED, f"passes, although it is excused: {excuse}")
    else:
        status, message = (FAILED, message) if excuse is None else (EXCUSED, excuse)
    return Outcome(name_of(check, case), status, seconds, check.proves, message)


def explained(error: Exception) -> str:
    """Say what went wrong: the message; for what a check did not raise on purpose, the type of error too."""
    own = isinstance(error, (AssertionError, ArchdefError))
    return str(error) if own and str(error) else f"{type(error).__name__}: {error}"


# --------------------------------------------------------------------------------------------------------------- pytest
class Conformance:
    """Inherit it in a test file, name the architecture, and pytest runs every check on it.

    A class that names none is run for each architecture that ``--archdef-arch`` chooses, or for all that are installed.
    """

    architecture: Architecture | str | None = None
    """A description, or the name of an installed one."""
    expected_failures: Mapping[str, str] = {}
    """Name of a test, with or without the case in brackets → why it fails. Strict: one that passes fails, and so does a name that is
    no test's. A name without a case covers all cases, each of which must fail."""

    is_conformance = True
    """Tells these classes from others without an import."""

    @classmethod
    def subject(cls) -> Subject:
        """Give the architecture under test, with what its checks have made so far."""
        if "_subject" not in cls.__dict__:
            if cls.architecture is None:
                raise TypeError(f"{cls.__name__} names no architecture: set `architecture`, or let the pytest plugin of archdef choose")
            cls._subject = subject_of(cls.architecture)
        return cls._subject

    def pytest_generate_tests(self, metafunc) -> None:
        """Give each check its cases."""
        check = getattr(metafunc.function, "check", None)
        if check is not None and check.cases is not None:
            quick = self.subject().quick = metafunc.config.getoption("archdef_quick", False)
            metafunc.parametrize("case", check.cases_of(self.subject(), quick))

    def test_excuses_name_checks(self) -> None:
        """Every name among `expected_failures` is a test's, and every reason is given."""
        unknown = unknown_excuses(self.subject(), self.expected_failures)
        assert not unknown, f"expected_failures name no check: {', '.join(unknown)}"
        assert all(map(str.strip, self.expected_failures.values())), "expected_failures must say why"

    def carry_out(self, check: Check, case: str | None) -> None:
        """Run one check, and heed its excuse."""
        import pytest  # noqa: PLC0415  an optional package

        excuse = self.expected_failures.get(name_of(check, case), self.expected_failures.get(f"test_{check.name}"))
        if excuse is None:
            try:
                check(self.subject(), case)
            except (AssertionError, ArchdefError) as error:     # the message says it all; other errors show where they come from
                pytest.fail(explained(error), pytrace=False)
            return
        outcome = _outcome(check, self.subject(), case, excuse)
        if outcome.good:
            pytest.xfail(excuse)
        pytest.fail(outcome.message, pytrace=False)


def _test(check: Check) -> Callable:
    if check.cases is None:
        def test(self):
            self.carry_out(check, None)
    else:
        def test(self, case):
            self.carry_out(check, case)
    test.__name__, test.__doc__, test.check = f"test_{check.name}", check.function.__doc__, check
    test.__qualname__ = f"{Conformance.__qualname__}.{test.__name__}"
    return test


for _check in CHECKS:
    setattr(Conformance, f"test_{_check.name}", _test(_check))
