"""Do mangled names come back as people write them, and can none take more memory or time than it is worth?"""
import pytest

from archdef.frontends import demangling
from archdef.frontends.demangling import demangled

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
pytestmark = pytest.mark.skipif(demangled("_Z1kv") is None, reason="no C++ library that takes names apart")


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    """Other tests' names are not asked for again, and failures of these are not held against others."""
    demangled.cache_clear()
    apart = demangling._Apart()
    monkeypatch.setattr(demangling, "_apart", apart)
    yield
    apart.end()
    demangled.cache_clear()


def doubled(times):
    """A name of a type ``p<int, int>``, of ``p`` of two of these, and so on: each is twice as long."""
    def reference(number):
        digits = ""
        while number > 0:
            number, digit = divmod(number - 1, 36) if not digits else divmod(number, 36)
            digits = DIGITS[digit] + digits
        return f"S{digits}_"
    return "_Z1f1pIiiE" + "".join(f"S_I{2 * reference(k + 1)}E" for k in range(times))


def test_names_are_taken_apart():
    assert demangled("_Z4axpyPfPKffi") == "axpy(float*, float const*, float, int)"
    assert demangled("axpy") is None and demangled("_Z") is None


def test_a_name_that_refers_often_is_taken_apart_too():
    assert demangled("_Z1fPi" + 20 * "S_") == f"f({', '.join(21 * ['int*'])})"
    assert demangled(doubled(4)) == "f(" + ", ".join(["p<int, int>", *(f"p<{a}, {a} >" for a in _texts(4))]) + ")"


def _texts(count):
    text = "p<int, int>"
    for _ in range(count):
        yield text
        text = f"p<{text}, {text} >"


@pytest.mark.parametrize("times", [14, 25, 60])
def test_a_text_that_would_be_far_longer_than_its_name_is_not_made(times):
    """The longest would have 2**60 characters."""
    assert len(doubled(times)) < 700 and demangled(doubled(times)) is None
    assert demangled("_Z1fPi" + 20 * "S_") is not None


def test_names_made_to_take_long_are_given_up():
    assert [demangled(doubled(times)) for times in range(40, 48)] == 8 * [None]
    assert demangling._apart._failures == demangling._MOST_FAILURES
    assert demangled("_Z1fPi") == "f(int*)"


def test_a_longer_text_than_anybody_reads_is_none_however_it_is_made(monkeypatch):
    monkeypatch.setattr(demangling, "MOST_CHARACTERS", 20)
    assert demangled("_Z1fPiS_S_S_") is None and demangled("_Z1fi") == "f(int)"
